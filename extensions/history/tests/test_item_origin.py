"""An item's history begins with how it came to be: the narrations and the goal, the images, its file or its author."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from annotation_schemas import shipped
from annotation_schemas.loader import load_schema
from db import events
from db.engine import Store
from domain.errors import NotAllowedError
from domain.records import Person
from domain.roles import Role
from domain.states import Stage
from extensions.history import item_history
from extensions.history.records import OriginStep
from media.store import MediaStore
from testkit.factories import Clock, make_person, make_project
from testkit.samples import egoplan_record, write
from workflow.access.event_log import log
from workflow.access.projects import access_to
from workflow.files.import_files import import_files

pytestmark = pytest.mark.both_databases

IDS = [f"V-{k}" for k in range(1, 13)]
WORDS = {id: f"do {k}" for k, id in enumerate(IDS, 1)}
MADE = {
    "made_by": "touchstone narrations",
    "goal": {"text": "wash the pan", "level": "subgoal", "where": "g.json, goal 3", "start": "1", "stop": "9"},
    "actions": IDS[:3],
    "answer": IDS[1],
    "progress": [IDS[0]],
    "negatives": [IDS[2], "gone-7"],
    "rule": {"observation": "gap", "gap": "0.5"},
    "observation": "3.5",
    "action": {"start": "4", "frame": 240},
    "rate": "60000/1001",
    "seed": 7,
}


def origin(store: Store, person: Person, item: str) -> list[OriginStep]:
    return list(item_history.history(store, person=person, project="p", item=item).origin)


def facts(step: OriginStep) -> dict[str, str]:
    return dict(step.facts)


def narrate(store: Store, by: Person, video: str, ids: list[str]) -> None:
    """Log narrations of a video, as the extension of narrations does."""
    with store.write() as session:
        access = access_to(session, person=by, project="p")
        data = {"video": video, "file": "n.csv", "narrations": [{"id": id, "text": WORDS[id]} for id in ids]}
        log(session, events.NARRATED, by=by, project=access, now=store.now(), data=data)


def brought(store: Store, folder: Path, records: list[dict[str, Any]], by: Person | None) -> None:
    path = write(folder / "made.json", records)
    import_files(store, MediaStore(folder / "media"), by=by, project="p", path=path, format="egoplan")


def test_a_made_item_begins_with_its_narrations_and_goal(store: Store, tmp_path: Path) -> None:
    clock = store.clock = Clock()
    make_project(store, loaded=load_schema(shipped()["egoplan"]))
    lea, bo = (make_person(store, login, role=Role.LEAD) for login in ("lea", "bo"))
    sam = make_person(store, "sam", role=Role.SENIOR, stages=[Stage.VERIFICATION])
    narrate(store, lea, "V", IDS)
    narrate(store, lea, "W", IDS[:1])
    narrated = store.now()
    clock.advance(minutes=5)
    deep: Any = "x"
    for _ in range(200):
        deep = [deep]
    plain, odd, broken, long = (egoplan_record(n, video_id=f"P{n}") for n in range(1, 5))
    odd["construction"] = {"drafted_by": "a model", "<b>": [1, {"a": None}], "\ud800": "\ud800"}
    broken["construction"] = {"goal": deep}
    long["construction"] = "by hand, " * 1_000
    brought(store, tmp_path, [egoplan_record(0, video_id="V", construction=MADE), plain, odd, broken, long], bo)
    came = store.now()
    clock.advance(minutes=5)
    narrate(store, lea, "V", [IDS[0], *IDS[3:]])  # what the item was made of stays what it was

    steps = origin(store, lea, "0")
    assert [(each.name, each.at, each.by) for each in steps] == [
        ("Narrations", narrated, "lea"),
        ("Goal", None, ""),
        ("Making", None, ""),
        ("Clip", came, ""),
        ("Image", came, ""),
        ("Imported", came, "bo"),
    ]
    named = [f"{WORDS[id]} ({id})" for id in IDS[:3]]
    assert facts(steps[0]) == {
        "video": "V",
        "file": "n.csv",
        "the asked action": named[1],
        "done before it": named[0],
        "wrong options": f"{named[2]}; gone-7",
        "all actions of the goal": "; ".join(named),
    }
    assert facts(steps[1]) == {
        "goal": "wash the pan",
        "level": "subgoal",
        "where it stood": "g.json, goal 3",
        "start": "1",
        "stop": "9",
    }
    assert facts(steps[2]) == {
        "made by": "touchstone narrations",
        "rule": "observation: gap, gap: 0.5",
        "observation": "3.5",
        "action": "start: 4, frame: 240",
        "rate": "60000/1001",
        "seed": "7",
    }
    assert facts(steps[3])["source"] == "V"
    assert facts(steps[3])["file"] == "not imported yet"
    assert facts(steps[5]) == {"file": "made.json", "row": "1", "format": "egoplan", "id": "0"}

    assert facts(origin(store, lea, "1")[-1])["how the item was made"] == "not recorded"
    assert facts(origin(store, lea, "2")[0]) == {
        "drafted by": "a model",
        "<b>": '[1, {"a": null}]',
        "\ufffd": "\ufffd",
    }
    (last,) = [each for each in origin(store, lea, "3") if each.name == "Imported"]
    assert facts(last)["how the item was made"].endswith("construction is nested too deeply")
    assert len(facts(origin(store, lea, "4")[0])["how"]) < 1_100
    with pytest.raises(NotAllowedError):  # it names the key, and sam may still be asked
        origin(store, sam, "0")
