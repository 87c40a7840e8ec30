"""PROV-JSON of items: what they are from, and who did what to them; nothing of what was said."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from annotation_schemas.formats.released import ReleasedItem, ReleasedStep
from tests.exporters.releases import Folder, asset, fifth, release, write

STEPS = (
    ReleasedStep("authoring", "p-1", "2026-11-01T10:00:00+00:00", 1, makes=True),
    ReleasedStep("verification", "p-2", "2026-11-02T10:00:00+00:00", 1),
    ReleasedStep("verification", "p-3", None, 1),
    ReleasedStep("adjudication", "p-4", "2026-11-03T10:00:00+00:00", 2, makes=True),
    ReleasedStep("verification", "judge one", "2026-11-04T10:00:00+00:00", 2, person=False),
)


def documents(folder: Folder, **part: Any) -> list[dict[str, Any]]:
    fields = {"question": "What?", "options": ["a", "b"], "answer": ["b"]}
    assets = [
        asset(folder, "before", "x", source="kitchen 1"),
        asset(folder, "after", "y", source="kitchen 1"),
        asset(folder, "reference", "y"),
    ]
    items = [ReleasedItem("c/1 ü", "added", "test", fields, assets)]
    data = write("prov", release(folder, fifth(), items, **part), folder)["test.jsonl"]
    return [json.loads(line) for line in data.decode().splitlines()]


def test_an_item_is_derived_from_its_media_and_they_from_their_source(tmp_path: Path) -> None:
    (found,) = documents(Folder(tmp_path))
    item = "item:c%2F1%20%C3%BC.r1"
    assert set(found) == {"prefix", "entity", "wasDerivedFrom"}
    assert len(found["entity"]) == 1 + 2 + 1, "the item, two files (one of them in two places), one source"
    pairs = {(each["prov:generatedEntity"], each["prov:usedEntity"]) for each in found["wasDerivedFrom"].values()}
    media = sorted(name for name in found["entity"] if name.startswith("media:"))
    assert pairs == {(item, name) for name in media} | {(name, "source:kitchen%201") for name in media}


def test_steps_are_activities_of_people_by_pseudonym(tmp_path: Path) -> None:
    (found,) = documents(Folder(tmp_path), provenance=lambda item: STEPS)
    first, second = (f"item:c%2F1%20%C3%BC.r{number}" for number in (1, 2))
    assert found["entity"][second]["item:split"] == "test"
    assert [each["prov:type"] for each in found["activity"].values()] == [step.stage for step in STEPS]
    assert set(found["agent"]) == {"agent:p-1", "agent:p-2", "agent:p-3", "agent:p-4", "agent:judge%20one"}
    assert found["agent"]["agent:judge%20one"]["prov:type"]["$"] == "prov:SoftwareAgent"
    made = {each["prov:entity"]: each["prov:activity"][-1] for each in found["wasGeneratedBy"].values()}
    assert made == {first: "0", second: "3"}
    assert {each["prov:entity"]: each["prov:agent"] for each in found["wasAttributedTo"].values()} == {
        first: "agent:p-1",
        second: "agent:p-4",
    }
    assert sorted(each["prov:activity"][-1] for each in found["used"].values()) == ["1", "2", "4"]
    assert len(found["wasAssociatedWith"]) == 5
    revised = [each for each in found["wasDerivedFrom"].values() if "prov:type" in each]
    assert [(each["prov:generatedEntity"], each["prov:usedEntity"]) for each in revised] == [(second, first)]
    names = {*found["prefix"], "prov"}
    said = {key.partition(":")[0] for each in found["entity"].values() for key in each}
    assert said <= names, "every name has its prefix"


def test_nothing_of_the_item_s_words_is_told(tmp_path: Path) -> None:
    (found,) = documents(Folder(tmp_path), provenance=lambda item: STEPS, withheld={"test": ["answer"]})
    assert "What?" not in json.dumps(found)
