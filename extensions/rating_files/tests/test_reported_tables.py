"""Tables of ratings and items of the kinds that users reported to other projects.

Each row names the public thread with the situation. The files are made here, and each expected value is read off the
file: two raters who give the same label agree, so kappa is 1.
"""

from __future__ import annotations

import json
import unicodedata
from pathlib import Path
from typing import Any

import pytest

from annotation_schemas.formats import ReadTable
from annotation_schemas.loader import load_text
from extensions.rating_files.ratings import read_table
from extensions.rating_files.tests.test_rating_values import HEAD, kappa, of
from importers.item_tables import read_items as read_csv
from importers.items import read_items
from tests.workflow.test_options_as_shown import SCHEMA as ITEM_SCHEMA


def written(tmp_path: Path, text: str, *, encoding: str = "utf-8", name: str = "r.csv") -> ReadTable:
    path = tmp_path / name
    path.write_bytes(text.encode(encoding))
    return read_table(path)


def votes(*labels: tuple[str, str]) -> str:
    """A table in which a and b rate as many units."""
    return HEAD + "".join(f"u{n},a,c,{one}\nu{n},b,c,{other}\n" for n, (one, other) in enumerate(labels))


# ---- missing ratings ------------------------------------------------------------------------------------------------

MISSING = {
    "pandas 30152": "#N/A N/A",
    "pandas 5601": "#NA",
    "pandas 30152: not a number": "-nan",
    "pandas 30152: quiet": "1.#QNAN",
    "pandas 30152: indefinite": "-1.#IND",
    "pandas 16078": "n/a",
    "pandas 24681": "N/A",
    "nltk 2865": "None",
    "nltk 3752": "",
    "DocsGPT 2798": "NULL",
    "pandas 48173": "<NA>",
    "xlsx2csv 225: a formula without a result": "#DIV/0!",
}


@pytest.mark.parametrize("word", MISSING.values(), ids=MISSING)
def test_what_a_program_writes_for_nothing_is_no_label(tmp_path: Path, word: str) -> None:
    """As a label of its own, the word would be a disagreement in one of four units."""
    found = written(tmp_path, votes(("yes", "yes"), ("no", "no"), ("yes", "yes"), ("no", word)))
    assert kappa(found) == 1.0
    assert found.notes == (f"1 rating is missing: 1 {word or 'empty'}.",)


def test_the_example_of_nltk_2865(tmp_path: Path) -> None:
    """Three raters, three units; every rating that is there agrees, and two are missing."""
    rows = zip("abd", ("1,1,2", "1,1,None", "None,1,2"), strict=True)
    text = HEAD + "".join(f"u{n},{rater},c,{each}\n" for rater, line in rows for n, each in enumerate(line.split(",")))
    assert {unit: {v for u, _, v in of(written(tmp_path, text)) if u == unit} for unit in ("u0", "u1", "u2")} == {
        "u0": {1},
        "u1": {1},
        "u2": {2},
    }


def test_a_unit_or_a_rater_may_be_called_na(tmp_path: Path) -> None:
    """pandas 11839, csvkit 968, nlmod 563: NA is also a name."""
    found = written(tmp_path, HEAD + "NA,None,c,1\nNA,null,c,1\nEU,None,c,2\n")
    assert of(found) == {("NA", "None", 1), ("NA", "null", 1), ("EU", "None", 2)}
    assert found.notes == ()


# ---- true and false -------------------------------------------------------------------------------------------------

SPELLED = {
    "d3-dsv 105: a spreadsheet beside Python": ("TRUE", "FALSE", "True", "False"),
    "CubeCobra 2140: a spreadsheet beside JavaScript": ("true", "false", "TRUE", "FALSE"),
    "xlsx2csv 225: 1 and 0 for a tick": ("TRUE", "FALSE", "1", "0"),
    "xlsx2csv 225: the same as decimals": ("True", "False", "1.0", "0.0"),
    "json2csv 156: a text that Excel shall not convert": ('"=""true"""', '"=""false"""', "true", "false"),
    "onebody 673: T and F": ("TRUE", "FALSE", "T", "F"),
    "sphere-node-product-csv-sync 159: a German spreadsheet": ("WAHR", "FALSCH", "TRUE", "0"),
    "xls2rdf 13: a French spreadsheet": ("VRAI", "FAUX", "true", "false"),
    "fvtt-data-toolbox 20: a Turkish spreadsheet": ("DO\u011eRU", "YANLI\u015e", "TRUE", "FALSE"),
    "fvtt-data-toolbox 20: a Swedish spreadsheet": ("SANT", "FALSKT", "True", "False"),
}


