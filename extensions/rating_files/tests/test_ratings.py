"""Ratings come from CSV, and what is no such CSV is refused with a sentence."""

from __future__ import annotations

import csv
import json
import unicodedata
from pathlib import Path

import pytest

from domain.errors import InvalidFileError
from domain.records import Rating
from extensions.rating_files.judgements import read_judgements
from extensions.rating_files.ratings import read_ratings, read_table


def read(tmp_path: Path, data: bytes) -> list[Rating]:
    path = tmp_path / "ratings.csv"
    path.write_bytes(data)
    found = read_ratings(path)
    assert found.bad == []
    return [rating for rating, _ in found.rows]


def test_columns_in_any_order_and_values_by_kind(tmp_path: Path) -> None:
    head = b"\xef\xbb\xbfrater,unit,value,criterion,dimension\r\n"
    data = head + b'ann,"a, b",0.5,score,x\r\n\r\nbob,c,yes,fits,\r\nbob,d,007,fits,\r\n'
    assert read(tmp_path, data) == [
        Rating("a, b", "ann", "score", 0.5, "x"),
        Rating("c", "bob", "fits", "yes"),
        Rating("d", "bob", "fits", "007"),
    ]


def test_lines_of_a_cell_are_not_rows(tmp_path: Path) -> None:
    assert [rating.unit for rating in read(tmp_path, 'unit,rater,criterion,value\n"a\u2028b\nc",r,c,1\n'.encode())] == [
        "a\u2028b\nc"
    ]


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        ("unit,rater,criterion,value\n1,a,c,1\n".encode("utf-16"), "UTF-16"),
        (b"", "unit, rater, criterion, value is missing"),
        (b"unit,rater,value\n1,a,1\n", "criterion is missing"),
        (b"unit,rater,criterion,value,unit\n1,a,c,1,2\n", "is repeated"),
        (b'unit,rater,criterion,value\n1,a,c,"1\n', "row 2"),
        (b"[1, 2]", "missing"),
    ],
)
def test_another_file_is_refused(tmp_path: Path, data: bytes, reason: str) -> None:
    path = tmp_path / "ratings.csv"
    path.write_bytes(data)
    with pytest.raises(InvalidFileError, match=reason):
        read_ratings(path)


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b"1,a,c", "the row has 3 cells, but the header has 4"),
        (b"1,a,c,1,2", "the row has 5 cells, but the header has 4"),
        (b"1,,c,1", "rater is empty"),
        (b"0,a,c,2", "already rated c of 0 in row 2"),
        (b"\xe9,a,c,1", "not UTF-8"),
    ],
)
def test_a_row_that_does_not_fit_is_named(tmp_path: Path, line: bytes, reason: str) -> None:
    path = tmp_path / "ratings.csv"
    path.write_bytes(b"unit,rater,criterion,value\n0,a,c,1\n" + line + b"\n")
    found = read_ratings(path)
    assert len(found.rows) == 1
    assert [bad.row for bad in found.bad] == [3]
    assert reason in found.bad[0].reason


def test_the_table_of_a_file_is_its_rows(tmp_path: Path) -> None:
    path = tmp_path / "ratings.csv"
    path.write_text(
        "rater,unit,value,criterion,cluster,dimension,comment\n"
        + "".join(f" r{at % 3} ,u{at // 3},{at % 5}.50,score,q{at // 9},d{at // 9 % 2},c{at}\n" for at in range(999))
    )
    rows, table = read_ratings(path), read_table(path).table
    assert rows.bad == []
    assert [rating for rating, _ in rows.rows[:1]] == [Rating("u0", "r0", "score", 0.5, "d0", cluster="q0")]
    assert (rows.rows[4][1].row, rows.rows[4][1].raw) == (6, " r1 ,u1,4.50,score,q0,d0,c4")
    assert table.cluster is not None
    assert table.dimension is not None
    columns = (table.unit, table.rater, table.criterion, table.value, table.dimension, table.cluster)
    assert [
        Rating(*each[:5], cluster=each[5]) for each in zip(*(column.values() for column in columns), strict=True)
    ] == [rating for rating, _ in rows.rows]


def test_tabs_by_the_name_of_the_file(tmp_path: Path) -> None:
    path = tmp_path / "ratings.tsv"
    path.write_text("unit\trater\tcriterion\tvalue\nu,1\tann\tscore\t2\n")
    assert [rating for rating, _ in read_ratings(path).rows] == [Rating("u,1", "ann", "score", 2)]


def test_lines_of_json_keep_the_kinds_of_their_values(tmp_path: Path) -> None:
    path = tmp_path / "ratings.jsonl"
    path.write_text(
        '{"unit": 7, "rater": "ann", "criterion": "c", "value": 1, "dimension": "x"}\n\n'
        '{"unit": 7, "rater": "bob", "criterion": "c", "value": true, "cluster": "q"}\n'
        '{"unit": 7, "rater": "cleo", "criterion": "c", "value": "1", "other": [1]}\n'
    )
    found = read_ratings(path)
    assert found.bad == []
    assert [rating for rating, _ in found.rows] == [
        Rating("7", "ann", "c", 1, "x"),
        Rating("7", "bob", "c", True, cluster="q"),
        Rating("7", "cleo", "c", "1"),
    ]
    assert [type(rating.value) for rating, _ in found.rows] == [int, bool, str]
    assert [here.row for _, here in found.rows] == [1, 3, 4]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b'{"unit": "u", "rater": "ann", "criterion": "c", "val', "not a complete JSON object"),
        (b"[1]", "not a JSON object"),
        (b'{"unit": "u", "rater": "ann", "criterion": "c"}', "value is missing"),
        (b'{"unit": "u", "rater": " ", "criterion": "c", "value": 1}', "rater is empty"),
        (b'{"unit": ["u"], "rater": "ann", "criterion": "c", "value": 1}', "unit must be text or a number"),
        (b'{"unit": "u0", "rater": "ann", "criterion": "c", "value": 2}', "already rated c of u0 in row 1"),
        (b'{"unit": "\xe9", "rater": "ann", "criterion": "c", "value": 2}', "not UTF-8"),
    ],
)
def test_a_line_that_does_not_fit_is_named(tmp_path: Path, line: bytes, reason: str) -> None:
    path = tmp_path / "ratings.jsonl"
    path.write_bytes(b'{"unit": "u0", "rater": "ann", "criterion": "c", "value": 1}\n' + line)
    found = read_table(path)
    assert len(found.table) == 1
    assert [bad.row for bad in found.bad] == [2]
    assert reason in found.bad[0].reason


