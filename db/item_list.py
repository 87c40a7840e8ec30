"""Queries on lists of items: filters, sort orders, and the facts that a page of them shows.

Table columns are filtered, sorted and paged by the database. An item's content is JSON in the words of the schema it
was given under. So this module checks texts and fields in Python, in one pass over the items that fit otherwise. The
database filters beforehand by the part of the text that JSON stores unchanged.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import ColumnElement, Integer, Text, and_, case, cast, distinct, exists, func, or_
from sqlalchemy import select as plain_select
from sqlalchemy.orm import aliased
from sqlmodel import Session, col, select

from db import comment_threads, events, reworded
from db.records import StoredAnnotation, StoredItem
from db.tables import (
    AnnotationRow,
    AssetRow,
    CommentRow,
    DraftRow,
    GoldRow,
    ItemAssetRow,
    ItemRow,
    PersonRow,
    RevisionRow,
    TaskRow,
)
from domain.item_filter import FROM_FILE, OF_FIELD, Comments, ItemFilter, sort_key, texts
from domain.runs import chunked
from domain.states import BLIND, UNSETTLED, VERIFICATIONS, Purpose, Stage, TaskState

_AT_ONCE = 5_000
"""How many contents are held at once, and how many ids go into one query."""


@dataclass(frozen=True)
class ListScope:
    """The items to search, and the reader who sees the list."""

    project_id: int
    reader: int | None = None
    """The person who reads the list. None is the command line, which sees everything."""
    own: bool = True
    """Whether only the reader's own tasks hide items. Otherwise anyone's open blind task hides an item."""
    names: Sequence[str] = ()
    """The names of the fields that items have."""
    versions: Mapping[int, int] = field(default_factory=dict)
    """The numbers of the schema versions, by id."""
    qualifying: Sequence[int] = ()
    """The items (ids) of the newest qualification sets."""


@dataclass(frozen=True)
class Facts:
    """The facts that a list may show about an item in addition to its content."""

    votes: int = 0
    differ: bool = False
    comments: int = 0
    missing: int = 0
    gold: bool = False


def page(
    session: Session,
    *,
    within: ListScope,
    wanted: ItemFilter,
    sort: str = "",
    down: bool = False,
    offset: int = 0,
    limit: int | None = None,
) -> tuple[list[int], int]:
    """Return the ids of the items on a page of a list, and the total number of items. ``limit`` None: all items."""
    if wanted.where or sort.startswith(OF_FIELD) or (wanted.text and not _told_by_json(session, within, wanted.text)):
        every = _looked_at(session, within, wanted, sort, down)
        return every[offset:][:limit], len(every)
    if not sort and not wanted.text:  # an index has this order, so a separate count is half the work
        plain = _sorted(within, wanted, sort, down)
        n: int = session.execute(plain_select(func.count()).select_from(plain.order_by(None).subquery())).scalar_one()
        return list(session.execute(plain.offset(offset).limit(limit)).scalars()), n
    query = _sorted(within, wanted, sort, down, func.count().over())
    if wanted.text:
        query = (query if sort == "version" else query.join(RevisionRow, _present())).where(*_likely(wanted))
    rows = session.execute(query.offset(offset).limit(limit)).all()
    if rows or not offset:
        return [id for id, _ in rows], rows[0][1] if rows else 0
    first = session.execute(query.limit(1)).first()
    return [], first[1] if first else 0


def hidden(session: Session, *, within: ListScope) -> frozenset[int]:
    """Return the ids of the items that ``count_hidden`` counts."""
    return frozenset() if within.reader is None else frozenset(session.execute(_closed(within)).scalars())


def count_hidden(session: Session, *, within: ListScope) -> int:
    """Count the items that this reader's lists hide because the reader is or may be asked about them blind."""
    if within.reader is None:
        return 0
    n: int = session.execute(plain_select(func.count()).select_from(_closed(within).subquery())).scalar_one()
    return n


def count_without_media(session: Session, *, project_id: int) -> dict[str, int]:
    """Count the items with a missing image or clip, by dimension."""
    lacking = _lacking().where(col(AssetRow.project_id) == project_id)
    wanted = plain_select(col(ItemRow.dimension), func.count()).where(col(ItemRow.id).in_(lacking))
    return {dimension: int(n) for dimension, n in session.execute(wanted.group_by(col(ItemRow.dimension)))}


