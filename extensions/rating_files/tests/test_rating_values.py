"""Missing ratings, decimal commas, and spellings of one label in rating files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from agreement import Ratings, cohen_kappa
from annotation_schemas.formats import ReadTable
from domain.errors import InvalidFileError
from extensions.rating_files.rating_values import MISSING_WORDS, missing_words
from extensions.rating_files.ratings import read_ratings, read_table

CASES = Path(__file__).parent / "rating_files"
HEAD = "unit,rater,criterion,value\n"


def of(found: ReadTable) -> set[tuple[str, str, object]]:
    assert list(found.bad) == []
    columns = (found.table.unit, found.table.rater, found.table.value)
    return set(zip(*(each.values() for each in columns), strict=True))


def written(tmp_path: Path, text: str, name: str = "r.csv") -> ReadTable:
    path = tmp_path / name
    path.write_bytes(text.encode())
    return read_table(path)


def kappa(found: ReadTable) -> float | None:
    units = sorted({unit for unit, _, _ in of(found)})
    raters = sorted({rater for _, rater, _ in of(found)})
    values = {(unit, rater): value for unit, rater, value in of(found)}
    return cohen_kappa(Ratings.from_lists(**{r: [values.get((u, r)) for u in units] for r in raters})).value


@pytest.mark.parametrize("word", ["NA", "None", "null"])
def test_words_for_a_missing_rating_are_left_out_and_counted(word: str) -> None:
    assert of(read_table(CASES / f"s1_{word}.csv")) == of(read_table(CASES / "s1.csv"))
    assert read_table(CASES / f"s1_{word}.csv").notes == (f"3 ratings are missing: 3 {word}.",)


@pytest.mark.parametrize("word", [*MISSING_WORDS, "", "  ", "n/a", "nan", "NONE", "Null"])
def test_a_missing_rating_is_no_category_in_a_table_or_in_json(word: str, tmp_path: Path) -> None:
    rows = "".join(f"u{at},{rater},c,{'yes' if at % 2 else 'no'}\n" for at in range(10) for rater in "ab")
    found = written(tmp_path, HEAD + rows + f"u10,a,c,yes\nu10,b,c,{word}\n")
    assert len(found.notes) == 1
    assert kappa(found) == 1.0
    lines = [f'{{"unit": "{u}", "rater": "{r}", "criterion": "c", "value": "{v}"}}' for u, r, v in sorted(of(found))]
    lines.append(json.dumps({"unit": "u10", "rater": "b", "criterion": "c", "value": word}))
    again = written(tmp_path, "\n".join(lines), "r.jsonl")
    assert (of(again), again.notes) == (of(found), found.notes)


def test_null_and_nan_of_json_are_missing(tmp_path: Path) -> None:
    lines = [f'{{"unit": "u{v}", "rater": "a", "criterion": "c", "value": {v}}}' for v in ("null", "NaN", "1")]
    found = written(tmp_path, "\n".join(lines), "r.jsonl")
    assert of(found) == {("u1", "a", 1)}
    assert found.notes == ("2 ratings are missing: 1 empty, 1 nan.",)


def test_users_change_the_words(tmp_path: Path) -> None:
    path = tmp_path / "r.csv"
    path.write_text(HEAD + "u0,a,c,None\nu1,a,c,skip\nu2,a,c,Left\nu3,a,c,\n")
    assert [row.value for row, _ in read_ratings(path, missing=missing_words("skip")).rows] == ["None", "Left"]
    assert [row.value for row, _ in read_ratings(path, missing=missing_words("")).rows] == ["None", "skip", "Left"]
    assert [row.value for row, _ in read_ratings(path).rows] == ["skip", "Left"]


def test_a_rating_after_a_missing_one_is_no_contradiction(tmp_path: Path) -> None:
    assert of(written(tmp_path, HEAD + "u0,a,c,NA\nu0,a,c,2\n")) == {("u0", "a", 2)}


def test_booleans_of_excel_and_of_json_are_one_label(tmp_path: Path) -> None:
    found = read_table(CASES / "s15.csv")
    assert kappa(found) == 1.0
    assert found.notes == (
        "1 true, 1 True counted as TRUE, which differs only in case.",
        "1 false, 1 False counted as FALSE, which differs only in case.",
    )
    lines = [
        f'{{"unit": "u{at}", "rater": "{rater}", "criterion": "c", "value": {value}}}'
        for at in range(4)
        for rater, value in (("a", "true" if at % 2 else "false"), ("b", '"TRUE"' if at % 2 else '"False"'))
    ]
    assert kappa(written(tmp_path, "\n".join(lines), "r.jsonl")) == 1.0


def test_the_more_frequent_spelling_stays(tmp_path: Path) -> None:
    found = written(tmp_path, HEAD + "u0,a,c,Good\nu0,b,c,good\nu1,a,c,good\nu1,b,c,bad\n")
    assert {value for _, _, value in of(found)} == {"good", "bad"}


def test_a_project_reads_labels_as_they_are_written(tmp_path: Path) -> None:
    path = tmp_path / "r.csv"
    path.write_text(HEAD + "u0,a,note,Yes\nu1,a,note,yes\n")
    assert [row.value for row, _ in read_ratings(path).rows] == ["Yes", "yes"]


def test_a_table_of_a_german_spreadsheet(tmp_path: Path) -> None:
    found = read_table(CASES / "s13.csv")
    assert ("u0", "A", 0.5) in of(found)
    assert found.notes == (
        "Cells are separated by semicolons.",
        "Values use a decimal comma, such as 0,5.",
    )
    tabs = written(tmp_path, "unit\trater\tcriterion\tvalue\nu0\ta\tc\t-1,25\nu1\ta\tc\t3\n")
    assert of(tabs) == {("u0", "a", -1.25), ("u1", "a", 3)}
    assert of(written(tmp_path, '"unit"|"rater"|"criterion"|"value"\nu0|a|c|x\n')) == {("u0", "a", "x")}


def test_a_comma_between_cells_is_no_decimal_comma(tmp_path: Path) -> None:
    assert of(written(tmp_path, HEAD + 'u0,a,c,"1,2"\n')) == {("u0", "a", "1,2")}


def test_decimal_commas_in_quotes_are_named_as_text(tmp_path: Path) -> None:
    (note,) = written(tmp_path, HEAD + 'u0,a,c,"0,5"\nu1,a,c,"1,0"\n').notes
    assert note.startswith("Touchstone reads values such as 0,5 as text.")


def test_the_line_that_names_the_separator_for_excel_is_no_heading(tmp_path: Path) -> None:
    assert of(written(tmp_path, "sep=;\nunit;rater;criterion;value\nu0;a;c;0,5\n")) == {("u0", "a", 0.5)}
    (row,) = read_ratings(tmp_path / "r.csv").rows
    assert row[1].row == 3


@pytest.mark.parametrize("word", ["#NV", "#N/D", "<NA>"])
def test_what_spreadsheets_and_pandas_write_for_nothing_is_missing(tmp_path: Path, word: str) -> None:
    assert of(written(tmp_path, HEAD + f"u0,a,c,1\nu1,a,c,{word}\n")) == {("u0", "a", 1)}


def test_two_decimal_signs_in_one_file_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidFileError, match=r"both 0,5 and 1\.5\. Use the same decimal separator"):
        written(tmp_path, "unit;rater;criterion;value\nu0;a;c;0,5\nu1;a;c;1.5\n")


def test_both_forms_of_an_accent_are_the_same_text() -> None:
    assert kappa(read_table(CASES / "s14.csv")) == 1.0  # values
    assert kappa(read_table(CASES / "s14b.csv")) == 1.0  # units


def test_numbers_beside_words_are_named(tmp_path: Path) -> None:
    rows = "".join(f"u{at},a,c,{at % 3}\n" for at in range(22)) + "".join(f"v{at},a,c,skipped\n" for at in range(3))
    (note,) = written(tmp_path, HEAD + rows + "u0,a,other,fine\n").notes
    assert note.startswith("c: 22 values are numbers and 3 are text (skipped).")


TRUE_AND_FALSE = [
    ("WAHR", "FALSCH"),
    ("VRAI", "FAUX"),
    ("VERDADERO", "FALSO"),
    ("vero", "falso"),
    ("真", "假"),
    ("참", "거짓"),
]


@pytest.mark.parametrize(("true", "false"), TRUE_AND_FALSE)
def test_true_and_false_of_a_spreadsheet_in_another_language_are_the_same_labels(
    true: str, false: str, tmp_path: Path
) -> None:
    rows = "".join(f"u{at},a,c,{true if at % 2 else false}\nu{at},b,c,{bool(at % 2)}\n" for at in range(6))
    found = written(tmp_path, HEAD + rows)
    assert kappa(found) == 1.0
    assert sorted(found.notes) == sorted(
        [
            f"3 True counted as {true}, which means the same.",
            f"3 False counted as {false}, which means the same.",
        ]
    )


def test_true_and_false_of_one_language_alone_stay_as_they_are(tmp_path: Path) -> None:
    found = written(tmp_path, HEAD + "u0,a,c,WAHR\nu0,b,c,FALSCH\nu1,a,c,真\n")
    assert {value for _, _, value in of(found)} == {"WAHR", "FALSCH", "真"}
    assert found.notes == ()


def wide(text: str) -> str:
    """Return the text in full-width letters, as Japanese and Chinese keyboards write it."""
    return "".join("\u3000" if char == " " else chr(ord(char) + 0xFEE0) for char in text)


@pytest.mark.parametrize(
    "other",
    [
        "very  good",
        "very \N{NO-BREAK SPACE}good",
        "very\tgood",
        "Very   Good",
        wide("very good"),
        wide("VERY GOOD"),
    ],
)
def test_blanks_and_wide_letters_make_no_other_label(other: str, tmp_path: Path) -> None:
    found = written(tmp_path, HEAD + f"u0,a,c,very good\nu0,b,c,{other}\nu1,a,c,bad\nu1,b,c,bad\n")
    assert {value for _, _, value in of(found)} == {"very good", "bad"}
    (note,) = found.notes
    assert note == f"1 {other} counted as very good, which differs only in spaces, case or character width."
    turned = written(tmp_path, HEAD + f"u0,a,c,{other}\nu0,b,c,{other}2\nu1,a,c,{other}\nu1,b,c,very good\n")
    assert {value for _, _, value in of(turned)} == {other, f"{other}2"}


def test_raised_digits_and_fractions_are_labels_of_their_own(tmp_path: Path) -> None:
    found = written(tmp_path, HEAD + "u0,a,c,m²\nu0,b,c,m2\nu1,a,c,①\nu1,b,c,½ x\nu2,a,c,1\N{FRACTION SLASH}2 x\n")
    assert {value for _, _, value in of(found)} == {"m²", "m2", "①", "½ x", "1\N{FRACTION SLASH}2 x"}
