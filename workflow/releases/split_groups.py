"""The groups of items that belong together because they share a source, a file, a look or a text.

A group joins items over any number of links: an item of two videos joins all items of both. A group stays in one split,
and is one cluster for confidence intervals.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from annotation_schemas.expected_answers import plain
from media.perceptual_hash import ALIKE, BITS

BY: Mapping[str, str] = {
    "source": "the video, scene or collection that a picture comes from",
    "media": "the same image or clip, byte for byte",
    "near": "images that look alike",
    "text": "the same text, ignoring case, white space and a final period",
}
"""The links that items may share, by the names of the options."""
TOGETHER = ("source", "media", "near")
"""The links that keep items together by default."""


@dataclass(frozen=True, slots=True)
class SplitRecord:
    """An item, as far as splitting needs to know it."""

    id: str
    dimension: str
    sources: tuple[str, ...] = ()
    """Videos, scenes, collections."""
    media: tuple[str, ...] = ()
    """SHA-256 of its images and clips."""
    looks: tuple[int, ...] = ()
    """``media.perceptual_hash.difference_hash`` of its images."""
    text: str = ""
    """The item's question, if equal questions are to stay together."""
    value: str | None = None
    """The value of the field that names the item's split, if the plan uses a field."""


@dataclass(frozen=True)
class Groups:
    """All items in their groups."""

    of: Mapping[str, str]
    """The group of every item, by id."""
    members: Mapping[str, Sequence[str]]
    """The items of each group, by rising ids; groups by the first of theirs."""
    shared: Mapping[str, str]
    """The most frequent link of a group, in words; empty for a group of one item."""


def groups_of(records: Sequence[SplitRecord], by: Sequence[str] = TOGETHER, *, alike: int = ALIKE) -> Groups:
    """Return the connected components over all links between items.

    A group is named by its source if it has exactly one; otherwise by its first item: ``source:P01_02`` or
    ``item:q17``. The order of the records makes no difference.

    >>> found = groups_of([SplitRecord("a", "d", ("v",)), SplitRecord("b", "d", ("v",)), SplitRecord("c", "d")])
    >>> dict(found.of)
    {'a': 'source:v', 'b': 'source:v', 'c': 'item:c'}
    """
    rows = sorted(records, key=lambda record: record.id)
    forest = _Forest(len(rows))
    owners: dict[tuple[str, str], int] = {}
    times: Counter[tuple[str, str]] = Counter()
    for at, row in enumerate(rows):
        for key in dict.fromkeys(_keys(row, by)):
            times[key] += 1
            forest.join(owners.setdefault(key, at), at)
    if "near" in by:
        for one, other in _near(rows, alike):
            forest.join(one, other)
    roots: dict[int, list[int]] = {}
    for at in range(len(rows)):
        roots.setdefault(forest.root(at), []).append(at)
    of: dict[str, str] = {}
    members: dict[str, list[str]] = {}
    shared: dict[str, str] = {}
    for places in sorted(roots.values()):
        there = [rows[at] for at in places]
        name = _name(there, by)
        members[name] = [record.id for record in there]
        shared[name] = _shared(there, by, times)
        of.update((record.id, name) for record in there)
    return Groups(of, members, shared)


class _Forest:
    """Disjoint sets of places."""

    def __init__(self, n: int) -> None:
        self.parent = list(range(n))

    def root(self, at: int) -> int:
        parent = self.parent
        while parent[at] != at:
            parent[at] = parent[parent[at]]
            at = parent[at]
        return at

    def join(self, one: int, other: int) -> None:
        a, b = self.root(one), self.root(other)
        if a != b:
            self.parent[max(a, b)] = min(a, b)


def _keys(row: SplitRecord, by: Sequence[str]) -> Iterator[tuple[str, str]]:
    if "source" in by:
        yield from (("source", source) for source in row.sources)
    if "media" in by:
        yield from (("media", medium) for medium in row.media)
    if "text" in by and (text := plain(row.text)):
        yield "text", text


def _name(rows: Sequence[SplitRecord], by: Sequence[str]) -> str:
    sources = {source for row in rows for source in row.sources}
    if "source" in by and len(sources) == 1 and all(row.sources for row in rows):
        return f"source:{sources.pop()}"
    return f"item:{rows[0].id}"


def _shared(rows: Sequence[SplitRecord], by: Sequence[str], times: Mapping[tuple[str, str], int]) -> str:
    if len(rows) == 1:
        return ""
    keys = {key for row in rows for key in _keys(row, by) if times[key] > 1}
    if not keys:
        return "images that look alike"
    kind, name = max(keys, key=lambda key: (times[key], key))
    words = {"source": f"the source {name}", "media": f"the file {name[:12]}…", "text": f"the text {name[:40]!r}"}
    return f"{words[kind]} in {times[kind, name]:,} items" + (", and others" if len(keys) > 1 else "")


# ---- near duplicates ------------------------------------------------------------------------------------------------


def _near(rows: Sequence[SplitRecord], alike: int) -> Iterator[tuple[int, int]]:
    """Yield links between items whose images look alike."""
    first: dict[int, int] = {}
    for at, row in enumerate(rows):
        for look in row.looks:
            if not says_nothing(look, alike):
                one = first.setdefault(look & ((1 << BITS) - 1), at)
                if one != at:
                    yield one, at
    looks = sorted(first)
    for a, b in near_pairs(np.array(looks, dtype=np.uint64), alike):
        yield first[looks[a]], first[looks[b]]


def says_nothing(look: int, alike: int) -> bool:
    """Return whether an image is even or a plain gradient. Such images are all alike and show nothing."""
    ones = (look & ((1 << BITS) - 1)).bit_count()
    return ones <= alike or ones >= BITS - alike


def near_pairs(looks: NDArray[np.uint64], alike: int) -> Iterator[tuple[int, int]]:
    """Yield the places of all pairs of distinct looks that differ in at most ``alike`` bits.

    Two such looks are equal in at least one of ``alike + 1`` bands of bits. So only looks that share a band are
    compared, and the result is exact.
    """
    if len(looks) < 2:
        return
    edges = np.linspace(0, BITS, alike + 2).astype(int)
    for begin, end in zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True):
        band = (looks >> np.uint64(begin)) & np.uint64((1 << (end - begin)) - 1)
        order = np.argsort(band, kind="stable")
        here, seen = band[order], looks[order]
        at: NDArray[np.int64] = np.arange(len(looks) - 1)
        step = 1
        while len(at := at[at + step < len(here)]):
            at = at[here[at] == here[at + step]]
            close = np.bitwise_count(seen[at] ^ seen[at + step]) <= alike
            for place in at[close].tolist():
                yield int(order[place]), int(order[place + step])
            step += 1
