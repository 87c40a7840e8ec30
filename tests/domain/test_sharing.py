"""What is shared out: against every way there is, for small numbers."""

from __future__ import annotations

import random
from collections import Counter
from itertools import product

from domain.sharing import shared_out


def test_no_way_to_share_out_is_more_even() -> None:
    dice = random.Random(3)
    for _ in range(150):
        people = "abcd"[: dice.randint(1, 4)]
        can = [[one for one in people if dice.random() < 0.5] for _ in range(dice.randint(0, 6))]
        given = shared_out(can)
        assert all(one in some if some else one is None for one, some in zip(given, can, strict=True))
        uneven = [sum(n * n for n in Counter(each).values()) for each in product(*(some for some in can if some))]
        assert sum(n * n for n in Counter(one for one in given if one).values()) == min(uneven), can


def test_many_are_shared_out_to_within_one() -> None:
    given = Counter(shared_out([("a", "b", "c")] * 1000 + [("c",)] * 100))
    assert (sum(given.values()), max(given.values()) - min(given.values())) == (1100, 1)
