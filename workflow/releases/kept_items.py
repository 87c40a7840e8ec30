"""The kept items that a release takes: all of them, or those decided under one version of the schema."""

from __future__ import annotations

from dataclasses import dataclass

from db import files
from db.engine import Session
from db.items import OutgoingItem
from domain.errors import InvalidFileError
from domain.states import VERIFICATIONS, ItemState, Stage
from workflow.access.projects import Access
from workflow.access.schema_changes import must_have_had


@dataclass(frozen=True)
class KeptItems:
    """A selection of a project's kept items."""

    version: int | None = None
    """Select only items whose counting votes and decisions were all made under this version; None for any version."""
    ids: frozenset[int] = frozenset()
    """The items decided under the version, if a version is given."""

    def takes(self, item: OutgoingItem) -> bool:
        """Return whether the selection includes an item."""
        return item.state is ItemState.KEPT and (self.version is None or item.id in self.ids)


def kept_items(session: Session, access: Access, version: int | None) -> KeptItems:
    """Return the selection of kept items to release.

    Raises
    ------
    InvalidFileError
        The schema has no verification, so no item is kept.
    NotFoundError
        The project never had this version of the schema.
    """
    if access.schema.stages.verification is None:
        raise InvalidFileError(
            f"{access.title} has no verification stage, so no item is kept or rejected. Export all items."
        )
    if version is None:
        return KeptItems()
    must_have_had(access, version)
    return KeptItems(version, _under(session, access, version))


def _under(session: Session, access: Access, version: int) -> frozenset[int]:
    """Return the kept items that were decided under a version of the schema."""
    numbers, here = access.reading.numbers, access.schema.version
    under: dict[int, set[int]] = {}
    for stage in (*VERIFICATIONS, Stage.ADJUDICATION):
        for vote in files.on_kept_items(session, project_id=access.project_id, stage=stage):
            under.setdefault(vote.item_id, set()).add(numbers.get(vote.schema_version_id, here))
    return frozenset(item_id for item_id, versions in under.items() if versions == {version})
