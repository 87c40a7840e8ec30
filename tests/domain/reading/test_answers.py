"""What answers state: cases of each manner, answers built with a known truth, and what has to hold for every text."""

from __future__ import annotations

import json
import random
from itertools import cycle, islice
from pathlib import Path
from typing import Any

import pytest

from domain.reading.answers import RULES, AnswerKind, ExpectedAnswer, Reading, ReadOutcome, read_answer
from tests.paths import shared

OWN = Path(__file__).with_name("answers.jsonl")


def cases(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def asked_of(case: dict[str, Any]) -> ExpectedAnswer:
    return ExpectedAnswer(AnswerKind(case["kind"]), tuple(case["options"] or ()), case["unit"])


def read(case: dict[str, Any], answer: str | None = None) -> Reading:
    return read_answer(
        case["answer"] if answer is None else answer, asked_of(case), finish_reason=case["finish_reason"]
    )


def meets(found: Reading, expected: dict[str, Any], kind: str) -> bool:
    if "outcome" in expected:
        refused = found.outcome is ReadOutcome.REFUSED
        return found.outcome is not ReadOutcome.READ and refused == (expected["outcome"] == "refused")
    if found.outcome is not ReadOutcome.READ:
        return False
    value = list(found.value) if isinstance(found.value, tuple) else found.value
    wanted = expected["read"]
    return sorted(value) == sorted(wanted) if kind == "multi" else value == wanted  # type: ignore[arg-type]


def judged(path: Path) -> tuple[list[str], list[str], int]:
    """The ids of cases that are not as expected, those of them that are silently wrong, and how many there are."""
    other, silent = [], []
    for case in (found := cases(path)):
        reading = read(case)
        if not any(meets(reading, each, case["kind"]) for each in case["expected"]):
            other.append(case["id"])
            silent += [case["id"]] * (reading.outcome is ReadOutcome.READ)
    return other, silent, len(found)


@pytest.mark.thorough
def test_our_own_cases_are_read_as_a_careful_person_reads_them() -> None:
    other, silent, n = judged(OWN)
    assert n > 1000
    assert (other, silent) == ([], [])


def test_the_shared_cases_are_read_within_the_goal() -> None:
    """At most 2 in 100 silently wrong and 8 in 100 not as expected is the goal; none of these is."""
    assert judged(shared("data", "replies", "model_answers.jsonl"))[:2] == ([], [])


@pytest.mark.thorough
def test_a_reader_that_reads_nothing_would_not_pass() -> None:
    only_read = [case for case in cases(OWN) if all("read" in each for each in case["expected"])]
    assert len(only_read) > 500
    assert all(read(case).outcome is ReadOutcome.READ for case in only_read)


# ---- what holds for every text --------------------------------------------------------------------------------------


@pytest.mark.thorough
def test_what_is_read_has_a_rule_and_words_in_the_text_and_what_is_not_has_a_sentence() -> None:
    rules = {rule.name for rule in RULES}
    for case in cases(OWN):
        found = read(case)
        assert all(0 <= start < end <= len(case["answer"]) for start, end in found.spans), case["id"]
        if found.outcome is ReadOutcome.READ:
            assert found.rule in rules, case["id"]
            assert found.spans, case["id"]
            assert found.why == "", case["id"]
        else:
            assert found.value is None, case["id"]
            assert found.why.endswith("."), case["id"]
            assert found.why[0].isupper(), case["id"]


@pytest.mark.thorough
def test_the_words_that_are_kept_are_the_statement_itself() -> None:
    """What was read, read again out of its words alone, is the same: nothing else in the text was needed."""
    for case in cases(OWN):
        found = read(case)
        if found.outcome is ReadOutcome.READ and case["kind"] in ("option", "yes_no") and not case["finish_reason"]:
            start, end = found.spans[0]
            again = read(case, case["answer"][start:end])
            assert (again.outcome, again.value) == (found.outcome, found.value), case["id"]


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("before", "behind"),
    [("<think>The answer is A. No, B, 5, yes.</think>", ""), ("", " \n\n "), ("\ufeff \n", ""), ("", "<|im_end|>")],
)
def test_reasoning_in_front_and_blanks_around_change_nothing(before: str, behind: str) -> None:
    for case in cases(OWN):
        if "<" in case["answer"] or "think" in case["answer"].lower() or case["finish_reason"]:
            continue
        plain, dressed = read(case), read(case, before + case["answer"] + behind)
        same = (plain.outcome, plain.value, plain.places) == (dressed.outcome, dressed.value, dressed.places)
        assert same, case["id"]


