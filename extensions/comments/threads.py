"""Comments on items: threads with mentions that reveal nothing to blind raters.

Annotators read their own comments, replies to them, and mentions of themselves. Replies and mentions are held
back while anyone still rates the item blind, unless the senior or lead who wrote one has marked it as harmless. A
text that contains a secret of the item cannot be marked so. Seniors and leads read everything, unless they rate
the item blind themselves.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from db import comment_threads as threads
from db import item_revisions, items, projects
from db.engine import Session, Store
from db.records import StoredItem, StoredPerson
from domain.display_names import distinct_names
from domain.errors import InvalidInputError, NotFoundError, Problem, TooManyRequestsError
from domain.language import _, marked
from domain.records import Person
from domain.roles import Role, at_least
from domain.states import BLIND
from extensions.comments import queries
from extensions.comments.rules import CommentView, Mentions, Thread, gives_away, may_read, mentioned
from extensions.comments.settings import COMMENT_CHARACTERS, COMMENTS_PER_MINUTE, CommentSettings
from workflow.access.event_log import log
from workflow.access.projects import Access, access_to
from workflow.access.visibility import MAY_COME, Visibility, visibility_of
from workflow.annotate.item_titles import title_of
from workflow.annotate.leases import held_task

NO_ITEM = marked("This item does not exist, or you have no comments on it. Reload the page.")
NOT_YET = marked(
    "You can comment on an item only after you submit your answer. Submit your answer first, or write a note instead."
)
SOMEBODY = marked("someone")
"""Name shown for a rater whose name is hidden."""
RECENT = 100
DEFAULT_LIMITS = CommentSettings()


def thread(
    store: Store, *, person: Person, task: str | None = None, project: str | None = None, item: str | None = None
) -> Thread:
    """Return the comments on an item that a person may read, by a task that they hold or by the item's id.

    Comments for this person are marked as read.
    """
    with store.write(archived_too=True) as session:
        access, row = _find(session, person, task, project, item)
        return _thread(session, access, person, row, now=store.now())


def comment(
    store: Store,
    *,
    person: Person,
    key: str,
    text: str,
    task: str | None = None,
    project: str | None = None,
    item: str | None = None,
    reply_to: str | None = None,
    early: bool = False,
    limits: CommentSettings = DEFAULT_LIMITS,
) -> Thread:
    """Write a comment and return its thread; sending the same ``key`` twice writes one comment.

    ``early`` is a senior's or lead's statement that the text gives nothing away, so its readers see it before the item
    is settled. Raises ``InvalidInputError`` if the text is too long, mentions people who may not be mentioned, or is
    early and contains a secret. Raises ``TooManyRequestsError`` above the comments per minute.
    """
    with store.write() as session:
        now = store.now()
        access, row = _find(session, person, task, project, item)
        if queries.by_key(session, person_id=person.id, key=key) is None:
            _must_fit(session, person, text.strip(), limits, now)
            _write(session, access, person, row, key, text.strip(), reply_to, early, now)
        return _thread(session, access, person, row, now=now)


def inbox(store: Store, *, person: Person, project: str) -> list[Thread]:
    """Return the threads that a person takes part in, unread ones first; seniors and leads get all threads.

    A thread is ``closed`` if someone could still be asked about its item blind; the item's history opens it.
    """
    with store.write(archived_too=True) as session:
        now = store.now()
        access = access_to(session, person=person, project=project)
        mine = queries.items_of_person(session, project_id=access.project_id, person_id=person.id)
        rows = {row.id: row for row in mine}
        waiting = set()
        if at_least(access.role, Role.SENIOR):
            recent_rows = queries.items_with_comments(session, project_id=access.project_id, limit=RECENT)
            rows |= {row.id: row for row in recent_rows}
            waiting = {row.public_id for row in threads.unanswered(session, project_id=access.project_id)}
        all_ = [_thread(session, access, person, row, now=now, looking=False) for row in rows.values()]
        shown = [thread for thread in all_ if thread.comments or thread.closed]
        shown.sort(key=lambda each: each.comments[-1].at if each.comments else now, reverse=True)
        return sorted(shown, key=lambda each: (not any(c.unread for c in each.comments), each.item not in waiting))


def mentions(store: Store, *, person: Person, project: str) -> Mentions:
    """Return the number of unread and unanswered threads of a person in a project."""
    with store.read() as session:
        access = access_to(session, person=person, project=project)
        about = {"project_id": access.project_id}
        rows = queries.items_of_person(session, **about, person_id=person.id, unread=True)
        unread = len(unread_of(session, access=access, person=person, items=rows))
        waiting = 0
        if at_least(access.role, Role.SENIOR):
            rows = threads.unanswered(session, **about)
            waiting = sum(_visibility(session, access, person, row).whole for row in rows)
        return Mentions(unread, waiting)


def unread_of(session: Session, *, access: Access, person: Person, items: Sequence[StoredItem]) -> set[str]:
    """Return the ids of a person's unread comments on the given items, as far as they may read them."""
    return {
        comment.id
        for row in items
        for comment in _comments(session, access, person, row, _visibility(session, access, person, row))
        if comment.unread
    }


