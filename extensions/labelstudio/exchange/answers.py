"""Take in one annotation from another tool: store it through ``submit``, or keep it with the reason why not.

The change here and its record are one transaction.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

from annotation_schemas.model import PREDICTION
from db import items, people, postponed, submissions, tasks
from db.engine import Session
from db.records import StoredBridgeProject, StoredBridgeTask, StoredTask
from domain.bridge import BridgeOutcome, BridgeState
from domain.errors import ConflictError, InvalidInputError, NotFoundError, Problem
from domain.records import Person, Submission, SubmissionReceipt
from domain.states import TaskState
from extensions.labelstudio.exchange.sync_lock import Link
from extensions.labelstudio.front_end import OutsideAnnotation, OutsideTask
from extensions.labelstudio.queries import received_answers, sent_tasks, servers
from workflow.access import held_tasks
from workflow.access.accounts import person_of
from workflow.access.projects import Access, access_by_id
from workflow.annotate import leases
from workflow.annotate import submissions as submit
from workflow.annotate.task_views import fields_shown

TRIES = 5
"""How many times an invalid answer goes back to its rater. After that it stays there, and a lead is told."""

_LONGEST = 100
_LONGEST_SAID = 2_000


def take_in(link: Link, place: StoredBridgeProject, id: int, task: OutsideTask, known: set[tuple[int, str]]) -> None:
    """Take in the new annotations of a task."""
    for annotation in sorted(task.annotations, key=lambda each: each.id):
        if (annotation.id, annotation.updated[:_LONGEST]) in known:
            continue
        try:
            with link.write() as session:
                outcome = _take(session, link, place, id, annotation)
        except InvalidInputError as error:
            with link.write() as session:
                outcome = _refuse(session, link, id, annotation, error.problems)
        if outcome is not None:
            link.outcomes[outcome] += 1


def _take(
    session: Session, link: Link, place: StoredBridgeProject, id: int, annotation: OutsideAnnotation
) -> BridgeOutcome | None:
    """Store an answer, or record why not. Return None if it was handled before.

    Raises ``InvalidInputError`` if the answer is invalid.
    """
    row, slot = sent_tasks.lock(session, id=id)
    if (annotation.id, annotation.updated[:_LONGEST]) in received_answers.answers_known(session, ids=[id]).get(
        id, set()
    ):
        return None
    account = people.by_id(session, id=row.person_id)
    person = person_of(account) if account is not None else None
    access, why = _access(session, person, slot, active=account is not None and account.active)
    mine = slot.person_id == row.person_id
    if annotation.by != place.outside_user:
        if mine and slot.state is TaskState.CLAIMED:
            _again(
                session,
                link,
                row,
                "Another person answered this task, but the task is yours. Please answer the task yourself.",
                None,
            )
        return _keep_answer(
            session,
            link,
            row,
            annotation,
            BridgeOutcome.NOT_THEIRS,
            "Another account in Label Studio answered this task.",
        )
    if person is None or access is None:
        return _over(session, link, row, annotation, BridgeOutcome.LATE, why)
    if annotation.cancelled:
        return _skipped(session, link, row, slot, annotation, access, person)
    if mine and slot.state is TaskState.DONE and row.annotation_id is None:
        why = "The task was already answered in Touchstone. The first submission counts."
        return _over(session, link, row, annotation, BridgeOutcome.SETTLED, why)
    fields = fields_shown(session, access=access, row=slot, person=person)
    if slot.prediction_id is not None:
        fields[PREDICTION] = items.prediction(session, id=slot.prediction_id).text
    answer = link.forms.read(access.schema, slot.stage, slot.dimension, annotation.result, fields)
    if answer.problems:
        raise InvalidInputError(
            [problem if isinstance(problem, Problem) else Problem("result", problem) for problem in answer.problems]
        )
    given = Submission(
        values=dict(answer.values),
        reasons=dict(answer.reasons),
        note=answer.note.replace("\0", ""),
        seconds=_seconds(annotation.lead_seconds),
        guideline=row.guideline or None,
    )
    key = f"ls/{row.key}/{annotation.id}/{annotation.updated[:_LONGEST]}"
    submission: dict[str, Any] = {"person": person, "task": slot.public_id, "key": key, "given": given}
    if row.annotation_id is not None:
        return _supersede(session, link, row, slot, annotation, submission)
    done = submit.submit_within(session, now=link.store.now(), **submission)
    if isinstance(done, ConflictError):
        return _over(session, link, row, annotation, BridgeOutcome.LATE, str(done))
    postponed.forget(session, person_id=person.id, unit=slot.unit)
    return _stored(session, link, row, annotation, BridgeOutcome.STORED, key, done)


def _supersede(
    session: Session,
    link: Link,
    row: StoredBridgeTask,
    slot: StoredTask,
    annotation: OutsideAnnotation,
    told: Mapping[str, Any],
) -> BridgeOutcome | None:
    """Take in a changed answer."""
    last = submissions.latest_of_task(session, task_id=slot.id)
    given: Submission = told["given"]
    if last is not None and (last.answers, last.reasons, last.note) == (given.values, given.reasons, given.note):
        why = "The answer is the same as before."
        return _keep_answer(session, link, row, annotation, BridgeOutcome.SUPERSEDED, why, annotation_id=last.id)
    done = submit.correct_within(session, now=link.store.now(), **told)
    if isinstance(done, ConflictError):
        return _keep_answer(session, link, row, annotation, BridgeOutcome.SETTLED, str(done))
    return _stored(session, link, row, annotation, BridgeOutcome.SUPERSEDED, told["key"], done)


def _stored(
    session: Session,
    link: Link,
    row: StoredBridgeTask,
    annotation: OutsideAnnotation,
    outcome: BridgeOutcome,
    key: str,
    done: SubmissionReceipt,
) -> BridgeOutcome | None:
    kept = submissions.by_key(session, person_id=row.person_id, key=key)
    stay = servers.by_id(session, id=link.bridge_id).stay
    sent_tasks.store_answer(session, row=row, annotation_id=kept.id if kept else None, stay=stay, now=done.saved_at)
    return _keep_answer(session, link, row, annotation, outcome, "", annotation_id=row.annotation_id)


def _skipped(
    session: Session,
    link: Link,
    row: StoredBridgeTask,
    slot: StoredTask,
    annotation: OutsideAnnotation,
    access: Access,
    person: Person,
) -> BridgeOutcome | None:
    held = tasks.lock(session, public_id=slot.public_id)
    if held is None or held.person_id != person.id or held.state is not TaskState.CLAIMED:
        why = (
            "The rater skipped this task too late. The answer was already stored, or the task was no longer "
            "assigned. Stored answers stay."
        )
        return _over(session, link, row, annotation, BridgeOutcome.SETTLED, why)
    if row.state in sent_tasks.THERE:
        leases.give_up(session, access=access, row=held, person=person, now=link.store.now())
    return _over(session, link, row, annotation, BridgeOutcome.SKIPPED, "The rater skipped this task in Label Studio.")


def _refuse(
    session: Session, link: Link, id: int, annotation: OutsideAnnotation, problems: Iterable[Problem]
) -> BridgeOutcome | None:
    """Keep an invalid answer, and send its task again with the reason."""
    row, slot = sent_tasks.lock(session, id=id)
    why = " ".join(problem.message for problem in problems)[:_LONGEST_SAID]
    mine = slot.person_id == row.person_id and slot.state is TaskState.CLAIMED
    if mine:
        says = f"Touchstone could not store your answer. {why} Please correct the answer, then submit the answer again."
        _again(session, link, row, says, [dict(region) for region in annotation.result if isinstance(region, Mapping)])
    else:
        sent_tasks.call_back(session, row=row, why=why)
    return _keep_answer(session, link, row, annotation, BridgeOutcome.REFUSED, why)


def _again(
    session: Session, link: Link, row: StoredBridgeTask, says: str, suggestion: list[dict[str, Any]] | None
) -> None:
    """Send a task once more. After too many times, it stays there for a person to check."""
    if row.state not in sent_tasks.THERE:
        return
    if row.number >= TRIES:
        sent_tasks.leave(session, row=row, why=says)
    else:
        stored_suggestion = storable(suggestion)
        sent_tasks.send_again(session, row=row, says=says, suggestion=stored_suggestion, now=link.store.now())


def _over(
    session: Session,
    link: Link,
    row: StoredBridgeTask,
    annotation: OutsideAnnotation,
    outcome: BridgeOutcome,
    why: str,
) -> BridgeOutcome | None:
    """Record the outcome of an answer that ends its task."""
    sent_tasks.call_back(session, row=row, why=why)
    return _keep_answer(session, link, row, annotation, outcome, why)


def _keep_answer(
    session: Session,
    link: Link,
    row: StoredBridgeTask,
    annotation: OutsideAnnotation,
    outcome: BridgeOutcome,
    why: str,
    *,
    annotation_id: int | None = None,
) -> BridgeOutcome | None:
    raw = annotation.raw if annotation.raw is not None else {"result": list(annotation.result)}
    updated = annotation.updated[:_LONGEST]
    origin: dict[str, Any] = {"by": annotation.by, "annotation_id": annotation_id}
    return note(session, link, row, annotation.id, updated, outcome, why, raw, counted=False, **origin)


def note(
    session: Session,
    link: Link,
    row: StoredBridgeTask,
    annotation: int,
    updated: str,
    outcome: BridgeOutcome,
    why: str,
    raw: Mapping[str, Any],
    *,
    by: int | None = None,
    annotation_id: int | None = None,
    counted: bool = True,
) -> BridgeOutcome | None:
    new = received_answers.note(
        session,
        row={
            "bridge_id": link.bridge_id,
            "bridge_task_id": row.id,
            "person_id": row.person_id,
            "outside_annotation": annotation,
            "outside_user": by,
            "updated": updated,
            "outcome": outcome,
            "why": why[:_LONGEST_SAID],
            "raw": storable(dict(raw)),
            "annotation_id": annotation_id,
            "created_at": link.store.now(),
        },
    )
    if new and counted:
        link.outcomes[outcome] += 1
    return outcome if new else None


def _access(session: Session, person: Person | None, slot: StoredTask, *, active: bool) -> tuple[Access | None, str]:
    """Return the access of a slot's rater. None and a reason if the person may no longer work on the slot."""
    if person is None or not active:
        return None, "This account was deactivated before Touchstone fetched the answer."
    try:
        access = access_by_id(session, person=person, project_id=slot.project_id)
    except NotFoundError:
        return None, "This person was removed from the project before Touchstone fetched the answer."
    if not access.may_do(slot.stage) or not access.may_use(slot.dimension):
        return None, "This person no longer works on this stage or dimension."
    return access, ""


