"""Distribution of things among people, as evenly as possible."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Mapping, Sequence


def shared_out(can: Sequence[Sequence[str]]) -> list[str | None]:
    """Return the person for each thing, chosen from the people in ``can``; None if ``can`` is empty for the thing.

    The result is as even as possible: each next thing goes to the person with the fewest things, even if others must
    pass things on for that. Ties go to the person named first.

    >>> shared_out([("ann", "ben"), ("ann",), ("ann", "ben"), ()])
    ['ben', 'ann', 'ann', None]
    """
    people = list(dict.fromkeys(person for able in can for person in able))
    has: dict[str, int] = dict.fromkeys(people, 0)
    given: list[str | None] = [None] * len(can)
    passable: dict[tuple[str, str], dict[int, None]] = defaultdict(dict)
    """Things that a person has and another person could have, by the two people."""

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
    """Return the people who can get one more thing, nearest first, each with the person who passes it on (None:
    directly).
    """
    reached: dict[str, str | None] = dict.fromkeys(some)
    waiting = deque(reached)
    while waiting:
        person = waiting.popleft()
        for other in people:
            if other not in reached and passable.get((person, other)):
                reached[other] = person
                waiting.append(other)
    return reached
