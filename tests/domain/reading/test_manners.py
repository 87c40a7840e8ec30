"""Answers of known truth in the manners of today's models: how many are read wrongly, and how many not at all."""

from __future__ import annotations

from itertools import permutations

import pytest

from benchmarks.reading import held_out, tuned
from benchmarks.reading.__main__ import PARTS, SEED, missed
from benchmarks.reading.cases import Wording, asymmetric, judge, measure
from benchmarks.reading.cases import cases as made
from domain.reading.answers import AnswerKind, ExpectedAnswer, Reading, ReadOutcome, read_answer

pytestmark = pytest.mark.thorough


@pytest.mark.parametrize("part", PARTS)
def test_the_goals_hold_for_both_halves_of_the_wordings(part: str) -> None:
    """At most 1 % silently wrong and 4 % lost of ordinary answers, 4 % silently wrong of adversarial ones."""
    rates, _ = measure(PARTS[part], seed=SEED, repeat=1)
    assert min(each.cases for each in rates.values()) > 400
    assert missed({group: each.shares() for group, each in rates.items()}) == []


@pytest.mark.parametrize("part", PARTS)
def test_whether_an_answer_is_read_does_not_depend_on_which_option_it_is(part: str) -> None:
    assert asymmetric(PARTS[part], seed=SEED) == []


def test_no_wording_is_in_both_halves() -> None:
    texts = [{(each.text, each.kind, each.each) for each in PARTS[part]} for part in PARTS]
    assert texts[0] & texts[1] == set()


def test_a_reader_that_reads_nothing_or_the_first_letter_would_miss_the_goals() -> None:
    """The frozen set tells readers apart: all ordinary answers are lost, or the first of several letters is wrong."""
    ordinary = [each for each in tuned.ORDINARY if each.truth == "key"]
    found = [judge(case, Reading(ReadOutcome.UNREADABLE)) for case in made(ordinary, seed=SEED, repeat=1)]
    assert set(found) == {"lost"}
    traps = [each for each in held_out.TRAPS if each.manner == "denied"]
    found = [
        judge(case, Reading(ReadOutcome.READ, case.asked.options[0], (0,))) for case in made(traps, seed=SEED, repeat=1)
    ]
    assert set(found) == {"silently wrong"}


def test_the_set_is_frozen() -> None:
    """The same wording gives the same answers, whatever other wordings there are."""
    one = Wording("letter", "I think it is {L}.")
    alone = [case.text for case in made([one], seed=SEED, repeat=3)]
    among = [case.text for case in made([Wording("text", "{T}"), one], seed=SEED, repeat=3)]
    assert among[-len(alone) :] == alone


OPTIONS = ("cut the onion", "open the drawer", "close the tap", "leave the room")
JUDGED = (
    "- {a}: incorrect\n- {b}: correct\n- {c}: incorrect\n- {d}: incorrect",
    "{a} is wrong. {b} is right. {c} is wrong.",
)


@pytest.mark.parametrize("text", JUDGED)
def test_a_list_of_verdicts_is_read_for_every_order_of_the_letters(text: str) -> None:
    for letters in permutations("ABCD"):
        said = text.format(**dict(zip("abcd", letters, strict=True)))
        right = OPTIONS["ABCD".index(letters[1])]
        assert read_answer(said, ExpectedAnswer(AnswerKind.OPTION, OPTIONS)).value == right, said


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("2 lakh", 2e5),
        ("1 crore 20 lakh", 1.2e7),
        ("3.5 Milliarden", 3.5e9),
        ("3 mil millones", 3e9),
        ("3万5千", 35_000),
        ("1亿2000万", 120_000_000),
        ("2 करोड़", 2e7),
        ("4만", 40_000),
        ("12k", 12_000),
        ("一百零五", 105),
        ("The count is 8, not 9.", 8),
        ("8, not 9 or 10", None),
        ("2 Dutzend Eier", None),
        ("3 paires", None),
        ("1.5M", None),
        ("Once.", None),
        ("3ème", None),
        ("2 lacs", None),
        ("3 Billion", None),
        ("3千克", None),
        ("5 dozen", None),
    ],
)
def test_words_of_scale_multiply_or_nothing_is_read(text: str, value: float | None) -> None:
    """A lakh is 100,000, a crore 10,000,000, 万 10,000; a "Billion" is 10^9 in English and 10^12 in German."""
    assert read_answer(text, ExpectedAnswer(AnswerKind.NUMBER)).value == value


def letters(text: str, kind: AnswerKind = AnswerKind.OPTION) -> str | None:
    """Return the letters of the options that a text states, or None if it is not read."""
    found = read_answer(text, ExpectedAnswer(kind, OPTIONS))
    return "".join("ABCD"[at] for at in found.places) if found.outcome is ReadOutcome.READ else None


@pytest.mark.parametrize(
    "question",
    [
        "Which option is wrong?",
        "Which one should be avoided?",
        "Which of these is incorrect? It is",
        "Which option is wrong?\n\nAnswer:",
        "Welche Option ist falsch?",
        "Quelle option est fausse ?",
        "¿Cuál es incorrecta?",
        "哪个选项是错误的？",
    ],
)
def test_an_answer_to_a_question_for_the_wrong_option_is_not_read(question: str) -> None:
    for letter in "ABCD":
        assert letters(f"{question} {letter}.") is None
        assert letters(f"{question} {letter}.", AnswerKind.MULTI) is None


