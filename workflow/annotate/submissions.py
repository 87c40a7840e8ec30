"""Submitting: one annotation per key, on disk before it is acknowledged, and never more votes than slots."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any

from annotation_schemas import kinds, registry
from annotation_schemas.model import PREDICTION
from db import events, item_revisions, items, submissions, task_claims, tasks
from db.engine import Session, Store
from db.records import StoredAnnotation, StoredTask
from domain import extensions
from domain.errors import ConflictError, InvalidInputError, LeaseLostError, NotFoundError, Problem
from domain.language import _, marked
from domain.records import Person, Submission, SubmissionReceipt, TaskView
from domain.states import VERIFICATIONS, ItemState, Purpose, Stage, TaskState
from workflow.access import guidelines
from workflow.access.event_log import log
from workflow.access.projects import Access, access_to
from workflow.annotate import (
    adjudication,
    author_forms,
    earlier_forms,
    qualification,
    stage_kinds,
    verification,
)
from workflow.annotate.drafts import must_be_json
from workflow.annotate.leases import KEPT, extend, held_task, why_lost
from workflow.annotate.task_views import shuffled_fields, task_view

LONGEST_NOTE = 20_000
NO_LONGER = marked(
    "You can no longer change this submission, because the item has changed or other people are working on the "
    "item. If the submission is wrong, tell a lead."
)


def submit(
    store: Store,
    *,
    person: Person,
    task: str,
    key: str,
    values: Mapping[str, Any],
    reasons: Mapping[str, Any] | None = None,
    note: str = "",
    seconds: float | None = None,
    field_seconds: Mapping[str, float] | None = None,
    guideline: str | None = None,
    schema: str | None = None,
) -> SubmissionReceipt:
    """Store a person's answers; they are on disk when this function returns.

    Parameters
    ----------
    key
        Chosen by the page, once per submission. A repeated key stores nothing and returns the first result
        (``repeated``).
    values
        Values by criterion; in authoring the item's fields; in adjudication ``decision``, ``cause`` and ``fields``.
    seconds
        Time spent without idle time, as the page measured it. It is stored as at most the time since the person
        first got the task or last submitted it.
    field_seconds
        How many of these seconds each field of an authoring form had the focus. Stored if a model has proposed the
        item, shown or not. The sum is at most the stored ``seconds``.
    guideline
        Hash of the guideline that the page showed, perhaps an earlier one of the project; None means the current one.
    schema
        Hash of the schema whose form the page showed, perhaps an earlier one of the project; None means the current
        one. Answers on an earlier form count if they answer all current criteria. They are stored unchanged, under
        their schema.

    Raises
    ------
    InvalidInputError
        Lists all problems with the answers.
    LeaseLostError
        The lease had ended and another person took the task, or the item has changed. The answers are kept as a draft.
    ConflictError
        The task was submitted before under another key, or the verdict was settled during the correction. Also raised
        if the form has changed and has new criteria; the answers are then kept as a draft.
    """
    given = Submission(
        values=values,
        reasons=reasons or {},
        note=note,
        seconds=seconds,
        field_seconds=field_seconds,
        guideline=guideline,
        schema=schema,
    )
    with store.write() as session:
        done = submit_within(session, person=person, task=task, key=key, given=given, now=store.now())
    if isinstance(done, ConflictError):
        raise done
    return done


def submit_within(
    session: Session, *, person: Person, task: str, key: str, given: Submission, now: datetime
) -> SubmissionReceipt | ConflictError:
    """Do the same as ``submit`` inside a transaction; return a conflict instead of raising it, to keep the draft."""
    given = replace(given, note=given.note.replace("\0", ""))
    _must_fit(given, key)
    row, access = held_task(session, person=person, task=task, with_item=True)
    earlier = submissions.by_key(session, person_id=person.id, key=key)
    if earlier is not None:
        return _again(session, earlier, row)
    refusal = _refusal(session, access, row, person, now)
    if refusal is None:
        return _store(session, access, row, person, key, given, now)
    submissions.put_draft(
        session,
        task_id=row.id,
        person_id=person.id,
        seq=None,
        content={"values": dict(given.values), "reasons": dict(given.reasons), "note": given.note},
        now=now,
        lost=True,
    )
    log(session, "task.late", by=person, task=row, now=now, data={"stage": row.stage.value})
    return refusal


def correct_within(
    session: Session, *, person: Person, task: str, key: str, given: Submission, now: datetime
) -> SubmissionReceipt | ConflictError:
    """Replace a person's submission for a task inside a transaction, as ``undo`` and ``submit`` do.

    If the submission can no longer be changed, return a conflict and store nothing.
    """
    row, access = held_task(session, person=person, task=task, with_item=True)
    if submissions.by_key(session, person_id=person.id, key=key) is None:
        why = _why_fixed(session, access, row, now)
        if why is not None:
            return ConflictError(why)
        _reopen(session, access, row, person, now)
    return submit_within(session, person=person, task=task, key=key, given=given, now=now)


def undo(store: Store, *, person: Person, project: str, stage: Stage, task: str | None = None) -> TaskView:
    """Reopen a person's last submission in a stage, or the one of ``task``, with its answers as a draft.

    The submission counts until a new one supersedes it. Raises ``ConflictError`` if it can no longer be changed.
    """
    with store.write() as session:
        now = store.now()
        access = access_to(session, person=person, project=project)
        last = submissions.last_of_person(
            session, person_id=person.id, project_id=access.project_id, stage=stage, task=task
        )
        if last is None:
            raise NotFoundError(_("There is no submission to undo. Reload the page."))
        row, access = held_task(session, person=person, task=last[1].public_id, with_item=True)
        theirs = row.state is TaskState.DONE and row.person_id == person.id
        why = _why_fixed(session, access, row, now) if theirs else _(NO_LONGER)
        if why is not None:
            raise ConflictError(why)
        if not row.correcting:
            submissions.put_draft(
                session,
                task_id=row.id,
                person_id=person.id,
                seq=None,
                content={"values": last[0].answers, "reasons": last[0].reasons, "note": last[0].note},
                now=now,
            )
        _reopen(session, access, row, person, now)
        return task_view(session, access=access, row=row, person=person)


def _reopen(session: Session, access: Access, row: StoredTask, person: Person, now: datetime) -> None:
    if not row.correcting:
        log(session, "task.reopened", by=person, task=row, now=now, data={"stage": row.stage.value})
    task_claims.correct(session, row=row, now=now)


def _must_fit(given: Submission, key: str) -> None:
    if not key or len(key) > 200:
        raise InvalidInputError([Problem("key", _("The request ID must have 1 to 200 characters. Reload the page."))])
    if len(given.note) > LONGEST_NOTE:
        raise InvalidInputError([Problem("note", _("Shorten the note to {n} characters.").format(n=LONGEST_NOTE))])
    if given.seconds is not None and not _is_time(given.seconds):
        raise InvalidInputError([Problem("seconds", _("The time spent must be a number of seconds. Reload the page."))])
    if not all(map(_is_time, (given.field_seconds or {}).values())):
        why = _("The time spent on a field must be a number of seconds. Reload the page.")
        raise InvalidInputError([Problem("field_seconds", why)])
    must_be_json({"values": given.values, "reasons": given.reasons, "note": given.note, "key": key})


def _is_time(value: Any) -> bool:
    """Return whether the value can be a number of seconds measured by a page."""
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < 10**7


def _again(session: Session, earlier: StoredAnnotation, row: StoredTask) -> SubmissionReceipt:
    if earlier.task_id != row.id:
        raise ConflictError(_("This request ID was used for another task. Reload the page, and submit again."))
    item = items.by_id(session, id=earlier.item_id)
    return SubmissionReceipt(
        annotation=earlier.public_id,
        saved_at=earlier.created_at,
        repeated=True,
        item=item.public_id,
        state=_state_to_tell(row.stage, item.state),
    )


def _state_to_tell(stage: Stage, state: ItemState | None) -> ItemState | None:
    """Return the item's state if the submitter may know it; the state could reveal other votes or the key."""
    return state if stage in (Stage.AUTHORING, Stage.ADJUDICATION) else None


