"""Bringing another schema of a project into force, and everything that it has up to it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from annotation_schemas.model import LoadedSchema, Stages
from db import guidelines, projects, schema_changes, task_slots
from db.engine import Session, Store
from db.records import StoredSchemaChange
from domain.records import Person
from domain.rewording import CompletenessRule, Rewording, SkippedStageRule, Step
from domain.states import VERIFICATIONS, ItemState
from extensions.schema_migration import stage_migrations
from extensions.schema_migration.changes import Decisions, compare
from extensions.schema_migration.effects import BESIDES, Effect, effect_of, more_people
from extensions.schema_migration.items import AT_ONCE, ChangeTally, OngoingChange, bring_up
from extensions.schema_migration.queries import changes, dimensions
from workflow.access.projects import Access, require_lead
from workflow.access.stored_schemas import stored_schema
from workflow.annotate.verdicts import rounds_of
from workflow.files import project_check

Progress = Callable[[int, int], None]
"""Called with how many items are done, and how many there are."""


@dataclass(frozen=True)
class SchemaChangeResult:
    """The result of a schema change."""

    number: int
    """The number of the change in the project's history."""
    version: int
    """The version of the schema in force."""
    before: Mapping[ItemState, int]
    after: Mapping[ItemState, int]
    tally: ChangeTally
    stages: Stages
    """The stages of the schema in force, which give states their titles."""


def reading_with(access: Access, effect: Effect, *, before: int, now: int, number: int) -> Rewording:
    """Return the translation of all stored data to the new schema."""
    asked = project_check.people_asked(access.schema)
    known = replace(access.reading, numbers=access.reading.numbers or {before: access.schema.version})
    under = frozenset(known.numbers) - {now}
    ended = [stage for stage in effect.raised if stage not in effect.stays_complete]
    complete = [rule for rule in known.complete if rule.stage not in ended]
    complete += [
        CompletenessRule(under, asked[stage], stage.value) for stage in effect.raised if stage in effect.stays_complete
    ]
    return Rewording(
        steps=known.after(effect.step, now=now),
        complete=tuple(complete),
        numbers={**known.numbers, now: number},
        most_votes=_most(known.most_votes, access),
        passed=(*known.passed, *(SkippedStageRule(under, stage) for stage in effect.stays_kept)),
    )


def _most(known: Mapping[str, int], access: Access) -> Mapping[str, int]:
    """Return the largest number of people that any schema of the project asked in each verification stage."""
    now = {stage.value: part.raters for stage, part in rounds_of(access.schema).items()}
    return {stage: max(known.get(stage, 0), now.get(stage, 0)) for stage in {**known, **now}}


def reading_back(session: Session, access: Access, past: StoredSchemaChange) -> tuple[Rewording, Step]:
    """Return the translation of all stored data after an undo, and the step that leads there."""
    back = _effect(session, past).step_back
    before = Rewording.from_json(past.reading_before)
    known = replace(before, numbers=before.numbers or {past.before_id: access.reading.numbers[past.before_id]})
    reading = Rewording(
        steps=access.reading.after(back, now=past.before_id, but=known),
        complete=known.complete,
        numbers=access.reading.numbers,
        most_votes=_most(access.reading.most_votes, access),
        passed=known.passed,
    )
    return reading, back


def _effect(session: Session, row: StoredSchemaChange) -> Effect:
    """Return the effect of a change, or of the change that it undoes."""
    old, new = (stored_schema(session, id=id) for id in (row.before_id, row.after_id))
    decisions = Decisions.from_json(row.decisions)
    return effect_of(compare(old.schema_, new.schema_, decisions=decisions))


def _under_way(session: Session, access: Access, number: int) -> tuple[OngoingChange, int]:
    """Return an unfinished change, and the last item (id) that was migrated."""
    rows = {row.number: row for row, _ in schema_changes.of_project(session, project_id=access.project_id)}
    row = rows[number]
    if row.undoes is None:
        return OngoingChange(number, _effect(session, row)), row.done_to
    past = rows[row.undoes]
    effect_then = _effect(session, past)
    known = {past.before_id, *Rewording.from_json(past.reading_before).numbers}
    since = frozenset({past.after_id, *(access.reading.numbers.keys() - known)})
    brought = {
        stage for id, stage in schema_changes.votes_by_version(session, project_id=access.project_id) if id in since
    }
    effect = Effect(
        access.schema,
        Step(),
        only_of=since,
        reorders=effect_then.reorders,
        raised=more_people(effect_then.schema, access.schema),
        through=tuple(stage for stage in BESIDES if stage in (*effect_then.through, *brought)),
    )
    return OngoingChange(number, effect, undoes=past.number), row.done_to


