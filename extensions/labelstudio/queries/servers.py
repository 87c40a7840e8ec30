"""Queries on the servers that show work in another tool: whose work, and in which projects there.

Sent tasks are in ``sent_tasks``, received answers in ``received_answers``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import exists, update
from sqlmodel import Session, col, select

from db.project_facts import Viewer
from db.records import StoredBridge, StoredBridgePerson, StoredBridgeProject, StoredPerson
from db.tables import BridgePersonRow, BridgeProjectRow, BridgeRow, PersonRow
from domain.states import Stage

# ---- servers --------------------------------------------------------------------------------------------------------


def find(session: Session, *, project_id: int, address: str, lock: bool = False) -> StoredBridge | None:
    """Return the server with this address to which a project sends work."""
    wanted = select(BridgeRow).where(BridgeRow.project_id == project_id, BridgeRow.address == address)
    if lock:
        wanted = wanted.with_for_update(key_share=True).execution_options(populate_existing=True)
    return session.exec(wanted).first()


def by_id(session: Session, *, id: int, lock: bool = False) -> StoredBridge:
    """Return a server to which a project sends work. The server must exist."""
    wanted = select(BridgeRow).where(BridgeRow.id == id)
    if lock:
        wanted = wanted.with_for_update(key_share=True).execution_options(populate_existing=True)
    return session.exec(wanted).one()


def set_bridge(
    session: Session,
    *,
    project_id: int,
    address: str,
    stages: Sequence[Stage],
    ahead: int,
    hold_hours: float,
    stay: bool,
    now: datetime,
) -> None:
    """Send the work of stages to a server, or change the settings for sending."""
    row = find(session, project_id=project_id, address=address, lock=True)
    if row is None:
        row = BridgeRow(project_id=project_id, address=address, created_at=now)
    row.stages = [stage.value for stage in dict.fromkeys(stages)]
    row.ahead, row.hold_hours, row.stay = ahead, hold_hours, stay
    _store(session, row)


def occupy(session: Session, *, row: StoredBridge, by: str, until: datetime) -> None:
    """Mark a locked server as being synchronized by a process until a moment, unless the process renews it."""
    row.busy_by, row.busy_until = by, until
    _store(session, row)


def leave(session: Session, *, row: StoredBridge, said: str) -> None:
    """Mark a locked server as free again. ``said`` is the reason why synchronizing stopped early, if it did."""
    row.busy_by, row.busy_until, row.said = None, None, said
    _store(session, row)


def note_pulled(session: Session, *, id: int, now: datetime) -> None:
    """Record that everything on a server was read."""
    session.exec(update(BridgeRow).where(col(BridgeRow.id) == id).values(pulled_at=now))


def note_pushed(session: Session, *, id: int, now: datetime) -> None:
    """Record that all waiting work was sent to a server."""
    session.exec(update(BridgeRow).where(col(BridgeRow.id) == id).values(pushed_at=now))


def wake(session: Session, *, now: datetime) -> None:
    """Record for all servers that there may be something to fetch."""
    session.exec(update(BridgeRow).values(woken_at=now))


def woken_at(session: Session, *, project_id: int, address: str) -> datetime | None:
    """Return when a server last announced that there is something to fetch."""
    wanted = select(BridgeRow.woken_at).where(BridgeRow.project_id == project_id, BridgeRow.address == address)
    return session.exec(wanted).first()


# ---- people on the server -------------------------------------------------------------------------------------------


def people(session: Session, *, bridge_id: int) -> list[tuple[StoredBridgePerson, StoredPerson]]:
    """Return the people whose work goes to a server, by login."""
    wanted = (
        select(BridgePersonRow, PersonRow)
        .join(PersonRow, col(PersonRow.id) == BridgePersonRow.person_id)
        .where(BridgePersonRow.bridge_id == bridge_id)
        .order_by(col(PersonRow.login))
    )
    return [(row, person) for row, person in session.exec(wanted)]


def person(session: Session, *, bridge_id: int, person_id: int) -> StoredBridgePerson | None:
    """Return a person's account on a server."""
    wanted = select(BridgePersonRow).where(
        BridgePersonRow.bridge_id == bridge_id, BridgePersonRow.person_id == person_id
    )
    return session.exec(wanted).first()


