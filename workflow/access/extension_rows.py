"""Extension rows: JSON values by key, stored with a project, for extensions without tables of their own.

Each version of a row is an event of the project. So nothing is lost, the author is known, and a project archive
contains the rows. Use rows for the few settings, decisions and notes of a project; data with one row per vote needs
a table.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from db import events
from db.engine import Store
from domain.errors import InvalidInputError, Problem
from domain.records import Person
from workflow.access.event_log import log
from workflow.access.projects import require_lead

LONGEST_KEY = 200
MOST_BYTES = 100_000
"""Maximum size of a value, in bytes of JSON."""


@dataclass(frozen=True)
class ExtensionRow:
    """The newest version of a row."""

    key: str
    value: Any
    """The value, in JSON types."""
    at: datetime
    login: str | None
    """Login of the author; None for a command on the machine itself."""


def put_row(store: Store, *, by: Person | None, project: str, extension: str, key: str, value: Any) -> bool:
    """Write a row and return whether it changed; the value None removes the row; leads only.

    Raises
    ------
    InvalidInputError
        The key is empty or too long, or the value is no JSON or too large.
    """
    problems = []
    if not 1 <= len(key) <= LONGEST_KEY or not key.isprintable():
        problems.append(Problem("key", f"Enter a key of 1 to {LONGEST_KEY} letters, digits or symbols."))
    try:
        size = len(json.dumps(value, allow_nan=False).encode())
        if size > MOST_BYTES:
            problems.append(
                Problem("value", f"The value has {size:,} bytes; the limit is {MOST_BYTES:,}. Shorten the value.")
            )
    except (TypeError, ValueError) as error:
        problems.append(
            Problem("value", f"The value is not valid JSON: {error}. Use only texts, numbers, lists and maps.")
        )
    if problems:
        raise InvalidInputError(problems)
    with store.write() as session:
        access = require_lead(session, by=by, project=project)
        before = _newest(events.of_kinds(session, project_id=access.project_id, kinds=[_kind(extension)]))
        if (before[key].value if key in before else None) == value:
            return False
        data = {"key": key, "value": value}
        log(session, _kind(extension), by=by, project=access, now=store.now(), data=data)
        return True


def list_rows(store: Store, *, by: Person | None, project: str, extension: str) -> list[ExtensionRow]:
    """Return the rows of an extension in a project, ordered by key; leads only."""
    with store.read() as session:
        access = require_lead(session, by=by, project=project)
        by_key = _newest(events.of_kinds(session, project_id=access.project_id, kinds=[_kind(extension)]))
    return [by_key[key] for key in sorted(by_key)]


def _kind(extension: str) -> str:
    return f"extension.{extension}"


def _newest(found: list[Any]) -> Mapping[str, ExtensionRow]:
    rows = {}
    for event, login in found:
        key, value = event.data["key"], event.data["value"]
        rows[key] = ExtensionRow(key, value, event.at, login)
    return {key: row for key, row in rows.items() if row.value is not None}
