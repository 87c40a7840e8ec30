"""The origin of an item, before its first event: the material, its images and clips, and its file or its author.

An item's history begins with its origin. Both are for the same people, because they reveal the key.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from annotation_schemas.formats import FORMATS
from db import candidate_images, events, files, items, people
from db.engine import Session
from db.events import FRAMES_POOLED
from db.records import StoredAsset, StoredEvent, StoredImportFile, StoredItem, StoredPerson
from domain import json_text
from extensions.history import queries
from extensions.history.records import OriginStep
from workflow.access.projects import Access

Called = Callable[[StoredPerson | None, str], str]
"""A function that returns the name that the reader may see for a person, or the given text."""

CONSTRUCTION = "construction"
"""The key of a record under which an item's construction is described."""
NOT_SAID = "not recorded"
_LONGEST = 1_000
"""The largest number of characters of a fact."""
_MOST = 60
"""The largest number of facts of an unknown kind."""
COMMAND = "the command line"
_VIDEOS = {row.keys.video for row in FORMATS.values() if row.keys is not None and row.keys.video}
"""The names that formats use for the source video."""
_BATCHES = 3
"""A frame is named in the first log line about frames after its import. A few other lines may be in between."""
_ACTIONS = {
    "answer": "the asked action",
    "progress": "done before it",
    "negatives": "wrong options",
    "actions": "all actions of the goal",
}
"""The narrations that a record made of narrations names by their ids."""


def origin(session: Session, *, access: Access, item: StoredItem, called: Called) -> list[OriginStep]:
    """Return the steps of an item's origin, oldest first. The last step is its file or its author."""
    file = _file(session, access, item)
    made, why = _made(session, access, item, file, called)
    shown = [_asset(session, asset, link.role, called) for link, asset, _ in items.assets(session, item_id=item.id)]
    return [*made, *shown, _came(session, item, file, why, called)]


def _file(session: Session, access: Access, item: StoredItem) -> StoredImportFile | None:
    if item.file_id is None:
        return None
    return next((file for file in files.files(session, project_id=access.project_id) if file.id == item.file_id), None)


# ---- what it was made of --------------------------------------------------------------------------------------------


def _made(
    session: Session, access: Access, item: StoredItem, file: StoredImportFile | None, called: Called
) -> tuple[list[OriginStep], str]:
    """Return the steps in the original record, or the reason why it has none. Narrations and a goal get steps of their
    own.
    """
    raw = item.fragment_raw or ""
    try:
        record = json_text.values(raw, [CONSTRUCTION, *_VIDEOS]) if raw.lstrip().startswith("{") else {}
    except json_text.NotJson as error:
        return [], f"Touchstone cannot show how the item was made: {error}"
    made = record.get(CONSTRUCTION)
    if not isinstance(made, dict) or not made:
        return ([], NOT_SAID) if made in (None, {}) else ([OriginStep("Making", [("how", _words(made))])], "")
    rest, steps = dict(made), []
    if isinstance(rest.get("actions"), list) and "answer" in rest:
        ids = {name: rest.pop(name) for name in _ACTIONS if name in rest}
        steps.append(_narrations(session, access, item, _video(file, record), ids, called))
    if isinstance(rest.get("goal"), dict):
        steps.append(OriginStep("Goal", _facts(rest.pop("goal"), {"text": "goal", "where": "where it stood"})))
    return [*steps, OriginStep("Making", _facts(rest, {}))], ""


def _video(file: StoredImportFile | None, record: Mapping[str, Any]) -> str:
    row = FORMATS.get(file.format) if file is not None else None
    key = row.keys.video if row is not None and row.keys is not None else None
    return str(record.get(key) or "") if key else ""


def _narrations(
    session: Session, access: Access, item: StoredItem, video: str, ids: Mapping[str, Any], called: Called
) -> OriginStep:
    """Return the narrations by their ids, with their words if the project had them at the import."""
    event, login = _narrated(session, access, video, before=item.created_at)
    words = {str(row.get("id")): str(row.get("text")) for row in (event.data["narrations"] if event else ())}
    facts = [("video", video)] if video else []
    facts += [("file", str(event.data["file"]))] if event else []
    for name, title in _ACTIONS.items():
        if name in ids:
            those = ids[name] if isinstance(ids[name], list) else [ids[name]]
            named = [f"{words[str(id)]} ({id})" if str(id) in words else _words(id) for id in those]
            facts.append((title, _cut("; ".join(named) or "none")))
    by = called(people.by_login(session, login=login or ""), COMMAND) if event else ""
    return OriginStep("Narrations", facts, event.at if event else None, by)