@pytest.mark.parametrize(("yes", "no", "also_yes", "also_no"), SPELLED.values(), ids=SPELLED)
def test_a_tick_is_one_label_however_it_is_written(
    tmp_path: Path, yes: str, no: str, also_yes: str, also_no: str
) -> None:
    found = written(tmp_path, votes((yes, also_yes), (no, also_no), (yes, also_yes), (no, also_no)))
    assert kappa(found) == 1.0
    turned = written(tmp_path, votes((yes, also_no), (no, also_yes), (yes, also_no), (no, also_yes)))
    assert kappa(turned) == -1.0


def test_booleans_and_numbers_of_json_are_one_label_where_nothing_else_is_given(tmp_path: Path) -> None:
    """xlsx2csv 225, in JSON. A third label leaves numbers alone."""
    lines = [
        json.dumps({"unit": f"u{n}", "rater": rater, "criterion": "c", "value": value})
        for n in range(4)
        for rater, value in (("a", n % 2 == 0), ("b", int(n % 2 == 0)))
    ]
    assert kappa(written(tmp_path, "\n".join(lines), name="r.jsonl")) == 1.0
    lines.append(json.dumps({"unit": "u9", "rater": "b", "criterion": "c", "value": 2}))
    found = written(tmp_path, "\n".join(lines), name="r.jsonl")
    assert {type(value) for _, rater, value in of(found) if rater == "b"} == {int}


def test_a_rater_with_labels_of_their_own_is_named(tmp_path: Path) -> None:
    """howisonlab/softcite-dataset 538: agreement is low for a reason of the file. No rule knows what "richtig" is."""
    found = written(
        tmp_path, votes(("right", "richtig"), ("wrong", "falsch"), ("right", "richtig"), ("wrong", "falsch"))
    )
    assert found.notes == (
        "c: no other rater uses any label of a (right, wrong). If these labels mean the same as other raters' "
        "labels, use the same spelling.",
        "c: no other rater uses any label of b (richtig, falsch). If these labels mean the same as other raters' "
        "labels, use the same spelling.",
    )


@pytest.mark.parametrize("labels", [[("x", "y"), ("y", "x")], [("a b", "c d"), ("e f", "g h"), ("i j", "k l")]])
def test_raters_who_only_disagree_or_write_freely_are_not_named(tmp_path: Path, labels: Any) -> None:
    assert written(tmp_path, votes(*labels)).notes == ()


# ---- separators and decimals ----------------------------------------------------------------------------------------

TABLES: dict[str, tuple[str, set[tuple[str, str, object]]]] = {
    "firefly-iii 1183: every cell in quotes": (
        '"unit";"rater";"criterion";"value"\n"u0";"a";"c";"20,00"\n"u1";"a";"c";"-0,01"\n',
        {("u0", "a", 20.0), ("u1", "a", -0.01)},
    ),
    "actual 1769: whole numbers between decimals": (
        "unit;rater;criterion;value\nu0;a;c;1\nu1;a;c;0,5\n",
        {("u0", "a", 1), ("u1", "a", 0.5)},
    ),
    "PapaParse 861: more commas than semicolons": (
        "unit;rater;criterion;value\nu0;a;c;One, two, three, four, five.\n",
        {("u0", "a", "One, two, three, four, five.")},
    ),
    "vscode_rainbow_csv 108: the separator in the first line": (
        "sep=|\r\nunit|rater|criterion|value\r\nu0|a|c|0,5\r\n",
        {("u0", "a", 0.5)},
    ),
    "csharp-csv-reader 28: with blanks": ("sep = ;\nunit;rater;criterion;value\nu0;a;c;0,5\n", {("u0", "a", 0.5)}),
    "parsecsv-for-php 60: in quotes": ('"sep=;"\nunit;rater;criterion;value\nu0;a;c;0,5\n', {("u0", "a", 0.5)}),
    "SheetJS 732: a tab within a cell": (HEAD + 'u0,a,c,"x\ty"\n', {("u0", "a", "x\ty")}),
    "thephpleague/csv 543: emptied columns at the end": (
        "unit;rater;criterion;value;;\nu0;a;c;0,5;;\n",
        {("u0", "a", 0.5)},
    ),
}


