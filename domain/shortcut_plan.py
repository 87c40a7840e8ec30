"""What a model is asked to find out whether items need their pictures: under which condition, options in which order.

Such runs answer for no one. They have a plan of their own, and so a kind of runs of their own (``domain.run_kinds``):
nothing of them is kept as an answer to an item.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, fields
from enum import StrEnum

from domain.runs import RunPlan

MOST_ORDERS = 24
"""As many orders of their options as items are asked in at most."""


class Frames(StrEnum):
    """What is left of the frames of clips."""

    ONE = "one"
    SHUFFLED = "shuffled"


_SHOWN: dict[str, str] = {Frames.ONE: "one frame of each clip", Frames.SHUFFLED: "frames shuffled"}


@dataclass(frozen=True)
class ShortcutPlan(RunPlan):
    """What a run will do that looks for shortcuts: as it is asked elsewhere, but for what these fields say."""

    frames: str = ""
    """Of ``Frames``; empty: all of them, in their order."""
    order: int = 0
    """Which of the ``orders`` options come in, from 1; 0: in the item's own."""
    orders: int = 0
    seed: int = 0
    """Draws the orders of options and of frames."""
    without_marks: bool = False
    """Images are shown as they are, without what items draw on them."""

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
        """The plans of the runs that ask as ``plan`` does, but under a condition: one for each order of options."""
        told = {each.name: getattr(plan, each.name) for each in fields(RunPlan)} | {"text_only": text_only}
        return [
            cls(**told, frames=frames, order=order, orders=orders, seed=seed, without_marks=without_marks)
            for order in (range(1, orders + 1) if orders else (0,))
        ]

    @property
    def condition(self) -> str:
        """What is shown, in words."""
        if self.text_only:
            return "without images"
        shown = _SHOWN.get(self.frames, "with images")
        if not self.without_marks:
            return shown
        return f"{shown}, without marks" if self.frames else "without marks"

    @property
    def in_words(self) -> str:
        """The condition and the order of options.

            >>> ShortcutPlan(text_only=True, order=2, orders=3).in_words
            'without images, order 2 of 3'
            >>> ShortcutPlan(frames="one").in_words, ShortcutPlan().in_words
            ('one frame of each clip', 'with images')
        >>> ShortcutPlan(without_marks=True, order=1, orders=2).in_words
        'without marks, order 1 of 2'
        """
        return self.condition + (f", order {self.order} of {self.orders}" if self.order else "")

    def order_of(self, item: str, n: int) -> tuple[int, ...]:
        """In which order the ``n`` options of an item come: their places in its own order.

        An order is the one before it, moved on by a place, so that in ``n`` orders every option stands in each place
        once: whoever always names the same place is right in one of them. Then another order is drawn to begin with.

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
        """The frames of a clip that are shown, by their times, in the order in which they are.

        >>> ShortcutPlan(frames="one").frames_of("a", (1.0, 2.0, 3.0))
        (2.0,)
        """
        if self.frames == Frames.ONE:
            return tuple(times[len(times) // 2 : len(times) // 2 + 1])
        found = list(times)
        if self.frames == Frames.SHUFFLED and len(set(times)) > 1:
            drawn = random.Random(f"{self.seed}/frames/{item}")
            while found == list(times):
                drawn.shuffle(found)
        return tuple(found)
