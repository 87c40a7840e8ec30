"""Queries on comments and their recipients, and on the people to keep blind about an item."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import func
from sqlmodel import Session, col, select

from db.events import LOOKED
from db.many_rows import insert_or_ignore
from db.records import StoredComment, StoredItem, StoredTask
from db.tables import (
    AnnotationRow,
    CommentForRow,
    CommentRow,
    EventRow,
    ImportedRatingRow,
    InsightRow,
    ItemRow,
    MemberRow,
    TaskRow,
)
from domain.roles import Role
from domain.runs import chunked
from domain.states import Stage, TaskState


def add(
    session: Session,
    *,
    item: StoredItem,
    person_id: int,
    key: str,
    text: str,
    reply_to_id: int | None,
    early: bool,
    people: Iterable[int],
    now: datetime,
) -> StoredComment:
    """Store a comment and its recipients."""
    row = CommentRow(
        project_id=item.project_id,
        item_id=item.id,
        person_id=person_id,
        reply_to_id=reply_to_id,
        submit_key=key,
        text=text,
        early=early,
        created_at=now,
    )
    session.add(row)
    session.flush()
    insert_or_ignore(
        session, CommentForRow, [{"comment_id": row.id, "person_id": person} for person in sorted(set(people))]
    )
    return row


def has_part(session: Session, *, item_id: int, person_id: int) -> bool:
    """Tell whether a person wrote a comment on an item, or read one addressed to them that was not released early."""
    written = select(CommentRow.id).where(CommentRow.item_id == item_id, CommentRow.person_id == person_id)
    read = (
        select(CommentForRow.comment_id)
        .join(CommentRow, col(CommentRow.id) == CommentForRow.comment_id)
        .where(
            CommentRow.item_id == item_id,
            col(CommentRow.early).is_(False),
            CommentForRow.person_id == person_id,
            col(CommentForRow.read_at).is_not(None),
        )
    )
    return any(session.exec(wanted.limit(1)).first() is not None for wanted in (written, read))


def has_read(session: Session, *, item_id: int, person_id: int, since: datetime) -> bool:
    """Tell whether a person has read someone else's comment on an item since a moment. Early releases do not count."""
    wanted = (
        select(CommentForRow.comment_id)
        .join(CommentRow, col(CommentRow.id) == CommentForRow.comment_id)
        .where(
            CommentRow.item_id == item_id,
            CommentRow.person_id != person_id,
            col(CommentRow.early).is_(False),
            CommentForRow.person_id == person_id,
            col(CommentForRow.read_at) >= since,
        )
    )
    return session.exec(wanted.limit(1)).first() is not None


def unanswered(session: Session, *, project_id: int) -> Sequence[StoredItem]:
    """Return the items whose last comment is by someone who is neither senior nor lead: they wait for an answer."""
    return session.exec(select(ItemRow).where(col(ItemRow.id).in_(waiting_for_an_answer(project_id)))).all()


def waiting_for_an_answer(project_id: int) -> Any:
    """Return the query for the ids of the items that ``unanswered`` finds."""
    newest = (
        select(func.max(CommentRow.id)).where(CommentRow.project_id == project_id).group_by(col(CommentRow.item_id))
    )
    return (
        select(CommentRow.item_id)
        .join(MemberRow, (col(MemberRow.person_id) == CommentRow.person_id) & (col(MemberRow.project_id) == project_id))
        .where(col(CommentRow.id).in_(newest), MemberRow.role == Role.ANNOTATOR)
    )


# ---- people to keep blind -------------------------------------------------------------------------------------------


def slots(session: Session, *, item_id: int, stages: Iterable[Stage]) -> Sequence[StoredTask]:
    """Return all slots of an item in some stages that are not withdrawn."""
    wanted = select(TaskRow).where(
        TaskRow.item_id == item_id,
        col(TaskRow.stage).in_(list(stages)),
        TaskRow.state != TaskState.WITHDRAWN,
    )
    return session.exec(wanted).all()


def note_insight(session: Session, *, item_id: int, person_id: int, now: datetime) -> None:
    """Record that a person has looked at an item before its verdict."""
    insert_or_ignore(session, InsightRow, [{"item_id": item_id, "person_id": person_id, "created_at": now}])


def who_looked(session: Session, *, item_ids: Sequence[int]) -> set[tuple[int, int]]:
    """Return the items (ids) and the people (ids) who get no blind task on their next revision.

    They have looked at an item before its verdict, or at others' votes after it.
    """
    looked: set[tuple[int, int]] = set()
    for lot in chunked(item_ids):
        early = select(InsightRow.item_id, InsightRow.person_id).where(col(InsightRow.item_id).in_(lot))
        late = select(EventRow.item_id, EventRow.person_id).where(
            col(EventRow.item_id).in_(lot), EventRow.kind == LOOKED, col(EventRow.person_id).is_not(None)
        )
        looked.update(session.exec(early))
        looked.update((item or 0, person or 0) for item, person in session.exec(late.distinct()))
    return looked


def has_insight(session: Session, *, item_id: int, person_id: int) -> bool:
    """Tell whether a person is known to have looked at an item before its verdict."""
    return session.get(InsightRow, (item_id, person_id)) is not None


def newest(session: Session, *, project_id: int, stage: Stage) -> tuple[int, int]:
    """Return two numbers: one grows with every submission of a stage, one with every imported rating of the stage."""
    submitted = select(func.max(col(AnnotationRow.id))).where(
        AnnotationRow.project_id == project_id, AnnotationRow.stage == stage
    )
    imported = select(func.max(col(ImportedRatingRow.id))).where(
        ImportedRatingRow.project_id == project_id, ImportedRatingRow.stage == stage
    )
    return session.exec(submitted).one() or 0, session.exec(imported).one() or 0
