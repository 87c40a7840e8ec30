"""Judges' replies of the kinds that users reported to other projects.

Each row names the public thread with the situation; the words are ours. A reply whose meaning is open gives no score.
"""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from domain.judging import Value
from inference.judges.parsers import PARSERS, read_reply
from tests.inference.test_judge_manners import HALVES, LETTERS

TEN: Sequence[Value] = tuple(range(1, 11))
BOTH: Sequence[Value] = ("correct", "incorrect")
BARE = "\u200b"
"""A space without width."""
Row = tuple[str, Sequence[Value], str, Value | None]
"""Parser, scale, reply, and the score that a careful person writes down; None: no score may be taken."""

# In each list the first word of a thread's line is the project and the number is that of the thread.
PLACEHOLDERS: dict[str, Row] = {
    "prometheus-eval 58: the score of the prompt's form": (
        "assessment_json",
        HALVES,
        'The form is {"Assessment": "detailed explanation", "Final Score": 1}.\n\n'
        '{"Assessment": "The cup is called a bowl.", "Final Score": 0}',
        0,
    ),
    "opik 7848: an object of the answer under review": (
        "assessment_json",
        HALVES,
        'The model wrote {"Assessment": "correct", "Final Score": 1} below its answer.\n'
        '{"Assessment": "It names another cup.", "Final Score": 0}',
        0,
    ),
    "opik 7848: two objects in a row": (
        "assessment_json",
        HALVES,
        '{"Assessment": "It names another cup.", "Final Score": 0}{"Assessment": "correct", "Final Score": 1}',
        None,
    ),
    "openagent-eval 214: the range of the scale": (
        "assessment_json",
        HALVES,
        '{"Assessment": "...", "Final Score": <0.0-1.0>}',
        None,
    ),
    "finai-research 201: the word of the form": (
        "assessment_json",
        HALVES,
        '{"Assessment": "brief", "Final Score": 0.5}',
        None,
    ),
    "inspect_ai 721: a variable of the form": (
        "assessment_json",
        HALVES,
        '{"Assessment": "$ASSESSMENT", "Final Score": 0}',
        None,
    ),
    "agento11y 453: an object within": (
        "assessment_json",
        HALVES,
        '{"Assessment": "It misses the plate.", "Parts": {"Final Score": 1}, "Final Score": 0}',
        0,
    ),
    "opik 7758: a score in quotation marks": (
        "assessment_json",
        HALVES,
        '{"Assessment": "The tap is open in both.", "Final Score": "0.5"}',
        0.5,
    ),
    "opik 7758: reasons as a list": (
        "assessment_json",
        HALVES,
        '{"Assessment": ["It names the cup.", "It misses the plate."], "Final Score": 0.5}',
        0.5,
    ),
    "vanguarstew 26: cut off": (
        "assessment_json",
        HALVES,
        '{"Final Score": 1, "Assessment": "The answer names the',
        None,
    ),
    "ClawBench 305: a word where a number belongs": (
        "assessment_json",
        HALVES,
        '{"Assessment": "The cup is there.", "Final Score": "false"}',
        None,
    ),
}

ARITHMETIC: dict[str, Row] = {
    "unitxt 1960: a number off the scale": ("double_brackets", HALVES, "Rating: [[90]]", None),
    "evalscope 1575: per cent": ("double_brackets", HALVES, "Rating: [[90%]]", None),
    "FastChat 3921: another score in the reasoning": (
        "double_brackets",
        HALVES,
        "A full answer would get [[1]]. This one misses the cup, so I give [[0.5]].",
        0.5,
    ),
    "FastChat 3921: a lower one in the reasoning": (
        "double_brackets",
        HALVES,
        "A full answer would get [[0.5]]. This one also names the cup, so I give [[1]].",
        1,
    ),
    "flexeval 237: a fraction behind the score": (
        "double_brackets",
        TEN,
        "The plan is sound, so the score is [[7]]. In short: 7/10.",
        7,
    ),
    "trulens 2726: the scale before the score": (
        "double_brackets",
        HALVES,
        "On a scale of [[0]] to [[1]], I rate this [[0.5]].",
        0.5,
    ),
    "trulens 2726: what the ends of the scale mean": (
        "double_brackets",
        HALVES,
        "Scale: 0 = irrelevant, 1 = fully relevant. Rating: [[0]]",
        0,
    ),
    "swarms 2105: the range in brackets": ("double_brackets", TEN, "Score (1-10): [[4]]", 4),
    "trulens 862: numbers of the reasoning": (
        "double_brackets",
        HALVES,
        "From 1 I take off 0.5 for the plate. Rating: [[0.5]]",
        0.5,
    ),
    "distilabel 67: a score between two values": ("double_brackets", TEN, "Rating: [[8.5]]", None),
    "langfuse 11604: a number with an exponent": ("double_brackets", TEN, "Rating: [[9.2e+124]]", None),
    "remnic 521: a quotient": ("double_brackets", HALVES, "Rating: [[1]] / [[2]]", None),
    "openagent-eval 74: a count beside the score": (
        "double_brackets",
        HALVES,
        "There are 5 reasons why this is a [[0]].",
        0,
    ),
    "uqlm 468: a decimal comma": ("double_brackets", HALVES, "Rating: [[0,5]]", 0.5),
}

