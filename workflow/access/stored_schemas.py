"""Stored schemas and guidelines, read once per process because they never change."""

from __future__ import annotations

from datetime import datetime

from annotation_schemas.model import LoadedSchema
from db import guidelines, projects
from db.engine import Session
from db.records import StoredProject


def stored_schema(session: Session, *, id: int) -> LoadedSchema:
    """Return a stored schema with its stored hash, even if the grammar has new defaults since."""
    from annotation_schemas.loader import load_text

    row = projects.schema_version(session, id=id)
    if row.hash not in _known_schemas:
        loaded = load_text(row.text, row.guideline_text, row.name)
        hashes = {"hash": row.hash, "guideline_hash": row.guideline_hash}
        _known_schemas[row.hash] = loaded.model_copy(update=hashes)
    return _known_schemas[row.hash]


_known_schemas: dict[str, LoadedSchema] = {}
"""Stored schemas by hash, which never change and so are read only once."""


def store_schema(session: Session, *, loaded: LoadedSchema, now: datetime) -> int:
    """Store a schema and return its id, which is the same for equal schemas."""
    projects.put_schema_version(
        session,
        row={
            "name": loaded.schema_.name,
            "version": loaded.schema_.version,
            "hash": loaded.hash,
            "guideline_hash": loaded.guideline_hash,
            "text": loaded.text,
            "guideline_text": loaded.guideline_text,
            "created_at": now,
        },
    )
    row = projects.schema_version_by_hash(session, hash=loaded.hash)
    if row is None:
        raise ValueError("a stored schema needs an id")
    return row.id


def with_guideline(session: Session, row: StoredProject, schema_hash: str, guideline_hash: str) -> LoadedSchema:
    """Return the project's schema with the current guideline; its hash stays that of the stored schema."""
    loaded = _known_schemas.get(schema_hash) or stored_schema(session, id=row.schema_version_id)
    if loaded.guideline_hash == guideline_hash:
        return loaded
    if (schema_hash, guideline_hash) not in _known_guidelines:
        text = guidelines.text_of(session, project_id=row.id, number=row.guideline_number)
        guideline = {"guideline_text": text, "guideline_hash": guideline_hash}
        _known_guidelines[schema_hash, guideline_hash] = loaded.model_copy(update=guideline)
    return _known_guidelines[schema_hash, guideline_hash]


_known_guidelines: dict[tuple[str, str], LoadedSchema] = {}
"""Schemas with later guidelines, by both hashes, which never change."""