def _narrated(
    session: Session, access: Access, video: str, *, before: datetime
) -> tuple[StoredEvent, str | None] | tuple[None, None]:
    """Return the last event before a moment that imported the narrations of a video."""
    narrations = events.of_kinds(session, project_id=access.project_id, kinds=(events.NARRATED,)) if video else []
    those = [(event, login) for event, login in narrations if event.data["video"] == video and event.at <= before]
    return those[-1] if those else (None, None)


# ---- what it shows --------------------------------------------------------------------------------------------------


def _asset(session: Session, asset: StoredAsset, role: str, called: Called) -> OriginStep:
    """Return the step of an image or clip: its name, its source, and the result of triage."""
    source = candidate_images.source(session, id=asset.source_id) if asset.source_id is not None else None
    facts = [("role in the item", role), ("name", asset.name)]
    facts += [("source", source.name)] if source is not None else []
    facts += [("group in the pool", asset.group_name)] if asset.group_name else []
    facts += [("file", "not imported yet")] if asset.sha256 is None else []
    facts += _frame(session, asset)
    by = ""
    if (triaged := queries.of_asset(session, asset_id=asset.id)) is not None:
        candidate, person = triaged
        facts += [("sharpness", f"{candidate.sharpness:.1f}")] if candidate.sharpness is not None else []
        facts.append(("triage", candidate.state.value))
        by = called(person, "")
    return OriginStep(asset.kind.capitalize(), facts, asset.created_at, by)


def _frame(session: Session, asset: StoredAsset) -> list[tuple[str, str]]:
    """Return the facts about a video frame: its time, its sharpness, and the reason for its choice."""
    came = queries.of_kind_since(
        session, project_id=asset.project_id, kind=FRAMES_POOLED, since=asset.created_at, limit=_BATCHES
    )
    event = next((event for event in came if asset.name in event.data["frames"]), None)
    if event is None:
        return []
    record = event.data["frames"][asset.name]
    chosen = "passed the screening" if record.get("kept") else f"by a lead, although {record.get('why')}"
    facts = [
        ("frame", f"{record.get('frame')}, at {record.get('exact')} s"),
        ("sharpness in the video", _words(record.get("sharpness"))),
    ]
    facts += [("motion in the video", _words(record["motion"]))] if record.get("motion") is not None else []
    facts += [("look-alikes", f"group {record['group']}")] if "group" in record else []
    ways = {name: event.data.get(name) for name in ("taking", "keeping")}
    facts += [(title, _set(ways[name])) for name, title in (("taking", "taken"), ("keeping", "screened"))]
    return [*facts, ("chosen", chosen)]


def _set(settings: Any) -> str:
    """Return the settings with a value."""
    if not isinstance(settings, dict):
        return "not said"
    return _words({name: value for name, value in settings.items() if value not in (None, False)})


# ---- where it came from ---------------------------------------------------------------------------------------------


def _came(session: Session, item: StoredItem, file: StoredImportFile | None, why: str, called: Called) -> OriginStep:
    """Return the step of the file, with the reason ``why`` earlier steps are unknown, or of the author."""
    if item.author_id is not None:
        by = called(people.by_id(session, id=item.author_id), "")
        return OriginStep("Written", [("id", item.external_id)], item.created_at, by)
    item_events = queries.events(session, item_id=item.id)
    who = called(next((person for event, person in item_events if event.kind == "item.imported"), None), COMMAND)
    how = [("how the item was made", why)] if why else []
    if file is None:
        return OriginStep("Came in", [("file", "none is kept"), *how], item.created_at, who)
    row = [("row", f"{item.position + 1:,}")] if item.position is not None else []
    facts = [("file", file.path), *row, ("format", file.format), ("id", item.external_id), *how]
    return OriginStep("Imported", facts, item.created_at, who)


# ---- words ----------------------------------------------------------------------------------------------------------


def _facts(told: Mapping[str, Any], titles: Mapping[str, str]) -> list[tuple[str, str]]:
    facts = [(titles.get(name, _cut(str(name).replace("_", " "))), _words(value)) for name, value in told.items()]
    return facts[:_MOST] + ([("and more", f"{len(facts) - _MOST:,}")] if len(facts) > _MOST else [])


def _words(value: Any) -> str:
    """Return any value of a record as text, because a file's record may contain anything."""
    if isinstance(value, str):
        return _cut(value) or "nothing"
    if isinstance(value, dict) and value and not any(isinstance(part, dict | list) for part in value.values()):
        return _cut(", ".join(f"{name}: {_words(part)}" for name, part in value.items()))
    if isinstance(value, list) and value and not any(isinstance(part, dict | list) for part in value):
        return _cut("; ".join(map(_words, value)))
    return _cut(json.dumps(value, ensure_ascii=False))


def _cut(words: str) -> str:
    return words if len(words) <= _LONGEST else words[:_LONGEST] + "…"