def put_into_force(
    session: Session,
    access: Access,
    by: Person | None,
    *,
    after_id: int,
    reading: Rewording,
    decisions: Decisions,
    now: datetime,
    step: Step,
    undoes: StoredSchemaChange | None = None,
) -> StoredSchemaChange:
    """Put a schema into force, to which ``step`` leads."""
    last = schema_changes.newest(session, project_id=access.project_id)
    project = projects.lock(session, id=access.project_id)
    row = schema_changes.add(
        session,
        row={
            "project_id": access.project_id,
            "number": last.number + 1 if last is not None else 1,
            "before_id": access.schema_version_id,
            "after_id": after_id,
            "decisions": decisions.as_json(),
            "reading_before": project.reading,
            "guideline_before": access.guideline,
            "undoes": undoes.number if undoes is not None else None,
            "by_id": by.id if by is not None else None,
            "created_at": now,
        },
    )
    schema_changes.put_into_force(session, row=project, schema_version_id=after_id, reading=reading)
    if step.dimensions:
        about: Any = {"project_id": access.project_id, "before": access.schema_version_id}
        dimensions.call_anew(session, **about, now=after_id, reading=reading)
    dimensions.call_assets(session, project_id=access.project_id, names=step.assets)
    return row


def take_guideline(session: Session, access: Access, loaded: LoadedSchema, *, by: Person | None, now: datetime) -> None:
    """Put the guideline of the new schema in force if it differs from that of the schema before.

    Otherwise the leads' later edits of the old guideline stay in force.
    """
    if stored_schema(session, id=access.schema_version_id).guideline_hash == loaded.guideline_hash:
        return
    version = guidelines.by_hash(session, project_id=access.project_id, hash=loaded.guideline_hash)
    if version is None:
        version = guidelines.add(
            session,
            project_id=access.project_id,
            number=max(guidelines.numbers(session, project_id=access.project_id).values()) + 1,
            hash=loaded.guideline_hash,
            text=loaded.guideline_text,
            why=f"The schema has changed to version {loaded.schema_.version}.",
            by_id=by.id if by is not None else None,
            now=now,
        )
    row = projects.lock(session, id=access.project_id)
    projects.bring_guideline_into_force(session, row=row, number=version.number)


def bring_all_up(
    store: Store,
    project: str,
    id: int,
    number: int,
    *,
    before: Mapping[ItemState, int],
    progress: Progress | None,
) -> SchemaChangeResult:
    """Migrate all items to the schema in force."""
    tally, seen, n = ChangeTally(), 0, sum(before.values())
    with store.read() as session:
        access = require_lead(session, by=None, project=project)
        change, last = _under_way(session, access, number)
    looks = change.effect.looks
    while looks:
        with store.write() as session:
            access = require_lead(session, by=None, project=project)
            newest = schema_changes.newest(session, project_id=access.project_id)
            if newest is None or newest.number != number or newest.finished_at is not None:
                break  # another process has continued and finished it
            lot = changes.lot(session, project_id=access.project_id, after=last, limit=AT_ONCE, hold=True)
            bring_up(session, access=access, change=change, lot=lot, now=store.now(), tally=tally)
            if not lot.items:
                break
            last = lot.items[-1].id
            changes.note_progress(session, id=id, done_to=last, finished_at=None)
        seen += len(lot.items)
        if progress is not None:
            progress(seen, n)
    stage_migrations.bring_up(store, project=project, change=change, tally=tally)
    if change.effect.reorders:
        project_check.put_in_order(store, project=project)
    with store.write() as session:
        access = require_lead(session, by=None, project=project)
        for stage, people in project_check.people_asked(access.schema).items():
            if people and stage not in VERIFICATIONS:  # a vote there has been matched with its item's slots
                surplus = task_slots.call_off_surplus(session, project_id=access.project_id, stage=stage, most=people)
                tally.add(closed=surplus)
        dimensions.forget_counts(session, project_id=access.project_id)
        changes.note_progress(session, id=id, done_to=last, finished_at=store.now())
        after = changes.states(session, project_id=access.project_id)
        return SchemaChangeResult(number, access.schema.version, before, after, tally, access.schema.stages)
