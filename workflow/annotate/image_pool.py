"""The pool of free images and clips: fill it, show it, and take an image out to write about it."""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from annotation_schemas import source_media
from db import assets as stock
from db import candidate_images, task_claims, task_slots, tasks
from db.engine import Session, Store
from db.records import StoredAsset, StoredMediaObject, StoredTask
from db.types import public_id
from domain.errors import (
    AlreadyTakenError,
    InvalidInputError,
    InvalidMediaError,
    NotAllowedError,
    NotFoundError,
    Problem,
)
from domain.language import _
from domain.records import AddedMedia, Person, PoolPage, TaskView
from domain.states import Stage, TaskState
from importers.media_files import kind_of
from media.perceptual_hash import hash_of_file
from workflow.access import withheld_files
from workflow.access.event_log import log
from workflow.access.projects import Access, access_to, require_lead
from workflow.access.schema_changes import must_be_the_same
from workflow.annotate import author_forms
from workflow.annotate.task_views import asset_view, roles_of, task_view

if TYPE_CHECKING:
    from media.store import MediaStore, StoredMedia

WEBM = ".webm"
"""Suffix of clips that are stored without conversion."""


def add_to_pool(
    store: Store,
    media: MediaStore,
    *,
    by: Person | None,
    project: str,
    files: Iterable[tuple[str, Path]],
    source_of: Callable[[str], str | None] | None = None,
    dimension: str | None = None,
    role: str | None = None,
) -> AddedMedia:
    """Offer images and clips to authors, or first to triage if the schema has a triage.

    Files that are no valid image or clip, or that have no place in an item, are refused one by one; known files are
    only counted. A video becomes a clip (converted to WebM if needed) where items have a place for clips. If
    ``source: media`` asks for frames, a video gives those frames instead, unless ``role`` names a place for clips.

    Parameters
    ----------
    source_of
        Maps a file's name to the video or collection that it came from.
    dimension
        The only dimension that may use the files; None means any.
    role
        The place in an item that the files are for; only files of its kind are accepted. None means any.
    """
    with store.read() as session:
        access = require_lead(session, by=by, project=project)
    if dimension is not None and dimension not in {known.id for known in access.schema.dimensions}:
        raise InvalidInputError(
            [Problem("dimension", (f"The schema has no dimension {dimension!r}. Choose a dimension from the schema."))]
        )
    in_triage = access.schema.stages.triage is not None
    kinds = _kinds(access, role)
    added: Counter[str] = Counter()
    sources: Counter[str] = Counter()
    repeated, refused = 0, list[tuple[str, str]]()
    for name, path in _as_kept(access, files, kinds, refused):
        try:
            stored = media.add(path, name=name)
            if stored.kind not in kinds:
                raise InvalidMediaError(_no_place(stored.kind, kinds, role))
        except InvalidMediaError as error:
            refused.append((name, str(error)))
            continue
        look = hash_of_file(media.path(stored.sha256, "thumb")) if in_triage else None
        source = source_of(name) if source_of is not None else None
        with store.write() as session:
            now = store.now()
            if dimension is not None:
                must_be_the_same(session, access=access)
            stock.put_media(session, row=media_row(stored, now))
            shown = withheld_files.instead(session, project_id=access.project_id).get(stored.sha256, stored.sha256)
            known = stock.by_hash(session, project_id=access.project_id, sha256=shown)
            if known is not None:
                repeated += 1
                continue
            asset = stock.add(
                session,
                project_id=access.project_id,
                sha256=shown,
                name=name,
                kind=stored.kind,
                source_id=stock.source_id(session, project_id=access.project_id, name=source) if source else None,
                dimension=dimension,
                in_pool=not in_triage,
                now=now,
            )
            if in_triage:
                candidate_images.add(session, asset=asset, sharpness=stored.sharpness, look=look)
        added[stored.kind] += 1
        sources[source or ""] += 1
    with store.write() as session:
        data = {"added": added.total(), "repeated": repeated, "refused": len(refused)}
        log(session, "pool.filled", by=by, project=access, now=store.now(), data=data)
    return AddedMedia(added.total(), repeated, tuple(refused), clips=added["clip"], sources=dict(sources))


def files_in_words(added: AddedMedia) -> str:
    """Return the number of added files in words: ``3 images and 1 clip``."""
    n = {"image": added.added - added.clips, "clip": added.clips}
    words = [f"{number:,} {kind}{'' if number == 1 else 's'}" for kind, number in n.items() if number]
    return " and ".join(words) or "nothing"


def _kinds(access: Access, role: str | None) -> frozenset[str]:
    """Return the kinds of media that an item has places for, or the kind of one place."""
    slots = access.schema.item.assets
    if role is None:
        return frozenset(slot.kind for slot in slots)
    kinds_of_role = frozenset(slot.kind for slot in slots if slot.role == role)
    if not kinds_of_role:
        there = ", ".join(slot.role for slot in slots) or "none"
        raise InvalidInputError([Problem("role", f"The schema has no asset {role!r}. Its assets: {there}.")])
    return kinds_of_role


