"""Notices of unread comments. They name no item and no text, because both could reveal something to blind raters."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from db.engine import Session
from db.records import StoredProject
from domain.language import ngettext
from domain.notices import Notice, NoticeKind
from domain.records import Person
from extensions.comments import queries
from extensions.comments.threads import unread_of
from workflow.access.projects import access_to


def unread_comments(session: Session, *, person: Person, projects: Mapping[int, StoredProject]) -> Iterator[Notice]:
    """Yield a notice for each project with comments that a person may read and has not read."""
    rows = queries.unread_comments(session, projects=projects, person_id=person.id)
    for project in dict.fromkeys(item.project_id for _, _, item in rows):
        here = [row for row in rows if row[2].project_id == project]
        items = list({item.id: item for _, _, item in here}.values())
        access = access_to(session, person=person, project=projects[project].name)
        may_read = unread_of(session, access=access, person=person, items=items)
        of_them = [(id, at) for id, at, _ in here if id in may_read]
        if of_them:
            n = len(of_them)
            words = ngettext("You have a new comment.", "You have {n} new comments.", n).format(n=n)
            keys = (f"comment:{id}" for id, _ in of_them)
            newest = max(at for _, at in of_them)
            yield Notice(
                NoticeKind.COMMENT, projects[project].name, projects[project].title, words, newest, tuple(keys)
            )
