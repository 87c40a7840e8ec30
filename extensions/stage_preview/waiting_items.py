"""A stage as the people in it see it, for seniors and leads. No slot is claimed, and no data is stored."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from annotation_schemas.keys import key_is_private
from annotation_schemas.shown import shown_fields
from db import assets, items, tasks
from db.engine import Session, Store
from db.records import StoredItem, StoredTask
from domain.errors import NotAllowedError, NotFoundError
from domain.records import AssetView, Person, TaskView
from domain.roles import Role, at_least
from domain.states import Stage
from workflow.access.projects import Access, access_to
from workflow.access.visibility import visibility_of
from workflow.annotate.looking import REAL
from workflow.annotate.task_views import asset_view, fields_shown, roles_of

FOR_SENIORS = "Only seniors and leads can preview a stage."
KEY_IS_PRIVATE = "The keys of this benchmark are private, so only leads can preview the items."
SECRET = (
    "This stage shows data that is hidden in blind review, and you may still be asked to review this item blind. "
    "Choose another item."
)
LOOKED_AT = 60
"""The number of slots at the front of the queue among which a preview is searched."""


@dataclass(frozen=True)
class StagePreview:
    """A task that belongs to no person."""

    task: TaskView
    name: str | None
    """The item's id in files; None where an item is to be written."""


def preview(
    store: Store,
    *,
    person: Person,
    project: str,
    stage: Stage,
    item: str = "",
    dimension: str | None = None,
    at: int = 0,
) -> StagePreview:
    """Return the view of an item that a person in this stage gets.

    The item is the named one (its id on pages or in files). Without a name, it is the one at position ``at`` (from 0,
    and wrapping around) among the first that wait and may be shown. For authoring, the view shows the first free
    images, or those of the item. Nothing is stored: no claim, no draft and no exposure, because the view shows nothing
    that annotators do not see.

    Raises
    ------
    NotAllowedError
        The person is an annotator, or the stage is not shown with real items. Or the person has the item in hand,
        or may still be asked about it blind, and would learn something.
    NotFoundError
        The stage or the item does not exist, or no item waits.
    """
    with store.read() as session:
        access = access_to(session, person=person, project=project)
        called = access.schema.stages.title_of(stage)
        _check(access, stage, called)
        if stage is Stage.AUTHORING:
            return _to_write(session, access, item, dimension)
        if item:
            stored_item = _item(session, access, item)
            if why := _closed(session, access, person, stored_item, stage):
                raise NotAllowedError(why)
            slots = tasks.of_item(session, item_id=stored_item.id, stage=stage)
            if not slots:
                raise NotFoundError(f"{stored_item.external_id} has not reached {called} yet. Choose another item.")
            row = slots[-1]
        else:
            waiting = _waiting(session, access, person, stage, dimension)
            shown = [pair for _, pair in zip(range(at + 1), waiting, strict=False)]
            if not shown:
                raise NotFoundError(f"No item that you may see is waiting in {called}.")
            row, stored_item = shown[at % len(shown)]
        answer = items.prediction(session, id=row.prediction_id).text if row.prediction_id is not None else None
        pictures = [
            asset_view(asset, media, link.role) for link, asset, media in items.assets(session, item_id=stored_item.id)
        ]
        fields = fields_shown(session, access=access, row=row, person=person)
        view = _view(access, stage, row.dimension, pictures, item=stored_item.public_id, fields=fields, answer=answer)
        return StagePreview(view, stored_item.external_id)


def _check(access: Access, stage: Stage, called: str) -> None:
    if not at_least(access.role, Role.SENIOR):
        raise NotAllowedError(FOR_SENIORS)
    if getattr(access.schema.stages, stage.value, None) is None:
        raise NotFoundError(f"{access.title} has no stage {called}.")
    if stage not in REAL:
        raise NotAllowedError(
            f"You can preview {called} only with a made-up item, because the stage shows other people's answers or a "
            "comparison."
        )
    if key_is_private(access.schema) and not at_least(access.role, Role.LEAD):
        raise NotAllowedError(KEY_IS_PRIVATE)


def _item(session: Session, access: Access, item: str) -> StoredItem:
    row = items.by_public_id(session, project_id=access.project_id, public_id=item) or items.by_external_id(
        session, project_id=access.project_id, external_id=item
    )
    if row is None:
        raise NotFoundError(f"{access.title} has no item {item!r}. Check the item's ID.")
    return row


def _closed(session: Session, access: Access, person: Person, item: StoredItem, stage: Stage) -> str:
    """Return why an item is not shown to a person in this stage; empty if it may be shown."""
    seen = visibility_of(session, access=access, person=person, item=item)
    fields = shown_fields(access.schema, stage)
    return seen.blind or (SECRET if any(seen.asked.intersection(field.secret_in) for field in fields) else "")


def _waiting(
    session: Session, access: Access, person: Person, stage: Stage, dimension: str | None
) -> Iterator[tuple[StoredTask, StoredItem]]:
    """Yield the first slots in the queue that may be shown, one of each unit."""
    rows = tasks.waiting(session, project_id=access.project_id, stage=stage, dimension=dimension, limit=LOOKED_AT)
    seen = set()
    for row in rows:
        if row.item_id is not None and row.unit not in seen:
            seen.add(row.unit)
            item = items.by_id(session, id=row.item_id)
            if not _closed(session, access, person, item, stage):
                yield row, item


def _to_write(session: Session, access: Access, item: str, dimension: str | None) -> StagePreview:
    dimension = dimension or access.schema.dimensions[0].id
    if item:
        stored_item = _item(session, access, item)
        linked = items.assets(session, item_id=stored_item.id)
        pictures = [asset_view(asset, media, link.role) for link, asset, media in linked]
        return StagePreview(_view(access, Stage.AUTHORING, stored_item.dimension, pictures), None)
    part = access.schema.stages.authoring
    free = assets.free(
        session,
        project_id=access.project_id,
        dimensions=[dimension],
        per_source=part.per_source if part is not None else None,
        after=None,
        limit=LOOKED_AT,
    )
    slots = access.schema.item.assets
    picked = []
    for slot in slots:
        fitting = [pair for pair in free if pair[0].kind == slot.kind and pair not in picked]
        picked += fitting[: max(slot.min, 1)]
    names = [asset.group_name for asset, _ in picked if asset.group_name is not None][:1]
    if names:
        (picked,) = assets.groups(session, project_id=access.project_id, names=names).values()
    roles = roles_of(slots, [asset for asset, _ in picked])
    if roles is None:
        raise NotFoundError("The pool has no free images or clips for an item of this dimension.")
    pictures = [asset_view(asset, media, role) for (asset, media), role in zip(picked, roles, strict=True)]
    return StagePreview(_view(access, Stage.AUTHORING, dimension, pictures), None)


def _view(
    access: Access,
    stage: Stage,
    dimension: str,
    pictures: list[AssetView],
    *,
    item: str | None = None,
    fields: Mapping[str, Any] | None = None,
    answer: str | None = None,
) -> TaskView:
    return TaskView(
        id=f"preview.{stage.value}",
        project=access.name,
        stage=stage,
        dimension=dimension,
        item=item,
        revision=None,
        fields=fields or {},
        assets=tuple(pictures),
        lease_until=datetime.max.replace(tzinfo=UTC),
        answer=answer,
        guideline=access.loaded.guideline_hash,
    )
