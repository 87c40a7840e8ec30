"""The media store: a folder with each file once, under the SHA-256 of its content.

    ROOT/ab/abcdef.../original      the file as it was added
                      display.webp  the copy for pages, longest side 1600 (of a clip: its first frame); of a photo
                                    display.jpg
                      thumb.webp    longest side 320; of a photo thumb.jpg
                      about.json    StoredMedia
                      bare          the original without metadata; bare.png if its type needs that
                      bare.mp4      for a clip that a release needs as MP4
                      frames.json   for a clip: when each frame comes on screen, and when the clip ends
                      copies.json   hashes of the files made from the original
    ROOT/incoming/                  files being added; safe to empty at other times

A folder appears whole or not at all: it is filled in ``incoming`` and then renamed. Two processes that add the same
file at the same time both succeed, and one of the two copies is kept. The store makes a damaged copy again on request.

With a bucket, the files of ``KEPT`` are in the bucket, and ROOT is a cache of them (``media/cache.py``), to which the
store adds what it makes of an original.

The module is long because one class, ``MediaStore``, guards the files: nothing else writes or deletes them.
"""

from __future__ import annotations

import filecmp
import hashlib
import json
import os
import shutil
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal, get_args

from PIL import Image

from domain.errors import InvalidMediaError, NotAvailableError, NotFoundError
from media import clips, copies, file_type, images, mp4, orientation, strip_metadata
from media.cache import MediaCache
from media.facts import MediaFacts
from media.limits import LIMITS, MIB, Limits
from media.storage import ABOUT, CHUNK, KEPT, ORIGINAL, TIMES, FolderStorage, missing

if TYPE_CHECKING:
    from _typeshed import SupportsRead

Size = Literal["thumb", "display", "original"]

_BARE = "bare"
_MP4 = "bare.mp4"
_BARE_PNG = "bare.png"


@dataclass(frozen=True)
class StoredMedia:
    """A file of the store. Width and height are those of the upright picture."""

    sha256: str
    kind: str
    """"image" or "clip"."""
    mime: str
    bytes: int
    width: int
    height: int
    duration: float | None
    """Duration in seconds. None for images."""
    sharpness: float | None
    """Variance of the Laplacian; compare it within one video only. None for clips."""
    orientation: int | None = None
    """Orientation of the original as an EXIF number; None if an earlier version did not record it."""


