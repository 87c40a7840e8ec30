"""The contents of a release: its items in order, at their revisions and in their splits, with their media."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, Any

from annotation_schemas import kinds
from annotation_schemas.formats.released import ReleasedAsset, ReleasedItem, ReleasedSet, ReleasedSplit
from annotation_schemas.keys import key_field, options_field
from annotation_schemas.model import Schema
from db import releases
from db.engine import Session, Store
from db.releases import Asset, PlacedItem
from domain import extensions
from domain.errors import InvalidFileError, InvalidMediaError, NotFoundError
from exporters.release_folder import FileDigest, FolderWriter, hash_of
from exporters.release_items import ENDINGS, NAMED, UnwritableItemError, fields_on_images
from workflow.access.projects import Access

if TYPE_CHECKING:
    from media.store import MediaStore

_AT_ONCE = 500
_SUCH = "formats with images"
"""Contents that a release may leave out if an image cannot be drawn."""


@dataclass(frozen=True)
class MediaLocation:
    """The path of an image or clip in a release."""

    path: str | None
    written: FileDigest
    mime: str


@dataclass
class Media:
    """The images and clips of a release, with the path of each by its hash in the store.

    A released file carries no metadata about its making (place, camera, author), so its bytes may differ from those of
    the imported file. A release without media names the hash of the imported file.
    """

    store: MediaStore
    inside: bool
    folder: FolderWriter | None = None
    """The folder that receives the files; None if the files are already written."""
    known: dict[str, MediaLocation] = field(default_factory=dict)
    sources: dict[str, str] = field(default_factory=dict)
    """The hash in the store for each hash in the release."""

    def lying(self, asset: Asset) -> MediaLocation:
        """Return the path of an image or clip in the release. The first call writes the file."""
        assert asset.sha256 is not None
        location = self.known.get(asset.sha256)
        if location is None:
            location = self.known[asset.sha256] = self._put(asset.sha256, asset)
            self.sources[location.written.sha256] = asset.sha256
        return location

    def _put(self, sha256: str, asset: Asset) -> MediaLocation:
        if not self.inside:
            return MediaLocation(None, FileDigest(asset.bytes or 0, sha256), asset.mime or "application/octet-stream")
        bare, mime = self.store.bare(sha256)
        written = hash_of(bare)
        path = f"media/{written.sha256[:2]}/{written.sha256}{ENDINGS.get(mime, '')}"
        if self.folder is not None and path not in self.folder.hashes:
            self.folder.link(path, bare, written)
        return MediaLocation(path, written, mime)

    def read(self, asset: ReleasedAsset) -> bytes:
        """Return the bytes of an image or clip in their released form."""
        return self.store.bare(self._source(asset))[0].read_bytes()

    def as_mp4(self, asset: ReleasedAsset) -> bytes:
        """Return a clip with the same frames at the same moments, as MP4."""
        return self.store.mp4(self._source(asset)).read_bytes()

    def upright(self, asset: ReleasedAsset) -> bytes | None:
        """Return an image with its pixels upright; None if the file's pixels are already upright."""
        source = self._source(asset)
        if not self.store.is_turned(source):
            return None
        out = io.BytesIO()
        picture = self.store.upright(source, name=asset.name)
        if asset.mime == "image/jpeg":
            picture.save(out, "JPEG", quality=95, subsampling=0)
        else:
            picture.save(out, "PNG")
        return out.getvalue()

    def drawn(self, asset: ReleasedAsset, *, given: Mapping[str, Any]) -> bytes:
        """Return an image with boxes and marks drawn on it, upright and as PNG: the picture that people and
        models see.
        """
        from media import drawn

        picture = self.store.upright(self._source(asset), name=asset.name)
        out = io.BytesIO()
        drawn.draw(picture, **given).save(out, "PNG")
        return out.getvalue()

    def _source(self, asset: ReleasedAsset) -> str:
        try:
            return self.sources[asset.sha256]
        except KeyError:
            raise NotFoundError(f"This release has no image or clip {asset.sha256[:12]}...") from None


