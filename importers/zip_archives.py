"""Unpack uploaded archives safely."""

from __future__ import annotations

import re
import stat
import unicodedata
import zipfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import IO

from domain.errors import InvalidFileError


@dataclass(frozen=True)
class Limits:
    """The limits of an archive."""

    files: int = 100_000
    bytes: int = 8 * 1024**3
    ratio: int = 200
    """Unpacked bytes for each packed byte, counted after the first megabyte. Text packs to about a tenth."""
    ratio_of_all: int = 50
    """The same ratio for the archive as a whole.

    It stops many small files that each swell within their first megabyte.
    """
    free_of_all: int = 64 * 1024**2
    """Bytes that any archive may unpack to, whatever its ratio."""


LIMITS = Limits()
_FREE_BYTES = 1024**2
_CHUNK = 1024**2
_NOT_DATA = re.compile(r"(^|/)(__MACOSX|\.DS_Store|Thumbs\.db|desktop\.ini)(/|$)")
_WINDOWS = re.compile(r"(^|/)(con|prn|aux|nul|com\d|lpt\d)(\.|/|$)", re.IGNORECASE)
_LONGEST_NAME = 300
_ONE_FILE = {".xlsx", ".eval"}
"""File types that are zips but count as one file: workbooks and logs of Inspect."""


def unpack(archive: IO[bytes], into: Path, *, name: str, limits: Limits = LIMITS) -> Path:
    """Write the files of a zip below ``into`` and return the folder that holds them.

    The returned folder is the zip's only top folder, if it has one. ``InvalidFileError`` is raised for an archive with
    paths outside of the folder, links, a password, or more data than the limits allow. Sizes are counted while
    unpacking, because an archive may declare wrong sizes.
    """
    try:
        with zipfile.ZipFile(archive) as packed:
            entries = [
                entry for entry in packed.infolist() if not entry.is_dir() and not _NOT_DATA.search(entry.filename)
            ]
            if len(entries) > limits.files:
                raise InvalidFileError(
                    f"{name} has {len(entries)} files, but at most {limits.files} are allowed. Split the archive."
                )
            _unpack_entries(packed, entries, into, name=name, limits=limits)
    except (zipfile.BadZipFile, NotImplementedError, EOFError, OSError, ValueError) as error:
        raise InvalidFileError(
            f"Touchstone cannot read {name} as a zip archive ({error}). Create the archive again, and upload the "
            "new archive."
        ) from error
    return _only_folder(into)


def store(uploads: Iterable[tuple[str, IO[bytes]]], into: Path) -> Path:
    """Store uploaded files below ``into``, and unpack zips.

    Return the folder or the one file that an importer reads.
    """
    stored: list[Path] = []
    for name, content in uploads:
        place = into / safe_name(name).name
        if is_zip(content) and place.suffix.lower() not in _ONE_FILE:
            stored.append(unpack(content, into / place.stem, name=name))
            continue
        if place.exists():
            raise InvalidFileError(
                f"Two files have the name {place.name}. Put the files into different folders, and upload a zip "
                "archive of the folders."
            )
        into.mkdir(parents=True, exist_ok=True)
        with place.open("xb") as file:
            while chunk := content.read(_CHUNK):
                file.write(chunk)
        stored.append(place)
    return stored[0] if len(stored) == 1 else into


def is_zip(content: IO[bytes]) -> bool:
    """Tell whether a file starts like a zip. The position in the file does not change."""
    place = content.tell()
    try:
        return content.read(4) in (b"PK\x03\x04", b"PK\x05\x06")
    finally:
        content.seek(place)


def unpacked_size(path: Path) -> int:
    """Return the bytes of a file, or if it is a zip, the bytes that its entries have unpacked by its own account."""
    size = path.stat().st_size
    with path.open("rb") as file:
        if not is_zip(file):
            return size
        try:
            with zipfile.ZipFile(file) as packed:
                return max(size, sum(entry.file_size for entry in packed.infolist()))
        except (zipfile.BadZipFile, NotImplementedError, OSError, ValueError):  # whoever unpacks it says what is wrong
            return size


def safe_name(name: str) -> PurePosixPath:
    """Return a name from an archive or a browser as a relative path without ``..``.

    Raise ``InvalidFileError`` for other names.
    """
    path = PurePosixPath(unicodedata.normalize("NFC", name))
    refused = (
        not name
        or len(name) > _LONGEST_NAME
        or "\\" in name
        or ":" in name
        or any(ord(character) < 0x20 or ord(character) == 0x7F for character in name)
        or path.is_absolute()
        or not path.parts
        or ".." in path.parts
        or any(part != part.strip() or part.endswith(".") for part in path.parts)
        or _WINDOWS.search(name)
    )
    if refused:
        raise InvalidFileError(f"The file name {name!r} is not allowed. Use a plain path inside the archive.")
    return path


def _unpack_entries(
    packed: zipfile.ZipFile, entries: list[zipfile.ZipInfo], into: Path, *, name: str, limits: Limits
) -> None:
    seen: set[str] = set()
    places = []
    for entry in entries:
        if stat.S_ISLNK(entry.external_attr >> 16):
            raise InvalidFileError(f"{name} contains a link ({entry.filename}). Replace the link with the file.")
        if entry.flag_bits & 0x1:
            raise InvalidFileError(f"{name} has a password. Create the archive without a password.")
        path = safe_name(entry.filename)
        if str(path).casefold() in seen:
            raise InvalidFileError(f"{name} contains {path} twice. Remove one copy of the file.")
        seen.add(str(path).casefold())
        places.append((entry, into / path))
    total = 0
    most = min(
        limits.bytes,
        max(
            limits.free_of_all,
            sum({entry.header_offset: entry.compress_size for entry, _ in places}.values()) * limits.ratio_of_all,
        ),
    )  # two names for the same bytes count once
    for entry, place in places:
        place.parent.mkdir(parents=True, exist_ok=True)
        written = 0
        allowed = max(_FREE_BYTES, entry.compress_size * limits.ratio)
        with packed.open(entry) as source, place.open("xb") as target:
            while chunk := source.read(_CHUNK):
                written += len(chunk)
                total += len(chunk)
                if written > allowed or total > most:
                    raise InvalidFileError(
                        f"{name} is too large when unpacked (at {entry.filename}). Split the archive."
                    )
                target.write(chunk)


def _only_folder(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    inside = list(folder.iterdir())
    return inside[0] if len(inside) == 1 and inside[0].is_dir() else folder
