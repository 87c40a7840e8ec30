"""Rules of wording: which texts break them, in which sentence, and which rules make no sense in a schema."""

from __future__ import annotations

from typing import Any

import pytest

from annotation_schemas.kinds import refused_wording, unheld_wording
from annotation_schemas.loader import examine_text, load_text
from annotation_schemas.model import Schema
from domain.errors import SchemaError

HEAD = """\
name: worded
version: 1
title: Worded
dimensions: [{id: one, title: One}]
item:
  fields:
    - {name: question, kind: text, QUESTION}
    - {name: options, kind: text_list, required: false, OPTIONS}
    - {name: answer, kind: option_of, field: options, required: false, secret_in: [refinement], ANSWER}
    - {name: note, kind: long_text, required: false, NOTE}
    - {name: from_file, kind: text, required: false, authored: false}
    - {name: size, kind: integer, required: false, SIZE}
stages:
  authoring: {}
"""


def text(**told: str) -> str:
    found = HEAD
    for name in ("question", "options", "answer", "note", "size"):
        found = found.replace(f", {name.upper()}}}", f", {told[name]}}}" if name in told else "}")
    return found


def schema(**told: str) -> Schema:
    return load_text(text(**told), "", "worded").schema_


def said(found: Schema, **fields: Any) -> list[str]:
    return [f"{each.field}.{each.rule}: {each.sentence}" for each in unheld_wording(found, fields)]


@pytest.mark.parametrize(
    ("rule", "question", "broken"),
    [
        ("person: first", "What am I holding?", False),
        ("person: first", "Where\u2019s OUR cup?", False),
        ("person: first", "What is he holding?", True),
        ("person: first", "What do you see me do?", True),  # two persons
        ("person: first", "What is on the US map?", True),  # a country
        ("person: second", "What are you holding?", False),
        ("person: second", "Am I holding your cup?", True),
        ("person: third", "What is the man in the US doing?", False),
        ("person: third", "What am I doing?", True),
        ("words: {least: 4, most: 6}", "What is this?", True),  # 3
        ("words: {least: 4, most: 6}", "What is this \u2013 really?", False),  # 4: a dash is no word
        ("words: {least: 4, most: 6}", "Is the well-known cup 3.5 cm?", False),  # 6
        ("words: {least: 4, most: 6}", "Is the red cup over there mine?", True),  # 7
        ("forbidden: [obviously, 'of course']", "Obviously, what?", True),
        ("forbidden: [obviously, 'of course']", "Is it OF COURSE?", True),
        ("forbidden: [obviously, 'of course']", "Of the course or unobviously?", False),
        ("forbidden: [cup]", "How many cupboards?", False),
        ("ends_with: '?'", "What is this", True),
        ("ends_with: '?'", "这是什么\uff1f", False),  # the wide mark is the same mark
        ("ends_with: '?'", "What is this? ", False),
        ("not_in: [options]", "a red cup", True),
        ("not_in: [options]", "What?", False),
    ],
)
def test_a_text(rule: str, question: str, broken: bool) -> None:
    found = said(schema(question=f"wording: {{{rule}}}"), question=question, options=["It is a red cup.", "a plate"])
    assert [each.partition(":")[0] for each in found] == [f"question.{rule.partition(':')[0]}"] * broken


