"""The files in an archive: their order, their times, and their contents."""

from __future__ import annotations

import tarfile
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO

_LARGEST = 1 << 30
"""The largest number of bytes that are extracted from one archive."""


def is_archive(path: Path) -> bool:
    """Return whether a path is an archive from which files can be extracted."""
    return zipfile.is_zipfile(path) or (
        path.suffix in (".tar", ".tgz", ".gz", ".xz", ".bz2") and tarfile.is_tarfile(path)
    )


def names_and_times(path: Path) -> tuple[list[str], set[object]]:
    """Return the names of the files in an archive, in their order, and all times of the files."""
    if zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as file:
            infos = [info for info in file.infolist() if not info.is_dir()]
            return [info.filename for info in infos], {info.date_time for info in infos}
    with tarfile.open(path) as tar:
        members = [getmember for getmember in tar.getmembers() if getmember.isfile()]
        return [member.name for member in members], {member.mtime for member in members}


def extract(path: Path, folder: Path) -> Iterator[tuple[str, Path]]:
    """Yield the files of an archive, each with its name there. The files are extracted below a folder and named by
    number.

    Raises ``ValueError`` if the files are too large.
    """
    left = _LARGEST
    for number, (name, stream) in enumerate(_members(path)):
        out = folder / f"{number}{''.join(Path(name).suffixes[-1:])}"
        with out.open("wb") as file:
            while piece := stream.read(1 << 20):
                left -= len(piece)
                if left < 0:
                    raise ValueError("the archive is larger than 1 GB")
                file.write(piece)
        yield name, out


def _members(path: Path) -> Iterator[tuple[str, IO[bytes]]]:
    if zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as file:
            for info in file.infolist():
                if not info.is_dir():
                    with file.open(info) as stream:
                        yield info.filename, stream
        return
    with tarfile.open(path) as tar:
        for member in tar:
            stream_ = tar.extractfile(member) if member.isfile() else None
            if stream_ is not None:
                yield member.name, stream_
