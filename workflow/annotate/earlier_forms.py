"""Translate pages and drafts from before a schema change into the terms of the current form."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from annotation_schemas.model import Schema
from annotation_schemas.registry import criteria_of
from db import projects
from db.engine import Session
from db.records import StoredTask
from domain.comparison import same
from domain.errors import InvalidInputError, Problem
from domain.language import _, marked
from domain.records import Submission
from domain.rewording import options_in
from domain.states import Stage
from workflow.access.projects import Access

CHANGED = marked("The form has changed since you opened this page. Reload the page.")


@dataclass(frozen=True)
class Form:
    """The schema whose form a person has filled in."""

    id: int
    hash: str
    is_earlier: bool = False
    anew: frozenset[str] = frozenset()
    """Current names of criteria whose earlier answers have no equivalent now."""

    def asked_anew(self, given: Submission) -> bool:
        """Return whether the submission answers a criterion that must be answered again."""
        return any(given.values.get(name) is not None for name in self.anew)


def as_asked_now(session: Session, access: Access, row: StoredTask, given: Submission) -> tuple[Form, Submission]:
    """Return the form that was filled in, and the answers in the terms of the current form.

    Raises ``InvalidInputError`` for a form that this project never had.
    """
    if given.schema is None or given.schema == access.loaded.hash:
        return Form(access.schema_version_id, access.loaded.hash), given
    version = projects.schema_version_by_hash(session, hash=given.schema)
    if version is None or version.id not in access.reading.numbers:
        raise InvalidInputError([Problem("schema", _("This page shows the form of another project. Reload the page."))])
    translated = replace(
        given,
        values=access.reading.answers(version.id, row.stage, given.values),
        reasons=access.reading.reasons(version.id, given.reasons),
    )
    return Form(version.id, version.hash, True, access.reading.anew(version.id)), translated


def draft_now(access: Access, stage: Stage, content: Mapping[str, Any]) -> dict[str, Any]:
    """Return a draft in the terms of the current form.

    The form of a draft is not recorded, so only values that fit no current criterion are translated.
    """
    draft = dict(content)
    values, reasons = content.get("values"), content.get("reasons")
    for version in access.reading.steps:
        if isinstance(values, Mapping):
            values = _said_anew(access, stage, version, values)
            draft["values"] = values
        if isinstance(reasons, Mapping):
            reasons = access.reading.reasons(version, reasons)
            draft["reasons"] = reasons
    return draft


def _said_anew(access: Access, stage: Stage, version: int, values: Mapping[str, Any]) -> dict[str, Any]:
    """Translate those values of a draft that do not fit the current form from a schema version (id)."""
    of_now = {name: value for name, value in values.items() if _is_of_now(access.schema, stage, name, value)}
    rest = {name: value for name, value in values.items() if name not in of_now}
    return {**access.reading.answers(version, stage, rest), **of_now}


def _is_of_now(schema: Schema, stage: Stage, name: str, value: Any) -> bool:
    """Return whether the current form has this criterion and offers the chosen value."""
    asked = schema.item.fields if stage is Stage.AUTHORING else criteria_of(schema, stage.value)
    part = next((criterion for criterion in asked if criterion.name == name), None)
    if part is None:
        return False
    offered = [*(option.value for option in part.options), *getattr(part, "values", ())]
    return (
        not offered or value is None or all(any(same(chosen, one) for one in offered) for chosen in options_in(value))
    )
