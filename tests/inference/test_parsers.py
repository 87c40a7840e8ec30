"""Judges' replies: what they come to, and the words it was read from."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from domain.judging import ReplyOutcome, Value
from inference.judges.aspect_scores import ASPECTS
from inference.judges.found_values import SCORE
from inference.judges.parsers import PARSERS, read_reply
from tests.paths import shared

HALVES: Sequence[Value] = (0, 0.5, 1)
BITS: Sequence[Value] = (0, 1)
NONE = object()


@pytest.mark.parametrize(
    ("reply", "verdict", "value", "words"),
    [
        ("Both name a cup. Rating: [[0.5]]", ReplyOutcome.SCORED, 0.5, "0.5"),
        ("Rating: [[1.0]]", ReplyOutcome.SCORED, 1, "1.0"),
        ("**Rating**: [[ 1 ]]", ReplyOutcome.SCORED, 1, " 1 "),
        ("Rating: [0.5]", ReplyOutcome.SCORED, 0.5, "0.5"),
        ("rating is [[0]].", ReplyOutcome.SCORED, 0, "0"),
        ("One could say [[1]]. But it names a fork. Rating: [[0]]", ReplyOutcome.SCORED, 0, "0"),
        ("[[0]] fits the form, [[1]] fits the answer", ReplyOutcome.UNPARSEABLE, NONE, None),
        ("As source [1] says, it is a fork.", ReplyOutcome.UNPARSEABLE, NONE, None),
        ("I would rate it 1.", ReplyOutcome.UNPARSEABLE, NONE, None),
        ("Close the drawer", ReplyOutcome.UNPARSEABLE, NONE, None),
        ("Rating: [[0.75]]", ReplyOutcome.OUT_OF_RANGE, NONE, "0.75"),
        ("Rating: [[2]]", ReplyOutcome.OUT_OF_RANGE, NONE, "2"),
        ("Rating: [[-1]]", ReplyOutcome.OUT_OF_RANGE, NONE, "-1"),
        ("The rating is -[[1]].", ReplyOutcome.OUT_OF_RANGE, NONE, "1"),
        ("Rating: [[nan]]", ReplyOutcome.OUT_OF_RANGE, NONE, "nan"),
        ("Rating: [[1e0]]", ReplyOutcome.OUT_OF_RANGE, NONE, "1e0"),
        ("Rating: [[one]]", ReplyOutcome.OUT_OF_RANGE, NONE, "one"),
        ("Rating: [[\u0661]]", ReplyOutcome.SCORED, 1, "\u0661"),
        ("Rating: [[0]]\nNo, wait. Rating: [[1]]", ReplyOutcome.SCORED, 1, "1"),
        ("Rating: [[0]]\nRating: [[1]]", ReplyOutcome.CONTRADICTORY, NONE, None),
        ("Rating: [[1]]\nSo, as I said: Rating: [[1.0]]", ReplyOutcome.SCORED, 1, "1.0"),
        ("", ReplyOutcome.EMPTY, NONE, None),
        (" \n\t", ReplyOutcome.EMPTY, NONE, None),
    ],
)
def test_double_brackets(reply: str, verdict: ReplyOutcome, value: object, words: str | None) -> None:
    found = read_reply(PARSERS["double_brackets"], reply, HALVES)
    assert found.verdict is verdict
    assert found.values == ({} if value is NONE else {SCORE: value})
    assert found.why or found.scored
    if words is not None:
        start, end = found.spans[SCORE]
        assert reply[start:end] == words


def test_letters_and_comparisons_are_values_like_others() -> None:
    parser = PARSERS["double_brackets"]
    assert read_reply(parser, "So [[A>>B]].", ("A>>B", "A>B", "A=B", "B>A", "B>>A")).values == {SCORE: "A>>B"}
    assert read_reply(parser, "The verdict: [[c]]", ("A", "B", "C")).values == {SCORE: "C"}
    assert read_reply(parser, "[[D]]", ("A", "B", "C")).verdict is ReplyOutcome.OUT_OF_RANGE


SIX = """action assessment evidence: it opens the door
action score: {0}
perception assessment evidence: it names the door
perception score: {1}
cognition assessment evidence: it reasons from the handle
cognition score: {2}
"""


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        (SIX.format(1, 0, 1), {"action": 1, "perception": 0, "cognition": 1}),
        (SIX.format("**1**", "`0`", "(1)"), {"action": 1, "perception": 0, "cognition": 1}),
        (SIX.format("1 (the same)", "1.", "0, as nothing follows"), {"action": 1, "perception": 1, "cognition": 0}),
        (SIX.format(1, 0, 1).upper(), {"action": 1, "perception": 0, "cognition": 1}),
        (SIX.format(1, 0, 1).replace("\n", "\r\n"), {"action": 1, "perception": 0, "cognition": 1}),
        ("\n".join(reversed(SIX.format(1, 0, 0).splitlines())), {"action": 1, "perception": 0, "cognition": 0}),
        (
            "1. **Action score:** 1\n2. **Perception Score**: 1\n3. __cognition score__: 0",
            {"action": 1, "perception": 1, "cognition": 0},
        ),
    ],
)
def test_six_lines(reply: str, expected: dict[str, int]) -> None:
    found = read_reply(PARSERS["six_lines"], reply, BITS)
    assert (found.verdict, found.values) == (ReplyOutcome.SCORED, expected)
    assert {name: float(reply[start:end]) for name, (start, end) in found.spans.items()} == expected


@pytest.mark.parametrize(
    ("reply", "verdict", "said"),
    [
        (SIX.format(1, 0.5, 1), ReplyOutcome.OUT_OF_RANGE, "perception"),
        (SIX.format("1/2", 0, 1), ReplyOutcome.OUT_OF_RANGE, "action"),
        (SIX.format("0 or 1", 0, 1), ReplyOutcome.CONTRADICTORY, "action"),
        (SIX.format("", 0, 1), ReplyOutcome.UNPARSEABLE, "action"),
        (SIX.format(1, 0, 1).replace("cognition score", "reasoning score"), ReplyOutcome.UNPARSEABLE, "cognition"),
        (SIX.format(1, 0, 1) + "action score: 0", ReplyOutcome.CONTRADICTORY, "action"),
        ("1\n0\n1", ReplyOutcome.UNPARSEABLE, "perception"),
    ],
)
def test_six_lines_that_do_not_fit(reply: str, verdict: ReplyOutcome, said: str) -> None:
    found = read_reply(PARSERS["six_lines"], reply, BITS)
    assert (found.verdict, found.values) == (verdict, {})
    assert said in found.why


@pytest.mark.parametrize(
    ("reply", "verdict", "value"),
    [
        ('{"Assessment": "near enough", "Final Score": "0.5"}', ReplyOutcome.SCORED, 0.5),
        ('{"Assessment": "near enough", "Final Score": 1}', ReplyOutcome.SCORED, 1),
        (r'{"Assessment": "\same", "Final Score": "\1"}', ReplyOutcome.SCORED, 1),
        (r'{"Assessment": "it says \"{cup}\"", "Final Score": "0"}', ReplyOutcome.SCORED, 0),
        ('Of course!\n```json\n{"Assessment": "a\nb", "Final Score": "1"}\n```', ReplyOutcome.SCORED, 1),
        ('{"final_score": "1"}', ReplyOutcome.SCORED, 1),
        ('{"Final Score": "1"} or rather {"Final Score": "0"}', ReplyOutcome.CONTRADICTORY, NONE),
        ('{"Final Score": "1", "Final Score": "0"}', ReplyOutcome.CONTRADICTORY, NONE),
        ('{"Final Score": "1(or 0, or 0.5)"}', ReplyOutcome.OUT_OF_RANGE, NONE),
        ('{"Final Score": 0.75}', ReplyOutcome.OUT_OF_RANGE, NONE),
        ('{"Final Score": true}', ReplyOutcome.UNPARSEABLE, NONE),
        ('{"Final Score": null}', ReplyOutcome.UNPARSEABLE, NONE),
        ('{"Final Score": ["1"]}', ReplyOutcome.UNPARSEABLE, NONE),
        ('{"Assessment": "cut o', ReplyOutcome.UNPARSEABLE, NONE),
        ("Final Score: 1", ReplyOutcome.UNPARSEABLE, NONE),
        ("{" * 5000, ReplyOutcome.UNPARSEABLE, NONE),
    ],
)
def test_assessment_json(reply: str, verdict: ReplyOutcome, value: object) -> None:
    found = read_reply(PARSERS["assessment_json"], reply, HALVES)
    assert (found.verdict, found.values) == (verdict, {} if value is NONE else {SCORE: value})


@pytest.mark.parametrize(
    ("reply", "verdict", "value"),
    [
        ("It is a cup.\nyes", ReplyOutcome.SCORED, "yes"),
        ("It is a cup.\n**No.**\n\n", ReplyOutcome.SCORED, "no"),
        ("yes, it is", ReplyOutcome.UNPARSEABLE, NONE),
        ("no\nwell, perhaps", ReplyOutcome.UNPARSEABLE, NONE),
    ],
)
def test_last_line(reply: str, verdict: ReplyOutcome, value: object) -> None:
    found = read_reply(PARSERS["last_line"], reply, ("yes", "no"))
    assert (found.verdict, found.values) == (verdict, {} if value is NONE else {SCORE: value})


@pytest.mark.parametrize(
    ("reply", "verdict", "value"),
    [
        (
            "Output (a) is better.\n\nIt says more than Output (b).\n\nTherefore, Output (a) is better.",
            ReplyOutcome.SCORED,
            "a",
        ),
        ("**Output (b)**", ReplyOutcome.SCORED, "b"),
        ("Output (b) is the better one", ReplyOutcome.SCORED, "b"),
        ("Output (a) is better. No: output (B) is better.", ReplyOutcome.SCORED, "b"),
        ("Output (a) is better. Output (B) is better.", ReplyOutcome.CONTRADICTORY, NONE),
        ("Output (c) is better", ReplyOutcome.OUT_OF_RANGE, NONE),
        ("Output (a) and Output (b) are alike", ReplyOutcome.UNPARSEABLE, NONE),
    ],
)
def test_better_output(reply: str, verdict: ReplyOutcome, value: object) -> None:
    found = read_reply(PARSERS["better_output"], reply, ("a", "b"))
    assert (found.verdict, found.values) == (verdict, {} if value is NONE else {SCORE: value})


def test_why_a_reply_ended_is_looked_at_first() -> None:
    parser = PARSERS["double_brackets"]
    assert read_reply(parser, "Rating: [[1]]", HALVES, finish_reason="length").verdict is ReplyOutcome.TRUNCATED
    assert read_reply(parser, "Rating: [[1]]", HALVES, finish_reason="content_filter").verdict is ReplyOutcome.REFUSED
    assert read_reply(parser, "", HALVES, finish_reason="content_filter").verdict is ReplyOutcome.REFUSED


TALK = (
    st.lists(
        st.one_of(
            st.characters(exclude_characters="[]{}:", exclude_categories=["Cs"]),
            st.sampled_from(["the cup ", "It is red. ", "\n", "a lid, ", " names it", "Two. ", "und dann "]),
        ),
        max_size=40,
    )
    .map("".join)
    .filter(lambda text: "rating" not in text.lower() and "score" not in text.lower())
)
"""Text that says nothing of a rating: letters and neutral words, not whole strings of the code, many of which do."""


@pytest.mark.thorough
@given(before=TALK, value=st.sampled_from(HALVES), after=TALK)
def test_a_rating_is_found_in_whatever_surrounds_it(before: str, value: float, after: str) -> None:
    reply = f"{before}\nRating: [[{value}]]\n{after}"
    found = read_reply(PARSERS["double_brackets"], reply, HALVES)
    assert found.values == {SCORE: value}
    start, end = found.spans[SCORE]
    assert float(reply[start:end]) == value


@pytest.mark.parametrize("value", HALVES)
@pytest.mark.parametrize(
    "behind",
    [
        *(
            "for instance",
            "FOR INSTANCE",
            "For instance",
            "e.g.",
            "E.g.",
            "such as",
            "Such as",
            "For example",
            "etc.",
            "say",
        ),
        "For example, the lid is missing.",
        "E.g. the lid is missing.",
        "If the lid were named, it would be complete.",
        "When the light is red, one stops.",
        "It is not a cup.",
        "This is not the colour that was asked for.",
        "That is too vague.",
        "It is wrong about the colour.",
        "Isn't it red?",
        "Would be better with the lid.",
        "At first the cup was full.",
        "Reference answer says three.",
        "Example 2 shows the same.",
        "The other cup is blue.",
    ],
)
def test_what_a_new_sentence_says_behind_a_rating_is_of_the_answer(behind: str, value: float) -> None:
    found = read_reply(PARSERS["double_brackets"], f"It names the cup.\nRating: [[{value}]]\n{behind}", HALVES)
    assert found.values == {SCORE: value}


@pytest.mark.parametrize(
    "behind",
    [
        *(
            "if the lid counts",
            "as the answer demands.",
            "Wait.",
            "Not!",
            "This is only an example.",
            "That is too kind.",
        ),
        *("That is wrong.", "This cannot be right.", "The rating is wrong.", "I take that back."),
    ],
)
def test_what_is_said_of_a_rating_on_the_next_line_still_counts(behind: str) -> None:
    found = read_reply(PARSERS["double_brackets"], f"It names the cup.\nRating: [[1]]\n{behind}", HALVES)
    assert not found.scored


def test_it_is_wrong_explains_the_lowest_rating_and_takes_back_any_other() -> None:
    said = [read_reply(PARSERS["double_brackets"], f"Rating: [[{value}]]\nIt is wrong.", HALVES) for value in HALVES]
    assert [each.values.get(SCORE) for each in said] == [0, None, None]


@pytest.mark.thorough
@given(
    talk=st.lists(TALK, min_size=3, max_size=3),
    scores=st.lists(st.sampled_from(BITS), min_size=3, max_size=3),
    data=st.data(),
)
def test_six_lines_in_any_order(talk: list[str], scores: list[Value], data: st.DataObject) -> None:
    clean = [" ".join(each.split()) for each in talk]
    lines = [
        line
        for name, words, score in zip(ASPECTS, clean, scores, strict=True)
        for line in (f"{name} assessment evidence: {words}", f"{name} score: {score}")
    ]
    reply = "\n".join(data.draw(st.permutations(lines)))
    assert read_reply(PARSERS["six_lines"], reply, BITS).values == dict(zip(ASPECTS, scores, strict=True))


@pytest.mark.thorough
@given(
    words=st.lists(st.characters(codec="utf-8"), max_size=60).map("".join),  # no word that says how right an answer is
    value=st.sampled_from(HALVES),
    as_text=st.booleans(),
)
def test_json_with_any_words(words: str, value: float, as_text: bool) -> None:
    assume(not words or any(char.isalnum() for char in words))  # punctuation alone stands for a template
    reply = json.dumps({"Assessment": words, "Final Score": str(value) if as_text else value})
    assert read_reply(PARSERS["assessment_json"], f"Here: {reply}", HALVES).values == {SCORE: value}


@pytest.mark.thorough
@given(
    reply=st.text(max_size=300),
    name=st.sampled_from(sorted(PARSERS)),
    allowed=st.sampled_from([HALVES, BITS, ("yes", "no")]),
)
def test_any_text_is_read_without_an_error_and_nothing_is_made_up(
    reply: str, name: str, allowed: Sequence[Value]
) -> None:
    found = read_reply(PARSERS[name], reply, allowed)
    assert found.scored == bool(found.values)
    assert set(found.values.values()) <= set(allowed)
    assert found.scored or found.why.endswith(".")
    for start, end in found.spans.values():
        assert 0 <= start <= end <= len(reply)


@pytest.mark.thorough
def test_wildvision_reads_as_its_authors_read_it() -> None:
    folder = shared("data", "wildvision", "model_judgements", "judge_gpt-4o_reference_claude-3-sonnet-20240229")
    games = [json.loads(line)["games"][0] for line in (folder / "aria.jsonl").read_text(encoding="utf-8").splitlines()]
    scale = ("A>>B", "A>B", "A=B", "B>A", "B>>A")
    found = [read_reply(PARSERS["double_brackets"], game["judgement"], scale) for game in games]
    assert [each.values.get(SCORE) for each in found] == [game["score"] for game in games]
    assert Counter(each.verdict for each in found) == {ReplyOutcome.SCORED: 493, ReplyOutcome.UNPARSEABLE: 6}


# ---- replies that are hard to read ----------------------------------------------------------------------------------


def cases(path: Path) -> list[dict[str, Any]]:
    """Replies with every reading that a careful person would accept."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def misread(some: list[dict[str, Any]]) -> tuple[list[str], list[str]]:
    """The cases that are not read as expected, and those of them that are scored."""
    other, silent = [], []
    for case in some:
        found = read_reply(PARSERS[case["parser"]], case["reply"], case["values"], finish_reason=case["finish_reason"])
        got = {"scored": dict(found.values)} if found.scored else {"outcome": "unreadable"}
        if got not in case["expected"]:
            other.append(case["id"])
            if found.scored:
                silent.append(case["id"])
    return other, silent


