"""Checks for other use cases that no change of a project's schema is in progress or has happened in between."""

from __future__ import annotations

from collections.abc import Collection

from db import projects, schema_changes
from db.engine import Session, Store
from domain import extensions
from domain.errors import ConflictError, NotFoundError
from domain.records import Person
from domain.states import Stage
from workflow.access.projects import Access, require_lead


def unfinished(session: Session, access: Access) -> str | None:
    """Return a sentence with the next step while items are being migrated to a changed schema; None at other times."""
    row = schema_changes.newest(session, project_id=access.project_id)
    if row is None or row.finished_at is not None:
        return None
    missing = extensions.missing("commands", "project migrate")
    if missing is not None:
        return f"The schema migration of {access.name} is not finished. {missing}"
    return (
        f"The schema migration of {access.name} is in progress. Wait until the migration is done. If the "
        "migration was interrupted, finish the migration on the Form page or with `touchstone project "
        f"migrate {access.name} --finish`."
    )


def must_be_finished(session: Session, *, access: Access) -> None:
    """Raise ``ConflictError`` while items are being migrated to a changed schema."""
    sentence = unfinished(session, access)
    if sentence is not None:
        raise ConflictError(sentence)


def must_be_the_same(session: Session, *, access: Access) -> None:
    """Raise ``ConflictError`` if the project's schema has changed since ``access`` was read; lock it until the end."""
    if projects.lock(session, id=access.project_id).schema_version_id != access.schema_version_id:
        raise ConflictError(f"The schema of {access.name} has just changed, so nothing was saved. Try again.")


def submissions_by_version(
    store: Store, *, person: Person | None, project: str, stages: Collection[Stage]
) -> dict[int, int]:
    """Return how many counted submissions of these stages were given under each schema version, first version first.

    Empty if the project has had only one version. Leads only.
    """
    with store.read() as session:
        access = require_lead(session, by=person, project=project)
        numbers = access.reading.numbers
        if len(set(numbers.values())) < 2:
            return {}
        counts = schema_changes.votes_by_version(session, project_id=access.project_id, as_they_stand=True)
    by_version = dict.fromkeys(sorted(numbers.values()), 0)
    for (id, stage), n in counts.items():
        if stage in stages and id in numbers:
            by_version[numbers[id]] += n
    return by_version


def version_id(access: Access, version: int | None) -> int | None:
    """Return the id of a schema version, None for None. Raise ``NotFoundError`` for an unknown version."""
    if version is None:
        return None
    must_have_had(access, version)
    return next((id for id, number in access.reading.numbers.items() if number == version), access.schema_version_id)


def must_have_had(access: Access, version: int) -> None:
    """Raise ``NotFoundError`` for a version that the project never had."""
    numbers = access.reading.numbers.values() or (access.schema.version,)
    if version not in numbers:
        known = ", ".join(str(number) for number in sorted(numbers))
        raise NotFoundError(
            f"{access.title} never had version {version} of the schema. Versions of the schema: {known}."
        )
