"""Tables for VLMEvalKit: every item is there as its loader reads it, and nothing of an item is run."""

from __future__ import annotations

import base64
import csv
import io
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from PIL import Image

from annotation_schemas.formats import FORMATS
from annotation_schemas.formats.released import ReleasedItem
from annotation_schemas.model import Schema
from domain.errors import InvalidFileError
from extensions.harnesses.pandas_cells import CellCheck, rows_in_block
from extensions.harnesses.tests.vlmevalkit_reader import cells, read
from importers.readers import reader_of
from tests.exporters.releases import Folder, asset, fifth, items_of, release, write
from tests.exporters.test_item_rows import HOSTILE, schema_of
from tests.paths import shared

CHOICE = {"answer, kind: options_of": "answer, kind: option_of"}
SAFE = [text for text in HOSTILE if text not in ("None", "007")]
"""What pandas would make of the other two has tests of its own."""


def items(folder: Folder, *texts: str, **changes: Any) -> list[ReleasedItem]:
    """Multiple-choice items with these questions, each with two to five images."""
    made = []
    for number, text in enumerate(texts):
        fields = {"question": text, "options": [text, "a pan", "a pot"], "answer": text, **changes}
        roles = ["before", "after", *["reference"] * (number % 4)]
        assets = [asset(folder, role, f"{number}{role}{at}") for at, role in enumerate(roles)]
        made.append(ReleasedItem(f"c{number}", "added", "test", fields, assets, f"g{number}"))
    return made


def table(folder: Folder, schema: Schema, some: list[ReleasedItem], **part: Any) -> Path:
    files = write("vlmevalkit", release(folder, schema, some, **part), folder)
    (name,) = files
    return folder.root / "vlmevalkit" / name


@pytest.mark.thorough
@pytest.mark.parametrize("name", ["egothink", "pca_bench"])
def test_published_items_are_all_there_with_picture_and_answer(tmp_path: Path, name: str) -> None:
    root = shared("data", *(("egothink", "data") if name == "egothink" else ("pca_bench",)))
    schema, folder = schema_of(name), Folder(tmp_path)
    found = reader_of(FORMATS[name])(root, format=name, schema=schema)
    some = items_of(folder, schema, found)
    rows = read(table(folder, schema, some))
    assert [row["id"] for row in rows] == [item.id for item in some]
    assert [row["index"] for row in rows] == list(range(len(some)))
    for row, item in zip(rows, some, strict=True):
        assert row["images"] == [(folder.root / str(each.path)).read_bytes() for each in item.assets]
        assert row["category"] == item.dimension
        if name == "egothink":
            assert (row["prompt"], row["answer"]) == (item.fields["question"], item.fields["answer"])
        else:
            assert row["options"][row["answer"]] == item.fields["answer"]
            assert list(row["options"].values()) == item.fields["actions"]


def test_texts_that_mean_harm_stand_in_no_cell_that_is_run(tmp_path: Path) -> None:
    """``image`` and ``image_path`` are run there if they stand in brackets; every other cell is only read."""
    schema, folder = fifth(**CHOICE), Folder(tmp_path)
    some = items(folder, *SAFE)
    path = table(folder, schema, some)
    rows = read(path)  # fails for a cell that would be run
    assert [row["options"]["A"] for row in rows] == SAFE
    assert [row["answer"] for row in rows] == ["A"] * len(SAFE)
    assert [row["images"] for row in rows] == [
        [(folder.root / str(each.path)).read_bytes() for each in item.assets] for item in some
    ]
    for row in csv.DictReader(io.StringIO(path.read_text(encoding="utf-8"), newline=""), delimiter="\t"):
        for column in ("image", "image_path"):
            assert re.fullmatch(r"[A-Za-z0-9+/=.]+|\['[A-Za-z0-9+/=.]+'(, '[A-Za-z0-9+/=.]+')*\]", row[column])


def test_pictures_have_names_that_stay_below_its_folder_and_lose_nothing(tmp_path: Path) -> None:
    schema, folder = fifth(**CHOICE), Folder(tmp_path)
    for row in read(table(folder, schema, items(folder, "one?", "two?"))):
        assert all(re.fullmatch(r"[0-9a-f]{64}\.png", name) for name in row["names"])


