"""The statistics of a set: of texts that are counted by hand, and of published files next to what papers print."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Any

import pytest

from annotation_schemas import shipped
from annotation_schemas.loader import load_schema, load_text
from db.engine import Store
from domain.states import Items
from extensions.data_card.set_statistics import SetStatistics, as_csv, set_statistics, statistics_of
from extensions.data_card.set_tally import tallies
from media.store import MediaStore
from reports.content import Figure
from testkit.factories import UNVERIFIED, make_items, make_project, make_schema
from tests.paths import shared
from workflow.files.import_files import import_files
from workflow.releases.set_items import Media, Member, roles_of


def told(found: SetStatistics, key: str, part: str = "All") -> dict[str, Any]:
    table = found.table(key)
    assert table is not None, key
    (row,) = [row for row in table.rows if row[0] == part]
    return dict(zip(table.columns, row, strict=True))


def of_members(*members: Member) -> SetStatistics:
    schema = make_schema().schema_
    return statistics_of(schema, *tallies(members, roles_of(schema)), title="T", which="All.")


def asked(question: str, options: list[str], answer: str, *, dimension: str = "colour", source: str = "v") -> Member:
    fields = {"question": question, "options": options, "answer": answer}
    return Member(dimension, fields, [Media("image", f"{question}.jpg", source)], {"scene": "Kitchen"})


def test_small_texts_counted_by_hand() -> None:
    found = of_members(
        asked("What's this?", ["a red cup", "blue"], "a red cup", source="v1"),
        asked("Is this a cup?", ["yes", "no"], "no", source="v1"),
        asked("Which cup is it?", ["red", "blue"], "Blue.", source="v2"),
        asked("what is it?", ["red", "blue"], "blue", dimension="shape", source="v2"),
    )
    assert told(found, "set_items") == {"Dimension": "All", "Items": 4, "Scenes": 1, "Videos": 2, "Images": 4}
    texts = told(found, "set_texts")
    # words between spaces: 2, 4, 4, 3; of answers 3, 1, 1, 1
    lengths = {name: texts[f"Question, {name}"] for name in ("mean", "median", "least", "most")}
    assert lengths == {"mean": 3.25, "median": 3.5, "least": 2, "most": 4}
    assert (texts["Answer, mean"], texts["Answer, median"]) == (1.5, 1)
    # what's, this, is, a, cup, which, it, what; pairs: what's this, is this, this a, a cup, which cup, cup is, is it,
    # what is
    assert (texts["Different words"], texts["Different word pairs"]) == (8, 8)
    assert texts["Different answers"] == 3, "Blue. and blue are one"
    assert texts["Most common answer"].value == 0.5
    assert {name: n for name, n in told(found, "set_types").items() if name != "Dimension"} == {
        "what": 2,
        "which": 1,
        "others": 1,
    }
    # "Blue." is none of the options; of the other three the first, second, second option is right, and the longest
    # (the first of several) is right, wrong ("yes"), and right ("blue")
    shortcuts = told(found, "set_shortcuts")
    assert (shortcuts["Position 1"], shortcuts["Position 2"], shortcuts["Chance"]) == (1, 2, "50.0 %")
    assert shortcuts["Longest option"].value == pytest.approx(2 / 3)
    assert told(found, "set_shortcuts", "Shape")["Longest option"].value == 1.0
    left_out = "Of the items with options, 1 has several right options or no known right option"
    assert any(note.startswith(left_out) for note in found.notes)
    assert any(note.startswith("Concepts: not counted") for note in found.notes)
    rows = list(csv.DictReader(io.StringIO(as_csv(found))))
    (line,) = [row for row in rows if (row["dimension"], row["statistic"]) == ("All", "Question, mean")]
    assert (line["value"], "Spaces separate words" in line["definition"]) == ("3.25", True)


def test_a_set_of_nothing_and_of_texts_alone() -> None:
    assert [table.key for table in of_members().tables] == []
    only = of_members(Member("colour", {}))
    assert [table.key for table in only.tables] == ["set_items"]
    assert told(only, "set_items") == {"Dimension": "All", "Items": 1}


def brought(store: Store, home: Path, schema: str, path: Path) -> SetStatistics:
    make_project(store, loaded=load_schema(shipped()[schema]))
    import_files(store, MediaStore(home / "media"), by=None, project="p", format=schema, path=path)
    return set_statistics(store, by=None, project="p", items_=Items.ALL)


@pytest.mark.slow
def test_egoplan_val_has_the_counts_of_its_paper(store: Store, home: Path) -> None:
    """Table 2 of the second version: 3,355 questions, 2,407 goals, 279 scenes. Its 2,538 action plans, 202 verbs and
    496 objects do not come out: it does not say how they were taken out of the options. 5,515 of these are different
    as they stand, 5,510 without double spaces and full stops."""
    found = brought(store, home, "egoplan", shared("data", "egoplan", "EgoPlan_validation.json"))
    size, goals, shortcuts = (told(found, f"set_{key}") for key in ("items", "goals", "shortcuts"))
    assert (size["Items"], size["Scenes"], size["Videos"]) == (3355, 279, 681)
    assert (goals["Goals"], goals["Actions"]) == (2407, 5510)
    assert goals["Questions per goal, mean"] == round(3355 / 2407, 2)
    # an audit of the same file by other code, once: 27.63 %, and by video 26.2 to 29.2
    longest = shortcuts["Longest option"]
    assert isinstance(longest, Figure)
    assert longest.value == pytest.approx(0.2763, abs=0.00005)
    assert longest.low == pytest.approx(0.262, abs=0.002)
    assert longest.high == pytest.approx(0.292, abs=0.002)
    # the letters of the keys: 839, 839, 839, 838
    assert [shortcuts[f"Position {place}"] for place in (1, 2, 3, 4)] == [839, 839, 839, 838]
    assert shortcuts["Chance"] == "25.0 %"


@pytest.mark.slow
def test_egothink_next_to_its_table_4(store: Store, home: Path) -> None:
    """Nine of the twelve dimensions are in the files. Where these have not changed since the paper, its lengths come
    out by words between spaces, and its types of questions in eight of nine."""
    found = brought(store, home, "egothink", shared("data", "egothink", "data"))
    table = found.table("set_texts")
    assert table is not None
    assert told(found, "set_items")["Items"] == 550
    assert len(table.rows) == 9 + 1
    published = {  # instances, LenQ, LenA, TypeQ of Table 4
        "Activity": (100, 4.71, 2.42, 2),
        "Forecasting": (100, 8.92, 2.31, 6),
        "Planning: Navigation": (50, 8.62, 18.44, 3),
        "Object: Attribute": (50, 10.92, 2.14, 2),
        "Object: Affordance": (50, 11.56, 1.82, 3),
        "Localization: Location": (50, 6.96, 2.10, 4),
        "Localization: Spatial relationship": (50, 9.84, 1.90, 5),
        "Reasoning: Counting": (50, 9.92, 1.64, 3),
        "Reasoning: Situated reasoning": (50, 8.10, 1.96, 5),
    }
    same_length, same_types = set(), set()
    for part, (n, question, answer, types) in published.items():
        texts = told(found, "set_texts", part)
        assert told(found, "set_items", part)["Items"] == n
        assert texts["Question, mean"] == pytest.approx(question, abs=0.15)
        assert texts["Answer, mean"] == pytest.approx(answer, abs=0.15)
        same_length |= {part} if abs(texts["Question, mean"] - question) < 0.005 else set()
        same_types |= {part} if texts["Question types"] == types else set()
    assert same_length == {"Activity", "Forecasting", "Planning: Navigation"}
    assert set(published) - same_types == {"Forecasting"}
    assert any(note.startswith("Concepts: not counted") for note in found.notes)
    # the constant answer to counting: "one" is right 23 times of 50
    assert told(found, "set_texts", "Reasoning: Counting")["Most common answer"].value == 0.46


FIELDS = "{name: question, kind: text}"
NAMED = f"""{FIELDS}
    - {{name: concept, kind: text, required: false}}
    - {{name: scene, kind: text, required: false}}
    - {{name: video_id, kind: text, required: false}}"""


def labelled(*items: tuple[dict[str, Any], dict[str, Any]]) -> SetStatistics:
    """A set whose schema has fields called `concept`, `scene` and `video_id`: of each item its fields and labels."""
    schema = load_text(UNVERIFIED.replace(f"[{FIELDS}]", f"\n    - {NAMED}"), "", "plain").schema_
    members = [Member("colour", {"question": "What?", **fields}, (), labels) for fields, labels in items]
    return statistics_of(schema, *tallies(members, roles_of(schema)), title="T", which="All.")


def test_imported_labels_count_where_fields_of_the_same_name_are_empty() -> None:
    found = labelled(
        ({}, {"concept": "cup", "scene": "kitchen", "video": "v1"}),
        ({"concept": "", "scene": None}, {"concept": "Cup", "scene": "hall", "video": "v2"}),
        ({}, {"concept": "plate", "scene": "hall", "video": "v2"}),
    )
    assert told(found, "set_items") == {"Dimension": "All", "Items": 3, "Concepts": 2, "Scenes": 2, "Videos": 2}
    assert not [note for note in found.notes if note.startswith(("Concepts", "Scenes", "Videos"))]


def test_fields_alone_and_labels_beside_them_are_named_apart() -> None:
    fields = ({"concept": "cup", "scene": "kitchen"}, {"concept": "plate", "scene": "kitchen"}, {"concept": "cup"})
    alone = labelled(*((each, {}) for each in fields))
    assert told(alone, "set_items") == {"Dimension": "All", "Items": 3, "Concepts": 2, "Scenes": 1}
    labels: tuple[dict[str, Any], ...] = ({"concept": "crockery"}, {"concept": "crockery"}, {"scene": "room 1"})
    both = labelled(*zip(fields, labels, strict=True))
    assert told(both, "set_items") == {
        "Dimension": "All",
        "Items": 3,
        "Concepts, field": 2,
        "Concepts, imported labels": 1,
        "Scenes, field": 1,
        "Scenes, imported labels": 1,
    }
    table = list(csv.DictReader(io.StringIO(as_csv(both))))
    (line,) = [row for row in table if row["statistic"] == "Concepts, imported labels"]
    assert "imported label `concept`" in line["definition"]


@pytest.mark.parametrize("name", ["concept", "scene"])
def test_labels_of_a_file_are_in_the_statistics_of_a_project_with_such_a_field(
    store: Store, home: Path, tmp_path: Path, name: str
) -> None:
    loaded = load_text(UNVERIFIED.replace(f"[{FIELDS}]", f"\n    - {NAMED}"), "", "plain")
    make_project(store, loaded=loaded)
    ids = make_items(store, 3, fields={"question": "What?"})
    file = tmp_path / "labels.csv"
    file.write_text(f"item,{name}\n" + "".join(f"colour/{at},{name} {at % 2}\n" for at in range(len(ids))))
    import_files(store, MediaStore(home / "media"), by=None, project="p", format="labels", path=file)
    column = "Concepts" if name == "concept" else "Scenes"
    assert told(set_statistics(store, by=None, project="p"), "set_items")[column] == 2
