"""An item that a person wrote about a frame shows where the frame came from, and why it was chosen."""

from __future__ import annotations

from pathlib import Path

from annotation_schemas import shipped
from annotation_schemas.loader import load_schema
from db import candidate_images, events
from db.engine import Store
from domain.item_filter import ItemList
from domain.records import Person
from domain.roles import Role
from extensions.history import item_history
from extensions.history.records import OriginStep
from media.store import MediaStore
from testkit.factories import Clock, make_person, make_project
from tests.app.homes import picture
from workflow.access.event_log import log
from workflow.access.projects import access_to
from workflow.annotate import image_pool, submissions
from workflow.lead import item_list


def origin(store: Store, person: Person, item: str) -> list[OriginStep]:
    return list(item_history.history(store, person=person, project="p", item=item).origin)


def facts(step: OriginStep) -> dict[str, str]:
    return dict(step.facts)


def test_a_written_item_begins_with_its_image(store: Store, tmp_path: Path) -> None:
    """Ann keeps a frame in triage, amy writes about it; a senior who settles sees neither's name before the verdict."""
    clock = store.clock = Clock()
    make_project(store, loaded=load_schema(shipped()["egothink"]))
    ann, amy = (make_person(store, login) for login in ("ann", "amy"))
    lea = make_person(store, "lea", role=Role.LEAD)
    (tmp_path / "one.png").write_bytes(picture(1))
    media = MediaStore(tmp_path / "media")
    told = {"source": "V.mp4", "exact": "312/25", "time": 12.48, "frame": 312, "sharpness": 81.5, "group": 4}
    told |= {"kept": False, "why": "blurred: sharpness 81.5 is below 90"}
    name = "V.mp4/00012.480000.png"
    settings = {"taking": {"seconds": "2", "every": None}, "keeping": {"min_sharpness": 90.0, "distinct": False}}
    image_pool.add_to_pool(
        store, media, by=lea, project="p", files=[(name, tmp_path / "one.png")], source_of=lambda _: "V.mp4"
    )
    with store.write() as session:  # as the extension of frames logs it
        access = access_to(session, person=lea, project="p")
        data = {**settings, "frames": {name: told}}
        log(session, events.FRAMES_POOLED, by=lea, project=access, now=store.now(), data=data)
    pooled = store.now()
    clock.advance(minutes=1)
    with store.write() as session:
        access, now = access_to(session, person=ann, project="p"), store.now()
        first = candidate_images.first_free(session, project_id=access.project_id, now=now, per_source=None)
        assert first is not None
        ((row, asset),) = candidate_images.lock(session, project_id=access.project_id, asset_ids=[first.asset_id])
        assert candidate_images.add_to_pool(session, asset=asset, per_source=2)
        versions = {"schema_version_id": access.schema_version_id, "guideline_hash": access.loaded.guideline_hash}
        candidate_images.decide(session, row=row, person_id=ann.id, key="k", action="kept", now=now, **versions)
    task = image_pool.pick(store, person=amy, project="p", dimension="counting", assets=[asset.public_id])
    clock.advance(minutes=1)
    values = {"question": "How many cups are there?", "answer": "Two."}
    item = submissions.submit(store, person=amy, task=task.id, key="w", values=values)
    assert item is not None
    name = item_list.listing(store, person=lea, project="p", asked=ItemList()).lines[0].name
    image, written = origin(store, lea, name)
    assert (image.name, image.at, image.by) == ("Image", pooled, "ann")
    assert facts(image) | {"sharpness": ""} == {
        "role in the item": "image",
        "name": "V.mp4/00012.480000.png",
        "source": "V.mp4",
        "frame": "312, at 312/25 s",
        "sharpness in the video": "81.5",
        "look-alikes": "group 4",
        "taken": "seconds: 2",
        "screened": "min_sharpness: 90.0",
        "chosen": "by a lead, although blurred: sharpness 81.5 is below 90",
        "sharpness": "",
        "triage": "kept",
    }
    assert (written.name, written.at, written.by) == ("Written", store.now(), "amy")
