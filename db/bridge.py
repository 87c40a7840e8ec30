"""Queries on work that goes out to another tool's screens. None of them asks once for each task."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, and_, case, exists, func, literal, not_, or_, update
from sqlalchemy import select as sa_select
from sqlmodel import Session, col, select

from db.engine import insert_or_ignore
from db.records import (
    StoredBridge,
    StoredBridgePerson,
    StoredBridgeProject,
    StoredBridgeTask,
    StoredItem,
    StoredPerson,
    StoredTask,
)
from db.tables import (
    BridgeAnswerRow,
    BridgePersonRow,
    BridgeProjectRow,
    BridgeRow,
    BridgeTaskRow,
    ItemRow,
    PersonRow,
    TaskRow,
)
from db.task_rules import not_put_off
from db.types import UTCDateTime
from domain.bridge import BridgeOutcome, BridgeState
from domain.states import Purpose, Stage, TaskState

THERE = (BridgeState.SENDING, BridgeState.OUT)
"""What waits there for its rater, or is about to."""

AT_ONCE = 500
"""As many ids as go into one query."""


# ---- the server and its people --------------------------------------------------------------------------------------


def of_project(session: Session, *, project_id: int) -> Sequence[StoredBridge]:
    """The servers to which a project sends work, by address."""
    wanted = select(BridgeRow).where(BridgeRow.project_id == project_id).order_by(col(BridgeRow.address))
    return session.exec(wanted).all()


def find(session: Session, *, project_id: int, address: str, lock: bool = False) -> StoredBridge | None:
    """A server to which a project sends work."""
    wanted = select(BridgeRow).where(BridgeRow.project_id == project_id, BridgeRow.address == address)
    if lock:
        wanted = wanted.with_for_update(key_share=True).execution_options(populate_existing=True)
    return session.exec(wanted).first()


def by_id(session: Session, *, id: int, lock: bool = False) -> StoredBridge:
    """A server to which a project sends work, which must exist."""
    wanted = select(BridgeRow).where(BridgeRow.id == id)
    if lock:
        wanted = wanted.with_for_update(key_share=True).execution_options(populate_existing=True)
    return session.exec(wanted).one()


def wake(session: Session, *, now: datetime) -> None:
    """Note for all servers that there may be something to fetch."""
    session.exec(update(BridgeRow).values(woken_at=now))


def woken_at(session: Session, *, project_id: int, address: str) -> datetime | None:
    """When it was said last that there is something to fetch from a server."""
    wanted = select(BridgeRow.woken_at).where(BridgeRow.project_id == project_id, BridgeRow.address == address)
    return session.exec(wanted).first()


def add(session: Session, *, row: Any) -> Any:
    """Add a row and give it its id."""
    session.add(row)
    session.flush()
    return row


def people(session: Session, *, bridge_id: int) -> list[tuple[StoredBridgePerson, StoredPerson]]:
    """Whose work goes to a server, by login."""
    wanted = (
        select(BridgePersonRow, PersonRow)
        .join(PersonRow, col(PersonRow.id) == BridgePersonRow.person_id)
        .where(BridgePersonRow.bridge_id == bridge_id)
        .order_by(col(PersonRow.login))
    )
    return [(row, person) for row, person in session.exec(wanted)]


def person(session: Session, *, bridge_id: int, person_id: int) -> StoredBridgePerson | None:
    """Who somebody is on a server."""
    wanted = select(BridgePersonRow).where(
        BridgePersonRow.bridge_id == bridge_id, BridgePersonRow.person_id == person_id
    )
    return session.exec(wanted).first()


def say_why(session: Session, *, bridge_id: int, why: Mapping[int, str]) -> None:
    """Note for people (by id) why nothing more was sent to them."""
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


# ---- projects there -------------------------------------------------------------------------------------------------


def places(session: Session, *, bridge_id: int) -> Sequence[StoredBridgeProject]:
    """The projects on a server that were not removed."""
    wanted = select(BridgeProjectRow).where(
        BridgeProjectRow.bridge_id == bridge_id, col(BridgeProjectRow.removed_at).is_(None)
    )
    return session.exec(wanted.order_by(col(BridgeProjectRow.id)).execution_options(populate_existing=True)).all()


def change_place(session: Session, *, id: int, **values: Any) -> None:
    """Change what is known of a project there."""
    session.exec(update(BridgeProjectRow).where(col(BridgeProjectRow.id) == id).values(**values))


def unfinished(session: Session, *, bridge_id: int) -> dict[int, dict[BridgeState, int]]:
    """How many tasks each project there may still have, by state."""
    wanted = (
        select(BridgeTaskRow.bridge_project_id, BridgeTaskRow.state, func.count())
        .join(BridgeProjectRow, col(BridgeProjectRow.id) == BridgeTaskRow.bridge_project_id)
        .where(
            BridgeProjectRow.bridge_id == bridge_id,
            col(BridgeProjectRow.removed_at).is_(None),
            col(BridgeTaskRow.gone_at).is_(None),
        )
        .group_by(col(BridgeTaskRow.bridge_project_id), col(BridgeTaskRow.state))
    )
    found: dict[int, dict[BridgeState, int]] = {}
    for id, state, n in session.exec(wanted):
        found.setdefault(id, {})[BridgeState(state)] = n
    return found


# ---- tasks there ----------------------------------------------------------------------------------------------------


def lock(session: Session, *, id: int) -> tuple[StoredBridgeTask, StoredTask]:
    """Something that was sent, with its slot; the row is held until the transaction ends."""
    wanted = (
        select(BridgeTaskRow, TaskRow)
        .join(TaskRow, col(TaskRow.id) == BridgeTaskRow.task_id)
        .where(BridgeTaskRow.id == id)
        .with_for_update(of=BridgeTaskRow, key_share=True)
        .execution_options(populate_existing=True)
    )
    row, slot = session.exec(wanted).one()
    return row, slot


def by_keys(session: Session, *, keys: Sequence[str]) -> dict[str, StoredBridgeTask]:
    """What was sent, by key."""
    found: dict[str, StoredBridgeTask] = {}
    for start in range(0, len(keys), AT_ONCE):
        wanted = select(BridgeTaskRow).where(col(BridgeTaskRow.key).in_(keys[start : start + AT_ONCE]))
        found |= {row.key: row for row in session.exec(wanted.execution_options(populate_existing=True))}
    return found


def task_out(session: Session, *, key: str) -> StoredTask | None:
    """The slot that was sent out under a key, as long as it waits there."""
    wanted = (
        select(TaskRow)
        .join(BridgeTaskRow, col(BridgeTaskRow.task_id) == TaskRow.id)
        .where(BridgeTaskRow.key == key, col(BridgeTaskRow.state).in_(THERE))
    )
    return session.exec(wanted).first()


def slot_shown(session: Session, *, key: str) -> StoredTask | None:
    """The slot that was sent out under a key, as long as its person has it in hand and it stands there, or stays there
    after it was answered."""
    joined = select(TaskRow).join(BridgeTaskRow, col(BridgeTaskRow.task_id) == TaskRow.id)
    return session.exec(joined.where(BridgeTaskRow.key == key, _shown())).first()


def keys_over(session: Session, *, keys: Sequence[str]) -> set[str]:
    """Those of these keys that are ours and under which nothing is shown any more."""
    over: set[str] = set()
    joined = select(BridgeTaskRow.key).join(TaskRow, col(TaskRow.id) == BridgeTaskRow.task_id)
    for start in range(0, len(keys), AT_ONCE):
        some = col(BridgeTaskRow.key).in_(keys[start : start + AT_ONCE])
        over |= set(session.exec(joined.where(some, not_(_shown()))))
    return over


def _shown() -> ColumnElement[bool]:
    theirs = and_(col(TaskRow.person_id).is_not(None), col(TaskRow.person_id) == col(BridgeTaskRow.person_id))
    waits = and_(col(BridgeTaskRow.state).in_(THERE), col(TaskRow.state) == TaskState.CLAIMED)
    stored = and_(col(BridgeTaskRow.state) == BridgeState.STORED, col(TaskRow.state) == TaskState.DONE)
    return and_(theirs, or_(waits, and_(stored, col(BridgeTaskRow.gone_at).is_(None))))


def answers_known(session: Session, *, ids: Sequence[int]) -> dict[int, set[tuple[int, str]]]:
    """Which annotations of tasks (by id), and which states of them, were looked at before."""
    found: dict[int, set[tuple[int, str]]] = {}
    for start in range(0, len(ids), AT_ONCE):
        wanted = select(
            BridgeAnswerRow.bridge_task_id, BridgeAnswerRow.outside_annotation, BridgeAnswerRow.updated
        ).where(col(BridgeAnswerRow.bridge_task_id).in_(ids[start : start + AT_ONCE]))
        for id, annotation, updated in session.exec(wanted):
            found.setdefault(id, set()).add((annotation, updated))
    return found


def counting(session: Session, *, ids: Sequence[int]) -> dict[int, tuple[int, str]]:
    """The annotation (id there, and when it was changed) of each task that counts here."""
    found: dict[int, tuple[int, str]] = {}
    for start in range(0, len(ids), AT_ONCE):
        wanted = select(
            BridgeAnswerRow.bridge_task_id, BridgeAnswerRow.outside_annotation, BridgeAnswerRow.updated
        ).where(
            col(BridgeAnswerRow.bridge_task_id).in_(ids[start : start + AT_ONCE]),
            col(BridgeAnswerRow.outcome).in_((BridgeOutcome.STORED, BridgeOutcome.SUPERSEDED)),
        )
        for id, annotation, updated in session.exec(wanted.order_by(col(BridgeAnswerRow.id))):
            found[id] = (annotation, updated)
    return found


def seen(session: Session, *, there: Mapping[int, int]) -> None:
    """Note tasks (by id) under which ids they stand there; they arrived."""
    for id, outside in sorted(there.items()):
        session.exec(
            update(BridgeTaskRow)
            .where(col(BridgeTaskRow.id) == id)
            .values(
                outside_id=outside,
                gone_at=None,
                state=case(
                    (col(BridgeTaskRow.state) == BridgeState.SENDING, BridgeState.OUT.value),
                    (col(BridgeTaskRow.gone_at).is_not(None), BridgeState.REMOVING.value),
                    else_=col(BridgeTaskRow.state),
                ),
            )
        )


def sent(session: Session, *, ids: Sequence[int], guideline: str, now: datetime) -> None:
    """Note that tasks have arrived there."""
    for start in range(0, len(ids), AT_ONCE):
        session.exec(
            update(BridgeTaskRow)
            .where(
                col(BridgeTaskRow.id).in_(ids[start : start + AT_ONCE]),
                col(BridgeTaskRow.state) == BridgeState.SENDING,
            )
            .values(state=BridgeState.OUT, sent_at=now, guideline=guideline)
        )


def in_state(
    session: Session, *, place_id: int, states: Iterable[BridgeState], after: int = 0, limit: int | None = None
) -> Sequence[StoredBridgeTask]:
    """The tasks of a project there that are not gone, in these states, in the order in which they were made."""
    wanted = (
        select(BridgeTaskRow)
        .where(
            BridgeTaskRow.bridge_project_id == place_id,
            col(BridgeTaskRow.gone_at).is_(None),
            col(BridgeTaskRow.state).in_(tuple(states)),
            col(BridgeTaskRow.id) > after,
        )
        .order_by(col(BridgeTaskRow.id))
        .execution_options(populate_existing=True)
    )
    return session.exec(wanted if limit is None else wanted.limit(limit)).all()


def keys_there(session: Session, *, place_id: int, until: int) -> dict[str, tuple[int, int | None]]:
    """Tasks that should stand in a project there, and were made before another one: (id, id there) by key."""
    wanted = select(BridgeTaskRow.key, BridgeTaskRow.id, BridgeTaskRow.outside_id).where(
        BridgeTaskRow.bridge_project_id == place_id,
        col(BridgeTaskRow.gone_at).is_(None),
        BridgeTaskRow.state != BridgeState.SENDING,
        col(BridgeTaskRow.id) <= until,
    )
    return {key: (id, outside) for key, id, outside in session.exec(wanted)}


def newest(session: Session, *, place_id: int) -> int:
    """The id of what was sent last to a project there."""
    wanted = select(func.max(BridgeTaskRow.id)).where(BridgeTaskRow.bridge_project_id == place_id)
    return session.exec(wanted).one() or 0


def end(session: Session, *, ids: Collection[int], why: str) -> None:
    """Call tasks back: what stands there has still to be removed."""
    for start in range(0, len(ids), AT_ONCE):
        session.exec(
            update(BridgeTaskRow)
            .where(col(BridgeTaskRow.id).in_(sorted(ids)[start : start + AT_ONCE]), col(BridgeTaskRow.state).in_(THERE))
            .values(state=BridgeState.REMOVING, why=why)
        )


def gone(session: Session, *, ids: Collection[int], now: datetime) -> None:
    """Note that tasks that were to be removed stand there no more."""
    known = sorted(ids)
    for start in range(0, len(known), AT_ONCE):
        session.exec(
            update(BridgeTaskRow)
            .where(
                col(BridgeTaskRow.id).in_(known[start : start + AT_ONCE]),
                col(BridgeTaskRow.state) == BridgeState.REMOVING,
            )
            .values(
                state=case(
                    (col(BridgeTaskRow.annotation_id).is_not(None), BridgeState.STORED.value),
                    else_=BridgeState.OVER.value,
                ),
                gone_at=now,
                ended_at=func.coalesce(col(BridgeTaskRow.ended_at), literal(now, UTCDateTime())),
            )
        )


def no_longer_theirs(session: Session, *, bridge_id: int, now: datetime) -> list[tuple[StoredBridgeTask, StoredTask]]:
    """What stands there although its slot is done, called off, somebody else's, or its lease has ended, or although its
    item has another revision now."""
    revised = and_(col(BridgeTaskRow.revision).is_not(None), col(BridgeTaskRow.revision) != ItemRow.current_revision)
    wanted = (
        select(BridgeTaskRow, TaskRow)
        .join(BridgeProjectRow, col(BridgeProjectRow.id) == BridgeTaskRow.bridge_project_id)
        .join(TaskRow, col(TaskRow.id) == BridgeTaskRow.task_id)
        .join(ItemRow, col(ItemRow.id) == TaskRow.item_id, isouter=True)
        .where(
            BridgeProjectRow.bridge_id == bridge_id,
            col(BridgeProjectRow.removed_at).is_(None),
            col(BridgeTaskRow.gone_at).is_(None),
            col(BridgeTaskRow.state).in_(THERE),
            or_(
                col(TaskRow.state) != TaskState.CLAIMED,
                col(TaskRow.person_id) != col(BridgeTaskRow.person_id),
                col(TaskRow.lease_until) < now,
                revised,
            ),
        )
        .order_by(col(BridgeTaskRow.id))
    )
    return [(row, slot) for row, slot in session.exec(wanted)]


def with_slots(session: Session, *, place_id: int) -> list[tuple[StoredBridgeTask, StoredTask]]:
    """What waits for its rater in a project there, with the slots."""
    wanted = (
        select(BridgeTaskRow, TaskRow)
        .join(TaskRow, col(TaskRow.id) == BridgeTaskRow.task_id)
        .where(
            BridgeTaskRow.bridge_project_id == place_id,
            col(BridgeTaskRow.gone_at).is_(None),
            col(BridgeTaskRow.state).in_(THERE),
        )
        .order_by(col(BridgeTaskRow.id))
    )
    return [(row, slot) for row, slot in session.exec(wanted)]


def stayed_until(session: Session, *, bridge_id: int, until: datetime | None) -> list[int]:
    """What is stored here and still stands there, since before a moment (None: since whenever)."""
    wanted = (
        select(BridgeTaskRow.id)
        .join(BridgeProjectRow, col(BridgeProjectRow.id) == BridgeTaskRow.bridge_project_id)
        .where(
            BridgeProjectRow.bridge_id == bridge_id,
            col(BridgeProjectRow.removed_at).is_(None),
            col(BridgeTaskRow.gone_at).is_(None),
            BridgeTaskRow.state == BridgeState.STORED,
        )
    )
    if until is not None:
        wanted = wanted.where(col(BridgeTaskRow.ended_at) < until)
    return [id for id in session.exec(wanted)]


def remove_stored(session: Session, *, ids: Sequence[int]) -> None:
    """Have what is stored here removed there."""
    for start in range(0, len(ids), AT_ONCE):
        session.exec(
            update(BridgeTaskRow)
            .where(
                col(BridgeTaskRow.id).in_(ids[start : start + AT_ONCE]), col(BridgeTaskRow.state) == BridgeState.STORED
            )
            .values(state=BridgeState.REMOVING)
        )


def n_there(session: Session, *, bridge_id: int) -> dict[tuple[int, Stage], int]:
    """How many tasks wait there, by person and stage."""
    wanted = (
        select(BridgeTaskRow.person_id, BridgeProjectRow.stage, func.count())
        .join(BridgeProjectRow, col(BridgeProjectRow.id) == BridgeTaskRow.bridge_project_id)
        .where(
            BridgeProjectRow.bridge_id == bridge_id,
            col(BridgeProjectRow.removed_at).is_(None),
            col(BridgeTaskRow.gone_at).is_(None),
            col(BridgeTaskRow.state).in_(THERE),
        )
        .group_by(col(BridgeTaskRow.person_id), col(BridgeProjectRow.stage))
    )
    return {(person_id, Stage(stage)): n for person_id, stage, n in session.exec(wanted)}


def in_hand_not_out(
    session: Session, *, project_id: int, stage: Stage, person_id: int, only_qualifying: bool, limit: int
) -> list[str]:
    """The claims (public ids) of a person in a stage that they have not put off and that wait on no server."""
    out = exists().where(
        col(BridgeTaskRow.task_id) == col(TaskRow.id),
        col(BridgeTaskRow.person_id) == person_id,
        col(BridgeTaskRow.state).in_(THERE),
    )
    wanted = select(TaskRow.public_id).where(
        TaskRow.person_id == person_id,
        TaskRow.project_id == project_id,
        TaskRow.stage == stage,
        TaskRow.state == TaskState.CLAIMED,
        not_put_off(TaskRow),
        ~out,
    )
    if only_qualifying:
        wanted = wanted.where(TaskRow.purpose == Purpose.QUALIFICATION)
    wanted = wanted.order_by(col(TaskRow.id)).limit(limit)
    return list(session.exec(wanted, params={"taker": person_id}))


def waits(session: Session, *, task_id: int, person_id: int) -> bool:
    """Whether a slot waits for a person on some server."""
    wanted = select(BridgeTaskRow.id).where(
        BridgeTaskRow.task_id == task_id,
        BridgeTaskRow.person_id == person_id,
        col(BridgeTaskRow.state).in_(THERE),
    )
    return session.exec(wanted.limit(1)).first() is not None


# ---- answers --------------------------------------------------------------------------------------------------------


def note(session: Session, *, row: Mapping[str, Any]) -> bool:
    """Keep what was found; whether it was new."""
    return insert_or_ignore(session, BridgeAnswerRow, [row]) == 1


# ---- counting -------------------------------------------------------------------------------------------------------


def count_tasks(session: Session, *, bridge_id: int) -> dict[tuple[int, Stage, BridgeState], int]:
    """How many tasks were sent, by person, stage and state."""
    wanted = (
        sa_select(col(BridgeTaskRow.person_id), col(BridgeProjectRow.stage), col(BridgeTaskRow.state), func.count())
        .join(BridgeProjectRow, col(BridgeProjectRow.id) == BridgeTaskRow.bridge_project_id)
        .where(col(BridgeProjectRow.bridge_id) == bridge_id)
        .group_by(col(BridgeTaskRow.person_id), col(BridgeProjectRow.stage), col(BridgeTaskRow.state))
    )
    return {
        (person_id, Stage(stage), BridgeState(state)): n for person_id, stage, state, n in session.execute(wanted).all()
    }


def count_answers(session: Session, *, bridge_id: int) -> dict[tuple[int, Stage, BridgeOutcome], int]:
    """What became of annotations, by person and stage."""
    wanted = (
        sa_select(
            col(BridgeAnswerRow.person_id), col(BridgeProjectRow.stage), col(BridgeAnswerRow.outcome), func.count()
        )
        .join(BridgeTaskRow, col(BridgeTaskRow.id) == BridgeAnswerRow.bridge_task_id)
        .join(BridgeProjectRow, col(BridgeProjectRow.id) == BridgeTaskRow.bridge_project_id)
        .where(col(BridgeAnswerRow.bridge_id) == bridge_id)
        .group_by(col(BridgeAnswerRow.person_id), col(BridgeProjectRow.stage), col(BridgeAnswerRow.outcome))
    )
    return {
        (person_id, Stage(stage), BridgeOutcome(outcome)): n
        for person_id, stage, outcome, n in session.execute(wanted).all()
    }


def names(session: Session, *, bridge_id: int) -> dict[int, tuple[str, str]]:
    """Login and name of everybody who has or had a project there, by id."""
    wanted = (
        select(PersonRow.id, PersonRow.login, PersonRow.name)
        .join(BridgeProjectRow, col(BridgeProjectRow.person_id) == PersonRow.id)
        .where(BridgeProjectRow.bridge_id == bridge_id)
        .distinct()
    )
    return {id: (login, name) for id, login, name in session.exec(wanted)}


def stuck(
    session: Session, *, bridge_id: int, tries: int, limit: int
) -> list[tuple[StoredBridgeTask, StoredItem | None]]:
    """Tasks that wait there although they were refused so often, with their items."""
    refused = exists().where(
        col(BridgeAnswerRow.bridge_task_id) == col(BridgeTaskRow.id),
        col(BridgeAnswerRow.outcome) == BridgeOutcome.REFUSED,
    )
    wanted = (
        select(BridgeTaskRow, ItemRow)
        .join(BridgeProjectRow, col(BridgeProjectRow.id) == BridgeTaskRow.bridge_project_id)
        .join(TaskRow, col(TaskRow.id) == BridgeTaskRow.task_id)
        .join(ItemRow, col(ItemRow.id) == TaskRow.item_id, isouter=True)
        .where(
            BridgeProjectRow.bridge_id == bridge_id,
            BridgeTaskRow.state == BridgeState.OUT,
            col(BridgeTaskRow.number) >= tries,
            refused,
        )
        .order_by(col(BridgeTaskRow.id))
        .limit(limit)
    )
    return [(row, item) for row, item in session.exec(wanted)]


def strangers(session: Session, *, bridge_id: int) -> dict[tuple[int, Stage], int]:
    """How many tasks that are not ours stand in our projects there, by person and stage."""
    wanted = (
        select(BridgeProjectRow.person_id, BridgeProjectRow.stage, func.sum(BridgeProjectRow.strangers))
        .where(
            BridgeProjectRow.bridge_id == bridge_id,
            col(BridgeProjectRow.removed_at).is_(None),
            col(BridgeProjectRow.strangers) > 0,
        )
        .group_by(col(BridgeProjectRow.person_id), col(BridgeProjectRow.stage))
    )
    return {(person_id, Stage(stage)): int(n) for person_id, stage, n in session.exec(wanted)}
