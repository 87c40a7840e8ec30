"""The assignments of a person: give them back to everyone, or reassign them to someone who may have them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from db import items, projects, tasks
from db.engine import Session, Store
from db.records import StoredMember, StoredTask
from domain.errors import ConflictError, InvalidInputError, Problem
from domain.records import Person
from domain.states import ItemState, Stage
from workflow.access.event_log import log
from workflow.access.held_tasks import give_back
from workflow.access.projects import Access, require_lead
from workflow.lead.bulk_plans import BulkPreview, person_id_of, preview_token, require_few
from workflow.lead.hand_over import Taker, hand_over


class Move(StrEnum):
    """What happens to assignments. The log of events stores these words."""

    GIVE_BACK = "give_back"
    REASSIGN = "reassign"


@dataclass(frozen=True)
class AssignmentSelection:
    """A selection of the tasks that a person holds. All given conditions must hold; ``items`` are ids in files."""

    person: str | None = None
    """The person's login."""
    stage: Stage | None = None
    dimension: str | None = None
    state: ItemState | None = None
    items: tuple[str, ...] = ()


@dataclass(frozen=True)
class _Plan:
    preview: BulkPreview
    slots: Sequence[StoredTask]
    to: int | None
    """The person who gets the slots; None: everyone may take them."""


def preview(
    store: Store, *, by: Person | None, project: str, chosen: AssignmentSelection, move: Move, to: str | None
) -> BulkPreview:
    """Return which assignments would move, and why the others would not, for leads. Nothing is changed.

    ``to`` is the login of the person who gets them (``REASSIGN``).
    """
    with store.read() as session:
        return _plan(session, require_lead(session, by=by, project=project), chosen, move, to, lock=False).preview


def do(
    store: Store,
    *,
    by: Person | None,
    project: str,
    chosen: AssignmentSelection,
    move: Move,
    to: str | None,
    token: str,
) -> int:
    """Move previewed assignments. Return how many.

    Raises
    ------
    ConflictError
        The data has changed since the preview, and nothing was done.
    """
    with store.write() as session:
        access = require_lead(session, by=by, project=project)
        plan = _plan(session, access, chosen, move, to, lock=True)
        if plan.preview.token != token:
            raise ConflictError(
                "The items have changed since you opened the preview, so Touchstone changed nothing. Check the "
                "preview again."
            )
        now = store.now()
        for slot in plan.slots:
            if plan.to is None:
                give_back(session, row=slot, by=by, now=now)
            else:
                hand_over(session, slot, to=plan.to, by=by, now=now)
        n = len(plan.slots)
        data = {"action": move.value, "n": n, "left_out": len(plan.preview.cannot)}
        log(session, "bulk.done", by=by, project=access, now=now, data=data)
        return n


def _plan(
    session: Session, access: Access, chosen: AssignmentSelection, move: Move, to: str | None, *, lock: bool
) -> _Plan:
    if not chosen.person:
        raise InvalidInputError([Problem("person", "Say whose assignments.")])
    who = person_id_of(session, chosen.person)
    member = _receiver(session, access, who, to) if move is Move.REASSIGN else None
    held = [
        row
        for row in tasks.held_by(session, person_id=who, project_id=access.project_id, lock=lock)
        if chosen.stage in (None, row.stage) and chosen.dimension in (None, row.dimension)
    ]
    known = items.by_ids(session, ids=[row.item_id for row in held if row.item_id])
    taker = Taker(session, access, member, held) if member is not None else None
    rows, cannot, can = [], [], []
    for row in held:
        item = known.get(row.item_id or 0)
        name = item.external_id if item else "an item that is being written"
        if chosen.items and name not in chosen.items:
            continue
        if chosen.state is not None and (item is None or item.state is not chosen.state):
            continue
        why = taker.why_not(row) if taker is not None else ""
        if why:
            cannot.append((name, why))
        else:
            rows.append(row)
            can.append(name)
    cannot += [
        (name, "This item is not assigned to this person.")
        for name in chosen.items
        if name not in {*can, *dict(cannot)}
    ]
    require_few(len(rows))
    state = [(row.id, row.state, row.person_id, row.correcting) for row in held]
    token = preview_token(move, chosen, {"to": to, "state": state, "can": can, "cannot": cannot})
    return _Plan(BulkPreview(tuple(can), tuple(cannot), token), rows, taker.id if taker is not None else None)


def _receiver(session: Session, access: Access, who: int, to: str | None) -> StoredMember:
    if to is None:
        raise InvalidInputError([Problem("to", "Choose the person who gets these items.")])
    id = person_id_of(session, to)
    member = projects.member(session, project_id=access.project_id, person_id=id)
    if member is None or id == who:
        raise InvalidInputError([Problem("to", "Choose a different member of this project.")])
    return member
