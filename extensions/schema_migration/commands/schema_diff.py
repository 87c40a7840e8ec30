"""``touchstone schema diff``: list the changes between two schemas, and the decisions a project in use must make."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from annotation_schemas.model import LoadedSchema
from app.commands.groups import find_group
from app.commands.schema_show import is_schema_file, schema_named
from extensions.schema_migration.changes import Change, Comparison, Decisions, Status, compare
from extensions.schema_migration.decision_options import deciding
from extensions.schema_migration.value_words import values_in_line


def register(cli: typer.Typer) -> None:
    """Add the subcommand to those of ``touchstone schema``."""

    @find_group(cli, "schema").command("diff")
    @deciding
    def diff(
        old: Annotated[
            str, typer.Argument(help="The old schema: a YAML file, a schema that comes with Touchstone, or a project.")
        ],
        new: Annotated[
            str, typer.Argument(help="The new schema: a YAML file, a schema that comes with Touchstone, or a project.")
        ],
        decisions: Decisions,
        project: Annotated[
            str | None,
            typer.Option(
                help="Count the stored votes and items of this project. You can also name the project as OLD."
            ),
        ] = None,
        as_json: Annotated[bool, typer.Option("--json", help="Print JSON for other programs.")] = False,
    ) -> None:
        """Show what differs between two schemas, and what a running project would have to decide. Nothing changes.

        A change is compatible, compatible with a decision (the options are printed), or incompatible; then the exit
        status is 1. With --project, votes, items and drafts behind each change are counted.

        Example: touchstone schema diff street.yaml street2.yaml
        """
        owner = project if project is not None or is_schema_file(old) else old
        if owner is None:
            before, after = schema_named(old), schema_named(new)
            comparison = compare(
                before.schema_,
                after.schema_,
                old_guideline=before.guideline_text,
                new_guideline=after.guideline_text,
                decisions=decisions,
            )
        else:
            from app.services import opened
            from extensions.schema_migration.differences import differences, in_use

            store = opened().store
            before, after = (
                in_use(store, project=reference) if reference == owner else schema_named(reference)
                for reference in (old, new)
            )
            comparison = differences(store, by=None, project=owner, old=before, new=after, decisions=decisions)
        typer.echo(_json(before, after, comparison) if as_json else "\n".join(told(comparison)))
        if comparison.incompatible:
            raise typer.Exit(1)


def told(comparison: Comparison) -> list[str]:
    """Return a comparison as lines: a heading, then one line for each change, incompatible changes first."""
    name, versions = comparison.new.name, (comparison.old.version, comparison.new.version)
    if not comparison.changes:
        return [f"{name}: nothing differs."]
    counts = ", ".join(f"{n} {status.value}" for status, n in comparison.counts.items() if n)
    number = len(comparison.changes)
    lines = [f"{name}, version {versions[0]} to {versions[1]}: {number} change{'s'[: number > 1]} ({counts})."]
    for status in reversed(Status):
        lines += [_line(change) for change in comparison.of(status)]
    return lines


def _line(change: Change) -> str:
    decision_text = f" Decided: {change.decided.way.meaning}." if change.decided else ""
    asks = f" Decide: {' | '.join(change.asks)}" if change.asks and not change.decided else ""
    used = f" ({change.used.in_words})" if change.used else ""
    old, new = values_in_line(change.old, change.new)
    values = f"{old} -> {new}{used}"
    return f"{change.status.value}: {change.path}: {values}. {change.sentence}{decision_text}{asks}"


def _json(before: LoadedSchema, after: LoadedSchema, comparison: Comparison) -> str:
    named = [
        {"name": loaded.schema_.name, "version": loaded.schema_.version, "hash": loaded.hash}
        for loaded in (before, after)
    ]
    content = {
        "old": named[0],
        "new": named[1],
        "can_be_taken": comparison.can_be_taken,
        "counts": {status.value: n for status, n in comparison.counts.items()},
        "changes": [change.as_json() for change in comparison.changes],
    }
    return json.dumps(content, ensure_ascii=False, indent=1)
