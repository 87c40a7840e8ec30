"""The migration of a project in use to another schema: preview, migration, undo and history.

The new schema takes effect in one short transaction, and from then on all data is read and asked in its words. The
items are migrated afterwards, in lots, while people keep working. ``finish`` continues an interrupted migration. An
undo is the same in the other direction: data from the time in between is kept, and counts where it fits.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from annotation_schemas.model import LoadedSchema
from db import guidelines, projects, reworded, schema_changes
from db.engine import BUSY, Session, Store
from db.records import StoredSchemaChange
from domain.errors import ConflictError, DatabaseUnavailableError, InvalidInputError, NotFoundError, Problem
from domain.records import Person
from domain.states import VERIFICATIONS, ItemState
from extensions.schema_migration import stage_migrations
from extensions.schema_migration.change_history import PastChange, past_changes
from extensions.schema_migration.changes import Comparison, Decisions, compare
from extensions.schema_migration.effects import Effect, effect_of
from extensions.schema_migration.in_force import (
    Progress,
    SchemaChangeResult,
    bring_all_up,
    put_into_force,
    reading_back,
    reading_with,
    take_guideline,
)
from extensions.schema_migration.items import ChangeTally, StateChange, outcome
from extensions.schema_migration.obstacles import all_have_a_place, obstacles
from extensions.schema_migration.queries import changes, dimensions
from extensions.schema_migration.stage_migrations import InStage
from extensions.schema_migration.uses import StoredUses
from workflow.access.event_log import log
from workflow.access.projects import Access, lead_alone, require_lead
from workflow.access.schema_changes import must_be_finished
from workflow.access.stored_schemas import store_schema, stored_schema

MIGRATED, UNDONE = "project.migrated", "project.migration_undone"
_READ_AT_ONCE = 500
_TRIES = 30
"""The largest number of attempts to begin a change. With the pauses in between, they take about ten seconds."""


@dataclass(frozen=True)
class MigrationPreview:
    """The effect of a schema change, before it happens."""

    project: str
    version: int
    """The version of the schema in force."""
    new_version: int
    comparison: Comparison
    refused: Sequence[str]
    """Why the change is impossible with any decisions, each with an advice."""
    before: Mapping[ItemState, int]
    """The present number of items in each state."""
    after: Mapping[ItemState, int]
    """The number of items in each state after the change."""
    moved: Sequence[StateChange]
    """The items with another verdict, each with the reason."""
    votes: int
    """The counting votes of verification (about items' present content) and of the stages ``besides``."""
    asked_again: int
    """The number of these votes that would no longer count and be asked again."""
    in_hand: int
    """Tasks that people have in hand; they stay theirs."""
    drafts: int
    """The number of these slots with a draft. Drafts are kept."""
    besides: Sequence[InStage] = ()
    """The effect on other stages in which several people are asked about the same unit."""
    placed: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    """Items in each dimension, by id, before and after; empty where none changes its own."""

    @property
    def can_be_done(self) -> bool:
        """Whether every decision is made and no obstacle is left."""
        return self.comparison.can_be_taken and not self.refused


def preview(
    store: Store,
    *,
    by: Person | None,
    project: str,
    loaded: LoadedSchema,
    decisions: Decisions | None = None,
    progress: Progress | None = None,
) -> MigrationPreview:
    """Return the effect of another schema on a project, for its leads. Nothing is changed.

    All votes are checked if verdicts may change, which takes about half a millisecond for every item.

    Raises
    ------
    InvalidInputError
        A decision fits no change, or has an unknown name.
    ConflictError
        Another change is in progress.
    """
    decisions = decisions or Decisions()
    with store.read() as session:
        access = require_lead(session, by=by, project=project)
        must_be_finished(session, access=access)
        comparison = _compared(session, access, loaded, decisions)
        refused = [*obstacles(session, access, loaded, comparison)]
        stored = projects.schema_version_by_hash(session, hash=loaded.hash)
        before = changes.states(session, project_id=access.project_id)
        counted = schema_changes.votes_by_version(session, project_id=access.project_id, as_they_stand=True)
        effect = effect_of(comparison)
        placed = effect.placed(dimensions.items_in(session, project_id=access.project_id))
        drafts, in_hand = changes.n_drafts(session, project_id=access.project_id)
    tally = ChangeTally()
    future = _future(access, loaded, effect, id=stored.id if stored is not None else 0)
    others = stage_migrations.look(store, future, effect)
    if effect.looks:
        _look(store, future, effect, tally, sum(before.values()), progress)
    after = Counter(before)
    for moved_item in tally.moved:
        after[moved_item.before] -= 1
        after[moved_item.after] += 1
    return MigrationPreview(
        project=access.name,
        version=access.schema.version,
        new_version=loaded.schema_.version,
        comparison=comparison,
        refused=refused,
        before=before,
        after={state: n for state, n in after.items() if n},
        moved=tally.moved,
        votes=sum(n for (_, stage), n in counted.items() if stage in (*VERIFICATIONS, *effect.through)),
        asked_again=tally.asked_again + sum(other.asked_again for other in others),
        in_hand=in_hand,
        drafts=drafts,
        besides=others,
        placed=placed,
    )


def migrate(
    store: Store,
    *,
    by: Person | None,
    project: str,
    loaded: LoadedSchema,
    decisions: Decisions | None = None,
    progress: Progress | None = None,
) -> SchemaChangeResult:
    """Migrate a project to a schema, for its leads, while people keep working.

    Raises
    ------
    InvalidInputError
        The migration is impossible with these decisions; one sentence for each obstacle.
    ConflictError
        Another change is in progress, or was faster.
    """
    decisions = decisions or Decisions()
    with store.read() as session:
        seen = require_lead(session, by=by, project=project)
        must_be_finished(session, access=seen)
        comparison = _compared(session, seen, loaded, decisions)
    begun = _patiently(store, lambda: _begin(store, by, seen, loaded, comparison, decisions))
    return bring_all_up(store, project, *begun[:2], before=begun[2], progress=progress)


Begun = tuple[int, int, Mapping[ItemState, int]]
"""The id of a change, its number, and the items in each state before it."""


def _patiently(store: Store, begin: Callable[[], Begun]) -> Begun:
    """Begin a change, and try again while other transactions hold its rows (``dimensions.do_not_wait``)."""
    for _ in range(_TRIES):
        try:
            return begin()
        except DatabaseUnavailableError as error:
            if store.is_sqlite or str(error) != BUSY:
                raise
    return begin()


def _begin(
    store: Store, by: Person | None, seen: Access, loaded: LoadedSchema, comparison: Comparison, decisions: Decisions
) -> Begun:
    """Put a schema in force, if the one that was ``seen`` is still in force."""
    effect, project = effect_of(comparison), seen.name
    with store.write() as session:
        if effect.step.dimensions or effect.step.assets:
            dimensions.do_not_wait(session)
        access = lead_alone(session, by=by, project=project)
        must_be_finished(session, access=access)
        if access.schema_version_id != seen.schema_version_id:
            raise ConflictError(
                f"Another person has just changed the schema of {project} to version {access.schema.version}."
                " Check the effects of your change again."
            )
        problems = [_not_decided(change.path, change.asks) for change in comparison.missing]
        problems += [f"{change.path}: {change.sentence}" for change in comparison.incompatible]
        problems += obstacles(session, access, loaded, comparison)
        if problems:
            raise InvalidInputError([Problem("schema", sentence) for sentence in problems])
        now = store.now()
        before = changes.states(session, project_id=access.project_id)
        id = store_schema(session, loaded=loaded, now=now)
        reading = reading_with(access, effect, before=access.schema_version_id, now=id, number=loaded.schema_.version)
        about: Any = {"decisions": decisions, "now": now, "step": effect.step}
        row = put_into_force(session, access, by, after_id=id, reading=reading, **about)
        _none_is_left(session, access, loaded)
        take_guideline(session, access, loaded, by=by, now=now)
        data = {
            "number": row.number,
            "from": access.schema.version,
            "to": loaded.schema_.version,
            "hash": loaded.hash,
            "decisions": [str(decision) for decision in decisions.made],
        }
        log(session, MIGRATED, by=by, project=access, now=now, data=data)
        return row.id, row.number, before


def _none_is_left(session: Session, access: Access, loaded: LoadedSchema) -> None:
    """Raise ``ConflictError`` if items have come to a removed dimension since the preview."""
    gone = {dimension.id for dimension in access.schema.dimensions} - {
        dimension.id for dimension in loaded.schema_.dimensions
    }
    left = gone & set(dimensions.items_in(session, project_id=access.project_id)) if gone else set()
    if left:
        raise ConflictError(
            f"The dimension {min(left)} has just received new items. Check the effects of your change again."
        )


def undo(store: Store, *, by: Person | None, project: str, progress: Progress | None = None) -> SchemaChangeResult:
    """Undo the last change of a project's schema that is not undone yet, for its leads.

    Votes and items return to their old form. Votes from the time in between count if they fit the old form; the others
    are kept and asked again. A vote that the change had asked again counts as before, unless another vote has replaced
    it since (``ChangeTally.left_out``).

    Raises
    ------
    NotFoundError
        No change can be undone.
    ConflictError
        Another change is in progress, or a dimension to remove now has items.
    """
    begun = _patiently(store, lambda: _begin_back(store, by, project))
    return bring_all_up(store, project, *begun[:2], before=begun[2], progress=progress)


def _begin_back(store: Store, by: Person | None, project: str) -> Begun:
    """Put the earlier schema in force again."""
    with store.write() as session:
        dimensions.do_not_wait(session)
        access = lead_alone(session, by=by, project=project)
        must_be_finished(session, access=access)
        past = _to_undo(session, access)
        now = store.now()
        before = changes.states(session, project_id=access.project_id)
        reading, back = reading_back(session, access, past)
        all_have_a_place(session, access, past, reading)
        about: Any = {"decisions": Decisions(), "now": now, "step": back}
        row = put_into_force(session, access, by, after_id=past.before_id, reading=reading, undoes=past, **about)
        in_force = guidelines.numbers(session, project_id=access.project_id)
        brought = in_force.get(projects.schema_version(session, id=past.after_id).guideline_hash)
        if access.guideline == brought != past.guideline_before:
            locked = projects.lock(session, id=access.project_id)
            projects.bring_guideline_into_force(session, row=locked, number=past.guideline_before)
        data = {"number": row.number, "undoes": past.number, "to": reading.numbers[past.before_id]}
        log(session, UNDONE, by=by, project=access, now=now, data=data)
        return row.id, row.number, before


def finish(store: Store, *, by: Person | None, project: str, progress: Progress | None = None) -> SchemaChangeResult:
    """Continue a schema change that was interrupted, for leads.

    Raises
    ------
    NotFoundError
        No change is in progress.
    """
    with store.read() as session:
        access = require_lead(session, by=by, project=project)
        row = schema_changes.newest(session, project_id=access.project_id)
        if row is None or row.finished_at is not None:
            raise NotFoundError(f"No schema change of {project} is running, so there is no change to finish.")
        before = changes.states(session, project_id=access.project_id)
        done = (row.id, row.number)
    return bring_all_up(store, project, *done, before=before, progress=progress)


def to_undo(store: Store, *, by: Person | None, project: str) -> PastChange:
    """Return the change that ``undo`` would undo, for leads.

    Raises ``NotFoundError`` without such a change, and ``ConflictError`` if it cannot be undone.
    """
    with store.read() as session:
        access = require_lead(session, by=by, project=project)
        row = _to_undo(session, access)
        all_have_a_place(session, access, row, reading_back(session, access, row)[0])
        return next(past for past in past_changes(session, access) if past.number == row.number)


# ---- what would happen ----------------------------------------------------------------------------------------------


def _compared(session: Session, access: Access, loaded: LoadedSchema, decisions: Decisions) -> Comparison:
    before = stored_schema(session, id=access.schema_version_id)
    return compare(
        access.schema,
        loaded.schema_,
        old_guideline=before.guideline_text,
        new_guideline=loaded.guideline_text,
        decisions=decisions,
        uses=StoredUses(session, access, loaded.schema_, decisions),
    )


def _not_decided(path: str, asks: Sequence[str]) -> str:
    return f"{path}: this change needs a decision. Choose {' or '.join(asks)}."


def _future(access: Access, loaded: LoadedSchema, effect: Effect, *, id: int) -> Access:
    """Return the project's access under the new schema. A schema that is not stored yet has the id 0."""
    reading = reading_with(access, effect, before=access.schema_version_id, now=id, number=loaded.schema_.version)
    return replace(access, loaded=loaded, reading=reading, schema_version_id=id)


def _look(store: Store, future: Access, effect: Effect, tally: ChangeTally, n: int, progress: Progress | None) -> None:
    """Compute the effect of the new schema on all items."""
    last = seen = 0
    while True:
        with store.read() as session:
            reworded.read_by(session, project_id=future.project_id, reading=future.reading)
            lot = changes.lot(session, project_id=future.project_id, after=last, limit=_READ_AT_ONCE, hold=False)
            for item in lot.items:
                verdict, again = outcome(future, effect, item, lot)
                tally.add(asked_again=len(again))
                if verdict.state is not item.state:
                    tally.moved.append(StateChange(item.external_id, item.state, verdict.state, verdict.why))
        if not lot.items:
            return
        last, seen = lot.items[-1].id, seen + len(lot.items)
        if progress is not None:
            progress(seen, n)


def _to_undo(session: Session, access: Access) -> StoredSchemaChange:
    rows = [row for row, _ in schema_changes.of_project(session, project_id=access.project_id)]
    undone = {row.undoes for row in rows}
    left = [row for row in rows if row.undoes is None and row.number not in undone]
    if not left:
        raise NotFoundError(f"{access.name} still has its first schema, so there is no change to undo.")
    return left[-1]