def rows(session: Session, *, ids: Sequence[int], lock: bool = False) -> list[StoredItem]:
    """Return items by their ids, in the given order.

    ``lock`` locks them in one fixed order, so that two transactions never wait for each other.
    """
    stored_items: dict[int, StoredItem] = {}
    every = sorted(ids)
    for lot in chunked(every, _AT_ONCE):
        some = select(ItemRow).where(col(ItemRow.id).in_(lot)).order_by(col(ItemRow.id))
        if lock:
            some = some.with_for_update(key_share=True).execution_options(populate_existing=True)
        stored_items |= {row.id: row for row in session.exec(some)}
    return [stored_items[id] for id in ids]


def facts(session: Session, *, project_id: int, ids: Sequence[int]) -> dict[int, Facts]:
    """Return the facts that a list may show about these items, by id."""
    votes, comments = _votes(project_id, ids), _comments(project_id, ids)
    cast_ = {id: (int(n), bool(differ)) for id, n, differ in session.execute(plain_select(votes))}
    talk = {id: int(n) for id, n in session.execute(plain_select(comments))}
    lacking = _lacking().where(col(ItemAssetRow.item_id).in_(ids)).group_by(col(ItemAssetRow.item_id))
    missing = {id: int(n) for id, n in session.execute(lacking.add_columns(func.count()))}
    gold = set(session.exec(_gold(project_id).where(col(GoldRow.item_id).in_(ids))))
    return {id: Facts(*cast_.get(id, (0, False)), talk.get(id, 0), missing.get(id, 0), id in gold) for id in ids}


def votes_on(session: Session, *, ids: Sequence[int]) -> Sequence[StoredAnnotation]:
    """Return the current votes on items, oldest first. Corrected votes are left out."""
    newer = aliased(AnnotationRow)
    wanted = (
        select(AnnotationRow)
        .join(ItemRow, col(ItemRow.id) == col(AnnotationRow.item_id))
        .where(
            col(AnnotationRow.item_id).in_(ids),
            *_live_votes(),
            col(AnnotationRow.revision) == col(ItemRow.current_revision),
            ~exists().where(col(newer.supersedes_id) == col(AnnotationRow.id)),
        )
    )
    return reworded.query(session, wanted.order_by(col(AnnotationRow.id)))


def answers_in(session: Session, *, project_id: int, stage: Stage) -> Sequence[StoredAnnotation]:
    """Return the answers of a stage that count, by item."""
    newer = select(AnnotationRow.supersedes_id).where(
        col(AnnotationRow.supersedes_id).is_not(None), AnnotationRow.project_id == project_id
    )
    wanted = select(AnnotationRow).where(
        AnnotationRow.project_id == project_id,
        AnnotationRow.stage == stage,
        AnnotationRow.purpose == Purpose.LIVE,
        col(AnnotationRow.id).not_in(newer),
    )
    return reworded.query(session, wanted.order_by(col(AnnotationRow.item_id)))


# ---- filters on table columns ---------------------------------------------------------------------------------------


