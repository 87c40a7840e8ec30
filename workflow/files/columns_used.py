"""The format and the column mapping stored with each imported file."""

from __future__ import annotations

from collections.abc import Sequence

from annotation_schemas.formats import ColumnMapping
from db import files
from db.engine import Store
from domain.records import Person
from workflow.access.projects import require_lead
from workflow.files.named_in_files import named_files


def formats_used(store: Store, *, by: Person | None, project: str) -> list[str]:
    """Return the formats of a project's imported items, each once, the latest file's first."""
    with store.read() as session:
        access = require_lead(session, by=by, project=project)
        there = files.files(session, project_id=access.project_id)
    return list(dict.fromkeys(file.format for file in reversed(there)))


def columns_used(
    store: Store, *, by: Person | None, project: str, format: str, columns: Sequence[str]
) -> tuple[str, ColumnMapping] | None:
    """Return the name and the column mapping of the latest file with this format and these columns; None without one.

    For JSON lines, the named keys are enough. Columns of fields that the schema no longer has are left out.
    """
    with store.read() as session:
        access = require_lead(session, by=by, project=project)
        for source in reversed(named_files(session, access)):
            file, mapping = source.stored, ColumnMapping.of_file(source.meta, access.schema)
            if file.format != format or not mapping.as_json():
                continue
            had = file.meta.get("layout", {}).get("columns")
            named = {name for key in mapping.columns.values() for name in key.split(",")}
            if list(had or ()) == list(columns) if had else named <= set(columns):
                return file.path, mapping
    return None
