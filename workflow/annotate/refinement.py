"""Refinement: people find second right answers with the help of a model's answer, and edit the item."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from annotation_schemas import kinds, registry
from annotation_schemas.expected_answers import asked_of, held_against
from annotation_schemas.keys import key_field
from annotation_schemas.model import PREDICTION, Schema
from db import checks, item_revisions, items, respondents
from db.engine import Session, Store
from db.records import StoredPrediction, StoredTask
from domain import policies
from domain.errors import InvalidInputError, NotFoundError, Problem
from domain.reading.answers import AnswerKind, ReadOutcome
from domain.records import AnswerReading, Person, Submission
from domain.states import ItemState, Stage
from workflow.access.event_log import log
from workflow.access.projects import Access, access_to, require_lead
from workflow.annotate import answer_readings
from workflow.annotate.authoring import edit_problems, revise
from workflow.annotate.refinement_intake import open_answers, without_slot

FIELDS = "fields"
"""Name of the changed item fields in a submission, next to the criteria."""


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
        raise InvalidInputError([Problem("stage", "This project's schema has no refinement.")])
    there = items.models(session, project_id=access.project_id)
    people = respondents.names(session, project_id=access.project_id)
    asked = [each for each in there if each not in people] if model is None else [model]
    found = [each for name in asked for each in items.answers_of(session, project_id=access.project_id, model=name)]
    if not found:
        known = ", ".join(there) or "none; import them first"
        of = "any model" if model is None else f"a model {model!r}"
        raise NotFoundError(f"{access.name!r} has no answers of {of}; there are: {known}.")
    contents = item_revisions.current_content(session, project_id=access.project_id)
    key = key_field(access.schema) if only_differing else None
    read = answer_readings.counting(
        session, project_id=access.project_id, ids=[answer.id for answer, _ in found] if key else []
    )
    live = [(answer, item) for answer, item in found if item.state is not ItemState.REJECTED]
    wanted = [
        (answer.id, item.id, item.current_revision, item.dimension)
        for answer, item in live
        if key is None or _differs(access, answer, contents[item.id], read.get(answer.id))
    ]
    return wanted, len(live)


def end_of(schema: Schema) -> str:
    """Return, in words, when an item counts as refined; for schemas with a refinement."""
    stage = schema.stages.refinement
    until = (stage.until if stage else None) or policies.ONE_RIGHT
    return policies.REFINEMENT_ENDS.get(until, policies.REFINEMENT_ENDS[policies.ONE_RIGHT])


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
        return not isinstance(key, str) or policies.differs_from_key(answer.text, key)
    if read is None or read.outcome is not ReadOutcome.READ:
        return True
    return held_against(read.value, asked, key)[0] != 1


def counts(session: Session, *, access: Access) -> dict[str, int]:
    """Count the progress of refinement from the submissions; empty if the schema has no refinement.

    ``fed``: answers shown next to current revisions; ``decided``: answers with a decision; ``edited``: items changed
    in refinement; ``refined``: items whose refinement has ended (``domain.policies.refined``).
    """
    stage = access.schema.stages.refinement
    if stage is None:
        return {}
    decisions: dict[int, list[Mapping[str, Any]]]
    if stage.until == policies.ONE_ROUND:
        sent = checks.answers_in_refinement(session, project_id=access.project_id, ever=True)
        ever = checks.decided_in_refinement(session, project_id=access.project_id)
        decisions = {
            id: [given for answer, given in ever.get(id, {}).items() if answer in ids] for id, ids in sent.items()
        }
    else:
        sent = checks.answers_in_refinement(session, project_id=access.project_id)
        rows = checks.current_annotations(session, project_id=access.project_id, stages=(Stage.REFINEMENT,))
        decisions = {id: [row.answers for row in given] for id, given in rows.items()}
    return {
        "fed": sum(map(len, sent.values())),
        "decided": sum(map(len, decisions.values())),
        "edited": len(checks.edited_in_refinement(session, project_id=access.project_id)),
        "refined": sum(
            policies.refined(stage.done, n_answers=len(ids), decisions=decisions.get(item_id, []), until=stage.until)
            for item_id, ids in sent.items()
        ),
    }


def refinement(store: Store, *, by: Person | None, project: str) -> dict[str, int]:
    """Return ``counts`` for a member of the project."""
    with store.read() as session:
        return counts(session, access=access_to(session, person=by, project=project))


# ---- the step of submit ----------------------------------------------------------------------------------------------


def check(session: Session, access: Access, row: StoredTask, given: Submission) -> Sequence[Problem]:
    """Return the problems with a decision about a model's answer and with its edit."""
    stage = access.schema.stages.refinement
    if stage is None or row.item_id is None or row.revision is None or row.prediction_id is None:
        return [Problem("stage", "This project has no refinement.")]
    before = item_revisions.content(session, item_id=row.item_id, revision=row.revision)
    answers = {name: value for name, value in given.values.items() if name != FIELDS}
    shown = {**before, PREDICTION: items.prediction(session, id=row.prediction_id).text}
    criteria = registry.criteria_of(access.schema, "refinement", row.dimension)
    problems = list(kinds.check_answers(criteria, answers, given.reasons, shown, rules=stage.rules))
    if FIELDS in given.values:
        edit = given.values[FIELDS]
        if not isinstance(edit, Mapping):
            return [*problems, Problem(FIELDS, "Send the changed fields with an edit.")]
        problems += edit_problems(access.schema, before, {**before, **edit}, row.dimension)
    return problems


def place(
    session: Session, access: Access, row: StoredTask, given: Submission, person: Person, now: datetime
) -> tuple[int, int]:
    """Lock the item and return the revision that the decision is about."""
    item = items.lock(session, id=row.item_id or 0)
    return item.id, row.revision or item.current_revision


def after(
    session: Session, access: Access, row: StoredTask, given: Submission, person: Person, now: datetime
) -> ItemState | None:
    """Return the item's state; an edit sends the item back to verification, and its answers are shown again."""
    item = items.lock(session, id=row.item_id or 0)
    if FIELDS in given.values:
        before = item_revisions.content(session, item_id=item.id, revision=item.current_revision)
        content = {**before, **given.values[FIELDS]}
        revise(session, access=access, item=item, fields=content, editor_id=person.id, now=now)
    return items.by_id(session, id=item.id).state


def why_fixed(session: Session, access: Access, row: StoredTask, now: datetime) -> str | None:
    """Return why a decision can no longer be corrected, because the item was edited; otherwise None."""
    item = items.lock(session, id=row.item_id or 0)
    if item.current_revision != row.revision:
        return "The item has been edited since, so this decision stays; decide about it as it is now."
    return None
