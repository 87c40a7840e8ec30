"""The job ``schema``: change a project's schema while people continue to work."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from annotation_schemas.model import LoadedSchema
from app.markup import count
from db.engine import Store
from extensions.schema_migration import change_history, migration
from extensions.schema_migration.change_history import PastChange
from extensions.schema_migration.changes import Decisions
from extensions.schema_migration.items import ChangeTally
from workflow.jobs.kinds import JobContext, JobKind, JobOutcome


@dataclass(frozen=True)
class SchemaOrder:
    """The change to make to a project's schema.

    A job's input may also be a schema alone, which the project takes without decisions.
    """

    project: str
    what: str
    """``take`` another schema, ``undo`` the last change, ``finish`` an interrupted change, or take it ``back``."""
    loaded: LoadedSchema | None = None
    """The new schema."""
    decisions: Decisions = field(default_factory=Decisions)


def _change(context: JobContext) -> JobOutcome:
    """Make the change, or finish a change that another process left unfinished."""
    order = _order(context)
    about: Any = {"by": context.by, "project": order.project}
    past = change_history.history(context.store, **about)
    before: int = context.job.result if context.job.result is not None else len(past)
    context.note(before)
    options: Any = {**about, "progress": lambda done, of: context.progress("Items updated", done, of)}
    unfinished = bool(past) and past[-1].finished_at is None
    if unfinished and (order.what in ("finish", "back") or len(past) > before):
        migration.finish(context.store, **options)
    if order.what == "finish":
        return JobOutcome("The change is complete.")
    if len(past) > before:  # the process that began the change has died
        return JobOutcome(_made(change_history.history(context.store, **about)[-1]))
    if order.what == "take":
        assert order.loaded is not None
        done = migration.migrate(context.store, **options, loaded=order.loaded, decisions=order.decisions)
        return JobOutcome(f"Version {done.version} is in force. {_came_of(done.tally)}")
    number = migration.to_undo(context.store, **about).number
    done = migration.undo(context.store, **options)
    return JobOutcome(f"Change {number} was undone. Version {done.version} is in force. {_came_of(done.tally)}")


def _order(context: JobContext) -> SchemaOrder:
    if isinstance(context.input, LoadedSchema):
        return SchemaOrder(context.job.project or "", "take", context.input)
    order: SchemaOrder = context.input
    return order


def _made(change: PastChange) -> str:
    """Return the result of a change whose process has died, as a sentence."""
    if change.undoes is not None:
        return f"Change {change.undoes} was undone. Version {change.new_version} is in force."
    return f"Version {change.new_version} is in force."


def _came_of(tally: ChangeTally) -> str:
    """Return the effects of a change on items and votes, as sentences."""
    sentences = [f"Changed results: {count(len(tally.moved), 'item')}."]
    if tally.asked_again:
        sentences.append(f"Asked again: {count(tally.asked_again, 'vote')}.")
    if tally.counted_again:
        sentences.append(f"Counted again: {count(tally.counted_again, 'vote')}.")
    if tally.left_out:
        sentences.append(f"Replaced by newer votes: {count(len(tally.left_out), 'vote')}.")
    return " ".join(sentences)


def preview_change(
    store: Store, *, project: str, loaded: LoadedSchema, decisions: Decisions, press: str
) -> migration.MigrationPreview:
    """Return a preview of a schema change, for one ``press`` of a lead of the project.

    ``app.jobs.figure_requests`` calls it.
    """
    return migration.preview(store, by=None, project=project, loaded=loaded, decisions=decisions)


SCHEMA = JobKind("schema", "Schema change", "Changing the schema of {}", _change)