@pytest.mark.parametrize(
    ("rule", "options", "sentence"),
    [
        ("alike_length: 1.5", ["abcdef", "abcd"], None),  # 6 of 4 is 1.5
        (
            "alike_length: 1.5",
            ["abcd", "", "abcdefg"],
            "Entry 3 (7 characters) is more than 1.5 times as long as entry 1 (4)",
        ),
        ("alike_length: 1.5", ["a  b", " abc "], None),  # 3 and 3
        ("no_rewording: true", ["The red cups.", "a Red Cup", "green cup"], "Entries 1 and 2 have the same meaning"),
        (
            "no_rewording: true",
            ["turn on the tap", "turn the tap on", "Turn tap on!"],
            "Entries 1, 2 and 3 have the same meaning",
        ),
        ("no_rewording: true", ["wash, peel, cut", "wash, cut, peel"], None),  # another order
        ("no_rewording: true", ["5", "-5", "5%", ".5", "< 5", "> 5"], None),
        ("no_rewording: true", ["✓", "✗", "A", "the"], None),
        ("words: {most: 2}", ["a red cup", "a cup"], "Entry 1: The text has 3 words. Write at most 2."),
        ("ends_with: .", ["One.", "two"], "Entry 2: End the text with “.”."),
        ("forbidden: [all of the above]", ["cup", "All of the above."], "Entry 2: Remove “all of the"),
        ("not_in: [question]", ["red", "green"], "Entry 1: “red” also appears in Question."),
    ],
)
def test_a_list(rule: str, options: list[str], sentence: str | None) -> None:
    found = said(schema(options=f"wording: {{{rule}}}"), question="Is it the red one?", options=options)
    assert [each.partition(": ")[2].startswith(sentence or "?") for each in found] == [True] * (sentence is not None)


def test_other_languages_have_no_english_articles_and_plurals() -> None:
    rule = "wording: {no_rewording: true}"
    options = {"options": ["a casa", "casa", "CASA.", "casas"]}
    assert said(schema(options=f"language: pt, {rule}"), **options) == [
        "options.no_rewording: Entries 2 and 3 have the same meaning. Change or remove entries."
    ]
    assert said(schema(options=f"language: en-GB, {rule}"), **options) == [
        "options.no_rewording: Entries 1, 2, 3 and 4 have the same meaning. Change or remove entries."
    ]


def test_an_answer_in_the_question_unless_others_are_there_too() -> None:
    found = schema(answer="wording: {not_in: [question]}")
    options = ["a red cup", "a plate"]
    given = {"options": options, "answer": options[0]}
    assert said(found, question="Why is there a red cup?", **given) == [
        "answer.not_in: “a red cup” also appears in Question. Use different words."
    ]
    assert said(found, question="Is it a plate or a red cup?", **given) == []
    assert said(found, question="为什么这里有红色的杯子?", options=["杯子", "盘子"], answer="杯子") == [
        "answer.not_in: “杯子” also appears in Question. Use different words."
    ]


def test_nothing_is_said_of_what_someone_does_not_see() -> None:
    found = schema(answer="wording: {not_in: [question]}", note="wording: {not_in: [answer], ends_with: .}")
    fields = {"question": "A cup?", "options": ["cup", "pan"], "answer": "cup", "note": "cup"}
    assert {each.field for each in unheld_wording(found, fields)} == {"answer", "note"}
    seen = [each.rule for each in unheld_wording(found, fields, seen={"question", "options", "note"})]
    assert seen == ["ends_with"]


@pytest.mark.parametrize("value", [None, "", "  ", [], [""], 7, {"a": 1}, [None, 3, ["x"]], True])
def test_what_is_no_text_breaks_nothing(value: Any) -> None:
    rules = "wording: {person: first, words: {least: 9}, ends_with: '?', not_in: [options], stops: true}"
    found = schema(question=rules, options="wording: {alike_length: 1, no_rewording: true, words: {least: 2}}")
    assert said(found, question=value, options=value) == []


def test_what_stops_is_refused_and_the_rest_is_said() -> None:
    rules = "wording: {words: {least: 3}, ends_with: '?', stops: [ends_with]}"
    assert [each.message for each in refused_wording(schema(question=rules), {"question": "What"})] == [
        "Question: End the text with “?”."
    ]
    assert refused_wording(schema(question=rules.replace("[ends_with]", "false")), {"question": "What"}) == []
    every = refused_wording(schema(question=rules.replace("[ends_with]", "true")), {"question": "What"})
    assert [each.name for each in every] == ["question", "question"]


