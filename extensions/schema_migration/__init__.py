"""Schema migration: a project with votes takes another version of its schema, and can take the change back.

``changes`` compares two schemas: the differences, and the decisions that they need. ``migration`` previews, makes,
finishes and undoes a change; ``schema_job`` runs these steps for the page *Form*. ``touchstone project migrate`` and
``touchstone schema diff`` do the same in a terminal. Core reads votes of earlier versions also without this folder.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from domain.extensions import Extension


def _pages() -> Sequence[Any]:
    from extensions.schema_migration.pages import schema

    return (schema,)


def _commands() -> Sequence[Any]:
    from extensions.schema_migration.commands import project_migrate, schema_diff

    return project_migrate, schema_diff


def _figures() -> Sequence[Any]:
    from extensions.schema_migration.schema_job import preview_change

    return (("schema", preview_change),)


def _jobs() -> Sequence[Any]:
    from extensions.schema_migration.schema_job import SCHEMA

    return (SCHEMA,)


def _former_classes() -> Sequence[Any]:
    from extensions.schema_migration.changes.decisions import Decision, Decisions
    from extensions.schema_migration.changes.rows import DecisionKind
    from extensions.schema_migration.schema_job import SchemaOrder

    return (
        ("annotation_schemas.changes.decisions", "Decision", Decision),
        ("annotation_schemas.changes.decisions", "Decisions", Decisions),
        ("annotation_schemas.changes.rows", "DecisionKind", DecisionKind),
        ("annotation_schemas.changes.rows", "Way", DecisionKind),
        ("app.jobs.schema_changes", "Order", SchemaOrder),
        ("app.jobs.schema_changes", "SchemaOrder", SchemaOrder),
    )


EXTENSION = Extension(
    name="schema_migration",
    title="Schema migration",
    pages=_pages,
    commands=_commands,
    figures=_figures,
    jobs=_jobs,
    former_classes=_former_classes,
)
