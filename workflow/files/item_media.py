"""Images and clips of imported items: found in folders, cut out of videos, taken into the store, and saved by name."""

from __future__ import annotations

import tempfile
from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from annotation_schemas import source_media
from annotation_schemas.formats import ItemKeys, Moments
from db import assets, files, task_slots
from db.engine import Session
from db.types import public_id
from domain.errors import InvalidMediaError
from domain.records import AssetName, BadRow, FileRecord, ItemRecord
from importers.media_files import MediaFolder
from workflow.access import withheld_files
from workflow.access.projects import Access
from workflow.files.one_import import Import

if TYPE_CHECKING:
    from media.store import StoredMedia

_SAME_MOMENT = 1e-6
"""Seconds; moments this close are one."""


@dataclass(frozen=True)
class MediaRequest:
    """A medium that an item names."""

    asset: str
    """The asset's name in the project."""
    role: str
    kind: str
    source: str | None
    find: Callable[[Path], Path | None]
    """Return the file of a medium. The argument is a folder for files that must be cut."""
    named_in: BadRow
    """The first row that names the medium."""
    place: Callable[[], Path | None]
    """Return the file, or the video that it can be cut from; None for neither. Nothing is cut."""

    def problem(self) -> str | None:
        """Return a sentence with the reason why the file cannot be used; None for a missing file or no known fault."""
        from media import file_type

        try:
            path = self.place()
        except InvalidMediaError as error:
            return str(error)
        if path is None or (self.kind == "image" and self.source is not None):  # it may be cut out of a video
            return None
        return file_type.problem(path, self.kind)


def wanted_media(
    access: Access, row: ItemKeys, found: Sequence[FileRecord], folder: MediaFolder | None
) -> dict[str, MediaRequest]:
    """Return the media of all items, by their names in the project."""
    users: dict[str, set[str]] = defaultdict(set)
    for file in found:
        for item in file.items:
            for asset in item.assets:
                users[asset.path].add(_above(file.path))
    finder = _Finder(access, row, folder)
    wanted: dict[str, MediaRequest] = {}
    kinds = {slot.role: slot.kind for slot in access.schema.item.assets}
    for file in found:
        for item in file.items:
            for asset in item.assets:
                alone = len(users[asset.path]) == 1
                how: Any = (_above(file.path), item, asset, kinds[asset.role])
                find, place = finder.find(*how, alone=alone), partial(finder.place, *how, alone=alone)
                name = asset_name(item, asset)
                raw = item.fragment.raw if item.fragment else ""
                here = BadRow(file.path, (item.position or 0) + 1, "", raw, item.external_id)
                wanted.setdefault(
                    name, MediaRequest(name, asset.role, kinds[asset.role], asset.source, find, here, place)
                )
    return wanted


