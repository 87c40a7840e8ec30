"""Queries on the event log."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import cache
from typing import Any

from sqlalchemy import ColumnElement, bindparam, func, or_
from sqlmodel import Session, col, select

from db import prepared
from db.many_rows import insert_all
from db.records import StoredEvent
from db.tables import EventRow, ItemRow, PersonRow, ProjectRow
from domain.origin import origin
from domain.project_parts import PASSING

_INSERT = prepared.insertion(EventRow)


def record(
    session: Session,
    *,
    at: datetime,
    kind: str,
    project_id: int | None = None,
    person_id: int | None = None,
    item_id: int | None = None,
    task_id: int | None = None,
    data: Mapping[str, Any] | None = None,
) -> None:
    """Add an event to the log."""
    line = {
        "at": at,
        "kind": kind,
        "project_id": project_id,
        "person_id": person_id,
        "item_id": item_id,
        "task_id": task_id,
        "origin": origin(),
        "data": dict(data or {}),
    }
    prepared.run(session, _INSERT, line)


def record_of_items(
    session: Session,
    *,
    at: datetime,
    kind: str,
    project_id: int,
    person_id: int | None,
    items: Mapping[int, Mapping[str, Any]],
) -> None:
    """Add one event per item to the log. ``items`` holds the data of each event, by item id."""
    same = {"at": at, "kind": kind, "project_id": project_id, "person_id": person_id, "task_id": None}
    same["origin"] = origin()
    session.flush()
    insert_all(session, EventRow, [{**same, "item_id": id, "data": dict(data)} for id, data in items.items()])


GIVEN = ("task.claimed", "pool.picked", "task.given")
"""Kinds of events by which someone gets a task."""

TAKEN_AWAY = ("task.taken_away", "task.reassigned")
"""Kinds of events by which another person takes a task from someone: ``from`` is the login."""

BOARD_PUBLISHED, BOARD_WITHDRAWN = "leaderboard.published", "leaderboard.withdrawn"
"""Kinds of events: a project's leaderboard became public, or became hidden from people without an account."""

LOOKED = "history.read"
"""The kind of event: someone has looked at others' votes on an item."""

VIEW_SAVED, VIEW_RENAMED, VIEW_DELETED = VIEWS = ("view.saved", "view.renamed", "view.deleted")
"""Kinds of events about saved lists of items: ``view`` is the id of the list."""

CALIBRATION_RULE = "calibration.rule"
"""The kind of event: the ``rule`` of the verdict on judges was stored. The rule in force is read from the log."""

RELEASED, RELEASE_SAID = "release.created", "release.said"
"""Kinds of events: a release was created, or the description of later releases was changed."""

NARRATED, GOALS_SAVED = VIDEO_GOALS = ("goals.narrated", "goals.saved")
"""Kinds of events that hold the current narrations of a ``video``, and its current goals. Pages read them."""

SENT_BACK = "item.sent_back"
"""The kind of event: an item was sent back to its author, who has to change its ``revision``, and ``why``."""

FACES_LOOKED, COVERED = "privacy.looked", "privacy.decided"
"""Kinds of events: detectors have looked for faces and plates; someone has decided which regions to cover.

The second is more than history: it says which files are withheld, and which files replace them.
"""

PICTURE_MARKED, MARKS_APPLIED = "privacy.marked", "privacy.applied"
"""Kinds of events: a lead marks regions of a picture (``file``) on the Privacy page; a lead covers the marked regions.

Both are more than history: the page reads the marks from the log.
"""

QUESTIONS_MADE = "goals.asked"
"""The kind of event: questions were made from goals, with the number per step and the settings."""

FRAMES_POOLED = "frames.pooled"
"""The kind of event: these frames of videos entered the pool. ``frames`` holds the names of their assets."""

FRAMES_SCREENED, FRAMES_CHOSEN, CHOICES_CLEARED, FRAMES_DECIDED = FRAME_CHOICES = (
    "frames.screened",
    "frames.chosen",
    "frames.choices_cleared",
    "frames.decided",
)
"""Kinds of events about a ``set`` of frames, in this order:

screening ended; a lead selected or deselected frames; selections were cleared; a lead put some frames into the pool
and dropped the others. They are more than history: the page reads the selections from the log.
"""

LOOKING = (
    "export.made",
    FACES_LOOKED,
    PICTURE_MARKED,
    MARKS_APPLIED,
    *FRAME_CHOICES,
    LOOKED,
    RELEASED,
    RELEASE_SAID,
    BOARD_PUBLISHED,
    BOARD_WITHDRAWN,
    *VIEWS,
)
"""Kinds of events that leave a project unchanged. Two releases with only these events between them have one date."""


