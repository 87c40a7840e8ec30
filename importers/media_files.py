"""The media that annotation files name, looked up in a folder next to them."""

from __future__ import annotations

import os
import re
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path, PurePath, PurePosixPath

from domain.errors import InvalidFileError, InvalidMediaError

IMAGES = frozenset({".jpg", ".jpeg", ".jfif", ".png", ".webp", ".gif", ".bmp", ".avif"})
CLIPS = frozenset({".webm", ".mp4", ".mov", ".m4v", ".mkv", ".avi"})

UNSUPPORTED = frozenset({
    ".heic", ".heif", ".tif", ".tiff", ".pdf", ".svg", ".jxl", ".jp2", ".j2k", ".psd", ".ico", ".eps", ".dng", ".cr2",
    ".cr3", ".nef", ".arw", ".exr", ".dcm",
})  # fmt: skip
"""Endings of pictures that the store does not take. The importer finds unsupported files, so that the store reports
them as unsupported, not as missing.
"""

_UPLOADED = re.compile(r"[0-9a-f]{8}-(.+)")


def kind_of(path: PurePath) -> str | None:
    """Return "image" or "clip" by the file's ending; None for any other file."""
    ending = path.suffix.lower()
    return "image" if ending in IMAGES else "clip" if ending in CLIPS else None


def files_below(source: Path) -> list[tuple[str, Path]]:
    """Return the files of a folder (or the one file) with their relative names, without hidden files."""
    if source.is_file():
        return [(source.name, source)]
    files = ((path.relative_to(source).as_posix(), path) for path in sorted(source.rglob("*")) if path.is_file())
    return [(name, path) for name, path in files if not any(part.startswith(".") for part in name.split("/"))]


def folder_of(name: str) -> str | None:
    """Return the folder of a file from ``files_below``, which is its source; None for the given folder itself."""
    return name.rpartition("/")[0] or None


def _as_written(name: str) -> str:
    return name


def _composed(name: str) -> str:
    return unicodedata.normalize("NFC", name)


def _without_case(name: str) -> str:
    return unicodedata.normalize("NFC", _composed(name).casefold())


LEVELS: tuple[Callable[[str], str], ...] = (_as_written, _composed, _without_case)
"""Names are compared first exactly, then in one Unicode form, then without case. The first level that finds a file
decides. macOS unpacks names in NFD, and cameras write ``.JPG``.
"""


class _Names:
    """Files by a name."""

    def __init__(self) -> None:
        self._found: list[dict[str, list[Path]] | None] = [defaultdict(list), None, None]
        """File names by level; a later level is built when an earlier level has not found a name."""

    def add(self, name: str, path: Path) -> None:
        """Add a file with this name. Files must be added before the first lookup."""
        assert self._found[0] is not None
        self._found[0][name].append(path)

    def at(self, level: int, name: str) -> Sequence[Path]:
        """Return the files with this name, compared at one of ``LEVELS``."""
        paths_by_name, exact = self._found[level], self._found[0]
        assert exact is not None
        if paths_by_name is None:
            paths_by_name = self._found[level] = defaultdict(list)
            for name_in_folder, paths in exact.items():
                paths_by_name[LEVELS[level](name_in_folder)] += paths
        return paths_by_name.get(LEVELS[level](name), ())

    def of(self, name: str) -> Sequence[Path]:
        """Return the files with this name, at the first level that has any."""
        return next((paths for level in range(len(LEVELS)) if (paths := self.at(level, name))), ())


class MediaFolder:
    """All files below a folder. Files outside it are never found, whatever a record names.

    Methods raise ``InvalidMediaError`` if several files match and differ only in case or Unicode form.
    """

    def __init__(self, folder: Path) -> None:
        if not folder.is_dir():
            raise InvalidFileError(f"The media folder {folder} does not exist. Check the path.")
        self._root = folder.resolve()
        self._paths, self._ids, self._stems, self._names = _Names(), _Names(), _Names(), _Names()
        for where, folders, files in os.walk(self._root):
            folders.sort()
            for name in sorted(files):
                path = Path(where) / name
                if not path.resolve().is_relative_to(self._root):
                    continue
                place = path.relative_to(self._root)
                self._paths.add(place.as_posix(), path)
                self._names.add(place.name, path)
                if kind_of(path) or path.suffix.lower() in UNSUPPORTED:
                    self._ids.add(place.with_suffix("").as_posix(), path)
                    self._stems.add(place.stem, path)

    def named(self, name: str, *, folders: Sequence[str] = ()) -> Path | None:
        """Return the file with this relative path in the first folder that has it, or else the one with this bare
        name.
        """
        path = PurePosixPath(name.replace("\\", "/"))
        for wanted in (path, PurePosixPath(path.name)):
            for level in range(len(LEVELS)):
                for folder in folders:
                    place = PurePosixPath(folder, wanted)
                    if not place.is_absolute() and (paths := self._paths.at(level, place.as_posix())):
                        return self._only(paths, name)
        return None

    def closest(self, name: str) -> list[Path]:
        """Return the files with this bare name, in any folder, whose path ends most like ``name``. Several may be
        equally close.

        A name that a server gave to an upload, such as ``5d48d83e-cup.png``, is also searched as ``cup.png``.
        """
        wanted = PurePosixPath(name).parts
        uploaded = _UPLOADED.fullmatch(wanted[-1]) if wanted else None
        for bare in (*wanted[-1:], *([uploaded[1]] if uploaded else [])):
            alike = {
                path: _n_same_folders(path.relative_to(self._root).parts[:-1], wanted[:-1])
                for path in self._names.of(bare)
            }
            if alike:
                return [path for path, n in alike.items() if n == max(alike.values())]
        return []

    def of_id(self, external_id: str, kind: str) -> Path | None:
        """Find ``<external id>.*`` of that kind, or an unsupported file by that name."""
        return self._first(self._ids, external_id, kind)

    def of_video(self, video_id: str) -> Path | None:
        """Return ``<video id>.*``, in any folder."""
        return self._first(self._ids, video_id, "clip") or self._first(self._stems, video_id, "clip")

    def _first(self, names: _Names, name: str, kind: str) -> Path | None:
        """Return the file of that kind by that name, otherwise an unsupported file by that name."""
        for wanted in (kind, None) if kind == "image" else (kind,):
            for level in range(len(LEVELS)):
                media = [path for path in names.at(level, name) if kind_of(path) == wanted]
                forms = {path.relative_to(self._root).with_suffix("") for path in media}
                if len(forms) > 1 and level:
                    self._only(media, name)
                if media:
                    return media[0]
        return None

    def _only(self, found: Sequence[Path], name: str) -> Path:
        if len(found) > 1:
            files = ", ".join(sorted(path.relative_to(self._root).as_posix() for path in found)[:4])
            raise InvalidMediaError(
                f"{name!r} matches {len(found)} files: {files}. The names differ only in case or in their Unicode "
                "form. Keep only one of these files, or write the exact name of the file."
            )
        return found[0]


def _n_same_folders(one: Sequence[str], other: Sequence[str]) -> int:
    """Return the number of equal folders at the end of two paths."""
    n = 0
    while n < min(len(one), len(other)) and one[-1 - n] == other[-1 - n]:
        n += 1
    return n