def _seconds(lead: float | None) -> float | None:
    return lead if lead is not None and math.isfinite(lead) and 0 <= lead < 10**7 else None


def storable(value: Any) -> Any:
    """Return JSON that any database can store: without NUL, unpaired surrogates and non-finite numbers."""
    if isinstance(value, str):
        return value.replace("\0", "\ufffd").encode("utf-8", "replace").decode()
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, Mapping):
        return {storable(str(name)): storable(member) for name, member in value.items()}
    if isinstance(value, list | tuple):
        return [storable(member) for member in value]
    return value


def deleted(session: Session, link: Link, id: int) -> None:
    """Record that a task was deleted there. Its stored answers stay; a slot without an answer is offered again."""
    row, slot = sent_tasks.lock(session, id=id)
    now = link.store.now()
    if row.gone_at is not None:
        return
    if row.state is not BridgeState.REMOVING:  # otherwise we removed it ourselves
        answer = received_answers.counting(session, ids=[id]).get(id, (0, ""))
        if row.state is not BridgeState.SENDING:
            note(session, link, row, *answer, BridgeOutcome.DELETED, "The answer was deleted in Label Studio.", {})
    sent_tasks.note_deleted(session, row=row, why="The answer was deleted in Label Studio.", now=now)
    if slot.state is TaskState.CLAIMED and slot.person_id == row.person_id:
        held = tasks.lock(session, public_id=slot.public_id)
        still = held is not None and held.state is TaskState.CLAIMED and held.person_id == row.person_id
        if held is not None and still and not sent_tasks.waits(session, task_id=held.id, person_id=row.person_id):
            held_tasks.give_back(session, row=held, by=None, now=now)
