"""The editor of a running project's schema, which an extension may add."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from db.engine import Store
from domain import extensions
from domain.records import Person


@dataclass(frozen=True)
class EditedSchema:
    """The texts of a draft."""

    text: str
    guideline: str


@dataclass(frozen=True)
class SchemaEditor:
    """A page on which leads edit a schema, and the drafts that they leave there."""

    address: Callable[[str], str]
    """Returns the address of the page for a project."""
    draft: Callable[[Store, Person, str], EditedSchema | None]
    """Returns the person's newest draft for a project, or None."""
    discard: Callable[[Store, Person, str], None]
    """Deletes the person's drafts for a project."""


def schema_editor() -> SchemaEditor | None:
    """Return the editor of the first extension that has one."""
    rows: list[SchemaEditor] = extensions.rows("schema_editors")
    return rows[0] if rows else None
