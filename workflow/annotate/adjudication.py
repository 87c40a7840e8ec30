"""Adjudication: a senior settles what the votes left open by accepting, rejecting or editing the item.

An edit makes a new revision.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from db import item_revisions, items, task_slots
from db.engine import Session
from db.records import StoredAnnotation, StoredTask
from domain.errors import Problem
from domain.language import _, marked
from domain.records import Person, Submission
from domain.states import ItemState, Stage
from workflow.access.projects import Access
from workflow.annotate.authoring import edit_problems, revise
from workflow.annotate.verdicts import DECIDED_IN
from workflow.annotate.verification import settle

DECISION_TITLES = {"accept": marked("Accept"), "reject": marked("Reject"), "edit": marked("Edit")}
DECISIONS = tuple(DECISION_TITLES)


def with_stage(row: StoredTask, values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the decision's values, plus the stage whose votes the decision is about if that is not the first stage.

    The stage never comes from the page.
    """
    answers = {name: value for name, value in values.items() if name != DECIDED_IN}
    stage = task_slots.settled_in(row.unit)
    return answers if stage is Stage.VERIFICATION else {**answers, DECIDED_IN: stage.value}


def votes(session: Session, row: StoredTask) -> Sequence[StoredAnnotation]:
    """Return the votes that the decision is about."""
    if row.item_id is None or row.revision is None:
        return ()
    stage = task_slots.settled_in(row.unit)
    return items.latest_by_stage(session, item_id=row.item_id, revision=row.revision, stages=(stage,))[stage]


def check(session: Session, access: Access, row: StoredTask, given: Submission) -> Sequence[Problem]:
    """Return the problems with a decision.

    Where the schema lists reasons, every decision names a reason, even an acceptance and even after skips. The
    voters' reasons stay with the voters; the lead works with the senior's reason.
    """
    stage = access.schema.stages.adjudication
    if stage is None or row.item_id is None or row.revision is None:
        return [
            Problem("stage", _("This project has no adjudication stage. Open My work to see the project's stages."))
        ]
    decision, reason = given.values.get("decision"), given.values.get("cause")
    allowed = DECISIONS if stage.edit else DECISIONS[:2]
    if decision not in allowed:
        return [Problem("decision", _("Decide: {choices}.").format(choices=", ".join(allowed)))]
    known = [choice.value for choice in stage.reasons]
    if reason is not None and reason not in known:
        return [
            Problem("cause", _("Choose one of these reasons: {reasons}.").format(reasons=", ".join(map(str, known))))
        ]
    if known and reason is None:
        labels = ", ".join(choice.label for choice in stage.reasons)
        return [Problem("cause", _("Choose a reason why people disagreed: {reasons}.").format(reasons=labels))]
    if decision != "edit":
        return []
    fields = given.values.get("fields")
    if not isinstance(fields, Mapping):
        return [
            Problem(
                "fields", _("The edit does not contain the changed fields. Reload the page, and edit the item again.")
            )
        ]
    before = item_revisions.content(session, item_id=row.item_id, revision=row.revision)
    return edit_problems(access.schema, before, {**before, **fields}, row.dimension)


def place(
    session: Session, access: Access, row: StoredTask, given: Submission, person: Person, now: datetime
) -> tuple[int, int]:
    """Return the item and the revision that the decision is about."""
    item = items.lock(session, id=row.item_id or 0)
    return item.id, row.revision or item.current_revision


def after(
    session: Session, access: Access, row: StoredTask, given: Submission, person: Person, now: datetime
) -> ItemState | None:
    """Return the item's state after the decision; an edit sends the item back to verification."""
    item = items.lock(session, id=row.item_id or 0)
    if given.values["decision"] != "edit":
        return settle(session, access=access, item=item, now=now).state
    before = item_revisions.content(session, item_id=item.id, revision=item.current_revision)
    content = {**before, **given.values["fields"]}
    revise(session, access=access, item=item, fields=content, editor_id=person.id, now=now)
    return items.by_id(session, id=item.id).state


def why_fixed(session: Session, access: Access, row: StoredTask, now: datetime) -> str | None:
    """Return why a decision cannot be taken back: it settles the verdict."""
    return _(
        "A decision settles the item, so you cannot undo the decision. If the decision was wrong, ask a lead to "
        "send the item to verification again."
    )