# ---- reading --------------------------------------------------------------------------------------------------------


def _visibility(session: Session, access: Access, person: Person, item: StoredItem) -> Visibility:
    return visibility_of(session, access=access, person=person, item=item)


def _find(
    session: Session, person: Person, task: str | None, project: str | None, item: str | None
) -> tuple[Access, StoredItem]:
    if task is not None:
        row, access = held_task(session, person=person, task=task)
        if row.item_id is None:
            raise NotFoundError(_(NOT_YET))
        return access, items.by_id(session, id=row.item_id)
    access = access_to(session, person=person, project=project or "")
    stored_item = items.by_public_id(session, project_id=access.project_id, public_id=item or "")
    if stored_item is None:
        raise NotFoundError(_(NO_ITEM))
    if not at_least(access.role, Role.SENIOR):
        mine = queries.items_of_person(session, project_id=access.project_id, person_id=person.id)
        if stored_item.id not in {row.id for row in mine} or not _comments(
            session, access, person, stored_item, _visibility(session, access, person, stored_item)
        ):
            raise NotFoundError(_(NO_ITEM))
    return access, stored_item


def _thread(
    session: Session, access: Access, person: Person, item: StoredItem, *, now: datetime, looking: bool = True
) -> Thread:
    seen = _visibility(session, access, person, item)
    closed = not looking and seen.whole and bool(seen.asked)
    if closed:
        seen = replace(seen, blind=MAY_COME)
    if seen.whole and seen.open and queries.of_item(session, item_id=item.id):
        threads.note_insight(session, item_id=item.id, person_id=person.id, now=now)
    comments = _comments(session, access, person, item, seen)
    ids = {row.public_id: row.id for row, _ in queries.of_item(session, item_id=item.id)}
    unread = [ids[comment.id] for comment in comments if comment.unread]
    if unread:
        queries.note_read(session, person_id=person.id, comments=unread, now=now)
    mentionable = _may_be_mentioned(session, access, person, seen)
    return Thread(
        project=access.name,
        item=item.public_id,
        title=title_of(session, access, item, whole=seen.whole),
        dimension=item.dimension,
        comments=comments,
        people=[row.login for row in mentionable],
        names=distinct_names({row.login: row.name for row in mentionable}),
        open=seen.open and seen.whole,  # raters must not learn whether the item is settled
        may_free=seen.whole,
        whole=seen.whole,
        closed=closed,
    )


def _comments(
    session: Session, access: Access, person: Person, item: StoredItem, seen: Visibility
) -> list[CommentView]:
    rows = queries.of_item(session, item_id=item.id)
    if not rows:
        return []
    read_by = queries.for_whom(session, item_id=item.id)
    officials = {row.id for _, row in _officials(session, access)}
    public = {row.id: row.public_id for row, _ in rows}
    known_by_name = {row.login: row.name for row in _may_be_mentioned(session, access, person, seen)}
    views: list[CommentView] = []
    for row, writer in rows:
        mine, for_me = row.person_id == person.id, person.id in read_by.get(row.id, {})
        if not may_read(whole=seen.whole, mine=mine, for_me=for_me, early=row.early, open_=seen.open):
            continue
        named = mine or seen.names or writer.id in officials or writer.is_admin
        if named:
            known_by_name[writer.login] = writer.name
        waits = any(reader not in officials for reader in read_by.get(row.id, {}))
        views.append(
            CommentView(
                id=row.public_id,
                by=writer.login if named else SOMEBODY,
                at=row.created_at,
                text=row.text,
                mine=mine,
                name="" if named else _(SOMEBODY),
                reply_to=public.get(row.reply_to_id) if row.reply_to_id else None,
                for_me=for_me,
                unread=for_me and read_by[row.id][person.id] is None,
                held=seen.open and not row.early and waits and (mine or seen.whole),
            )
        )
    called = distinct_names(known_by_name)
    views = [view if view.name else replace(view, name=called[view.by]) for view in views]
    known = {view.id for view in views}
    return [view if view.reply_to in known else replace(view, reply_to=None) for view in views]