def test_rows_without_a_picture_would_be_left_out_so_they_are_refused(tmp_path: Path) -> None:
    schema = fifth(
        **CHOICE,
        **{"before, kind: image": "before, kind: image, min: 0", "after, kind: image": "after, kind: image, min: 0"},
    )
    folder = Folder(tmp_path)
    some = items(folder, "one?", "two?")
    bare = [some[0], replace(some[1], assets=())]
    with pytest.raises(InvalidFileError, match="'c1': the item has no image"):
        write("vlmevalkit", release(folder, schema, bare), folder)


def test_a_picture_that_would_be_taken_for_another_row_is_refused(tmp_path: Path) -> None:
    schema, folder = fifth(**CHOICE), Folder(tmp_path)
    out = io.BytesIO()
    Image.new("P", (1, 1)).save(out, "GIF")
    assert len(base64.b64encode(out.getvalue())) <= 64, "a picture that is so small"
    released = release(folder, fifth(**CHOICE), items(folder, "one?"), read=lambda each: out.getvalue())
    with pytest.raises(InvalidFileError, match=r"'c0'.*reads the image as a row number"):
        write("vlmevalkit", released, folder)
    assert schema.name == "fifth"


COLUMNS = [
    ["cup", "None"],
    ["cup", "N/A"],
    ["007", "8"],
    ["3", "4"],
    ["3", ""],
    ["1.50", "2"],
    ["1.5", "2.5"],
    ["1.0", "2.0"],
    ["true", "False"],
    ["True", "False"],
    ["True", ""],
    ["true", "1"],
    ["true", "maybe"],
    ["007", "eight"],
    ["1e3", "4"],
    ["+5", "4"],
    [" 3", "4"],
    ["-0", "1"],
    ["inf", "2"],
    ["1_000", "2"],
    ["0x10", "1"],
]


@pytest.mark.parametrize("texts", COLUMNS, ids=str)
def test_cells_that_pandas_reads_as_something_else_are_told_before(texts: list[str]) -> None:
    """The other side is pandas itself: what it makes of the same column."""
    column = CellCheck("A", 100)
    told = [each for each in [*(column.take(text, "i") for text in texts), column.end()] if each]
    read = cells(texts)
    differ = [text for text, back in zip(texts, read, strict=True) if text and text != back]
    assert bool(told) == bool(differ)
    if told:
        assert told[0].text in differ


@pytest.mark.thorough
def test_columns_are_judged_in_the_blocks_in_which_pandas_reads_them() -> None:
    """A text in the first block does not help a number in the second, as pandas shows with 16 columns."""
    rows = rows_in_block(16)
    texts = ["cup", *["7"] * (rows - 1), "007", "8"]
    body = "".join(f"{text}{chr(9) * 15}\n" for text in texts)
    with pytest.warns(pd.errors.DtypeWarning, match="mixed types"):
        data = pd.read_csv(io.StringIO("\t".join(f"c{n}" for n in range(16)) + "\n" + body), sep="\t")
    assert [str(each) for each in data["c0"]][-3:] == ["7", "7", "8"]
    assert str(pd.read_csv(io.StringIO("c0\tc1\n" + "cup\t\n007\t\n"), sep="\t")["c0"][1]) == "007"
    column = CellCheck("A", rows)
    assert not any(column.take(text, text) for text in texts)
    assert column.end() == ("007", "007", "7")


def test_options_that_would_be_lost_or_changed_are_refused_by_name(tmp_path: Path) -> None:
    schema, folder = fifth(**CHOICE), Folder(tmp_path)
    lost = items(folder, "one?", options=["cup", "None"], answer="cup")
    with pytest.raises(InvalidFileError, match="'c0': B is 'None', which VLMEvalKit reads as nothing at all"):
        write("vlmevalkit", release(folder, schema, lost), folder)
    other = Folder(tmp_path / "other")
    some = items(other, "one?", "two?", options=["3", "4"], answer="3")
    gap = [some[0], replace(some[1], fields={**some[1].fields, "options": ["3", "4", "5"]})]
    with pytest.raises(InvalidFileError, match=r"'c1': C is '5', which VLMEvalKit reads as 5\.0"):
        write("vlmevalkit", release(other, schema, gap), other)


