"""Things that are shared out among people, as evenly as may be."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Mapping, Sequence


def shared_out(can: Sequence[Sequence[str]]) -> list[str | None]:
    """Who gets each thing, of those who can have it (``can``, for each thing); None: no one can.

    No other way to share them out is more even: each next thing goes to whom of all has least, where that can be had by
    handing things on. Of those who have as little, the first one named.

    >>> shared_out([("ann", "ben"), ("ann",), ("ann", "ben"), ()])
    ['ben', 'ann', 'ann', None]
    """
    people = list(dict.fromkeys(person for each in can for person in each))
    has: dict[str, int] = dict.fromkeys(people, 0)
    given: list[str | None] = [None] * len(can)
    passable: dict[tuple[str, str], dict[int, None]] = defaultdict(dict)
    """What someone has that another one can have, by the two."""

    def give(thing: int, to: str) -> None:
        before = given[thing]
        for other in can[thing]:
            if before is not None:
                passable[before, other].pop(thing, None)
            passable[to, other][thing] = None
        given[thing] = to

    for thing, some in enumerate(can):
        if not some:
            continue
        reached = _reached(some, people, passable)
        to = min(reached, key=lambda person: has[person])
        has[to] += 1
        while (giver := reached[to]) is not None:
            give(next(iter(passable[giver, to])), to)
            to = giver
        give(thing, to)
    return given


def _reached(
    some: Sequence[str], people: Sequence[str], passable: Mapping[tuple[str, str], Mapping[int, None]]
) -> dict[str, str | None]:
    """Who can come to have one thing more, and from whom; None: it is given to them. The nearest come first."""
    found: dict[str, str | None] = dict.fromkeys(some)
    waiting = deque(found)
    while waiting:
        person = waiting.popleft()
        for other in people:
            if other not in found and passable.get((person, other)):
                found[other] = person
                waiting.append(other)
    return found
