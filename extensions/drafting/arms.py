"""Model proposals for items about an image, and the random choice of the authors' arm: with or without the proposal.

A comparison of the arms shows the effect of drafting only if chance assigned the images to the arms after all of them
had a proposal. An image for which no model could write a proposal may differ from the others.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from enum import StrEnum
from typing import Any


class Arm(StrEnum):
    """The form that the author of an item gets."""

    WITH = "with"
    """The fields start with the text of the proposal."""
    WITHOUT = "without"
    """The fields are empty; the proposal exists but is hidden."""


@dataclass(frozen=True)
class Proposal:
    """A stored proposal for an image."""

    arm: Arm
    dimension: str
    """The dimension of the proposal. Items of other dimensions ignore it."""
    fields: Mapping[str, Any]
    model: str
    file: str
    """The SHA-256 of the imported file."""
    about: Mapping[str, str] = field(default_factory=dict)
    """The seed task and the subtask, if there is one."""

    def as_json(self) -> dict[str, Any]:
        """Return the proposal as JSON values, for the database."""
        return asdict(self)

    @classmethod
    def of(cls, stored: Mapping[str, Any] | None) -> Proposal | None:
        """Return the proposal that ``as_json`` stored. Unknown keys are ignored."""
        if stored is None:
            return None
        known = {part.name: stored[part.name] for part in fields(cls) if part.name in stored}
        return cls(**{**known, "arm": Arm(stored["arm"])})


def draw_arm(units: Sequence[str], *, share: float, seed: int) -> frozenset[str]:
    """Return the units in the arm with proposals: a random ``share`` of them.

    The seed decides whether the number is rounded up or down. Every set of that size is equally likely. The order of
    ``units`` does not matter.

    >>> len(draw_arm(["a", "b", "c", "d"], share=0.5, seed=1)), draw_arm(["a"], share=1, seed=1)
    (2, frozenset({'a'}))
    """
    order = sorted(units, key=lambda unit: hashlib.sha256(f"{seed}/{unit}".encode()).digest())
    odd = int.from_bytes(hashlib.sha256(f"{seed}".encode()).digest()[:6], "big") / 2**48
    return frozenset(order[: math.floor(share * len(units) + odd)])
