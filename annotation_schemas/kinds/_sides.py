"""The two answers that are compared: as they stand on a page, and as the pair has them, whoever looks at it."""

from __future__ import annotations

from annotation_schemas.kinds._rows import Found
from annotation_schemas.yaml_text import Path

LEFT, RIGHT = "left", "right"
SIDES = (LEFT, RIGHT)
"""What a rater says, who sees no names."""
FIRST, SECOND = "a", "b"
"""The answers of a pair, by the names of their models."""


def of_pair(side: object, left: str) -> object:
    """Whose answer stands on a side, where ``left`` is the one on the left; what is no side stays as it is."""
    if side not in SIDES:
        return side
    return left if side == LEFT else ({FIRST, SECOND} - {left}).pop()


def in_comparison(stage: str, path: Path) -> Found:
    """Two answers are seen in one stage only."""
    if stage != "comparison":
        yield (*path, "kind"), "two models' answers are side by side in the stage `comparison` only; ask it there"
