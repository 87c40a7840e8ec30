"""Questions out of goals: when one looks, what was done, what else is offered, and what cannot be asked."""

from __future__ import annotations

import random
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extensions.narrations.rules.frame_rates import first_frame_from, frame_at, rate
from extensions.narrations.rules.goals import Goal, Task
from extensions.narrations.rules.narration import Narration, Tally
from extensions.narrations.rules.phrases import Classes, Sameness, phrase_key
from extensions.narrations.rules.questions import Question, Segment, Settings, questions, towards
from extensions.narrations.tests.rows import MILK, Row, narrations

THIRTY = Settings(rate=Fraction(30))


def made(
    rows: list[Narration], settings: Settings = THIRTY, sameness: Sameness | None = None
) -> tuple[list[Question], Tally]:
    task = Task(
        Goal(rows[0].video, "Make a drink", "goals.json, line 1"), tuple(sorted(rows, key=lambda row: row.place))
    )
    tally = Tally()
    return list(questions([task], settings, sameness or Sameness(), tally)), tally


def test_worked_by_hand() -> None:
    found, tally = made(MILK)
    # the fridge is opened at 0 s: half a second before there is no video
    assert tally.left_out == {"the observation would be before the video begins": 1}
    assert [each.answer.id for each in found] == ["V-2", "V-3", "V-4", "V-5", "V-6"]
    # (2, 4, 6.5, 8, 10 s less 0.5 s) at 30 frames per second
    assert [each.observation_frame for each in found] == [45, 105, 180, 225, 285]
    assert [each.action_frame for each in found] == [60, 120, 195, 240, 300]
    assert found[2].segments == (
        Segment("open fridge", 0, 45),
        Segment("take milk", 60, 90),
        Segment("pour milk into cup", 120, 180),
    )
    for each in found:
        assert each.options[each.key] == each.answer
        texts = {row.text.casefold().replace("the ", "") for row in each.options}
        assert len(texts) == 4  # the milk is taken twice, and never offered beside itself
    assert found[3].text.endswith("Which action should come next in order to make a drink?")
    assert found[3].construction == {
        "goal": {"text": "Make a drink", "level": "goal", "where": "goals.json, line 1"},
        "actions": [f"V-{n}" for n in range(1, 7)],
        "answer": "V-5",
        "progress": ["V-1", "V-2", "V-3", "V-4"],
        "negatives": [row.id for row in found[3].options if row.id != "V-5"],
        "rule": {"observation": "gap", "gap": "0.5"},
        "observation": "7.5",
        "action": {"start": "8", "frame": 240},
        "rate": "30",
        "seed": 0,
    }


# At 3.5 s and from 4 s on: 3.5 * 30000 / 1001 = 104.9 and 4 * 30000 / 1001 = 119.9, and so on.
@pytest.mark.parametrize(
    ("told", "observed", "action"),
    [
        ("29.97", 104, 120),
        ("47.95", 167, 192),
        ("50", 175, 200),
        ("59.94", 209, 240),
        ("59.9400599400599", 209, 240),
        ("90.0", 315, 360),
    ],
)
def test_frames_at_the_rates_of_real_videos(told: str, observed: int, action: int) -> None:
    found, _ = made(MILK, Settings(rates={"V": rate(told) or Fraction(0)}))
    assert (found[1].observation_frame, found[1].action_frame) == (observed, action)
    for each in found:  # never less than half a second before the frame with which the action begins
        assert Fraction(each.action_frame - each.observation_frame) / each.rate >= Fraction(1, 2)


@pytest.mark.parametrize(("told", "frame"), [("29.97", 30_000), ("47.95", 48_000), ("59.94", 60_000), ("50", 50_050)])
def test_rates_of_television_are_exact(told: str, frame: int) -> None:
    """1001 s are a whole number of frames at such rates; by the digits as they stand they are one less, or two."""
    found = rate(told)
    assert found is not None
    assert frame_at(Decimal(1001), found) == first_frame_from(Decimal(1001), found) == frame