@dataclass
class _Finder:
    """Finds the media of the items of one import."""

    access: Access
    row: ItemKeys
    folder: MediaFolder | None
    _observed: tuple[str, Path] | None = field(default=None, init=False)
    """The item and the video whose observation was written with the clip that was cut last."""

    def find(
        self, above: str, item: ItemRecord, asset: AssetName, kind: str, *, alone: bool
    ) -> Callable[[Path], Path | None]:
        """Return a function that finds a medium of an item, or cuts it out of a video.

        ``above`` is the folder of the item's file.
        """
        folder = self.folder

        def find(work: Path) -> Path | None:
            if folder is None:
                return None
            file = self._file(folder, above, item, asset, kind, alone=alone)
            if file and kind == "clip":
                from media import clips

                file = clips.as_stored(file, out=work / "clip.webm")
            if file is None and asset.source:
                video = folder.of_video(asset.source)
                file = self._cut(video, item, self.row.moments(item.fields), kind, work) if video else None
            return file

        return find

    def place(self, above: str, item: ItemRecord, asset: AssetName, kind: str, *, alone: bool) -> Path | None:
        """Return the file that ``find`` returns for a medium, or the video that contains it."""
        if self.folder is None:
            return None
        file = self._file(self.folder, above, item, asset, kind, alone=alone)
        return file or (self.folder.of_video(asset.source) if asset.source else None)

    def _file(
        self, folder: MediaFolder, above: str, item: ItemRecord, asset: AssetName, kind: str, *, alone: bool
    ) -> Path | None:
        """Return the file of a medium in the folder; None if no such file exists and the medium may have to be cut."""
        own = self.access.schema.dimension(item.dimension).folder or ""
        around = [name for name in (above, own) if name] + ([""] if alone or not above else [])
        places = [f"{name}/{inner}".strip("/") for name in around for inner in ("", "images", "imgs")]
        file = folder.named(asset.path, folders=places) if asset.path else None
        file = file or folder.of_id(f"{item.external_id}/{asset.role}", kind)
        if file is None and sum(slot.kind == kind for slot in self.access.schema.item.assets) == 1:
            file = folder.of_id(item.external_id, kind)
        return file

    def _cut(self, video: Path, item: ItemRecord, at: Moments, kind: str, work: Path) -> Path | None:
        """Return the clip that ends with the item's observation, or the observation image; None without a known
        moment.
        """
        from media import clips

        last, action = at.observed, at.action
        before = source_media.number(self.access.schema, source_media.ENDS_BEFORE) or 0
        latest = clips.moment_of(video, index=action) - before if action is not None and action > 0 else None
        if not isinstance(last, int):
            return self._before_action(video, at, kind, work, latest)
        if latest is not None and clips.moment_of(video, index=last) > latest + _SAME_MOMENT:
            raise InvalidMediaError(
                f"the observation (frame {last}) must be at least {before:g} s before the action begins (frame "
                f"{action})"
            )
        observation = work / "observation.png"
        this = (item.external_id, video)
        if kind == "image":
            if self._observed == this:
                return observation
            self._observed = None
            return clips.frame(video, out=observation, index=last).path
        first = next((start for start in at.starts if 0 <= start < last), None)
        if first is None:
            return None
        end = clips.moment_of(video, index=last)
        clip = clips.cut(
            video, out=work / "progress.webm", start=end * first / last, end=end, last_frame=observation
        ).path
        self._observed = this
        return clip

    def _before_action(self, video: Path, moments: Moments, kind: str, work: Path, latest: float | None) -> Path | None:
        """Return the clip or observation of an item that states when the action begins, and not its observation."""
        from media import clips

        if latest is None:
            return None
        if latest < 0:
            raise InvalidMediaError("the action begins too early, because the clip must end before the action")
        if kind == "image":
            return clips.frame(video, out=work / "observation.png", time=latest).path
        begun = (clips.moment_of(video, index=int(at)) for at in moments.starts if at >= 0)
        first = next((at for at in begun if at < latest), None)
        return clips.cut(video, out=work / "progress.webm", start=first, end=latest).path if first is not None else None


def stored_media(bring: Import, wanted: Mapping[str, MediaRequest]) -> Iterator[tuple[str, StoredMedia | BadRow]]:
    """Yield the available media after storing each, or a bad row for a medium that the store refuses.

    Existing files are stored several at a time (``Import.hands``). Parts of one video are stored one after the other,
    because the video is scanned only once and each part overwrites the previous file.
    """
    by_source = sorted(wanted.items(), key=lambda each: each[1].source or "")
    going: deque[tuple[str, Future[StoredMedia | BadRow | None]]] = deque()
    done = 0

    def finished(left: int) -> Iterator[tuple[str, StoredMedia | BadRow]]:
        """Yield finished media, oldest first, until only ``left`` are under way."""
        nonlocal done
        while len(going) > left:
            name, medium = going[0][0], going[0][1].result()
            going.popleft()
            done += 1
            if medium is not None:
                yield name, medium
            bring.on("media", done, len(wanted))

    with tempfile.TemporaryDirectory(prefix="touchstone-") as work, ThreadPoolExecutor(bring.hands) as pool:
        for name, want in by_source:
            path: Path | None = None
            try:
                path = want.find(Path(work))
                going.append((name, pool.submit(_taken, bring, want, path)))
            except InvalidMediaError as error:
                going.append((name, pool.submit(_refused, want, error)))
            yield from finished(0 if path is not None and path.is_relative_to(work) else 2 * bring.hands)
        yield from finished(0)