class MediaStore:
    """Files by content, with the copies that pages show. Safe to share between threads and processes."""

    def __init__(self, root: Path, *, limits: Limits = LIMITS, cache: MediaCache | None = None) -> None:
        """Open the store in a folder, or with ``cache`` the store in a bucket whose cache is in that folder."""
        self.root = Path(root)
        self.limits = limits
        self.cache = cache
        self._local = FolderStorage(self.root)
        self._incoming, self._settle = self._local.incoming, self._local.settle

    def add(self, source: Path | str | bytes, *, name: str | None = None) -> StoredMedia:
        """Add a file and make its copies. A file that is already stored is only looked up.

        ``name`` is the file's name in messages (its path or upload name). Its suffix decides nothing; the content does.

        Raises
        ------
        InvalidMediaError
            The file is not an image or clip, is damaged, or is over a limit. Nothing of it stays.
        NotAvailableError
            The file is a clip, and the extra ``video`` is not installed.
        """
        called = name or (str(source) if not isinstance(source, bytes) else "the file")
        with self._incoming() as folder:
            original = folder / ORIGINAL
            sha256, n_bytes, head = self._take(source, original, name=called)
            known = self._known(sha256)
            if known is not None and (self.cache is None or self.cache.confirm(sha256)):
                return known
            stored = self._fill(folder, sha256=sha256, n_bytes=n_bytes, sort=file_type.sniff(head), name=called)
            if self.cache is not None:
                self.cache.upload(folder, sha256)
            self._settle(folder, sha256)
            return stored

    def place(self, sha256: str) -> Path:
        """Return the path that ``path`` gives an original, whether the file is there or not."""
        return self._local.folder(sha256) / ORIGINAL

    def path(self, sha256: str, size: Size = "original") -> Path:
        """Return the path of a copy. ``NotFoundError`` if the store has no such file, ``ValueError`` for an unknown
        size.

        A copy that is damaged is made again; ``InvalidMediaError`` if the original is damaged, too.
        """
        if size not in get_args(Size):
            raise ValueError(f"{size!r} is not a valid size; use one of: {', '.join(get_args(Size))}")
        folder = self._folder(sha256, original=size == "original")
        path = folder / ORIGINAL if size == "original" else _copy(folder, size)
        if path is None or not path.is_file():
            raise missing(sha256)
        if size != "original" and not copies.is_whole(path, reads=images.can_be_read):
            return self._copied_again(sha256, size)
        return path

    def _copied_again(self, sha256: str, size: Size) -> Path:
        """Make both copies of an original again, and return the path of the requested size."""
        about, folder = self._decided(sha256), self._folder(sha256, original=True)
        self._require_unchanged(sha256, about.bytes)
        derived = self._derived(folder / ORIGINAL, about, name="The file")
        made = {"display": derived.display, "thumb": derived.thumb}
        places = {name: folder / f"{name}{derived.ending}" for name in made}
        for name, content in made.items():
            copies.write_whole(places[name], content)
            for ending in images.COPIES:
                if ending != derived.ending:  # a copy from an older version
                    (folder / f"{name}{ending}").unlink(missing_ok=True)
        copies.record(folder, *places.values())
        return places[size]

    def shown(self, sha256: str, size: Size) -> tuple[Path, str]:
        """Return the file that may be shown, and its type: a copy, or the original without metadata.

        Raises as ``path`` and ``bare`` do.
        """
        if size == "original":
            return self.bare(sha256)
        path = self.path(sha256, size)
        return path, images.COPIES[path.suffix]

    def bare(self, sha256: str) -> tuple[Path, str]:
        """Return the path of the original without metadata (place, camera, author, comments), and its type.

        Only this file leaves the store: the same pixels and frames, with the same bytes. It is made on the first
        request, and needs no space if there is nothing to remove. Image types that this module cannot take apart (AVIF,
        BMP), and files of an unusual structure, are returned as PNG with the pixels of the copies. A clip of an unusual
        structure is rewritten around its own packets.

        Raises
        ------
        NotFoundError
            The store has no such file.
        InvalidMediaError
            The file cannot be taken apart, nor read.
        NotAvailableError
            The clip must be rewritten, and the extra ``video`` is not installed.
        """
        about, folder = self._decided(sha256), self._folder(sha256)
        for name, mime in ((_BARE, about.mime), (_BARE_PNG, "image/png")):
            if (folder / name).is_file() and copies.is_whole(folder / name, reads=_is_nothing):
                return folder / name, mime
        self._require_unchanged(sha256, about.bytes)
        original = self.path(sha256)
        with self._incoming() as work:
            made = self._make_bare(original, work, about)
            copies.settle(made, folder / made.name)
        copies.record(folder, folder / made.name)
        return folder / made.name, about.mime if made.name == _BARE else "image/png"

    def upright(self, sha256: str, *, name: str) -> Image.Image:
        """Return all pixels of a stored image, upright, in RGB. ``name`` is its name in messages.

        Raises
        ------
        NotFoundError
            The store has no such file.
        InvalidMediaError
            The image cannot be read.
        """
        about = self._decided(sha256)
        return self._upright(self.path(sha256), about, name)

    def _upright(self, original: Path, about: StoredMedia, name: str) -> Image.Image:
        assert about.orientation is not None
        return images.upright(original, mime=about.mime, turned=about.orientation, name=name, limits=self.limits)

    def is_turned(self, sha256: str) -> bool:
        """Tell whether a stored image without metadata needs a rotation for display."""
        about = self._decided(sha256)
        return about.orientation != orientation.UPRIGHT and self.bare(sha256)[1] == about.mime

    def is_as_shown(self, sha256: str) -> bool:
        """Tell whether a stored image equals the output of ``upright``, without place, camera or other metadata."""
        about = self._decided(sha256)
        assert about.orientation is not None
        path = self.path(sha256)
        return images.as_shown(path, mime=about.mime, turned=about.orientation, name="the image", limits=self.limits)

    def _decided(self, sha256: str) -> StoredMedia:
        """Return the known facts of a file, with its orientation.

        An earlier version stored no orientation, but its copies have the orientation that it saw. This method records
        the same orientation, and makes an original without metadata again if that file lost its orientation.
        """
        about = self.about(sha256)
        if about.orientation is not None:
            return about
        turned = orientation.UPRIGHT
        if about.kind == "image":
            path = self.path(sha256)
            turned = images.orientation_before(path, mime=about.mime, name="the image", limits=self.limits)
        about, folder = replace(about, orientation=turned), self._folder(sha256)
        if turned != orientation.UPRIGHT and (folder / _BARE).is_file():
            bare = images.orientation_before(folder / _BARE, mime=about.mime, name="the image", limits=self.limits)
            if bare != turned:
                (folder / _BARE).unlink(missing_ok=True)
        with self._incoming() as work:
            (work / ABOUT).write_text(json.dumps(asdict(about)), encoding="utf-8")
            copies.settle(work / ABOUT, folder / ABOUT)
        return about

    def mp4(self, sha256: str) -> Path:
        """Return the path of a clip as MP4, for programs that do not accept WebM. It is made on the first request.

        Raises
        ------
        NotFoundError
            The store has no such clip.
        InvalidMediaError
            The clip cannot be read to its end.
        NotAvailableError
            The extra ``video`` is not installed.
        """
        if self.about(sha256).kind != "clip":
            raise NotFoundError("This file is an image, not a clip. Choose a clip.")
        path = self._folder(sha256) / _MP4
        if not path.is_file() or not copies.is_whole(path, reads=_is_nothing):
            with self._incoming() as work:
                mp4.write(self.bare(sha256)[0], out=work / _MP4, name="the clip")
                copies.settle(work / _MP4, path)
            copies.record(path.parent, path)
        return path

    def _make_bare(self, original: Path, work: Path, about: StoredMedia) -> Path:
        assert about.orientation is not None
        made = work / _BARE
        try:
            if about.kind == "clip":
                strip_metadata.clip(original, made)
            else:
                made.write_bytes(strip_metadata.image(original.read_bytes(), about.mime, about.orientation))
        except strip_metadata.NotUnderstood:
            if about.kind == "clip":
                self._write_anew(original, made)
                return made
            made = work / _BARE_PNG
            self._upright(original, about, "the image").save(made, "PNG")
            return made
        if made.stat().st_size == original.stat().st_size and filecmp.cmp(made, original, shallow=False):
            linked = work / "same"
            with suppress(OSError):  # on a file system without links, keep the copy
                os.link(original, linked)
                linked.replace(made)
        return made

    def _write_anew(self, clip: Path, made: Path) -> None:
        whole = made.with_name("whole.webm")
        try:
            clips.write_anew(clip, out=whole, name="It")
            strip_metadata.clip(whole, made)
        except NotAvailableError as error:
            raise NotAvailableError(
                f"Touchstone must convert this clip to remove its metadata, but the conversion failed. {error}"
            ) from error
        except (strip_metadata.NotUnderstood, InvalidMediaError) as error:
            raise InvalidMediaError(
                "Touchstone cannot remove the metadata of this clip, because the clip has an unusual structure. "
                "Convert the clip to a new file (ffmpeg -i OLD NEW.webm). Then import the clip's items with the new "
                "file under another name."
            ) from error
        whole.unlink()

    def _require_unchanged(self, sha256: str, n_bytes: int) -> None:
        """Check the content of an original on this machine. An original that changed in the cache is fetched again."""
        try:
            self._verify_here(self._folder(sha256, original=True) / ORIGINAL, sha256, n_bytes=n_bytes, content=True)
        except InvalidMediaError:
            if self.cache is None:
                raise
            self._local.delete(sha256)
            self._folder(sha256, original=True)

    def must_show(self, sha256: str, *, content: bool) -> None:
        """Check that every file that pages need for an unchanged original exists or can be made.

        Clips are always checked. Images are checked only with ``content``, which reads all of them.

        Raises
        ------
        NotFoundError, InvalidMediaError, NotAvailableError
            The same error that a person with such a page would see, with advice.
        """
        folder = self._local.folder(sha256)
        names = self.cache.names(sha256) if self.cache else {path.name for path in folder.glob("*")}
        there = {"original": ORIGINAL in names} | {
            size: any(f"{size}{ending}" in names for ending in images.COPIES) for size in ("display", "thumb")
        }
        gone = [size for size, is_there in there.items() if not is_there]
        if gone:
            raise NotFoundError(
                f"The stored copy {gone[0]} is missing, so pages cannot show the file. Restore the folder "
                f"{self._called(sha256)} from a backup."
            )
        if self.cache is not None and not content:
            return  # the other checks read the files, which would fetch all of them
        about = self.about(sha256)
        if not any((folder / name).is_file() for name in (_BARE, _BARE_PNG)):
            self._must_strip(self.path(sha256), about, content=content)
        if about.kind == "clip":
            self.frames(sha256)
        if content:
            for size in ("display", "thumb"):
                self.path(sha256, size)  # made again if it is damaged

    def _must_strip(self, original: Path, about: StoredMedia, *, content: bool) -> None:
        """Check that the metadata of an original can be removed, or make the file that replaces it."""
        try:
            if about.kind == "clip":
                strip_metadata.looked_at(original)
            elif content:
                strip_metadata.image(original.read_bytes(), about.mime, about.orientation or orientation.UPRIGHT)
        except strip_metadata.NotUnderstood:
            self.bare(about.sha256)

    def verify(self, sha256: str, *, n_bytes: int, content: bool) -> None:
        """Check that an original exists and is unchanged: its length, and with ``content`` each of its bytes.

        Raises
        ------
        NotFoundError
            The original does not exist.
        InvalidMediaError
            The original has changed, or cannot be read.
        """
        if self.cache is not None:
            self.cache.verify(sha256, n_bytes=n_bytes, content=content)
        else:
            self._verify_here(self._folder(sha256) / ORIGINAL, sha256, n_bytes=n_bytes, content=content)

    def _verify_here(self, path: Path, sha256: str, *, n_bytes: int, content: bool) -> None:
        called = f"The file {sha256[:12]}... in the media store"
        try:
            size = path.stat().st_size
            digest = hashlib.sha256()
            if content and size == n_bytes:
                with path.open("rb") as file:
                    while chunk := file.read(CHUNK):
                        digest.update(chunk)
        except (FileNotFoundError, NotADirectoryError) as error:
            raise NotFoundError(
                f"{called} is missing. Restore the file from a backup, or import the file again."
            ) from error
        except OSError as error:
            raise InvalidMediaError(
                f"Touchstone cannot read {called} ({error.strerror}). Check its permissions, or restore the file "
                "from a backup."
            ) from error
        if size != n_bytes or (content and digest.hexdigest() != sha256):
            raise InvalidMediaError(f"{called} differs from the imported file. Restore the file from a backup.")

    def frames(self, sha256: str) -> Path:
        """Return the path of the times of a clip's frames: ``{"times": [...], "duration": ...}``, in seconds.

        For a clip from an earlier version, the times are read now.

        Raises
        ------
        NotFoundError
            The store has no such file, or it is not a clip.
        NotAvailableError
            The times are not stored, and the extra ``video`` is not installed.
        """
        about = self.about(sha256)
        if about.kind != "clip":
            raise NotFoundError("This file is an image and has no frames. Choose a clip.")
        path = self._folder(sha256) / TIMES
        if not path.is_file() or not copies.is_whole(path, reads=_has_times):
            with self._incoming() as folder:
                _write_times(folder / TIMES, clips.timing(self.path(sha256), name="the clip"))
                copies.settle(folder / TIMES, path)
            copies.record(path.parent, path)
        return path

    def frame_rate(self, sha256: str) -> float | None:
        """Return the average number of frames a second of a stored clip. None if the frames cannot be counted."""
        try:
            times: list[float] = json.loads(self.frames(sha256).read_text(encoding="utf-8"))["times"]
        except (NotFoundError, InvalidMediaError, NotAvailableError):
            return None
        if len(times) < 2 or times[-1] <= times[0]:
            return None
        return float(round((len(times) - 1) / (times[-1] - times[0]), 3))

    def about(self, sha256: str) -> StoredMedia:
        """Return the facts of a file. Raise ``NotFoundError`` if the store has no file with this content."""
        known = self._known(sha256)
        if known is None:
            raise missing(sha256)
        return known

    def __contains__(self, sha256: str) -> bool:
        return self._known(sha256) is not None

    def files_to_keep(self, sha256: str) -> list[Path]:
        """Return the files of an original for a backup, the original first; empty if the store has no such file.

        Files that the store makes again on request, without the extra ``video`` too, are left out.
        """
        folder = self._folder(sha256, original=True)
        return [path for name in KEPT if (path := folder / name).is_file()] if sha256 in self else []

    def restore(self, sha256: str, name: str, source: SupportsRead[bytes]) -> Path:
        """Write one of ``files_to_keep`` into a store that nobody uses yet, and return its path.

        The caller compares the content, and waits for the disk.
        """
        if name not in KEPT:
            raise InvalidMediaError(f"{name!r} is not a file of the media store. Use another backup.")
        path = self._folder(sha256) / name
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("xb") as out:
            shutil.copyfileobj(source, out, CHUNK)
        return path

    def remove(self, sha256: str) -> None:
        """Remove a file and its copies. A missing file is ignored.

        Caches on other servers lose the file when they need its space.
        """
        if self.cache is not None:
            self.cache.storage.delete(sha256)
        self._local.delete(sha256)

    def trouble(self) -> str | None:
        """Return a sentence about a bucket that does not answer; None if it does, or without a bucket."""
        return self.cache.storage.trouble() if self.cache is not None else None

    # ---- inside ---------------------------------------------------------------------------------------------------

    def _folder(self, sha256: str, *, original: bool = False) -> Path:
        """Return the folder of a file. If it is only in the bucket, fetch it, and with ``original`` its original."""
        if self.cache is not None:
            self.cache.fetch(sha256, original=original)
        return self._local.folder(sha256)

    def _called(self, sha256: str) -> str:
        """Return the place of a file in messages."""
        if self.cache is None:
            return str(self._local.folder(sha256))
        return f"{self.cache.storage.address}/{sha256[:2]}/{sha256}"

    def _known(self, sha256: str) -> StoredMedia | None:
        try:
            text = (self._folder(sha256) / ABOUT).read_text(encoding="utf-8")
        except FileNotFoundError:
            return None
        try:
            return StoredMedia(**json.loads(text))
        except (ValueError, TypeError) as error:
            raise InvalidMediaError(
                f"Touchstone cannot read {self._called(sha256)}/about.json. Restore the file from a backup."
            ) from error

    def _take(self, source: Path | str | bytes, target: Path, *, name: str) -> tuple[str, int, bytes]:
        """Copy the source in chunks, counting and hashing. Stop above the limit of its type."""
        digest, total, head, limit = hashlib.sha256(), 0, b"", 0
        with target.open("wb") as out:
            for chunk in _chunks(source, name=name):
                if not total:
                    head = chunk[: file_type.HEAD_BYTES]
                    sort = _accepted(head, name=name)
                    limit = self.limits.clip_bytes if sort.kind == "clip" else self.limits.image_bytes
                total += len(chunk)
                if total > limit:
                    raise InvalidMediaError(
                        f"{name} is larger than {limit // MIB} MiB, the limit for {sort.called}. Reduce the file's "
                        "size before you add the file."
                    )
                digest.update(chunk)
                out.write(chunk)
        if not total:
            _accepted(b"", name=name)
        return digest.hexdigest(), total, head

    def _fill(self, folder: Path, *, sha256: str, n_bytes: int, sort: file_type.Sort, name: str) -> StoredMedia:
        original = folder / ORIGINAL
        if sort.kind == "clip":
            probe = self._probe(original, folder, name)
            derived = images.of_picture(probe.poster, probe.facts)
        else:
            derived = images.derive(original, mime=sort.mime or "", name=name, limits=self.limits)
        facts = derived.facts
        stored = StoredMedia(
            sha256=sha256,
            kind=sort.kind or "",
            mime=sort.mime or "",
            bytes=n_bytes,
            width=facts.width,
            height=facts.height,
            duration=facts.duration,
            sharpness=None if sort.kind == "clip" else derived.sharpness,
            orientation=facts.orientation,
        )
        display, thumb = folder / f"display{derived.ending}", folder / f"thumb{derived.ending}"
        display.write_bytes(derived.display)
        thumb.write_bytes(derived.thumb)
        (folder / ABOUT).write_text(json.dumps(asdict(stored)), encoding="utf-8")
        copies.begin(folder, display, thumb, *([folder / TIMES] if sort.kind == "clip" else []))
        return stored

    def _probe(self, original: Path, folder: Path, name: str) -> clips.Probe:
        """Return the facts of a clip, if the store can keep it, and write its times into ``folder``."""
        probe = clips.probe(original, name=name, limits=self.limits)
        _write_times(folder / TIMES, probe.facts)
        try:
            strip_metadata.looked_at(original)
        except strip_metadata.NotUnderstood as error:
            raise InvalidMediaError(
                f"{name} has an unusual structure. Rewrite the file (ffmpeg -i OLD -c copy NEW.webm), and add "
                "the new file."
            ) from error
        return probe

    def _derived(self, original: Path, about: StoredMedia, *, name: str) -> images.ImageCopies:
        """Make the copies of a stored original again, in the known orientation."""
        if about.kind == "clip":
            probe = clips.probe(original, name=name, limits=self.limits)
            return images.of_picture(probe.poster, probe.facts)
        facts = MediaFacts(about.width, about.height, about.orientation or orientation.UPRIGHT)
        return images.of_picture(self._upright(original, about, name), facts, photograph=about.mime == "image/jpeg")


