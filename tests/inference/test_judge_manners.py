"""Every value of a scale is read in the same wordings; what contradicts a score or repeats a template is not read."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import cycle
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.judging import ReplyOutcome, Value
from inference.judges.aspect_scores import ASPECTS
from inference.judges.found_values import SCORE
from inference.judges.parsers import PARSERS, read_reply
from testkit.judge_manners import CARRIERS, MANNERS, SENTENCES, WORDS, Carrier, Manner

BITS: Sequence[Value] = (0, 1)
HALVES: Sequence[Value] = (0, 0.5, 1)
FIVE: Sequence[Value] = (1, 2, 3, 4, 5)
LETTERS: Sequence[Value] = ("A", "B", "C")


def in_manner(carrier: Carrier, manner: Manner, scale: Sequence[float]) -> list[tuple[str, float]]:
    """The replies that give each value of a scale in one manner; a manner with words has none for 2 and 4 of 5."""
    low, high = min(scale), max(scale)
    shares = {value: (value - low) / (high - low) for value in scale}
    values = [value for value in scale if manner.words is None or shares[value] in (0, 0.5, 1)]
    return [(carrier.reply(manner, value, shares[value], high), value) for value in values]


def values_of(parser: str, reply: str, scale: Sequence[Value]) -> set[Value]:
    """The values that are read, without their parts' names; none where no verdict is read."""
    return set(read_reply(PARSERS[parser], reply, scale).values.values())


@pytest.mark.thorough
@given(carrier=st.sampled_from(CARRIERS), manner=st.sampled_from(MANNERS), scale=st.sampled_from([BITS, HALVES, FIVE]))
def test_a_wording_is_read_for_every_value_of_a_scale(carrier: Carrier, manner: Manner, scale: Sequence[float]) -> None:
    for reply, value in in_manner(carrier, manner, scale):
        assert values_of(carrier.parser, reply, scale) == {value}, reply


@pytest.mark.thorough
@pytest.mark.parametrize("parser", ["double_brackets", "six_lines", "assessment_json"])
def test_every_manner_is_read_by_every_parser_of_scores(parser: str) -> None:
    carriers = cycle([each for each in CARRIERS if each.parser == parser])
    scales = cycle([BITS, HALVES, FIVE, HALVES])
    for manner, carrier, scale in zip(MANNERS, carriers, scales, strict=False):
        for reply, value in in_manner(carrier, manner, scale):  # type: ignore[arg-type]
            assert values_of(parser, reply, scale) == {value}, reply


@pytest.mark.thorough
@pytest.mark.parametrize("language", sorted(WORDS))
def test_words_that_contradict_their_score_make_it_unreadable_in_both_directions(language: str) -> None:
    simple = [each for each in CARRIERS if each.text.endswith(("Rating: @", 'Score": "@"}'))][:2]
    simple.append(next(each for each in CARRIERS if each.parser == "six_lines"))
    for wrong, partly, right in (*WORDS[language], *SENTENCES[language]):
        for carrier in simple:
            for value, words in ((1, wrong), (0, right), (0, partly), (1, partly), (0.5, wrong), (0.5, right)):
                for shape in ("{v} ({w})", "{v}, {w}", "{v} - {w}."):
                    reply = carrier.reply(Manner("", shape, (words, words, words)), value, value, 1)
                    assert values_of(carrier.parser, reply, HALVES) == set(), reply


@pytest.mark.parametrize(
    "before",
    [
        "{w}. Rating: {v}",
        "{w}.\n\nRating: {v}",
        "{w}, so I give {v}",
        "{w}, hence the rating is {v}.",
        "{w}: {v}",
        "Because {w}, my rating is {v}",
        "{w}, therefore: {v}",
        "I think {w}. {v}",
        "Rating: {v}. {w}.",
        "Rating: {v}\n{w}.",
        "Rating: {v}\n\nExplanation: {w}.",
    ],
)
def test_a_sentence_beside_a_rating_is_read_for_every_value(before: str) -> None:
    for words in (words for some in SENTENCES.values() for words in some):
        for value, said in zip(HALVES, words, strict=True):
            reply = before.format(v=f"[[{value}]]", w=said[0].upper() + said[1:])
            assert values_of("double_brackets", reply, HALVES) == {value}, reply


