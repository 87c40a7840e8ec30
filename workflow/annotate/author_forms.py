"""What extensions add to an author's form, such as the text of a proposal that the author starts with.

Extensions register modules in ``domain.extensions.Extension.author_forms``.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Protocol

from db.engine import Session
from db.records import StoredTask
from domain import extensions
from domain.records import Person
from workflow.access.projects import Access


class AuthorForm(Protocol):
    """The functions of a registered module. Core calls them in the transaction of the author's own step."""

    def first_fields(self, session: Session, *, access: Access, row: StoredTask) -> dict[str, Any]:
        """Return the fields that the author of an item starts with; empty if the extension has none for it."""

    def log_start(self, session: Session, *, row: StoredTask, person: Person, now: datetime) -> None:
        """Log that a person starts an item, if it concerns the extension."""

    def log_field_times(
        self,
        session: Session,
        *,
        access: Access,
        row: StoredTask,
        person: Person,
        at: Mapping[str, float],
        whole: float,
        now: datetime,
    ) -> None:
        """Log the seconds that a person spent ``at`` each field, if it concerns the extension.

        ``whole`` is the time that the person spent on the item.
        """


def _registered() -> list[AuthorForm]:
    return extensions.rows("author_forms")


def first_fields(session: Session, *, access: Access, row: StoredTask) -> dict[str, Any]:
    """Return the fields that the author of an item starts with, from the first extension that has some."""
    fields_of_forms = (form.first_fields(session, access=access, row=row) for form in _registered())
    return next((fields for fields in fields_of_forms if fields), {})


def log_start(session: Session, *, row: StoredTask, person: Person, now: datetime) -> None:
    """Tell the extensions that a person starts an item."""
    for form in _registered():
        form.log_start(session, row=row, person=person, now=now)


def log_field_times(
    session: Session,
    *,
    access: Access,
    row: StoredTask,
    person: Person,
    at: Mapping[str, float],
    whole: float,
    now: datetime,
) -> None:
    """Tell the extensions how long a person spent at each field of an item."""
    for form in _registered():
        form.log_field_times(session, access=access, row=row, person=person, at=at, whole=whole, now=now)
