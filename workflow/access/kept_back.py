"""Which files a project keeps back, because something in them was covered, and what it shows instead.

Each decision is an event, which is never changed: who, when, which boxes, found by what. It goes along when the project
is archived or moved; the original does not.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from db import events
from db.engine import Session
from db.records import StoredEvent
from domain.privacy import Box, Decision


def decisions(session: Session, *, project_id: int) -> list[Decision]:
    """All that was decided in a project, the oldest first."""
    found = events.of_kinds(session, project_id=project_id, kinds=(events.COVERED,))
    return [_decision(event, login) for event, login in found]


@dataclass(frozen=True)
class Standing:
    """What holds of all decisions of a project."""

    by_file: Mapping[str, Decision]
    """The decision that counts about each file: an original, and all that was ever shown in its place."""
    instead: Mapping[str, str]
    """From the hash of a file that may not be shown to that of the one that is shown in its place: whoever brings an
    original in again gets the covered one."""
    shared: Collection[str]
    """Files that are shown in place of several originals, which look alike once they are covered."""


def standing(known: Sequence[Decision]) -> Standing:
    """What these decisions, the oldest first, come to."""
    next_: dict[str, str] = {}
    newest: dict[str, Decision] = {}
    for each in known:
        next_.pop(each.file, None)  # it is shown now
        if each.before != each.file:
            next_[each.before] = each.file
        newest[each.file] = each

    def last(file: str) -> str:
        while file in next_:
            file = next_[file]
        return file

    files = dict.fromkeys(file for each in known for file in (each.original, each.before, each.file))
    ends = {file: last(file) for file in files}
    originals: dict[str, set[str]] = {}
    for each in known:
        originals.setdefault(ends[each.original], set()).add(each.original)
    return Standing(
        {file: newest[end] for file, end in ends.items()},
        {file: end for file, end in ends.items() if end != file},
        {file for file, there in originals.items() if len(there) > 1},
    )


def of_project(session: Session, *, project_id: int) -> Standing:
    """What holds in a project."""
    return standing(decisions(session, project_id=project_id))


def instead(session: Session, *, project_id: int) -> Mapping[str, str]:
    """``Standing.instead`` of a project."""
    return of_project(session, project_id=project_id).instead


def _decision(event: StoredEvent, login: str | None) -> Decision:
    data = event.data
    return Decision(
        at=event.at,
        by=login,
        name=str(data["name"]),
        original=str(data["original"]),
        before=str(data["before"]),
        file=str(data["file"]),
        boxes=tuple(Box.from_json(each) for each in data["boxes"]),
        margin=float(data["margin"]),
        looked=data["looked"],
    )
