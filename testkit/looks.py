"""Looks into an item, for tests that do not need the extensions whose pages show its votes."""

from __future__ import annotations

from db import items
from db.engine import Store
from domain.records import Person
from workflow.access.projects import access_to
from workflow.access.visibility import Visibility, look_into


def look(store: Store, person: Person, item: str) -> Visibility:
    """Let a person look into an item of the project ``p``, and return what they may see.

    ``item`` is its id on pages or in files. A look before the verdict counts, as on the pages that show votes.
    """
    with store.write() as session:
        access = access_to(session, person=person, project="p")
        row = items.by_public_id(session, project_id=access.project_id, public_id=item) or items.by_external_id(
            session, project_id=access.project_id, external_id=item
        )
        assert row is not None
        return look_into(session, access=access, person=person, item=row, now=store.now())
