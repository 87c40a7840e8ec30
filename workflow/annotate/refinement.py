"""Refinement: a model's answer next to the item shows second right answers; who finds one edits the item."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from annotation_schemas import kinds, registry
from annotation_schemas.asked import asked_of, held_against
from annotation_schemas.keys import key_field
from annotation_schemas.model import PREDICTION, Schema
from db import checks, items, respondents
from db.engine import Session, Store
from db.records import StoredPrediction, StoredTask
from domain import policies
from domain.errors import InvalidInput, NotFound, Problem
from domain.reading.answers import AnswerKind, ReadOutcome
from domain.records import AnswerReading, Person, Submission
from domain.states import ItemState, Stage
from workflow.access.event_log import log
from workflow.access.projects import Access, access_to, require_lead
from workflow.annotate import answer_readings
from workflow.annotate.authoring import edit_problems, revise
from workflow.annotate.refinement_intake import open_answers, without_slot

FIELDS = "fields"
"""Besides the criteria: the item's fields that were changed."""


@dataclass(frozen=True)
class RefinementIntake:
    """How many answers are sent to refinement, of one model or of all."""

    opened: int
    answers: int
    """How many answers there are to items that were not rejected."""


def open_refinement(
    store: Store, *, by: Person | None, project: str, model: str | None, only_differing: bool = True
) -> RefinementIntake:
    """Send the answers of one model, or (None) of all models, to refinement, each to one person; for leads.

    Answers of people (``answering``) are sent only by their name. Answers to rejected items are left out. With
    ``only_differing`` so are those that were read as the annotated answer (the key), or, where the key is free text,
    whose text contains it, whatever their case. An answer that was sent before is not sent again.
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
    """What ``open_refinement`` would send now; nothing is changed."""
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
    """The answers that would get slots (prediction id, item id, revision, dimension), and how many there are to live
    items."""
    if access.schema.stages.refinement is None:
        raise InvalidInput([Problem("stage", "This project's schema has no refinement.")])
    there = items.models(session, project_id=access.project_id)
    people = respondents.names(session, project_id=access.project_id)
    asked = [each for each in there if each not in people] if model is None else [model]
    found = [each for name in asked for each in items.answers_of(session, project_id=access.project_id, model=name)]
    if not found:
        known = ", ".join(there) or "none; import them first"
        of = "any model" if model is None else f"a model {model!r}"
        raise NotFound(f"{access.name!r} has no answers of {of}; there are: {known}.")
    contents = items.current_content(session, project_id=access.project_id)
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
    """When an item is refined, in words; for schemas with a refinement."""
    stage = schema.stages.refinement
    until = (stage.until if stage else None) or policies.ONE_RIGHT
    return policies.REFINEMENT_ENDS.get(until, policies.REFINEMENT_ENDS[policies.ONE_RIGHT])


def models(store: Store, *, by: Person | None, project: str) -> list[str]:
    """The models whose answers a project has; for leads."""
    with store.read() as session:
        access = require_lead(session, by=by, project=project)
        return items.models(session, project_id=access.project_id)


def _differs(access: Access, answer: StoredPrediction, fields: Mapping[str, Any], read: AnswerReading | None) -> bool:
    """Whether an answer is not surely the annotated one: by what was read of it where the key is a closed one, else by
    the text."""
    asked = asked_of(access.schema, fields)
    key = fields.get(key_field(access.schema) or "")
    if asked.kind is AnswerKind.TEXT:
        return not isinstance(key, str) or policies.differs_from_key(answer.text, key)
    if read is None or read.outcome is not ReadOutcome.READ:
        return True
    return held_against(read.value, asked, key)[0] != 1


def counts(session: Session, *, access: Access) -> dict[str, int]:
    """How far refinement is, worked out anew from what was submitted; empty if the schema has none.

    ``fed``: answers shown next to items as they stand; ``decided``: those with a decision; ``edited``: items that were
    changed next to an answer; ``refined``: items of which the refinement has ended (``domain.policies.refined``).
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
    """As ``counts``, for anyone who takes part in a project."""
    with store.read() as session:
        return counts(session, access=access_to(session, person=by, project=project))


# ---- the step of submit ----------------------------------------------------------------------------------------------


def check(session: Session, access: Access, row: StoredTask, given: Submission) -> Sequence[Problem]:
    """What is wrong with a decision about a model's answer, and with the edit that comes with it."""
    stage = access.schema.stages.refinement
    if stage is None or row.item_id is None or row.revision is None or row.prediction_id is None:
        return [Problem("stage", "This project has no refinement.")]
    before = items.content(session, item_id=row.item_id, revision=row.revision)
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
    """The revision that the decision is about; the item is held from here on."""
    item = items.lock(session, id=row.item_id or 0)
    return item.id, row.revision or item.current_revision


def after(
    session: Session, access: Access, row: StoredTask, given: Submission, person: Person, now: datetime
) -> ItemState | None:
    """The item's state after the decision; an edit sends it back to verification, and its answers are shown again."""
    item = items.lock(session, id=row.item_id or 0)
    if FIELDS in given.values:
        before = items.content(session, item_id=item.id, revision=item.current_revision)
        content = {**before, **given.values[FIELDS]}
        revise(session, access=access, item=item, fields=content, editor_id=person.id, now=now)
    return items.by_id(session, id=item.id).state


def why_fixed(session: Session, access: Access, row: StoredTask, now: datetime) -> str | None:
    """Why a decision can no longer be corrected: the item has been edited since."""
    item = items.lock(session, id=row.item_id or 0)
    if item.current_revision != row.revision:
        return "The item has been edited since, so this decision stays; decide about it as it is now."
    return None