@pytest.mark.parametrize("question", ["Which option is right?", "Which one is best?", "Welche Option ist richtig?"])
def test_an_answer_to_a_question_for_the_right_option_is_read(question: str) -> None:
    assert [letters(f"{question} {letter}.") for letter in "ABCD"] == list("ABCD")
    assert [letters(f"Which option is wrong? A. {question} {letter}.") for letter in "BCD"] == list("BCD")


@pytest.mark.parametrize(
    "text",
    [
        "None of the options is correct.",
        "No option is correct.",
        "None of these apply.",
        "There are none.",
        "There is no correct answer.",
        "None of the options is correct. The person leaves through a window.",
        "Answer: None of the options is correct.",
        "Keine der Optionen.",
        "Keine Option ist richtig.",
        "Aucune des options n'est correcte.",
        "Ninguna de las opciones es correcta.",
        "以上都不对",
        "どれも正しくない。",
        "[]",
        "Answer: []",
        '{"answer": []}',
        "<answer>[]</answer>",
    ],
)
def test_no_option_is_the_empty_set_where_several_are_asked_for(text: str) -> None:
    assert letters(text, AnswerKind.MULTI) == ""
    assert letters(text) is None


@pytest.mark.parametrize(
    "text",
    ["All options are correct.", "All of them apply.", "Alle Optionen sind richtig.", "以上都对", "どれも正しい。"],
)
def test_all_options_are_the_full_set(text: str) -> None:
    assert letters(text, AnswerKind.MULTI) == "ABCD"
    assert letters(text) is None


@pytest.mark.parametrize(
    "text",
    [
        "None of the options is correct?",
        "None of the options except B.",
        "No option is correct. However, B comes close.",
        "Not all options are correct.",
        "None of A, B, C is right",
        "All options are wrong.",
        "{}",
        "",
    ],
)
def test_a_limited_statement_about_all_options_is_no_set(text: str) -> None:
    assert letters(text, AnswerKind.MULTI) is None


def test_an_option_that_says_none_is_chosen_by_every_sentence_for_none() -> None:
    options = (*OPTIONS, "None of the above")
    for text in ("None of the above", "None of the options is correct.", "E"):
        assert read_answer(text, ExpectedAnswer(AnswerKind.MULTI, options)).value == ("None of the above",), text


@pytest.mark.parametrize(
    "text",
    [
        "Not {a} but {b}.",
        "It is not {a}, but {b}, because it is late.",
        "Nicht {a}, sondern {b}.",
        "No {a}, sino {b}.",
        "不是{a}，而是{b}。",
        "{a}ではなく{b}です。",
        "{b} rather than {a}",
        "{b} instead of {a}.",
        "Answer: {a}\n\nWait, actually {b}.",
        "{a}. Actually {b}.",
        "Answer: {a}. Sorry, I meant {b}.",
        "Antwort: {a}. Nein, {b}.",
        "{a} ✗ {b} ✓ {c} ✗ {d} ✗",
        "✗ {a} ✗ {c} ✓ {b} ✗ {d}",
        "{a} ❌, {c} ❌, {d} ❌, {b} ✅",
        "{a}? No. {c}? No. {b}? Yes.",
        "{a}? Nein.\n{b}? Ja.",
        "My answer: {b} (not {a} as one may think)",
        "{a} is incorrect. {c} is incorrect. {d} is incorrect. So the remaining one is {b}.",
        '{{"answer": "{b}"}} The second best would be {a}.',
        "答案：{b}（洗锅）",
    ],
)
def test_a_contrast_a_correction_or_a_row_of_verdicts_is_read_for_every_order(text: str) -> None:
    for order in permutations("ABCD"):
        said = text.format(**dict(zip("abcd", order, strict=True)))
        assert letters(said) == order[1], said


@pytest.mark.parametrize(
    "words",
    [
        ("Option one is correct.", "Option two is correct.", "Option three is correct.", "Option four is correct."),
        ("The first.", "The second.", "The third.", "The fourth."),
        ("Answer: the first", "Answer: the second", "Answer: the third", "Answer: the fourth"),
        ("Die erste.", "Die zweite.", "Die dritte.", "Die vierte."),
        ("选项一", "选项二", "选项三", "选项四"),
    ],
)
def test_the_place_of_an_option_in_words_is_read(words: tuple[str, ...]) -> None:
    assert [letters(each) for each in words] == list("ABCD")


@pytest.mark.parametrize(
    "text",
    [
        "Not B but maybe C",
        "Not only B but also C.",
        "Not B, but C could be right.",
        "Answer: B. Wait, actually C or D.",
        "Answer: B\n\nWait, maybe C.",
        "A ✗ B ✗ C ✓ D ✓",
        "A? No. B? Maybe. C? Yes?",
        "C rather than B or D",
        "Option two is wrong.",
        "He arrives on the third.",
    ],
)
def test_a_contrast_that_stays_open_is_not_read(text: str) -> None:
    assert letters(text) is None


def test_a_place_in_words_may_be_the_text_of_another_option() -> None:
    for text in ("The first.", "Option one", "The second."):
        asked = ExpectedAnswer(AnswerKind.OPTION, ("the second cup", "the first cup", "one", "both"))
        assert read_answer(text, asked).value in (None, "one"), text


def test_both_of_several_options_may_be_right() -> None:
    assert letters("Answer: B and D, since both are visible.", AnswerKind.MULTI) == "BD"
    assert letters("Answer: B. But both are right.") is None
