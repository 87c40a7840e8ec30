"""Decisions of leads about video frames; each decision is an event in the log, which the page reads.

So every server on the database sees the same ticks, and archives contain them. The frame set itself lies in the
home folder of one server. Ticks of a set missing on this server apply to the same frames in other sets.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from db import events, projects
from db.engine import Session, Store
from db.events import CHOICES_CLEARED, FRAMES_CHOSEN, FRAMES_DECIDED, FRAMES_SCREENED
from db.records import StoredEvent
from domain.records import Person
from workflow.access.event_log import log
from workflow.access.projects import Access, require_lead

AT_ONCE = 500
"""Number of frames in one event of the log."""
BY_HAND = "deselected by a lead"
CHOICE, TAKEN_IN = "choice.json", "choice.json.taken_in"
_OF_A_FRAME = ("source", "sha256", "exact", "frame", "kept", "why")

Line = Mapping[str, Any]
"""A frame's row in the manifest of its set."""


@dataclass(frozen=True)
class SetOfFrames:
    """A frame set, as the log identifies it."""

    name: str
    """Random name of the set's folder."""
    called: str
    """Name of the set on the page."""

    def as_json(self) -> dict[str, Any]:
        """Return the set in the form that the log stores."""
        return {"set": self.name, "called": self.called}


def name_of(line: Line) -> str:
    """Return the name of a frame in the pool: its video, a slash, its time."""
    return str(line["file"]).partition("/")[2]


def tick(store: Store, *, by: Person | None, project: str, of: SetOfFrames, lines: Sequence[Line], on: bool) -> None:
    """Log that a lead ticks these frames on or off."""
    with store.write() as session:
        access = require_lead(session, by=by, project=project)
        projects.lock(session, id=access.project_id)
        _log_ticks(session, store, access, by, of, lines, on, {})


def _log_ticks(
    session: Session,
    store: Store,
    access: Access,
    by: Person | None,
    of: SetOfFrames,
    lines: Sequence[Line],
    on: bool,
    more: Mapping[str, Any],
) -> None:
    for start in range(0, len(lines), AT_ONCE):
        frames = {name_of(line): _about(line) for line in lines[start : start + AT_ONCE]}
        data = {**of.as_json(), "on": on, "frames": frames, **more}
        log(session, FRAMES_CHOSEN, by=by, project=access, now=store.now(), data=data)


def _about(line: Line) -> dict[str, Any]:
    return {name: line[name] for name in _OF_A_FRAME if name in line}


def clear(store: Store, *, by: Person | None, project: str, of: SetOfFrames, why: str) -> None:
    """Log that the ticks of a set no longer count, and why; leads only."""
    with store.write() as session:
        access = require_lead(session, by=by, project=project)
        data = {**of.as_json(), "why": why}
        log(session, CHOICES_CLEARED, by=by, project=access, now=store.now(), data=data)


def screened(store: Store, *, by: Person, project: str, of: SetOfFrames, settings: Line, lines: Sequence[Line]) -> None:
    """Log what a screening kept and dropped, by reason, with the settings that the lead chose."""
    dropped: dict[str, int] = {}
    for line in lines:
        if not line["kept"]:
            reason = str(line["why"] or "").partition(":")[0]
            dropped[reason] = dropped.get(reason, 0) + 1
    videos = {str(line["source"]): line.get("sha256") for line in lines}
    counts = {"taken": len(lines), "kept": len(lines) - sum(dropped.values()), "dropped": dropped}
    with store.write() as session:
        access = require_lead(session, by=by, project=project)
        data = {**of.as_json(), **settings, **counts, "videos": videos}
        log(session, FRAMES_SCREENED, by=by, project=access, now=store.now(), data=data)


def decided(
    store: Store,
    *,
    by: Person | None,
    project: str,
    settings: Mapping[str, Any],
    taken: Mapping[str, Line],
    dropped: Mapping[str, Line],
) -> None:
    """Log, before any frame is added, whether each frame is added to the pool or dropped, and why."""
    choices = [*((name, _taken(line)) for name, line in taken.items())]
    choices += [(name, _dropped(line)) for name, line in dropped.items()]
    with store.write() as session:
        access = require_lead(session, by=by, project=project)
        for start in range(0, len(choices), AT_ONCE):
            data = {**settings, "frames": dict(choices[start : start + AT_ONCE])}
            log(session, FRAMES_DECIDED, by=by, project=access, now=store.now(), data=data)


