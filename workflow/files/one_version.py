"""The selection of items to export: all, kept ones, those of one schema version, or chosen ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from annotation_schemas.formats import Format, Takes
from db import files
from db.engine import Session
from db.items import OutgoingItem
from domain.errors import InvalidFileError
from domain.states import VERIFICATIONS, ItemState, Stage
from workflow.access.projects import Access
from workflow.access.schema_changes import must_have_had


def require_split(access: Access, row: Format, version: int | None, *, verified: bool) -> None:
    """Check the schema version of an export.

    Raise ``InvalidFileError`` if the format does not depend on the version, and ``NotFoundError`` if the project never
    had it.
    """
    if version is None:
        return
    must_have_had(access, version)
    if row.takes is not Takes.RATINGS and not verified:
        raise InvalidFileError(
            "Ratings are of one version of the schema, and verified items; everything else does not depend on it."
        )


def require_choice(row: Format) -> None:
    """Refuse chosen items (``InvalidFileError``) where files of a format hold no items."""
    if row.takes not in (Takes.ITEMS, Takes.TASKS):
        raise InvalidFileError(
            f"Items are chosen for files of items; {row.name} is exported without a choice of items."
        )


@dataclass(frozen=True)
class ItemSubset:
    """A selection of a project's items."""

    verified: bool = True
    """Select only kept items."""
    version: int | None = None
    """Select only items whose counting votes and decisions were all made under this version; None for any version."""
    ids: frozenset[int] = frozenset()
    """The items decided under the version, if a version is given."""
    only: frozenset[str] | None = None
    """The chosen items, by their ids in files; None without a choice."""

    def takes(self, item: OutgoingItem) -> bool:
        """Return whether the selection includes an item."""
        if self.only is not None and item.external_id not in self.only:
            return False
        return not self.verified or (item.state is ItemState.KEPT and (self.version is None or item.id in self.ids))


def split_of(
    session: Session, access: Access, *, verified: bool, version: int | None, only: Sequence[str] | None
) -> ItemSubset | None:
    """Return the selection of items to export; None for every item.

    Raises
    ------
    InvalidFileError
        A chosen item does not exist.
    """
    if not verified and only is None:
        return None
    if only is not None:
        there = {name for _, name, _ in files.item_ids(session, project_id=access.project_id)}
        if gone := [name for name in dict.fromkeys(only) if name not in there]:
            some = ", ".join(gone[:20]) + (f" and {len(gone) - 20:,} more" if len(gone) > 20 else "")
            raise InvalidFileError(f"{access.title} has no such items: {some}. Nothing was written.")
    chosen = frozenset(only) if only is not None else None
    ids = _under(session, access, version) if version is not None else frozenset()
    return ItemSubset(verified, version, ids, chosen)


def require_verification(access: Access, split: ItemSubset | None) -> None:
    """Raise ``InvalidFileError`` for an export of kept items before any item is kept or rejected."""
    if split and split.verified and access.schema.stages.verification is None:
        raise InvalidFileError(f"{access.title} has no verification, so nothing is kept or rejected; export all items.")


def _under(session: Session, access: Access, version: int) -> frozenset[int]:
    """Return the kept items that were decided under a version of the schema."""
    numbers, here = access.reading.numbers, access.schema.version
    under: dict[int, set[int]] = {}
    for stage in (*VERIFICATIONS, Stage.ADJUDICATION):
        for vote in files.on_kept_items(session, project_id=access.project_id, stage=stage):
            under.setdefault(vote.item_id, set()).add(numbers.get(vote.schema_version_id, here))
    return frozenset(item_id for item_id, versions in under.items() if versions == {version})