def _no_place(kind: str, kinds: Collection[str], role: str | None) -> str:
    if role is not None:
        return (
            f"The file is {'an image' if kind == 'image' else 'a clip'}, but {role} accepts {_plural(kinds)}. Choose "
            "another file."
        )
    return (
        f"The file is {'an image' if kind == 'image' else 'a clip'}, but items of this project need "
        f"{_plural(kinds)}. Choose another file."
    )


def _plural(kinds: Collection[str]) -> str:
    return " and ".join(f"{kind}s" for kind in sorted(kinds)) or "no images or clips"


def media_row(stored: StoredMedia, now: datetime) -> dict[str, Any]:
    """Return the database row of a file in the media store."""
    return {
        "sha256": stored.sha256,
        "kind": stored.kind,
        "mime": stored.mime,
        "bytes": stored.bytes,
        "width": stored.width,
        "height": stored.height,
        "duration": stored.duration,
        "created_at": now,
    }


def _as_kept(
    access: Access, files: Iterable[tuple[str, Path]], kinds: Collection[str], refused: list[tuple[str, str]]
) -> Iterator[tuple[str, Path]]:
    """Yield the files to store: a video's frames 0, n, 2n and so on as images below its name, or the clip as WebM.

    Unreadable files are added to ``refused``.
    """
    every = int(source_media.number(access.schema, source_media.EVERY) or 0)
    framed = every and "image" in kinds
    for name, path in files:
        if kind_of(path) != "clip" or (not framed and "clip" not in kinds and path.suffix.lower() == WEBM):
            yield name, path
            continue
        if not framed and "clip" not in kinds:
            refused.append(
                (name, f"The file is a video, but items of this project need {_plural(kinds)}. Choose another file.")
            )
            continue
        try:
            yield from _frames(name, path, every) if framed else as_webm(name, path)
        except InvalidMediaError as error:
            refused.append((name, str(error)))


def _frames(name: str, path: Path, every: int) -> Iterator[tuple[str, Path]]:
    from media import clips

    with tempfile.TemporaryDirectory(prefix="touchstone-frames-") as work:
        times = clips.timing(path, name=name).times
        wanted = range(0, len(times), every)
        pictures = clips.frames_at(path, [times[at] for at in wanted], name=name)
        for at, picture in zip(wanted, pictures, strict=True):
            image = Path(work) / f"{at}.png"
            picture.save(image)
            yield f"{name}/{at}.png", image
            image.unlink()


def as_webm(name: str, path: Path) -> Iterator[tuple[str, Path]]:
    """Yield a clip in the stored form: a WebM that browsers play, or a converted temporary file."""
    from media import clips

    with tempfile.TemporaryDirectory(prefix="touchstone-clip-") as work:
        yield name, clips.as_stored(path, out=Path(work) / f"clip{WEBM}", name=name)


def pool(
    store: Store,
    *,
    person: Person,
    project: str,
    dimension: str | None = None,
    after: str | None = None,
    limit: int = 60,
) -> PoolPage:
    """Return a page of the free images that a person may pick."""
    _sweep_if_needed(store, person=person, project=project)
    with store.read() as session:
        access = access_to(session, person=person, project=project)
        mine = _dimensions(access, dimension)
        free_images = stock.free(
            session,
            project_id=access.project_id,
            dimensions=mine,
            per_source=_per_source(access),
            after=after,
            limit=min(max(limit, 1), 500),
        )
        total = count(session, access=access, dimensions=mine)
        roles: dict[str, str] = {slot.kind: slot.role for slot in reversed(access.schema.item.assets)}
        groups = _groups(session, access, [asset for asset, _ in free_images])
        views = [
            asset_view(asset, media, asset.role or roles.get(asset.kind, ""), groups.get(asset.group_name or "", ()))
            for asset, media in free_images
        ]
        return PoolPage(views, total)


def pick(store: Store, *, person: Person, project: str, dimension: str, assets: Sequence[str]) -> TaskView:
    """Take images out of the pool and start an item about them.

    Raises
    ------
    AlreadyTakenError
        Another person has one of the images, or its source has given as many images as the schema allows.
    InvalidInputError
        The images do not make an item. A group of images makes an item alone.
    """
    _sweep_if_needed(store, person=person, project=project)
    with store.write() as session:
        now = store.now()
        access = access_to(session, person=person, project=project)
        must_be_the_same(session, access=access)
        _must_write(access, dimension)
        rows = [_pickable(session, access, public, dimension) for public in dict.fromkeys(assets)]
        rows = _with_group(session, access, rows)
        if roles_of(access.schema.item.assets, rows) is None:
            wanted = ", ".join(f"{slot.min} {slot.kind} ({slot.role})" for slot in access.schema.item.assets)
            raise InvalidInputError(
                [
                    Problem(
                        "assets",
                        _("These images do not match the schema. An item needs {wanted}.").format(wanted=wanted),
                    )
                ]
            )
        id = public_id()
        unit = f"{Stage.AUTHORING.value}/{id}"
        slot = task_slots.Slot(
            public_id=id,
            project_id=access.project_id,
            stage=Stage.AUTHORING,
            unit=unit,
            dimension=dimension,
            person_id=person.id,
            shuffle=task_slots.shuffle_key(seed=access.seed, unit=unit, slot=0),
            at=now,
        )
        task = task_slots.open_for_person(session, slot=slot)
        if task is None:
            raise AlreadyTakenError(_("Someone has started this item already. Reload the page."))
        _take(session, access, task, rows)
        log(session, "pool.picked", by=person, task=task, now=now, data={"stage": task.stage.value})
        author_forms.log_start(session, row=task, person=person, now=now)
        return task_view(session, access=access, row=task, person=person)


