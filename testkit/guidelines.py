"""Versions of the guideline, for tests that need votes under more than one, also without the extension Guideline."""

from __future__ import annotations

import hashlib

from db import guidelines, projects
from db.engine import Store
from workflow.access.projects import access_to


def new_guideline(
    store: Store,
    *,
    project: str,
    text: str,
    why: str,
    requalify: bool = False,
) -> int:
    """Bring a text that a project has not had before into force and return the number of its version."""
    with store.write() as session:
        access, now = access_to(session, person=None, project=project), store.now()
        version = guidelines.add(
            session,
            project_id=access.project_id,
            number=max(guidelines.numbers(session, project_id=access.project_id).values()) + 1,
            hash=hashlib.sha256(text.encode()).hexdigest(),
            text=text,
            why=why,
            requalify=requalify,
            now=now,
        )
        row = projects.lock(session, id=access.project_id)
        projects.bring_guideline_into_force(session, row=row, number=version.number)
        return version.number
