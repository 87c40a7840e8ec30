"""Pages and drafts of a time before the schema changed: what was written on an earlier form, in the words of now."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from db import projects
from db.engine import Session
from db.records import StoredTask
from domain.errors import InvalidInput, Problem
from domain.records import Submission
from domain.states import Stage
from workflow.access.projects import Access

CHANGED = "The form has changed since this page was opened, and asks something else now."


@dataclass(frozen=True)
class Form:
    """The schema whose form someone has filled in."""

    id: int
    hash: str
    is_earlier: bool = False
    anew: frozenset[str] = frozenset()
    """Criteria, as they are called now, to which no answer of that time is one of now."""

    def asked_anew(self, given: Submission) -> bool:
        """Whether something was answered that has to be answered again."""
        return any(given.values.get(name) is not None for name in self.anew)


def as_asked_now(session: Session, access: Access, row: StoredTask, given: Submission) -> tuple[Form, Submission]:
    """The form on which something was answered, and the answers in the words of the form that is in force.

    ``InvalidInput`` for a form that this project never had.
    """
    if given.schema is None or given.schema == access.loaded.hash:
        return Form(access.schema_version_id, access.loaded.hash), given
    version = projects.schema_version_by_hash(session, hash=given.schema)
    if version is None or version.id not in access.reading.numbers:
        raise InvalidInput([Problem("schema", "This page shows a form that is not this project's; reload it.")])
    said = replace(
        given,
        values=access.reading.answers(version.id, row.stage, given.values),
        reasons=access.reading.reasons(version.id, given.reasons),
    )
    return Form(version.id, version.hash, True, access.reading.anew(version.id)), said


def draft_now(access: Access, stage: Stage, content: Mapping[str, Any]) -> dict[str, Any]:
    """A draft in the words of the form that is in force. No one knows on which form it was written: what only an
    earlier one had is said anew, and everything else stays."""
    said = dict(content)
    values, reasons = content.get("values"), content.get("reasons")
    for version in access.reading.steps:
        if isinstance(values, Mapping):
            values = access.reading.answers(version, stage, values)
            said["values"] = values
        if isinstance(reasons, Mapping):
            reasons = access.reading.reasons(version, reasons)
            said["reasons"] = reasons
    return said
