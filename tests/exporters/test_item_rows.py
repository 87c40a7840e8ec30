"""Items of a release in plain files and in the files of benchmarks: they come in again, without what is private."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace
from pathlib import Path

import pytest

from annotation_schemas import shipped
from annotation_schemas.formats import FORMATS, Content
from annotation_schemas.formats.egoplan import submission
from annotation_schemas.formats.released import ReleasedItem
from annotation_schemas.formats.row import ModelAnswer
from annotation_schemas.loader import load_schema
from annotation_schemas.model import Schema
from domain.errors import InvalidFileError
from domain.reading.answers import READER_VERSION, AnswerKind, ReadOutcome
from domain.records import AnswerReading, ItemRecord, PredictionRecord
from importers.readers import reader_of
from testkit.missing_extensions import needs
from testkit.samples import ETP_COUNTS, egoplan_record, etp_boxes, etp_records, pca_record
from testkit.samples import write as write_records
from tests.exporters.releases import Folder, asset, fifth, items_of, release, write
from tests.paths import shared

HOSTILE = [
    '=HYPERLINK("http://evil")',
    "[__import__('os').system('touch pwned')]",
    "a\tb\r\n\"c\", 'd'; {question} <image>\u2028\U0001f600",
    "'=1",
    "None",
    "007",
    "</script><b>",
]


def schema_of(name: str) -> Schema:
    return load_schema(shipped()[name]).schema_


def again(folder: Folder, path: str, format: str, schema: Schema) -> list[ItemRecord]:
    """What importing a written file, or a folder of them, gives."""
    found = reader_of(FORMATS[format])(folder.root / path, format=format, schema=schema)
    assert found.bad == []
    return [item for file in found.files for item in file.items]


# ---- real files -----------------------------------------------------------------------------------------------------


@pytest.mark.thorough
def test_egoplan_s_validation_file_comes_out_byte_for_byte(tmp_path: Path) -> None:
    path, schema, folder = shared("data", "egoplan", "EgoPlan_validation.json"), schema_of("egoplan"), Folder(tmp_path)
    found = reader_of(FORMATS["egoplan"])(path, format="egoplan", schema=schema)
    items = items_of(folder, schema, found, split=lambda number: "validation", media=False)
    files = write("egoplan", release(folder, schema, items), folder)
    assert files == {"validation.json": path.read_bytes()}


@pytest.mark.thorough
@pytest.mark.parametrize(("name", "n"), [("egothink", 550), ("pca_bench", 200)])
def test_published_items_come_in_again_from_every_plain_format(tmp_path: Path, name: str, n: int) -> None:
    """Their READMEs count 550 and 200 items."""
    schema, folder = schema_of(name), Folder(tmp_path)
    root = shared("data", *(("egothink", "data") if name == "egothink" else ("pca_bench",)))
    found = reader_of(FORMATS[name])(root, format=name, schema=schema)
    items = items_of(folder, schema, found)
    assert len(items) == n
    released = release(folder, schema, items)
    for format in (name, "jsonl", "csv"):
        write(format, released, folder)
        path = f"{name}/test" if format == name else f"{format}/test.{format}"
        came = again(folder, path, format, schema)
        by_content = {(item.dimension, json.dumps(item.fields, sort_keys=True)) for item in items}
        assert {(item.dimension, json.dumps(item.fields, sort_keys=True)) for item in came} == by_content
        assert len(came) == n
        if format != "egothink":
            assert [item.external_id for item in came] == [item.id for item in items]


# ---- what is withheld -----------------------------------------------------------------------------------------------


def test_a_test_split_of_egoplan_has_neither_answer_nor_letter(tmp_path: Path) -> None:
    schema, folder = schema_of("egoplan"), Folder(tmp_path / "release")
    path = write_records(tmp_path / "plan.json", [egoplan_record(n) for n in range(4)])
    found = reader_of(FORMATS["egoplan"])(path, format="egoplan", schema=schema)
    items = items_of(folder, schema, found, split=lambda number: ("validation", "test")[number > 1])
    released = release(folder, schema, items, withheld={"test": ["answer"]})
    files = write("egoplan", released, folder)
    public, private = json.loads(files["validation.json"]), json.loads(files["test.json"])
    assert public == [egoplan_record(0), egoplan_record(1)]
    assert private == [egoplan_record(2, test=True), egoplan_record(3, test=True)]
    lines = write("jsonl", released, folder)
    assert b'"answer"' in lines["validation.jsonl"]
    assert b'"answer"' not in lines["test.jsonl"]
    tables = write("csv", released, folder)
    assert b",answer," in tables["validation.csv"].splitlines()[0]
    assert b",answer," not in tables["test.csv"].splitlines()[0]
    assert b",options," in tables["test.csv"].splitlines()[0]


@needs("readers", "predictions")
def test_answers_to_such_a_split_go_to_egoplan_s_server_and_come_back(tmp_path: Path) -> None:
    schema, folder = schema_of("egoplan_test"), Folder(tmp_path / "release")
    path = write_records(tmp_path / "plan.json", [egoplan_record(n, test=True) for n in range(3)])
    found = reader_of(FORMATS["egoplan"])(path, format="egoplan", schema=schema)
    write("egoplan", release(folder, schema, items_of(folder, schema, found)), folder)
    items = again(folder, "egoplan/test.json", "egoplan", schema)
    said = AnswerReading(
        1, "rules", READER_VERSION, 1, AnswerKind.OPTION, ReadOutcome.READ, "take cup", (1,), ((0, 8),), "", ""
    )
    chosen = [ModelAnswer(PredictionRecord("m", "take cup", item=item.external_id), said) for item in items]
    content = Content(schema, "egoplan_submission", items, options="options", answers=chosen)
    out = tmp_path / "submission.json"
    out.write_bytes(submission(content)["submission.json"])
    assert json.loads(out.read_bytes()) == [{"sample_id": n, "label": "B"} for n in range(3)]
    back = reader_of(FORMATS["egoplan_submission"])(out, schema=schema, model="m")
    assert [(row.item, row.text) for row, _ in back.rows] == [(str(n), "B") for n in range(3)]


# ---- a fifth benchmark ----------------------------------------------------------------------------------------------


def fifth_items(folder: Folder) -> list[ReleasedItem]:
    """An item of each sort, and texts that are meant to do harm."""
    plain = {"question": "What has changed?", "options": ["cup", "pan", "pot"], "answer": ["cup", "pot"]}
    every = {
        **plain,
        "distance": "0.10",
        "level": 3,
        "notes": "Two of them.\nBelow each other.",
        "where": [{"x": 0.1, "y": 0.2, "w": 0.25, "h": 0.5}],
    }
    hostile = [
        {**plain, "question": text, "options": [text, "=1", "-1"], "answer": [text, "-1"], "notes": text}
        for text in HOSTILE
    ]
    made = []
    for number, fields in enumerate([plain, every, *hostile]):
        name = f"c{number}"
        assets = [asset(folder, "before", f"{name}b"), asset(folder, "after", f"{name}a")]
        assets += [asset(folder, "reference", f"{name}r{at}") for at in range(number % 4)]
        made.append(ReleasedItem(name, ("added", "moved")[number % 2], "test", fields, assets, f"g{number // 2}"))
    return made


@pytest.mark.parametrize("format", ["jsonl", "csv"])
def test_items_of_a_fifth_benchmark_come_in_again_whatever_is_in_them(tmp_path: Path, format: str) -> None:
    schema, folder = fifth(), Folder(tmp_path)
    items = fifth_items(folder)
    write(format, release(folder, schema, items), folder)
    came = again(folder, f"{format}/test.{format}", format, schema)
    assert [(item.external_id, item.dimension, item.fields) for item in came] == [
        (item.id, item.dimension, dict(item.fields)) for item in items
    ]
    for item, back in zip(items, came, strict=True):
        assert [(each.role, each.path) for each in back.assets] == [(each.role, each.path) for each in item.assets]
        assert all((folder.root / each.path).is_file() for each in back.assets)


def test_no_cell_of_a_release_is_a_formula(tmp_path: Path) -> None:
    schema, folder = fifth(), Folder(tmp_path)
    data = write("csv", release(folder, schema, fifth_items(folder)), folder)["test.csv"].decode()
    for row in csv.reader(io.StringIO(data, newline="")):
        assert not any(cell[:1] in ("=", "+", "-", "@", "\t", "\r", "\n") for cell in row)
    assert "'=HYPERLINK" in data


def test_keys_are_those_that_the_schema_gives(tmp_path: Path) -> None:
    source = "source: {format: jsonl, id: Nr, fields: {question: Frage, dimension: Teil}}\n"
    schema = fifth(**{"dimensions:\n": f"{source}dimensions:\n"})
    folder = Folder(tmp_path)
    items = fifth_items(folder)[:1]
    (line,) = write("jsonl", release(folder, schema, items), folder)["test.jsonl"].decode().splitlines()
    assert list(json.loads(line)) == ["Nr", "Teil", "before", "after", "Frage", "options", "answer"]
    assert again(folder, "jsonl/test.jsonl", "jsonl", schema)[0].fields == items[0].fields


def test_etp_bench_s_own_layout_holds_every_form(tmp_path: Path) -> None:
    """One item of each aspect, and one that is answered with boxes: as they were made up, but for names of media."""
    schema, folder = schema_of("etp_bench"), Folder(tmp_path / "release")
    records = [*etp_records(dict.fromkeys(ETP_COUNTS, 1)), etp_boxes(7)]
    path = write_records(tmp_path / "etp.json", records)
    found = reader_of(FORMATS["etp_bench"])(path, format="etp_bench", schema=schema)
    written = json.loads(
        write("etp_bench", release(folder, schema, items_of(folder, schema, found)), folder)["test.json"]
    )
    named = [{**record, "images": len(record["images"])} for record in written]
    expected = [{**record, "images": len(record["images"])} for record in records]
    assert named == expected
    assert again(folder, "etp_bench/test.json", "etp_bench", schema)[-1].fields == found.files[0].items[-1].fields


def test_pca_bench_action_is_written_as_its_authors_do(tmp_path: Path) -> None:
    schema, folder = schema_of("pca_bench_action"), Folder(tmp_path / "release")
    records = [pca_record(n) for n in range(3)]
    path = write_records(tmp_path / "pca.json", records)
    found = reader_of(FORMATS["pca_bench"])(path, format="pca_bench", schema=schema)
    items = items_of(folder, schema, found)
    released = release(folder, schema, items, withheld={"test": ["answer", "reason", "key_concepts"]})
    (written,) = [json.loads(data) for data in write("pca_bench", released, folder).values()]
    private = {"answer_index", "reason", "key_concept"}
    assert [{key: each for key, each in record.items() if key not in ("image", "index")} for record in written] == [
        {key: each for key, each in record.items() if key not in private} for record in records
    ]
    assert [record["index"] for record in written] == [0, 1, 2]
    assert [record["image"] for record in written] == [item.assets[0].path for item in items]


# ---- what does not go ------------------------------------------------------------------------------------------------


def test_a_release_without_items_has_files_without_items(tmp_path: Path) -> None:
    schema, folder = fifth(), Folder(tmp_path)
    released = release(folder, schema, [], splits=["test"])
    assert write("jsonl", released, folder) == {"test.jsonl": b""}
    assert write("csv", released, folder)["test.csv"].count(b"\n") == 1
    assert write("etp_bench", release(folder, schema_of("etp_bench"), [], splits=["test"]), folder) == {
        "test.json": b"[]"
    }


def test_an_id_twice_and_a_split_that_lacks_items_are_refused(tmp_path: Path) -> None:
    schema, folder = fifth(), Folder(tmp_path)
    items = fifth_items(folder)[:2]
    with pytest.raises(InvalidFileError, match=r"'c0'.*another item has the same"):
        write("jsonl", release(folder, schema, [items[0], items[0]]), folder)
    released = release(Folder(tmp_path / "b"), schema, items)
    short = replace(released, splits=[replace(released.splits[0], items=3)])
    with pytest.raises(InvalidFileError, match="'test' has 2 items instead of 3"):
        write("csv", short, Folder(tmp_path / "b"))
