"""Tables and JSON of any benchmark: rows become items by the schema's names, and come out as they came."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from openpyxl import Workbook

from annotation_schemas.formats import ColumnMapping
from annotation_schemas.loader import load_text
from annotation_schemas.model import Schema
from domain.errors import InvalidFileError
from domain.records import AssetName, FileRecord, ItemRecord
from exporters import item_tables as tables_out
from exporters import items as json_out
from importers.item_tables import read_items as read_table
from importers.items import read_items as read_json
from testkit.missing_extensions import needs

ROOMS = """
name: rooms
version: 1
title: Rooms
SOURCE
dimensions:
  - {id: add, title: Added, definition: "Something is new."}
  - {id: gone, title: Gone, definition: "Something is missing.", named: taken}
item:
  assets:
    - {role: before, kind: image}
    - {role: after, kind: image}
    - {role: reference, kind: image, min: 0, max: 3}
    - {role: walk, kind: clip, min: 0}
  fields:
    - {name: question, kind: text}
    - {name: options, kind: text_list, required: false}
    - {name: answer, kind: option_of, field: options, required: false}
    - {name: level, kind: integer, required: false}
    - {name: indoors, kind: choice, required: false,
       options: [{value: true, label: "Yes"}, {value: false, label: "No"}, {value: 2, label: "Both"}]}
    - {name: boxes, kind: boxes, options: [cup], required: false}
    - {name: extra, kind: json, required: false}
