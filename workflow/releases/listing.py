"""The releases of a project, and the differences between two of them."""

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
from domain.errors import InvalidFileError, NotFoundError
from domain.manifests import NAME, read_manifest
from domain.records import Person
from workflow.access.item_counts import count_project
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
    """The items withdrawn since the release that this point release mends, in order."""

    @property
    def splits(self) -> Mapping[str, Any]:
        """Return the number of items and the withheld fields, by split."""
        return dict(self.told.get("splits", {}))

    @property
    def is_there(self) -> bool:
        """Whether its files are still kept on this machine."""
        return (self.place / PUBLIC / NAME).is_file()


@dataclass(frozen=True)
class NextRelease:
    """The next release of a project, as it would be made now."""

    number: int
    items: int
    """The kept items, which go in."""


def next_release(store: Store, *, by: Person | None, project: str) -> NextRelease:
    """Return the number of the next release and the number of its items, for leads."""
    with store.read() as session:
        access = require_lead(session, by=by, project=project)
        kept = count_project(session, access=access).kept
        number = releases.last_number(session, project_id=access.project_id) + 1
    return NextRelease(number, kept)


def all_releases(store: Store, home: Path, *, by: Person | None, project: str) -> list[Release]:
    """Return the releases of a project, oldest first, for leads."""
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
                items=sum(split["items"] for split in row.told.get("splits", {}).values()),
                told=row.told,
                manifest_sha256=row.manifest_sha256,
                place=place_of(home, access.name, version_of(row.number, row.point)),
                withdrawn=[
                    Withdrawn(name, withdrawal.reason, version_of(number, point), withdrawal.created_at)
                    for withdrawal, number, point, name in gone
                    if number == row.number and point <= row.point
                ],
            )
            for row in rows
        ]


def one_release(store: Store, home: Path, *, by: Person | None, project: str, version: str) -> Release:
    """Return a release by its version. Raises ``NotFoundError``, which lists the existing versions."""
    listed = all_releases(store, home, by=by, project=project)
    wanted = version.removeprefix("v")
    for release in listed:
        if release.version == wanted:
            return release
    there = ", ".join(release.version for release in listed) or "none yet"
    raise NotFoundError(f"{project} has no release {version}. Its releases: {there}.")


def stored(session: Session, *, project_id: int, version: str) -> StoredRelease | None:
    """Return the row of a release by its version; None if the version does not exist."""
    match = _VERSION.fullmatch(version)
    if not match:
        return None
    return releases.find_release(session, project_id=project_id, number=int(match[1]), point=int(match[2] or 0))


# ---- two of them -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class ReleaseDifference:
    """The differences of a second release from a first one."""

    first: str
    second: str
    added: Sequence[str] = ()
    removed: Sequence[str] = ()
    changed: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """The names of the differences, by the item's id: ``revision``, ``split``, ``dimension``, ``content``,
    ``kept_by``.
    """
    told: Mapping[str, tuple[Any, Any]] = field(default_factory=dict)
    """The differences between the manifests, by entry."""
    files: Mapping[str, str] = field(default_factory=dict)
    """``added``, ``removed`` or ``changed``, by path."""

    @property
    def equal(self) -> bool:
        """Return whether the releases differ only in their version and in names that follow from it."""
        return not (self.added or self.removed or self.changed or self.told)


_OWN = {"release", "files", "private", "based_on"}
"""The entries that are different in every manifest."""


def difference(first: Path, second: Path) -> ReleaseDifference:
    """Return the differences between two release folders. Raises ``InvalidFileError`` if a folder is not a release."""
    manifests = [manifest_of(release) for release in (first, second)]
    old, new = (dict(_items(manifest)) for manifest in (first, second))
    files = [{file["path"]: file["sha256"] for file in manifest["files"]} for manifest in manifests]
    return ReleaseDifference(
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
    """Return the manifest of a release folder. Raises ``InvalidFileError`` if the folder is not a release."""
    try:
        manifest = read_manifest((folder / NAME).read_bytes())
    except OSError as error:
        raise InvalidFileError(
            f"{folder} is not a release, because it has no readable {NAME}. Check the path."
        ) from error
    if manifest is None or not isinstance(manifest.get("release"), str) or not isinstance(manifest.get("files"), list):
        raise InvalidFileError(f"{folder / NAME} is not the manifest of a release. Check the path.")
    if any(not isinstance(file, dict) or not isinstance(file.get("path"), str) for file in manifest["files"]):
        raise InvalidFileError(f"{folder / NAME} does not list the files of the release. Copy the whole release again.")
    return manifest


def _items(folder: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    path = folder / ITEMS
    try:
        with path.open(encoding="utf-8") as lines:
            for number, line in enumerate(lines, 1):
                item = json.loads(line)
                if not isinstance(item, dict) or not isinstance(item.get("id"), str):
                    raise InvalidFileError(
                        f"{path}, line {number}: the line has no item id. Copy the whole release again."
                    )
                yield item["id"], item
    except (OSError, ValueError) as error:
        raise InvalidFileError(f"Touchstone cannot read {path}: {error}. Copy the whole release again.") from error
