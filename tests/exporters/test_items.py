"""What no one touched leaves as it came; what was edited or written anew leaves in the style of its file."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from annotation_schemas import shipped
from annotation_schemas.formats import ReadFiles
from annotation_schemas.loader import load_schema
from annotation_schemas.model import Schema
from domain.records import AssetName, FileRecord, ItemRecord
from exporters.items import item_files
from importers.items import read_items
from testkit.samples import egoplan_record, egothink_record, pca_record, write
from tests.paths import shared

RECORDS: dict[str, Callable[..., dict[str, Any]]] = {
    "egothink": egothink_record,
    "egoplan": egoplan_record,
    "pca_bench": pca_record,
}


def schema(name: str) -> Schema:
    return load_schema(shipped()[name]).schema_


def read(path: Path, format: str) -> ReadFiles:
    found = read_items(
        path, format=format, schema=schema(format), dimension="activity" if format == "egothink" else None
    )
    assert found.bad == []
    return found


def edited(file: FileRecord, number: int, **fields: Any) -> FileRecord:
    """The file with other fields in one item; None takes a field away."""
    items = list(file.items)
    content = {**items[number].fields, **fields}
    content = {name: value for name, value in content.items() if value is not None}
    items[number] = replace(items[number], fields=content, touched=True)
    return replace(file, items=items)


def with_new(file: FileRecord, *items: ItemRecord) -> FileRecord:
    return replace(file, items=[*file.items, *items])


def exported(file: FileRecord, format: str, **options: Any) -> bytes:
    (data,) = item_files([file], format=format, schema=schema(format), **options).values()
    return data


# ---- real files -----------------------------------------------------------------------------------------------------

REAL = [
    ("egothink", ("egothink", "data")),
    ("egoplan", ("egoplan", "EgoPlan_validation.json")),
    ("pca_bench", ("pca_bench",)),
]


@pytest.mark.thorough
@pytest.mark.parametrize(("format", "place"), REAL)
def test_published_files_come_out_as_they_went_in(format: str, place: tuple[str, ...]) -> None:
    root = shared("data", *place)
    found = read_items(root, format=format, schema=schema(format))
    files = item_files(found.files, format=format, schema=schema(format))
    expected = (
        {"EgoPlan_validation.json"}
        if root.is_file()
        else {path.relative_to(root).as_posix() for path in root.rglob("*.json")}
    )
    assert set(files) == expected
    for path, data in files.items():
        assert data == (root if root.is_file() else root / path).read_bytes()


@pytest.mark.thorough
def test_after_an_edit_of_a_published_file_only_that_record_differs() -> None:
    path = shared("data", "egoplan", "EgoPlan_validation.json")
    found = read_items(path, format="egoplan", schema=schema("egoplan"))
    records = json.loads(path.read_bytes())
    item = found.files[0].items[1597]  # its choice_b and choice_d are the same text
    options = [*item.fields["options"][:3], "count the pasta"]
    after = exported(edited(found.files[0], 1597, options=options), "egoplan")
    records[1597]["choice_d"] = "count the pasta"
    assert after == json.dumps(records).encode()


# ---- all sorts of files ---------------------------------------------------------------------------------------------


def crlf(text: str) -> str:
    return text.replace("\n", "\r\n")


FILES: dict[str, Callable[[list[Any]], str]] = {
    "one line": lambda records: json.dumps(records),
    "compact": lambda records: json.dumps(records, separators=(",", ":")),
    "compact, unescaped": lambda records: json.dumps(records, separators=(",", ":"), ensure_ascii=False),
    "4 spaces": lambda records: json.dumps(records, indent=4),
    "2 spaces, unescaped": lambda records: json.dumps(records, indent=2, ensure_ascii=False),
    "tabs, final newline": lambda records: json.dumps(records, indent="\t") + "\n",
    "CRLF": lambda records: crlf(json.dumps(records, indent=4) + "\n"),
    "byte order mark": lambda records: "\ufeff" + json.dumps(records, indent=4),
    "one record a line": lambda records: "[\n" + ",\n".join(json.dumps(record) for record in records) + "\n]\n",
    "JSON lines": lambda records: "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records),
    "JSON lines, no final newline": lambda records: "\n".join(json.dumps(record) for record in records),
    "JSON lines, CRLF": lambda records: "".join(json.dumps(record) + "\r\n" for record in records),
}


def sample(format: str) -> list[dict[str, Any]]:
    """Records with what real files bring along: other keys, numbers of all sorts, characters beyond ASCII."""
    make = RECORDS[format]
    question = "task_goal" if format == "egoplan" else "question"
    return [
        make(0, **{question: "Où suis-je ? 在哪"}),
        make(1, extra={"a": [1.0, 1e5, None, True, []], "b": {}}),
        make(2, **{question: 'a \\ "b"\n\u2028 \U0001f600'}),
        make(3),
    ]


@pytest.mark.parametrize("style", FILES)
@pytest.mark.parametrize("format", RECORDS)
def test_every_style_survives_untouched_edited_and_grown(tmp_path: Path, format: str, style: str) -> None:
    records = sample(format)
    path = tmp_path / "file.json"
    path.write_bytes(FILES[style](records).encode())
    file = read(path, format).files[0]
    assert exported(file, format) == path.read_bytes()

    field = "task_goal" if format == "egoplan" else "question"
    records[1][field] = "Was tue ich für Ä?"
    assert exported(edited(file, 1, **{field: "Was tue ich für Ä?"}), format) == FILES[style](records).encode()

    grown, record = new_item(format)
    assert exported(with_new(edited(file, 1, **{field: "Was tue ich für Ä?"}), grown), format) == (
        FILES[style]([*records, record]).encode()
    )


def new_item(format: str) -> tuple[ItemRecord, dict[str, Any]]:
    """An item written in the browser, and the record that it should become at the end of ``sample``."""
    if format == "egothink":
        item = ItemRecord(
            "new", "activity", {"question": "Où ?", "answer": "Ici."}, [AssetName("image", "a.png", "kitchen")]
        )
        return item, {"source_dataset": "kitchen", "image_path": ["a.png"], "question": "Où ?", "answer": "Ici."}
    if format == "pca_bench":
        fields = {
            "version": "1.0",
            "question": "Où ?",
            "actions": ["x", "y"],
            "answer": "y",
            "reason": "Because.",
            "key_concepts": ["k"],
        }
        record = {"version": "1.0", "question": "Où ?", "actions": ["x", "y"], "answer_index": 1, "reason": "Because."}
        return ItemRecord("new", "domestic_robot", fields), {**record, "key_concept": ["k"], "domain": "Domestic Robot"}
    fields = {
        "task_goal": "g",
        "question": "Où ?",
        "options": ["a", "b", "c", "d"],
        "answer": "d",
        "current_observation_frame": 5,
        "task_progress_metadata": [],
    }
    record = egoplan_record(4, video_id="V9", task_goal="g", question="Où ?", current_observation_frame=5)
    letters = {
        "answer": "d",
        "choice_a": "a",
        "choice_b": "b",
        "choice_c": "c",
        "choice_d": "d",
        "golden_choice_idx": "D",
    }
    item = ItemRecord("new", "next_action", fields, [AssetName("progress", "x.webm", "V9")])
    # the authors' files name a collection there, such as EpicKitchens: no one has said which one V9 is of
    return item, {**record, **letters, "task_progress_metadata": [], "video_source": ""}


# ---- edits ----------------------------------------------------------------------------------------------------------

EDITS: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
    ("egothink", {"answer": "No."}, {"answer": "No."}),
    ("egothink", {"source_dataset": "other"}, {"source_dataset": "other"}),
    ("egothink", {"source_dataset": ""}, {"source_dataset": None}),
    ("egoplan", {"answer": "take plate"}, {"answer": "take plate", "golden_choice_idx": "A"}),
    ("egoplan", {"answer": None}, {"answer": None, "golden_choice_idx": None}),
    (
        "egoplan",
        {"options": ["take cup", "take plate", "fold napkin", "close drawer"]},
        {"choice_a": "take cup", "choice_b": "take plate", "golden_choice_idx": "A"},
    ),
    ("egoplan", {"current_observation_frame": 99}, {"current_observation_frame": 99}),
    ("egoplan", {"task_progress_metadata": []}, {"task_progress_metadata": []}),
    ("pca_bench", {"answer": "Look for a cup."}, {"answer_index": 0}),
    ("pca_bench", {"key_concepts": ["cup", "shelf"]}, {"key_concept": ["cup", "shelf"]}),
    ("pca_bench", {"actions": ["Pick up the cup."]}, {"actions": ["Pick up the cup."], "answer_index": 0}),
    ("pca_bench", {"version": "2"}, {"version": "2"}),
]


@pytest.mark.parametrize(("format", "fields", "keys"), EDITS)
def test_an_edit_reaches_the_file_s_own_keys(
    tmp_path: Path, format: str, fields: dict[str, Any], keys: dict[str, Any]
) -> None:
    records = [RECORDS[format](n) for n in range(3)]
    file = read(write(tmp_path / "file.json", records), format).files[0]
    records[1] = {key: value for key, value in {**records[1], **keys}.items() if value is not None}
    assert exported(edited(file, 1, **fields), format) == json.dumps(records, indent=4).encode()


def test_a_new_item_has_the_keys_of_the_file_it_joins(tmp_path: Path) -> None:
    records = [{"index": n, "image": f"{n}.png", **pca_record(n)} for n in range(2)]
    file = read(write(tmp_path / "file.json", records), "pca_bench").files[0]
    item, record = new_item("pca_bench")
    new = replace(item, assets=[AssetName("image", "new.png")])
    expected = [*records, {"index": 2, "image": "new.png", **record}]
    assert exported(with_new(file, new), "pca_bench") == json.dumps(expected, indent=4).encode()


def test_an_edit_that_was_taken_back_changes_nothing(tmp_path: Path) -> None:
    path = write(tmp_path / "file.json", [pca_record(0, answer_index=1.0)])
    file = read(path, "pca_bench").files[0]
    assert exported(edited(file, 0), "pca_bench") == path.read_bytes()


def test_what_a_record_spells_its_own_way_stays(tmp_path: Path) -> None:
    raw = '{ "topic":"a\\/b", "question" : "caf\\u00E9", "x":1E5,\n"image_path":["1.jpg"] , "answer":"\\uD800" }'
    path = tmp_path / "file.json"
    path.write_text(f"[{raw}]")
    file = read(path, "egothink").files[0]
    assert file.items[0].fields["question"] == "café"
    after = exported(edited(file, 0, question="Ü/"), "egothink")
    assert after.decode() == f"[{raw}]".replace('"caf\\u00E9"', '"\\u00DC\\/"')


# ---- selections -----------------------------------------------------------------------------------------------------


def test_a_selection_leaves_the_rest_as_it_was(tmp_path: Path) -> None:
    records = [egoplan_record(n) for n in range(4)]
    file = read(write(tmp_path / "val.json", records), "egoplan").files[0]
    grown = with_new(file, new_item("egoplan")[0])
    assert exported(grown, "egoplan", only={"1", "3"}) == json.dumps([records[1], records[3]], indent=4).encode()
    new = json.loads(exported(grown, "egoplan", only={"new"}))
    assert [record["sample_id"] for record in new] == [4]
    assert exported(file, "egoplan", only=set()) == b"[\n]"


def test_fields_can_be_left_out(tmp_path: Path) -> None:
    records = [egoplan_record(n) for n in range(2)]
    file = read(write(tmp_path / "val.json", records, indent=None), "egoplan").files[0]
    public = [egoplan_record(n, test=True) for n in range(2)]
    assert exported(file, "egoplan", without=["answer"]) == json.dumps(public).encode()


def test_bad_rows_that_were_left_out_leave_a_whole_file(tmp_path: Path) -> None:
    records: list[Any] = [egothink_record(0), egothink_record(1), egothink_record(2)]
    path = write(tmp_path / "Activity" / "annotations.json", ["bad", *records[:2], 3, records[2], None])
    found = read_items(path, format="egothink", schema=schema("egothink"))
    assert [bad.row for bad in found.bad] == [1, 4, 6]
    assert exported(found.files[0], "egothink") == json.dumps(records, indent=4).encode()
    path.write_bytes(json.dumps(records, indent=4).encode()[:-30])
    found = read_items(path, format="egothink", schema=schema("egothink"))
    assert exported(found.files[0], "egothink") == json.dumps(records[:2], indent=4).encode()


# ---- new projects ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("format", "indent"), [("egothink", 4), ("egoplan", None), ("pca_bench", 4)])
def test_a_project_without_files_is_written_as_the_benchmark_s_authors_did(format: str, indent: int | None) -> None:
    item, record = new_item(format)
    if format == "egoplan":
        record["sample_id"] = 0
    file = FileRecord("new.json", [item])
    assert exported(file, format) == json.dumps([record], indent=indent).encode()
    assert exported(FileRecord("new.json", []), format) == b"[]"
