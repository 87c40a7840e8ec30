"""A search for nearly equal texts, by the three-letter parts that they share.

Two texts whose common parts are at least ``t`` of all their parts (Jaccard's index) share at least one of the rarest
parts of each. So only such pairs are compared, and the result is exact (prefix filtering, as in Bayardo, Ma & Srikant
2007).
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterator, Sequence

from annotation_schemas.expected_answers import plain

LETTERS = 3
"""The number of letters of a part."""
ENOUGH = 20
"""From this number of texts on, a part that more than half of them have is taken for a fixed form."""


def parts_of(text: str) -> frozenset[str]:
    """Return the three-letter parts of a normalized text, with one space before and after it.

    >>> sorted(parts_of("Tap."))
    [' ta', 'ap ', 'tap']
    """
    whole = f" {plain(text)} "
    return frozenset(whole[at : at + LETTERS] for at in range(len(whole) - LETTERS + 1))


def telling(sets: Sequence[frozenset[str]]) -> list[frozenset[str]]:
    """Return the sets without the parts that more than half of them have.

    A fixed form such as "what should I do next in order to ...?" would make all questions alike. Fewer than ``ENOUGH``
    sets are returned unchanged.

    >>> telling([parts_of("a tap"), parts_of("a tap")]) == [parts_of("a tap")] * 2
    True
    """
    if len(sets) < ENOUGH:
        return list(sets)
    times = Counter(part for parts in sets for part in parts)
    form = {part for part, n in times.items() if 2 * n > len(sets)}
    return [parts - form for parts in sets]


def likeness(one: frozenset[Hashable], other: frozenset[Hashable]) -> float:
    """Return the share of all parts that two texts have in common; 1.0 for two texts without parts.

    >>> likeness(parts_of("tap"), parts_of("tip"))
    0.0
    >>> round(likeness(parts_of("the tap"), parts_of("the taps")), 3)
    0.667
    """
    both = len(one | other)
    return len(one & other) / both if both else 1.0


def alike(sets: Sequence[frozenset[Hashable]], at_least: float) -> Iterator[tuple[int, int, float]]:
    """Yield all pairs of sets with at least this likeness: the earlier place, the later place, and the likeness."""
    times = Counter(part for parts in sets for part in parts)
    rank = {part: at for at, (part, _) in enumerate(sorted(times.items(), key=lambda each: (each[1], repr(each[0]))))}
    ordered = [sorted(rank[part] for part in parts) for parts in sets]
    seen: dict[int, list[int]] = defaultdict(list)
    for at in sorted(range(len(sets)), key=lambda place: len(sets[place])):
        own = ordered[at]
        least = math.ceil(at_least * len(own) - _TIE)
        begin = own[: len(own) - least + 1] if own else []
        for other in sorted({one for part in begin for one in seen[part] if len(ordered[one]) >= least}):
            score = likeness(sets[at], sets[other])
            if score >= at_least - _TIE:
                yield min(at, other), max(at, other), score
        for part in begin:
            seen[part].append(at)


_TIE = 1e-9
