"""Pictures as models get them: upright, with boxes and marks drawn, and frames of clips.

What is made lies in a folder by what it was made from: it is made once, and later runs send the same bytes.
A file appears whole or not at all: it is written beside its place and renamed. The folder may be emptied at any time.
"""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from PIL import Image

from media import clips, drawn, images
from media.store import MediaStore

_VERSION = 1
"""Goes up whenever the same recipe comes out as other bytes."""
_SAME_MOMENT = 1e-6


@dataclass(frozen=True)
class Prepared:
    """A file that can be handed to a model."""

    path: Path
    sha256: str
    """Of the bytes at ``path``."""


class Pictures:
    """Makes pictures out of stored media, or finds them made. Safe to share between processes."""

    def __init__(self, media: MediaStore, cache: Path) -> None:
        self.media = media
        self.cache = Path(cache)

    def image(
        self,
        sha256: str,
        *,
        boxes: Sequence[Mapping[str, Any]] = (),
        marks: Sequence[Mapping[str, Any]] = (),
        labels: Mapping[Any, str] | None = None,
    ) -> Prepared:
        """An image of the store, upright and with these boxes and marks; the stored file itself where it is just that.

        Raises
        ------
        NotFound
            The store has no such file.
        MediaRefused
            It cannot be read.
        """
        about, original = self.media.about(sha256), self.media.path(sha256)
        named, limits = "the image", self.media.limits
        if not boxes and not marks and images.as_shown(original, mime=about.mime, name=named, limits=limits):
            return Prepared(original, sha256)
        told = [[str(value), label] for value, label in (labels or {}).items()]
        recipe = {"drawn": drawn.VERSION, "boxes": boxes, "marks": marks, "labels": told}
        place = self._place(sha256, recipe)
        if not place.is_file():
            picture = images.upright(original, mime=about.mime, name=named, limits=limits)
            self._write(place, drawn.draw(picture, boxes=boxes, marks=marks, labels=labels))
        return _prepared(place)

    def moments(self, sha256: str) -> clips.Timing:
        """When each frame of a clip comes on screen, and when the clip ends; raises as ``MediaStore.frames`` does."""
        found = json.loads(self.media.frames(sha256).read_text(encoding="utf-8"))
        return clips.Timing(tuple(found["times"]), found["duration"])

    def frames(self, sha256: str, times: Sequence[float]) -> list[Prepared]:
        """The frames of a clip that come on screen at these moments (of ``moments``), in their order.

        Raises
        ------
        NotFound
            The store has no such clip.
        MediaRefused
            It cannot be decoded, or has no frame there.
        NotAvailable
            The extra ``video`` is not installed.
        """
        places = [self._place(sha256, {"time": round(time, 6)}) for time in times]
        missing = sorted({(time, place) for time, place in zip(times, places, strict=True) if not place.is_file()})
        if missing:
            wanted = [time for time, _ in missing]
            made = clips.frames_at(self.media.path(sha256), wanted, name="the clip")
            for (_, place), picture in zip(missing, made, strict=True):
                self._write(place, picture)
        return [_prepared(place) for place in places]

    # ---- inside -----------------------------------------------------------------------------------------------------

    def _place(self, sha256: str, recipe: Mapping[str, Any]) -> Path:
        text = json.dumps({"of": sha256, "version": _VERSION, **recipe}, sort_keys=True, separators=(",", ":"))
        name = hashlib.sha256(text.encode()).hexdigest()
        return self.cache / name[:2] / f"{name}.png"

    def _write(self, place: Path, picture: Image.Image) -> None:
        place.parent.mkdir(parents=True, exist_ok=True)
        handle, partial = tempfile.mkstemp(dir=place.parent, suffix=".partial")
        try:
            with os.fdopen(handle, "wb") as out:
                # from its bytes alone: nothing that the original carried comes along
                Image.frombytes("RGB", picture.size, picture.convert("RGB").tobytes()).save(out, "PNG")
            Path(partial).chmod(0o644)
            Path(partial).replace(place)
        finally:
            Path(partial).unlink(missing_ok=True)


def _prepared(path: Path) -> Prepared:
    return Prepared(path, hashlib.sha256(path.read_bytes()).hexdigest())


def on_screen(times: Sequence[float], moment: float) -> float:
    """Of the moments at which frames come on screen the last that is not after ``moment``; the first if none is."""
    return times[max(bisect_right(times, moment + _SAME_MOMENT) - 1, 0)]


def evenly(times: Sequence[float], *, start: float, end: float, n: int) -> tuple[float, ...]:
    """The frames at ``n`` moments spread evenly from ``start`` to ``end``, both among them; each frame once.

    A single one is that at ``end``. None comes on screen after ``end``; fewer than ``n`` where there are no more.
    """
    if n < 1 or not times:
        return ()
    steps = [end] if n == 1 else [start + (end - start) * step / (n - 1) for step in range(n)]
    return tuple(dict.fromkeys(on_screen(times, moment) for moment in steps))