def last_at(session: Session, *, project_id: int) -> datetime | None:
    """Return when a project last changed: the date of a release of its present state."""
    newest = (
        select(EventRow.id)
        .where(EventRow.project_id == project_id, col(EventRow.kind).not_in(LOOKING))
        .order_by(col(EventRow.id).desc())
        .limit(1)
        .scalar_subquery()
    )
    return session.exec(select(EventRow.at).where(EventRow.id == newest)).first()


WITHOUT_EFFECT = (
    "task.",
    "person.",
    "comment.",
    "history.",
    "export.",
    "release.",
    "leaderboard.",
    "view.",
    "goals.",
    "drafting.",
    "frames.",
    "extension.",
    PICTURE_MARKED,
    MARKS_APPLIED,
)
"""Prefixes of the kinds of events that change no figure of a project."""


def newest(session: Session, *, project_id: int, kind: str | None = None) -> int:
    """Return the id of a project's newest event of a kind, or of any that may change a figure, or 0."""
    wanted = select(func.max(col(EventRow.id))).where(EventRow.project_id == project_id)
    if kind is not None:
        wanted = wanted.where(EventRow.kind == kind)
    else:
        wanted = wanted.where(*(~col(EventRow.kind).startswith(prefix) for prefix in WITHOUT_EFFECT))
    return session.exec(wanted).one() or 0


def newest_of(session: Session, *, project_id: int, kind: str) -> StoredEvent | None:
    """Return the newest event of a kind in a project."""
    wanted = select(EventRow).where(EventRow.project_id == project_id, EventRow.kind == kind)
    return session.exec(wanted.order_by(col(EventRow.id).desc()).limit(1)).first()


def public_board(session: Session, *, project: str) -> StoredEvent | None:
    """Return the event that published the leaderboard of the project with this name, or None if it is not public."""
    of_project = select(ProjectRow.id).where(ProjectRow.name == project).scalar_subquery()
    last = select(func.max(col(EventRow.id))).where(  # no ORDER BY: SQLite would scan back through every event
        EventRow.project_id == of_project, col(EventRow.kind).in_((BOARD_PUBLISHED, BOARD_WITHDRAWN))
    )
    newest = session.exec(select(EventRow).where(EventRow.id == last.scalar_subquery())).first()
    return newest if newest is not None and newest.kind == BOARD_PUBLISHED else None


def was_given_task(session: Session, *, task_id: int, person_id: int) -> bool:
    """Tell whether a person has ever been given a task."""
    wanted = select(EventRow.id).where(
        EventRow.task_id == task_id,
        EventRow.person_id == person_id,
        col(EventRow.kind).in_(GIVEN),
    )
    return session.exec(wanted.limit(1)).first() is not None


def taken_away(session: Session, *, task_id: int, person_id: int, login: str) -> bool:
    """Tell whether a lead took a task from a person who has not been given it since."""
    given = select(func.max(EventRow.id)).where(
        EventRow.task_id == task_id, EventRow.person_id == person_id, col(EventRow.kind).in_(GIVEN)
    )
    wanted = select(EventRow.data).where(
        EventRow.task_id == task_id,
        col(EventRow.kind).in_(TAKEN_AWAY),
        col(EventRow.id) > given.scalar_subquery(),
    )
    return any(data.get("from") == login for data in session.exec(wanted))


def taken_at(session: Session, *, task_id: int, person_id: int, kinds: Sequence[str]) -> datetime | None:
    """Return when a person was first given a task."""
    moment: datetime | None = prepared.first(session, _taken_at(tuple(kinds)), {"task": task_id, "person": person_id})
    return moment


@cache
def _taken_at(kinds: tuple[str, ...]) -> Any:
    wanted = select(EventRow.at).where(
        col(EventRow.task_id) == bindparam("task"),
        col(EventRow.person_id) == bindparam("person"),
        col(EventRow.kind).in_(kinds),
    )
    return wanted.order_by(col(EventRow.id)).limit(1)


def has_looked(session: Session, *, item_id: int, person_id: int, since: datetime) -> bool:
    """Tell whether a person has looked at others' votes on an item since a moment."""
    wanted = select(EventRow.id).where(
        EventRow.item_id == item_id, EventRow.person_id == person_id, EventRow.kind == LOOKED, EventRow.at >= since
    )
    return session.exec(wanted.limit(1)).first() is not None


def lookers(session: Session, *, item_id: int) -> Sequence[int]:
    """Return the people (ids) who have looked at others' votes on an item."""
    wanted = select(EventRow.person_id).where(
        EventRow.item_id == item_id, EventRow.kind == LOOKED, col(EventRow.person_id).is_not(None)
    )
    return [id for id in session.exec(wanted.distinct()) if id is not None]


def of_item(session: Session, *, item_id: int) -> Sequence[StoredEvent]:
    """Return the events of an item, oldest first."""
    return session.exec(select(EventRow).where(EventRow.item_id == item_id).order_by(col(EventRow.id))).all()


