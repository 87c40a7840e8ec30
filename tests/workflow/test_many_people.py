"""The benchmark of many hands, small: people in processes that are killed, and two people at one slot."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks import many_people
from db.engine import Store

pytestmark = [pytest.mark.slow, pytest.mark.both_databases]


def test_people_who_dawdle_and_are_killed_break_no_rule(store: Store, store_url: str, home: Path) -> None:
    """In the order that also counts votes; ``test_concurrency.py`` kills people in the other one."""
    figures = many_people.stress(
        store, store_url, home, items=40, processes=4, seconds=3, kill_every=0.5, order="fewest_votes", at_least=30
    )
    assert figures["failed"] == []
    assert figures["kills"] > 0
    assert figures["submitted"] >= 30
    assert figures["acknowledged"] > 0
    broken = ("overfilled", "same_person_twice", "self_verified", "outside_dimensions", "same_key_twice")
    assert {name: figures[name] for name in broken} == dict.fromkeys(broken, 0)
    assert figures["what_was_lost"] == []
    assert figures["what_differs"] == []
    assert (figures["lost"], figures["check_differences"]) == (0, 0)


def test_two_people_one_slot_exactly_one_wins_every_time(store: Store, store_url: str, home: Path) -> None:
    figures = many_people.duel(store, store_url, home, rounds=200)
    assert (figures["rounds"], figures["exactly_one_won"], figures["left_open"]) == (200, 200, 0)
    assert min(figures["won_by"]) > 0, "both took part"
