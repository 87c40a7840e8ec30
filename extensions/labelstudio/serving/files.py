"""The files for Label Studio's pages: clips without metadata, and pictures as on our own pages, with their drawings."""

from __future__ import annotations

from pathlib import Path

from extensions.labelstudio.exchange.media import Outside
from media.model_input import Pictures
from media.store import MediaStore, Size


def path_of(media: MediaStore, cache: Path, outside: Outside, size: Size) -> tuple[Path, str]:
    """Return the path and the type of the file to show. ``size`` counts only if nothing is drawn on the picture."""
    if outside.drawn:
        made = Pictures(media, cache).image(outside.file.sha256, **outside.drawn).path
        return made, "image/jpeg" if made.suffix == ".jpg" else "image/png"
    return media.shown(outside.file.sha256, size)
