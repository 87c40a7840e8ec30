"""Narrations for tests, as short as they can be said."""

from __future__ import annotations

from decimal import Decimal

from extensions.narrations.rules.narration import Narration

Row = tuple[str, str, str]


def narrations(*rows: Row, video: str = "V") -> list[Narration]:
    """From start, stop and text of each."""
    return [
        Narration(f"{video}-{number}", video, Decimal(start), Decimal(stop), text)
        for number, (start, stop, text) in enumerate(rows, 1)
    ]


MILK = narrations(
    ("0", "1.5", "open fridge"),
    ("2", "3", "take milk"),
    ("4", "6", "pour milk into cup"),
    ("6.5", "7", "close fridge"),
    ("8", "9", "Take the milk"),
    ("10", "12", "stir cup"),
)
