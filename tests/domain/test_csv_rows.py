"""Tables in pieces: joined again they are the file, and an edit changes its own cells alone."""

from __future__ import annotations

import csv
import io

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from domain.csv_rows import ColumnChange, Layout, NotTable, Table, by_column, join, lines_of, table, values
from domain.records import Fragment

TEXTS = st.text(st.sampled_from(list("ab,;\t|\"' \n=-é")), max_size=6)
ROWS = st.lists(st.tuples(TEXTS, TEXTS, TEXTS), max_size=6)


def read(text: str, known: tuple[str, ...] = ("one", "two", "three")) -> tuple[Table, list[Fragment], list[list[str]]]:
    found = table(lines_of(text), known)
    rows = list(found.rows())
    assert [row.problem for row in rows] == [None] * len(rows)
    return found, [Fragment(row.lead, row.raw) for row in rows], [list(row.cells) for row in rows]


@settings(max_examples=60)
@given(ROWS, st.sampled_from(",;\t|"), st.sampled_from(["\n", "\r\n"]), st.booleans(), st.booleans())
def test_pieces_joined_are_the_file_and_cells_what_the_csv_module_wrote(
    rows: list[tuple[str, str, str]], separator: str, newline: str, all_quoted: bool, ends: bool
) -> None:
    out = io.StringIO(newline="")
    how = csv.QUOTE_ALL if all_quoted else csv.QUOTE_MINIMAL
    writer = csv.writer(out, delimiter=separator, lineterminator=newline, quoting=how)
    writer.writerow(["one", "two", "three"])
    writer.writerows(rows)
    text = out.getvalue() if ends else out.getvalue().removesuffix(newline)
    found, fragments, cells = read(text)
    assert join(fragments, head=found.head, tail=found.tail, layout=found.style()) == text
    assert cells == [list(row) for row in rows if any(row)]
    layout = found.style()
    for fragment, row in zip(fragments, cells, strict=True):
        changed = ColumnChange(layout).row(fragment.raw, {"two": "new, \"it\"; 'is'"})
        (again,) = csv.reader(io.StringIO(changed, newline=""), delimiter=separator, strict=True)
        assert again == [row[0], "new, \"it\"; 'is'", row[2]]
        assert ColumnChange(layout).row(fragment.raw, {}) == fragment.raw


def test_an_edit_keeps_the_dress_of_the_file() -> None:
    text = 'one,two,three\r\n"a",1,\r\n"b, c",2,x\r\n\r\n"d","3",\r\n'
    found, fragments, _ = read(text)
    layout = found.style()
    assert (layout.newline, layout.quoted) == ("\r\n", ("filled", "", ""))
    change = ColumnChange(layout, added=("four",))
    assert change.head(found.head) == "one,two,three,four"
    assert change.row(fragments[0].raw, {"three": "=1+1", "one": None}) == ",1,'=1+1,"
    assert change.row(fragments[2].raw, {"two": "4", "four": "x,y"}) == '"d","4",,"x,y"'
    assert change.new_row({"one": "e", "three": "-5"}) == '"e",,-5,'
    assert ColumnChange(layout, frozenset({"two"})).row(fragments[1].raw, {}) == '"b, c",x'
    assert ColumnChange(layout, frozenset({"one"})).head("\ufeffone,two,three") == "\ufefftwo,three"
    assert [each.lead for each in fragments] == ["\r\n", "\r\n", "\r\n\r\n"]  # the empty line stays with the next row


def test_marks_of_formulas_are_taken_off_and_put_on() -> None:
    assert by_column(["'=x", "'quoted'", "", "-3"], ["a", "b", "c", "d"]) == {"a": "=x", "b": "'quoted'", "d": "-3"}
    assert values("'=x;2", Layout(("a", "b"), ";")) == {"a": "=x", "b": "2"}


@pytest.mark.parametrize(
    ("text", "reasons"),
    [
        (
            "a,b\n1,2\n3\n4,5,6\n7,8\n",
            [f"the row has {n}, but the header has 2; add or remove cells" for n in ("1 cell", "3 cells")],
        ),
        (
            'a,b\n1,"2\n3,4\n',
            [
                (
                    "a double quote opens in this row but never closes, so Touchstone cannot read the rest of the "
                    "file; close the quote"
                )
            ],
        ),
        (
            'a,b\n"1"x,2\n3,4\n',
            ["text follows a closing double quote; to include a double quote in a cell, write two double quotes"],
        ),
        ("a,b\n1,2\x00\n3,4\n", ["the row has a NUL character, so the file is damaged; save the file again"]),
    ],
)
def test_a_row_that_does_not_fit_says_why(text: str, reasons: list[str]) -> None:
    assert [row.problem for row in table(lines_of(text), ["a", "b"]).rows() if row.problem] == reasons


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "it is empty"),
        ("\ufeff\n\r\n", "it is empty"),
        ("a,b,a\n1,2,3\n", "two columns have the name 'a'"),
        ('"a,b\n1,2\n', "the header has an unclosed double quote"),
        ("a\x00,b\n", "NUL"),
    ],
)
def test_a_head_that_is_none_is_refused(text: str, reason: str) -> None:
    with pytest.raises(NotTable, match=reason):
        table(lines_of(text), ["a", "b"])


def test_the_names_that_are_known_tell_what_stands_between_cells() -> None:
    """More commas than semicolons in the head: only with semicolons is there a column of the schema."""
    found = table(lines_of('"x, y, z";question;a, b, c\n1;2;3\n'), ["question"])
    assert (found.layout.separator, found.layout.columns) == (";", ("x, y, z", "question", "a, b, c"))
