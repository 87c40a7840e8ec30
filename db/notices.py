"""What notices are made of: facts that are stored anyway, and what of them someone has seen."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

from sqlalchemy import update
from sqlmodel import Session, col, select

from db.many_rows import insert_or_ignore
from db.records import StoredEvent, StoredItem, StoredQualification
from db.tables import (
    CommentForRow,
    CommentRow,
    EventRow,
    ItemRow,
    NoticeMarkRow,
    QualificationReviewRow,
    QualificationRow,
    TaskRow,
)
from domain.states import Stage, TaskState

PART_SET = "member.set"
"""The kind of events: someone's part in a project was set; ``login`` says whose."""
TASK_GIVEN = "task.given"
"""The kind of events: someone was given a task by a lead."""


def parts_set(
    session: Session, *, projects: Iterable[int], login: str, person_id: int, since: datetime
) -> list[StoredEvent]:
    """Events by which others set this person's part in these projects, oldest first."""
    wanted = select(EventRow).where(
        col(EventRow.project_id).in_(list(projects)),
        EventRow.kind == PART_SET,
        EventRow.at >= since,
        col(EventRow.data)["login"].as_string() == login,
    )
    return [row for row in session.exec(wanted.order_by(col(EventRow.id))) if row.person_id != person_id]


def given(
    session: Session, *, projects: Iterable[int], person_id: int, since: datetime, now: datetime
) -> list[tuple[int, Stage, int, datetime]]:
    """Tasks that someone has in hand because another gave them: project, stage, the event and when it was."""
    in_hand = select(TaskRow.id, TaskRow.project_id, TaskRow.stage).where(
        TaskRow.person_id == person_id,
        col(TaskRow.project_id).in_(list(projects)),
        col(TaskRow.stage).in_(list(Stage)),  # so that the index leads to what is in hand, past all that is done
        TaskRow.state == TaskState.CLAIMED,
        col(TaskRow.lease_until) > now,
    )
    tasks = {id: (project, Stage(stage)) for id, project, stage in session.exec(in_hand)}
    if not tasks:
        return []
    events = select(EventRow.task_id, EventRow.id, EventRow.at, EventRow.person_id).where(
        col(EventRow.task_id).in_(list(tasks)), EventRow.kind == TASK_GIVEN, EventRow.at >= since
    )
    return [
        (*tasks[task], event, at)
        for task, event, at, whose in session.exec(events)
        if task is not None and whose == person_id
    ]


def unread_comments(
    session: Session, *, projects: Iterable[int], person_id: int
) -> list[tuple[str, datetime, StoredItem]]:
    """Comments for a person that they have not read, whether they may read them yet or not: public id, when it was
    written, the item."""
    unread = select(CommentForRow.comment_id).where(
        CommentForRow.person_id == person_id, col(CommentForRow.read_at).is_(None)
    )
    ids = session.exec(unread).all()  # by themselves: joined, SQLite goes through all comments of a project
    if not ids:
        return []
    wanted = (
        select(CommentRow.public_id, CommentRow.created_at, ItemRow)
        .join(ItemRow, col(ItemRow.id) == CommentRow.item_id)
        .where(col(CommentRow.id).in_(ids), col(CommentRow.project_id).in_(list(projects)))
    )
    return [(id, at, item) for id, at, item in session.exec(wanted.order_by(col(CommentRow.id)))]


def reviews(
    session: Session, *, projects: Iterable[int], person_id: int, since: datetime
) -> list[tuple[StoredQualification, int, str, datetime]]:
    """What seniors said of a person's tries: the try, the review, where the try then stood and when; oldest first."""
    wanted = (
        select(
            QualificationRow,
            QualificationReviewRow.id,
            QualificationReviewRow.state,
            QualificationReviewRow.created_at,
        )
        .join(QualificationReviewRow, col(QualificationReviewRow.qualification_id) == QualificationRow.id)
        .where(
            col(QualificationRow.project_id).in_(list(projects)),
            QualificationRow.person_id == person_id,
            QualificationReviewRow.created_at >= since,
        )
    )
    found = session.exec(wanted.order_by(col(QualificationReviewRow.id)))
    return [(row, id, state, at) for row, id, state, at in found]


def exemptions(
    session: Session, *, projects: Iterable[int], person_id: int, since: datetime
) -> Sequence[StoredQualification]:
    """Where someone else let a person work without a qualification, oldest first."""
    wanted = select(QualificationRow).where(
        col(QualificationRow.project_id).in_(list(projects)),
        QualificationRow.person_id == person_id,
        col(QualificationRow.set_id).is_(None),
        QualificationRow.created_at >= since,
    )
    rows = session.exec(wanted.order_by(col(QualificationRow.id))).all()
    return [row for row in rows if row.exempt_by_id != person_id]


# ---- what was seen --------------------------------------------------------------------------------------------------


def seen(session: Session, *, person_id: int, keys: Sequence[str]) -> set[str]:
    """Which of these someone has seen."""
    wanted = select(NoticeMarkRow.key).where(
        NoticeMarkRow.person_id == person_id,
        col(NoticeMarkRow.key).in_(keys),
        col(NoticeMarkRow.seen_at).is_not(None),
    )
    return set(session.exec(wanted))


def note_seen(session: Session, *, person_id: int, keys: Mapping[str, int], now: datetime) -> None:
    """Note that someone has seen these (key and the project that it is about)."""
    insert_or_ignore(
        session,
        NoticeMarkRow,
        [{"person_id": person_id, "project_id": project, "key": key, "seen_at": now} for key, project in keys.items()],
    )
    marks = update(NoticeMarkRow).where(
        col(NoticeMarkRow.person_id) == person_id,
        col(NoticeMarkRow.key).in_(list(keys)),
        col(NoticeMarkRow.seen_at).is_(None),
    )
    session.exec(marks.values(seen_at=now))