def _copy(folder: Path, size: str) -> Path | None:
    """Return a copy for pages, of either type. None if there is no such copy."""
    return next((path for ending in images.COPIES if (path := folder / f"{size}{ending}").is_file()), None)


def _chunks(source: Path | str | bytes, *, name: str) -> Iterator[bytes]:
    if isinstance(source, bytes):
        for start in range(0, len(source), CHUNK):
            yield source[start : start + CHUNK]
        return
    try:
        with Path(source).open("rb") as file:
            while chunk := file.read(CHUNK):
                yield chunk
    except FileNotFoundError as error:
        raise InvalidMediaError(f"{name} does not exist. Check the path.") from error
    except IsADirectoryError as error:
        raise InvalidMediaError(f"{name} is a folder. Add the files in the folder.") from error
    except PermissionError as error:
        raise InvalidMediaError(
            f"Touchstone has no permission to read {name}. Change the file's permissions."
        ) from error


def _accepted(head: bytes, *, name: str) -> file_type.Sort:
    """Return the type of a file that begins with ``head``.

    Raise ``InvalidMediaError`` if the store does not accept it.
    """
    sort = file_type.sniff(head)
    if sort.kind is None:
        raise InvalidMediaError(file_type.refusal(name, sort))
    return sort


def _write_times(out: Path, timing: clips.Timing | MediaFacts) -> None:
    contents = {"times": timing.times, "duration": timing.duration}
    out.write_text(json.dumps(contents, separators=(",", ":")), encoding="utf-8")


def _has_times(path: Path) -> bool:
    """Tell whether the times of a clip's frames are readable."""
    try:
        contents = json.loads(path.read_bytes())
    except ValueError:
        return False
    return isinstance(contents, dict) and {"times", "duration"} <= contents.keys()


def _is_nothing(path: Path) -> bool:
    """Return False: an older version recorded no hash of a bare file, so the store makes the file again."""
    return False
