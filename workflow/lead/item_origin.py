"""How an item came to be, before anything happened to it: what it was made of, its images and clips, its file or its
author. An item's history begins with it, and is for the same people: it tells the key."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from annotation_schemas.formats import FORMATS
from db import candidate_images, comment_threads, events, files, items, people
from db.engine import Session
from db.events import FRAMES_POOLED
from db.records import StoredAsset, StoredEvent, StoredImportFile, StoredItem, StoredPerson
from domain import json_text
from domain.comments import OriginStep
from workflow.access.projects import Access

Called = Callable[[StoredPerson | None, str], str]
"""What the reader may call someone, or else is told."""

CONSTRUCTION = "construction"
"""The key under which the record of an item says how it was made."""
NOT_SAID = "its record does not say"
_LONGEST = 1_000
"""So many characters of a fact are shown."""
_MOST = 60
"""So many facts of a kind that is not known here are shown."""
COMMAND = "the command line"
_VIDEOS = {row.keys.video for row in FORMATS.values() if row.keys is not None and row.keys.video}
"""What formats call the source video."""
_BATCHES = 3
"""A frame is named in the first line of the log about frames since it came; another may come in between."""
_ACTIONS = {
    "answer": "the action asked for",
    "progress": "done before it",
    "negatives": "wrong options",
    "actions": "all actions of the goal",
}
"""What a record made of narrations names by the ids of narrations."""


def origin(session: Session, *, access: Access, item: StoredItem, called: Called) -> list[OriginStep]:
    """The steps by which an item came to be, the first one first; the last is its file, or who wrote it."""
    file = _file(session, access, item)
    made, why = _made(session, access, item, file, called)
    shown = [_asset(session, asset, link.role, called) for link, asset, _ in items.assets(session, item_id=item.id)]
    return [*made, *shown, _came(session, item, file, why, called)]


def _file(session: Session, access: Access, item: StoredItem) -> StoredImportFile | None:
    if item.file_id is None:
        return None
    return next((each for each in files.files(session, project_id=access.project_id) if each.id == item.file_id), None)


# ---- what it was made of --------------------------------------------------------------------------------------------


def _made(
    session: Session, access: Access, item: StoredItem, file: StoredImportFile | None, called: Called
) -> tuple[list[OriginStep], str]:
    """What the record says, as it came, and else why nothing; of narrations and a goal each has a step of its own."""
    raw = item.fragment_raw or ""
    try:
        record = json_text.values(raw, [CONSTRUCTION, *_VIDEOS]) if raw.lstrip().startswith("{") else {}
    except json_text.NotJson as error:
        return [], f"what its record says of how it was made cannot be shown: {error}"
    made = record.get(CONSTRUCTION)
    if not isinstance(made, dict) or not made:
        return ([], NOT_SAID) if made in (None, {}) else ([OriginStep("Making", [("how", _words(made))])], "")
    rest, found = dict(made), []
    if isinstance(rest.get("actions"), list) and "answer" in rest:
        ids = {name: rest.pop(name) for name in _ACTIONS if name in rest}
        found.append(_narrations(session, access, item, _video(file, record), ids, called))
    if isinstance(rest.get("goal"), dict):
        found.append(OriginStep("Goal", _facts(rest.pop("goal"), {"text": "goal", "where": "where it stood"})))
    return [*found, OriginStep("Making", _facts(rest, {}))], ""


def _video(file: StoredImportFile | None, record: Mapping[str, Any]) -> str:
    row = FORMATS.get(file.format) if file is not None else None
    key = row.keys.video if row is not None and row.keys is not None else None
    return str(record.get(key) or "") if key else ""


def _narrations(
    session: Session, access: Access, item: StoredItem, video: str, ids: Mapping[str, Any], called: Called
) -> OriginStep:
    """The narrations by their ids, with words where the project had them when the item came."""
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
    """The event that brought the narrations of a video, the last one before that moment."""
    found = events.of_kinds(session, project_id=access.project_id, kinds=(events.NARRATED,)) if video else []
    those = [(event, login) for event, login in found if event.data["video"] == video and event.at <= before]
    return those[-1] if those else (None, None)


# ---- what it shows --------------------------------------------------------------------------------------------------


def _asset(session: Session, asset: StoredAsset, role: str, called: Called) -> OriginStep:
    """An image or clip: what it was called, where it is from, and what triage said of it."""
    source = candidate_images.source(session, id=asset.source_id) if asset.source_id is not None else None
    facts = [("place in the item", role), ("name", asset.name)]
    facts += [("source", source.name)] if source is not None else []
    facts += [("group in the pool", asset.group_name)] if asset.group_name else []
    facts += [("file", "not imported yet")] if asset.sha256 is None else []
    facts += _frame(session, asset)
    by = ""
    if (triaged := candidate_images.of_asset(session, asset_id=asset.id)) is not None:
        candidate, person = triaged
        facts += [("sharpness", f"{candidate.sharpness:.1f}")] if candidate.sharpness is not None else []
        facts.append(("triage", candidate.state.value))
        by = called(person, "")
    return OriginStep(asset.kind.capitalize(), facts, asset.created_at, by)


def _frame(session: Session, asset: StoredAsset) -> list[tuple[str, str]]:
    """Which frame of its video it is, if it came as one: when it is shown, how sharp it is, why it was chosen."""
    came = events.of_kind_since(
        session, project_id=asset.project_id, kind=FRAMES_POOLED, since=asset.created_at, limit=_BATCHES
    )
    event = next((each for each in came if asset.name in each.data["frames"]), None)
    if event is None:
        return []
    told = event.data["frames"][asset.name]
    chosen = "it passed the screening" if told.get("kept") else f"by hand, although {told.get('why')}"
    facts = [
        ("frame", f"{told.get('frame')}, at {told.get('exact')} s"),
        ("sharpness in its video", _words(told.get("sharpness"))),
    ]
    facts += [("motion in its video", _words(told["motion"]))] if told.get("motion") is not None else []
    facts += [("look-alikes", f"group {told['group']}")] if "group" in told else []
    ways = {name: event.data.get(name) for name in ("taking", "keeping")}
    facts += [(title, _set(ways[name])) for name, title in (("taking", "taken"), ("keeping", "screened"))]
    return [*facts, ("chosen", chosen)]


def _set(settings: Any) -> str:
    """The settings that say something."""
    if not isinstance(settings, dict):
        return "not said"
    return _words({name: value for name, value in settings.items() if value not in (None, False)})


# ---- where it came from ---------------------------------------------------------------------------------------------


def _came(session: Session, item: StoredItem, file: StoredImportFile | None, why: str, called: Called) -> OriginStep:
    """The file, with ``why`` it says nothing of what was before, or the author."""
    if item.author_id is not None:
        by = called(people.by_id(session, id=item.author_id), "")
        return OriginStep("Written", [("id", item.external_id)], item.created_at, by)
    told = comment_threads.events(session, item_id=item.id)
    who = called(next((person for event, person in told if event.kind == "item.imported"), None), COMMAND)
    how = [("how it was made", why)] if why else []
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
    """What stands there, as text: the record is a file's, and may hold anything."""
    if isinstance(value, str):
        return _cut(value) or "nothing"
    if isinstance(value, dict) and value and not any(isinstance(each, dict | list) for each in value.values()):
        return _cut(", ".join(f"{name}: {_words(each)}" for name, each in value.items()))
    if isinstance(value, list) and value and not any(isinstance(each, dict | list) for each in value):
        return _cut("; ".join(map(_words, value)))
    return _cut(json.dumps(value, ensure_ascii=False))


def _cut(words: str) -> str:
    return words if len(words) <= _LONGEST else words[:_LONGEST] + "…"
