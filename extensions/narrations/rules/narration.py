"""Narrations: what a person does in a video, with start and stop."""

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
    """The action, as a verb and its objects."""
    said: str = ""
    """The sentence in the file, if ``text`` was made from it."""
    start_frame: int | None = None
    stop_frame: int | None = None
    """The frame numbers of the file, at whatever rate it counts; None without frames."""
    verb_class: int | None = None
    noun_classes: tuple[int, ...] = ()
    verb: str = ""
    nouns: tuple[str, ...] = ()
    line: int = 0

    @property
    def place(self) -> tuple[Decimal, Decimal, str, str]:
        """Return the sort key; the order of rows in a file makes no difference."""
        return (self.start, self.stop, self.text, self.id)


Narrations = Mapping[str, Sequence[Narration]]
"""The narrations of each video, in order."""


def by_video(rows: Iterable[Narration]) -> dict[str, list[Narration]]:
    """Return the narrations of each video in order, sorted by video."""
    narrations: dict[str, list[Narration]] = defaultdict(list)
    for row in rows:
        narrations[row.video].append(row)
    for narration in narrations.values():
        narration.sort(key=lambda row: row.place)
    return dict(sorted(narrations.items()))


def neighbours(videos: Narrations) -> Iterator[tuple[Narration, Narration]]:
    """Yield each narration with the next narration of its video."""
    for rows in videos.values():
        yield from pairwise(rows)


@dataclass
class Tally:
    """Counts of each step of a run, and of what was left out, by reason."""

    steps: dict[str, int] = field(default_factory=dict)
    left_out: dict[str, int] = field(default_factory=dict)
    examples: dict[str, list[str]] = field(default_factory=dict)

    def count(self, step: str, n: int = 1) -> None:
        """Add to the count of a step."""
        self.steps[step] = self.steps.get(step, 0) + n

    def leave_out(self, reason: str, example: str) -> None:
        """Count one more thing left out for a reason, and keep the first few as examples."""
        self.left_out[reason] = self.left_out.get(reason, 0) + 1
        named = self.examples.setdefault(reason, [])
        if len(named) < _NAMED:
            named.append(example)

    def as_json(self) -> dict[str, object]:
        """Return the counts for a manifest."""
        return {
            "counts": dict(self.steps),
            "left_out": [
                {"reason": reason, "n": n, "examples": self.examples[reason]}
                for reason, n in sorted(self.left_out.items())
            ],
        }


_NAMED = 5
