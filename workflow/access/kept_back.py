"""Files that a project withholds because a part of them was covered, and the files shown in their place.

Each decision is an event, which is never changed: who, when, which boxes, found by which detector. Archives and moves
of a project include the decisions but not the original files.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from db import events
from db.engine import Session
from db.records import StoredEvent
from domain.privacy import Box, Decision


def decisions(session: Session, *, project_id: int) -> list[Decision]:
    """Return all decisions of a project, oldest first."""
    found = events.of_kinds(session, project_id=project_id, kinds=(events.COVERED,))
    return [_decision(event, login) for event, login in found]


@dataclass(frozen=True)
class Standing:
    """The combined result of a project's decisions."""

    by_file: Mapping[str, Decision]
    """The decision that counts for each file: for an original, and for every file ever shown in its place."""
    instead: Mapping[str, str]
    """Hash of the file shown in place of each withheld file.

    So a person who imports an original again gets the covered file.
    """
    shared: Collection[str]
    """Files shown in place of several originals, which look alike once covered."""


def standing(known: Sequence[Decision]) -> Standing:
    """Combine these decisions, given oldest first."""
    next_: dict[str, str] = {}
    newest: dict[str, Decision] = {}
    for each in known:
        next_.pop(each.file, None)  # this file is shown now
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
    """Return the combined decisions of a project."""
    return standing(decisions(session, project_id=project_id))


def instead(session: Session, *, project_id: int) -> Mapping[str, str]:
    """Return ``Standing.instead`` of a project."""
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
