"""The differences between two schemas, with the decisions about them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from annotation_schemas.model import Scalar, Schema
from extensions.schema_migration.changes.rows import ChangeKind, DecisionKind, Status


@dataclass(frozen=True)
class AffectedCounts:
    """Counts of the stored data that a change affects."""

    votes: int = 0
    """Submissions of people in any stage."""
    items: int = 0
    drafts: int = 0
    """Texts that are not submitted yet."""

    def __bool__(self) -> bool:
        return bool(self.votes or self.items or self.drafts)

    @property
    def in_words(self) -> str:
        """Return the counts in words, such as ``2 votes, 1 item``; empty if all are 0."""
        counts = ((self.votes, "vote"), (self.items, "item"), (self.drafts, "draft"))
        return ", ".join(f"{n:,} {noun}{'' if n == 1 else 's'}" for n, noun in counts if n)


class Uses(Protocol):
    """An object that knows a project's stored data."""

    def behind(self, change: Change) -> AffectedCounts:
        """Return the counts of stored data that this change affects.

        For a removed part (its path has the old name), they count its data. For a limit or a kind, they count values
        that are no longer valid. For a new question, they count data without an answer to it. For a rule, they count
        its decisions.
        """
        ...


@dataclass(frozen=True)
class ChangeDecision:
    """A decision about one change."""

    way: DecisionKind
    value: Scalar | None = None
    """The value that the decision names, in terms of the new schema: an option, a dimension, a value, a new name."""


@dataclass(frozen=True)
class Change:
    """One difference between two schemas."""

    steps: tuple[str, ...]
    """The keys and names of the path. Names replace positions, and removed or renamed parts have their old names."""
    row: ChangeKind
    old: Any
    """The old value; None if the part is new."""
    new: Any
    """The new value; None if it was removed."""
    hint: str = ""
    """A further sentence, such as a suggestion."""
    used: AffectedCounts | None = None
    """Counts of affected data; None if they are unknown."""
    decided: ChangeDecision | None = None

    @property
    def path(self) -> str:
        """Return the path as text: ``stages.verification.criteria.fits.options.unsure``."""
        return ".".join(self.steps)

    @property
    def short(self) -> str:
        """Return the short name for decisions: ``fits:unsure``, ``fits``, ``question``, or the stage."""
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
        """Return the status of the row. A change without affected data is compatible."""
        unused = self.used is not None and not self.used and not self.row.whatever_use
        return Status.COMPATIBLE if unused else self.row.status

    @property
    def is_missing(self) -> bool:
        """Whether the change needs a decision that is still open."""
        return self.status is Status.DECISION and self.decided is None

    @property
    def asks(self) -> tuple[str, ...]:
        """Return the command options that can decide about the change. Capitals mark values to fill in."""
        if self.status is Status.COMPATIBLE:
            return ()
        return tuple(
            f"{way.option} {self.short}{'=' + way.takes.partition('=')[2] if way.has_target else ''}"
            for way in self.row.decisions
        )

    @property
    def sentence(self) -> str:
        """Return the change and its consequence, for people."""
        return f"{self.row.meaning}{' ' + self.hint if self.hint else ''}"

    def as_json(self) -> dict[str, Any]:
        """Return the change as JSON values, for files and other programs."""
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
    """All differences between two schemas, in the order of the grammar."""

    old: Schema
    new: Schema
    changes: tuple[Change, ...]

    @property
    def missing(self) -> tuple[Change, ...]:
        """Return the changes whose decision is still open."""
        return tuple(change for change in self.changes if change.is_missing)

    @property
    def incompatible(self) -> tuple[Change, ...]:
        """Return the changes that prevent a project from using the new schema."""
        return self.of(Status.INCOMPATIBLE)

    @property
    def can_be_taken(self) -> bool:
        """Whether a project may use the new schema with the decisions so far."""
        return not self.missing and not self.incompatible

    @property
    def counts(self) -> Mapping[Status, int]:
        """Return the number of changes by status."""
        return {status: len(self.of(status)) for status in Status}

    def of(self, status: Status) -> tuple[Change, ...]:
        """Return the changes of one status."""
        return tuple(change for change in self.changes if change.status is status)
