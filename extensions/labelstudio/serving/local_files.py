"""Media as files that a Label Studio on this machine serves from below its local-files document root.

Touchstone copies the media of tasks that are out into a folder of its own there, under names that cannot be guessed,
and removes them again. A local-files storage in Label Studio must point to that folder: see docs/label-studio.md.
"""

from __future__ import annotations

import os
import secrets
import shutil
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from db.engine import Store
from domain.errors import SettingsError
from domain.records import AssetView
from extensions.labelstudio.exchange import media as outside_media
from extensions.labelstudio.serving import files
from media.store import MediaStore

FOLDER = "touchstone"
"""The folder's name below the document root. Label Studio serves nothing from the root itself."""
ENDINGS = {"image/webp": ".webp", "image/png": ".png", "image/jpeg": ".jpg", "video/webm": ".webm"}
"""File suffixes by type. Label Studio derives a file's type from its suffix."""


@dataclass(frozen=True)
class LocalFiles:
    """Copies media below ``root``, Label Studio's ``LOCAL_FILES_DOCUMENT_ROOT``."""

    store: Store
    media: MediaStore
    cache: Path
    """The folder of pictures with drawings."""
    root: Path

    @classmethod
    def below(cls, root: Path, *, store: Store, media: MediaStore, cache: Path) -> LocalFiles:
        """Return an instance for an existing and writable document root. Raise ``SettingsError`` for any other root."""
        if not root.is_dir():
            raise SettingsError(
                f"The folder for local files, {root}, does not exist. Use the folder that is set as "
                "LABEL_STUDIO_LOCAL_FILES_DOCUMENT_ROOT in Label Studio."
            )
        try:
            (root / FOLDER).mkdir(mode=0o755, exist_ok=True)
        except OSError as error:
            raise SettingsError(
                f"Touchstone cannot write to the folder for local files, {root}: {error.strerror}. Change the "
                "folder's permissions."
            ) from None
        return cls(store, media, cache, root.resolve())

    @property
    def folder(self) -> Path:
        """Return the folder that Label Studio's local-files storage must point to."""
        return self.root / FOLDER

    def link(self, task: str, asset: AssetView) -> str:
        """Copy an asset of a task to where Label Studio finds it. Return its address within Label Studio."""
        outside = outside_media.file_sent(self.store, task=task, asset=asset.id)
        source, mime = files.path_of(self.media, self.cache, outside, "original" if asset.kind == "clip" else "display")
        there = self.folder / task
        there.mkdir(mode=0o755, exist_ok=True)
        path = there / f"{asset.id}{ENDINGS.get(mime, '')}"
        if not path.exists() or path.stat().st_size != source.stat().st_size:
            coming = there / f".{secrets.token_hex(8)}"
            shutil.copyfile(source, coming)
            os.chmod(coming, 0o644)
            os.replace(coming, path)
        return f"/data/local-files/?d={quote(path.relative_to(self.root).as_posix())}"

    def sweep(self) -> int:
        """Remove the files of tasks that are no longer out. Return the number of these tasks.

        Files of other people and other installations stay.
        """
        there = [folder.name for folder in self.folder.iterdir() if folder.is_dir() and not folder.is_symlink()]
        gone = outside_media.over(self.store, tasks=there)
        for task in gone:
            shutil.rmtree(self.folder / task, ignore_errors=True)
        return len(gone)
