"""What waits for its images or clips is given to nobody, and everybody is told; afterwards it is offered anew."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from annotation_schemas.loader import load_text
from db.engine import Store
from db.tables import AssetRow, ItemAssetRow
from domain.errors import Conflict, NotAllowed, NotFound
from domain.records import NothingLeft, Person
from domain.roles import Role
from domain.states import Stage
from media.store import MediaStore
from tests import missing_media
from tests.factories import (
    BLIND,
    SETTLING,
    Clock,
    claimed,
    make_items,
    make_people,
    make_person,
    make_predictions,
    make_project,
    vote,
)
from workflow import claim, gold, history, progress, qualify
from workflow.projects import access_to

SET = "{items: 3, reviewers: 1, pass_mark: 0.5}"
GOLD = "{rate: 0.5, after: 4, warn_below: 0.8, stop_below: 0.5}"


@pytest.fixture
def media(home: Path) -> MediaStore:
    return MediaStore(home / "media")


def link(store: Store, item_ids: Sequence[int], *, role: str = "image") -> None:
    """Let items have images that nobody has brought in."""
    with store.write() as session:
        project_id = access_to(session, person=None, project="p").project_id
        for item_id in item_ids:
            asset = AssetRow(project_id=project_id, name=f"{item_id}.png", kind="image", created_at=store.now())
            session.add(asset)
            session.flush()
            session.add(ItemAssetRow(item_id=item_id, asset_id=asset.id or 0, role=role))


def project(store: Store, *, extra: str = "", assets: str = "{role: image, kind: image}") -> None:
    text = BLIND.replace("RATERS", f"2{extra}").replace("PER_SOURCE", "2").replace("ADJUDICATION", SETTLING)
    text = text.replace("{role: image, kind: image}", assets)
    make_project(store, loaded=load_text(text, "Be exact.", "blind"))


def sentence(store: Store, person: Person, stage: Stage = Stage.VERIFICATION) -> str:
    found = claim.next_task(store, person=person, project="p", stage=stage)
    assert isinstance(found, NothingLeft), found
    return found.sentence


def test_only_what_is_there_is_given_out(store: Store, media: MediaStore) -> None:
    project(store)
    ids = make_items(store, 3)
    make_predictions(store, ids, models=["m"])
    link(store, ids[:2])
    ann, ben = make_people(store, "ann", "ben")
    senior = make_person(store, "sue", role=Role.SENIOR)
    assert progress.progress(store, person=ann, project="p", stage=Stage.VERIFICATION).mine_left == 1
    there = vote(store, ann)
    assert vote(store, ben, "blue").item == there.item
    for person in (ann, ben):
        assert sentence(store, person) == claim.WAITS_FOR_MEDIA
    claimed(store, ann, Stage.GRADING)
    link(store, ids[2:])  # what comes back by itself and what is to be settled wait as well
    assert sentence(store, senior, Stage.ADJUDICATION) == claim.WAITS_FOR_MEDIA
    assert sentence(store, ben, Stage.GRADING) == claim.WAITS_FOR_MEDIA
    (row,) = [row for row in progress.dashboard(store, person=None, project="p").rows if row.dimension == "colour"]
    assert any("3 items wait without the image or clip" in why for why in row.blocked), row.blocked

    missing_media.fill(store, media)
    assert {vote(store, ann).item for _ in range(2)} == {vote(store, ben).item for _ in range(2)}
    claimed(store, senior, Stage.ADJUDICATION)
    claimed(store, ben, Stage.GRADING)


def test_what_was_given_up_waits_too(store: Store, media: MediaStore) -> None:
    store.clock = clock = Clock()
    project(store)
    ids = make_items(store, 1)
    ann, ben, cat = make_people(store, "ann", "ben", "cat")
    claimed(store, ann)
    claimed(store, ben)
    link(store, ids)  # a project of an earlier version, which gave it out
    clock.advance(hours=5)
    assert isinstance(claim.next_task(store, person=cat, project="p", stage=Stage.VERIFICATION), NothingLeft)
    assert claimed(store, ann).item, "who has it in hand keeps it"


def test_an_image_that_need_not_be_there_holds_nothing_back(store: Store) -> None:
    project(store, assets="{role: image, kind: image, min: 0}")
    link(store, make_items(store, 2))
    ann = make_person(store, "ann")
    assert progress.progress(store, person=ann, project="p", stage=Stage.VERIFICATION).mine_left == 2
    vote(store, ann)
    row = progress.dashboard(store, person=None, project="p").rows[0]
    assert not any("image or clip" in why for why in row.blocked)


def test_nobody_looks_into_what_they_will_be_asked_about(store: Store) -> None:
    project(store)
    link(store, make_items(store, 1))
    senior = make_person(store, "sue", role=Role.SENIOR)
    with pytest.raises(NotAllowed, match="blind"):
        history.history(store, person=senior, project="p", item="colour/0")


def test_a_set_to_qualify_on_has_its_images(store: Store, media: MediaStore) -> None:
    project(store, extra=f"\n    qualification: {SET}")
    ids = make_items(store, 4)
    link(store, ids[:2])
    names = [f"colour/{at}" for at in range(4)]
    made = qualify.make_set(store, by=None, project="p")
    assert set(made.items) == set(names[2:])
    with pytest.raises(NotFound, match="or its images or clips are not there yet"):
        qualify.make_set(store, by=None, project="p", names=[names[0]])
    ann = make_person(store, "ann")
    link(store, ids[2:3])  # a set of an earlier version
    with pytest.raises(Conflict, match=r"1 item of this set waits for images or clips; a lead brings them in\."):
        qualify.begin(store, person=ann, project="p")
    missing_media.fill(store, media)
    qualify.begin(store, person=ann, project="p")


def test_gold_without_its_image_is_not_asked(store: Store, media: MediaStore) -> None:
    project(store, extra=f"\n    gold: {GOLD}")
    settled = make_items(store, 2)
    for person in make_people(store, "ann", "ben"):
        for _ in settled:
            vote(store, person)
    gold.draw(store, by=None, project="p", stage=Stage.VERIFICATION, n=2)
    link(store, settled)
    make_items(store, 4)
    cat = make_person(store, "cat")
    assert progress.progress(store, person=cat, project="p", stage=Stage.VERIFICATION).mine_left == 4
    missing_media.fill(store, media)
    assert progress.progress(store, person=cat, project="p", stage=Stage.VERIFICATION).mine_left > 4
