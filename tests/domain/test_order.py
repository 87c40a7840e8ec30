"""Orders follow from seed and parts alone, lose nothing, and favor no one."""

from __future__ import annotations

import hashlib
from collections import Counter
from itertools import permutations

from domain.order import shuffled


def test_the_order_is_that_of_the_hashes() -> None:
    ranks = {at: hashlib.sha256(f"7/ann/item/{at}".encode()).hexdigest() for at in range(12)}
    wanted = ["abcdefghijkl"[at] for at in sorted(ranks, key=lambda at: ranks[at])]
    assert shuffled("abcdefghijkl", seed=7, parts=("ann", "item")) == wanted
    assert shuffled("abcdefghijkl", seed=7, parts=("ann", "item")) == wanted


def test_nothing_is_lost_and_equal_items_stay_as_many() -> None:
    assert sorted(shuffled([3, 1, 1, 2], seed=1, parts=())) == [1, 1, 2, 3]
    assert shuffled([], seed=1, parts=("x",)) == []


def test_every_order_is_about_equally_likely() -> None:
    seen = Counter(tuple(shuffled("abc", seed=seed, parts=("p",))) for seed in range(6000))
    assert set(seen) == set(permutations("abc"))
    assert all(850 < n < 1150 for n in seen.values())  # 1000 expected, standard deviation 29
