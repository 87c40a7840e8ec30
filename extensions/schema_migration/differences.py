"""The differences between two schemas, with the stored data that depends on each difference."""

from __future__ import annotations

from annotation_schemas.model import LoadedSchema
from db.engine import Store
from domain.records import Person
from extensions.schema_migration.changes import Comparison, Decisions, compare
from extensions.schema_migration.uses import StoredUses
from workflow.access.projects import require_lead
from workflow.access.stored_schemas import stored_schema


def in_use(store: Store, *, project: str) -> LoadedSchema:
    """Return the schema of a project, for a command on the machine itself. Raises ``NotFoundError``."""
    with store.read() as session:
        access = require_lead(session, by=None, project=project)
        return stored_schema(session, id=access.schema_version_id)


def differences(
    store: Store,
    *,
    by: Person | None,
    project: str,
    old: LoadedSchema,
    new: LoadedSchema,
    decisions: Decisions | None = None,
) -> Comparison:
    """Return the differences between two schemas, for a project's leads.

    Stored data is counted, but no verdict is computed; ``migration.preview`` does that.

    Raises
    ------
    InvalidInputError
        A decision fits no change, or has an unknown name.
    """
    decisions = decisions or Decisions()
    with store.read() as session:
        access = require_lead(session, by=by, project=project)
        return compare(
            old.schema_,
            new.schema_,
            old_guideline=old.guideline_text,
            new_guideline=new.guideline_text,
            decisions=decisions,
            uses=StoredUses(session, access, new.schema_, decisions),
        )
