"""The distribution of groups over splits, so that each split has its planned number of items of every dimension.

Large groups are placed first, each in the split with the largest deficit. Then groups are moved and exchanged while
that improves the fit. With few groups, all ways are tried. The draw depends only on the seed and the items' ids.
"""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

ALL_WAYS = 4096
"""The largest number of ways that are tried one by one."""
_EMPTY = 1e6
"""The cost of a split without any item of a dimension that it should have."""
_WHOLE = 4.0
"""The weight of a split's total size relative to the size of one dimension."""
_ROUNDS = 30
_KINDS = 150
"""With more kinds of groups than this, groups are moved but not exchanged."""


@dataclass(frozen=True)
class Bundle:
    """A group of items, with the facts that filling needs."""

    name: str
    counts: tuple[tuple[int, int], ...]
    """(dimension, items) by rising dimension."""
    draw: bytes
    """Decides between groups that would fit alike."""
    fixed: int | None = None
    """The split that it has to stay in."""

    @property
    def size(self) -> int:
        """Items in it."""
        return sum(n for _, n in self.counts)


def group_draw(seed: int, ids: Sequence[str]) -> bytes:
    """Return the draw of a group: the least keyed hash of its items, which a new item seldom changes."""
    key = seed.to_bytes(16, "big", signed=True)
    return min(
        hashlib.blake2b(item_id.encode("utf-8", "surrogatepass"), digest_size=16, key=key).digest() for item_id in ids
    )


def apportioned(shares: Sequence[Fraction], whole: int) -> list[int]:
    """Return whole numbers in these proportions that add up to ``whole``, by largest remainders. Ties go to the first.

    >>> apportioned([Fraction(1, 2), Fraction(1, 4), Fraction(1, 4)], 7)
    [3, 2, 2]
    """
    total = sum(shares, Fraction(0))
    exact = [whole * share / total for share in shares]
    sizes = [int(share) for share in exact]
    order = sorted(range(len(shares)), key=lambda at: (sizes[at] - exact[at], at))
    for at in order[: whole - sum(sizes)]:
        sizes[at] += 1
    return sizes


def targets(sizes: Sequence[int], there: Sequence[int]) -> list[list[int]]:
    """Return how many items of each dimension each split should have.

    ``sizes`` of the splits and counts (``there``) of the dimensions have equal sums, which the rows and columns of the
    result keep.
    """
    left = list(there)
    rows = []
    for at, size in enumerate(sizes):
        last = at == len(sizes) - 1
        row = list(left) if last or not sum(left) else apportioned([Fraction(count) for count in left], size)
        rows.append(row)
        left = [have - take for have, take in zip(left, row, strict=True)]
    return rows


@dataclass
class _Board:
    """The number of items that each split has, and the cost of that distribution."""

    wanted: Sequence[Sequence[int]]
    counts: list[list[int]] = field(init=False)
    totals: list[int] = field(init=False)
    sizes: list[int] = field(init=False)
    empty: float = 0.0

    def __post_init__(self) -> None:
        self.counts = [[0] * len(row) for row in self.wanted]
        self.totals = [0] * len(self.wanted)
        self.sizes = [sum(row) for row in self.wanted]

    def mind_empty(self) -> None:
        """Add the cost of a split without a planned dimension from now on."""
        self.empty = _EMPTY

    def change(self, split: int, bundle: Sequence[tuple[int, int]], sign: int) -> float:
        """Return the change in cost if a group is put into a split (``sign`` 1) or taken out (-1)."""
        more, counts, wanted, size = 0.0, self.counts[split], self.wanted[split], 0
        for dimension, n in bundle:
            size += n
            has, should = counts[dimension], wanted[dimension]
            then = has + sign * n
            more += ((then - should) ** 2 - (has - should) ** 2) / (should + 1)
            if should and self.empty:
                more += self.empty * ((not then) - (not has))
        has, should = self.totals[split], self.sizes[split]
        then = has + sign * size
        return more + _WHOLE * ((then - should) ** 2 - (has - should) ** 2) / (should + 1)

    def put(self, split: int, bundle: Sequence[tuple[int, int]], sign: int = 1) -> None:
        for dimension, n in bundle:
            self.counts[split][dimension] += sign * n
            self.totals[split] += sign * n


