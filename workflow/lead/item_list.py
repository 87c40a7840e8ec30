"""The table of a project's items with filters, sorting and pages, for leads and for seniors within their rights.

Items that a person is or may be asked about blind are in none of their lists. Being found, being counted, and the
position in a sorted list would all reveal facts about an item.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from annotation_schemas.answer_words import reason_label
from annotation_schemas.keys import key_is_private
from db import item_list, item_revisions, items, people, qualifications
from db.engine import Session, Store
from db.item_list import ListScope
from db.records import StoredItem
from domain.errors import ConflictError, InvalidInputError, NotAllowedError, NotFoundError, Problem
from domain.item_counts import ItemCounts
from domain.item_filter import COLUMNS, LEADS_COLUMNS, OF_FIELD, OPEN_COLUMNS, UNSORTED, ItemFilter, ItemList
from domain.records import AssetView, Person
from domain.roles import Role, at_least
from domain.states import UNSETTLED, ItemState, Stage
from workflow.access.item_counts import count_project
from workflow.access.projects import Access, access_to
from workflow.access.visibility import visibility_of
from workflow.annotate.item_titles import title_in
from workflow.annotate.task_views import asset_view
from workflow.lead import answer_matches

FOR_SENIORS_ONLY = "Only seniors and leads see the table of items. Ask a senior or lead."
KEY_IS_PRIVATE = (
    "The keys of this benchmark are private. Only leads see the table of items, because the table shows the "
    "keys. Ask a lead."
)


@dataclass(frozen=True)
class ItemLine:
    """An item as a line of the table. Values that the reader may not see are None."""

    item: str
    """The item's id on pages."""
    name: str
    """The item's id in files."""
    title: str
    dimension: str
    state: ItemState
    comments: int
    missing: int
    """The number of its missing images and clips."""
    version: int
    priority: int
    author: str | None
    """A login; empty: it came from a file."""
    votes: int | None
    differ: bool | None
    reasons: tuple[str, ...] | None
    """The reasons that raters gave with their votes, once the item is settled."""
    checks: tuple[str, ...] | None
    """The other uses of the item: "gold check", "qualification"."""
    content: Mapping[str, Any]
    assets: Sequence[AssetView]

    def says(self, column: str) -> str:
        """Return the value of a column as plain text."""
        if column.startswith(OF_FIELD):
            value = self.content.get(column.removeprefix(OF_FIELD))
            return "" if value is None else value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        if column == "differ":
            return {True: "yes", False: "no", None: ""}[self.differ]
        value = getattr(self, "name" if column == "id" else column)
        return ", ".join(value) if isinstance(value, tuple) else "" if value is None else str(value)


@dataclass(frozen=True)
class ItemPage:
    """A page of the table."""

    lines: Sequence[ItemLine]
    n: int
    """The number of matching items on all pages."""
    counts: ItemCounts
    """The counts of the whole project, with the items that are hidden from the reader."""
    without_media: int
    """The number of matching items with a missing image or clip."""
    has_expired: bool
    """Whether a lead finds items with answers that came after the lease had ended."""
    columns: tuple[str, ...]
    """The shown columns: keys of ``COLUMNS``, and names of fields after ``OF_FIELD``."""


def offered(access: Access) -> dict[str, str]:
    """Return the columns that a person may see and sort by, with their titles."""
    fields = {OF_FIELD + field.name: field.name.replace("_", " ").capitalize() for field in access.schema.item.fields}
    return {**OPEN_COLUMNS, **(LEADS_COLUMNS if at_least(access.role, Role.LEAD) else {}), **fields}


def columns_of(store: Store, *, person: Person | None, project: str) -> dict[str, str]:
    """Return the same as ``offered``, for a project."""
    with store.read() as session:
        return offered(seeing(session, person, project))


def listing(store: Store, *, person: Person | None, project: str, asked: ItemList) -> ItemPage:
    """Return a page of the table. ``person`` None is a command on the machine itself, which sees every item.

    If the page shows a lead which items are gold checks, the lead is no longer asked about these items blind.

    Raises
    ------
    NotAllowedError
        The person is an annotator, or a senior who asks for private keys or for columns of leads.
    InvalidInputError
        The project has no such column, field, dimension or version.
    """
    wanted = answer_matches.resolved(store, person=person, project=project, wanted=asked.filter)
    with store.read() as session:
        access = seeing(session, person, project)
        columns = _checked(access, asked)
        within = _within(session, access, person)
        offset = (asked.page - 1) * asked.size
        given: dict[str, Any] = {"within": within, "wanted": wanted, "sort": asked.sort, "down": asked.down}
        ids, n = item_list.page(session, **given, offset=offset, limit=asked.size)
        counts = count_project(session, access=access, reader=within)
        without_media = _count_without_media(session, within, wanted) if n and counts.without_media else 0
        expired = within.own and item_list.has_expired(session, project_id=access.project_id)
        lines = _lines(session, access, within, ids, reasons="reasons" in columns)
    shows_checks = "checks" in columns or asked.filter.gold is not None
    gold = [id for id, line in zip(ids, lines, strict=True) if shows_checks and "gold check" in (line.checks or ())]
    if gold and person is not None:
        with store.write() as session:
            qualifications.note_insights(session, item_ids=gold, person_id=person.id, now=store.now())
    return ItemPage(lines, n, counts, without_media, expired, columns)


