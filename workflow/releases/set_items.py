"""The items of a set, as statistics over items read them: their fields by role, their media and their labels.

``members_of`` reads the items of a project. ``mark`` and ``size`` say when a statistic over items is out of date, and
how much work it is.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from annotation_schemas import kinds
from annotation_schemas.formats import FORMATS
from annotation_schemas.keys import key_field, options_field, reference_field
from annotation_schemas.model import Schema
from db import events, items, releases
from db.engine import Session, Store
from domain.english import with_noun
from domain.records import Person
from domain.states import Items
from workflow.access.counted_items import CountedItems
from workflow.access.projects import Access, require_lead
from workflow.results import attributes

_AT_ONCE = 500


@dataclass(frozen=True)
class Roles:
    """The field of an item for each role; None if no field has the role."""

    question: str | None = None
    answer: str | None = None
    options: str | None = None
    goal: str | None = None
    progress: str | None = None
    """Timed parts of a clip, each with the action that is done in it."""
    video: str | None = None
    origin: str | None = None
    """The collection that it came from."""
    scene: str | None = None
    concept: str | None = None


def roles_of(schema: Schema) -> Roles:
    """Return the roles of a schema's fields: as its format declares them; otherwise by their names and kinds."""
    fields = {part.name: kinds.of_field(part) for part in schema.item.fields}
    answer = key_field(schema) or reference_field(schema)
    row = FORMATS.get(schema.source.format) if schema.source else None
    keys = row.keys if row is not None else None

    def named(*names: str | None) -> str | None:
        return next((name for name in names if name in fields), None)

    texts = (name for name, kind in fields.items() if kind.holds == "text" and not kind.chosen and name != answer)
    return Roles(
        question=named("question") or next(texts, None),
        answer=answer,
        options=options_field(schema),
        goal=named(keys.goal if keys else None, "goal"),
        progress=next((name for name, kind in fields.items() if kind.timed), None),
        video=named(keys.video if keys else None, "video_id", "video"),
        origin=named(keys.origin if keys else None),
        scene=named("scene"),
        concept=named("concept"),
    )


@dataclass(frozen=True)
class Media:
    """An image or clip of an item."""

    kind: str
    name: str
    source: str | None = None
    seconds: float | None = None


@dataclass(frozen=True)
class Member:
    """An item of a set."""

    dimension: str
    fields: Mapping[str, Any]
    media: Sequence[Media] = ()
    labels: Mapping[str, Any] = field(default_factory=dict)
    """The imported labels of the item."""
    group: str | None = None
    id: str = ""
    """The item's id in files, if the caller asked for ids."""


def members_of(
    session: Session, access: Access, rows: Sequence[items.OutgoingItem], labels: attributes.Said
) -> Iterator[Member]:
    """Yield these items with all values that a set's statistics count, read in lots."""
    todo = iter(rows)
    while lot := list(islice(todo, _AT_ONCE)):
        revisions = {row.id: row.current_revision for row in lot}
        contents = releases.contents(session, project_id=access.project_id, revisions=revisions)
        media: dict[int, list[Media]] = {}
        for asset in releases.assets(session, item_ids=list(revisions)):
            media.setdefault(asset.item_id, []).append(Media(asset.kind, asset.name, asset.source, asset.duration))
        for row in lot:
            own = labels.get(row.external_id, {})
            yield Member(row.dimension, contents[row.id], media.get(row.id, ()), own, id=row.external_id)


def said_of(item: Member, name: str | None, label: str) -> str | None:
    """Return what an item's field says; otherwise its imported label. ``name`` is the field of this role."""
    return field_of(item, name) or label_of(item, label)


def field_of(item: Member, name: str | None) -> str | None:
    """Return the value of a field as a text."""
    return _text(item.fields.get(name)) if name is not None else None


def label_of(item: Member, label: str) -> str | None:
    """Return the value of an imported label as a text."""
    return _text(item.labels.get(label))


def _text(value: Any) -> str | None:
    return str(value) if value not in (None, "", [], ()) else None


def video_of(item: Member, roles: Roles) -> str | None:
    """Return the video or other source of an item; None if the source is unknown."""
    if video := said_of(item, roles.video, "video"):
        return video
    return next((medium.source for medium in item.media if medium.source), None)


# ---- which items, and their state ------------------------------------------------------------------------------------


def mark(store: Store, *, by: Person | None, project: str) -> tuple[int | str, ...]:
    """Return a state that changes whenever the statistics may change."""
    with store.read() as session:
        access = require_lead(session, by=by, project=project)
        id = access.project_id
        n = items.count(session, project_id=id)
        return (access.began, access.title, access.loaded.hash, n, events.newest(session, project_id=id))


def size(store: Store, *, by: Person | None, project: str) -> int:
    """Return the number of items."""
    with store.read() as session:
        return items.count(session, project_id=require_lead(session, by=by, project=project).project_id)


def which_items(counted: CountedItems, n: int) -> str:
    """Return which items are counted, as a sentence."""
    if counted.which is Items.KEPT:
        return f"The {with_noun(n, 'item')} that verification has kept."
    return f"{'The only item' if n == 1 else f'All {n:,} items'}{f', as {counted.why_all}' if counted.why_all else ''}."
