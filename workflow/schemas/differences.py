"""What differs from a schema to another one, with how much a project has stored that hangs on each difference."""

from __future__ import annotations

from annotation_schemas.changes import Comparison, Decisions, compare
from annotation_schemas.model import LoadedSchema
from db.engine import Store
from domain.records import Person
from workflow.access.projects import require_lead
from workflow.access.stored_schemas import stored_schema
from workflow.schemas.uses import StoredUses


def in_use(store: Store, *, project: str) -> LoadedSchema:
    """The schema of a project, for the command on the machine itself. Raises ``NotFound``."""
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
    """From one schema to another, for a project's leads.

    It counts what is stored and looks at no verdict: ``migration.preview`` does.

    Raises
    ------
    InvalidInput
        Decisions that fit no change, or name what is not there.
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