# ---- writing --------------------------------------------------------------------------------------------------------


def _must_fit(session: Session, person: Person, text: str, limits: CommentSettings, now: datetime) -> None:
    """Refuse a comment that is too long, or one too many in a minute."""
    if len(text) > limits.comment_characters:
        words = _("Shorten the comment to at most {n} characters. The setting {setting} has this limit.")
        told = words.format(n=limits.comment_characters, setting=COMMENT_CHARACTERS)
        raise InvalidInputError([Problem("text", told)])
    n = queries.count_since(session, person_id=person.id, since=now - timedelta(minutes=1))
    if n >= limits.comments_per_minute:
        words = _(
            "You can write at most {n} comments a minute. Wait a minute, then send the comment again. The setting "
            "{setting} has this limit."
        )
        raise TooManyRequestsError(words.format(n=limits.comments_per_minute, setting=COMMENTS_PER_MINUTE))


def _write(
    session: Session,
    access: Access,
    person: Person,
    item: StoredItem,
    key: str,
    text: str,
    reply_to: str | None,
    early: bool,
    now: datetime,
) -> None:
    seen = _visibility(session, access, person, item)
    problems = []
    if not key or len(key) > 100:
        problems.append(
            Problem(
                "key", _("The comment was not saved, because its key must have 1 to 100 characters. Reload the page.")
            )
        )
    if not text:
        problems.append(Problem("text", _("Write something first.")))
    answered = queries.by_public_id(session, item_id=item.id, public_id=reply_to) if reply_to else None
    readable = {view.id for view in _comments(session, access, person, item, seen)}
    if reply_to and (answered is None or reply_to not in readable):
        raise NotFoundError(_("The comment that you are answering no longer exists. Reload the page."))
    known = {row.login: row for row in _may_be_mentioned(session, access, person, seen)}
    unknown = [login for login in mentioned(text) if login not in known]
    if unknown:
        whom = ", ".join(f"@{login}" for login in known) or _("no one")
        words = _("You cannot mention @{login} in this comment. You can mention: {whom}.").format(
            login=unknown[0], whom=whom
        )
        problems.append(Problem("text", words))
    official = seen.whole
    if early and not official:
        problems.append(
            Problem(
                "early",
                _(
                    "Only a senior or lead can mark a comment as safe to show. Clear the checkbox, then send the "
                    "comment."
                ),
            )
        )
    if early and seen.open and official:
        names = gives_away(text, _secrets(session, access, item))
        if names:
            problems.append(
                Problem(
                    "early",
                    _(
                        "This comment contains the value of {field}, which raters must not see yet. Clear the "
                        "checkbox, then send the comment."
                    ).format(field=repr(names[0])),
                )
            )
    if problems:
        raise InvalidInputError(problems)
    readers = {known[login].id for login in mentioned(text)} | ({answered.person_id} if answered else set())
    threads.add(
        session,
        item=item,
        person_id=person.id,
        key=key,
        text=text,
        reply_to_id=answered.id if answered else None,
        early=early,
        people=readers - {person.id},
        now=now,
    )
    data = {"early": early} if early else {}
    log(session, "comment.written", by=person, project=access, item=item, now=now, data=data)


def _secrets(session: Session, access: Access, item: StoredItem) -> dict[str, Any]:
    """Return the fields of an item that a blind stage of the schema keeps secret."""
    content = item_revisions.content(session, item_id=item.id, revision=item.current_revision)
    stages = [stage.value for stage in BLIND if getattr(access.schema.stages, stage.value) is not None]
    return {
        field.name: content[field.name]
        for field in access.schema.item.fields
        if field.name in content and any(stage in field.secret_in for stage in stages)
    }


def _officials(session: Session, access: Access) -> list[tuple[Any, StoredPerson]]:
    rows = projects.members(session, project_id=access.project_id)
    return [(member, row) for member, row in rows if at_least(member.role, Role.SENIOR)]


def _may_be_mentioned(session: Session, access: Access, person: Person, seen: Visibility) -> Sequence[StoredPerson]:
    """Return the people whom a person may mention: seniors and leads, and raters if their names are visible."""
    if seen.whole and seen.names:
        rows = projects.members(session, project_id=access.project_id)
    else:
        rows = _officials(session, access)
    return [row for _, row in rows if row.id != person.id]
