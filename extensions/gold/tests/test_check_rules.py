"""When gold comes, and what the answers to it come to."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extensions.gold.check_rules import BLOCK, GoldStanding, is_right, is_turn, standing, to_come

PARTS = ("verification", 7)


@pytest.mark.parametrize("rate", [0.01, 0.05, 0.1, 0.25, 0.5])
def test_every_hundred_tasks_hold_exactly_the_share_asked_for(rate: float) -> None:
    for block in range(5):
        turns = [is_turn(block * BLOCK + at, rate=rate, seed=3, parts=PARTS) for at in range(BLOCK)]
        assert sum(turns) == round(rate * 100)


def test_its_places_differ_by_person_block_and_seed() -> None:
    def places(seed: int, person: int, block: int) -> tuple[int, ...]:
        parts = ("verification", person)
        return tuple(n for n in range(BLOCK) if is_turn(block * BLOCK + n, rate=0.1, seed=seed, parts=parts))

    assert len({places(seed, person, block) for seed in range(3) for person in range(3) for block in range(3)}) == 27
    assert places(1, 1, 1) == places(1, 1, 1)


@given(
    n=st.integers(0, 1000),
    live=st.integers(0, 1500),
    rate=st.sampled_from([0.01, 0.1, 0.25, 0.33, 0.5]),
    seed=st.integers(0, 5),
)
def test_what_is_to_come_is_what_counting_one_by_one_gives(n: int, live: int, rate: float, seed: int) -> None:
    left, gold, at = live, 0, n
    while left:
        if is_turn(at, rate=rate, seed=seed, parts=PARTS):
            gold += 1
        else:
            left -= 1
        at += 1
    assert to_come(n, live=live, rate=rate, seed=seed, parts=PARTS) == gold


def test_a_million_live_tasks_are_counted_at_once() -> None:
    found = to_come(0, live=1_000_000, rate=0.1, seed=0, parts=PARTS)
    assert 111_100 <= found <= 111_111 + 10  # one gold for nine live


@pytest.mark.parametrize(
    ("answers", "right"),
    [
        ({"fits": "yes", "why": "x"}, True),
        ({"fits": "no"}, False),
        ({"fits": None}, None),
        ({}, None),
        ({"fits": True}, False),
    ],
)
def test_right_wrong_and_skipped(answers: dict[str, object], right: bool | None) -> None:
    assert is_right(answers, {"fits": "yes"}) is right


def test_all_known_criteria_have_to_be_right() -> None:
    assert is_right({"a": 1, "b": 2}, {"a": 1, "b": 2}) is True
    assert is_right({"a": 1, "b": 3}, {"a": 1, "b": 2}) is False
    assert is_right({"a": 1, "b": None}, {"a": 1, "b": 2}) is None


@pytest.mark.parametrize(
    ("right", "n", "found"),
    [
        (0, 3, GoldStanding.FEW),
        (4, 4, GoldStanding.GOOD),
        (8, 10, GoldStanding.GOOD),
        (7, 10, GoldStanding.LOW),
        (5, 10, GoldStanding.LOW),
        (4, 10, GoldStanding.STOPPED),
        (0, 4, GoldStanding.STOPPED),
    ],
)
def test_where_a_person_stands(right: int, n: int, found: GoldStanding) -> None:
    assert standing(right=right, n=n, after=4, warn_below=0.8, stop_below=0.5) is found


def test_without_limits_nothing_follows() -> None:
    assert standing(right=0, n=50, after=4, warn_below=None, stop_below=None) is GoldStanding.GOOD