def _sorted(within: ListScope, wanted: ItemFilter, sort: str, down: bool, *more: Any) -> Any:
    """Return the query for the ids of items that pass the database's filters, in the requested order."""
    statement = plain_select(col(ItemRow.id), *more).where(*_conditions(within, wanted))
    compared = wanted.differ is not None or sort == "differ"
    votes = _votes(within.project_id, compared=compared) if wanted.votes or compared or sort == "votes" else None
    n, differ = _none, _none
    if votes is not None:
        statement = statement.join(votes, votes.c.item_id == col(ItemRow.id), isouter=True)
        n, differ = func.coalesce(votes.c.n, 0), func.coalesce(votes.c.differ, 0)
        if wanted.votes:
            low, high = wanted.votes.low, wanted.votes.high
            statement = statement.where(n >= low) if low is not None else statement
            statement = statement.where(n <= high) if high is not None else statement
        if wanted.differ is not None:
            statement = statement.where(differ == int(wanted.differ))
    key: Any = None
    if sort in ("votes", "differ"):
        key = n if sort == "votes" else differ
    elif sort == "comments":
        comments = _comments(within.project_id)
        statement = statement.join(comments, comments.c.item_id == col(ItemRow.id), isouter=True)
        key = func.coalesce(comments.c.n, 0)
    elif sort == "author":
        statement = statement.join(PersonRow, col(PersonRow.id) == col(ItemRow.author_id), isouter=True)
        key = func.coalesce(col(PersonRow.login), "")
    elif sort == "missing":
        key = case((col(ItemRow.id).in_(_lacking()), 1), else_=0)
    elif sort == "version":
        numbers = [(col(RevisionRow.schema_version_id) == id, number) for id, number in within.versions.items()]
        statement = statement.join(RevisionRow, _present())
        key = case(*numbers, else_=0) if numbers else None
    elif sort in _PLAIN:
        key = _PLAIN[sort]
    last = col(ItemRow.id).desc() if down else col(ItemRow.id)
    return statement.order_by(*([] if key is None else [key.desc() if down else key]), last)


_none: Any = None
_PLAIN: Mapping[str, Any] = {
    "id": col(ItemRow.external_id),
    "dimension": col(ItemRow.dimension),
    "state": col(ItemRow.state),
    "priority": col(ItemRow.priority),
}


def _conditions(within: ListScope, wanted: ItemFilter) -> list[ColumnElement[bool]]:
    id, project_id = col(ItemRow.id), within.project_id
    conditions: list[ColumnElement[bool]] = [col(ItemRow.project_id) == project_id]

    def put(condition: Any, holds: bool | None) -> None:
        if holds is not None:
            conditions.append(condition if holds else ~condition)

    if within.reader is not None:
        conditions.append(id.not_in(_closed(within)))
    if wanted.ids:
        conditions.append(col(ItemRow.external_id).in_(wanted.ids))
    if wanted.state:
        conditions.append(col(ItemRow.state).in_(wanted.state))
    if wanted.dimension:
        conditions.append(col(ItemRow.dimension).in_(wanted.dimension))
    if wanted.author:
        conditions.append(
            col(ItemRow.author_id).is_(None)
            if wanted.author == FROM_FILE
            else col(ItemRow.author_id).in_(_person(wanted.author))
        )
    if wanted.voter:
        voted = plain_select(col(AnnotationRow.item_id)).where(
            col(AnnotationRow.person_id).in_(_person(wanted.voter)),
            col(AnnotationRow.project_id) == project_id,
            *_live_votes(),
        )
        conditions.append(id.in_(voted))
    if wanted.comments is Comments.OPEN:
        conditions.append(id.in_(comment_threads.waiting_for_an_answer(project_id)))
    elif wanted.comments is not None:
        talked = plain_select(col(CommentRow.item_id)).where(col(CommentRow.project_id) == project_id)
        put(id.in_(talked), wanted.comments is Comments.ANY)
    put(id.in_(_lacking()), wanted.missing)
    put(id.in_(events.with_authors(project_id)), wanted.with_author)
    put(id.in_(_gold(project_id)), wanted.gold)
    put(id.in_(within.qualifying), wanted.qualification)
    put(id.in_(_expired(project_id)), wanted.expired)
    if wanted.version is not None:
        under = [known for known, number in within.versions.items() if number == wanted.version]
        given = plain_select(col(RevisionRow.item_id)).join(ItemRow, _present())
        given = given.where(col(ItemRow.project_id) == project_id, col(RevisionRow.schema_version_id).in_(under))
        conditions.append(id.in_(given.correlate(None)))
    return conditions


def _person(login: str) -> Any:
    return plain_select(col(PersonRow.id)).where(col(PersonRow.login) == login.strip().casefold())


def _present() -> ColumnElement[bool]:
    """Return the condition that a revision is the current one of its item."""
    return and_(col(RevisionRow.item_id) == col(ItemRow.id), col(RevisionRow.number) == col(ItemRow.current_revision))


def _live_votes() -> tuple[ColumnElement[bool], ...]:
    return col(AnnotationRow.stage).in_(VERIFICATIONS), col(AnnotationRow.purpose) == Purpose.LIVE