REFUSED: list[tuple[dict[str, str], dict[str, Any], str]] = [
    ({}, {"answer": ["a pan", "a pot"]}, "several right options"),
    ({"options_of": "order_of"}, {"answer": ["a pot", "a pan", "x?"]}, "put in order"),
    (CHOICE, {"options": ["only"], "answer": "only"}, "only one option"),
    (CHOICE, {"options": ["a", "", "b"], "answer": "b"}, "one option is empty"),
    (CHOICE, {"options": [str(n) for n in range(27)], "answer": "3"}, "27 options, but there are only 26 letters"),
    (CHOICE, {"answer": "elsewhere"}, "not one of its options"),
    (CHOICE, {"question": " "}, "the field question is empty"),
]


@pytest.mark.parametrize(("words", "fields", "why"), REFUSED, ids=[why for *_, why in REFUSED])
def test_what_a_row_cannot_hold_is_refused_by_name(
    tmp_path: Path, words: dict[str, str], fields: dict[str, Any], why: str
) -> None:
    folder = Folder(tmp_path)
    some = items(folder, "x?")
    odd = [replace(some[0], fields={**some[0].fields, **fields})]
    with pytest.raises(InvalidFileError, match=f"vlmevalkit cannot store the item 'c0': .*{why}"):
        write("vlmevalkit", release(folder, fifth(**words), odd), folder)


def test_marks_are_drawn_into_the_picture_or_the_item_is_refused(tmp_path: Path) -> None:
    schema = fifth(
        **CHOICE,
        **{
            ", secret_in: [verification]}\nstages": "}\nstages",
            "role: after, secret_in: [verification]": "role: after",
        },
    )
    folder = Folder(tmp_path)
    some = [
        replace(each, fields={**each.fields, "where": [{"x": 0.1, "y": 0.1, "w": 0.5, "h": 0.5}]})
        for each in items(folder, "x?")
    ]
    with pytest.raises(InvalidFileError, match="the images have boxes or marks"):
        write("vlmevalkit", release(folder, schema, some), folder)
    other = Folder(tmp_path / "other")
    marked = b"\x89PNG" + bytes(60)
    drawn = release(other, schema, some, shown=lambda item, each: marked if each.role == "after" else None)
    drawn = replace(drawn, read=lambda each: (folder.root / str(each.path)).read_bytes())
    write("vlmevalkit", drawn, other)
    (row,) = read(other.root / "vlmevalkit" / "fifth_test.tsv")
    assert row["images"] == [(folder.root / str(some[0].assets[0].path)).read_bytes(), marked]


def test_a_private_test_has_no_answers_and_a_mixed_set_two_tables(tmp_path: Path) -> None:
    schema, folder = schema_of("etp_bench"), Folder(tmp_path)
    fields = {"question": "Where?", "form": "multiple_choice", "options": ["left", "right"], "answer": "right"}
    free = {"question": "What?", "form": "open", "answer": "a cup"}
    some = [
        ReleasedItem(name, dimension, "test", said, [asset(folder, "images", name)])
        for name, dimension, said in (("1", "spatial", fields), ("2", "type", free))
    ]
    files = write("vlmevalkit", release(folder, schema, some), folder)
    assert list(files) == ["etp_bench_test.tsv", "etp_bench_test_openended.tsv"]
    assert [read(folder.root / "vlmevalkit" / name)[0]["answer"] for name in files] == ["B", "a cup"]
    other = Folder(tmp_path / "other")
    hidden = release(other, schema, some, withheld={"test": ["answer"]})
    hidden = replace(hidden, read=lambda each: (folder.root / str(each.path)).read_bytes())
    for data in write("vlmevalkit", hidden, other).values():
        assert "answer" not in data.decode().splitlines()[0].split("\t")
        assert b"a cup" not in data


def test_a_benchmark_that_needs_clips_is_refused_as_a_whole(tmp_path: Path) -> None:
    schema, folder = fifth(**{"before, kind: image": "before, kind: clip"}), Folder(tmp_path)
    with pytest.raises(InvalidFileError, match="no table for clips"):
        write("vlmevalkit", release(folder, schema, []), folder)
    assert FORMATS["vlmevalkit"].carries(fifth()) is None