@pytest.mark.thorough
def test_hard_replies_that_we_wrote_are_read_as_expected() -> None:
    """Hundreds of replies of every manner, for every parser (``judge_replies.jsonl`` next to this module)."""
    some = cases(Path(__file__).with_name("judge_replies.jsonl"))
    assert len(some) > 900
    assert {case["parser"] for case in some} == set(PARSERS)
    assert misread(some) == ([], [])


def test_hard_replies_of_others_are_read_as_expected() -> None:
    """At most 1 in 100 silently wrong and 4 in 100 not as expected is the goal; none of these is."""
    some = cases(shared("data", "replies", "judge_replies.jsonl"))
    assert len(some) == 147
    assert misread(some) == ([], [])


@pytest.mark.parametrize("name", sorted(PARSERS))
@given(data=st.data())
def test_a_verdict_that_is_cut_off_or_only_thought_is_never_taken(name: str, data: st.DataObject) -> None:
    some = [case for case in CANONICAL if case[0] == name]
    _, reply, allowed = data.draw(st.sampled_from(some))
    wrapped = data.draw(
        st.sampled_from(["<think>{}", "<think>{}</think>", "<thinking>\n{}\n</thinking>\n", "[THINK]{}"])
    )
    assert not read_reply(PARSERS[name], wrapped.format(reply), allowed).scored
    for reason in ("length", "content_filter"):
        assert not read_reply(PARSERS[name], reply, allowed, finish_reason=reason).scored
    assert read_reply(PARSERS[name], reply, allowed, finish_reason="stop").scored


