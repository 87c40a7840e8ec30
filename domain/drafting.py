"""What a model proposes for an item about an image, and which authors are shown it: two arms, drawn by a seed.

Whether drafting changes items can only be said where images were given to the arms by chance, after all of them had a
proposal: an image for which no model could write one may be another kind of image.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from enum import StrEnum
from typing import Any


class Arm(StrEnum):
    """What the author of an item is given."""

    WITH = "with"
    """The proposal, as the text of the fields to begin with."""
    WITHOUT = "without"
    """Empty fields; there is a proposal, and no one is shown it."""


@dataclass(frozen=True)
class Proposal:
    """A proposal as it is kept with its image."""

    arm: Arm
    dimension: str
    """An item of another one has nothing to do with it."""
    fields: Mapping[str, Any]
    model: str
    file: str
    """SHA-256 of the file that it came in."""
    about: Mapping[str, str] = field(default_factory=dict)
    """The seed task and the subtask, where there is one."""

    def as_json(self) -> dict[str, Any]:
        """For the database."""
        return asdict(self)

    @classmethod
    def of(cls, stored: Mapping[str, Any] | None) -> Proposal | None:
        """The inverse of ``as_json``; keys it does not know are left out."""
        if stored is None:
            return None
        known = {part.name: stored[part.name] for part in fields(cls) if part.name in stored}
        return cls(**{**known, "arm": Arm(stored["arm"])})


def drawn(units: Sequence[str], *, share: float, seed: int) -> frozenset[str]:
    """Which of these are in the arm with proposals: ``share`` of them, rounded up or down by the seed, each set of that
    size as likely as any other. The order in which they are given does not matter.

    >>> len(drawn(["a", "b", "c", "d"], share=0.5, seed=1)), drawn(["a"], share=1, seed=1)
    (2, frozenset({'a'}))
    """
    order = sorted(units, key=lambda unit: hashlib.sha256(f"{seed}/{unit}".encode()).digest())
    odd = int.from_bytes(hashlib.sha256(f"{seed}".encode()).digest()[:6], "big") / 2**48
    return frozenset(order[: math.floor(share * len(units) + odd)])