def _votes(project_id: int, ids: Sequence[int] | None = None, *, compared: bool = True) -> Any:
    """Return the subquery that counts the current votes on each item (``n``).

    If ``compared``, it also tells whether the votes of one stage differ (``differ``, 0 or 1).
    """
    newer = aliased(AnnotationRow)
    ballot = cast(col(AnnotationRow.answers), Text)
    of_stage: Any = (
        plain_select(
            col(AnnotationRow.item_id).label("item_id"),
            func.count().label("n"),
            (func.count(distinct(ballot)) if compared else func.count()).label("kinds"),
        )
        .join(ItemRow, col(ItemRow.id) == col(AnnotationRow.item_id))
        .where(
            # not both conditions: SQLite would scan all votes of the project for a few items
            col(AnnotationRow.project_id) == project_id if ids is None else col(AnnotationRow.item_id).in_(ids),
            *_live_votes(),
            col(AnnotationRow.revision) == col(ItemRow.current_revision),
            ~exists().where(col(newer.supersedes_id) == col(AnnotationRow.id)),
        )
        .group_by(col(AnnotationRow.item_id), col(AnnotationRow.stage))
    )
    by_stage = of_stage.subquery()
    return (
        plain_select(
            by_stage.c.item_id,
            cast(func.sum(by_stage.c.n), Integer).label("n"),
            func.max(case((by_stage.c.kinds > 1, 1), else_=0)).label("differ"),
        )
        .group_by(by_stage.c.item_id)
        .subquery()
    )


def _comments(project_id: int, ids: Sequence[int] | None = None) -> Any:
    """Return the subquery that counts the comments on each item (``n``)."""
    comments: Any = (
        plain_select(col(CommentRow.item_id).label("item_id"), func.count().label("n"))
        .where(col(CommentRow.project_id) == project_id)
        .group_by(col(CommentRow.item_id))
    )
    return (comments if ids is None else comments.where(col(CommentRow.item_id).in_(ids))).subquery()


def _lacking() -> Any:
    """Return the query for items that name a missing image or clip."""
    return (
        plain_select(col(ItemAssetRow.item_id))
        .join(AssetRow, col(AssetRow.id) == col(ItemAssetRow.asset_id))
        .where(col(AssetRow.sha256).is_(None))
    )


def _expired(project_id: int) -> Any:
    """Return the query for items about which an answer came after the lease had ended."""
    lost = plain_select(col(TaskRow.item_id)).join(DraftRow, col(DraftRow.task_id) == col(TaskRow.id))
    lost = lost.where(col(DraftRow.lost).is_(True), col(TaskRow.project_id) == project_id)
    return lost.where(col(TaskRow.item_id).is_not(None))


def has_expired(session: Session, *, project_id: int) -> bool:
    """Tell whether an answer of the project came after its lease had ended, also about an unfinished item."""
    lost = plain_select(col(DraftRow.task_id)).join(TaskRow, col(DraftRow.task_id) == col(TaskRow.id))
    lost = lost.where(col(DraftRow.lost).is_(True), col(TaskRow.project_id) == project_id)
    return session.execute(lost.limit(1)).first() is not None


def _gold(project_id: int) -> Any:
    return select(GoldRow.item_id).where(GoldRow.project_id == project_id, col(GoldRow.withdrawn_at).is_(None))


def _closed(within: ListScope) -> Any:
    """Return the query for items hidden from the reader, at least those that ``visibility_of`` hides.

    The reader has claimed the item, or gave an answer that is still waiting for others' answers and can be taken back.
    Unless ``own``, an item also is hidden while anyone has an open blind task about it.
    """
    other = aliased(TaskRow)
    unfinished = or_(col(other.state).in_((TaskState.OPEN, TaskState.CLAIMED)), col(other.correcting))
    mine = and_(
        col(TaskRow.person_id) == within.reader,
        or_(
            col(TaskRow.state) == TaskState.CLAIMED,
            col(TaskRow.correcting),
            col(ItemRow.state).in_(UNSETTLED),
            exists().where(col(other.unit) == col(TaskRow.unit), unfinished),
        ),
    )
    waits = or_(col(TaskRow.state).in_((TaskState.OPEN, TaskState.CLAIMED)), col(TaskRow.correcting))
    return (
        plain_select(col(TaskRow.item_id))
        .join(ItemRow, col(ItemRow.id) == col(TaskRow.item_id))
        .where(
            col(TaskRow.project_id) == within.project_id,
            col(TaskRow.stage).in_(BLIND),
            col(TaskRow.state) != TaskState.WITHDRAWN,
            mine if within.own else or_(mine, waits),
        )
        .distinct()
    )