CANONICAL: Sequence[tuple[str, str, Sequence[Value]]] = (
    ("double_brackets", "Rating: [[0.5]]", HALVES),
    ("double_brackets", "It names the cup.\n\n**Rating: [[1]]**", HALVES),
    ("last_line", "It is a cup.\nyes", ("yes", "no")),
    ("better_output", "Therefore, Output (b) is better.", ("a", "b")),
    ("six_lines", SIX.format(1, 0, 1), BITS),
    ("assessment_json", '{"Assessment": "same", "Final Score": "0.5"}', HALVES),
)


@given(
    data=st.data(),
    behind=st.sampled_from(
        ["<|im_end|>", "</s>", "<|eot_id|>", "<|endoftext|>", "<|im_end|>\n<|im_start|>user\n", "\n\n"]
    ),
    before=st.sampled_from(["", "<think>Rating: [[0]] no yes</think>", "\u200b", "\ufeff", "\n"]),
)
def test_tokens_and_thoughts_around_a_verdict_change_nothing(data: st.DataObject, behind: str, before: str) -> None:
    name, reply, allowed = data.draw(st.sampled_from(CANONICAL))
    bare = read_reply(PARSERS[name], reply, allowed)
    dressed = f"{before}{reply}{behind}"
    found = read_reply(PARSERS[name], dressed, allowed)
    assert found.values == bare.values
    assert {part: dressed[slice(*span)] for part, span in found.spans.items()} == {
        part: reply[slice(*span)] for part, span in bare.spans.items()
    }


