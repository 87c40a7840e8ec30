"""The made-up pictures and clips of previews, drawn on the first request and kept as long as the server runs.

They show nothing of any project, so every signed-in person may see them.
"""

from __future__ import annotations

import functools
import re
import tempfile
from pathlib import Path

from app.workbench.preview import DRAWN, MOST_DRAWN
from media import made_up
from media.store import MediaStore

_ID = re.compile(re.escape(DRAWN) + r"(image|clip)\.([0-9]{1,2})")


def sha256(asset: str) -> str | None:
    """Return the hash of a drawn picture or clip in ``store()``. None for other ids.

    Raises
    ------
    NotAvailableError
        It is a clip, and the extra ``video`` is not installed.
    """
    match = _ID.fullmatch(asset)
    if match is None or int(match[2]) >= MOST_DRAWN:
        return None
    return _draw(match[1], int(match[2]))


@functools.cache
def store() -> MediaStore:
    """Return the store of the drawn media: a folder that ``forget`` or the end of the process removes."""
    return MediaStore(Path(_folder().name))


def forget() -> None:
    """Remove the drawn media. They are drawn again on request."""
    if _folder.cache_info().currsize:
        _folder().cleanup()
    for cache in (_draw, store, _folder):
        cache.cache_clear()


@functools.cache
def _folder() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory(prefix="touchstone-drawn-", ignore_cleanup_errors=True)


@functools.cache
def _draw(kind: str, number: int) -> str:
    if kind == "image":
        return store().add(made_up.picture(f"image {number + 1}", number), name="a drawn picture").sha256
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "clip.webm"
        made_up.clip(path, f"clip {number + 1}", number)
        return store().add(path, name="a drawn clip").sha256
