"""Pictures for models: upright, with boxes and marks drawn, and frames of clips.

Each picture has a path that depends on its inputs, so it is made once, and later runs send the same bytes. A file
appears in full or not at all: it is written next to its place and renamed. When the folder exceeds its limit, the least
recently used files are deleted, but no file used within the last hour. The folder may be emptied while no run works.
"""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
import time
from bisect import bisect_right
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from PIL import Image

from media import clips, copies, drawn
from media.store import MediaStore

_VERSION = 1
"""Increases whenever the same inputs give different bytes."""
ROOM = 20 * 1024**3
"""Limit of the folder in bytes."""
IN_USE_SECONDS = 3600.0
"""Seconds during which a used file may still be needed by a worker."""

_FAST = 1
"""Compression level of PNG. Thousands of frames are written faster, and files grow only by a tenth."""
_LARGE = 4_000_000
"""Pixels above which a JPEG photo is written as JPEG again. As PNG it would be too large for endpoints."""
_SAME_MOMENT = 1e-6
_OF = 16
"""Number of digits of a stored file's hash at the start of the names of its pictures."""
_FILLED_TO = 0.8
"""Share of the limit that remains in use after a cleanup."""
_TIDIED_EVERY = 0.05
"""Share of the limit after whose writing the folder's size is checked."""


@dataclass(frozen=True)
class PreparedFile:
    """A file for a model."""

    path: Path
    sha256: str
    """The hash of the bytes at ``path``."""