def filled(bundles: Sequence[Bundle], wanted: Sequence[Sequence[int]]) -> dict[str, int]:
    """Return the split of each group, by the group's name.

    Parameters
    ----------
    wanted
        How many items of each dimension each split should have.
    """
    order = sorted(bundles, key=lambda bundle: (-bundle.size, bundle.draw, bundle.name))
    free = [bundle for bundle in order if bundle.fixed is None]
    board = _Board(wanted)
    placed = {bundle.name: bundle.fixed for bundle in order if bundle.fixed is not None}
    for bundle in order:
        if bundle.fixed is not None:
            board.put(bundle.fixed, bundle.counts)
    if len(wanted) ** len(free) <= ALL_WAYS:
        return {**placed, **_best(free, board)}
    for bundle in free:
        split = min(range(len(wanted)), key=lambda at: (board.change(at, bundle.counts, 1), at))
        placed[bundle.name] = split
        board.put(split, bundle.counts)
    board.mind_empty()
    _improved(free, board, placed)
    return placed


def _best(free: Sequence[Bundle], board: _Board) -> dict[str, int]:
    """Return the cheapest of all distributions."""
    board.mind_empty()
    best: tuple[float, tuple[int, ...]] | None = None
    for way in itertools.product(range(len(board.wanted)), repeat=len(free)):
        cost = 0.0
        for bundle, split in zip(free, way, strict=True):
            cost += board.change(split, bundle.counts, 1)
            board.put(split, bundle.counts)
        for bundle, split in zip(free, way, strict=True):
            board.put(split, bundle.counts, -1)
        if best is None or cost < best[0] - 1e-9:
            best = cost, way
    assert best is not None, "there is always at least one assignment"
    return {bundle.name: split for bundle, split in zip(free, best[1], strict=True)}


def _improved(free: Sequence[Bundle], board: _Board, placed: dict[str, int]) -> None:
    """Move and exchange groups while it costs less. Groups of one kind are as good as each other, so only one of each
    kind and split is tried: the one that was drawn last."""
    kinds: dict[tuple[tuple[int, int], ...], list[list[Bundle]]] = {}
    for bundle in free:
        kinds.setdefault(bundle.counts, [[] for _ in board.wanted])[placed[bundle.name]].append(bundle)
    exchange = len(kinds) <= _KINDS
    for _ in range(_ROUNDS):
        changed = False
        for counts, here in kinds.items():
            changed |= _moved(counts, here, board, placed)
        if exchange:
            for one, other in itertools.permutations(kinds, 2):
                changed |= _exchanged((one, kinds[one]), (other, kinds[other]), board, placed)
        if not changed:
            return


def _moved(
    counts: tuple[tuple[int, int], ...], here: list[list[Bundle]], board: _Board, placed: dict[str, int]
) -> bool:
    changed = False
    for source, goal in itertools.permutations(range(len(here)), 2):
        while here[source]:
            more = board.change(source, counts, -1) + board.change(goal, counts, 1)
            if more > -1e-9:
                break
            _move(counts, here, source, goal, board, placed)
            changed = True
    return changed


_Kind = tuple[tuple[tuple[int, int], ...], list[list[Bundle]]]


def _exchanged(one: _Kind, other: _Kind, board: _Board, placed: dict[str, int]) -> bool:
    changed = False
    for source, goal in itertools.permutations(range(len(board.wanted)), 2):
        while one[1][source] and other[1][goal]:
            if _change_of_two(one[0], other[0], source, goal, board) > -1e-9:
                break
            _move(*one, source, goal, board, placed)
            _move(*other, goal, source, board, placed)
            changed = True
    return changed


def _change_of_two(
    one: tuple[tuple[int, int], ...], other: tuple[tuple[int, int], ...], source: int, goal: int, board: _Board
) -> float:
    """Return the change in cost if two groups are exchanged."""
    more = 0.0
    steps = ((source, one, -1), (goal, one, 1), (goal, other, -1), (source, other, 1))
    for split, counts, sign in steps:
        more += board.change(split, counts, sign)
        board.put(split, counts, sign)
    for split, counts, sign in steps:
        board.put(split, counts, -sign)
    return more


def _move(
    counts: tuple[tuple[int, int], ...],
    here: list[list[Bundle]],
    source: int,
    goal: int,
    board: _Board,
    placed: dict[str, int],
) -> None:
    bundle = here[source].pop()
    here[goal].append(bundle)
    board.put(source, counts, -1)
    board.put(goal, counts, 1)
    placed[bundle.name] = goal


def kinds_of(bundles: Sequence[Bundle]) -> Mapping[int, int]:
    """Return the number of groups in which each dimension occurs."""
    times: dict[int, int] = {}
    for dimension in _dimensions(bundles):
        times[dimension] = times.get(dimension, 0) + 1
    return times


def _dimensions(bundles: Sequence[Bundle]) -> Iterator[int]:
    for bundle in bundles:
        yield from (dimension for dimension, _ in bundle.counts)
