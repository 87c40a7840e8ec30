"""The images of a pool about which a model may propose items: those that no author has picked yet."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from annotation_schemas.model import LoadedSchema
from db import assets as stock
from db.engine import Session, Store
from db.records import StoredAsset
from domain.errors import InvalidInputError, Problem
from domain.records import Person
from domain.runs import Picture, RunPlan
from workflow.access.projects import require_lead
from workflow.annotate.task_views import roles_of
from workflow.runs.model_descriptions import ModelSpec
from workflow.runs.model_questions import Asker
from workflow.runs.preview_run import cache_of
from workflow.runs.question_items import AskedItem

if TYPE_CHECKING:
    from domain.settings import Settings
    from media.store import MediaStore

NO_FILE = "their files are missing"
NO_ITEM = "items of this schema use other images"
_AT_ONCE = 500


@dataclass(frozen=True)
class Unit:
    """An image, or a group of images, about which one item is written."""

    asset: str
    """The random id of the image, or of the first one of the group."""
    name: str
    dimension: str | None
    """The only dimension that may use the image; None if all may."""
    files: tuple[str, ...]
    """The SHA-256 of each file, in order."""
    asked: AskedItem


@dataclass(frozen=True)
class FreeImages:
    """The free images of a pool, and the number of those that no item can use."""

    loaded: LoadedSchema
    units: tuple[Unit, ...]
    left_out: dict[str, int]
    """The number of unusable images, by reason."""


def free_images(store: Store, *, by: Person | None, project: str) -> FreeImages:
    """Return the free images of the pool in the order of their import; for leads."""
    with store.read() as session:
        access = require_lead(session, by=by, project=project)
        if access.schema.stages.authoring is None:
            problem = (
                f"Items of {project!r} come from files, so people cannot edit proposals. Use a schema with an "
                "authoring stage."
            )
            raise InvalidInputError([Problem("project", problem)])
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
    units: list[list[StoredAsset]] = []
    after: str | None = None
    while True:
        rows = stock.free(session, project_id=project_id, dimensions=None, per_source=None, after=after, limit=_AT_ONCE)
        names = {row.group_name for row, _ in rows if row.group_name is not None}
        groups = stock.groups(session, project_id=project_id, names=names)
        for row, _ in rows:
            units.append([asset for asset, _ in groups[row.group_name]] if row.group_name is not None else [row])
        if len(rows) < _AT_ONCE:
            return units
        after = rows[-1][0].public_id


class PictureMaker:
    """Makes the pictures that a model is shown of an image."""

    def __init__(self, store: Store, media: MediaStore, settings: Settings, loaded: LoadedSchema, spec: ModelSpec):
        self._asker = Asker(store, media, schema=loaded.schema_, plan=RunPlan(), spec=spec, cache=cache_of(settings))

    def __call__(self, unit: Unit) -> Sequence[Picture] | str:
        """Return the pictures, or a sentence that tells why they cannot be shown."""
        return self._asker.pictures_for(unit.asked)
