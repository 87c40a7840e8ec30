"""Ratings come from CSV, and what is no such CSV is refused with a sentence."""

from __future__ import annotations

from pathlib import Path

import pytest

from domain.errors import FileRefused
from domain.records import Rating
from importers.ratings import read_ratings


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
        (b"unit,rater,criterion,value,unit\n1,a,c,1,2\n", "there twice"),
        (b'unit,rater,criterion,value\n1,a,c,"1\n', "row 2"),
        (b"[1, 2]", "missing"),
    ],
)
def test_another_file_is_refused(tmp_path: Path, data: bytes, reason: str) -> None:
    path = tmp_path / "ratings.csv"
    path.write_bytes(data)
    with pytest.raises(FileRefused, match=reason):
        read_ratings(path)


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b"1,a,c", "3 cells, not 4"),
        (b"1,a,c,1,2", "5 cells, not 4"),
        (b"1,,c,1", "rater is empty"),
        (b"1,a,c, ", "value is empty"),
        (b"0,a,c,2", "in row 2 already"),
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
