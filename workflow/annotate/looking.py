"""Show the work that waits for a person in a stage, without claiming any of it."""

from __future__ import annotations

from dataclasses import dataclass

from db.engine import Session, Store
from domain.records import NoTask, Person
from domain.states import VERIFICATIONS, WITHOUT_TASKS, Stage
from workflow.access.projects import Access, access_to
from workflow.annotate import gates, no_work
from workflow.annotate.stage_kinds import STAGE_KINDS

REAL = frozenset({*VERIFICATIONS, Stage.AUTHORING, Stage.ANSWERING, Stage.GRADING})
"""Stages that are previewed with a real item. The others show votes, several models' answers, or errors in answers. A
preview of those would change what the viewer may still be asked.
"""


@dataclass(frozen=True)
class StageLook:
    """The item that a person would get."""

    in_hand: bool
    """Whether they have begun an item whose lease still lasts."""
    nothing: NoTask | None
    """Reason why they would get no item; None if they would get an item."""


def has_in_hand(store: Store, *, person: Person, project: str, stage: Stage) -> bool:
    """Tell whether someone has begun an item in a stage whose lease still lasts."""
    with store.read() as session:
        return _in_hand(session, access_to(session, person=person, project=project), person, stage, store)


def look(store: Store, *, person: Person, project: str, stage: Stage) -> StageLook:
    """Return the item that someone would get in a stage. Nothing is taken or written."""
    with store.read() as session:
        access = access_to(session, person=person, project=project)
        held = _in_hand(session, access, person, stage, store)
        if stage in WITHOUT_TASKS:
            return StageLook(held, gates.why_closed(gates.Visit(session, access, person, stage, store.now())))
        visit = gates.Visit(session, access, person, stage, store.now())
        item_ids, nothing = gates.coming_items(visit, limit=1)
        if held or item_ids:
            return StageLook(held, None)
        return StageLook(
            held,
            nothing
            or no_work.why_no_task(session, access=access, person=person, stage=stage, dimension=None, now=store.now()),
        )


def _in_hand(session: Session, access: Access, person: Person, stage: Stage, store: Store) -> bool:
    if stage in WITHOUT_TASKS:
        kind = STAGE_KINDS.get(stage)
        return kind is not None and kind.has_in_hand(session, access=access, person=person, now=store.now())
    row = gates.before_them(gates.Visit(session, access, person, stage, store.now()))
    return row is not None and row.lease_until is not None and row.lease_until > store.now()