def test_an_empty_file_of_lines_is_refused(tmp_path: Path) -> None:
    (tmp_path / "ratings.jsonl").touch()
    with pytest.raises(InvalidFileError, match=r"is empty. Write one rating per line"):
        read_table(tmp_path / "ratings.jsonl")


def test_rows_are_counted_across_pieces(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("extensions.rating_files.ratings._PIECE", 3)
    path = tmp_path / "ratings.csv"
    rows = [f"u{at},ann,c,1" for at in range(10)]
    rows[4], rows[6], rows[9] = "u4,ann,c", "", "u2,ann,c,5"
    path.write_text("unit,rater,criterion,value\n" + "\n".join(rows))
    found = read_table(path)
    assert [(bad.row, bad.reason) for bad in found.bad] == [
        (6, "the row has 3 cells, but the header has 4"),
        (11, "ann already rated c of u2 in row 4"),
    ]
    assert len(found.table) == 7
    path.write_text("unit,rater,criterion,value\n" + "\n".join([*rows[:4], 'u,ann,c,"1']))
    with pytest.raises(InvalidFileError, match=r"row 6: unexpected end of data\."):
        read_table(path)


def labels(tmp_path: Path, rows: list[tuple[str, str, str]]) -> tuple[list[object], tuple[str, ...]]:
    """The labels of ratings as unit, rater, value, and the notes about them."""
    path = tmp_path / "ratings.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([("unit", "rater", "criterion", "value"), *((u, r, "c", v) for u, r, v in rows)])
    found = read_table(path)
    assert found.bad == []
    return list(found.table.value.values()), tuple(found.notes)


def test_lists_that_differ_by_order_and_writing_are_one_label(tmp_path: Path) -> None:
    """Another order, an escape, NFD text, blanks, a repeated entry, another case and a single label."""
    decomposed = unicodedata.normalize("NFD", '["é","a"]')
    cells = ['["a", "é"]', '["\\u00e9", "a"]', decomposed, '[ "a","é" ]', '["a", "é", "a"]', '["A", "É"]', '["a"]', "a"]
    values, notes = labels(tmp_path, [("u", f"r{at}", cell) for at, cell in enumerate([*cells, "[]", '["b"]'])])
    assert values == [*['["a", "é"]'] * 6, '["a"]', '["a"]', "[]", '["b"]']
    assert notes[0].startswith("c: 9 values are lists, so Touchstone compares the values as sets.")


def test_rankings_and_other_json_keep_their_order(tmp_path: Path) -> None:
    values, notes = labels(tmp_path, [("u", "r", '["a", "b"]'), ("u", "s", '["b","a"]'), ("v", "r", '["b", "a"]')])
    assert values == ['["a", "b"]', '["b", "a"]', '["b", "a"]']
    assert "compares the lists as rankings" in notes[0]
    values, notes = labels(tmp_path, [("u", "r", "[1, 2]"), ("u", "s", "[2,1]"), ("v", "r", "[1,2]")])
    assert values == ["[1, 2]", "[2, 1]", "[1, 2]"]
    assert "differ only in their order" in notes[0]
    spans = [("u", "r", '[{"start": 1, "end": 2}]'), ("u", "s", '[{"end":2,"start":1}]'), ("v", "s", "[]")]
    values, notes = labels(tmp_path, spans)
    assert values == ['[{"end": 2, "start": 1}]'] * 2 + ["[]"]
    assert notes == ()


def test_lists_of_jsonl_are_read_like_cells(tmp_path: Path) -> None:
    path = tmp_path / "ratings.jsonl"
    record = {"unit": "u", "criterion": "c"}
    lines = [record | {"rater": "r", "value": ["a", "b"]}, record | {"rater": "s", "value": ["b", "a", "b"]}]
    lines.append(record | {"rater": "t", "value": True})
    lines.append(record | {"rater": "w", "value": ["c"]})
    path.write_text("\n".join(map(json.dumps, lines)))
    found = read_table(path)
    assert found.bad == []
    assert list(found.table.value.values()) == ['["a", "b"]', '["a", "b"]', True, '["c"]']


def test_a_key_that_stands_twice_is_a_bad_row(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    path.write_text('{"unit": "a", "rater": "r", "criterion": "c", "value": 1, "value": 0}\n')
    assert "the key 'value' appears twice in one object" in read_table(path).bad[0].reason
    path.write_text('{"item": "a", "judge": "j", "text": "[[1]]", "text": "[[0]]"}\n')
    assert "the key 'text' appears twice in one object" in read_judgements(path).bad[0].reason
