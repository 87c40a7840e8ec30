"""The form of an author whose image has a proposal: its first texts, and what the log keeps of the author's work.

Core calls these functions (``workflow.annotate.author_forms``) for every item that a person starts or submits.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from annotation_schemas.shown import shown_fields
from db import assets
from db.engine import Session
from db.records import StoredAsset, StoredTask
from domain.records import Person
from domain.states import Stage
from extensions.drafting.arms import Arm, Proposal
from workflow.access.event_log import log
from workflow.access.projects import Access

BEGUN, TIMED = "drafting.begun", "drafting.time_by_field"
"""Event kinds: an item of an arm started; time spent on its fields."""


def first_fields(session: Session, *, access: Access, row: StoredTask) -> dict[str, Any]:
    """Return the proposed fields that the author of an item starts with; empty if the proposal is hidden or missing."""
    draft = _of_task(session, row)
    if draft is None or draft[1].arm is not Arm.WITH:
        return {}
    known = {field.name for field in shown_fields(access.schema, Stage.AUTHORING)}
    return {name: value for name, value in draft[1].fields.items() if name in known}


def log_start(session: Session, *, row: StoredTask, person: Person, now: datetime) -> None:
    """Log that a person starts an item with a proposal, and its arm."""
    draft = _of_task(session, row)
    if draft is not None:
        data = {"arm": draft[1].arm.value, "asset": draft[0].public_id}
        log(session, BEGUN, by=person, task=row, now=now, data=data)


def log_field_times(
    session: Session,
    *,
    access: Access,
    row: StoredTask,
    person: Person,
    at: Mapping[str, float],
    whole: float,
    now: datetime,
) -> None:
    """Log the time that an author spent ``at`` each field of an item with a proposal, as measured by the page.

    The sum is scaled down to at most ``whole``. Fields of earlier forms are left out.
    """
    if _of_task(session, row) is None:
        return
    known = {field.name for field in shown_fields(access.schema, Stage.AUTHORING)}
    seconds_at = {name: float(seconds) for name, seconds in at.items() if name in known and seconds > 0}
    in_all = sum(seconds_at.values())
    share = whole / in_all if in_all > whole else 1.0
    data = {"seconds": {name: share * seconds for name, seconds in seconds_at.items()}}
    log(session, TIMED, by=person, task=row, now=now, data=data)


def _of_task(session: Session, row: StoredTask) -> tuple[StoredAsset, Proposal] | None:
    """Return the proposal for the item being written, and the asset that holds it."""
    if row.stage is not Stage.AUTHORING:
        return None
    for _, asset, _ in assets.picks(session, task_id=row.id):
        proposal = Proposal.of(asset.proposal)
        if proposal is not None and proposal.dimension == row.dimension:
            return asset, proposal
    return None