def _refusal(session: Session, access: Access, row: StoredTask, person: Person, now: datetime) -> ConflictError | None:
    """Return why this person can no longer submit this task, or None.

    They can submit even after their lease if nobody took the task.
    """
    if row.state is TaskState.DONE and row.person_id == person.id:
        if not row.correcting:
            return ConflictError(
                _("You have already submitted this task. To change your submission, undo the submission first.")
            )
        why = _why_fixed(session, access, row, now)
        return ConflictError(f"{why} {_(KEPT)}") if why else None
    if row.purpose is not Purpose.QUALIFICATION:
        barred = qualification.require(session, access=access, person=person, stage=row.stage)
        if barred is not None:
            return LeaseLostError(f"{barred.sentence} {_(KEPT)}")
    if row.stage not in stage_kinds.STAGE_KINDS:
        return LeaseLostError(f"{extensions.missing('stages', row.stage)} {_(KEPT)}")
    kind = stage_kinds.of(row.stage)
    if row.person_id in (None, person.id) and kind.renew(session, access=access, row=row, now=now):
        return LeaseLostError(f"{_(kind.replaced)} {_(KEPT)}")
    begun = row.state is TaskState.CLAIMED and row.person_id == person.id and not row.reserved
    if begun and row.stage is not Stage.AUTHORING:
        return None  # still their task, even after the lease
    if extend(session, access=access, row=row, person=person, now=now):
        return None
    return LeaseLostError(why_lost(session, access=access, row=row, person=person))


def _why_fixed(session: Session, access: Access, row: StoredTask, now: datetime) -> str | None:
    """Return why a submission can no longer be corrected, or None if it can."""
    if row.purpose is Purpose.QUALIFICATION:
        return qualification.why_fixed(session, row=row)
    if row.purpose is Purpose.GOLD and row.stage in VERIFICATIONS:
        return (
            None if verification.is_slip(session, access, row, now) else _(verification.SETTLED)
        )  # the same as for an item that was just settled
    return stage_kinds.of(row.stage).why_fixed(session, access, row, now)