def test_what_more_words_may_mend_is_told_apart() -> None:
    rules = "wording: {person: first, words: {least: 3, most: 5}, ends_with: '?', forbidden: [so]}"
    found = schema(question=rules)
    assert {each.rule: each.later for each in unheld_wording(found, {"question": "so"})} == {
        "person": True, "words": True, "ends_with": True, "forbidden": False,
    }  # fmt: skip
    assert {each.rule: each.later for each in unheld_wording(found, {"question": "I a b c d e?"})} == {"words": False}


@pytest.mark.parametrize(
    ("told", "key", "remedy"),
    [
        ({"question": "wording: {}"}, "wording", "`wording` has no rule"),
        ({"question": "wording: {stops: true}"}, "wording", "`wording` has no rule"),
        ({"question": "wording: {alike_length: 2}"}, "wording.alike_length", "is a single text"),
        ({"question": "wording: {words: {}}"}, "wording.words", "give `least`, `most` or both"),
        ({"question": "wording: {words: {least: 0}}"}, "wording.words.least", "at least 1"),
        ({"question": "wording: {words: {least: 5, most: 4}}"}, "wording.words.most", "lower `least`"),
        ({"question": "wording: {words: {least: many}}"}, "wording.words.least", "write the number in digits"),
        ({"question": "wording: {forbidden: [so, So]}"}, "wording.forbidden[1]", "appears twice"),
        ({"question": "wording: {forbidden: ['?']}"}, "wording.forbidden[0]", "no word to look for"),
        ({"question": "wording: {forbidden: so}"}, "wording.forbidden", "write [so]"),
        ({"question": "wording: {ends_with: ' '}"}, "wording.ends_with", "write the required ending"),
        ({"question": "wording: {not_in: [optons]}"}, "wording.not_in[0]", "did you mean `options`?"),
        ({"question": "wording: {not_in: [question]}"}, "wording.not_in[0]", "is the field itself"),
        ({"question": "wording: {not_in: [size]}"}, "wording.not_in[0]", "is not a field with text"),
        ({"question": "wording: {not_in: [from_file]}"}, "wording.not_in[0]", "comes only from files"),
        ({"question": "wording: {person: fourth}"}, "wording.person", "known values: first, second, third"),
        ({"question": "wording: {person: first}, language: de"}, "wording.person", "only in English"),
        ({"question": "language: english language"}, "language", "write, for example, `en`"),
        ({"question": "wording: {words: {most: 9}, stops: [word]}"}, "wording.stops[0]", "did you mean `words`?"),
        (
            {"question": "wording: {words: {most: 9}, stops: [person]}"},
            "wording.stops[0]",
            "`person` is not set in `wording`",
        ),
        ({"question": "wording: {wrods: {most: 9}}"}, "wording.wrods", "did you mean `words`?"),
        ({"options": "wording: {alike_length: 0.5}"}, "wording.alike_length", "give 1 or more"),
        ({"answer": "wording: {ends_with: .}"}, "wording.ends_with", "move the rule to `options`"),
        (
            {"answer": "wording: {not_in: [options]}"},
            "wording.not_in[0]",
            "so the chosen text always appears in the list",
        ),
        ({"size": "wording: {words: {most: 9}}"}, "wording", "fields of kind `text`"),
        ({"size": "language: en"}, "language", "fields of kind `text`"),
    ],
)
def test_rules_that_make_no_sense_are_refused_with_line_and_key(told: dict[str, str], key: str, remedy: str) -> None:
    at = ["question", "options", "answer", "note", "from_file", "size"].index(next(iter(told)))
    with pytest.raises(SchemaError) as refused:
        examine_text(text(**told), "", "worded.yaml")
    line = f"worded.yaml:{7 + at}: item.fields[{at}].{key}: "
    errors = str(refused.value).splitlines()
    assert [each for each in errors if each.startswith(line) and remedy in each], errors