def _count_without_media(session: Session, within: ListScope, wanted: ItemFilter) -> int:
    if wanted.missing is False:
        return 0
    _, n = item_list.page(session, within=within, wanted=replace(wanted, missing=True), limit=1)
    return n


@dataclass(frozen=True)
class ItemDetail:
    """One item of the table."""

    line: ItemLine
    ends_blindness: bool
    """Whether the reader may be asked about the item blind, unless they look at its votes."""


def detail(store: Store, *, person: Person, project: str, item: str) -> ItemDetail:
    """Return one item of the table by its id on pages or in files.

    Raises
    ------
    NotAllowedError
        The person may not see the table, or is asked about the item blind.
    NotFoundError
        The project has no such item.
    """
    with store.read() as session:
        access = seeing(session, person, project)
        row = items.by_public_id(session, project_id=access.project_id, public_id=item) or items.by_external_id(
            session, project_id=access.project_id, external_id=item
        )
        if row is None:
            raise NotFoundError(f"{access.title} has no item {item!r}. Choose an item in the table.")
        seen = visibility_of(session, access=access, person=person, item=row)
        if seen.blind:
            raise NotAllowedError(seen.blind)
        (line,) = _lines(session, access, _within(session, access, person), [row.id])
        return ItemDetail(line, bool(seen.asked))


def names(store: Store, *, person: Person | None, project: str, wanted: ItemFilter) -> tuple[str, ...]:
    """Return the ids in files of all matching items, in the order in which they came. Raises the errors of
    ``listing``.
    """
    matched = answer_matches.resolved(store, person=person, project=project, wanted=wanted)
    with store.read() as session:
        access = seeing(session, person, project)
        _checked(access, ItemList(wanted))
        wanted = matched
        ids, _ = item_list.page(session, within=_within(session, access, person), wanted=wanted)
        return tuple(row.external_id for row in item_list.rows(session, ids=ids))


@dataclass(frozen=True)
class ItemSelection:
    """Items that something is to be done to: those of a list that are ticked, or all that fit."""

    wanted: ItemFilter
    names: tuple[str, ...]
    """Ids as in files, in the order in which they came."""
    gone: tuple[str, ...] = ()
    """The ticked items that do not match or do not exist."""
    every: bool = False
    """All matching items are selected."""


def picked(
    store: Store, *, person: Person | None, project: str, wanted: ItemFilter, ticked: Sequence[str] | None
) -> ItemSelection:
    """Return the selected items of the present list; all matching ones if ``ticked`` is None. Raises errors of
    ``listing``.
    """
    names_now = names(store, person=person, project=project, wanted=_among(wanted, ticked))
    gone = () if ticked is None else tuple(name for name in ticked if name not in set(names_now))
    return ItemSelection(wanted, names_now, gone, ticked is None)


def must_be_as(store: Store, *, person: Person | None, project: str, seen: ItemSelection) -> None:
    """Raise ``ConflictError``, with the items that left or came, if a list has changed since a person saw it."""
    ticked = None if seen.every else seen.names
    now = names(store, person=person, project=project, wanted=_among(seen.wanted, ticked))
    here, there = set(now), set(seen.names)
    gone = [name for name in seen.names if name not in here]
    new = [name for name in now if name not in there]
    sentences = [
        f"{what}: {first_names(which)}."
        for what, which in (("No longer in the list", gone), ("New in the list", new))
        if which
    ]
    if sentences:
        raise ConflictError(
            "The list has changed since you opened the page, so nothing was done. Check the list, then try again. "
            f"{' '.join(sentences)}"
        )


def first_names(names: Sequence[str], most: int = 20) -> str:
    """Return names in a row, and the number of further ones."""
    more = f" and {len(names) - most:,} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more


def _among(wanted: ItemFilter, ticked: Sequence[str] | None) -> ItemFilter:
    """Return a filter for these items only. It matches no item if no ticked item is asked for."""
    if ticked is None:
        return wanted
    asked = set(wanted.ids)
    return replace(wanted, ids=tuple(name for name in ticked if not asked or name in asked) or ("",))


def seeing(session: Session, person: Person | None, project: str) -> Access:
    """Return the access of a person who may see the table of items. Raises ``NotAllowedError`` for others."""
    access = access_to(session, person=person, project=project)
    if not at_least(access.role, Role.SENIOR):
        raise NotAllowedError(FOR_SENIORS_ONLY)
    if key_is_private(access.schema) and not at_least(access.role, Role.LEAD):
        raise NotAllowedError(KEY_IS_PRIVATE)
    return access