# ---- for other use cases ---------------------------------------------------------------------------------------------


def count(session: Session, *, access: Access, dimensions: Sequence[str] | None) -> int:
    """Return how many images are free for these dimensions."""
    return stock.count_free(
        session, project_id=access.project_id, dimensions=dimensions, per_source=_per_source(access)
    )


def keep(session: Session, access: Access, row: StoredTask) -> bool:
    """Take a locked authoring task's images out of the pool again; return False if one of them is gone."""
    if row.state is not TaskState.CLAIMED:
        return False
    return all(
        stock.take_from_pool(session, asset=asset, per_source=_per_source(access))
        for asset in stock.in_lock_order(asset for _, asset, _ in stock.picks(session, task_id=row.id))
        if asset.in_pool
    )


def _sweep_if_needed(store: Store, *, person: Person, project: str) -> None:
    """Return the images of abandoned items to the pool; their authors may continue if nobody takes the images."""
    with store.read() as session:
        project_id = access_to(session, person=person, project=project).project_id
        if not stock.abandoned_authoring(session, project_id=project_id, now=store.now()):
            return
    with store.write() as session:
        for row in stock.abandoned_authoring(session, project_id=project_id, now=store.now(), lock=True):
            for asset in stock.in_lock_order(asset for _, asset, _ in stock.picks(session, task_id=row.id)):
                stock.return_to_pool(session, asset=asset)


def _take(session: Session, access: Access, task: StoredTask, rows: Sequence[StoredAsset]) -> None:
    """Take assets for a task; a person who had abandoned one of them loses the item that they had started."""
    stale = [pick.task_id for row in rows if (pick := stock.pick_of(session, asset_id=row.id)) is not None]
    abandoned = tasks.lock_by_ids(session, ids=stale)
    for asset in stock.in_lock_order(
        row for row in rows if not row.place
    ):  # the first file of a group represents the group
        if not stock.take_from_pool(session, asset=asset, per_source=_per_source(access)):
            raise AlreadyTakenError(
                _("Another person has this image, or its video has no more free images. Pick another image.")
            )
    for other in abandoned:
        stock.forget_picks(session, task_id=other.id)
        task_claims.call_off(session, row=other)
    stock.add_picks(session, task_id=task.id, asset_ids=[row.id for row in rows])


def _must_write(access: Access, dimension: str) -> None:
    if access.schema.stages.authoring is None:
        raise NotAllowedError(
            _("This project imports its items from files, so you cannot write items. Open My work to see your tasks.")
        )
    if not access.may_do(Stage.AUTHORING):
        raise NotAllowedError(_("You do not write items in this project. Ask a lead for the right to write items."))
    if dimension not in {known.id for known in access.schema.dimensions} or not access.may_use(dimension):
        raise NotAllowedError(
            _("{dimension} is not one of your dimensions. Ask a lead to assign you to the dimension.").format(
                dimension=repr(dimension)
            )
        )


def _pickable(session: Session, access: Access, public: str, dimension: str) -> StoredAsset:
    row = stock.by_public_id(session, public_id=public)
    if row is None or row.project_id != access.project_id:
        raise NotFoundError(_("This image is not in the project's pool. Pick another image."))
    if row.dimension is not None and row.dimension != dimension:
        raise NotAllowedError(
            _("This image is for {dimension} only. Pick another image.").format(dimension=repr(row.dimension))
        )
    return row


def _groups(
    session: Session, access: Access, rows: Sequence[StoredAsset]
) -> dict[str, list[tuple[StoredAsset, StoredMediaObject | None]]]:
    names = {row.group_name for row in rows if row.group_name is not None}
    return stock.groups(session, project_id=access.project_id, names=names)


def _with_group(session: Session, access: Access, rows: Sequence[StoredAsset]) -> list[StoredAsset]:
    """Return the images of the item: these, or the whole group if one was picked."""
    groups = _groups(session, access, rows)
    if groups and len(rows) > 1:
        raise InvalidInputError(
            [Problem("assets", _("A group of images forms one item. Pick the group without other images."))]
        )
    return [asset for group in groups.values() for asset, _ in group] or list(rows)


def _dimensions(access: Access, dimension: str | None) -> Sequence[str] | None:
    if dimension is None:
        return access.dimensions
    return (dimension,) if access.may_use(dimension) else ()


def _per_source(access: Access) -> int | None:
    authoring = access.schema.stages.authoring
    return authoring.per_source if authoring is not None else None
