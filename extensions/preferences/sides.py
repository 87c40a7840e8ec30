"""The sides of two compared answers: left and right on a page, and the stored pair, which is the same
for all raters.
"""

from __future__ import annotations

from annotation_schemas.kinds._rows import Found
from annotation_schemas.yaml_text import Path

LEFT, RIGHT = "left", "right"
SIDES = (LEFT, RIGHT)
"""What a rater says, who sees no names."""
FIRST, SECOND = "a", "b"
"""The answers of a pair, by the names of their models."""


NO_SIDES = "Label Studio cannot show two answers side by side. Compare the answers on Touchstone's Compare page."
"""Why these kinds are on our own pages only."""


_OTHER = {FIRST: SECOND, SECOND: FIRST, LEFT: RIGHT, RIGHT: LEFT}


def of_pair(side: object, left: str) -> object:
    """Return the model on a side, given the model on the ``left``. Other values are returned unchanged.

    If ``left`` is ``right``, the sides are swapped.
    """
    if side not in SIDES:
        return side
    return left if side == LEFT else _OTHER[left]


def in_comparison(stage: str, path: Path) -> Found:
    """Two answers are seen in one stage only."""
    if stage != "comparison":
        yield (
            (*path, "kind"),
            "only the stage `comparison` shows two models' answers side by side; move this criterion to that stage",
        )
