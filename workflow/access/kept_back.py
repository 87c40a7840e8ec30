"""Which files a project keeps back, because something in them was covered, and what it shows instead.

Each decision is an event, which is never changed: who, when, which boxes, found by what. It goes along when the project
is archived or moved; the original does not.
"""

from __future__ import annotations

from collections.abc import Mapping

from db import events
from db.engine import Session
from db.records import StoredEvent
from domain.privacy import Box, Decision


def decisions(session: Session, *, project_id: int) -> list[Decision]:
    """All that was decided in a project, the oldest first."""
    found = events.of_kinds(session, project_id=project_id, kinds=(events.COVERED,))
    return [_decision(event, login) for event, login in found]


def by_file(known: list[Decision]) -> Mapping[str, Decision]:
    """The decision that counts about each file: an original, and all that was ever shown in its place."""
    newest: dict[str, Decision] = {}
    names: dict[str, str] = {}
    for each in known:
        newest[each.original] = each
        names |= {each.original: each.original, each.file: each.original}
    return {file: newest[original] for file, original in names.items()}


def instead(session: Session, *, project_id: int) -> Mapping[str, str]:
    """From the hash of a file that may not be shown to that of the one that is shown in its place: whoever brings an
    original in again gets the covered one."""
    found = by_file(decisions(session, project_id=project_id))
    return {file: each.file for file, each in found.items() if each.file != file}


def _decision(event: StoredEvent, login: str | None) -> Decision:
    data = event.data
    return Decision(
        at=event.at,
        by=login,
        name=str(data["name"]),
        original=str(data["original"]),
        file=str(data["file"]),
        boxes=tuple(Box.from_json(each) for each in data["boxes"]),
        margin=float(data["margin"]),
        looked=data["looked"],
    )