@pytest.mark.thorough
@pytest.mark.parametrize(
    "piece",
    [
        "[[1]]",
        "[[",
        '{"',
        '"',
        "'a ",
        "action score: 1\n",
        "Output (a) is better ",
        "<student>",
    ],
)
def test_hostile_repetition_is_read_without_work_that_grows_with_its_square(piece: str) -> None:
    """Twice the text is not four times the work: counted in calls, since time is no one's to promise."""

    def calls(n: int) -> int:
        count = 0

        def counted(frame: object, event: str, arg: object) -> None:
            nonlocal count
            count += 1

        reply = (piece * n)[: len(piece) * n] + "\nRating: [[1]]"
        sys.setprofile(counted)
        try:
            for name, parser in PARSERS.items():
                read_reply(parser, reply, ("yes", "no") if name == "last_line" else BITS)
        finally:
            sys.setprofile(None)
        return count

    assert calls(4000) < 3 * calls(2000) + 20_000


@pytest.mark.parametrize("run", ["(", "\n", "'", "- "])
def test_a_long_run_behind_a_verdict_is_passed_over_in_a_moment(run: str) -> None:
    """Tens of thousands of brackets took minutes; the verdict stands."""
    assert read_reply(PARSERS["double_brackets"], "Rating: [[1]]\n" + run * 20_000, HALVES).values == {SCORE: 1}