@pytest.mark.parametrize(
    "reply",
    [
        "The answer is incorrect. Rating: [[1]]",
        "The answer is correct.\nRating: [[0]]",
        "Rating: [[1]]\nThe answer is wrong.",
        "Rating: [[0]]\nThe answer is right.",
        "[[1]] is right.",
        "[[0]] is wrong.",
        "Verdict: wrong. Rating: [[1]]",
        "Verdict: right. Rating: [[0]]",
        "Rating: [[1]] (correct) or [[0]] (incorrect)",
        "Rating: [[0]] (incorrect) or [[1]] (correct)",
    ],
)
def test_a_score_and_words_that_contradict_or_leave_it_open_are_unreadable(reply: str) -> None:
    assert not read_reply(PARSERS["double_brackets"], reply, HALVES).scored


@pytest.mark.parametrize(
    ("shape", "words"),
    [
        ("{w}: {v}", ("Assistant A is better", "Assistant B is better", "Neither is better")),
        ("{v} ({w})", ("A wins", "B wins", "nobody wins")),
        ("{v}: {w}", ("A is better", "B is better", "it is a tie")),
        ("Verdict: {v}, {w}.", ("A is better", "B is better", "both are equally good")),
        ("My verdict: {w} {v}", ("A", "B", "tie")),
        ("**{w}** {v}", ("B is worse", "A is worse", "neither is better")),
        ("{v} because {w}", ("B is wrong", "A is wrong", "both are wrong")),
        ("{w}.\n\n{v}", ("A is better than B", "B is better than A", "It is a tie")),
    ],
)
def test_a_tie_is_read_in_the_same_wordings_as_a_winner(shape: str, words: Sequence[str]) -> None:
    for letter, said in zip(LETTERS, words, strict=True):
        assert values_of("double_brackets", shape.format(v=f"[[{letter}]]", w=said), LETTERS) == {letter}


@pytest.mark.parametrize(
    "words",
    [
        ("The reference answer is not right", "The reference answer is right"),
        ("No cup is visible", "A cup is visible"),
        ("It would not fit", "It would fit"),
        ("La réponse n'est pas correcte", "La réponse est correcte"),
        ("答案不正确", "答案正确"),
    ],
)
@pytest.mark.parametrize(
    "form", ["{v}", "**{v}**", "\\textbf{{{v}}}", "\\boxed{{{v}}}", "## {v}", "```\n{v}\n```", "| {v} |"]
)
def test_no_is_read_on_a_last_line_wherever_yes_is(words: tuple[str, str], form: str) -> None:
    for before in ("{w}.\n\n", "{w}, so:\n", "{w}:\n", "{w}. Therefore the answer is\n"):
        for value, said in zip(("no", "yes"), words, strict=True):
            reply = before.format(w=said) + form.format(v=value)
            assert values_of("last_line", reply, ("yes", "no")) == {value}, reply


def test_the_manners_in_which_one_value_was_lost() -> None:
    cases = [
        json.loads(line) for line in Path(__file__).with_name("judge_manners.jsonl").read_text("utf-8").splitlines()
    ]
    assert len(cases) == 56
    for case in cases:
        found = read_reply(PARSERS[case["parser"]], case["reply"], case["values"], finish_reason=case["finish_reason"])
        assert {"scored": dict(found.values)} in case["expected"], case["id"]


