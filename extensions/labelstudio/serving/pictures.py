"""Pictures for a model behind Label Studio: from our store, and from a folder that tasks refer to."""

from __future__ import annotations

import tempfile
from pathlib import Path
from types import TracebackType

from annotation_schemas.formats import Misfit
from domain.errors import InvalidMediaError
from domain.runs import Picture
from extensions.labelstudio.values import media_path
from importers.media_files import MediaFolder
from media.model_input import Pictures
from media.store import MediaStore


class PictureFinder:
    """Finds pictures. Nothing is fetched from the network; a picture in no folder is refused with a sentence."""

    def __init__(self, media: MediaStore, cache: Path, folder: Path | None) -> None:
        self._ours = Pictures(media, cache)
        self._folder = MediaFolder(folder) if folder else None
        self._kept = tempfile.TemporaryDirectory(prefix="touchstone-backend-")
        self._theirs = MediaStore(Path(self._kept.name) / "media")
        self._prepared = Pictures(self._theirs, Path(self._kept.name) / "prepared")

    def __enter__(self) -> PictureFinder:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._kept.cleanup()

    def stored(self, sha256: str, role: str) -> Picture:
        """Return an image of our store, upright."""
        made = self._ours.image(sha256)
        return Picture(made.path, made.sha256, role=role)

    def named(self, value: str) -> Picture:
        """Return the image that a task names, from below the folder."""
        try:
            path = media_path(value, "picture")
        except Misfit as error:
            raise InvalidMediaError(f"{error}.") from error
        places = self._folder.closest(path) if self._folder else []
        if len(places) != 1:
            why = "several files match" if places else "no file matches"
            where = "in the folder that --media names" if self._folder else "because --media names no folder"
            raise InvalidMediaError(
                f"{why} {path} {where}. Touchstone does not download files. Give --media a folder with exactly one "
                "matching file."
            )
        medium = self._theirs.add(places[0], name=str(places[0]))
        if medium.kind != "image":
            raise InvalidMediaError(f"{path} is not an image. Use an image file.")
        made = self._prepared.image(medium.sha256)
        return Picture(made.path, made.sha256)