# ---- filters on content ---------------------------------------------------------------------------------------------


def _looked_at(session: Session, within: ListScope, wanted: ItemFilter, sort: str, down: bool) -> list[int]:
    """Return the ids of all items that fit, in the requested order, after checking their content."""
    name = sort.removeprefix(OF_FIELD) if sort.startswith(OF_FIELD) else None
    statement = _sorted(within, wanted, "" if name else sort, down).add_columns(
        col(ItemRow.external_id), col(ItemRow.public_id), col(RevisionRow.content), col(RevisionRow.schema_version_id)
    )
    if sort != "version":
        statement = statement.join(RevisionRow, _present())
    anew = reworded.differs(session, project_id=within.project_id)
    if not anew:
        statement = statement.where(*_likely(wanted))
    matching: list[int] = []
    keys: dict[int, tuple[int, float, str]] = {}
    text = wanted.text.lower()
    for id, external, public, given, version in session.execute(statement.execution_options(yield_per=_AT_ONCE)):
        content = given
        if anew:
            about = {"item_id": id, "project_id": within.project_id}
            content = reworded.content(session, version=version, given=given, **about)
        if text and not (text in external.lower() or text == public.lower() or _says(content, text)):
            continue
        if all(test.holds(content) for test in wanted.where):
            matching.append(id)
            if name:
                keys[id] = sort_key(content.get(name))
    if name is None:
        return matching
    there = sorted((id for id in matching if keys[id][0] < 2), key=keys.__getitem__, reverse=down)
    return there + [id for id in matching if keys[id][0] == 2]


_NO_TEXT = frozenset("0123456789eE+-.,:[]{} nulltruefalse")
"""The characters that JSON uses outside of strings."""


def _told_by_json(session: Session, within: ListScope, text: str) -> bool:
    """Tell whether searching the JSON of an item's content finds exactly the items that contain a text.

    JSON must store the text unchanged, no field name may contain it, and it must not be mistaken for JSON syntax.
    """
    return (
        _AS_TYPED.fullmatch(text) is not None
        and not set(text.lower()) <= _NO_TEXT
        and not any(text.lower() in name.lower() for name in within.names)
        and not reworded.differs(session, project_id=within.project_id)
    )


def _says(content: Mapping[str, Any], text: str) -> bool:
    return any(text in text_part.lower() for text_part in texts(content))


_AS_TYPED = re.compile(r"[ !#-\[\]-~]+")
"""Characters that JSON stores unchanged."""


def _likely(wanted: ItemFilter) -> list[ColumnElement[bool]]:
    """Return conditions that every matching item meets: it contains the longest part that JSON stores unchanged."""
    content = cast(col(RevisionRow.content), Text)
    conditions: list[ColumnElement[bool]] = []
    if part := likely_part(wanted.text):
        conditions.append(
            or_(*(column.ilike(part, escape="!") for column in (content, col(ItemRow.external_id))), _named(wanted))
        )
    for test in wanted.where:
        if test.how != ":" and (part := likely_part(test.value)) and not _may_be_number(test.value):
            conditions.append(content.ilike(part, escape="!"))
    return conditions


def _named(wanted: ItemFilter) -> ColumnElement[bool]:
    return func.lower(col(ItemRow.public_id)) == wanted.text.lower()


def likely_part(text: str) -> str:
    """Return the LIKE pattern for the longest part of a text that JSON stores unchanged, or an empty string."""
    part = max(_AS_TYPED.findall(text), key=len, default="")
    return "%" + re.sub(r"([%_!])", r"!\1", part) + "%" if part else ""


def _may_be_number(text: str) -> bool:
    """Tell whether a text may be a number as typed by a person, which JSON may write differently."""
    return not re.search(r"[a-df-z ]", text.lower())
