"""Answering: people answer items as models do, and results show their answers next to models' answers.

A submission is kept as in every stage. Its answer is also stored with the models' answers, in a run of that
person's, and read by the same rules. So results, cases, grading and exports need no special case for people.
There the people are called ``respondent 1``, ``respondent 2`` and so on, in the order in which they began.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

from annotation_schemas import kinds, registry
from annotation_schemas.keys import key_field
from annotation_schemas.model import Answering
from db import item_revisions, items, projects, respondents, runs, submissions, task_slots, tasks
from db.engine import Session
from db.records import StoredRun, StoredTask
from domain.errors import Problem
from domain.language import _, marked
from domain.policies import LEASE
from domain.records import Person, Submission
from domain.run_kinds import RunKind
from domain.runs import RunState
from domain.states import ItemState, Stage
from workflow.access.projects import Access
from workflow.access.visibility import LOOKED, has_looked
from workflow.annotate import answer_readings, grading
from workflow.annotate.answer_readings import NewAnswer
from workflow.annotate.stage_kinds import Revision

FIXED = marked("This answer already counts, so you cannot change the answer. If the answer is wrong, tell a lead.")


def open_new(session: Session, *, access: Access, revisions: Iterable[tuple[int, int, str]], now: datetime) -> int:
    """Let people answer new revisions (item id, number, dimension) that need no verdict; return the slots opened."""
    stage = access.schema.stages.answering
    if stage is None or (stage.items == "kept" and access.schema.stages.verification is not None):
        return 0
    return _open(session, access, stage, revisions, now)


def follow_state(
    session: Session,
    *,
    access: Access,
    revision: Revision,
    before: ItemState,
    state: ItemState,
    now: datetime,
) -> None:
    """Open or close an item's revision for answering, as the new verdict requires.

    Given answers stay.
    """
    stage = access.schema.stages.answering
    if stage is None or stage.items == "all" or state is before:
        return
    if state is ItemState.KEPT:
        _open(session, access, stage, [revision], now)
    elif before is ItemState.KEPT:
        close(session, access=access, item_id=revision[0], revision=revision[1], dimension=revision[2])


def follow_revision(session: Session, *, access: Access, revision: Revision, now: datetime) -> None:
    """Let people answer a new revision that needs no verdict."""
    open_new(session, access=access, revisions=[revision], now=now)


def close(session: Session, *, access: Access, item_id: int, revision: int, dimension: str) -> None:
    """Stop asking people to answer a revision of an item; another item of the sample takes its place."""
    stage = access.schema.stages.answering
    if stage is None:
        return
    task_slots.withdraw(
        session, units=[task_slots.unit_of_revision(Stage.ANSWERING, item_id=item_id, revision=revision)]
    )
    if stage.per_dimension is not None:
        _draw(session, access, stage, dimension)


def _open(
    session: Session, access: Access, stage: Answering, revisions: Iterable[tuple[int, int, str]], now: datetime
) -> int:
    revisions = [revision for revision in revisions if stage.dimensions is None or revision[2] in stage.dimensions]
    by_priority = stage.order == "priority"
    priorities = items.priorities(session, item_ids=[id for id, _, _ in revisions]) if by_priority else {}
    slots = []
    units = [
        task_slots.unit_of_revision(Stage.ANSWERING, item_id=id, revision=revision) for id, revision, _ in revisions
    ]
    known = tasks.known_units(session, units=units)
    for unit, (item_id, revision, dimension) in zip(units, revisions, strict=True):
        if unit in known:  # keeps its earlier number of slots
            continue
        slots += [
            task_slots.Slot(
                project_id=access.project_id,
                stage=Stage.ANSWERING,
                unit=unit,
                slot=slot,
                item_id=item_id,
                revision=revision,
                dimension=dimension,
                called_off=stage.per_dimension is not None,
                rank=task_slots.rank_of(stage.order, slot=slot, item_id=item_id, priority=priorities.get(item_id, 0)),
                shuffle=task_slots.shuffle_key(seed=access.seed, unit=unit, slot=slot),
                at=now,
            )
            for slot in range(stage.people)
        ]
    n = task_slots.open_slots(session, slots=slots, needed=access.needed_roles)
    if stage.per_dimension is not None:
        return sum(_draw(session, access, stage, name) for name in dict.fromkeys(revision[2] for revision in revisions))
    return n + task_slots.offer_units(session, units=units, most=stage.people)


def _draw(session: Session, access: Access, stage: Answering, dimension: str) -> int:
    """Offer the items of the sample in a dimension, call off all others, and return how many slots opened.

    The sample is the items with the smallest random numbers, drawn with the project's seed. So it does not depend on
    the order in which items were kept. Items that someone has answered or claimed always stay in the sample.
    """
    projects.lock(session, id=access.project_id)
    there = respondents.units(session, project_id=access.project_id, dimension=dimension)
    kept = [revision for revision in there if revision.current and (revision.kept or stage.items == "all")]
    touched = {revision.unit for revision in kept if revision.touched}
    rest = sorted(
        (revision for revision in kept if not revision.touched), key=lambda revision: revision.place(access.seed)
    )
    chosen = touched | {revision.unit for revision in rest[: max((stage.per_dimension or 0) - len(touched), 0)]}
    surplus = [
        revision.unit for revision in there if revision.open and not revision.touched and revision.unit not in chosen
    ]
    task_slots.call_off_untouched(session, units=sorted(surplus))
    return task_slots.offer_units(
        session, units=sorted(revision.unit for revision in kept if revision.unit in chosen), most=stage.people
    )


# ---- the step of submit ----------------------------------------------------------------------------------------------


def check(session: Session, access: Access, row: StoredTask, given: Submission) -> Sequence[Problem]:
    """Return the problems with an answer."""
    if access.schema.stages.answering is None or row.item_id is None or row.revision is None:
        return [Problem("stage", _("This project has no answering stage. Open My work to see the project's stages."))]
    fields = item_revisions.content(session, item_id=row.item_id, revision=row.revision)
    criteria = registry.criteria_of(access.schema, Stage.ANSWERING.value, row.dimension)
    return kinds.check_answers(criteria, given.values, given.reasons, fields)


def place(
    session: Session, access: Access, row: StoredTask, given: Submission, person: Person, now: datetime
) -> tuple[int, int]:
    """Return the item and revision that were answered."""
    return row.item_id or 0, row.revision or 1


def after(
    session: Session, access: Access, row: StoredTask, given: Submission, person: Person, now: datetime
) -> ItemState | None:
    """Store the answer with the models' answers and pass it on to grading; the item's state does not change."""
    item_id = row.item_id or 0
    (criterion,) = registry.criteria_of(access.schema, Stage.ANSWERING.value)
    run = _run(session, access, person, item_id, now)
    answer = NewAnswer(
        item_id, run.id, run.name, answer_readings.as_stored(_said(access, given.values[criterion.name]))
    )
    for earlier in respondents.answers_to(
        session, item_id=item_id, name=run.name
    ):  # corrected: nobody needs to grade the earlier answer
        task_slots.withdraw(session, units=[task_slots.unit_of_prediction(prediction_id=earlier)])
    ids = answer_readings.keep(session, project_id=access.project_id, answers=[answer], now=now)
    grading.pass_on(session, access=access, predictions=[(id, item_id, row.dimension) for id in ids], now=now)
    return items.by_id(session, id=item_id).state


def _said(access: Access, value: Any) -> str:
    """Return an answer in the words in which models are offered it."""
    none = next((field.none for field in access.schema.item.fields if field.name == key_field(access.schema)), None)
    return none if none is not None and value == kinds.NONE_OF_THESE else _text(value)


def _text(value: Any) -> str:
    """Return an answer as a model would write it.

    >>> _text("red"), _text(3), _text(True)
    ('red', '3', 'yes')
    """
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)


def why_fixed(session: Session, access: Access, row: StoredTask, now: datetime) -> str | None:
    """Return why an answer can no longer be corrected, or None if it can.

    People who have not seen the key can correct an answer for the length of a lease.
    """
    last = submissions.latest_of_task(session, task_id=row.id)
    if last is None:
        return _(FIXED)
    if has_looked(session, said=last):
        return _(LOOKED)
    mending = row.correcting and row.lease_until is not None and row.lease_until > now
    return None if mending or now - last.created_at < LEASE else _(FIXED)


def _run(session: Session, access: Access, person: Person, item_id: int, now: datetime) -> StoredRun:
    """Return the person's run that takes an answer to an item.

    It is their newest run, unless that was withdrawn or holds an answer to the item already; then a new run starts.
    A corrected answer is therefore the later one, which counts.
    """
    run = respondents.run_of(session, project_id=access.project_id, person_id=person.id)
    if run is None:
        projects.lock(session, id=access.project_id)  # so that two people who begin at once get different numbers
        run = respondents.run_of(session, project_id=access.project_id, person_id=person.id)
    goes_on = run is not None and run.withdrawn_at is None
    if run is not None and goes_on and not respondents.has_answer(session, run_id=run.id, item_id=item_id):
        return runs.extend_by(session, row=run, units=1, now=now)
    return runs.add(
        session,
        project_id=access.project_id,
        kind=RunKind.PEOPLE,
        name=run.name if run is not None else respondents.next_name(session, project_id=access.project_id),
        params={},
        state=RunState.DONE,
        spec_hash="",
        wanted=1,
        by_id=person.id,
        now=now,
    )
