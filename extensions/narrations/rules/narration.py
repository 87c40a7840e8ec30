"""Narrations: who does what in a video, from when to when."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from itertools import pairwise


@dataclass(frozen=True, slots=True)
class Narration:
    """One action of a video. Times are seconds, exact to the microsecond."""

    id: str
    video: str
    start: Decimal
    stop: Decimal
    text: str
    """What is done, as a verb and its objects."""
    said: str = ""
    """What stands in the file, where ``text`` was made of it."""
    start_frame: int | None = None
    stop_frame: int | None = None
    """The frames that the file counts, whatever it counts them by; None: it gives none."""
    verb_class: int | None = None
    noun_classes: tuple[int, ...] = ()
    verb: str = ""
    nouns: tuple[str, ...] = ()
    line: int = 0

    @property
    def place(self) -> tuple[Decimal, Decimal, str, str]:
        """By this narrations are in order: where rows stand in a file says nothing."""
        return (self.start, self.stop, self.text, self.id)


Narrations = Mapping[str, Sequence[Narration]]
"""Those of each video, in order."""


def by_video(rows: Iterable[Narration]) -> dict[str, list[Narration]]:
    """The narrations of each video in order, the videos by name."""
    found: dict[str, list[Narration]] = defaultdict(list)
    for row in rows:
        found[row.video].append(row)
    for each in found.values():
        each.sort(key=lambda row: row.place)
    return dict(sorted(found.items()))


def neighbours(videos: Narrations) -> Iterator[tuple[Narration, Narration]]:
    """Each narration with the one that begins after it in its video."""
    for rows in videos.values():
        yield from pairwise(rows)


@dataclass
class Tally:
    """How many there were at each step of a run, and what was left out on the way, by reason."""

    steps: dict[str, int] = field(default_factory=dict)
    left_out: dict[str, int] = field(default_factory=dict)
    examples: dict[str, list[str]] = field(default_factory=dict)

    def count(self, step: str, n: int = 1) -> None:
        """So many more came to a step."""
        self.steps[step] = self.steps.get(step, 0) + n

    def leave_out(self, reason: str, example: str) -> None:
        """One more is left out for a reason; the first few are named."""
        self.left_out[reason] = self.left_out.get(reason, 0) + 1
        named = self.examples.setdefault(reason, [])
        if len(named) < _NAMED:
            named.append(example)

    def as_json(self) -> dict[str, object]:
        """For a manifest."""
        return {
            "counts": dict(self.steps),
            "left_out": [
                {"reason": reason, "n": n, "examples": self.examples[reason]}
                for reason, n in sorted(self.left_out.items())
            ],
        }


_NAMED = 5