@pytest.mark.parametrize(
    "reply",
    [
        "Loser: [[A]]",
        "[[A]] is worse than [[B]]",
        "[[A]] < [[B]]",
        "**Worse:** [[B]]",
        "The weaker answer is [[A]]",
        "[[B]] loses",
        "Runner-up: [[C]]",
        "Verlierer: [[A]]",
        "Peor: [[B]]",
        "败者: [[A]]",
        "| Loser | [[B]] |",
        "The less accurate one is [[A]]",
        "not [[A]]",
        "Rejected: [[B]]",
        "Everything but [[A]] is fine.",
        "All answers except for [[C]] name the cup.",
        "Both of them apart from **[[B]]** are right.",
    ],
)
def test_what_a_judge_calls_the_worse_one_is_not_the_winner(reply: str) -> None:
    assert not read_reply(PARSERS["double_brackets"], reply, LETTERS).scored


@pytest.mark.parametrize(
    "reply",
    [
        "Winner: [[A]]\nLoser: [[B]]",
        "Loser: [[B]]\nWinner: [[A]]",
        "B's answer is weaker: [[A]]",
        "All but one are wrong: [[A]]",
    ],
)
def test_a_winner_beside_a_loser_is_read(reply: str) -> None:
    assert values_of("double_brackets", reply, LETTERS) == {"A"}


@pytest.mark.parametrize(
    "reply",
    [
        "Rating: [[1]] minus [[0.5]] = [[0.5]]",
        "[[1]] - [[0.5]] = [[0.5]]",
        "([[0]] + [[1]]) / 2 = [[0.5]]",
        "Rating: [[1]] moins [[0.5]] = [[0.5]]",
        "Rating: 1 - [[0.5]] = [[0.5]]",
    ],
)
def test_the_terms_of_a_sum_are_no_rating(reply: str) -> None:
    assert values_of("double_brackets", reply, HALVES) <= {0.5}


@pytest.mark.parametrize(
    "label",
    ["Reject", "Disqualified", "\u5dee\uff1a", "\u8f83\u5dee\u7684\u56de\u7b54\uff1a"],
)
def test_a_letter_that_is_named_as_the_loser_is_no_verdict(label: str) -> None:
    for letter in "AB":
        colon = "" if label[-1] == "\uff1a" else ":"
        assert not read_reply(PARSERS["double_brackets"], f"{label}{colon} [[{letter}]]", LETTERS).scored


@pytest.mark.parametrize(
    "words",
    [
        ("errado", "parcialmente certo", "certo"),
        ("No match", "Partial match", "Full match"),
        ("\u9519", "\u534a\u5bf9", "\u5bf9"),
    ],
)
def test_words_of_either_direction_are_known_in_a_pair(words: Sequence[str]) -> None:
    for value, word in zip(HALVES, words, strict=True):
        assert values_of("assessment_json", f'{{"Assessment": "x", "Final Score": "{value} ({word})"}}', HALVES) == {
            value
        }


@pytest.mark.parametrize("end", ["(max 1)", "(maximum: 1)", "(out of 1)", "(von 1)"])
def test_the_end_of_the_scale_in_brackets_is_read_for_every_value(end: str) -> None:
    for value in HALVES:
        assert values_of("assessment_json", f'{{"Assessment": "x", "Final Score": "{value} {end}"}}', HALVES) == {value}
        assert values_of("double_brackets", f"Rating: [[{value}]] {end}", HALVES) == {value}
    assert not values_of("assessment_json", '{"Assessment": "x", "Final Score": "1 (max 5)"}', HALVES)


@pytest.mark.parametrize(
    "label", ["Abzug:", "Strafpunkte:", "D\u00e9duction :", "Deducci\u00f3n:", "\u6263\u5206\uff1a"]
)
def test_points_that_are_taken_off_are_no_score(label: str) -> None:
    for value in HALVES:
        assert not read_reply(PARSERS["double_brackets"], f"{label} [[{value}]]", HALVES).scored
        assert not read_reply(PARSERS["double_brackets"], f"Rating: [[{value}]] point deducted", HALVES).scored


