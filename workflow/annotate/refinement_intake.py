"""Open the refinement slots, in which models' answers are shown next to a revision of their items."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from db import checks, task_slots, tasks
from db.engine import Session
from domain.policies import ONE_ROUND
from domain.states import Stage
from workflow.access.projects import Access
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
    answers = tasks.refinement_of_run(session, run_id=run_id)
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
    there = tasks.refinement_units(session, project_id=access.project_id)
    stage = access.schema.stages.refinement
    over = stage is not None and stage.until == ONE_ROUND
    decided = checks.decided_in_refinement(session, project_id=access.project_id) if over else {}
    return [
        answer
        for answer in answers
        if task_slots.unit_of_refinement(prediction_id=answer[0], revision=answer[2]) not in there
        and answer[0] not in decided.get(answer[1], {})
    ]
