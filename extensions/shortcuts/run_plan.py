"""Plans of runs that test whether items need their pictures: a condition, and the order of options.

Their results never count as answers to items. Therefore these runs have a plan and a run kind of their own
(``run_kinds``).
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, fields
from enum import StrEnum

from domain.runs import RunPlan

MOST_ORDERS = 24
"""The maximum number of option orders in which items are asked."""


class Frames(StrEnum):
    """The change to the frames of clips."""

    ONE = "one"
    SHUFFLED = "shuffled"


_SHOWN: dict[str, str] = {Frames.ONE: "one frame of each clip", Frames.SHUFFLED: "frames shuffled"}


@dataclass(frozen=True)
class ShortcutPlan(RunPlan):
    """The settings of a run that looks for shortcuts. It asks like an ordinary run, apart from the changes in these
    fields.
    """

    frames: str = ""
    """A value of ``Frames``; empty means all frames in order."""
    order: int = 0
    """The number of the option order, from 1 to ``orders``; 0 means the item's own order."""
    orders: int = 0
    seed: int = 0
    """The seed for the orders of options and frames."""
    without_marks: bool = False
    """Whether images are shown without the items' boxes and marks."""

    @classmethod
    def under(
        cls,
        plan: RunPlan,
        *,
        text_only: bool = False,
        frames: str = "",
        orders: int = 0,
        seed: int = 0,
        without_marks: bool = False,
    ) -> list[ShortcutPlan]:
        """Return plans that ask as ``plan`` does, but under a condition: one plan for each order of options."""
        options = {field.name: getattr(plan, field.name) for field in fields(RunPlan)} | {"text_only": text_only}
        return [
            cls(**options, frames=frames, order=order, orders=orders, seed=seed, without_marks=without_marks)
            for order in (range(1, orders + 1) if orders else (0,))
        ]

    @property
    def condition(self) -> str:
        """Return the condition in words."""
        if self.text_only:
            return "without images"
        shown = _SHOWN.get(self.frames, "with images")
        if not self.without_marks:
            return shown
        return f"{shown}, without marks" if self.frames else "without marks"

    @property
    def in_words(self) -> str:
        """Return the condition and the order of options in words.

        >>> ShortcutPlan(text_only=True, order=2, orders=3).in_words
        'without images, order 2 of 3'
        >>> ShortcutPlan(frames="one").in_words, ShortcutPlan().in_words
        ('one frame of each clip', 'with images')
        >>> ShortcutPlan(without_marks=True, order=1, orders=2).in_words
        'without marks, order 1 of 2'
        """
        return self.condition + (f", order {self.order} of {self.orders}" if self.order else "")

    def order_of(self, item: str, n: int) -> tuple[int, ...]:
        """Return the order of an item's ``n`` options, as their positions in the item's own order.

        Each order is the previous one shifted by one position. So in ``n`` orders, every option appears once in each
        position, and a model that always names the same position is right in one of them. After ``n`` orders, a new
        first order is drawn.

        >>> orders = [ShortcutPlan(order=at, orders=3).order_of("a", 3) for at in (1, 2, 3)]
        >>> [sorted(places) for places in zip(*orders)]
        [[0, 1, 2], [0, 1, 2], [0, 1, 2]]
        """
        if not self.order or n < 2:
            return tuple(range(n))
        block, moved = divmod(self.order - 1, n)
        first = list(range(n))
        random.Random(f"{self.seed}/{block}/{item}").shuffle(first)
        return (*first[moved:], *first[:moved])

    def frames_of(self, item: str, times: Sequence[float]) -> tuple[float, ...]:
        """Return the times of the frames of a clip that are shown, in the order of showing.

        >>> ShortcutPlan(frames="one").frames_of("a", (1.0, 2.0, 3.0))
        (2.0,)
        """
        if self.frames == Frames.ONE:
            return tuple(times[len(times) // 2 : len(times) // 2 + 1])
        drawn_times = list(times)
        if self.frames == Frames.SHUFFLED and len(set(times)) > 1:
            drawn = random.Random(f"{self.seed}/frames/{item}")
            while drawn_times == list(times):
                drawn.shuffle(drawn_times)
        return tuple(drawn_times)
