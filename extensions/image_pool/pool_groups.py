"""Groups of images and clips in the pool: one item is written about each group, and every file has its role."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from annotation_schemas.model import AssetSlot
from db import assets as stock
from db import candidate_images
from db.engine import IntegrityError, Store
from domain.english import with_noun
from domain.errors import ConflictError, InvalidInputError, InvalidMediaError, Problem
from domain.records import Person
from extensions.image_pool.media_groups import MediaGroup, no_role
from importers.media_files import kind_of
from media.perceptual_hash import hash_of_file
from workflow.access import withheld_files
from workflow.access.event_log import log
from workflow.access.projects import Access, require_lead
from workflow.access.schema_changes import must_be_the_same
from workflow.annotate.image_pool import as_webm, media_row

if TYPE_CHECKING:
    from media.store import MediaStore, StoredMedia

Taken = tuple[str, "StoredMedia", str]
"""Role, stored file and name."""


@dataclass(frozen=True)
class AddedGroups:
    """Result of adding groups to a pool."""

    added: int
    files: int
    """Number of images and clips in the added groups."""
    repeated: int
    """Number of groups that the project has already, with the same files."""
    refused: Sequence[tuple[str, str]] = ()
    """Name and reason of each refused group."""

    @property
    def sentence(self) -> str:
        """The result in a sentence.

        >>> AddedGroups(2, 5, 1, [("g3", "the group has no after")]).sentence
        '2 groups with 5 files added; 1 already in the project; 1 not taken.'
        """
        more = f"; {self.repeated:,} already in the project" if self.repeated else ""
        more += f"; {len(self.refused):,} not taken" if self.refused else ""
        return f"{with_noun(self.added, 'group')} with {with_noun(self.files, 'file')} added{more}."


def add_groups(
    store: Store,
    media: MediaStore,
    *,
    by: Person | None,
    project: str,
    groups_of: Callable[[Sequence[str]], Iterable[MediaGroup]],
    dimension: str | None = None,
    source: str | None = None,
) -> AddedGroups:
    """Offer groups of files to authors, one item each, or first to triage if the schema has a triage; leads only.

    Triage keeps or drops a group as a whole. A group is added completely or refused with the reason, if it does not fit
    the schema or a file is invalid. Known groups are only counted; a file may be in several groups.

    Parameters
    ----------
    groups_of
        Maps the roles of the schema to the groups.
    dimension, source
        Used for groups that name no dimension or source.

    Raises
    ------
    InvalidInputError
        The schema has no such dimension, or no place for an image or clip.
    """
    with store.read() as session:
        access = require_lead(session, by=by, project=project)
    dimensions = {known.id for known in access.schema.dimensions}
    if dimension is not None and dimension not in dimensions:
        raise InvalidInputError(
            [Problem("dimension", (f"The schema has no dimension {dimension!r}. Choose a dimension from the schema."))]
        )
    added = files = repeated = 0
    refused: list[tuple[str, str]] = []
    slots = access.schema.item.assets
    if not slots:
        raise InvalidInputError(
            [
                Problem(
                    "groups",
                    "Items of this project have no images or clips, so you cannot add files to the pool. To use the "
                    "pool, add `assets` to the item in the schema.",
                )
            ]
        )
    for media_group in groups_of([slot.role for slot in slots]):
        group = replace(media_group, dimension=media_group.dimension or dimension, source=media_group.source or source)
        if group.dimension not in (None, *dimensions):
            group.refuse(f"{group.where}: the schema has no dimension {group.dimension!r}")
        why = group.problem or _misfit(slots, group)
        try:
            if why is not None:
                raise InvalidMediaError(why)
            taken = [_stored(media, group, role, path) for role, path in group.files]
            if _add(store, media, by, access, group, taken):
                added, files = added + 1, files + len(taken)
            else:
                repeated += 1
        except (InvalidMediaError, ConflictError) as error:
            refused.append((group.name, str(error)))
    with store.write() as session:
        data = {"groups": added, "added": files, "repeated": repeated, "refused": len(refused)}
        log(session, "pool.filled", by=by, project=access, now=store.now(), data=data)
    return AddedGroups(added, files, repeated, tuple(refused))


def _misfit(slots: Sequence[AssetSlot], group: MediaGroup) -> str | None:
    """Return why these files make no item, or None if they do."""
    roles = [role for role, _ in group.files]
    kinds = {slot.role: slot.kind for slot in slots}
    for role, path in group.files:
        if role not in kinds:
            return f"{group.where}: {no_role(role, [*kinds])}"
        if kind_of(path) not in (None, kinds[role]):
            return f"{group.where}: {path.name} is {_one(kind_of(path))}, but {role} must be {_one(kinds[role])}"
    for slot in slots:
        n = roles.count(slot.role)
        if n < slot.min:
            has = f"only {n} of {slot.min} files" if n else "nothing"
            return f"{group.where}: the group has {has} for {slot.role}, which every item needs"
        if slot.max is not None and n > slot.max:
            return f"{group.where}: the group has {n} files for {slot.role}, but an item can have at most {slot.max}"
    return None


def _one(kind: str | None) -> str:
    return "a clip" if kind == "clip" else "an image"


def _stored(media: MediaStore, group: MediaGroup, role: str, path: Path) -> Taken:
    """Store a file of a group in the media store; ``InvalidMediaError`` names the file and its place."""
    name = f"{group.name}/{path.name}"
    try:
        if kind_of(path) == "clip":
            for _, made in as_webm(name, path):
                return role, media.add(made, name=name), name
        return role, media.add(path, name=name), name
    except InvalidMediaError as error:
        raise InvalidMediaError(f"{group.where}: {path.name}: {error}") from error


def _add(
    store: Store, media: MediaStore, by: Person | None, access: Access, group: MediaGroup, taken: Sequence[Taken]
) -> bool:
    """Add a group; return False if the project has it already."""
    in_triage = access.schema.stages.triage is not None
    look = hash_of_file(media.path(taken[0][1].sha256, "thumb")) if in_triage else None
    try:
        with store.write() as session:
            must_be_the_same(session, access=access)
            now = store.now()
            instead = withheld_files.instead(session, project_id=access.project_id)
            there = stock.groups(session, project_id=access.project_id, names=[group.name]).get(group.name)
            if there is not None:
                if [(asset.role, asset.sha256) for asset, _ in there] == [
                    (role, instead.get(file.sha256, file.sha256)) for role, file, _ in taken
                ]:
                    return False
                raise ConflictError(
                    f"{group.where}: the project already has a group {group.name!r} with other files; rename the group"
                )
            source = None
            if group.source:
                source = stock.source_id(session, project_id=access.project_id, name=group.source)
            for place, (role, file, name) in enumerate(taken):
                stock.put_media(session, row=media_row(file, now))
                asset = stock.add(
                    session,
                    project_id=access.project_id,
                    sha256=instead.get(file.sha256, file.sha256),
                    name=name,
                    kind=file.kind,
                    source_id=source,
                    dimension=group.dimension,
                    in_pool=not in_triage and place == 0,
                    now=now,
                    group=(group.name, role, place),
                )
                if in_triage and place == 0:
                    candidate_images.add(session, asset=asset, sharpness=file.sharpness, look=look)
    except IntegrityError:  # the same command ran twice at once
        return False
    return True
