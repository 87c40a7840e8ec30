"""An item is withdrawn from a release, with a reason: a point release lacks it, and the release itself stays."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from db import items, releases
from db.engine import Session, Store
from db.records import StoredRelease
from domain.errors import InvalidFileError, InvalidInputError, NotFoundError, Problem
from domain.evidence import FOLDER as EVIDENCE
from domain.jobs import Progress, unheard
from domain.records import Person
from exporters.release_folder import FolderWriter, hash_of
from workflow.access.projects import Access, require_lead
from workflow.releases.create import PRIVATE, PUBLIC, CreatedRelease, keep, write
from workflow.releases.draft import Draft, canary, regrouped, settled_by_seniors, version_of
from workflow.releases.extension_checks import FACTS, NOT_WRITTEN, must_have_checks, names_in_manifest
from workflow.releases.listing import stored
from workflow.releases.settings import CardVersion, ReleaseOptions
from workflow.releases.staging import place_of, staging

if TYPE_CHECKING:
    from media.store import MediaStore

LONGEST = 2_000


def withdraw(
    store: Store,
    media: MediaStore,
    home: Path,
    *,
    by: Person | None,
    project: str,
    version: str,
    item: str,
    reason: str,
    progress: Progress = unheard,
) -> CreatedRelease:
    """Create a point release without one item. The facts of the original release hold for the new one.

    Parameters
    ----------
    version
        The version of the release or of one of its point releases. The new release leaves out all items withdrawn so
        far.
    item
        The item's id in files.

    Raises
    ------
    NotFoundError
        The release or the item does not exist.
    InvalidFileError
        The schema has changed since, so the release cannot be written in its old form.
    """
    if not reason.strip() or len(reason) > LONGEST:
        raise InvalidInputError(
            [Problem("reason", f"Give a reason of 1 to {LONGEST:,} characters. The manifest publishes the reason.")]
        )
    with store.read() as session:
        require_lead(session, by=by, project=project)
    with staging(home, project) as made:
        with store.read() as session:
            access = require_lead(session, by=by, project=project)
            must_have_checks(access.schema)
            draft, id = _draft(session, media, access, version=version, item=item, reason=reason.strip())
        before = place_of(home, project, str(draft.told["based_on"]["release"]))
        manifest = write(store, media, draft, made, progress, evidence=lambda folder: _as_before(before, folder))
        return keep(store, home, made, draft, manifest, by=by, withdraws=(id, reason.strip()))


def withdrawable(store: Store, *, by: Person | None, project: str, version: str) -> list[str]:
    """Return the ids in files of the items that the newest point release of a release still has, for leads."""
    with store.read() as session:
        access = require_lead(session, by=by, project=project)
        base = _base(session, access, version)
        placed = {row.item_id for row in releases.items_of(session, release_id=base.id)}
        return sorted(name for id, _, name, _ in items.names(session, project_id=access.project_id) if id in placed)


def _base(session: Session, access: Access, version: str) -> StoredRelease:
    """Return the newest point release of a release."""
    asked_of = stored(session, project_id=access.project_id, version=version)
    if asked_of is None:
        raise NotFoundError(
            f"{access.name} has no release {version}. Run touchstone release list {access.name} to see all releases."
        )
    point = releases.last_point(session, project_id=access.project_id, number=asked_of.number)
    base = releases.find_release(session, project_id=access.project_id, number=asked_of.number, point=point)
    assert base is not None
    return base


def _as_before(before: Path, folder: FolderWriter) -> None:
    """Link the evidence of the original release, unchanged, because it belongs to one state of the project.

    Raises
    ------
    InvalidFileError
        The files of that release are no longer on this machine.
    """
    released_part = next((part for part in (before / PRIVATE, before / PUBLIC) if (part / EVIDENCE).is_dir()), None)
    if released_part is None:
        raise InvalidFileError(
            f"The files of release {before.name} are no longer on this machine. Create a new release."
        )
    for path in sorted(path for path in (released_part / EVIDENCE).rglob("*") if path.is_file()):
        folder.link(path.relative_to(released_part).as_posix(), path, hash_of(path))


def _draft(
    session: Session, media: MediaStore, access: Access, *, version: str, item: str, reason: str
) -> tuple[Draft, int]:
    project_id, base = access.project_id, _base(session, access, version)
    if base.told.get("schema", {}).get("sha256") != access.loaded.hash:
        raise InvalidFileError(
            f"The schema has changed since release {version}. Create a new release instead. The new release "
            "leaves out items that are no longer kept."
        )
    named = {name: id for id, _, name, _ in items.names(session, project_id=project_id)}
    placed = releases.items_of(session, release_id=base.id)
    id = named.get(item)
    if id is None or all(row.item_id != id for row in placed):
        raise NotFoundError(
            f"Release {version_of(base.number, base.point)} of {access.name} has no item {item}. Check the item ID."
        )
    left = [row._replace(place=place) for place, row in enumerate(one for one in placed if one.item_id != id)]
    if not left:
        raise InvalidFileError(
            "This is the only item of the release. A release needs at least one item. Make a new release with other "
            "items instead."
        )
    carried = {*_CARRIED, *names_in_manifest()}
    values = {name: value for name, value in base.told.items() if name in carried}
    gone = [*base.told.get("withdrawn", []), {"item": item, "reason": reason}]
    based_on = {"release": version_of(base.number, base.point), "manifest_sha256": base.manifest_sha256}
    draft = Draft(
        access=access,
        asked=ReleaseOptions.load(base.asked),
        about=CardVersion(0, base.told.get("about", {})),
        placed=left,
        groups=regrouped(session, media, access, ReleaseOptions.load(base.asked), [row.item_id for row in left]),
        number=base.number,
        point=base.point + 1,
        date=str(base.told.get("date", "")),
        told={**values, "withdrawn": gone, "based_on": based_on},
        by_senior=settled_by_seniors(session, access),
        canary=canary(session, access, base.number),
    )
    return draft, id


_CARRIED = ("schema", "guideline", "policy", "counts", "gates", "drawn", "exposure", FACTS, NOT_WRITTEN)
"""The entries that a point release copies from the release that it mends, because they were counted then. The entries
of extension checks are copied too.
"""
