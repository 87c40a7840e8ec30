"""A share in percent."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from annotation_schemas.kinds import CriterionKind
from annotation_schemas.model import Choice, Criterion


class Percent(CriterionKind):
    """A rater types a share in percent."""

    name = "percent"
    place = 65
    meaning = "a share in percent, from 0 to 100"
    level = "ratio"

    def ends(self, criterion: Criterion) -> tuple[float | None, float | None]:
        """Return the lowest and the highest value."""
        return 0.0, 100.0

    def check(self, criterion: Criterion, value: Any, reason: Any, options: Sequence[Choice], texts: Any) -> str | None:
        """Return what is wrong with an answer, as a sentence; None if nothing is."""
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 100:
            return "Write a number from 0 to 100."
        return None

    def tries(self, criterion: Criterion, offered: Sequence[Any]) -> list[Any]:
        """Return answers that `schema check` tries out."""
        return [0, 50, 100]


CRITERION = Percent()