def _taken(bring: Import, want: MediaRequest, path: Path | None) -> StoredMedia | BadRow | None:
    if path is None:
        return None
    try:
        medium = bring.media.add(path, name=path.name)  # an upload's path means nothing to people
        if medium.kind != want.kind:
            raise InvalidMediaError(f"{path.name} is not a valid {want.kind}")
        return medium
    except InvalidMediaError as error:
        return _refused(want, error)


def _refused(want: MediaRequest, error: InvalidMediaError) -> BadRow:
    return bad_row(want, str(error))


def bad_row(want: MediaRequest, why: str) -> BadRow:
    """Return the first row that names a medium, with the reason why the medium is refused."""
    return replace(want.named_in, reason=f"the {want.role} of this item: {why.rstrip('.')}")


def save_assets(
    bring: Import, session: Session, wanted: Mapping[str, MediaRequest], stored: Mapping[str, StoredMedia]
) -> dict[str, int]:
    """Return the ids of all assets by name: existing ones, filled if needed, and new ones, with or without a file."""
    now, project_id = bring.store.now(), bring.access.project_id
    assets.put_all_media(
        session,
        rows=[
            {
                "sha256": medium.sha256,
                "kind": medium.kind,
                "mime": medium.mime,
                "bytes": medium.bytes,
                "width": medium.width,
                "height": medium.height,
                "duration": medium.duration,
                "created_at": now,
            }
            for medium in stored.values()
        ],
    )
    have = files.asset_ids(session, project_id=project_id, names=list(wanted))
    instead = withheld_files.instead(session, project_id=project_id)
    shown = {name: instead.get(medium.sha256, medium.sha256) for name, medium in stored.items()}
    filled = {}
    for name in sorted(set(stored) & set(have), key=lambda name: have[name][0]):
        id, known = have[name]
        if known is None:
            filled[id] = shown[name]
    files.fill_assets(session, hashes=filled)
    task_slots.offer_items_with(session, asset_ids=list(filled), needed=bring.access.needed_roles)
    sources = assets.source_ids(
        session, project_id=project_id, names=[want.source for want in wanted.values() if want.source]
    )
    files.add_assets(
        session,
        rows=[
            {
                "public_id": public_id(),
                "project_id": project_id,
                "sha256": shown.get(name),
                "name": name,
                "kind": want.kind,
                "source_id": sources.get(want.source or ""),
                "in_pool": False,
                "created_at": now,
            }
            for name, want in wanted.items()
            if name not in have
        ],
    )
    return {name: id for name, (id, _) in files.asset_ids(session, project_id=project_id, names=list(wanted)).items()}


def asset_name(item: ItemRecord, asset: AssetName) -> str:
    """Return the unique name of an imported item's asset in the project, below the item's folder."""
    if asset.path:
        return "/".join(part for part in (_folder(item), asset.path) if part)
    return f"{item.external_id}/{asset.role}"


def count_without_media(items: Iterable[ItemRecord], missing: Iterable[str]) -> int:
    """Count the items with an asset among the ``missing`` ones, by their names in the project."""
    names = set(missing)
    return sum(any(asset_name(item, asset) in names for asset in item.assets) for item in items)


def _folder(item: ItemRecord) -> str:
    return _above(item.external_id)


def _above(path: str) -> str:
    return path.rpartition("/")[0]