@pytest.mark.parametrize(
    "reply",
    [
        "Rating: [[1]] minus [[0.5]]",
        "Rating: [[1]] minus half a point",
        "Rating: [[1]] reduced by 0.5",
        "[[1]] \u00d7 [[0.5]]",
        "Rating: 1 minus [[0.5]]",
        "Rating: [[1]]/2",
    ],
)
def test_a_sum_without_a_result_is_unreadable(reply: str) -> None:
    assert not read_reply(PARSERS["double_brackets"], reply, HALVES).scored


def six(score: str, evidence: str = "it says so") -> str:
    return "\n".join(f"{name} assessment evidence: {evidence}\n{name} score: {score}" for name in ASPECTS)


@pytest.mark.parametrize(
    "reply",
    [
        *(
            six(score)
            for score in ("1 - 1", "1 - 1 = 0", "1 minus 1", "[0/1]", "(0 or 1)", "<score>", "1 → 0", "1 (or 0)")
        ),
        *(six("1", evidence) for evidence in ("(evidence)", "<your evidence>", "[Your evidence here]")),
        '{"action score": 1, "perception score": 0, "cognition score": 1, "action score": 0}',
    ],
)
def test_sums_and_templates_in_six_lines_are_unreadable(reply: str) -> None:
    assert not read_reply(PARSERS["six_lines"], reply, BITS).scored


@pytest.mark.parametrize(
    ("reply", "verdict"),
    [
        ('{"Assessment": "<your assessment>", "Final Score": 1}', ReplyOutcome.UNPARSEABLE),
        ('{"Assessment": "[your assessment here]", "Final Score": 0}', ReplyOutcome.UNPARSEABLE),
        (
            '{"Assessment": "why", "Final Score": "0.5"}',
            ReplyOutcome.UNPARSEABLE,
        ),  # as the template of etp_bench shows it
        ('{"Assessment": "Correct/Incorrect", "Final Score": 1}', ReplyOutcome.UNPARSEABLE),
        ('{"Assessment": "...", "Final Score": 1}', ReplyOutcome.UNPARSEABLE),
        ('{"Final Score": "0/0.5/1"}', ReplyOutcome.OUT_OF_RANGE),
        ('{"Assessment": "It is wrong.", "Assessment": "It is right.", "Final Score": 1}', ReplyOutcome.CONTRADICTORY),
        ('{"Final Score": 1, "final_score": 0}', ReplyOutcome.CONTRADICTORY),
        ('{"checks": {"color": 1, "color": 0}, "Final Score": 1}', ReplyOutcome.CONTRADICTORY),
        ('{"Final Score": "1 - 0.5"}', ReplyOutcome.OUT_OF_RANGE),
    ],
)
def test_a_template_or_a_key_that_says_two_things_is_unreadable(reply: str, verdict: ReplyOutcome) -> None:
    found = read_reply(PARSERS["assessment_json"], reply, HALVES)
    assert (found.verdict, found.values) == (verdict, {})


def test_a_key_that_says_the_same_twice_is_read() -> None:
    reply = '{"Assessment": "same", "Final Score": 1, "Final Score": 1.0}'
    assert read_reply(PARSERS["assessment_json"], reply, HALVES).values == {SCORE: 1}


@pytest.mark.parametrize(
    ("parser", "reply", "scale"),
    [
        ("double_brackets", "<explanation>\nRating: [[1]]", HALVES),
        ("double_brackets", "Verdict: Correct/Incorrect\nRating: [[1]]", HALVES),
        ("double_brackets", "Rating: [[score]]", HALVES),
        ("last_line", "<two or three sentences>\nyes", ("yes", "no")),
        ("better_output", "[Your explanation here]\nTherefore, Output (a) is better.", ("a", "b")),
    ],
)
def test_placeholders_are_seen_by_every_parser(parser: str, reply: str, scale: Sequence[Value]) -> None:
    assert not read_reply(PARSERS[parser], reply, scale).scored


