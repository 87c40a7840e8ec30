"""The images about which a model may propose items: those that are free in a project's pool, as authors pick them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from annotation_schemas.model import LoadedSchema
from db import assets as stock
from db.engine import Session, Store
from db.records import StoredAsset
from domain.errors import InvalidInput, Problem
from domain.records import Person
from domain.runs import Picture, RunPlan
from workflow.access.projects import require_lead
from workflow.annotate.task_views import roles_of
from workflow.runs.asked_items import AskedItem
from workflow.runs.model_descriptions import ModelSpec
from workflow.runs.model_questions import Asker
from workflow.runs.preview_run import cache_of

if TYPE_CHECKING:
    from domain.settings import Settings
    from media.store import MediaStore

NO_FILE = "their file is not there yet"
NO_ITEM = "they make no item by themselves: items of this schema take other images"
_AT_ONCE = 500


@dataclass(frozen=True)
class Unit:
    """What one item is written about: an image, or all of a group."""

    asset: str
    """The id by which authors pick it."""
    name: str
    dimension: str | None
    """The only dimension that may use it; None: any."""
    files: tuple[str, ...]
    """Their SHA-256, in order."""
    asked: AskedItem


@dataclass(frozen=True)
class FreeImages:
    """What is free, and what no item can be written about."""

    loaded: LoadedSchema
    units: tuple[Unit, ...]
    left_out: dict[str, int]
    """How many, by why."""


def free_images(store: Store, *, by: Person | None, project: str) -> FreeImages:
    """Everything in the pool, in the order in which it came; for leads."""
    with store.read() as session:
        access = require_lead(session, by=by, project=project)
        if access.schema.stages.authoring is None:
            told = (
                f"Items of {project!r} come from files: its schema has no authoring, so no one would edit a proposal."
            )
            raise InvalidInput([Problem("project", told)])
        units, left_out = [], Counter[str]()
        for rows in _free(session, access.project_id):
            roles = roles_of(access.schema.item.assets, rows)
            if roles is None or any(row.sha256 is None for row in rows):
                left_out[NO_ITEM if roles is None else NO_FILE] += 1
                continue
            first = rows[0]
            media = tuple(zip(roles, rows, strict=True))
            asked = AskedItem(first.id, first.name, first.dimension or "", {}, media)
            files = tuple(row.sha256 or "" for row in rows)
            units.append(Unit(first.public_id, first.group_name or first.name, first.dimension, files, asked))
    return FreeImages(access.loaded, tuple(units), dict(left_out))


def _free(session: Session, project_id: int) -> list[list[StoredAsset]]:
    found: list[list[StoredAsset]] = []
    after: str | None = None
    while True:
        rows = stock.free(session, project_id=project_id, dimensions=None, per_source=None, after=after, limit=_AT_ONCE)
        names = {row.group_name for row, _ in rows if row.group_name is not None}
        groups = stock.groups(session, project_id=project_id, names=names)
        for row, _ in rows:
            found.append([asset for asset, _ in groups[row.group_name]] if row.group_name is not None else [row])
        if len(rows) < _AT_ONCE:
            return found
        after = rows[-1][0].public_id


class PictureMaker:
    """Makes the pictures that a model is shown of them."""

    def __init__(self, store: Store, media: MediaStore, settings: Settings, loaded: LoadedSchema, spec: ModelSpec):
        self._asker = Asker(store, media, schema=loaded.schema_, plan=RunPlan(), spec=spec, cache=cache_of(settings))

    def __call__(self, unit: Unit) -> Sequence[Picture] | str:
        """The pictures of a unit; a sentence where they cannot be shown."""
        return self._asker.pictures_for(unit.asked)