def _store(
    session: Session, access: Access, row: StoredTask, person: Person, key: str, given: Submission, now: datetime
) -> SubmissionReceipt | ConflictError:
    if row.stage is Stage.ADJUDICATION:
        given = replace(given, values=adjudication.with_stage(row, given.values))
    kind, as_given = stage_kinds.of(row.stage), given
    version, given = earlier_forms.as_asked_now(session, access, row, given)
    given = replace(given, values=_in_order(session, access, row, given))
    problems = kind.check(session, access, row, given)
    if version.is_earlier and (problems or version.asked_anew(given)):
        return _keep_for_new_form(session, access, row, person, given, now)
    if problems:
        raise InvalidInputError(problems)
    before = submissions.latest_of_task(session, task_id=row.id) if row.state is TaskState.DONE else None
    guidelines.note_reader(session, access=access, person=person, now=now)
    spent = _spent(session, row, person, given, before, now)
    item_id, revision = kind.place(session, access, row, given, person, now)
    annotation = submissions.add(
        session,
        task=row,
        person_id=person.id,
        key=key,
        item_id=item_id,
        revision=revision,
        answers=as_given.values if version.is_earlier else given.values,
        reasons=as_given.reasons,
        shown=_shown(session, access, row, person, item_id, revision),
        note=given.note,
        seconds=spent,
        weight=verification.weight_of(session, access=access, row=row, person=person),
        supersedes_id=before.id if before else None,
        schema_version_id=version.id,
        schema_hash=version.hash,
        guideline_hash=guidelines.accepted(session, access, given.guideline),
        now=now,
    )
    event = "task.corrected" if before else "task.submitted"
    log(session, event, by=person, task=row, now=now, data={"stage": row.stage.value})
    if given.field_seconds is not None and spent is not None:
        author_forms.log_field_times(
            session, access=access, row=row, person=person, at=given.field_seconds, whole=spent, now=now
        )
    state = kind.after(session, access, row, given, person, now) if row.purpose is Purpose.LIVE else None
    item = items.by_id(session, id=item_id)
    return SubmissionReceipt(
        annotation=annotation.public_id, saved_at=now, item=item.public_id, state=_state_to_tell(row.stage, state)
    )


def _keep_for_new_form(
    session: Session, access: Access, row: StoredTask, person: Person, given: Submission, now: datetime
) -> ConflictError:
    """Keep answers from an earlier form, as far as they still apply, and leave the task with the person."""
    content = {"values": dict(given.values), "reasons": dict(given.reasons), "note": given.note}
    submissions.put_draft(session, task_id=row.id, person_id=person.id, seq=None, content=content, now=now)
    if row.state is TaskState.CLAIMED:
        task_claims.renew(session, row=row, now=now)
    data = {"stage": row.stage.value, "schema": access.schema.version}
    log(session, "task.form_changed", by=person, task=row, now=now, data=data)
    return ConflictError(f"{_(earlier_forms.CHANGED)} {_(KEPT)}")


def _spent(
    session: Session, row: StoredTask, person: Person, given: Submission, before: StoredAnnotation | None, now: datetime
) -> float | None:
    """Return the time spent that the page reports, limited to the possible maximum."""
    if given.seconds is None:
        return None
    if before is not None:
        since: datetime | None = before.created_at
    else:
        since = events.taken_at(session, task_id=row.id, person_id=person.id, kinds=events.GIVEN)
    return given.seconds if since is None else min(given.seconds, max((now - since).total_seconds(), 0.0))


def _in_order(session: Session, access: Access, row: StoredTask, given: Submission) -> Mapping[str, Any]:
    """Return the answers, with unordered lists in the item's own order, because the page may have shuffled them."""
    criteria = registry.criteria_of(access.schema, row.stage.value, row.dimension)
    if row.item_id is None or not any(kinds.of_criterion(criterion).reorders for criterion in criteria):
        return given.values
    item = items.by_id(session, id=row.item_id)
    fields = item_revisions.content(session, item_id=row.item_id, revision=row.revision or item.current_revision)
    return kinds.in_order(criteria, given.values, fields)


def _shown(
    session: Session, access: Access, row: StoredTask, person: Person, item_id: int, revision: int
) -> dict[str, Any] | None:
    """Return the shuffled parts as this person saw them: the options and the answer's place, or the left answer."""
    by_kind = stage_kinds.of(row.stage).shown(session, access=access, row=row, person=person)
    if by_kind is not None:
        return by_kind
    shuffle = getattr(getattr(access.schema.stages, row.stage.value), "shuffle", ())
    if not shuffle:
        return None
    shown = shuffled_fields(access, row, person, item_revisions.content(session, item_id=item_id, revision=revision))
    if "predictions" in shuffle:
        place = tasks.place_of(session, item_id=item_id, stage=row.stage, person_id=person.id, unit=row.unit)
        shown[PREDICTION] = list(place)
    return shown or None
