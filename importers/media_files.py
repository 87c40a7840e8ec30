"""The media that annotation files name, looked up in a folder next to them."""

from __future__ import annotations

import os
import re
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path, PurePath, PurePosixPath

from domain.errors import FileRefused

IMAGES = frozenset({".jpg", ".jpeg", ".png", ".webp", ".gif", ".bmp"})
CLIPS = frozenset({".webm", ".mp4", ".mov", ".m4v", ".mkv", ".avi"})

_UPLOADED = re.compile(r"[0-9a-f]{8}-(.+)")


def kind_of(path: PurePath) -> str | None:
    """ "image" or "clip" by the file's ending; None for anything else."""
    ending = path.suffix.lower()
    return "image" if ending in IMAGES else "clip" if ending in CLIPS else None


def files_below(source: Path) -> list[tuple[str, Path]]:
    """The files of a folder (or the one file) with their names below it, hidden ones left out."""
    if source.is_file():
        return [(source.name, source)]
    found = ((path.relative_to(source).as_posix(), path) for path in sorted(source.rglob("*")) if path.is_file())
    return [(name, path) for name, path in found if not any(part.startswith(".") for part in name.split("/"))]


def folder_of(name: str) -> str | None:
    """The folder that a file of ``files_below`` lay in: its source; None: directly in the one that was given."""
    return name.rpartition("/")[0] or None


class MediaFolder:
    """All images and clips below a folder. Only what lies in it is ever found, whatever a record names."""

    def __init__(self, folder: Path) -> None:
        if not folder.is_dir():
            raise FileRefused(f"There is no media folder {folder}.")
        root = folder.resolve()
        self._paths: dict[str, Path] = {}
        self._by_id: dict[str, list[Path]] = defaultdict(list)
        self._by_stem: dict[str, list[Path]] = defaultdict(list)
        self._by_name: dict[str, list[str]] = defaultdict(list)
        for where, folders, files in os.walk(root):
            folders.sort()
            for name in sorted(files):
                path = Path(where) / name
                if kind_of(path) and path.resolve().is_relative_to(root):
                    place = path.relative_to(root)
                    self._paths[place.as_posix()] = path
                    self._by_id[place.with_suffix("").as_posix()].append(path)
                    self._by_stem[place.stem].append(path)
                    self._by_name[place.name].append(place.as_posix())

    def named(self, name: str, *, folders: Sequence[str] = ()) -> Path | None:
        """The file of that relative path in the first of ``folders`` that has it, else the one of that bare name."""
        path = PurePosixPath(name.replace("\\", "/"))
        for wanted in (path, PurePosixPath(path.name)):
            for folder in folders:
                place = PurePosixPath(folder, wanted)
                if not place.is_absolute() and (found := self._paths.get(place.as_posix())):
                    return found
        return None

    def closest(self, name: str) -> list[Path]:
        """The files of that bare name, in whatever folder, whose path ends most like ``name``; several are alike.

        A name that a server gave to an upload, ``5d48d83e-cup.png``, is also looked for as ``cup.png``.
        """
        wanted = PurePosixPath(name).parts
        uploaded = _UPLOADED.fullmatch(wanted[-1]) if wanted else None
        for bare in (*wanted[-1:], *([uploaded[1]] if uploaded else [])):
            alike = {
                place: _n_same_folders(PurePosixPath(place).parts[:-1], wanted[:-1]) for place in self._by_name[bare]
            }
            if alike:
                return [self._paths[place] for place, n in alike.items() if n == max(alike.values())]
        return []

    def of_id(self, external_id: str, kind: str) -> Path | None:
        """``<external id>.*`` of that kind."""
        return _first(self._by_id.get(external_id, ()), kind)

    def of_video(self, video_id: str) -> Path | None:
        """``<video id>.*``, in whatever folder."""
        return _first(self._by_id.get(video_id, ()), "clip") or _first(self._by_stem.get(video_id, ()), "clip")


def _n_same_folders(one: Sequence[str], other: Sequence[str]) -> int:
    """How many of the last folders are the same."""
    n = 0
    while n < min(len(one), len(other)) and one[-1 - n] == other[-1 - n]:
        n += 1
    return n


def _first(paths: Sequence[Path], kind: str) -> Path | None:
    return next((path for path in paths if kind_of(path) == kind), None)
