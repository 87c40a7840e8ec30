"""Queries on threads of comments and their readers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import exists, func, or_, update
from sqlmodel import Session, col, select

from db.project_facts import Viewer
from db.records import StoredComment, StoredItem, StoredPerson
from db.tables import CommentForRow, CommentRow, ItemRow, PersonRow
from domain.roles import Role, at_least


def by_key(session: Session, *, person_id: int, key: str) -> StoredComment | None:
    """Return the comment that a person wrote under an idempotency key."""
    return session.exec(
        select(CommentRow).where(CommentRow.person_id == person_id, CommentRow.submit_key == key)
    ).first()


def count_since(session: Session, *, person_id: int, since: datetime) -> int:
    """Return how many comments a person has written since a time."""
    wanted = select(func.count()).where(CommentRow.person_id == person_id, col(CommentRow.created_at) > since)
    return session.exec(wanted).one()


def by_public_id(session: Session, *, item_id: int, public_id: str) -> StoredComment | None:
    """Return a comment on an item."""
    return session.exec(
        select(CommentRow).where(CommentRow.item_id == item_id, CommentRow.public_id == public_id)
    ).first()


def of_item(session: Session, *, item_id: int) -> list[tuple[StoredComment, StoredPerson]]:
    """Return an item's thread, oldest first, with the authors."""
    wanted = (
        select(CommentRow, PersonRow)
        .join(PersonRow, col(PersonRow.id) == CommentRow.person_id)
        .where(CommentRow.item_id == item_id)
        .order_by(col(CommentRow.id))
    )
    return [(comment, person) for comment, person in session.exec(wanted)]


def for_whom(session: Session, *, item_id: int) -> dict[int, dict[int, datetime | None]]:
    """Return the recipients of each comment of a thread, and when they read it."""
    wanted = (
        select(CommentForRow.comment_id, CommentForRow.person_id, CommentForRow.read_at)
        .join(CommentRow, col(CommentRow.id) == CommentForRow.comment_id)
        .where(CommentRow.item_id == item_id)
    )
    readers: dict[int, dict[int, datetime | None]] = {}
    for comment, person, read_at in session.exec(wanted):
        readers.setdefault(comment, {})[person] = read_at
    return readers


def note_read(session: Session, *, person_id: int, comments: Sequence[int], now: datetime) -> None:
    """Record that a person has read these comments addressed to them."""
    session.exec(
        update(CommentForRow)
        .where(
            col(CommentForRow.person_id) == person_id,
            col(CommentForRow.comment_id).in_(comments),
            col(CommentForRow.read_at).is_(None),
        )
        .values(read_at=now)
    )


def items_of_person(session: Session, *, project_id: int, person_id: int, unread: bool = False) -> Sequence[StoredItem]:
    """Return a project's items with comments by or for a person. ``unread``: only unread comments for them."""
    mine = (
        select(CommentRow.item_id)
        .join(CommentForRow, col(CommentForRow.comment_id) == CommentRow.id)
        .where(CommentForRow.person_id == person_id, CommentRow.project_id == project_id)
    )
    if unread:
        mine = mine.where(col(CommentForRow.read_at).is_(None))
    if unread:
        return session.exec(select(ItemRow).where(col(ItemRow.id).in_(mine))).all()
    written = select(CommentRow.item_id).where(CommentRow.person_id == person_id, CommentRow.project_id == project_id)
    return session.exec(select(ItemRow).where(or_(col(ItemRow.id).in_(mine), col(ItemRow.id).in_(written)))).all()


def items_with_comments(session: Session, *, project_id: int, limit: int) -> Sequence[StoredItem]:
    """Return the commented items of a project, the latest comment first."""
    newest = (
        select(CommentRow.item_id, func.max(CommentRow.id).label("newest"))
        .where(CommentRow.project_id == project_id)
        .group_by(col(CommentRow.item_id))
        .subquery()
    )
    wanted = select(ItemRow).join(newest, newest.c.item_id == ItemRow.id).order_by(newest.c.newest.desc()).limit(limit)
    return session.exec(wanted).all()


def unread_comments(
    session: Session, *, projects: Iterable[int], person_id: int
) -> list[tuple[str, datetime, StoredItem]]:
    """Return unread comments for a person, including those that they may not read yet: public id, time and item."""
    unread = select(CommentForRow.comment_id).where(
        CommentForRow.person_id == person_id, col(CommentForRow.read_at).is_(None)
    )
    ids = session.exec(unread).all()  # a separate query, because SQLite would scan all comments of a project in a join
    if not ids:
        return []
    wanted = (
        select(CommentRow.public_id, CommentRow.created_at, ItemRow)
        .join(ItemRow, col(ItemRow.id) == CommentRow.item_id)
        .where(col(CommentRow.id).in_(ids), col(CommentRow.project_id).in_(list(projects)))
    )
    return [(id, at, item) for id, at, item in session.exec(wanted.order_by(col(CommentRow.id)))]


def has_comments(viewer: Viewer) -> Any:
    """Tell whether there is a comment: by or for an annotator, or any comment for seniors and leads."""
    there = exists().where(col(CommentRow.project_id) == viewer.project_id)
    if at_least(viewer.role, Role.SENIOR):
        return there
    mine = select(CommentForRow.comment_id).where(CommentForRow.person_id == viewer.person_id)
    return there.where(or_(col(CommentRow.person_id) == viewer.person_id, col(CommentRow.id).in_(mine)))
