"""What differs between two schemas, with what was decided about it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from annotation_schemas.changes.rows import ChangeKind, Status, Way
from annotation_schemas.model import Scalar, Schema


@dataclass(frozen=True)
class Used:
    """How much is stored that hangs on something."""

    votes: int = 0
    """Submissions of people, whatever the stage."""
    items: int = 0
    drafts: int = 0
    """What is written and not submitted yet."""

    def __bool__(self) -> bool:
        return bool(self.votes or self.items or self.drafts)

    @property
    def in_words(self) -> str:
        """``2 votes, 1 item``; empty where there is nothing."""
        counts = ((self.votes, "vote"), (self.items, "item"), (self.drafts, "draft"))
        return ", ".join(f"{n:,} {noun}{'' if n == 1 else 's'}" for n, noun in counts if n)


class Uses(Protocol):
    """Whoever knows what a project has stored."""

    def behind(self, change: Change) -> Used:
        """How much is stored that this change is about.

        Of something that is gone (its path has the old name): what was given for it. Of a limit or a kind: what no
        longer fits. Of something that is asked now: what does not say it. Of a rule: what it decided.
        """
        ...


@dataclass(frozen=True)
class Decided:
    """What was decided about one change."""

    way: Way
    value: Scalar | None = None
    """What was named besides, as the new schema has it: an option, a dimension, a value, a new name."""


@dataclass(frozen=True)
class Change:
    """One thing that differs."""

    steps: tuple[str, ...]
    """The keys and names that lead there; names instead of places, the old ones of what is gone or renamed."""
    row: ChangeKind
    old: Any
    """None: it was not there."""
    new: Any
    """None: it is not there any more."""
    hint: str = ""
    """A further sentence, such as what may have been meant."""
    used: Used | None = None
    """How much is stored that hangs on it; None: no one was asked."""
    decided: Decided | None = None

    @property
    def path(self) -> str:
        """Where, as people write it: ``stages.verification.criteria.fits.options.unsure``."""
        return ".".join(self.steps)

    @property
    def short(self) -> str:
        """What a decision calls it: ``fits:unsure``, ``fits``, ``question``, or the stage."""
        match self.steps:
            case ("stages", _, "criteria", name, "options" | "values", value, *_):
                return f"{name}:{value}"
            case ("item", "fields", name, "options", value, *_):
                return f"{name}:{value}"
            case ("stages", _, "criteria", name, *_) | ("item", _, name, *_) | ("dimensions", name, *_):
                return name
            case ("stages", stage, *_):
                return stage
        return self.path

    @property
    def status(self) -> Status:
        """What becomes of it: as its row says, but for what no one has used."""
        unused = self.used is not None and not self.used and not self.row.whatever_use
        return Status.COMPATIBLE if unused else self.row.status

    @property
    def is_missing(self) -> bool:
        """Whether a decision is needed that no one has made."""
        return self.status is Status.DECISION and self.decided is None

    @property
    def asks(self) -> tuple[str, ...]:
        """The options of a command of which one decides about it; what is in capitals is to be filled in."""
        if self.status is Status.COMPATIBLE:
            return ()
        return tuple(
            f"{way.option} {self.short}{'=' + way.takes.partition('=')[2] if way.has_target else ''}"
            for way in self.row.decisions
        )

    @property
    def sentence(self) -> str:
        """What changed and what follows, for people."""
        return f"{self.row.meaning}{' ' + self.hint if self.hint else ''}"

    def as_json(self) -> dict[str, Any]:
        """For files and other programs."""
        decided = self.decided and {"way": self.decided.way.name, "value": self.decided.value}
        used = self.used and {"votes": self.used.votes, "items": self.used.items, "drafts": self.used.drafts}
        return {
            "path": self.path,
            "change": self.row.name,
            "status": self.status.value,
            "old": self.old,
            "new": self.new,
            "sentence": self.sentence,
            "used": used,
            "asks": list(self.asks),
            "decided": decided,
        }


@dataclass(frozen=True)
class Comparison:
    """All that differs between two schemas, in the order of the grammar."""

    old: Schema
    new: Schema
    changes: tuple[Change, ...]

    @property
    def missing(self) -> tuple[Change, ...]:
        """The changes that need a decision which no one has made."""
        return tuple(each for each in self.changes if each.is_missing)

    @property
    def incompatible(self) -> tuple[Change, ...]:
        """The changes with which the new schema cannot be taken."""
        return self.of(Status.INCOMPATIBLE)

    @property
    def can_be_taken(self) -> bool:
        """Whether a project may take the new schema as things are decided."""
        return not self.missing and not self.incompatible

    @property
    def counts(self) -> Mapping[Status, int]:
        """How many changes there are of each status."""
        return {status: len(self.of(status)) for status in Status}

    def of(self, status: Status) -> tuple[Change, ...]:
        """The changes of one status."""
        return tuple(each for each in self.changes if each.status is status)