@pytest.mark.parametrize(("text", "expected"), TABLES.values(), ids=TABLES)
def test_a_table_is_read_with_the_separator_of_its_first_row(tmp_path: Path, text: str, expected: Any) -> None:
    assert of(written(tmp_path, text)) == expected
    assert of(written(tmp_path, text, encoding="utf-8-sig")) == expected


@pytest.mark.parametrize(
    "number",
    [
        pytest.param("1.234,5", id="actual 1769: a point between thousands"),
        pytest.param("1\u00a0234,5", id="firefly-iii 1183: a blank between thousands"),
        pytest.param("1'234.5", id="dokuwiki-plugin-struct 416: an apostrophe between thousands"),
    ],
)
def test_marks_between_thousands_are_named(tmp_path: Path, number: str) -> None:
    (note,) = written(tmp_path, f"unit;rater;criterion;value\nu0;a;c;{number}\n").notes[1:]
    assert note.startswith(f"Touchstone reads values such as {number} as text.")


# ---- forms of a text ------------------------------------------------------------------------------------------------


def nfd(text: str) -> str:
    return unicodedata.normalize("NFD", text)


FORMS = {
    "ArcReel 1578: a Vietnamese name": ("Hi\u1ebfu", nfd("Hi\u1ebfu")),
    "winfile 86: Japanese": ("\u30d1\u30d4", nfd("\u30d1\u30d4")),
    "shelf-back 50: Cyrillic": ("\u0439\u043e\u0434", nfd("\u0439\u043e\u0434")),
    "doccano 2264: French": ("D\u00e9partement", nfd("D\u00e9partement")),
    "ugrep 298: marks in another order": ("a\u0323\u0307", "a\u0307\u0323"),
    "deja-vu 1098: wide letters": ("\uff21\uff22", "AB"),
    "MicrobeTrace 190: a character without width": ("yes\u200b", "yes"),
    "postmangovsg 88: a byte order mark within the table": ("\ufeffyes", "yes"),
    "lute-v3 612: within a word": ("ye\u200bs", "yes"),
    "pokemon-tcg-data 224: an apostrophe of a text program": ("don\u2019t know", "don't know"),
    "label-studio 1347: two forms of a sign": ("\u2714\ufe0f", "\u2714"),
}


@pytest.mark.parametrize(("one", "other"), FORMS.values(), ids=FORMS)
def test_labels_that_look_alike_are_one(tmp_path: Path, one: str, other: str) -> None:
    assert kappa(written(tmp_path, votes((one, other), ("no", "no"), (one, other), ("no", "no")))) == 1.0


@pytest.mark.parametrize(
    "name", ["ArcReel 1578: a Vietnamese name", "winfile 86: Japanese", "MicrobeTrace 190: a character without width"]
)
def test_units_that_look_alike_meet(tmp_path: Path, name: str) -> None:
    one, other = FORMS[name]
    found = written(tmp_path, HEAD + f"{one},a,c,x\n{other},b,c,x\nu,a,c,y\nu,b,c,y\n")
    assert kappa(found) == 1.0
    assert len({unit for unit, _, _ in of(found)}) == 2


# ---- items ----------------------------------------------------------------------------------------------------------


def read(tmp_path: Path, text: str, *, name: str = "i.jsonl") -> tuple[list[Any], list[str], tuple[str, ...]]:
    """The items of a file, why others are none, and the warnings."""
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    reader = read_csv if name.endswith("csv") else read_items
    found = reader(path, format=path.suffix[1:], schema=load_text(ITEM_SCHEMA, "Look.", "mcq").schema_)
    return [each for file in found.files for each in file.items], [bad.reason for bad in found.bad], found.warnings


def item(*options: str, answer: str) -> str:
    record = {"id": "a", "question": "Q?", "options": options, "answer": answer, "image": "f.png"}
    return json.dumps(record, ensure_ascii=False)


SAME: dict[str, tuple[str, str]] = {
    "hendrycks/test 29: blanks that do not break": (
        item("Rise\u00a0\u00a0Rise", "Fall", "Rise  Rise", answer="Rise  Rise"),
        "its options A and C are the same",
    ),
    "MMAU 31: the key twice": (
        item("four", "one", "three", "three", answer="three"),
        "its options C and D are the same",
    ),
    "MMLU-Pro 24: padded with N/A, which is the key": (
        item("x", "N/A", "N/A", "N/A", answer="N/A"),
        "its options B, C and D are the same",
    ),
    "MicrobeTrace 190: a character without width": (
        item("cup\u200b", "cup", "pan", answer="cup"),
        "its options A and B are the same",
    ),
    "deja-vu 1098: both forms of an accent": (
        item("caf\u00e9", nfd("caf\u00e9"), answer="caf\u00e9"),
        "its options A and B are the same",
    ),
}


