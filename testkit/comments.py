"""Comments on items, for tests of what depends on them, also without the extension Comments."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import uuid4

from sqlmodel import select

from db import comment_threads, items
from db.engine import Store
from db.tables import CommentForRow, CommentRow
from domain.records import Person
from workflow.access.projects import access_to


def write_comment(
    store: Store,
    *,
    person: Person,
    item: str | None,
    text: str,
    to: Sequence[Person] = (),
    reply_to: int | None = None,
    project: str = "p",
) -> int:
    """Store a comment on an item (its id on pages) for some people and return its number in the table."""
    with store.write() as session:
        project_id = access_to(session, person=None, project=project).project_id
        row = items.by_public_id(session, project_id=project_id, public_id=item or "")
        assert row is not None
        made = comment_threads.add(
            session,
            item=row,
            person_id=person.id,
            key=uuid4().hex,
            text=text,
            reply_to_id=reply_to,
            early=False,
            people=[each.id for each in to],
            now=store.now(),
        )
        return made.id


def read_comments(store: Store, *, person: Person) -> list[str]:
    """Mark all comments that are for a person as read and return their texts."""
    with store.write() as session:
        wanted = select(CommentForRow, CommentRow.text).where(
            CommentForRow.person_id == person.id, CommentForRow.comment_id == CommentRow.id
        )
        found = session.exec(wanted).all()
        for row, _ in found:
            row.read_at = row.read_at or store.now()
            session.add(row)
        return [text for _, text in found]
