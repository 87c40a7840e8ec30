"""The columns of imported files, by the present names of the project's fields and image roles."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from db import files
from db.engine import Session
from db.records import StoredImportFile
from workflow.access.projects import Access


@dataclass(frozen=True)
class ExportSource:
    """An imported file, with the facts that its export needs (``FileRecord.meta``)."""

    stored: StoredImportFile
    meta: dict[str, Any]


def named_files(session: Session, access: Access) -> Sequence[ExportSource]:
    """Return the files of a project, in the order in which they were imported.

    A field that was renamed since is found under its original column, without any mapping by a lead.
    """
    there = files.files(session, project_id=access.project_id)
    if not access.reading.steps:
        return [ExportSource(file, file.meta) for file in there]
    versions = files.versions_of_files(session, project_id=access.project_id)
    return [ExportSource(file, _meta(access, versions.get(file.id), file.meta)) for file in there]


def _meta(access: Access, version: int | None, meta: dict[str, Any]) -> dict[str, Any]:
    if version is None or version not in access.reading.steps:
        return meta
    schema = access.schema
    mapping = meta.get("said", {})
    keys, places = dict(mapping.get("columns", {})), dict(mapping.get("places", {}))
    then = {
        name: access.reading.called_then(version, name)
        for name in [*(field.name for field in schema.item.fields), *(slot.role for slot in schema.item.assets)]
    }
    moved = {now: before for now, before in then.items() if now != before}
    named = schema.source.fields if schema.source else {}
    columns = {now: keys.get(before) or named.get(now) or before for now, before in moved.items()}
    now = {
        "columns": {name: key for name, key in keys.items() if name not in moved.values()} | columns,
        "places": {name: place for name, place in places.items() if name not in moved.values()}
        | {now: places[before] for now, before in moved.items() if before in places},
    }
    return {**meta, "said": {**mapping, **{name: by_name for name, by_name in now.items() if by_name}}}