@dataclass(frozen=True)
class Contents:
    """A release as its formats see it, read from the database lot by lot."""

    store: Store
    access: Access
    placed: Sequence[PlacedItem]
    withheld: Mapping[str, Sequence[str]]
    """Fields that public files lack, by split."""
    media: Media
    groups: Mapping[int, str] = field(default_factory=dict)
    """The group of every item that depends on other items, by item id."""
    lot: dict[str, Mapping[str, Any]] = field(default_factory=dict)
    """All fields of the items that were read last, by their ids in files."""
    heard: Callable[[int, int], None] = lambda done, of: None
    """Hears how many items were read, of how many."""

    def items(self) -> Iterator[ReleasedItem]:
        """Yield every item, without the fields that are withheld."""
        todo, done = iter(self.placed), 0
        while lot := list(islice(todo, _AT_ONCE)):
            with self.store.read() as session:
                released = list(self._lot(session, lot))
            self.heard(done, len(self.placed))
            yield from released
            done += len(lot)

    def must_have_media(self) -> None:
        """Raise ``InvalidFileError`` with a list of all items that lack an image or a clip."""
        lacking: list[str] = []
        for at in range(0, len(self.placed), _AT_ONCE):
            ids = [placed.item_id for placed in self.placed[at : at + _AT_ONCE]]
            with self.store.read() as session:
                names = releases.names(session, item_ids=ids)
                for asset in releases.assets(session, item_ids=ids):
                    if asset.sha256 is None:
                        lacking.append(
                            f"The item {names[asset.item_id][0]} has no {asset.role}: {asset.name} is missing."
                        )
        if lacking:
            more = [f"And {len(lacking) - NAMED:,} more."] if len(lacking) > NAMED else []
            raise InvalidFileError(
                "\n".join([*lacking[:NAMED], *more, "Import the missing files, or reject the items."])
            )

    def shown(self, item: ReleasedItem, asset: ReleasedAsset) -> bytes | None:
        """Return an image with the marks of its item drawn on it; None if the item has no marks for this image.

        Raises
        ------
        InvalidFileError
            A box or mark does not fit the image.
        """
        at = next(place for place, other in enumerate(_of_role(item, asset.role), 1) if other is asset)
        given = drawn_on(self.access.schema, item, asset.role, at)
        try:
            return self.media.drawn(asset, given=given) if given else None
        except InvalidMediaError as error:
            raise UnwritableItemError(_SUCH, f"The item {item.id}: {str(error).rstrip('.')}") from error

    def fields_of(self, item: ReleasedItem) -> Mapping[str, Any]:
        """Return all fields of an item that was read last, withheld fields included."""
        return self.lot[item.id]

    def _lot(self, session: Session, lot: Sequence[PlacedItem]) -> Iterator[ReleasedItem]:
        ids = [placed.item_id for placed in lot]
        names = releases.names(session, item_ids=ids)
        revisions = {placed.item_id: placed.revision for placed in lot}
        contents = releases.contents(session, project_id=self.access.project_id, revisions=revisions)
        assets: dict[int, list[Asset]] = {}
        for asset in releases.assets(session, item_ids=ids):
            assets.setdefault(asset.item_id, []).append(asset)
        order = [part.name for part in self.access.schema.item.fields]
        self.lot.clear()
        self.lot.update({names[id][0]: fields for id, fields in contents.items()})
        for placed in lot:
            given = contents[placed.item_id]
            name, dimension = names[placed.item_id]
            left = self.withheld.get(placed.split, ())
            yield ReleasedItem(
                id=name,
                dimension=dimension,
                split=placed.split,
                fields={name: given[name] for name in order if name in given and name not in left},
                assets=[self._asset(name, asset) for asset in self._by_role(assets.get(placed.item_id, ()))],
                group=self.groups.get(placed.item_id),
            )

    def _by_role(self, assets: Sequence[Asset]) -> Sequence[Asset]:
        roles = {slot.role: place for place, slot in enumerate(self.access.schema.item.assets)}
        return sorted(assets, key=lambda asset: roles.get(asset.role, len(roles)))

    def _asset(self, item: str, asset: Asset) -> ReleasedAsset:
        lying = self.media.lying(asset)
        return ReleasedAsset(
            role=asset.role,
            name=asset.name,
            kind=asset.kind,
            sha256=lying.written.sha256,
            mime=lying.mime,
            bytes=lying.written.bytes,
            width=asset.width,
            height=asset.height,
            duration=asset.duration,
            source=asset.source,
            path=lying.path,
        )


def _of_role(item: ReleasedItem, role: str) -> list[ReleasedAsset]:
    return [asset for asset in item.assets if asset.role == role]


def drawn_on(schema: Schema, item: ReleasedItem, role: str, at: int) -> dict[str, Any]:
    """Return the boxes, marks and label texts that an item draws on the ``at``-th image of a role; empty for none.

    Raises ``InvalidFileError`` if they do not fit the image.
    """
    images = [slot.role for slot in schema.item.assets if slot.kind == "image"]
    first = next((asset.role for asset in item.assets if asset.role in images), None)
    drawing: dict[str, Any] = {}
    for name in fields_on_images(schema):
        part, entries = schema.item.field(name), item.fields.get(name)
        row = kinds.of_field(part)
        if not entries or (part.role or first) != role:
            continue
        if (wrong := row.drawing_problem(entries)) is not None:
            why = f"the drawing in {name} does not fit its images: {wrong.rstrip('.')}"
            raise UnwritableItemError(_SUCH, f"The item {item.id}: {why}")
        there = len(_of_role(item, role))
        if gone := [entry["image"] for entry in entries if entry.get("image", 1) > there]:
            why = f"{name} refers to image {gone[0]} of {role}, but {role} has only {there}"
            raise UnwritableItemError(_SUCH, f"The item {item.id}: {why}")
        here = [entry for entry in entries if entry.get("image", 1) == at]
        if here:
            drawing.setdefault(row.name, []).extend(row.shapes(part, here))
            if part.options:
                drawing.setdefault("labels", {}).update({option.value: option.label for option in part.options})
    return drawing


def released_set(
    contents: Contents, *, version: str, date: str, about: Mapping[str, Any], formats: Sequence[str]
) -> ReleasedSet:
    """Return the release in the form that exporters take."""
    schema = contents.access.schema
    counts: dict[str, int] = {}
    for placed in contents.placed:
        counts[placed.split] = counts.get(placed.split, 0) + 1
    histories = extensions.rows("item_histories")
    return ReleasedSet(
        schema=schema,
        name=contents.access.name,
        title=contents.access.title,
        version=version,
        date=date,
        splits=[ReleasedSplit(name, counts[name], contents.withheld.get(name, ())) for name in counts],
        items=contents.items,
        read=contents.media.read,
        upright=contents.media.upright,
        as_mp4=contents.media.as_mp4,
        shown=contents.shown,
        provenance=histories[0](contents, version, date) if histories else None,
        about=about,
        options=options_field(schema),
        key=key_field(schema),
        formats=formats,
    )
