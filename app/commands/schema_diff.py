"""``touchstone schema diff``: what differs between two schemas, and what that asks of a project in use."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from annotation_schemas import shipped
from annotation_schemas.changes import Change, Comparison, Decisions, Status, compare
from annotation_schemas.loader import load_schema
from annotation_schemas.model import LoadedSchema
from app.commands.options import deciding
from domain.errors import NotFound

LONGEST = 40
"""So many characters of a value stand in a line."""


def register(schema: typer.Typer) -> None:
    """Add the subcommand to those of ``touchstone schema``."""

    @schema.command("diff")
    @deciding
    def diff(
        old: Annotated[str, typer.Argument(help="A YAML file, the name of a schema that comes along, or a project.")],
        new: Annotated[str, typer.Argument(help="The same, of the schema that it is to become.")],
        decisions: Decisions,
        as_json: Annotated[bool, typer.Option("--json", help="For other programs.")] = False,
    ) -> None:
        """Say what differs between two schemas, and what a project in use would have to decide; change nothing.

        A change is compatible, compatible with a decision (the options that decide stand behind it), or incompatible;
        then the command ends with status 1. Everything is taken to be in use.
        """
        before, after = (_loaded(name) for name in (old, new))
        comparison = compare(
            before.schema_,
            after.schema_,
            old_guideline=before.guideline_text,
            new_guideline=after.guideline_text,
            decisions=decisions,
        )
        typer.echo(_json(before, after, comparison) if as_json else "\n".join(told(comparison)))
        if comparison.incompatible:
            raise typer.Exit(1)


def told(comparison: Comparison) -> list[str]:
    """A comparison in lines: a heading, then a line for each change, what is incompatible first."""
    name, versions = comparison.new.name, (comparison.old.version, comparison.new.version)
    if not comparison.changes:
        return [f"{name}: nothing differs."]
    counts = ", ".join(f"{n} {status.value}" for status, n in comparison.counts.items() if n)
    number = len(comparison.changes)
    lines = [f"{name}, version {versions[0]} to {versions[1]}: {number} change{'s'[: number > 1]} ({counts})."]
    for status in reversed(Status):
        lines += [_line(each) for each in comparison.of(status)]
    return lines


def _line(change: Change) -> str:
    said = f" Decided: {change.decided.way.meaning}." if change.decided else ""
    asks = f" Decide: {' | '.join(change.asks)}" if change.asks and not change.decided else ""
    old, new = shown(change.old, change.new)
    return f"{change.status.value}: {change.path}: {old} -> {new}. {change.sentence}{said}{asks}"


def shown(old: Any, new: Any) -> tuple[str, str]:
    """Two values as a line has room for them: long ones from a little before where they differ."""
    one, other = (_in_words(each) for each in (old, new))
    if min(len(one), len(other)) <= LONGEST:
        return _cut(one, 0), _cut(other, 0)
    same = next((at for at, pair in enumerate(zip(one, other, strict=False)) if pair[0] != pair[1]), len(one))
    begins = max(0, same - LONGEST // 2)
    return _cut(one, begins), _cut(other, begins)


def _in_words(value: Any) -> str:
    """A part of a schema by what people read of it; anything else as JSON."""
    if isinstance(value, dict):
        value = next((value[key] for key in ("label", "title", "prompt") if key in value), value)
    return "nothing" if value is None else json.dumps(value, ensure_ascii=False)


def _cut(text: str, begins: int) -> str:
    part = text[begins : begins + LONGEST]
    return f"{'…' if begins else ''}{part}{'…' if len(text) > begins + LONGEST else ''}"


def _loaded(name: str) -> LoadedSchema:
    """The schema of a file, of one that comes along, or of a project, by its name."""
    path = shipped().get(name, Path(name))
    if path.exists() or path.suffix or len(path.parts) != 1:
        return load_schema(path)
    from app.services import opened
    from workflow.access.projects import project

    try:
        loaded: LoadedSchema = project(opened().store, person=None, project=name).schema
    except NotFound as error:
        listed = "touchstone schema list and touchstone project list say which there are"
        raise NotFound(f"There is no file, no schema and no project {name!r}; {listed}.") from error
    return loaded


def _json(before: LoadedSchema, after: LoadedSchema, comparison: Comparison) -> str:
    named = [
        {"name": each.schema_.name, "version": each.schema_.version, "hash": each.hash} for each in (before, after)
    ]
    content = {
        "old": named[0],
        "new": named[1],
        "can_be_taken": comparison.can_be_taken,
        "counts": {status.value: n for status, n in comparison.counts.items()},
        "changes": [each.as_json() for each in comparison.changes],
    }
    return json.dumps(content, ensure_ascii=False, indent=1)
