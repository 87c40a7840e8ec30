"""The files behind what Label Studio shows: a clip without what it says of its making, a picture as our own pages show
it, with what is drawn on it."""

from __future__ import annotations

from pathlib import Path

from extensions.labelstudio.exchange.media import Outside
from media.model_input import Pictures
from media.store import MediaStore, Size


def path_of(media: MediaStore, cache: Path, outside: Outside, size: Size) -> tuple[Path, str]:
    """Where a file lies that is to be shown, and of which type it is; ``size`` holds where nothing is drawn on it."""
    if outside.drawn:
        made = Pictures(media, cache).image(outside.file.sha256, **outside.drawn).path
        return made, "image/jpeg" if made.suffix == ".jpg" else "image/png"
    return media.shown(outside.file.sha256, size)
