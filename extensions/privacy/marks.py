"""Marks of leads on the page Privacy, before they are applied. Each mark is an event, and the newest one counts.

So every server on the database sees the same marks, and an archive carries them. Earlier versions kept the marks in
``draft.json`` below the home folder; ``take_in`` moves such a file into the log.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from db import events, people, projects
from db.engine import Session, Store
from db.events import FACES_LOOKED, MARKS_APPLIED, PICTURE_MARKED
from db.records import StoredEvent
from domain.records import Person
from extensions.privacy import decisions, queries
from extensions.privacy.boxes import Box
from workflow.access.event_log import log
from workflow.access.projects import Access, require_lead

DRAFT, FOUND, TAKEN_IN = "draft.json", "found.json", "draft.json.taken_in"


@dataclass(frozen=True)
class Mark:
    """A lead's mark of one picture or clip, with the state that the lead saw."""

    file: str
    """The SHA-256 of the file that the page showed."""
    decided: str
    """``cover``, ``nothing``, or empty where the lead has not decided yet."""
    boxes: tuple[Box, ...]
    """The boxes that were known before, each with whether to cover it."""
    added: tuple[Box, ...]
    """The boxes that the lead drew."""
    after: datetime | None
    """The time of the decision that the lead saw; None if there was none."""
    revision: int
    """The number of marks of this picture since its last decision."""
    by: str = ""
    """A login; empty if unknown."""

    @property
    def ticks(self) -> Mapping[str, bool]:
        """Return whether to cover each known box, by its key."""
        return {box_key(box): bool(box.cover) for box in self.boxes}

    def as_json(self) -> dict[str, Any]:
        """Return the mark as the log has it."""
        return {
            "file": self.file,
            "decided": self.decided,
            "boxes": [box.as_json() for box in self.boxes],
            "added": [box.as_json() for box in self.added],
            "after": self.after.isoformat() if self.after else None,
            "revision": self.revision,
        }


def box_key(box: Box) -> str:
    """Return a text that is the same for boxes of one kind at one place."""
    return "/".join([box.kind, *(f"{part:.6f}" for part in box.place)])


def standing(store: Store, *, by: Person | None, project: str, file: str | None = None) -> dict[str, Mark]:
    """Return the marks that are not applied yet, by file; for leads. With ``file``, only the mark of that file."""
    with store.read() as session:
        access = require_lead(session, by=by, project=project)
        return _standing(session, access.project_id, file)


def _standing(session: Session, project_id: int, file: str | None) -> dict[str, Mark]:
    marked = (
        events.of_kinds(session, project_id=project_id, kinds=(PICTURE_MARKED,))
        if file is None
        else queries.of_file(session, project_id=project_id, kind=PICTURE_MARKED, file=file)
    )
    applied = events.of_kinds(session, project_id=project_id, kinds=(MARKS_APPLIED,)) if marked else []
    marks: dict[str, Mark] = {}
    for event, login in sorted([*marked, *applied], key=lambda each: each[0].id or 0):
        if event.kind == PICTURE_MARKED:
            marks[str(event.data["file"])] = _mark(event, login)
            continue
        for name, revision in event.data["marks"].items():
            if name in marks and marks[name].revision == revision:
                del marks[name]
    return marks


def _mark(event: StoredEvent, login: str | None) -> Mark:
    data = event.data
    return Mark(
        file=str(data["file"]),
        decided=str(data["decided"]),
        boxes=tuple(Box.from_json(box) for box in data["boxes"]),
        added=tuple(Box.from_json(box) for box in data["added"]),
        after=_moment(data["after"]),
        revision=int(data["revision"]),
        by=login or "",
    )


def _moment(text: str | None) -> datetime | None:
    return datetime.fromisoformat(text) if text else None


def save(store: Store, *, by: Person, project: str, name: str, mark: Mark) -> bool:
    """Log a mark and return True. Return False if someone else marked or decided the picture first. For leads."""
    with store.write() as session:
        access = require_lead(session, by=by, project=project)
        projects.lock(session, id=access.project_id)
        now = _standing(session, access.project_id, mark.file).get(mark.file)
        decision = decisions.of_project(session, project_id=access.project_id).by_file.get(mark.file)
        if (now.revision if now else 0) != mark.revision - 1 or (decision.at if decision else None) != mark.after:
            return False
        log(session, PICTURE_MARKED, by=by, project=access, now=store.now(), data={"name": name, **mark.as_json()})
    return True


def log_applied(
    session: Session, access: Access, *, by: Person | None, now: datetime, marks: Mapping[str, int]
) -> None:
    """Log that these marks (revisions by file) are applied, in the transaction of the decisions."""
    if marks:
        log(session, MARKS_APPLIED, by=by, project=access, now=now, data={"marks": dict(marks)})


def last_looked(store: Store, *, by: Person | None, project: str) -> Mapping[str, Any]:
    """Return the settings of the newest detection, on any server; for leads."""
    with store.read() as session:
        access = require_lead(session, by=by, project=project)
        event = events.newest_of(session, project_id=access.project_id, kind=FACES_LOOKED)
    return dict(event.data["looked"]) if event is not None else {}


# ---- files of earlier versions --------------------------------------------------------------------------------------


def take_in(store: Store, folder: Path, *, by: Person, project: str) -> None:
    """Move the marks that an earlier version kept in ``draft.json`` into the log, once. For leads."""
    try:
        content = (folder / DRAFT).read_bytes()
    except FileNotFoundError:
        return
    digest = hashlib.sha256(content).hexdigest()
    findings = json.loads((folder / FOUND).read_text(encoding="utf-8")) if (folder / FOUND).is_file() else {}
    with store.write() as session:
        access = require_lead(session, by=by, project=project)
        projects.lock(session, id=access.project_id)
        there = events.of_kinds(session, project_id=access.project_id, kinds=(PICTURE_MARKED,))
        if all(event.data.get("taken_in_from") != digest for event, _ in there):
            _take_in(session, store, access, json.loads(content), findings.get("boxes", {}), digest)
    with contextlib.suppress(FileNotFoundError):  # another request has just taken in the same file
        (folder / DRAFT).replace(folder / TAKEN_IN)


def _take_in(
    session: Session,
    store: Store,
    access: Access,
    drafts: Mapping[str, Mapping[str, Any]],
    found: Mapping[str, Sequence[Mapping[str, Any]]],
    digest: str,
) -> None:
    known = decisions.of_project(session, project_id=access.project_id).by_file
    rows = queries.assets_of(session, project_id=access.project_id, files=set(drafts))
    names = {row.sha256: row.name for row in reversed(rows)}
    for file, draft in drafts.items():
        decision = known.get(file)
        boxes = [*(decision.boxes if decision else ()), *map(Box.from_json, found.get(file, ()))]
        mark = Mark(
            file=file,
            decided=str(draft["decided"]),
            boxes=_ticked(boxes, draft["ticks"]),
            added=tuple(Box.from_json(box) for box in draft["added"]),
            after=_moment(draft["after"]),
            revision=int(draft["revision"]),
        )
        person = people.by_login(session, login=str(draft["by"]))
        data = {"name": names.get(file, ""), **mark.as_json(), "taken_in_from": digest}
        log(session, PICTURE_MARKED, by=person, project=access, now=store.now(), data=data)


def _ticked(boxes: Iterable[Box], ticks: Mapping[str, bool]) -> tuple[Box, ...]:
    return tuple(replace(box, cover=bool(ticks[box_key(box)])) for box in boxes if box_key(box) in ticks)
