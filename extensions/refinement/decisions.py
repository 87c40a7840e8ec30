"""Refinement: people find second right answers with the help of a model's answer, and edit the item."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from annotation_schemas import kinds, registry
from annotation_schemas.model import PREDICTION, Schema
from db import checks, item_revisions, items
from db.engine import Session, Store
from db.records import StoredTask
from domain import policies
from domain.english import with_noun
from domain.errors import Problem
from domain.language import _
from domain.records import Person, Submission
from domain.states import ItemState, Stage
from extensions.refinement import queries
from extensions.refinement.rules import refined
from workflow.access.projects import Access, access_to
from workflow.annotate.authoring import edit_problems, revise

FIELDS = "fields"
"""Name of the changed item fields in a submission, next to the criteria."""


def end_of(schema: Schema) -> str:
    """Return, in words, when an item counts as refined; for schemas with a refinement."""
    stage = schema.stages.refinement
    until = (stage.until if stage else None) or policies.ONE_RIGHT
    return policies.REFINEMENT_ENDS.get(until, policies.REFINEMENT_ENDS[policies.ONE_RIGHT])


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
        sent = queries.answers_in_refinement(session, project_id=access.project_id, ever=True)
        ever = queries.decided_in_refinement(session, project_id=access.project_id)
        decisions = {
            id: [given for answer, given in ever.get(id, {}).items() if answer in ids] for id, ids in sent.items()
        }
    else:
        sent = queries.answers_in_refinement(session, project_id=access.project_id)
        rows = checks.current_annotations(session, project_id=access.project_id, stages=(Stage.REFINEMENT,))
        decisions = {id: [row.answers for row in given] for id, given in rows.items()}
    return {
        "fed": sum(map(len, sent.values())),
        "decided": sum(map(len, decisions.values())),
        "edited": len(queries.edited_in_refinement(session, project_id=access.project_id)),
        "refined": sum(
            refined(stage.done, n_answers=len(ids), decisions=decisions.get(item_id, []), until=stage.until)
            for item_id, ids in sent.items()
        ),
    }


def progress(session: Session, *, access: Access) -> str:
    """Return the progress of refinement in words; empty if the schema has no refinement."""
    n = counts(session, access=access)
    if not n:
        return ""
    fed, items_ = with_noun(n["fed"], "answer"), with_noun(n["refined"], "item")
    return f"{n['decided']:,} of {fed} decided in refinement ({n['edited']:,} edited, {items_} refined)"


def refinement(store: Store, *, by: Person | None, project: str) -> dict[str, int]:
    """Return ``counts`` for a member of the project."""
    with store.read() as session:
        return counts(session, access=access_to(session, person=by, project=project))


# ---- the step of submit ----------------------------------------------------------------------------------------------


def check(session: Session, access: Access, row: StoredTask, given: Submission) -> Sequence[Problem]:
    """Return the problems with a decision about a model's answer and with its edit."""
    stage = access.schema.stages.refinement
    if stage is None or row.item_id is None or row.revision is None or row.prediction_id is None:
        return [Problem("stage", _("This project has no refinement stage. Reload the page."))]
    before = item_revisions.content(session, item_id=row.item_id, revision=row.revision)
    answers = {name: value for name, value in given.values.items() if name != FIELDS}
    shown = {**before, PREDICTION: items.prediction(session, id=row.prediction_id).text}
    criteria = registry.criteria_of(access.schema, "refinement", row.dimension)
    problems = list(kinds.check_answers(criteria, answers, given.reasons, shown, rules=stage.rules))
    if FIELDS in given.values:
        edit = given.values[FIELDS]
        if not isinstance(edit, Mapping):
            return [*problems, Problem(FIELDS, _("An edit must include the changed fields."))]
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
        return _(
            "The item has been edited, so you cannot change this decision. Make a decision about the new revision "
            "instead."
        )
    return None
