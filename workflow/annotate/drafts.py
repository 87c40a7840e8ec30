"""Drafts: keep the text that a person types before they submit, even if another person gets the task."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from db import submissions
from db.engine import Store
from domain.errors import InvalidInputError, Problem
from domain.language import _
from domain.policies import LEASE
from domain.records import Draft, Person
from domain.states import TaskState
from workflow.annotate.leases import extend, held_task
from workflow.annotate.task_views import draft_of

LARGEST = 1_000_000
"""Maximum size of a draft or submission, in bytes of JSON."""


def save_draft(store: Store, *, person: Person, task: str, seq: int, values: Mapping[str, Any]) -> Draft:
    """Save a draft and return the draft that is kept; an older ``seq`` never overwrites a newer one.

    Typing shows that the person is present, so the lease is renewed. A draft for a task that now belongs to another
    person is kept too; a draft that arrives after its submission is dropped.
    """
    must_be_json(values)
    with store.write() as session:
        now = store.now()
        row, access = held_task(session, person=person, task=task)
        finished = row.person_id == person.id and row.state is TaskState.DONE and not row.correcting
        if finished:
            kept = submissions.draft(session, task_id=row.id, person_id=person.id)
            return draft_of(kept) if kept else Draft(seq=seq, values=values, saved_at=now)
        kept = submissions.put_draft(session, task_id=row.id, person_id=person.id, seq=seq, content=values, now=now)
        if row.person_id == person.id and _due(row.lease_until, now):
            extend(session, access=access, row=row, person=person, now=now)
        return draft_of(kept)


def must_be_json(values: Mapping[str, Any]) -> None:
    """Raise ``InvalidInputError`` if the values cannot be stored."""
    try:
        size = len(json.dumps(values, allow_nan=False, ensure_ascii=False).encode())
    except (TypeError, ValueError, RecursionError) as error:
        raise InvalidInputError([Problem("values", _("The browser sent invalid JSON. Reload the page."))]) from error
    if size > LARGEST:
        raise InvalidInputError([Problem("values", _("This draft is too long. Shorten the draft."))])


def _due(lease_until: datetime | None, now: datetime) -> bool:
    return lease_until is not None and lease_until - now < LEASE * 0.9
