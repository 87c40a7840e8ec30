"""The releases of a project, and what is different between two of them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from db import people, releases
from db.engine import Session, Store
from db.records import StoredRelease
from domain.errors import FileRefused, NotFound
from domain.manifests import NAME, read
from domain.records import Person
from workflow.access.projects import require_lead
from workflow.releases.create import ITEMS, PUBLIC
from workflow.releases.draft import version_of
from workflow.releases.staging import place_of

_VERSION = re.compile(r"v?(\d{1,6})(?:\.(\d{1,6}))?")


@dataclass(frozen=True)
class Withdrawn:
    """An item that a point release lacks."""

    item: str
    reason: str
    release: str
    """The first one that lacks it."""
    at: datetime


@dataclass(frozen=True)
class Release:
    """A release, as lists show it."""

    version: str
    at: datetime
    by: str | None
    """A login."""
    items: int
    told: Mapping[str, Any]
    manifest_sha256: str
    place: Path
    withdrawn: Sequence[Withdrawn] = ()
    """From the release that it mends, in their order."""

    @property
    def splits(self) -> Mapping[str, Any]:
        """Items and what is withheld, by split."""
        return dict(self.told.get("splits", {}))

    @property
    def is_there(self) -> bool:
        """Whether its files are still kept on this machine."""
        return (self.place / PUBLIC / NAME).is_file()


def all_releases(store: Store, home: Path, *, by: Person | None, project: str) -> list[Release]:
    """The releases of a project, the first one first, for leads."""
    with store.read() as session:
        access = require_lead(session, by=by, project=project)
        rows = releases.of_project(session, project_id=access.project_id)
        gone = releases.withdrawn(session, project_id=access.project_id)
        logins = {
            id: person.login for id in {row.by_id for row in rows} if id and (person := people.by_id(session, id=id))
        }
        return [
            Release(
                version=version_of(row.number, row.point),
                at=row.created_at,
                by=logins.get(row.by_id or 0),
                items=sum(each["items"] for each in row.told.get("splits", {}).values()),
                told=row.told,
                manifest_sha256=row.manifest_sha256,
                place=place_of(home, access.name, version_of(row.number, row.point)),
                withdrawn=[
                    Withdrawn(name, each.reason, version_of(number, point), each.created_at)
                    for each, number, point, name in gone
                    if number == row.number and point <= row.point
                ],
            )
            for row in rows
        ]


def one_release(store: Store, home: Path, *, by: Person | None, project: str, version: str) -> Release:
    """A release by its version. ``NotFound`` names those that there are."""
    found = all_releases(store, home, by=by, project=project)
    wanted = version.removeprefix("v")
    for each in found:
        if each.version == wanted:
            return each
    there = ", ".join(each.version for each in found) or "none yet"
    raise NotFound(f"{project} has no release {version}; there are: {there}.")


def stored(session: Session, *, project_id: int, version: str) -> StoredRelease | None:
    """The row of a release by its version; None: there is no such one."""
    found = _VERSION.fullmatch(version)
    if not found:
        return None
    return releases.one(session, project_id=project_id, number=int(found[1]), point=int(found[2] or 0))


# ---- two of them -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Difference:
    """What the second of two releases has otherwise than the first."""

    first: str
    second: str
    added: Sequence[str] = ()
    removed: Sequence[str] = ()
    changed: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """What is different, by the item's id: ``revision``, ``split``, ``dimension``, ``content``, ``kept_by``."""
    told: Mapping[str, tuple[Any, Any]] = field(default_factory=dict)
    """What the manifests say otherwise, by its name there."""
    files: Mapping[str, str] = field(default_factory=dict)
    """``added``, ``removed`` or ``changed``, by path."""

    @property
    def equal(self) -> bool:
        """Whether nothing is different but what they are called, and what people and files are called by that."""
        return not (self.added or self.removed or self.changed or self.told)


_OWN = {"release", "files", "private", "based_on"}
"""What every manifest says of itself alone."""


def difference(first: Path, second: Path) -> Difference:
    """What is different between two release folders. ``FileRefused`` where one is none."""
    manifests = [manifest_of(each) for each in (first, second)]
    old, new = (dict(_items(each)) for each in (first, second))
    files = [{each["path"]: each["sha256"] for each in manifest["files"]} for manifest in manifests]
    return Difference(
        str(manifests[0].get("release")),
        str(manifests[1].get("release")),
        added=[id for id in new if id not in old],
        removed=[id for id in old if id not in new],
        changed={id: what for id in new if id in old and (what := _unlike(old[id], new[id]))},
        told={
            name: (manifests[0].get(name), manifests[1].get(name))
            for name in dict.fromkeys([*manifests[0], *manifests[1]])
            if name not in _OWN and manifests[0].get(name) != manifests[1].get(name)
        },
        files={
            path: "changed" if path in files[0] and path in files[1] else "added" if path in files[1] else "removed"
            for path in sorted({*files[0], *files[1]})
            if files[0].get(path) != files[1].get(path)
        },
    )


def _unlike(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[str]:
    names = {"content_sha256": "content"}
    return [names.get(name, name) for name in dict.fromkeys([*old, *new]) if old.get(name) != new.get(name)]


def manifest_of(folder: Path) -> dict[str, Any]:
    """The manifest of a release folder. ``FileRefused`` where it is none."""
    try:
        found = read((folder / NAME).read_bytes())
    except OSError as error:
        raise FileRefused(f"{folder} is no release: it has no {NAME} that can be read.") from error
    if found is None or not isinstance(found.get("release"), str) or not isinstance(found.get("files"), list):
        raise FileRefused(f"{folder / NAME} is no manifest of a release.")
    if any(not isinstance(each, dict) or not isinstance(each.get("path"), str) for each in found["files"]):
        raise FileRefused(f"{folder / NAME} does not say which files the release has.")
    return found


def _items(folder: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    path = folder / ITEMS
    try:
        with path.open(encoding="utf-8") as lines:
            for number, line in enumerate(lines, 1):
                item = json.loads(line)
                if not isinstance(item, dict) or not isinstance(item.get("id"), str):
                    raise FileRefused(f"{path}, line {number}: it names no item.")
                yield item["id"], item
    except (OSError, ValueError) as error:
        raise FileRefused(f"{path} cannot be read: {error}.") from error