class Pictures:
    """Makes pictures from stored media, or returns those already made. Several processes may share a folder."""

    def __init__(self, media: MediaStore, cache: Path, *, room: int = ROOM) -> None:
        self.media = media
        self.cache = Path(cache)
        self.room = room
        self._untidied: int | None = None
        """Bytes written since the folder was tidied; None: it never was."""

    def image(
        self,
        sha256: str,
        *,
        boxes: Sequence[Mapping[str, Any]] = (),
        marks: Sequence[Mapping[str, Any]] = (),
        labels: Mapping[Any, str] | None = None,
        **drawings: Sequence[Mapping[str, Any]],
    ) -> PreparedFile:
        """Return an image of the store, upright and with all of these drawings, as ``drawn.draw`` draws them.

        If nothing changes, return the stored file's own bytes without metadata.

        Raises
        ------
        NotFoundError
            The store has no such file.
        InvalidMediaError
            The image cannot be read, or a mask of pixels has other proportions.
        """
        about = self.media.about(sha256)
        original = self.media.path(sha256)
        others = {name: entries for name, entries in drawings.items() if entries}
        plain = not (boxes or marks or others)
        if plain and self.media.is_as_shown(sha256):
            bare, _ = self.media.bare(sha256)
            return PreparedFile(bare, sha256) if bare.samefile(original) else _prepared(bare)
        named_boxes = [[str(value), label] for value, label in (labels or {}).items()]
        recipe: dict[str, Any] = {
            "drawn": drawn.VERSION,
            "boxes": boxes,
            "marks": marks,
            "labels": named_boxes,
            **others,
        }
        photo = about.mime == "image/jpeg" and about.width * about.height > _LARGE
        place = self._place(sha256, recipe, ending="jpg" if photo else "png")
        if not _used(place):
            picture = self.media.upright(sha256, name="the image")
            self._write(place, drawn.draw(picture, boxes=boxes, marks=marks, labels=labels, **others))
        return _prepared(place)

    def moments(self, sha256: str) -> clips.Timing:
        """Return the time when each frame of a clip comes on screen, and the end.

        Raises as ``MediaStore.frames`` does.
        """
        times = json.loads(self.media.frames(sha256).read_text(encoding="utf-8"))
        return clips.Timing(tuple(times["times"]), times["duration"])

    def frames(self, sha256: str, times: Sequence[float]) -> list[PreparedFile]:
        """Return the frames of a clip that come on screen at these times (from ``moments``), in the same order.

        Raises
        ------
        NotFoundError
            The store has no such clip.
        InvalidMediaError
            The clip cannot be decoded, or has no frame at a time.
        NotAvailableError
            The extra ``video`` is not installed.
        """
        places = [self._place(sha256, {"time": round(time, 6)}) for time in times]
        missing = sorted({(time, place) for time, place in zip(times, places, strict=True) if not _used(place)})
        if missing:
            wanted = [time for time, _ in missing]
            made = clips.frames_at(self.media.path(sha256), wanted, name="the clip")
            for (_, place), picture in zip(missing, made, strict=True):
                self._write(place, picture)
        return [_prepared(place) for place in places]

    def forget(self, files: Collection[str]) -> int:
        """Delete all pictures made from these stored files, after access to them has ended.

        Return the number of deletions.

        Pictures from an older version do not name their source, so all of those are deleted too.
        """
        these, gone = {sha256[:_OF] for sha256 in files}, 0
        for path in self.cache.glob("*/*"):
            of, mark, _ = path.stem.partition(".")
            if path.suffix != ".partial" and (of in these or not mark):
                path.unlink(missing_ok=True)
                gone += 1
        return gone

    # ---- inside -----------------------------------------------------------------------------------------------------

    def _place(self, sha256: str, recipe: Mapping[str, Any], *, ending: str = "png") -> Path:
        text = json.dumps({"of": sha256, "version": _VERSION, **recipe}, sort_keys=True, separators=(",", ":"))
        name = hashlib.sha256(text.encode()).hexdigest()
        return self.cache / name[:2] / f"{sha256[:_OF]}.{name}.{ending}"

    def _write(self, place: Path, picture: Image.Image) -> None:
        place.parent.mkdir(parents=True, exist_ok=True)
        handle, partial = tempfile.mkstemp(dir=place.parent, suffix=".partial")
        try:
            with os.fdopen(handle, "wb") as out:
                # built from the pixels only, so that no metadata of the original is kept
                bare = Image.frombytes("RGB", picture.size, picture.convert("RGB").tobytes())
                if place.suffix == ".png":
                    bare.save(out, "PNG", compress_level=_FAST)
                else:
                    bare.save(out, "JPEG", quality=95, subsampling=0)
                written = out.tell()
            Path(partial).chmod(0o644)
            copies.settle(Path(partial), place)
        finally:
            Path(partial).unlink(missing_ok=True)
        if self._untidied is None or self._untidied + written > self.room * _TIDIED_EVERY:
            self.tidy()
        else:
            self._untidied += written

    def tidy(self) -> int:
        """Delete files above the limit that no one uses. Return their number."""
        self._untidied = 0
        files = []
        for path in self.cache.glob("*/*"):
            with suppress(FileNotFoundError):  # another process may be tidying
                files.append((path.stat().st_mtime, path.stat().st_size, path))
        total, gone = sum(size for _, size, _ in files), 0
        if total <= self.room:
            return 0
        for used, size, path in sorted(files):
            if total <= self.room * _FILLED_TO or used > time.time() - IN_USE_SECONDS:
                break
            path.unlink(missing_ok=True)
            total, gone = total - size, gone + 1
        return gone


def _used(path: Path) -> bool:
    """Tell whether the file exists and is complete, and mark it as used."""
    try:
        os.utime(path)
    except FileNotFoundError:
        return False
    return copies.ends_whole(path)


def _prepared(path: Path) -> PreparedFile:
    return PreparedFile(path, hashlib.sha256(path.read_bytes()).hexdigest())


def on_screen(times: Sequence[float], moment: float) -> float:
    """Return the last of these frame times that is not after ``moment``, or the first if all are later."""
    return times[max(bisect_right(times, moment + _SAME_MOMENT) - 1, 0)]


def evenly(times: Sequence[float], *, start: float, end: float, n: int) -> tuple[float, ...]:
    """Return the frame times at ``n`` moments spread evenly from ``start`` to ``end``, without duplicates.

    A single frame is the one at ``end``. No frame comes on screen after ``end``. There are fewer than ``n`` if the clip
    has no more frames.
    """
    if n < 1 or not times:
        return ()
    steps = [end] if n == 1 else [start + (end - start) * step / (n - 1) for step in range(n)]
    return tuple(dict.fromkeys(on_screen(times, moment) for moment in steps))
