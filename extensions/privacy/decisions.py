"""The decisions of a project about its pictures and clips, read from the log, and which of them count now."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from db import events
from db.engine import Session
from db.records import StoredEvent
from extensions.privacy.boxes import Box, Decision
from workflow.access import withheld_files


def load_decisions(session: Session, *, project_id: int) -> list[Decision]:
    """Return all decisions of a project, oldest first."""
    decision_events = events.of_kinds(session, project_id=project_id, kinds=(events.COVERED,))
    return [_decision(event, login) for event, login in decision_events]


@dataclass(frozen=True)
class CurrentDecisions:
    """The decisions of a project that count now."""

    by_file: Mapping[str, Decision]
    """The decision that counts for each file: for an original, and for every file ever shown in its place."""
    shared: Collection[str]
    """Files shown in place of several originals, which look alike once covered."""


def current(known: Sequence[Decision]) -> CurrentDecisions:
    """Combine these decisions, given oldest first."""
    instead = withheld_files.newest_files((decision.before, decision.file) for decision in known)
    newest = {decision.file: decision for decision in known}
    files = {file for decision in known for file in (decision.original, decision.before, decision.file)}
    originals: dict[str, set[str]] = {}
    for decision in known:
        originals.setdefault(instead.get(decision.original, decision.original), set()).add(decision.original)
    return CurrentDecisions(
        {file: newest[instead.get(file, file)] for file in files},
        {file for file, there in originals.items() if len(there) > 1},
    )


def of_project(session: Session, *, project_id: int) -> CurrentDecisions:
    """Return the decisions of a project that count now."""
    return current(load_decisions(session, project_id=project_id))


def _decision(event: StoredEvent, login: str | None) -> Decision:
    data = event.data
    return Decision(
        at=event.at,
        by=login,
        name=str(data["name"]),
        original=str(data["original"]),
        before=str(data["before"]),
        file=str(data["file"]),
        boxes=tuple(Box.from_json(box) for box in data["boxes"]),
        margin=float(data["margin"]),
        looked=data["looked"],
    )