def test_places_follow_the_options_when_they_change_their_places() -> None:
    options = ("peel the potato", "close the drawer", "wash the carrot", "fill the kettle")
    for shift in range(4):
        turned = options[shift:] + options[:shift]
        for place, text in enumerate(turned):
            letter = "ABCD"[place]
            for answer in (letter, f"{letter}. {text}", f"The best action is {letter}.", text):
                found = read_answer(answer, ExpectedAnswer(AnswerKind.OPTION, turned))
                assert (found.value, found.places) == (text, (place,))


def test_options_of_one_wording_are_all_kept() -> None:
    asked = ExpectedAnswer(AnswerKind.OPTION, ("cut", "peel", "cut"))
    assert read_answer("C", asked).places == (0, 2)
    assert read_answer("cut", asked).places == (0, 2)
    assert read_answer("cut", asked).value == "cut"


@pytest.mark.thorough
@pytest.mark.parametrize(
    "piece",
    [
        "A ",
        "B, ",
        "answer: ",
        "the answer is ",
        "1 ",
        "{",
        '{"answer": ',
        "\\boxed{",
        "<answer>",
        "wait, ",
        "选",
        "\n",
        "'",
        "**",
        "twenty ",
    ],
)
def test_hostile_repetition_costs_linear_time(piece: str) -> None:
    """A pattern that doubled its work with each repetition would not come back within this test's own time limit."""
    options = ("open the fridge", "put the pot on the stove", "turn on the tap")
    for kind in (AnswerKind.OPTION, AnswerKind.NUMBER):
        read_answer(piece * (60_000 // len(piece)), ExpectedAnswer(kind, options if kind is AnswerKind.OPTION else ()))


# ---- free texts -----------------------------------------------------------------------------------------------------


def test_a_free_text_is_itself_unless_it_says_nothing() -> None:
    free = ExpectedAnswer(AnswerKind.TEXT)
    found = read_answer("<think>a cup?</think>\n It is  a red cup.\n", free)
    assert (found.value, found.rule) == ("It is a red cup.", "text")
    assert read_answer("I'm sorry, but I can't see the image.", free).outcome is ReadOutcome.REFUSED
    assert read_answer(" ", free).outcome is ReadOutcome.EMPTY
    assert read_answer("Failed to obtain answer via API.", free).outcome is ReadOutcome.EMPTY
    assert read_answer("It is a red", free, finish_reason="length").outcome is ReadOutcome.TRUNCATED
    assert read_answer("It cannot be told from here which cup is full.", free).outcome is ReadOutcome.READ


# ---- real size, with the truth known by construction ----------------------------------------------------------------

LETTERED = ["{l}", "{l}.", "({l})", "{l})", "Option {l}", "{l}: {t}", "{l}. {t}", "Answer: {l}", "The answer is {l}.", "**{l}**", "\\boxed{{{l}}}",
            "<think>Not {w}.</think>{l}", "{l}<|im_end|>", '{{"answer": "{l}"}}', "The correct answer is ({l}) {t}.", "{t}"]  # fmt: skip
ACTIONS = ["The best action is {l}. {T} because it is safe.", "The best action is {l}. {t}", "The best action is {l}.", "{l}. {t}", "The best action is {l}, since the others do not fit.",
           "Looking at the scene, the best action is {l}. {T}.", "{T}", "I would choose {l}: {t}."]  # fmt: skip


def stated(template: str, options: tuple[str, ...], place: int) -> str:
    text = options[place].strip().rstrip(".")
    wrong = "ABCDEFGHIJ"[(place + 1) % len(options)]
    return template.format(l="ABCDEFGHIJ"[place], t=text, T=text[:1].upper() + text[1:], w=wrong)


def told_apart(items: list[tuple[str, ...]], templates: list[str]) -> None:
    """Right and wrong answers alike are read as the option that they were made of."""
    draw = random.Random(7)
    for options, template in zip(items, islice(cycle(templates), len(items)), strict=True):
        place = draw.randrange(len(options))
        found = read_answer(stated(template, options, place), ExpectedAnswer(AnswerKind.OPTION, options))
        assert found.value == options[place], (template, options, found)
        assert place in found.places


@pytest.mark.thorough
def test_the_answers_to_egoplan_are_all_read() -> None:
    rows = json.loads(shared("data", "egoplan", "EgoPlan_validation.json").read_text(encoding="utf-8"))
    items = [tuple(str(row[f"choice_{letter}"]) for letter in "abcd") for row in rows]
    told_apart(items[::5], LETTERED)


def test_the_answers_to_pca_bench_are_all_read() -> None:
    rows = [
        row
        for path in sorted(shared("data", "pca_bench").glob("*.json"))
        for row in json.loads(path.read_text(encoding="utf-8"))
    ]
    told_apart([tuple(map(str, row["actions"])) for row in rows if row.get("actions")], ACTIONS)


@pytest.mark.parametrize(
    ("kind", "text"),
    [(AnswerKind.NUMBER, "1" * 9000), (AnswerKind.YES_NO, "'" * 30_000 + " x"), (AnswerKind.YES_NO, "(" * 30_000)],
)
def test_long_runs_are_read_in_a_moment_and_without_an_error(kind: AnswerKind, text: str) -> None:
    """The first was an error in the middle of a run, the others took minutes."""
    assert read_answer(text, ExpectedAnswer(kind)).outcome is not ReadOutcome.READ


_IN_JSON = ("café crème", 'tea "green"', "1/2 cup", "日本茶", "milk 🥛")


@pytest.mark.parametrize("kind", [AnswerKind.OPTION, AnswerKind.MULTI])
@pytest.mark.parametrize("option", _IN_JSON)
def test_every_option_is_read_from_json_whatever_its_letters_are_escaped_as(kind: AnswerKind, option: str) -> None:
    said = {"answer": [option] if kind is AnswerKind.MULTI else option}
    texts = [json.dumps(said), json.dumps(said, ensure_ascii=False), json.dumps(said).replace("/", "\\/")]
    texts += [json.dumps(texts[0]), f"```json\n{json.dumps(said, indent=2)}\n```"]
    texts.append(json.dumps({"reason": 'The label reads "thé".', **said}))
    wanted = (option,) if kind is AnswerKind.MULTI else option
    assert {text: read_answer(text, ExpectedAnswer(kind, _IN_JSON)).value for text in texts} == dict.fromkeys(
        texts, wanted
    )


_WITH_SIGNS = [
    ("milk 🥛", "C++", "C#", "100%"),
    ("😀", "😢", "😡", "😐"),
    ("→", "←", "↑", "↓"),
    ("+5 °C", "-5 °C", "5 °C", "0 °C"),
    ("$5", "€5", "5", "5,000"),
    ("x²", "x³", "√x", "∞"),
    ("12-15", "15-12", "12:15", "15:12"),
    (".5", "0.5", "1/2", "1:2"),
    ("turn left (now)", "turn left", "turn left, then right", "left"),
    ("<5", ">5", "≤5", "≥5"),
    ("+", "-", "×", "÷"),
]
_STATED = (
    "{}",
    '{{"answer": "{}"}}',
    "The answer is {}",
    'The answer is "{}".',
    "**{}**",
    "Answer: {}",
    "\\boxed{{{}}}",
)


@pytest.mark.parametrize("kind", [AnswerKind.OPTION, AnswerKind.MULTI])
@pytest.mark.parametrize("options", _WITH_SIGNS, ids=lambda options: options[0])
def test_options_that_differ_in_signs_alone_are_told_apart(kind: AnswerKind, options: tuple[str, ...]) -> None:
    texts = {manner.format(option): option for manner in _STATED for option in options}
    texts |= {
        manner.format("ABCD"[place], option): option
        for manner in ("{}. {}", "({}) {}", "I look at the picture.\n\nAnswer: {}. {}")
        for place, option in enumerate(options)
    }
    said = {text: read_answer(text, ExpectedAnswer(kind, options)).value for text in texts}
    assert said == (texts if kind is AnswerKind.OPTION else {text: (option,) for text, option in texts.items()})


_COUNTING = (
    "There are {} cups.",
    "There are {} cups in the image.",
    "{} cups",
    "I see {} cups.",
    "The image shows {} cups.",
    "Answer: {} cups",
    '{{"answer": "{} cups"}}',
)


@pytest.mark.parametrize("manner", _COUNTING)
def test_none_is_counted_as_any_other_number_is(manner: str) -> None:
    asked = ExpectedAnswer(AnswerKind.NUMBER)
    said = {word: read_answer(manner.format(word), asked).value for word in ("3", "three", "0", "no")}
    assert said == {"3": 3.0, "three": 3.0, "0": 0.0, "no": 0.0}


@pytest.mark.parametrize(
    "text",
    [
        "There is no way to tell.",
        "There is no image.",
        "No idea.",
        "No more than that.",
        "There are no cups or there may be one.",
        "No, there are many cups.",
        "No information is given.",
        "There are no clear cups but some plates.",
        "None of the above",
        "There is no answer.",
    ],
)
def test_a_sentence_without_a_count_is_no_zero(text: str) -> None:
    assert read_answer(text, ExpectedAnswer(AnswerKind.NUMBER)).value is None
