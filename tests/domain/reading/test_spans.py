"""Spans of time as models state them: what is read, and why nothing is."""

from __future__ import annotations

import pytest

from annotation_schemas.expected_answers import held_against
from domain.reading.answers import AnswerKind, ExpectedAnswer, ReadOutcome, read_answer

SECONDS = ExpectedAnswer(AnswerKind.SPANS, unit="seconds")
FRAMES = ExpectedAnswer(AnswerKind.SPANS, unit="frames")
SEVERAL = ExpectedAnswer(AnswerKind.SPANS, unit="seconds", several=True)

READ = {
    "from 2.0 to 3.5 s": (2, 3.5),
    "00:12 - 00:15": (12, 15),
    "[2.0, 3.5]": (2, 3.5),
    "between 2 and 3.5 seconds": (2, 3.5),
    "The given query happens in 2.0 - 3.5 seconds.": (2, 3.5),
    "5.0, 8.0": (5, 8),
    "**2.0s – 3.5s**": (2, 3.5),
    "Answer: 00:02 to 00:03.5": (2, 3.5),
    "<answer>2.0-3.5</answer>": (2, 3.5),
    '{"start": 2.0, "end": 3.5}': (2, 3.5),
    '{"answer": [2.0, 3.5], "length": [0, 30]}': (2, 3.5),
    "Start time: 2 s\nEnd time: 3.5 s": (2, 3.5),
    "It starts at 2.0 s and ends at 3.5 s.": (2, 3.5),
    "from 1 to 2 minutes": (60, 120),
    "1 min 12 s to 1 min 15 s": (72, 75),
    "01:02:03 --> 01:02:04,500": (3723, 3724.5),
    "He sits from 0 to 2 s.\nAnswer: 2.0 to 3.5 s": (2, 3.5),
    "There are 2 to 3 people. It happens from 4 to 6 s.": (4, 6),
    "As step 2 to 3 shows: 4 to 6": (4, 6),
    "The steps are seen from 2 to 4": (2, 4),
    "The clip lasts 30 s. It is from 2 to 3.5 seconds.": (2, 3.5),
    "<think>from 2 to 9 s?</think>2.0 to 3.5 s": (2, 3.5),
    "It happens from 2 to 2 s.": (2, 2),  # a point is a span without length
    "[23.1, 23.299999999999997]": (23.1, 23.299999999999997),  # as a program writes its sums
    '{"start": 1.1, "end": 3.3000000000000003}': (1.1, 3.3000000000000003),
    "From 20 to 3600 s": (20, 3600),  # no one knows here how long the clip is
}
UNREAD = {
    "He sits from 0 to 2 s, and opens it from 2 to 3.5 s.": "several time spans, but the question asks for one",
    "from 3.5 to 2 s": "ends before it begins",
    "from -2 to 3 s": "before the clip begins",
    "[-2, 3]": "before the clip begins",
    "from frame 12 to frame 40": "in frames, but the question asks for seconds",
    "frames 12 to 40": "in frames, but the question asks for seconds",
    "from 20% to 35%": "as a percentage of the clip",
    "00:75 to 00:80": "invalid clock time",
    "It is not from 2 to 3.5 s.": "denies or doubts",
    "From 2 to 3.5 s or from 5 to 6 s": "denies or doubts",
    "[nan, 3]": "does not state an answer that Touchstone can read",
    "It happens at 2 s.": "does not state an answer that Touchstone can read",
    "The event does not happen.": "does not state an answer that Touchstone can read",
    "von 2,5 bis 3,5": "does not state an answer that Touchstone can read",  # a comma may part numbers, or thousands
    "1e1 to 20": "does not state an answer that Touchstone can read",  # 10, and not 1 to 20
    "from 1 to 2e1 s": "does not state an answer that Touchstone can read",
    "2 to 3 people": "does not state an answer that Touchstone can read",
    "See pages 3 to 9": "does not state an answer that Touchstone can read",
    "It is in steps 2-4.": "does not state an answer that Touchstone can read",
}


def test_a_span_is_read_however_it_is_stated() -> None:
    for text, wanted in READ.items():
        read = read_answer(text, SECONDS)
        assert (read.value, read.why) == ((wanted,), ""), text
        (place,) = read.spans
        assert text[slice(*place)].strip(), "the words it was read from"


def test_what_is_not_one_span_says_why() -> None:
    for text, why in UNREAD.items():
        read = read_answer(text, SECONDS)
        assert read.outcome is ReadOutcome.UNREADABLE, text
        assert why in read.why, text
    assert read_answer("I cannot see the video.", SECONDS).outcome is ReadOutcome.REFUSED
    assert read_answer("From 2 to 3", SECONDS, finish_reason="length").outcome is ReadOutcome.TRUNCATED


def test_frames_and_several_spans() -> None:
    assert read_answer("from frame 12 to frame 40", FRAMES).value == ((12, 40),)
    assert read_answer("[12, 40]", FRAMES).value == ((12, 40),)
    assert "in seconds, but the question asks for frames" in read_answer("from 2 to 3.5 s", FRAMES).why
    assert "frames count from 1" in read_answer("frames 0 to 10", FRAMES).why
    assert "fraction of a frame" in read_answer("[1.5, 4]", FRAMES).why
    read = read_answer("It opens from 5 to 6 s and from 2 to 3.5 s.", SEVERAL)
    assert read.value == ((2, 3.5), (5, 6)), "in the order of time"


@pytest.mark.parametrize(
    ("text", "key", "iou"),
    [
        ("from 2 to 4 s", (2, 4), 1),
        ("from 3 to 5 s", (2, 4), 1 / 3),  # 1 of 3 seconds
        ("from 4 to 6 s", (2, 4), 0),  # they touch
        ("from 3 to 3 s", (2, 4), 0),  # a point shares nothing
        ("from 2 to 3600 s", (2, 4), 2 / 3598),  # beyond the end of any clip: counted as it is said
        ("from 0 to 10 s", (2, 4), 2 / 10),
    ],
)
def test_how_far_an_answer_overlaps_with_the_key(text: str, key: tuple[float, float], iou: float) -> None:
    begins, ends = key
    value = read_answer(text, SECONDS).value
    found, why = held_against(value, SECONDS, [{"start": begins, "end": ends}])
    assert (found, why) == (pytest.approx(iou), "")
    # frames 3 and 4 last from the end of the second to the end of the fourth
    frames, _ = held_against([(begins + 1, ends)], FRAMES, [{"first": 3, "last": 4}])
    assert frames == 1


def test_several_spans_are_taken_together() -> None:
    key = [{"start": 0, "end": 2}, {"start": 4, "end": 6}]
    # both share 1 and 2 seconds of 2 + 2 + 0 (the second is one of theirs) = 3 of 4
    assert held_against([[1, 2], [4, 6]], SEVERAL, key)[0] == pytest.approx(3 / 4)
    half = held_against([[0, 0.1]], SECONDS, [{"start": 0.0, "end": 0.2}])[0]
    assert half == 0.5, "and not 0.49999999999999994, which would be below a half in cases and in coding"
    for none in (None, [], "2 to 3 s", [{"first": 1, "last": 2}], [2, 3]):  # frames are no seconds
        assert held_against([[1, 2], [4, 6]], SEVERAL, none)[1] == "the item has no key"


def test_a_long_answer_is_read_in_a_moment() -> None:
    text = "1-" * 2_000 + "from 1 to 2 s " * 500
    assert read_answer(text, SECONDS).outcome is ReadOutcome.UNREADABLE