def _within(session: Session, access: Access, person: Person | None) -> ListScope:
    qualifying: set[int] = set()
    for stage in Stage:
        if made := qualifications.sets(session, project_id=access.project_id, stage=stage):
            qualifying.update(made[-1].item_ids)
    return ListScope(
        project_id=access.project_id,
        reader=person.id if person is not None else None,
        own=at_least(access.role, Role.LEAD),
        names=[field.name for field in access.schema.item.fields],
        versions=access.reading.numbers or {access.schema_version_id: access.schema.version},
        qualifying=sorted(qualifying),
    )


def _checked(access: Access, asked: ItemList) -> tuple[str, ...]:
    """Return the columns to show. Raises an error for unknown columns, or those that the reader may not ask for."""
    known, wanted = offered(access), asked.filter
    if not_theirs := barred(access, asked):
        raise NotAllowedError(
            f"Only leads may list items by {not_theirs[0]}, because other people vote on items blind. Choose "
            "other columns and filters."
        )
    problems: list[Problem] = []
    for name in filter(None, (asked.sort, *asked.columns)):
        if name not in known:
            problems.append(Problem("columns", f"There is no column {name!r}. Columns: {', '.join(known)}."))
    if asked.sort in UNSORTED:
        problems.append(
            Problem("sort", f"You cannot sort items by {COLUMNS[asked.sort].lower()}. Choose another column.")
        )
    fields = [field.name for field in access.schema.item.fields]
    dimensions = [dimension.id for dimension in access.schema.dimensions]
    problems += [
        Problem("where", f"Items have no field {test.name!r}. Fields: {', '.join(fields)}.")
        for test in wanted.where
        if test.name not in fields
    ]
    problems += [
        Problem("dimension", f"The schema has no dimension {name!r}. Dimensions: {', '.join(dimensions)}.")
        for name in wanted.dimension
        if name not in dimensions
    ]
    if problems:
        raise InvalidInputError(problems)
    return asked.columns or usual_columns(wanted, lead=at_least(access.role, Role.LEAD))


def barred(access: Access, asked: ItemList) -> list[str]:
    """Return the filters and columns of a list that a person may not use."""
    if at_least(access.role, Role.LEAD):
        return []
    return [*asked.filter.for_leads(), *(column for column in (asked.sort, *asked.columns) if column in LEADS_COLUMNS)]


def usual_columns(wanted: ItemFilter, *, lead: bool) -> tuple[str, ...]:
    """Return the default columns of a filtered list."""
    if not lead:
        return ("dimension", "state", "comments")
    reasons = ("reasons",) if wanted.state == (ItemState.REJECTED,) else ()
    return ("dimension", "state", "votes", "differ", *reasons)


def _lines(
    session: Session, access: Access, within: ListScope, ids: Sequence[int], *, reasons: bool = False
) -> list[ItemLine]:
    rows = item_list.rows(session, ids=ids)
    contents = item_revisions.present_contents(session, ids=ids, project_id=access.project_id)
    facts = item_list.facts(session, project_id=access.project_id, ids=ids)
    assets = items.assets_of(session, ids=ids)
    logins = people.logins(session, ids=[row.author_id for row in rows if row.author_id is not None])
    lead = at_least(access.role, Role.LEAD)
    qualifying = set(within.qualifying)
    given = _reasons(session, access, rows) if lead and reasons else {}

    def line(row: StoredItem) -> ItemLine:
        content, version = contents[row.id]
        numbers = facts[row.id]
        checks = (*(("gold check",) * numbers.gold), *(("qualification",) * (row.id in qualifying)))
        return ItemLine(
            item=row.public_id,
            name=row.external_id,
            title=title_in(access, content),
            dimension=row.dimension,
            state=row.state,
            comments=numbers.comments,
            missing=numbers.missing,
            version=within.versions.get(version, access.schema.version),
            priority=row.priority,
            author=logins.get(row.author_id or 0, "") if lead else None,
            votes=numbers.votes if lead else None,
            differ=numbers.differ if lead else None,
            reasons=tuple(given.get(row.id, ())) if lead else None,
            checks=checks if lead else None,
            content=content,
            assets=[asset_view(asset, media, link.role) for link, asset, media in assets.get(row.id, [])],
        )

    return [line(row) for row in rows]


def _reasons(session: Session, access: Access, rows: Sequence[StoredItem]) -> dict[int, dict[str, None]]:
    """Return the reasons behind the votes on settled items, by item, in the words of the schema."""
    found: dict[int, dict[str, None]] = {}
    settled = [row.id for row in rows if row.state not in UNSETTLED]
    for vote in item_list.votes_on(session, ids=settled):
        verification = access.schema.stages.verifications.get(vote.stage)
        criteria = verification.criteria if verification is not None else ()
        for name, reason in vote.reasons.items():
            if reason and vote.item_id is not None:
                found.setdefault(vote.item_id, {})[reason_label(criteria, name, reason)] = None
    return found