def put_person(session: Session, *, bridge_id: int, person_id: int, email: str, now: datetime) -> None:
    """Send a person's work to a server, where they have this email address. Their user id there is not known yet."""
    row = person(session, bridge_id=bridge_id, person_id=person_id)
    if row is None:
        row = BridgePersonRow(bridge_id=bridge_id, person_id=person_id, email=email, created_at=now)
    row.email, row.outside_user, row.why = email, None, ""
    _store(session, row)


def recognise(session: Session, *, row: StoredBridgePerson, outside_user: int) -> None:
    """Record a person's user id on a server."""
    row.outside_user = outside_user
    _store(session, row)


def remove_person(session: Session, *, row: StoredBridgePerson) -> None:
    """Stop sending a person's work to a server."""
    session.delete(row)
    session.flush()


def note_reason(session: Session, *, bridge_id: int, why: Mapping[int, str]) -> None:
    """Record for people (by id) why nothing more was sent to them."""
    for person_id, sentence in sorted(why.items()):
        session.exec(
            update(BridgePersonRow)
            .where(
                col(BridgePersonRow.bridge_id) == bridge_id,
                col(BridgePersonRow.person_id) == person_id,
                col(BridgePersonRow.why) != sentence,
            )
            .values(why=sentence)
        )


def names(session: Session, *, bridge_id: int) -> dict[int, tuple[str, str]]:
    """Return the login and name of everyone who has or had a project on the server, by id."""
    wanted = (
        select(PersonRow.id, PersonRow.login, PersonRow.name)
        .join(BridgeProjectRow, col(BridgeProjectRow.person_id) == PersonRow.id)
        .where(BridgeProjectRow.bridge_id == bridge_id)
        .distinct()
    )
    return {id: (login, name) for id, login, name in session.exec(wanted)}


# ---- projects on the server -----------------------------------------------------------------------------------------


def places(session: Session, *, bridge_id: int) -> Sequence[StoredBridgeProject]:
    """Return the projects on a server that were not removed."""
    wanted = select(BridgeProjectRow).where(
        BridgeProjectRow.bridge_id == bridge_id, col(BridgeProjectRow.removed_at).is_(None)
    )
    return session.exec(wanted.order_by(col(BridgeProjectRow.id)).execution_options(populate_existing=True)).all()


def add_place(
    session: Session,
    *,
    bridge_id: int,
    person_id: int,
    stage: Stage,
    labeling_hash: str,
    outside_user: int,
    now: datetime,
) -> StoredBridgeProject:
    """Record that a project for a person's work in a stage is about to be created on the server."""
    row = BridgeProjectRow(
        bridge_id=bridge_id,
        person_id=person_id,
        stage=stage,
        labeling_hash=labeling_hash,
        outside_user=outside_user,
        created_at=now,
    )
    _store(session, row)
    return row


def locate(session: Session, *, id: int, outside_id: int) -> StoredBridgeProject:
    """Record a project's id on the server. Return the project as it is now."""
    session.exec(update(BridgeProjectRow).where(col(BridgeProjectRow.id) == id).values(outside_id=outside_id))
    wanted = select(BridgeProjectRow).where(BridgeProjectRow.id == id).execution_options(populate_existing=True)
    return session.exec(wanted).one()


def note_strangers(session: Session, *, id: int, strangers: int) -> None:
    """Record how many tasks in a project on the server were not sent by Touchstone."""
    session.exec(update(BridgeProjectRow).where(col(BridgeProjectRow.id) == id).values(strangers=strangers))


def remove_place(session: Session, *, id: int, now: datetime) -> None:
    """Record that a project was removed from the server."""
    session.exec(update(BridgeProjectRow).where(col(BridgeProjectRow.id) == id).values(removed_at=now))


def _store(session: Session, row: StoredBridge | StoredBridgePerson | StoredBridgeProject) -> None:
    session.add(row)
    session.flush()


def has_server(viewer: Viewer) -> Any:
    """Tell whether the project sends work to a server."""
    return exists().where(col(BridgeRow.project_id) == viewer.project_id)
