"""Records come apart and together without loss, whatever the file looks like."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from domain import json_layout, json_text
from domain.json_layout import INDENTED, ONE_LINE, Layout
from domain.json_text import NotJson
from domain.records import Fragment

pytestmark = pytest.mark.thorough

TEXTS = st.text(st.characters(blacklist_categories=["Cs"], blacklist_characters="\x00"), max_size=8)
SCALARS = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False, allow_infinity=False), TEXTS)
VALUES = st.recursive(SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3))
RECORDS = st.lists(st.dictionaries(TEXTS, VALUES, max_size=4), max_size=5)


def written(value: Any, dice: random.Random) -> str:
    """A value as JSON text with white space and escapes wherever JSON allows them."""

    def space() -> str:
        return "".join(dice.choices(" \t\n\r", k=dice.choice([0, 0, 0, 1, 2])))

    def inner(value: Any) -> str:
        return space() + written(value, dice) + space()

    if isinstance(value, dict):
        members = [f"{space()}{written(key, dice)}{space()}:{inner(entry)}" for key, entry in value.items()]
        return "{" + (",".join(members) or space()) + "}"
    if isinstance(value, list):
        return "[" + (",".join(inner(entry) for entry in value) or space()) + "]"
    text = json.dumps(value, ensure_ascii=dice.random() < 0.5)
    return text.replace("/", "\\/") if isinstance(value, str) and dice.random() < 0.5 else text


@st.composite
def files(draw: st.DrawFn) -> tuple[list[dict[str, Any]], str]:
    records = draw(RECORDS)
    dice = random.Random(draw(st.integers(0, 2**32)))
    return records, dice.choice(["", "\ufeff"]) + written(records, dice) + dice.choice(["", "\n", "\r\n"])


def taken_apart(text: str) -> list[Fragment]:
    found = json_text.split(text)
    assert [piece.problem for piece in found.pieces if piece.problem] == []
    return [Fragment(piece.lead, piece.raw) for piece in found.pieces]


def put_together(text: str, fragments: list[Fragment | str]) -> str:
    found = json_text.split(text)
    layout = json_layout.layout_of(found, ONE_LINE)
    return json_layout.join(fragments, head=found.head, tail=found.tail, layout=layout)


@settings(max_examples=50)
@given(files())
def test_any_array_of_objects_comes_out_as_it_went_in(file: tuple[list[dict[str, Any]], str]) -> None:
    records, text = file
    fragments = taken_apart(text)
    assert [json.loads(fragment.raw) for fragment in fragments] == records
    assert put_together(text, [*fragments]) == text


@settings(max_examples=50)
@given(files(), st.data())
def test_an_edit_changes_one_value_and_no_other_byte(
    file: tuple[list[dict[str, Any]], str], data: st.DataObject
) -> None:
    records, text = file
    full = [i for i, record in enumerate(records) if record]
    if not full:
        return
    place = data.draw(st.sampled_from(full))
    key = data.draw(st.sampled_from(list(records[place])))
    value = data.draw(VALUES.filter(lambda value: value is not None))
    fragments = taken_apart(text)
    raw = fragments[place].raw
    after = json_layout.edited(raw, {key: value}, ONE_LINE)
    assert json_layout.same(json.loads(after), {**records[place], key: value})
    assert list(json.loads(after)) == list(records[place])
    # what stands before and after the value is untouched
    others = [json_layout.edited(text, {key: 0}, ONE_LINE) for text in (raw, after)]
    assert others[0] == others[1]


STYLES = [
    {"indent": indent, "separators": separators, "ensure_ascii": ascii_only}
    for indent in (None, 1, 2, 4, "\t")
    for separators in (None, (",", ":"), (", ", ": "), (" , ", " : "))
    if indent is None or separators is None or separators[0] == ","
    for ascii_only in (True, False)
]


@settings(max_examples=25)
@given(records=RECORDS)
def test_new_records_are_written_as_the_file_writes_its_own(records: list[dict[str, Any]]) -> None:
    """The oracle is ``json.dumps``: a file of its making, and one more record, is what it makes of all of them.

    Each example is written in every style: drawing it takes far longer than writing it.
    """
    known = [{"a": "\u00e9", "b": ["x", "y"], "c": 1}, {"a": "z", "b": ["x"], "c": 2}]
    for style in STYLES:
        text = json.dumps(known, **style)
        layout = json_layout.layout_of(json_text.split(text), ONE_LINE)
        new = [json_layout.record_text(record, layout) for record in records]
        assert put_together(text, [*taken_apart(text), *new]) == json.dumps(known + records, **style), style


@pytest.mark.parametrize(("layout", "style"), [(ONE_LINE, {}), (INDENTED, {"indent": 4})])
@settings(max_examples=30)
@given(records=RECORDS)
def test_a_new_file_is_what_json_dump_writes(
    layout: Layout, style: dict[str, Any], records: list[dict[str, Any]]
) -> None:
    texts = [json_layout.record_text(record, layout) for record in records]
    assert json_layout.join(texts, head=None, tail=None, layout=layout) == json.dumps(records, **style)


SAMPLE = """\
[
    {
        "a": "1\\u00e9",
        "list": [
            "x",
            "y"
        ],
        "n": 1.0,
        "deep": [{"k": 1, "l": 2}]
    }
]
"""


@pytest.mark.parametrize(
    ("changes", "old", "new"),
    [
        ({"a": "ü/"}, '"1\\u00e9"', '"\\u00fc/"'),
        ({"list": ["x", "z"]}, '"y"', '"z"'),
        ({"list": ["x", "y", "z"]}, '"y"\n', '"y",\n            "z"\n'),
        ({"list": ["x"]}, '"x",\n            "y"\n', '"x"\n'),
        ({"list": []}, '[\n            "x",\n            "y"\n        ]', "[]"),
        ({"n": 2}, "1.0", "2"),
        ({"deep": [{"k": 1, "l": 3}]}, '"l": 2', '"l": 3'),
        ({"n": None}, '        "n": 1.0,\n', ""),
        ({"deep": None}, ',\n        "deep": [{"k": 1, "l": 2}]', ""),
        ({"new": True}, '"l": 2}]', '"l": 2}],\n        "new": true'),
    ],
)
def test_an_edit_is_spliced_in(changes: dict[str, Any], old: str, new: str) -> None:
    assert SAMPLE.count(old) == 1
    fragment = taken_apart(SAMPLE)[0]
    after = json_layout.edited(fragment.raw, changes, INDENTED)
    assert put_together(SAMPLE, [Fragment(fragment.lead, after)]) == SAMPLE.replace(old, new)


def test_a_new_key_goes_where_the_format_has_it() -> None:
    after = json_layout.edited('{"a": 1, "c": 3}', {"b": 2}, ONE_LINE, order=("a", "b", "c"))
    assert after == '{"a": 1, "b": 2, "c": 3}'
    assert json_layout.edited('{"b": 1}', {"a": 2}, ONE_LINE, order=("a", "b")) == '{"a": 2, "b": 1}'
    assert json_layout.edited("{}", {"a": 2}, ONE_LINE) == '{"a": 2}'


def test_of_a_repeated_key_the_last_counts() -> None:
    raw = '{"a": 1, "a": 2, "b": 3}'
    assert json_text.values(raw, ["a"]) == {"a": 2}
    assert json_layout.edited(raw, {"a": 5}, ONE_LINE) == '{"a": 1, "a": 5, "b": 3}'
    assert json_layout.edited(raw, {"a": None}, ONE_LINE) == '{"b": 3}'


def test_escapes_follow_the_record() -> None:
    assert (
        json_layout.edited('{"a": "\\u00E9", "b": "\\/"}', {"a": "ü/k"}, ONE_LINE) == '{"a": "\\u00FC\\/k", "b": "\\/"}'
    )
    assert json_layout.edited('{"a": "é"}', {"a": "ü"}, ONE_LINE) == '{"a": "ü"}'
    assert json_layout.edited('{"a": "e"}', {"a": "ü"}, ONE_LINE) == '{"a": "\\u00fc"}'
    assert json_layout.edited('{"a": "e"}', {"a": "\U0001f600"}, ONE_LINE) == '{"a": "\\ud83d\\ude00"}'


def test_what_cannot_be_shown_is_replaced_in_the_value_only() -> None:
    raw = '{"a": "x\\ud800", "b": "\\u0000"}'
    assert json_text.values(raw, ["a", "b"]) == {"a": "x\ufffd", "b": "\ufffd"}
    assert json_layout.edited(raw, {"b": "y"}, ONE_LINE) == '{"a": "x\\ud800", "b": "y"}'


def test_nesting_may_be_deep_and_values_long() -> None:
    deep = '[{"a": ' + "[" * 100_000 + "]" * 100_000 + ', "b": "' + "x" * 1_000_000 + '", "n": ' + "9" * 9000 + "}]"
    fragments = taken_apart(deep)
    assert put_together(deep, [*fragments]) == deep
    assert len(json_text.values(fragments[0].raw, ["b"])["b"]) == 1_000_000
    with pytest.raises(NotJson, match="a is nested too deep"):
        json_text.values(fragments[0].raw, ["a"])
    with pytest.raises(NotJson, match="n has a number that is too large"):
        json_text.values(fragments[0].raw, ["n"])
    with pytest.raises(NotJson, match="n has a number that is too large"):
        json_text.values('{"n": 1e999}', ["n"])


BROKEN = [
    ('[{"a": 1}', 2, "the closing ] is missing"),
    ('[{"a": 1},', 2, "the file ends in the middle"),
    ('[{"a": 1}, {"a": "tex', 2, "missing or invalid"),
    ('[{"a": 1}, {"a"', 2, "the file ends in the middle"),
    ('[{"a": 1}, {"a": }]', 2, "a value is missing"),
    ('[{"a": 1}, {"a": NaN}]', 2, "a value is missing"),
    ('[{"a": 1}, {"a": 01}]', 2, "a comma or the closing }"),
    ('[{"a": 1}, {a: 1}]', 2, "a key in double quotes"),
    ("[{'a': 1}]", 1, "a key in double quotes"),
    ('[{"a": 1},]', 2, "missing after the last comma"),
    ('[{"a": 1}] x', 2, "more text after the closing ]"),
    ('[{"a": 1} {"a": 2}]', 2, "a comma or the closing ]"),
    ('[{"a": "line\nbreak"}]', 1, "missing or invalid"),
    ('[{"a": 1}, 3]', 2, "not a JSON object"),
    ('[{"a": 1}, null, {"b": 2}]', 2, "not a JSON object"),
    ('{"a": 1}\n{"a": 2\n{"a": 3}', 2, "ends in the middle"),
    ('{"a": 1}\n{"a": 2} {"a": 3}\n', 2, "more text after the record"),
    ('{"a": 1}\n[1]\n', 2, "not a JSON object"),
]


@pytest.mark.parametrize(("text", "row", "reason"), BROKEN)
def test_what_is_wrong_is_said_by_row(text: str, row: int, reason: str) -> None:
    found = json_text.split(text)
    assert found.head + "".join(piece.lead + piece.raw for piece in found.pieces) + found.tail == text
    problems = [(i, piece.problem) for i, piece in enumerate(found.pieces, 1) if piece.problem]
    assert [i for i, _ in problems] == [row]
    assert reason in str(problems[0][1])


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "empty"),
        (b" \n", "empty"),
        (b"\xef\xbb\xbf", "empty"),
        (b"hello", "not a JSON array"),
        (b'"text"', "not a JSON array"),
        (b"3", "not a JSON array"),
        (b'{\n "a": 1\n}', "not a JSON array"),
        ('[{"a": 1}]'.encode("utf-16"), "UTF-16"),
        ('[{"a": 1}]'.encode("utf-16-le"), "UTF-16"),
        ('[{"a": 1}]'.encode("utf-32"), "UTF-16"),
    ],
)
def test_what_is_no_file_of_records_is_refused(data: bytes, reason: str) -> None:
    with pytest.raises(NotJson, match=reason):
        json_text.split(json_text.decode(data))


@pytest.mark.parametrize("value", ["NaN", "-Infinity", "01", "[1,]", '"\t"', '"\\x"', "\v1", "'a'"])
def test_what_only_some_programs_take_for_json_is_named(value: str) -> None:
    found = json_text.split(f'[{{"a": 1}}, {{"a": {value}}}]')
    assert [piece.problem is None for piece in found.pieces] == [True, False]


def test_a_record_that_is_not_utf_8_is_named() -> None:
    found = json_text.split(json_text.decode(b'[{"a": "x"}, {"a": "\xe9"}]'))
    assert [piece.problem for piece in found.pieces] == [None, "the record is not UTF-8; save the file as UTF-8"]


def test_lines_come_out_as_they_went_in() -> None:
    text = '\ufeff{"a": 1}\r\n\r\n{"a": 2}\r\n  {"a": 3}\r\n'
    assert put_together(text, [*taken_apart(text)]) == text
    assert put_together(text, [*taken_apart(text), '{"a": 4}']) == text[:-2] + '\r\n{"a": 4}\r\n'
    assert put_together('{"a": 1}', [*taken_apart('{"a": 1}'), '{"a": 2}']) == '{"a": 1}\n{"a": 2}'
    assert put_together(text, []) == ""  # no line of which a reader would make a record


@pytest.mark.parametrize("kept", [[0, 2], [1, 2], [2], [1], []])
def test_a_selection_is_a_file_of_the_same_make(kept: list[int]) -> None:
    records = [{"a": i} for i in range(3)]
    for style in ({}, {"indent": 2}):
        text = json.dumps(records, **style)
        fragments = taken_apart(text)
        after = put_together(text, [fragments[i] for i in kept])
        assert json.loads(after) == [records[i] for i in kept]
        if kept:
            assert after == json.dumps([records[i] for i in kept], **style)
