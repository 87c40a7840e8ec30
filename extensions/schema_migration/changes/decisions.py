"""A person's decisions about the changes of a schema, parsed from command options and stored as JSON."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from annotation_schemas.grammar import suggestion
from domain.errors import InvalidInputError, Problem
from extensions.schema_migration.changes.rows import WAYS, DecisionKind


@dataclass(frozen=True)
class Decision:
    """One decision. ``str`` gives it as an option of a command."""

    way: DecisionKind
    subject: str
    """The path of a change, or its short form (``fits:unsure``, ``question``, ``verification``)."""
    target: str | None = None
    """The target of the decision, if it needs one."""

    def __str__(self) -> str:
        text = self.subject if self.target is None else f"{self.subject}={self.target}"
        return f"{self.way.option} {text}"


@dataclass(frozen=True)
class Decisions:
    """All decisions of one migration, in the order in which they were made."""

    made: tuple[Decision, ...] = ()

    @classmethod
    def parse(cls, given: Mapping[str, Iterable[str]]) -> Decisions:
        """Return decisions from option values by the name of the option: ``{"map": ["fits:a=b"]}``.

        Raises
        ------
        InvalidInputError
            A sentence for each value that cannot be read.
        """
        made: list[Decision] = []
        wrong: list[Problem] = []
        for name, texts in given.items():
            way = WAYS.get(name)
            if way is None:
                known = ", ".join(WAYS)
                wrong.append(
                    Problem(name, f"There is no decision `{name}`{suggestion(name, list(WAYS))}; use one of: {known}.")
                )
                continue
            for text in texts:
                subject, equals, target = text.partition("=")
                if bool(equals) != way.has_target or not subject or (equals and not target):
                    wrong.append(Problem(name, f"{way.option} takes {way.takes}; `{text}` was given."))
                else:
                    made.append(Decision(way, subject, target if equals else None))
        if wrong:
            raise InvalidInputError(wrong)
        return cls(tuple(dict.fromkeys(made)))

    def as_json(self) -> list[dict[str, Any]]:
        """Return the decisions as JSON values, which ``from_json`` reads."""
        return [
            {"way": decision.way.name, "subject": decision.subject, "target": decision.target} for decision in self.made
        ]

    @classmethod
    def from_json(cls, stored: Sequence[Mapping[str, Any]]) -> Decisions:
        """Return the decisions that ``as_json`` stored."""
        return cls(
            tuple(
                Decision(WAYS[stored_decision["way"]], stored_decision["subject"], stored_decision["target"])
                for stored_decision in stored
            )
        )

    @property
    def renames(self) -> tuple[Decision, ...]:
        """Those that say that two things are the same."""
        return tuple(decision for decision in self.made if decision.way.renames)
