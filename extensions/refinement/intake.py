"""Send models' answers to refinement, where each is shown next to a revision of its item."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from annotation_schemas.expected_answers import asked_of, held_against
from annotation_schemas.keys import key_field
from db import item_revisions, items, respondents, task_slots, tasks
from db.engine import Session, Store
from db.records import StoredPrediction
from domain.errors import InvalidInputError, NotFoundError, Problem
from domain.policies import ONE_ROUND
from domain.reading.answers import AnswerKind, ReadOutcome
from domain.records import AnswerReading, Person
from domain.states import ItemState, Stage
from extensions.refinement import queries
from extensions.refinement.rules import differs_from_key
from workflow.access.event_log import log
from workflow.access.projects import Access, require_lead
from workflow.annotate import answer_readings
from workflow.annotate.stage_kinds import Revision


def open_answers(
    session: Session, *, access: Access, answers: Iterable[tuple[int, int, int, str]], now: datetime
) -> int:
    """Open one slot for each answer (prediction id, item id, revision, dimension) and return how many are new.

    An answer with a slot gets no second one.
    """
    if access.schema.stages.refinement is None:
        return 0
    slots = []
    for prediction_id, item_id, revision, dimension in without_slot(session, access=access, answers=answers):
        unit = task_slots.unit_of_refinement(prediction_id=prediction_id, revision=revision)
        slots.append(
            task_slots.Slot(
                project_id=access.project_id,
                stage=Stage.REFINEMENT,
                unit=unit,
                item_id=item_id,
                revision=revision,
                prediction_id=prediction_id,
                dimension=dimension,
                shuffle=task_slots.shuffle_key(seed=access.seed, unit=unit, slot=0),
                at=now,
            )
        )
    task_slots.open_slots(session, slots=slots, needed=access.needed_roles)
    return len(slots)


def follow_revision(session: Session, *, access: Access, revision: Revision, now: datetime) -> None:
    """Show the answers that count next to a new revision of their item."""
    item_id, number, dimension = revision
    sent = tasks.answers_in_refinement(session, item_id=item_id, counting=True)
    open_answers(session, access=access, answers=[(id, item_id, number, dimension) for id in sent], now=now)


def follow_run(session: Session, *, access: Access, run_id: int, withdrawn: bool, now: datetime) -> None:
    """Withdraw the slots of a withdrawn run, or open them again; decisions stay because they are about the item."""
    answers = queries.refinement_of_run(session, run_id=run_id)
    units = [task_slots.unit_of_refinement(prediction_id=id, revision=revision) for id, _, revision, _ in answers]
    if withdrawn:
        for unit in units:
            task_slots.withdraw(session, units=[unit])
    else:
        open_answers(session, access=access, answers=answers, now=now)
        task_slots.offer_units(session, units=units)


def without_slot(
    session: Session, *, access: Access, answers: Iterable[tuple[int, int, int, str]]
) -> list[tuple[int, int, int, str]]:
    """Return the answers without a slot; if one round is enough, also leave out answers with a decision."""
    there = queries.refinement_units(session, project_id=access.project_id)
    stage = access.schema.stages.refinement
    over = stage is not None and stage.until == ONE_ROUND
    decided = queries.decided_in_refinement(session, project_id=access.project_id) if over else {}
    return [
        answer
        for answer in answers
        if task_slots.unit_of_refinement(prediction_id=answer[0], revision=answer[2]) not in there
        and answer[0] not in decided.get(answer[1], {})
    ]


@dataclass(frozen=True)
class RefinementIntake:
    """Number of answers sent to refinement, of one model or of all."""

    opened: int
    answers: int
    """Number of answers to items that were not rejected."""


def open_refinement(
    store: Store, *, by: Person | None, project: str, model: str | None, only_differing: bool = True
) -> RefinementIntake:
    """Send the answers of one model, or (None) of all models, to refinement, each to one person; leads only.

    People's answers (``answering``) are sent only if you name them. Answers to rejected items are left out. With
    ``only_differing``, answers that match the annotated answer (the key) are left out too. A free-text answer matches
    if its text contains the key, ignoring case. No answer is sent twice.
    """
    _read_answers(store, by, project)
    with store.write() as session:
        access, now = require_lead(session, by=by, project=project), store.now()
        wanted, n_answers = _answers_to_open(session, access, model, only_differing)
        opened = open_answers(session, access=access, answers=wanted, now=now)
        data = {"model": model, "answers": opened, "only_differing": only_differing}
        log(session, "refinement.opened", by=by, project=access, now=now, data=data)
        return RefinementIntake(opened=opened, answers=n_answers)


def preview_refinement(
    store: Store, *, by: Person | None, project: str, model: str | None, only_differing: bool = True
) -> RefinementIntake:
    """Return what ``open_refinement`` would send now, without changing anything."""
    _read_answers(store, by, project)
    with store.read() as session:
        access = require_lead(session, by=by, project=project)
        wanted, n_answers = _answers_to_open(session, access, model, only_differing)
        return RefinementIntake(opened=len(without_slot(session, access=access, answers=wanted)), answers=n_answers)


def _read_answers(store: Store, by: Person | None, project: str) -> None:
    with store.read() as session:
        require_lead(session, by=by, project=project)
    answer_readings.fill_up(store, project=project)


def _answers_to_open(
    session: Session, access: Access, model: str | None, only_differing: bool
) -> tuple[list[tuple[int, int, int, str]], int]:
    """Return the answers that would get slots, and the number of answers to items that were not rejected.

    An answer is given as prediction id, item id, revision and dimension.
    """
    if access.schema.stages.refinement is None:
        raise InvalidInputError(
            [
                Problem(
                    "stage", "This project's schema has no refinement stage. Add the stage `refinement` to the schema."
                )
            ]
        )
    there = items.models(session, project_id=access.project_id)
    people = respondents.names(session, project_id=access.project_id)
    asked = [name for name in there if name not in people] if model is None else [model]
    answers = [pair for name in asked for pair in items.answers_of(session, project_id=access.project_id, model=name)]
    if not answers:
        known = ", ".join(there) or "none, so import answers first"
        of = "any model" if model is None else f"a model {model!r}"
        raise NotFoundError(f"{access.name!r} has no answers from {of}. Models with answers: {known}.")
    contents = item_revisions.current_content(session, project_id=access.project_id)
    key = key_field(access.schema) if only_differing else None
    read = answer_readings.counting(
        session, project_id=access.project_id, ids=[answer.id for answer, _ in answers] if key else []
    )
    live = [(answer, item) for answer, item in answers if item.state is not ItemState.REJECTED]
    wanted = [
        (answer.id, item.id, item.current_revision, item.dimension)
        for answer, item in live
        if key is None or _differs(access, answer, contents[item.id], read.get(answer.id))
    ]
    return wanted, len(live)


def models(store: Store, *, by: Person | None, project: str) -> list[str]:
    """Return the models with answers in a project; leads only."""
    with store.read() as session:
        access = require_lead(session, by=by, project=project)
        return items.models(session, project_id=access.project_id)


def _differs(access: Access, answer: StoredPrediction, fields: Mapping[str, Any], read: AnswerReading | None) -> bool:
    """Return whether an answer may differ from the annotated one.

    A closed key is compared with the answer's reading, a free-text key with the answer's text.
    """
    asked = asked_of(access.schema, fields)
    key = fields.get(key_field(access.schema) or "")
    if asked.kind is AnswerKind.TEXT:
        return not isinstance(key, str) or differs_from_key(answer.text, key)
    if read is None or read.outcome is not ReadOutcome.READ:
        return True
    return held_against(read.value, asked, key)[0] != 1


def open_all(store: Store, *, by: Person | None, project: str, models: Sequence[str] | None) -> None:
    """Send the answers of these models, or of all, to refinement; leads only."""
    for model in models if models is not None else (None,):
        open_refinement(store, by=by, project=project, model=model, only_differing=False)