def sent_back(session: Session, *, item_id: int, revision: int) -> StoredEvent | None:
    """Return the event that sent this revision of an item back to its author, or None."""
    wanted = select(EventRow).where(EventRow.item_id == item_id, EventRow.kind == SENT_BACK)
    newest = session.exec(wanted.order_by(col(EventRow.id).desc()).limit(1)).first()
    return newest if newest is not None and newest.data["revision"] == revision else None


def with_authors(project_id: int) -> Any:
    """Return the query for the ids of items whose present revision was sent back to its author."""
    of_item = col(ItemRow.id) == col(EventRow.item_id)
    sent_back = select(col(EventRow.item_id)).join(ItemRow, of_item).where(EventRow.project_id == project_id)
    is_present = col(EventRow.data)["revision"].as_integer() == col(ItemRow.current_revision)
    return sent_back.where(EventRow.kind == SENT_BACK, is_present).correlate(None)


def find_events(
    session: Session,
    *,
    project_id: int | None,
    kinds: Sequence[str] = (),
    person_id: int | None = None,
    item_id: int | None = None,
    since: datetime | None = None,
    until: datetime | None = None,
    before: int | None = None,
    offset: int = 0,
    limit: int | None = None,
) -> list[tuple[StoredEvent, str | None, str | None, str | None]]:
    """Return events, newest first, each with the person's login, the item's external id and the project's name.

    ``project_id`` None: events of all projects and events outside projects. A kind that ends with a dot means all kinds
    with that prefix. ``before`` is the id of the last event that is known already.
    """
    wanted = (
        select(EventRow, PersonRow.login, ItemRow.external_id, ProjectRow.name)
        .join(PersonRow, col(PersonRow.id) == EventRow.person_id, isouter=True)
        .join(ItemRow, col(ItemRow.id) == EventRow.item_id, isouter=True)
        .join(ProjectRow, col(ProjectRow.id) == EventRow.project_id, isouter=True)
        .where(*_chosen(project_id, kinds, person_id, item_id, since, until))
    )
    if before is not None:
        wanted = wanted.where(col(EventRow.id) < before)
    return list(session.exec(wanted.order_by(col(EventRow.id).desc()).offset(offset).limit(limit)).all())


def of_kinds(session: Session, *, project_id: int, kinds: Sequence[str]) -> list[tuple[StoredEvent, str | None]]:
    """Return a project's events of rare kinds, with the login of the person who caused each, oldest first."""
    wanted = (
        select(EventRow, PersonRow.login)
        .join(PersonRow, col(PersonRow.id) == EventRow.person_id, isouter=True)
        .where(EventRow.project_id == project_id, col(EventRow.kind).in_(kinds))
    )  # sorted here, because SQLite would scan every event of the project
    return sorted(session.exec(wanted).all(), key=lambda found: found[0].id or 0)


def count(
    session: Session,
    *,
    project_id: int | None,
    kinds: Sequence[str] = (),
    person_id: int | None = None,
    item_id: int | None = None,
    since: datetime | None = None,
    until: datetime | None = None,
) -> int:
    """Count the events that ``find_events`` returns."""
    chosen = _chosen(project_id, kinds, person_id, item_id, since, until)
    return session.exec(select(func.count()).select_from(EventRow).where(*chosen)).one()


def _chosen(
    project_id: int | None,
    kinds: Sequence[str],
    person_id: int | None,
    item_id: int | None,
    since: datetime | None,
    until: datetime | None,
) -> list[ColumnElement[bool]]:
    conditions: list[ColumnElement[bool]] = []
    if project_id is not None:
        conditions.append(col(EventRow.project_id) == project_id)
    else:  # leave out projects in transit
        passing = select(ProjectRow.id).where(col(ProjectRow.name).startswith(PASSING))
        conditions.append(or_(col(EventRow.project_id).is_(None), col(EventRow.project_id).not_in(passing)))
    if kinds:
        whole = [kind for kind in kinds if not kind.endswith(".")]
        begun = [col(EventRow.kind).startswith(kind, autoescape=True) for kind in kinds if kind.endswith(".")]
        conditions.append(or_(col(EventRow.kind).in_(whole), *begun))
    if person_id is not None:
        conditions.append(col(EventRow.person_id) == person_id)
    if item_id is not None:
        conditions.append(col(EventRow.item_id) == item_id)
    if since is not None:
        conditions.append(col(EventRow.at) >= since)
    if until is not None:
        conditions.append(col(EventRow.at) < until)
    return conditions


def kinds(session: Session, *, project_id: int | None) -> list[str]:
    """Return the kinds of events in the log."""
    wanted = select(EventRow.kind).distinct().order_by(col(EventRow.kind))
    return list(session.exec(wanted if project_id is None else wanted.where(EventRow.project_id == project_id)))
