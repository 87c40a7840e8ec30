"""Showing an asset's file to somebody who takes part in its project."""

from __future__ import annotations

from dataclasses import dataclass

from db import shown
from db.engine import Store
from domain.errors import NotFound
from domain.records import Person
from workflow.projects import access_by_id

NO_SUCH = "There is no such picture or clip in a project of yours."


@dataclass(frozen=True)
class AssetFile:
    """Where an asset's bytes are, and what they are."""

    sha256: str
    kind: str
    mime: str


def asset_file(store: Store, *, person: Person, asset: str) -> AssetFile:
    """The file of an asset, by its random id.

    ``NotFound`` alike for ids that do not exist and for those of projects that this person has no part in.
    """
    with store.read() as session:
        found = shown.file_of_asset(session, public_id=asset)
        if found is None:
            raise NotFound(NO_SUCH)
        row, file = found
        try:
            access_by_id(session, person=person, project_id=row.project_id)
        except NotFound:
            raise NotFound(NO_SUCH) from None
        if file is None:
            raise NotFound("The file of this picture or clip was not brought in yet.")
        return AssetFile(sha256=file.sha256, kind=file.kind, mime=file.mime)