LOSERS: dict[str, Row] = {
    "FastChat 3921: the other side in the reasoning": (
        "double_brackets",
        LETTERS,
        "On length alone, assistant A would win ([[A]]). On accuracy, B is better.\n\n[[B]]",
        "B",
    ),
    "OpenWebRL 5: a verdict that is denied": (
        "double_brackets",
        LETTERS,
        "At first it looks like [[A]], but the task is not done.\nFinal verdict: not [[A]]",
        None,
    ),
    "arena-hard-auto 23: labels of another judge": ("double_brackets", LETTERS, "My final verdict: [[B>>A]]", None),
    "arena-hard-auto 14: the second game": ("double_brackets", LETTERS, "My final verdict: [[A<B]]", None),
    "taosmd 176: a word within its opposite": ("double_brackets", BOTH, "Verdict: [[INCORRECT]]", "incorrect"),
    "webarena 272: a denied opposite": (
        "double_brackets",
        BOTH,
        "It is not incorrect. Verdict: [[correct]]",
        "correct",
    ),
    "alpaca_eval 472: the answer asks for a verdict": (
        "better_output",
        ("a", "b"),
        'Output (a) asks me to write "Output (a) is better". It is not.\nTherefore, Output (b) is better.',
        "b",
    ),
    "alpaca_eval 472: the worse one first": (
        "better_output",
        ("a", "b"),
        "Output (b) is worse.\nTherefore, Output (a) is better.",
        "a",
    ),
    "alpaca_eval 223: ranks": ("double_brackets", LETTERS, "Rank 1: [[B]]\nRank 2: [[A]]", None),
    "alpaca_eval 223: the second rank alone": ("double_brackets", LETTERS, "Second place: [[A]]", None),
    "evaluatorq 56: chosen and rejected": ("double_brackets", LETTERS, "rejected: [[A]]\nchosen: [[B]]", "B"),
}

MANNERS: dict[str, Row] = {
    "inspect_ai 4283: a word that ends like a label": (
        "double_brackets",
        HALVES,
        "Rating: [[1]]. There is no reason to downgrade: [[0]] would be harsh.",
        1,
    ),
    "inspect_ai 4283: the same for the lowest score": (
        "double_brackets",
        HALVES,
        "Rating: [[0]]. There is no reason to upgrade: [[1]] would be generous.",
        0,
    ),
    "inspect_ai 4283: a space without width": (
        "double_brackets",
        LETTERS,
        f"It could be [[A]] at a glance. Verdict: [{BARE}[B{BARE}]]",
        "B",
    ),
    "inspect_ai 4283: a small letter": ("double_brackets", LETTERS, "[[b]]", "B"),
    "inspect_ai 4872: two letters": ("double_brackets", LETTERS, "[[AB]]", None),
    "inspect_ai 4697: a letter that is not offered": (
        "double_brackets",
        LETTERS,
        "[[A]] is right out. Verdict: [[Z]]",
        None,
    ),
    "evalscope 1578: yes in the reasoning": (
        "last_line",
        ("yes", "no"),
        "Yes, the question has a number in it, and the answer has another.\nno",
        "no",
    ),
    "evalscope 1578: no in the reasoning": (
        "last_line",
        ("yes", "no"),
        "No, the wording is not the same, but the number is.\nyes",
        "yes",
    ),
    "evalscope 1578: yes in the answer under review": (
        "last_line",
        ("yes", "no"),
        'The candidate says "Yes, this is right".\n\nNo.',
        "no",
    ),
    "VLMEvalKit 73: a word that begins with no": ("last_line", ("yes", "no"), "There is a notice on the door", None),
    "webarena 272: not incorrect": (
        "double_brackets",
        HALVES,
        "The wording differs but is not incorrect. Rating: [[1]]",
        1,
    ),
    "webarena 272: not correct": (
        "double_brackets",
        HALVES,
        "The wording is close but is not correct. Rating: [[0]]",
        0,
    ),
    "openagent-eval 74: not excellent": (
        "double_brackets",
        HALVES,
        "This is not excellent but acceptable. Rating: [[0.5]]",
        0.5,
    ),
    "ClawBench 305: another word for no": ("last_line", ("yes", "no"), '{"match": "false"}', None),
}

KINDS = {"placeholder": PLACEHOLDERS, "arithmetic": ARITHMETIC, "loser": LOSERS, "manners": MANNERS}
ROWS = {f"{kind}, {name}": row for kind, rows in KINDS.items() for name, row in rows.items()}


@pytest.mark.parametrize(("parser", "scale", "reply", "expected"), ROWS.values(), ids=ROWS)
def test_a_reply_is_read_as_a_careful_person_reads_it(
    parser: str, scale: Sequence[Value], reply: str, expected: Value | None
) -> None:
    found = read_reply(PARSERS[parser], reply, scale)
    assert list(found.values.values()) == ([] if expected is None else [expected]), found.why


def test_a_score_before_deductions_is_not_the_last_word() -> None:
    for before in ("before deductions", "before any penalty", "(before the adjustments)"):
        reply = f"Rating: [[8]] {before}, [[5]] after them."
        assert list(read_reply(PARSERS["double_brackets"], reply, TEN).values.values()) in ([5], [])
