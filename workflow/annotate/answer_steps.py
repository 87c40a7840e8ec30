"""Steps shared by all stages in which people rate models' answers rather than items."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from annotation_schemas import kinds, registry
from annotation_schemas.model import PREDICTION
from annotation_schemas.stage_titles import stage_in_sentence
from db import item_revisions, items, submissions
from db.engine import Session
from db.records import StoredTask
from domain.errors import Problem
from domain.language import _
from domain.records import Person, Submission
from domain.states import ItemState, Stage
from workflow.access.projects import Access
from workflow.access.visibility import LOOKED, has_looked


def check(session: Session, access: Access, row: StoredTask, given: Submission) -> Sequence[Problem]:
    """Return the problems with a rating of an answer or of a pair of answers."""
    stage = row.stage.value
    if getattr(access.schema.stages, stage) is None or row.item_id is None or row.prediction_id is None:
        return [
            Problem(
                "stage",
                _("This project has no {stage}. Open My work to see the project's stages.").format(
                    stage=stage_in_sentence(access.schema, row.stage)
                ),
            )
        ]
    item = items.by_id(session, id=row.item_id)
    fields = item_revisions.content(session, item_id=row.item_id, revision=item.current_revision)
    if row.stage is not Stage.COMPARISON:
        fields[PREDICTION] = items.prediction(session, id=row.prediction_id).text
    criteria = registry.criteria_of(access.schema, stage, row.dimension)
    rules = registry.rules_of(access.schema, stage)
    return kinds.check_answers(criteria, given.values, given.reasons, fields, rules=rules)


def place(
    session: Session, access: Access, row: StoredTask, given: Submission, person: Person, now: datetime
) -> tuple[int, int]:
    """Return the item that the answer belongs to, with its current revision."""
    item = items.by_id(session, id=row.item_id or 0)
    return item.id, item.current_revision


def after(
    session: Session, access: Access, row: StoredTask, given: Submission, person: Person, now: datetime
) -> ItemState | None:
    """Return the item's state, which a rating of an answer does not change."""
    return items.by_id(session, id=row.item_id or 0).state


def why_fixed(session: Session, access: Access, row: StoredTask, now: datetime) -> str | None:
    """Return why a rating can no longer be corrected, or None.

    No verdict depends on the rating, so the only reason is that the correction would not be blind.
    """
    last = submissions.latest_of_task(session, task_id=row.id)
    return _(LOOKED) if last is not None and has_looked(session, said=last) else None