def assessed(assessment: str, score: float, *, key: str = "Assessment") -> set[Value]:
    text = json.dumps({key: assessment, "Final Score": score}, ensure_ascii=False)
    return values_of("assessment_json", text, HALVES)


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("incorrect", "correct"),
        ("wrong", "right"),
        ("False", "True"),
        ("falsch", "richtig"),
        ("incorrecte", "correcte"),
        ("incorrecta", "correcta"),
        ("不正确", "正确"),
        ("不正解", "正解"),
        ("Incorrect. The cup is left of the plate.", "Correct. The cup is left of the plate."),
        ("The model names a fork. The answer is wrong.", "The model names a cup. The answer is right."),
        ("The answer is incorrect because it names a fork.", "The answer is correct because it names a cup."),
        ("It does not match the reference.", "It matches the reference."),
    ],
)
@pytest.mark.parametrize("key", ["Assessment", "explanation"])
def test_a_verdict_in_an_assessment_fits_only_its_score(wrong: str, right: str, key: str) -> None:
    found = {(text, score): assessed(text, score, key=key) for text in (wrong, right) for score in (0, 1)}
    assert found == {(wrong, 0): {0}, (wrong, 1): set(), (right, 0): set(), (right, 1): {1}}


def test_a_partly_right_assessment_fits_only_the_middle_score() -> None:
    assert [assessed("partially correct", score) for score in (0, 0.5, 1)] == [set(), {0.5}, set()]


@pytest.mark.parametrize(
    "assessment",
    [
        "Correct, but it omits the plate.",
        "Incorrect, although it is close.",
        "The perception is correct. The robot then opens another drawer.",
        "It names the cup and omits the plate.",
        "Detailed explanation",
        "The explanation of the color is missing.",
        "",
        "ok",
    ],
)
def test_an_assessment_without_one_verdict_is_read_with_every_score(assessment: str) -> None:
    assert [assessed(assessment, score) for score in (0, 0.5, 1)] == [{0}, {0.5}, {1}]


@pytest.mark.parametrize(
    "words",
    [
        "Brief explanation",
        "Your brief justification",
        "An explanation of your score",
        "Explain the assessment here",
        "Provide a short rationale for the score.",
        "Describe why you gave this score",
        "______",
        "---",
        "Kurze Begründung",
        "Une brève explication de votre note",
        "Tu justificación",
        "简短说明",
        "簡単な説明",
    ],
)
def test_a_template_in_place_of_an_assessment_is_unreadable(words: str) -> None:
    assert [assessed(words, score) for score in (0, 0.5, 1)] == [set(), set(), set()]


@pytest.mark.parametrize("words", ["Brief explanation", "Explain the assessment here", "Kurze Begründung"])
def test_a_template_behind_a_label_is_unreadable(words: str) -> None:
    for score in (0, 1):
        assert values_of("double_brackets", f"Explanation: {words}\nRating: [[{score}]]", BITS) == set()


@pytest.mark.parametrize(
    "words",
    [
        "The one that fails is",
        "The answer that is worse:",
        "The model which doesn't answer the question is",
        "Fails:",
        "Verliert:",
        "Perdant :",
        "हारा:",
        "패자:",
    ],
)
def test_the_side_that_loses_is_not_the_winner(words: str) -> None:
    for letter in ("A", "B", "C"):
        assert values_of("double_brackets", f"{words} [[{letter}]]", LETTERS) == set()


@pytest.mark.parametrize(("worse", "better"), [("Schlechter", "Besser"), ("Loser", "Winner"), ("Worse", "Better")])
def test_the_number_of_the_side_that_loses_is_no_score(worse: str, better: str) -> None:
    for value in (1, 2):
        assert values_of("double_brackets", f"{worse}: [[{value}]]", (1, 2)) == set()
        assert values_of("double_brackets", f"{better}: [[{value}]]", (1, 2)) == {value}
