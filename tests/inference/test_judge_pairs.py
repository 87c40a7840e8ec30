"""A judge's reply is read for the lowest score of a scale where it is read for the highest, in the same wording."""

from __future__ import annotations

import os

import pytest

from domain.judging import Value
from inference.judges.parsers import PARSERS, read_reply
from testkit.judge_pairs import ReplyPair, reply_pairs

pytestmark = pytest.mark.thorough
SEED = os.environ.get("TESTKIT_SEED", "")


def read(pair: ReplyPair, replies: tuple[str, str]) -> list[set[Value]]:
    """Return the values that are read from both replies; an empty set where none is."""
    return [set(read_reply(PARSERS[pair.parser], reply, pair.scale).values.values()) for reply in replies]


@pytest.mark.parametrize("part", range(4))
def test_both_replies_of_a_pair_are_read_or_none(part: int) -> None:
    for pair in reply_pairs(1_000, seed=f"{SEED}/{part}"):
        for replies in (pair.fitting, pair.contradicting):
            assert read(pair, replies) in ([{min(pair.scale)}, {max(pair.scale)}], [set(), set()]), replies


def test_most_replies_whose_words_fit_the_score_are_read() -> None:
    pairs = list(reply_pairs(500, seed=SEED))
    assert sum(bool(read(pair, pair.fitting)[0]) for pair in pairs) > 300
