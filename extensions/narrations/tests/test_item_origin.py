"""An item's history begins with how it came to be: the narrations and the goal, the images, its file or its author."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from annotation_schemas import shipped
from annotation_schemas.loader import load_schema
from db.engine import Store
from domain.comments import OriginStep
from domain.errors import NotAllowedError
from domain.records import Person
from domain.roles import Role
from domain.states import Stage
from extensions.narrations import video_goals
from extensions.narrations.tests.test_video_goals import ROWS, SOURCE
from media.store import MediaStore
from testkit.factories import Clock, make_person, make_project
from testkit.samples import egoplan_record, write
from workflow.files.import_files import import_files
from workflow.lead import item_history

pytestmark = pytest.mark.both_databases

MADE = {
    "made_by": "touchstone narrations",
    "goal": {"text": "wash the pan", "level": "subgoal", "where": "g.json, goal 3", "start": "1", "stop": "9"},
    "actions": [ROWS[0].id, ROWS[1].id, ROWS[2].id],
    "answer": ROWS[1].id,
    "progress": [ROWS[0].id],
    "negatives": [ROWS[2].id, "gone-7"],
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


def brought(store: Store, folder: Path, records: list[dict[str, Any]], by: Person | None) -> None:
    path = write(folder / "made.json", records)
    import_files(store, MediaStore(folder / "media"), by=by, project="p", path=path, format="egoplan")


def test_a_made_item_begins_with_its_narrations_and_goal(store: Store, tmp_path: Path) -> None:
    clock = store.clock = Clock()
    make_project(store, loaded=load_schema(shipped()["egoplan"]))
    lea, bo = (make_person(store, login, role=Role.LEAD) for login in ("lea", "bo"))
    sam = make_person(store, "sam", role=Role.SENIOR, stages=[Stage.VERIFICATION])
    narrate: dict[str, Any] = {"by": lea, "project": "p", "source": SOURCE}
    video_goals.narrate(store, narrations={"V": ROWS, "W": ROWS[:1]}, **narrate)
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
    other = [ROWS[0], *ROWS[3:]]
    video_goals.narrate(store, narrations={"V": other}, **narrate)  # what the item was made of stays what it was

    steps = origin(store, lea, "0")
    assert [(each.name, each.at, each.by) for each in steps] == [
        ("Narrations", narrated, "lea"),
        ("Goal", None, ""),
        ("Making", None, ""),
        ("Clip", came, ""),
        ("Image", came, ""),
        ("Imported", came, "bo"),
    ]
    named = [f"{row.text} ({row.id})" for row in ROWS[:3]]
    assert facts(steps[0]) == {
        "video": "V",
        "file": "n.csv",
        "the action asked for": named[1],
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

    assert facts(origin(store, lea, "1")[-1])["how it was made"] == "its record does not say"
    assert facts(origin(store, lea, "2")[0]) == {
        "drafted by": "a model",
        "<b>": '[1, {"a": null}]',
        "\ufffd": "\ufffd",
    }
    (last,) = [each for each in origin(store, lea, "3") if each.name == "Imported"]
    assert facts(last)["how it was made"].endswith("construction is nested too deep")
    assert len(facts(origin(store, lea, "4")[0])["how"]) < 1_100
    with pytest.raises(NotAllowedError):  # it names the key, and sam may still be asked
        origin(store, sam, "0")
