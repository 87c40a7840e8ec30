"""Drafts of forms, saved while a person types.

A draft has a revision. A tab that saves over a revision that it has not seen gets a copy of its own, so two tabs
never overwrite each other.
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from annotation_schemas import yaml_text
from db import people
from db.engine import Store
from domain.errors import ConflictError, InvalidInputError, NotFoundError, Problem
from domain.records import Person
from extensions.form_builder.queries import drafts as queries

MOST_DRAFTS = 50
"""Most drafts of one person."""


@dataclass(frozen=True)
class FormDraft:
    """A form that a person is writing."""

    id: str
    text: str
    guideline: str
    project: str | None
    """The running project whose schema it changes; None for a new form."""
    title: str
    revision: int
    saved_at: datetime


def list_drafts(store: Store, *, person: Person, project: str | None = None) -> Sequence[FormDraft]:
    """Return a person's drafts for a project, or for new forms. The newest comes first."""
    with store.read() as session:
        rows = queries.drafts_of(session, person_id=person.id)
    return [
        FormDraft(id, value["text"], value["guideline"], value["project"], value["title"], value["revision"], saved_at)
        for id, value, saved_at in rows
        if value["project"] == project
    ]


def read_draft(store: Store, *, person: Person, id: str, project: str | None = None) -> FormDraft:
    """Return one draft. Raise ``NotFoundError`` if this person has none with the id."""
    found = next((draft for draft in list_drafts(store, person=person, project=project) if draft.id == id), None)
    if found is None:
        raise NotFoundError("This draft no longer exists. Open another draft, or start a new form.")
    return found


def save_draft(store: Store, *, person: Person, draft: FormDraft, title: str) -> FormDraft:
    """Save a draft over the revision that it names; a copy, if another tab has saved since. Return the saved draft."""
    problems = [
        Problem("text", f"Shorten the {noun} to at most {yaml_text.LARGEST_BYTES // 2:,} characters.")
        for noun, text in (("form", draft.text), ("guideline", draft.guideline))
        if len(text) > yaml_text.LARGEST_BYTES // 2
    ]
    if problems:
        raise InvalidInputError(problems)
    with store.write() as session:
        now = store.now()
        stored = queries.locked_draft(session, person_id=person.id, id=draft.id) if draft.id else None
        same = stored is not None and stored["revision"] == draft.revision
        repeated = stored is not None and (stored["text"], stored["guideline"]) == (draft.text, draft.guideline)
        id = draft.id if same or repeated else secrets.token_hex(6)
        if id != draft.id and len(queries.drafts_of(session, person_id=person.id)) >= MOST_DRAFTS:
            raise ConflictError(
                f"You already have {MOST_DRAFTS} drafts, which is the maximum. Delete a draft on the “New form” page."
            )
        revision = stored["revision"] + (not repeated) if stored is not None and id == draft.id else 1
        value = {
            "text": draft.text,
            "guideline": draft.guideline,
            "project": draft.project,
            "title": title or (stored["title"] if stored is not None else ""),
            "revision": revision,
        }
        people.put_setting(session, person_id=person.id, name=queries.NAMES + id, value=value, now=now)
    return FormDraft(id, draft.text, draft.guideline, draft.project, title, revision, now)


def delete_draft(store: Store, *, person: Person, id: str) -> None:
    """Delete a draft, if there is one."""
    with store.write() as session:
        queries.delete_draft(session, person_id=person.id, id=id)
