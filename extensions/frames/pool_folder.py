"""Adding a folder of kept frames, as ``touchstone frame create`` writes it, to the pool."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from db.engine import Store
from domain.records import AddedMedia
from extensions.frames import extraction, frame_choices, frame_pool
from media.store import MediaStore


def add(
    store: Store, media: MediaStore, *, folder: Path, files: Sequence[tuple[str, Path]], **how: Any
) -> AddedMedia | None:
    """Add the frames with their manifest rows; return None if ``folder`` is not the ``images`` folder of a manifest.

    ``how`` is passed on to ``frame_pool.add``.
    """
    if folder.name != extraction.IMAGES or not (folder.parent / extraction.MANIFEST).is_file():
        return None
    lines = extraction.manifest(folder.parent)
    head = next(lines, {})
    settings: dict[str, Any] = {name: head[name] for name in ("taking", "keeping") if name in head}
    frames = [line for line in lines if line["record"] == "frame" and isinstance(line.get("file"), str)]
    rows = {frame_choices.name_of(line): line for line in frames}
    if not rows:
        return None
    names = {name for name, _ in files}
    return frame_pool.add(
        store,
        media,
        frames=[frame_pool.FrameForPool(name, path, rows.get(name, {})) for name, path in files],
        dropped={name: line for name, line in rows.items() if name not in names},
        settings=settings,
        **how,
    )