@pytest.mark.parametrize(
    ("rule", "stop", "observed"),
    [("gap", "4.2", "4.0"), ("ended", "4.2", "4.2"), ("ended", "4.8", "4.0"), ("last", "4.8", "4.8")],
)
def test_when_one_looks(rule: str, stop: str, observed: str) -> None:
    rows = narrations(
        ("1", stop, "wash cup"), ("4.5", "5", "dry cup"), ("6", "7", "take tea"), ("8", "9", "boil water")
    )
    found, _ = made(rows, replace(THIRTY, rule=rule))
    assert found[1].answer.text == "dry cup"
    assert found[1].observed == Decimal(observed)


def test_an_action_that_begins_unseen_before_the_answer() -> None:
    rows: tuple[Row, ...] = (("1", "2", "wash cup"), ("5", "6", "dry cup"), ("5.3", "6", "take tea"), ("8", "9", "go"))
    found, tally = made(narrations(*rows))
    # tea is taken from 5.3 s on; at 4.8 s no one sees yet that the cup is dried from 5 s on
    assert [each.answer.text for each in found] == ["wash cup", "dry cup", "go"]
    assert tally.left_out == {"another action of the goal begins between the observation and the action": 1}


def test_too_few_others_and_no_rate() -> None:
    rows = narrations(("1", "2", "take cup"), ("3", "4", "take the cups"), ("5", "6", "go"), ("7", "8", "wash cup"))
    _, tally = made(rows)
    assert tally.left_out == {"the goal has fewer than 3 other actions that differ in more than wording": 4}
    _, tally = made(MILK, Settings(rates={"W": Fraction(30)}))
    assert tally.left_out == {"goals of a video whose frame rate is unknown": 1}


def test_classes_say_what_words_do_not() -> None:
    rows = narrations(
        ("1", "2", "take cup"), ("3", "4", "pick up mug"), ("5", "6", "go"), ("7", "8", "wash cup"), ("9", "10", "eat")
    )
    classes = Classes({"take": 0, "pick-up": 0, "wash": 2}, {"cup": 13, "mug": 13})
    for seed in range(20):
        for each in made(rows, replace(THIRTY, seed=seed), Sameness(classes))[0]:
            assert len({"take cup", "pick up mug"} & {row.text for row in each.options}) == 1
    together = [
        {"take cup", "pick up mug"} <= {row.text for row in each.options}
        for seed in range(20)
        for each in made(rows, replace(THIRTY, seed=seed))[0]
    ]
    assert any(together)  # without them they pass for two actions


def test_neither_the_order_of_rows_nor_other_goals_change_a_question() -> None:
    mixed = list(MILK)
    random.Random(3).shuffle(mixed)
    assert made(mixed) == made(MILK)
    other = Task(Goal("U", "Drink", "line 2"), tuple(replace(row, video="U", id=f"U{row.id}") for row in MILK))
    own = Task(Goal("V", "Make a drink", "goals.json, line 1"), tuple(MILK))
    together = list(questions([other, own], THIRTY, Sameness(), Tally()))
    assert together[5:] == made(MILK)[0]
    drawn = {tuple(row.id for row in made(MILK, replace(THIRTY, seed=seed))[0][0].options) for seed in range(8)}
    assert len(drawn) > 1


_WORDS = st.sampled_from(
    ["take cup", "Take the cup", "wash cup", "wash cups", "open tap", "open a tap", "go", "eat", "sit"]
)


@given(st.lists(_WORDS, min_size=4, max_size=12), st.integers(0, 5))
def test_options_are_four_different_actions(texts: list[str], seed: int) -> None:
    rows = narrations(*((f"{n}", f"{n}.4", text) for n, text in enumerate(texts, 1)))
    for each in made(rows, replace(THIRTY, seed=seed))[0]:
        assert len({phrase_key(row.text) for row in each.options}) == 4
        assert each.options[each.key] is each.answer
        assert set(each.options) <= set(rows)


def test_goals_at_the_end_of_a_question() -> None:
    # the forms of EgoPlan's published questions: "in order to clean ...", "for preparing ..."
    assert towards("Clean and put away pan") == "in order to clean and put away pan"
    assert towards("Preparing the hot water.") == "for preparing the hot water"
    assert towards("Bring in the dishes") == "in order to bring in the dishes"