@pytest.mark.parametrize(("text", "why"), SAME.values(), ids=SAME)
def test_an_item_whose_key_is_two_options_is_refused(tmp_path: Path, text: str, why: str) -> None:
    items, bad, _ = read(tmp_path, text)
    assert items == []
    assert why in bad[0]


ALIKE: dict[str, tuple[str, str]] = {
    "MMAU 31: another option twice": (
        item("six", "five", "six", answer="five"),
        'its options A and C are the same ("six")',
    ),
    "MMLU-Pro 24: padded with N/A": (item("x", "N/A", "N/A", answer="x"), 'its options B and C are the same ("N/A")'),
    "deja-vu 1098: wide letters": (
        item("\uff21\uff22", "AB", "x", answer="AB"),
        "its options A and B differ only in typography",
    ),
    "DeepTutor 1409: case": (item("Cup", "cup", "x", answer="cup"), "its options A and B differ only in case"),
    "pokemon-tcg-data 224: quotation marks": (
        item("don\u2019t", "don't", "x", answer="don't"),
        "its options A and B differ only in typography",
    ),
}


@pytest.mark.parametrize(("text", "why"), ALIKE.values(), ids=ALIKE)
def test_other_options_that_look_alike_are_named(tmp_path: Path, text: str, why: str) -> None:
    items, bad, warnings = read(tmp_path, text)
    assert (len(items), bad) == (1, [])
    assert [why in warning for warning in warnings] == [True]


PLAIN = '{"id": "a", "question": "Q?", "options": ["x", "y"], "image": "f.png", '
TWICE = {
    "parson 7: the same value": PLAIN + '"answer": "x", "answer": "x"}',
    "cityjson/specs 2: another value": PLAIN + '"answer": "x", "answer": "y"}',
    "gnatcoll-core 3: in an object that nothing reads": PLAIN + '"answer": "x", "meta": {"roles": ["a"], "roles": []}}',
    "JSON-java 956: written with an escape": PLAIN + '"answer": "x", "\\u0061nswer": "y"}',
    "jsoncons 505: a letter of two options": (
        '{"id": "a", "question": "Q?", "options": {"A": "x", "B": "y", "A": "z"}, "answer": "x", "image": "f.png"}'
    ),
}


@pytest.mark.parametrize("text", TWICE.values(), ids=TWICE)
def test_a_record_that_says_two_things_is_refused(tmp_path: Path, text: str) -> None:
    items, bad, _ = read(tmp_path, text)
    assert items == []
    assert "appears twice in one object" in bad[0]


COLUMNS = "id,question,option_1,option_2,answer,{},image\na,Q?,x,y,x,y,f.png\n"
TWINS = {
    "duckdb 13807: case": (PLAIN + '"answer": "x", "Answer": "y"}', "i.jsonl", "the key 'Answer'"),
    "postmangovsg 88: a character without width": (
        PLAIN + '"answer": "x", "answer\u200b": "y"}',
        "i.jsonl",
        "the key 'answer\\u200b'",
    ),
    "pandas 14704: a column that was read before": (COLUMNS.format("answer.1"), "i.csv", "the column 'answer.1'"),
    "pandas 27021: a column in other case": (COLUMNS.format("Answer"), "i.csv", "the column 'Answer'"),
}


@pytest.mark.parametrize(("text", "name", "which"), TWINS.values(), ids=TWINS)
def test_another_spelling_of_a_key_that_is_read_is_named(tmp_path: Path, text: str, name: str, which: str) -> None:
    items, _, (warning,) = read(tmp_path, text, name=name)
    assert [each.fields["answer"] for each in items] == ["x"]
    assert f"Touchstone imports 'answer' and ignores {which}." in warning


@pytest.mark.parametrize("first", ["sep=;\n", "\ufeffsep=;\r\n", '"sep=;"\n', "Sep = ;\n"])
def test_items_of_a_spreadsheet_are_read_like_ratings(tmp_path: Path, first: str) -> None:
    """parsecsv-for-php 60, PapaParse 951: the first line names the separator."""
    text = "id;question;option_1;option_2;answer;image;;\na;Q?;1,5;2,5;1,5;f.png;;\n"
    items, _, _ = read(tmp_path, first + text, name="i.csv")
    assert [each.fields["options"] for each in items] == [["1,5", "2,5"]]
