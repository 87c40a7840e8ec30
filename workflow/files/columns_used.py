"""What is kept with each file that came in: its format, and what was said of its columns."""

from __future__ import annotations

from collections.abc import Sequence

from annotation_schemas.formats import Said
from db import files
from db.engine import Store
from domain.records import Person
from workflow.access.projects import require_lead
from workflow.files.named_in_files import named_files


def formats_used(store: Store, *, by: Person | None, project: str) -> list[str]:
    """The formats in which a project's items came, each once: that of the latest file first."""
    with store.read() as session:
        access = require_lead(session, by=by, project=project)
        there = files.files(session, project_id=access.project_id)
    return list(dict.fromkeys(file.format for file in reversed(there)))


def columns_used(
    store: Store, *, by: Person | None, project: str, format: str, columns: Sequence[str]
) -> tuple[str, Said] | None:
    """Name and columns of the file of this format that came in last and had these columns; None: there is none.

    Of JSON lines it is enough that all keys are there that were named. Columns of fields that the schema has no more
    are left out.
    """
    with store.read() as session:
        access = require_lead(session, by=by, project=project)
        for each in reversed(named_files(session, access)):
            file, said = each.stored, Said.of_file(each.meta, access.schema)
            if file.format != format or not said.as_json():
                continue
            had = file.meta.get("layout", {}).get("columns")
            named = {name for key in said.columns.values() for name in key.split(",")}
            if list(had or ()) == list(columns) if had else named <= set(columns):
                return file.path, said
    return None
