"""What was given under one version of a project's schema, for files that are about that version alone."""

from __future__ import annotations

from dataclasses import dataclass

from annotation_schemas.formats import Format, Takes
from db import files
from db.engine import Session
from db.items import Outgoing
from domain.errors import FileRefused
from domain.states import VERIFICATIONS, ItemState, Stage
from workflow.access.projects import Access
from workflow.access.schema_changes import must_have_had


def require_split(access: Access, row: Format, version: int | None, *, verified: bool) -> None:
    """Refuse a version where files of a format do not depend on it (``FileRefused``), or that the project never had
    (``NotFound``)."""
    if version is None:
        return
    must_have_had(access, version)
    if row.takes is not Takes.RATINGS and not verified:
        raise FileRefused(
            "Ratings are of one version of the schema, and verified items; everything else does not depend on it."
        )


@dataclass(frozen=True)
class Split:
    """Which of the items that are kept go out."""

    version: int | None = None
    """Those of which every vote that counts, and what a senior decided, was given under this version; None: all."""
    ids: frozenset[int] = frozenset()

    def takes(self, item: Outgoing) -> bool:
        """Whether it takes an item in."""
        return item.state is ItemState.KEPT and (self.version is None or item.id in self.ids)


def split_of(session: Session, access: Access, version: int | None) -> Split:
    """The kept items that were decided under a version of the schema; None: whichever."""
    if version is None:
        return Split()
    numbers, here = access.reading.numbers, access.schema.version
    under: dict[int, set[int]] = {}
    for stage in (*VERIFICATIONS, Stage.ADJUDICATION):
        for vote in files.on_kept_items(session, project_id=access.project_id, stage=stage):
            under.setdefault(vote.item_id, set()).add(numbers.get(vote.schema_version_id, here))
    return Split(version, frozenset(item_id for item_id, versions in under.items() if versions == {version}))
