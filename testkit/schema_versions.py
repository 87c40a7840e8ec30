"""Another version of a project's schema, for tests of core that need two versions."""

from __future__ import annotations

from dataclasses import replace

from annotation_schemas.model import LoadedSchema
from db import projects, schema_changes
from db.engine import Store
from workflow.access.projects import require_lead
from workflow.access.stored_schemas import store_schema


def take_schema(store: Store, loaded: LoadedSchema, *, project: str = "p") -> None:
    """Put a version of the schema into force under which all names, votes and slots stay as they are.

    The extension Schema migration does this for users, and for all changes.
    """
    with store.write() as session:
        access = require_lead(session, by=None, project=project)
        now, before = store.now(), access.schema_version_id
        after = store_schema(session, loaded=loaded, now=now)
        last = schema_changes.newest(session, project_id=access.project_id)
        row = projects.lock(session, id=access.project_id)
        schema_changes.add(
            session,
            row={
                "project_id": access.project_id,
                "number": last.number + 1 if last is not None else 1,
                "before_id": before,
                "after_id": after,
                "decisions": [],
                "reading_before": row.reading,
                "guideline_before": access.guideline,
                "created_at": now,
                "finished_at": now,
            },
        )
        numbers = access.reading.numbers or {before: access.schema.version}
        reading = replace(access.reading, numbers={**numbers, after: loaded.schema_.version})
        schema_changes.put_into_force(session, row=row, schema_version_id=after, reading=reading)
