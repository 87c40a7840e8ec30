"""``touchstone project migrate``: change the schema of a project in use, or undo the last change."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from annotation_schemas.state_words import state_called
from app.commands.groups import find_group
from app.commands.recorded import recorded
from domain.english import with_noun
from domain.errors import InvalidInputError, Problem
from domain.states import ItemState
from extensions.schema_migration.changes import Decisions
from extensions.schema_migration.commands.schema_diff import told
from extensions.schema_migration.decision_options import deciding

if TYPE_CHECKING:
    from annotation_schemas.model import LoadedSchema, Stages
    from extensions.schema_migration.change_history import PastChange
    from extensions.schema_migration.in_force import SchemaChangeResult
    from extensions.schema_migration.items import StateChange
    from extensions.schema_migration.migration import MigrationPreview

LISTED = 20
"""Number of items with a changed outcome that are listed, unless all are requested."""


def register(cli: typer.Typer) -> None:
    """Add the subcommand to those of ``touchstone project``."""

    @find_group(cli, "project").command("migrate")
    @deciding
    def migrate(
        name: Annotated[str, typer.Argument(help="The project.")],
        decisions: Decisions,
        schema: Annotated[
            str | None, typer.Option(help="The new schema: a YAML file, or a schema that comes with Touchstone.")
        ] = None,
        yes: Annotated[
            bool, typer.Option("--yes", help="Make the change. Without --yes, the command only shows the effects.")
        ] = False,
        undo: Annotated[bool, typer.Option("--undo", help="With --yes: undo the last change.")] = False,
        finish: Annotated[bool, typer.Option("--finish", help="Continue an interrupted change.")] = False,
        history: Annotated[bool, typer.Option("--history", help="List all changes of the project's schema.")] = False,
        every: Annotated[bool, typer.Option("--all", help="List every item that changes.")] = False,
    ) -> None:
        """Change the schema of a running project, or undo the last change. People can keep working.

        Without --yes, the command shows what differs, which options decide open points, and how many items and votes
        change. Votes keep their version, and nothing is lost.

        Example: touchstone project migrate demo --schema street2.yaml
        """
        from app.services import opened
        from extensions.schema_migration import change_history, migration

        if sum((schema is not None, undo, finish, history)) != 1:
            advice = "Give exactly one of these options: --schema FILE, --undo, --finish or --history."
            raise InvalidInputError([Problem("schema", advice)])
        shared = opened()
        store = shared.store
        if history:
            lines = [_past(past) for past in change_history.history(store, by=None, project=name)]
            typer.echo("\n".join(lines or [f"{name} still has its first schema."]))
        elif finish:
            done = recorded(
                shared, "project migrate", name, lambda progress: migration.finish(store, by=None, project=name)
            )
            typer.echo("\n".join(_done(done, every=every)))
        elif undo and not yes:
            past = migration.to_undo(store, by=None, project=name)
            typer.echo(f"Change to undo:\n{_past(past)}\nNothing was changed. To undo this change, add --yes.")
        elif undo:
            done = recorded(
                shared, "project migrate", name, lambda progress: migration.undo(store, by=None, project=name)
            )
            typer.echo("\n".join(_done(done, every=every)))
        else:
            loaded = _loaded(schema or "")
            if not yes:
                seen = migration.preview(store, by=None, project=name, loaded=loaded, decisions=decisions)
                typer.echo("\n".join(_preview(seen, every=every)))
                if not seen.can_be_done:
                    raise typer.Exit(1)
                return
            about: Any = {"project": name, "loaded": loaded, "decisions": decisions}
            done = recorded(
                shared, "project migrate", name, lambda progress: migration.migrate(store, by=None, **about)
            )
            typer.echo("\n".join(_done(done, every=every)))


def _loaded(schema: str) -> LoadedSchema:
    from annotation_schemas import shipped
    from annotation_schemas.loader import examine

    examined = examine(shipped().get(schema, Path(schema)))
    for warning in examined.warnings:
        typer.echo(warning, err=True)
    return examined.loaded


def _preview(seen: MigrationPreview, *, every: bool) -> list[str]:
    lines = told(seen.comparison)
    lines += [f"refused: {sentence}" for sentence in seen.refused]
    stages = seen.comparison.new.stages
    lines += _states(stages, seen.before, seen.after)
    lines += _placed(seen.placed)
    lines.append(f"Votes that count: {seen.votes:,}. Votes asked again: {seen.asked_again:,}.")
    lines += [beside.sentence for beside in seen.besides]
    lines.append(
        f"Assigned tasks: {seen.in_hand:,}, including {seen.drafts:,} with a draft. These tasks stay assigned."
    )
    lines += _moved(stages, seen.moved, every=every)
    if seen.comparison.missing:
        lines.append(f"Missing decisions: {len(seen.comparison.missing)}. Nothing was changed.")
    elif seen.can_be_done:
        lines.append("Nothing was changed. To make the change, add --yes. You can undo the change with --undo.")
    else:
        lines.append("The change is not possible yet. Nothing was changed.")
    return lines


def _states(stages: Stages, before: Mapping[ItemState, int], after: Mapping[ItemState, int]) -> list[str]:
    shown = [state for state in ItemState if before.get(state) or after.get(state)]
    return [f"{'Items':<22}{'before':>8}{'after':>8}"] + [
        f"{state_called(stages, state):<22}{before.get(state, 0):>8,}{after.get(state, 0):>8,}" for state in shown
    ]


def _placed(placed: Mapping[str, tuple[int, int]]) -> list[str]:
    """Return a table of the items in each dimension before and after, or no lines if no item changes its dimension."""
    if not placed:
        return []
    lines = [f"{name:<22}{before:>8,}{after:>8,}" for name, (before, after) in placed.items()]
    return [f"{'Items in dimensions':<22}{'before':>8}{'after':>8}", *lines]


def _moved(stages: Stages, moved: Sequence[StateChange], *, every: bool) -> list[str]:
    lines = [
        f"{change.item}: {state_called(stages, change.before)} -> {state_called(stages, change.after)}. {change.why}"
        for change in moved
    ]
    if every or len(lines) <= LISTED:
        return lines
    return [*lines[:LISTED], f"... and {with_noun(len(lines) - LISTED, 'more item')}. To list all items, add --all."]


def _done(done: SchemaChangeResult, *, every: bool) -> list[str]:
    tally = done.tally
    lines = [f"Change {done.number}: version {done.version} of the schema is now in force."]
    lines += _states(done.stages, done.before, done.after)
    lines.append(
        f"Votes asked again: {tally.asked_again:,}. Votes that count again: {tally.counted_again:,}. Slots opened:"
        f" {tally.opened:,}. Slots withdrawn: {tally.closed:,}."
    )
    lines += [
        f"{item}: a vote does not count again, because a newer vote has replaced the earlier vote."
        for item in tally.left_out
    ]
    return lines + _moved(done.stages, tally.moved, every=every)


def _past(past: PastChange) -> str:
    what = f"undoes change {past.undoes}" if past.undoes is not None else " ".join(past.decisions)
    how = "undone" if past.undone else "running" if past.finished_at is None else ""
    line = f"{past.number}  {past.at:%Y-%m-%d %H:%M}  {past.by or '-'}  version {past.version} -> {past.new_version}"
    return "  ".join(text for text in (line, what, how) if text)