def _taken(line: Line) -> dict[str, Any]:
    why = "kept by screening" if line.get("kept") else f"selected by a lead, although {line.get('why')}"
    return {"taken": True, "why": why, "sha256": line.get("sha256"), "exact": line.get("exact")}


def _dropped(line: Line) -> dict[str, Any]:
    why = BY_HAND if line.get("kept") else line.get("why")
    return {"taken": False, "why": why, "sha256": line.get("sha256"), "exact": line.get("exact")}


def standing(
    store: Store, *, by: Person | None, project: str, name: str, lines: Sequence[Line], here: Collection[str]
) -> dict[str, bool]:
    """Return by name which frames of a set a lead ticked on or off against the screening; leads only.

    Parameters
    ----------
    name
        Name of the set.
    here
        Names of all sets of the project on this server.
    """
    with store.read() as session:
        access = require_lead(session, by=by, project=project)
        changes = events.of_kinds(session, project_id=access.project_id, kinds=(FRAMES_CHOSEN, CHOICES_CLEARED))
    ticks: dict[tuple[str, Any], tuple[str, bool]] = {}
    for event, _ in changes:
        of = str(event.data["set"])
        if event.kind == CHOICES_CLEARED:
            ticks = {frame: tick for frame, tick in ticks.items() if tick[0] != of}
        elif of == name or of not in here:
            _replay(ticks, of, event.data)
    frames = [(name_of(line), line.get("sha256")) for line in lines]
    return {frame[0]: ticks[frame][1] for frame in frames if frame in ticks}


def last_change(
    store: Store,
    *,
    by: Person | None,
    project: str,
    name: str,
    kinds: Collection[str] = (FRAMES_SCREENED, CHOICES_CLEARED),
) -> tuple[str, str]:
    """Return who last screened or removed the frames of a set, by login, and what happened; leads only."""
    with store.read() as session:
        access = require_lead(session, by=by, project=project)
        changes = events.of_kinds(session, project_id=access.project_id, kinds=tuple(kinds))
    for event, login in reversed(changes):
        if event.data["set"] == name:
            return login or "A command", str(event.data.get("why", "the frames were screened again"))
    return "Someone", "the frames were changed"


def _replay(ticks: dict[tuple[str, Any], tuple[str, bool]], of: str, data: Mapping[str, Any]) -> None:
    """Apply the ticks of one event; a tick equal to the screening's result removes the frame's tick."""
    for name, about in data["frames"].items():
        frame = (name, about.get("sha256"))
        if about.get("kept") is data["on"]:
            ticks.pop(frame, None)
        else:
            ticks[frame] = (of, bool(data["on"]))


# ---- files of earlier versions --------------------------------------------------------------------------------------


def take_in(store: Store, folder: Path, *, by: Person, project: str, of: SetOfFrames, lines: Sequence[Line]) -> None:
    """Move the ticks that an earlier version kept in ``choice.json`` into the log, once.

    The file does not record who ticked, so these events name no person.
    """
    try:
        content = (folder / CHOICE).read_bytes()
    except FileNotFoundError:
        return
    digest = hashlib.sha256(content).hexdigest()
    before: Mapping[str, bool] = json.loads(content)
    with store.write() as session:
        access = require_lead(session, by=by, project=project)
        projects.lock(session, id=access.project_id)
        there = events.of_kinds(session, project_id=access.project_id, kinds=(FRAMES_CHOSEN,))
        if not any(_is_from(event, of, digest) for event, _ in there):
            for on in (True, False):
                ticked = [line for line in lines if before.get(name_of(line)) is on]
                _log_ticks(session, store, access, None, of, ticked, on, {"taken_in_from": digest})
    with contextlib.suppress(FileNotFoundError):  # another request has just imported the same file
        (folder / CHOICE).replace(folder / TAKEN_IN)


def _is_from(event: StoredEvent, of: SetOfFrames, digest: str) -> bool:
    return event.data["set"] == of.name and event.data.get("taken_in_from") == digest