stages: {authoring: {}}
export: {public_without: [answer]}
"""


def schema(source: str = "") -> Schema:
    return load_text(ROOMS.replace("SOURCE", source), "Be exact.", "rooms").schema_


def write(path: Path, text: str, encoding: str = "utf-8") -> Path:
    path.write_bytes(text.encode(encoding))
    return path


def one(path: Path, told: Schema, **how: Any) -> FileRecord:
    read = read_table(path, format="csv", schema=told, **how)
    assert [bad.reason for bad in read.bad] == []
    return read.files[0]


def out(file: FileRecord, told: Schema, **how: Any) -> bytes:
    from annotation_schemas.formats import Content

    (data,) = tables_out.written(Content(told, "csv", files=[file], **how)).values()
    return data


HEAD = "id,dimension,question,before,after"


def test_columns_are_fields_roles_id_and_dimension(tmp_path: Path) -> None:
    text = (
        "\ufeffid;dimension;question;option_1;option_2;option_3;answer;before;after;reference_1;reference_2;walk;"
        "level;indoors;boxes;extra;from\r\n"
        'a 1;add;"What, ""new""; here?";Hat;Cup;;Hat;a.png;b.png;r.png;s.png;w.mp4;3;TRUE;'
        '"[{""label"":""cup"",""x"":0.1,""y"":0.2,""w"":0.3,""h"":0.4}]";007;x\r\n'
        "a 2;Taken;'=Two;;;;;a.png;c.png;;;;;2;;1e5;y\r\n"
    )
    path = write(tmp_path / "rooms.csv", text)
    read = read_table(path, format="csv", schema=schema())
    assert (read.bad, read.single) == ([], True)
    assert read.note == (
        "rooms.csv: the cells are separated by semicolons. Unused column: 'from' (the values are kept for exports)."
    )
    first, second = read.files[0].items
    assert (first.external_id, first.dimension) == ("a 1", "add")
    assert first.fields == {
        "question": 'What, "new"; here?',
        "options": ["Hat", "Cup"],
        "answer": "Hat",
        "level": 3,
        "indoors": True,
        "boxes": [{"label": "cup", "x": 0.1, "y": 0.2, "w": 0.3, "h": 0.4}],
        "extra": "007",  # no number in JSON
    }
    assert first.assets == [
        AssetName("before", "a.png"),
        AssetName("after", "b.png"),
        AssetName("reference", "r.png"),
        AssetName("reference", "s.png"),
        AssetName("walk", "w.mp4"),
    ]
    assert (second.dimension, second.fields) == ("gone", {"question": "=Two", "indoors": 2, "extra": 1e5})
    assert [asset.role for asset in second.assets] == ["before", "after"]
    assert out(read.files[0], schema()) == path.read_bytes()


def test_names_are_mapped_by_the_schema_or_as_the_file_comes_in(tmp_path: Path) -> None:
    path = write(tmp_path / "t.csv", "Nr,Bereich,Frage,Wahl,vorher,after\n7,add,Was?,Hut/Tasse,a.png,b.png\n")
    mapped = "{format: csv, id: Nr, fields: {question: Frage, dimension: Bereich, options: Wahl, before: vorher}, "
    by_schema = one(path, schema(f"source: {mapped}separator: /}}"))
    names = {"id": "Nr", "question": "Frage", "dimension": "Bereich", "options": "Wahl", "before": "vorher"}
    said = one(path, schema(), said=ColumnMapping(names, "/"))
    assert said.items == by_schema.items
    (item,) = said.items
    assert (item.external_id, item.fields) == ("7", {"question": "Was?", "options": ["Hut", "Tasse"]})
    assert item.assets == [AssetName("before", "a.png"), AssetName("after", "b.png")]
    edited = replace(item, touched=True, fields={**item.fields, "options": ["Hut", "Tasse", "Uhr"], "question": "Wo?"})
    after = b"Nr,Bereich,Frage,Wahl,vorher,after\n7,add,Wo?,Hut/ Tasse/ Uhr,a.png,b.png\n"
    assert out(replace(said, items=[edited]), schema()) == after, "its export knows what was said at its import"
    with pytest.raises(InvalidFileError, match="`quesion` is not a field or asset; did you mean `question`"):
        read_table(path, format="csv", schema=schema(), said=ColumnMapping({"quesion": "Frage"}))
    with pytest.raises(InvalidFileError, match="Two fields use the column 'Frage'"):
        read_table(path, format="csv", schema=schema(), said=ColumnMapping({"question": "Frage", "answer": "Frage"}))
    with pytest.raises(
        InvalidFileError, match=r"t\.csv has no column 'frage' \(question\) \(is it 'Frage'\?\)\. The columns are"
    ):
        read_table(path, format="csv", schema=schema(), said=ColumnMapping({"question": "frage"}))
    with pytest.raises(
        InvalidFileError, match=r"t\.csv has no column 'question', 'Fach' \(level\)\. The columns are 'Nr'"
    ):
        read_table(path, format="csv", schema=schema(), said=ColumnMapping({"level": "Fach"}))


@pytest.mark.parametrize(
    ("cell", "found"),
    [
        ('"[""a"", ""b, c""]"', ["a", "b, c"]),
        ('"[\'a\', ""b\'s""]"', ["a", "b's"]),  # as pandas writes a list
        ("a|b", ["a", "b"]),
        ("a", ["a"]),
    ],
)
def test_a_list_in_one_cell(tmp_path: Path, cell: str, found: list[str]) -> None:
    path = write(tmp_path / "t.csv", f"{HEAD},options,reference\n1,add,Q,a.png,b.png,{cell},{cell}\n")
    (item,) = one(path, schema(), said=ColumnMapping({}, "|")).items
    assert item.fields["options"] == found
    assert [asset.path for asset in item.assets if asset.role == "reference"] == found


def test_an_option_may_be_given_by_its_place_and_goes_out_by_it(tmp_path: Path) -> None:
    """A text of an option that looks like a place is its text, unless the place is what was said."""
    options = '"[""red"", ""B"", ""blue""]"'
    ways = {"letter": ("c", "C"), "from_1": ("3", "3"), "from_0": ("2.0", "2")}
    for way, (told, written) in ways.items():
        rows = [f"1,add,Q,{options},{told},a,b", f"2,add,Q,{options},,a,b"]
        path = write(
            tmp_path / f"{way}.csv", "\n".join(["id,dimension,question,options,answer,before,after", *rows, ""])
        )
        by_schema = one(path, schema(f"source: {{format: csv, places: {{answer: {way}}}}}"))
        said = one(path, schema(), said=ColumnMapping(places={"answer": way}))  # type: ignore[dict-item]
        assert said.items == by_schema.items
        assert [item.fields.get("answer") for item in said.items] == ["blue", None]
        assert out(said, schema()) == path.read_bytes()
        other, same = (
            replace(said.items[0], touched=True, fields=said.items[0].fields | {"answer": each})
            for each in ("B", "blue")
        )
        for item, expected in ((other, {"letter": "B", "from_1": "2", "from_0": "1"}[way]), (same, told)):
            lines = out(replace(said, items=[item, said.items[1]]), schema()).decode().splitlines()
            assert lines[1] == rows[0].replace(f",{told},", f",{expected},")
        as_json = write(
            tmp_path / f"{way}.jsonl",
            json.dumps(
                {
                    "id": "1",
                    "dimension": "add",
                    "question": "Q",
                    "options": ["red", "B", "blue"],
                    "before": "a",
                    "after": "b",
                    "answer": written if way == "letter" else int(written),
                }
            ),
        )
        (item,) = (
            read_json(as_json, format="jsonl", schema=schema(), said=ColumnMapping(places={"answer": way}))
            .files[0]
            .items
        )  # type: ignore[dict-item]
        assert item.fields["answer"] == "blue"


def test_none_of_these_has_no_place_and_stands_by_its_value_among_places(tmp_path: Path) -> None:
    """An answer that is edited to it leaves no empty cell."""
    shown = schema()
    (key,) = (each for each in shown.item.fields if each.name == "answer")
    fields = [each.model_copy(update={"none": "None of them"}) if each is key else each for each in shown.item.fields]
    asked = shown.model_copy(update={"item": shown.item.model_copy(update={"fields": fields})})
    head = "id,dimension,question,options,answer,before,after"
    rows = [f'{n},add,Q,"[""red"", ""blue""]",{told},a,b' for n, told in (("1", "B"), ("2", "none_of_these"))]
    path = write(tmp_path / "items.csv", "\n".join([head, *rows, ""]))
    said = one(path, asked, said=ColumnMapping(places={"answer": "letter"}))
    assert [item.fields["answer"] for item in said.items] == ["blue", "none_of_these"]
    assert out(said, asked) == path.read_bytes()
    turned = [
        replace(item, touched=True, fields=item.fields | {"answer": answer})
        for item, answer in zip(said.items, ("none_of_these", "red"), strict=True)
    ]
    cells = [line.split(",")[-3] for line in out(replace(said, items=turned), asked).decode().splitlines()[1:]]
    assert cells == ["none_of_these", "A"]


@pytest.mark.parametrize(
    ("options", "told", "said", "reason"),
    [
        ('["x", "y"]', "B", {}, "if B is the position of the option, add --set option_places.answer=letter"),
        (
            '["x", "y"]',
            "1",
            {},
            "if 1 is the position of the option, add --set option_places.answer=from_1 (or from_0)",
        ),
        ('["x", "y"]', "2", {}, "if 2 is the position of the option, add --set option_places.answer=from_1"),
        ('["x", "y"]', "D", {"answer": "letter"}, "answer must be one of A, B, not 'D'"),
        ('["x", "y"]', "2", {"answer": "from_0"}, "answer must be a number from 0 to 1, not '2'"),
        ('["x", "y"]', "0", {"answer": "from_1"}, "answer must be a number from 1 to 2, not '0'"),
        ('["x", "y"]', "x", {"answer": "from_1"}, "answer is 'x', not a whole number"),
    ],
)
def test_what_is_no_place_of_an_option_is_refused(
    tmp_path: Path, options: str, told: str, said: dict[str, Any], reason: str
) -> None:
    cells = options.replace('"', '""')
    path = write(
        tmp_path / "t.csv", f'id,dimension,question,options,answer,before,after\n1,add,Q,"{cells}",{told},a,b\n'
    )
    (bad,) = read_table(path, format="csv", schema=schema(), said=ColumnMapping(places=said)).bad
    assert reason in bad.reason


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ("1,add,Q,,,,,b", "the item has no before"),
        ("1,other,Q,,,,a,b", "dimension is 'other'; use one of add, taken"),
        (",add,Q,,,,a,b", "id is empty"),
        ("1,add,,,,,a,b", "question is missing"),
        ('1,add,Q,"[1]",,,a,b', "options has an entry that is not text"),
        (
            "1,add,Q,a or b,,,a,b",
            "options is not a list. Write a JSON list, name the separator with --set separator=TEXT",
        ),
        ('1,add,Q,"[""a""]",b,,a,b', "Answer: choose one of the entries of options"),
        ('1,add,Q,,,"3,5",a,b', "level is '3,5', not a whole number; write digits only"),
        ("1,add,Q,,,x", "the row has 6 cells, but the header has 8"),
        ("0,add,Q,,,,a,b", "id 0 is also in row 1"),
    ],
)
def test_a_row_that_does_not_fit_is_named_with_its_line(tmp_path: Path, row: str, reason: str) -> None:
    head = "id,dimension,question,options,answer,level,before,after"
    path = write(tmp_path / "t.csv", f'{head}\n0,add,"Two\nlines",,,,a,b\n{row}\n9,gone,Q,,,,a,b\n')
    read = read_table(path, format="csv", schema=schema())
    (bad,) = read.bad
    assert bad.reason.startswith(reason)
    assert (bad.row, bad.reason[-9:], bad.raw) == (2, " (line 4)", row)
    assert [item.external_id for item in read.files[0].items] == ["0", "9"]


@pytest.mark.parametrize(
    ("encoding", "data"),
    [
        ("cp1252", f"{HEAD}\r\n1,add,Größe?,a,b\r\n".encode("cp1252")),
        ("utf-16", f"\ufeff{HEAD}\n1,add,Größe?,a,b\n".encode("utf-16-le")),
        ("utf-16", f"\ufeff{HEAD}\n1,add,Größe?,a,b\n".encode("utf-16-be")),
    ],
)
def test_another_encoding_is_refused_or_taken_when_it_is_said(tmp_path: Path, encoding: str, data: bytes) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(data)
    with pytest.raises(InvalidFileError, match=f"--set encoding={encoding}"):
        read_table(path, format="csv", schema=schema())
    file = one(path, schema(), said=ColumnMapping(encoding=encoding))
    assert file.items[0].fields == {"question": "Größe?"}
    assert out(file, schema()) == data
    odd = replace(file, items=[replace(file.items[0], touched=True, fields={"question": "→"})])
    if encoding == "cp1252":
        with pytest.raises(InvalidFileError, match=r"t\.csv uses cp1252, which cannot encode '→'"):
            out(odd, schema())
    with pytest.raises(InvalidFileError, match="There is no encoding 'latin-99'"):
        read_table(path, format="csv", schema=schema(), said=ColumnMapping(encoding="latin-99"))


def test_edited_rows_change_only_their_cells_and_new_ones_join_in_the_style_of_the_file(tmp_path: Path) -> None:
    rows = [[f"i{n}", "add", f"Question {n}?", "Hat", "Cup", "Hat", "a.png", "b.png", f"n{n}"] for n in range(4)]
    text = io.StringIO(newline="")
    writer = csv.writer(text, quoting=csv.QUOTE_ALL)
    writer.writerows([["id", "dimension", "question", "option_1", "option_2", "answer", "before", "after", "n"], *rows])
    file = one(write(tmp_path / "t.csv", text.getvalue()), schema())
    edited = replace(file.items[2], touched=True, fields={**file.items[2].fields, "answer": "Cup"})
    longer = replace(
        file.items[3], touched=True, fields={"question": "-So?", "options": ["Hat", "Cup", 'A "b"'], "answer": "Hat"}
    )
    images = [AssetName("before", "x.png"), AssetName("after", "y.png")]
    new = ItemRecord("gone/1", "gone", {"question": "New?", "options": ["u", "v"], "answer": "v"}, images)
    lines = text.getvalue().splitlines(keepends=True)
    data = out(replace(file, items=[*file.items[:2], edited, file.items[3], new]), schema()).decode()
    lines[3] = lines[3].replace('"Hat","a.png"', '"Cup","a.png"')
    assert data == "".join([*lines[:5], '"gone/1","taken","New?","u","v","v","x.png","y.png",""\r\n'])
    data = out(replace(file, items=[*file.items[:3], longer]), schema()).decode()
    found = list(csv.DictReader(io.StringIO(data, newline="")))
    assert [row["option_3"] for row in found] == ["", "", "", 'A "b"']
    assert (found[3]["question"], found[3]["n"]) == ("'-So?", "n3")
    public = out(file, schema(), without=["answer"], only=frozenset({"i1", "i3"})).decode()
    found = list(csv.DictReader(io.StringIO(public, newline="")))
    assert ([row["id"] for row in found], "answer" in found[0]) == (["i1", "i3"], False)


def test_what_is_in_already_goes_out_though_the_schema_requires_more_by_now(tmp_path: Path) -> None:
    file = one(write(tmp_path / "t.csv", f"{HEAD}\n1,add,Q,a.png,b.png\n"), schema())
    optional = "{name: level, kind: integer, required: false}"
    assert optional in ROOMS
    now = load_text(ROOMS.replace("SOURCE", "").replace(optional, "{name: level, kind: integer}"), "Be exact.", "rooms")
    edited = replace(file, items=[replace(file.items[0], touched=True, fields={"question": "R"})])
    assert out(edited, now.schema_).decode() == f"{HEAD}\n1,add,R,a.png,b.png\n"
    with pytest.raises(InvalidFileError, match="has no column 'level'"):
        read_table(tmp_path / "t.csv", format="csv", schema=now.schema_)


def test_a_file_of_its_own_holds_items_of_no_file_and_is_read_again(tmp_path: Path) -> None:
    images = [AssetName("before", "x.png"), AssetName("after", "y.png"), AssetName("reference", "1.png")]
    fields = {"question": "=New?", "options": ["u", "v"], "answer": "v", "indoors": False, "extra": "12", "level": 2}
    items = [
        ItemRecord("gone/1", "gone", fields, [*images, AssetName("reference", "2.png")]),
        ItemRecord("add/2", "add", {"question": "Q"}, images),
    ]
    data = out(FileRecord("items.csv", items), schema())
    (tmp_path / "t.csv").write_bytes(data)
    again = one(tmp_path / "t.csv", schema()).items
    assert [(each.external_id, each.dimension, dict(each.fields), list(each.assets)) for each in again] == [
        (each.external_id, each.dimension, dict(each.fields), list(each.assets)) for each in items
    ]
    (lines,) = json_out.item_files([FileRecord("items.jsonl", items)], format="jsonl", schema=schema()).values()
    (tmp_path / "t.jsonl").write_bytes(lines)
    read = read_json(tmp_path / "t.jsonl", format="jsonl", schema=schema()).files[0].items
    assert [(each.external_id, each.dimension, dict(each.fields), list(each.assets)) for each in read] == [
        (each.external_id, each.dimension, dict(each.fields), list(each.assets)) for each in items
    ]
    assert [json.loads(line)["dimension"] for line in lines.decode().splitlines()] == ["taken", "add"]


def test_json_of_any_benchmark(tmp_path: Path) -> None:
    text = (
        '{"nr": 7, "Q": "Wo?", "options": ["a", "b"], "before": "a.png", "after": ["b.png"], "x": 1}\n'
        '{"nr": 8, "Q": "Was?", "before": "a.png", "reference": ["1.png", "2.png"]}\n'
        '{"nr": 9, "before": "a.png", "after": "b.png"}\n'
    )
    said = ColumnMapping({"id": "nr", "question": "Q"})
    path = write(tmp_path / "gone.jsonl", text)
    read = read_json(path, format="jsonl", schema=schema(), said=said)
    first, second = read.files[0].items
    assert (first.external_id, first.dimension) == ("7", "gone"), "the file's name is a dimension's"
    assert first.assets == [AssetName("before", "a.png"), AssetName("after", "b.png")]
    assert [(each.role, each.path) for each in second.assets] == [
        ("before", "a.png"),
        ("after", ""),  # found by the item's name
        ("reference", "1.png"),
        ("reference", "2.png"),
    ]
    assert [(bad.row, bad.reason) for bad in read.bad] == [(3, "Q is missing")]
    good = "".join(text.splitlines(keepends=True)[:2])
    (data,) = json_out.item_files(read.files, format="jsonl", schema=schema()).values()
    assert data.decode() == good


@needs("sheet_readers", ".xlsx")
def test_a_workbook_comes_in_as_the_table_that_it_shows(tmp_path: Path) -> None:
    book = Workbook()
    sheet = book.active
    assert sheet is not None
    sheet.append([*HEAD.split(","), "level", "indoors"])
    sheet.append([1, "add", "Two\nlines", "a.png", "b.png", 3, True])
    book.save(tmp_path / "t.xlsx")
    file = one(tmp_path / "t.xlsx", schema())
    assert (file.path, file.items[0].external_id) == ("t.csv", "1")
    assert file.items[0].fields == {"question": "Two\nlines", "level": 3, "indoors": True}
    assert out(file, schema()).decode() == f'{HEAD},level,indoors\n1,add,"Two\nlines",a.png,b.png,3,TRUE\n'
    sheet["C2"] = "=1+1"
    book.save(tmp_path / "u.xlsx")
    with pytest.raises(InvalidFileError, match=r"u\.xlsx: row 2: question is a formula in the spreadsheet"):
        read_table(tmp_path / "u.xlsx", format="csv", schema=schema())
    with pytest.raises(InvalidFileError, match="is a spreadsheet in an unsupported format"):
        read_table(write(tmp_path / "t.ods", "PK"), format="csv", schema=schema())


def test_a_list_is_put_together_from_columns_of_any_names_in_order(tmp_path: Path) -> None:
    lines = [
        "id,dimension,question,before,after,a,b,c,d,answer",
        "1,add,Q,x,y,Hat,Cup,Pan,,B",
        "2,add,R,x,y,Up,Down,,,A",
    ]
    path = write(tmp_path / "t.csv", "\n".join(lines) + "\n")
    how = ColumnMapping({"options": "a, b,c,d"}, places={"answer": "letter"})
    by_schema = schema('source: {format: csv, fields: {options: "a,b,c,d"}, places: {answer: letter}}')
    came = one(path, schema(), said=how)
    assert [item.fields["options"] for item in came.items] == [["Hat", "Cup", "Pan"], ["Up", "Down"]]
    assert [item.fields["answer"] for item in came.items] == ["Cup", "Up"]
    assert one(path, by_schema).items == came.items
    assert out(came, schema()) == path.read_bytes()
    first, second = came.items
    edited = replace(first, touched=True, fields={**first.fields, "options": ["Hat", "Cup", "Pan", "Jug"]})
    shorter = replace(second, touched=True, fields={**second.fields, "options": ["Up"]})
    assert out(replace(came, items=[edited, shorter]), schema()).decode().splitlines()[1:] == [
        "1,add,Q,x,y,Hat,Cup,Pan,Jug,B",
        "2,add,R,x,y,Up,,,,A",
    ]
    longer = replace(first, touched=True, fields={**first.fields, "options": list("HCPJU"), "answer": "H"})
    with pytest.raises(
        InvalidFileError,
        match=r"Touchstone cannot write the item 1: the list has 5 entries, but only these columns exist for entries: "
        r"a, b, c, d",
    ):
        out(replace(came, items=[longer]), schema())
    fresh = replace(second, fragment=None)
    assert out(FileRecord("items.csv", [fresh], "", "", {}), by_schema).decode().splitlines() == [
        "id,dimension,before,after,reference,walk,question,a,b,c,d,answer,level,indoors,boxes,extra",
        "2,add,x,y,,,R,Up,Down,,,A,,,,",
    ]

    records = [{"id": 1, "dimension": "add", "question": "Q", "before": "x", "after": "y", "a": "Hat", "b": "Cup"}]
    records.append({**records[0], "id": 2, "c": "", "d": None})
    of_json = write(tmp_path / "t.jsonl", "".join(json.dumps(each) + "\n" for each in records))
    read = read_json(of_json, format="jsonl", schema=schema(), said=ColumnMapping({"options": "a,b,c,d"}))
    assert (read.bad, [each.fields["options"] for each in read.files[0].items]) == ([], [["Hat", "Cup"]] * 2)
    (item, other) = read.files[0].items
    changed = replace(item, touched=True, fields={**item.fields, "options": ["Hat", "Jug", "Pan"]})
    from annotation_schemas.formats import Content

    (data,) = json_out.written(
        Content(schema(), "jsonl", files=[replace(read.files[0], items=[changed, other])])
    ).values()
    assert [json.loads(line) for line in data.splitlines()] == [{**records[0], "b": "Jug", "c": "Pan"}, records[1]]

    holes = write(tmp_path / "h.csv", f"{lines[0]}\n1,add,Q,x,y,Hat,,Pan,,A\n")
    assert [bad.reason for bad in read_table(holes, format="csv", schema=schema(), said=how).bad] == [
        "the record has c, but b is missing; add the missing entry (line 2)"
    ]
    with pytest.raises(InvalidFileError, match=r"has no column 'e' \(options\)\. .* --set columns.options=A,B,C"):
        read_table(path, format="csv", schema=schema(), said=ColumnMapping({"options": "a,b,e"}))
    needed = load_text(ROOMS.replace("SOURCE", "").replace("text_list, required: false", "text_list"), "Be exact.", "r")
    with pytest.raises(InvalidFileError, match=r"has no column 'options'\. .* --set columns.options=A,B,C"):
        read_table(path, format="csv", schema=needed.schema_)
    with pytest.raises(InvalidFileError, match=r"has no column 'a,b' \(question\)"):
        read_table(path, format="csv", schema=schema(), said=ColumnMapping({"question": "a,b"}))
