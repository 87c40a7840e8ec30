"""Uploaded files that wait for their import below the home folder."""

from __future__ import annotations

import hashlib
import json
import re
import secrets
import shutil
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from domain.errors import InvalidFileError, InvalidRowsError, TouchstoneError
from importers import zip_archives

KEPT_SECONDS = 24 * 3600.0
"""Seconds after which an upload without an import is removed, at the next upload of anyone."""
_COPIED_AT_ONCE = 1 << 20


@dataclass(frozen=True)
class Source:
    """The source of an import: uploaded files, or a path on the server's machine."""

    folder: Path
    """The source's own folder, for the uploaded files and the results."""
    names: Sequence[str] = ()
    media: str | None = None
    """The file name of the archive with images and clips."""
    path: Path | None = None
    media_path: Path | None = None
    """A folder with images and clips on this machine. Uploaded files may have one too."""

    @property
    def called(self) -> str:
        """Return the source's name in words."""
        if self.path is not None:
            return self.path.name
        more = f" and {len(self.names) - 1} more" if len(self.names) > 1 else ""
        return f"{self.names[0]}{more}" if self.names else ""

    def size(self, most: int) -> int:
        """Return the bytes of all files; a zip counts as its content. Counting stops above ``most``."""
        n = 0
        for place in (self.path or self.folder / "raw", self.media_path):
            for path in [place] if place is not None and place.is_file() else place.rglob("*") if place else ():
                n += zip_archives.unpacked_size(path) if path.is_file() else 1
                if n > most:
                    return n
        return n

    def placed(self) -> tuple[Path, Path | None]:
        """Return the paths of the files and their media. Archives are unpacked on the first call."""
        if self.path is not None:
            return self.path, self.media_path
        record = self.folder / "placed.json"
        if not record.exists():
            for part in ("items", "media"):
                shutil.rmtree(self.folder / part, ignore_errors=True)
            raw = [(name, self.folder / "raw" / str(at)) for at, name in enumerate(self.names)]
            with _opened(raw) as uploads:
                items = zip_archives.store(uploads, self.folder / "items")
            media = None
            if self.media is not None:
                with (self.folder / "raw" / "media").open("rb") as archive:
                    media = zip_archives.unpack(archive, self.folder / "media", name=self.media)
            record.write_text(json.dumps([str(items), str(media) if media else None]), encoding="utf-8")
        items_at, media_at = json.loads(record.read_text(encoding="utf-8"))
        return Path(items_at), Path(media_at) if media_at else self.media_path

    def hashes(self) -> dict[str, str]:
        """Return the SHA-256 of each uploaded file, or of the one file on the server's machine, by its name."""
        raw = {name: self.folder / "raw" / str(at) for at, name in enumerate(self.names)}
        raw |= {self.media: self.folder / "raw" / "media"} if self.media is not None else {}
        raw |= {self.path.name: self.path} if self.path is not None else {}
        hashes = {}
        for name, path in raw.items():
            if path.is_file():
                with path.open("rb") as file:
                    hashes[name] = hashlib.file_digest(file, "sha256").hexdigest()
        return hashes

    def clear(self) -> None:
        """Remove the uploaded files. The results stay."""
        for part in ("raw", "items", "media"):
            shutil.rmtree(self.folder / part, ignore_errors=True)


@contextmanager
def _opened(raw: Sequence[tuple[str, Path]]) -> Iterator[list[tuple[str, IO[bytes]]]]:
    files: list[tuple[str, IO[bytes]]] = []
    try:
        files += ((name, path.open("rb")) for name, path in raw)
        yield files
    finally:
        for _, file in files:
            file.close()


def home_of(home: Path) -> Path:
    """Return the folder for uploads and running imports, readable only by its owner."""
    place = home / "imports"
    place.mkdir(mode=0o700, parents=True, exist_ok=True)
    return place


def staged(home: Path, files: Sequence[Any], media: Any | None) -> Source:
    """Copy uploaded files (with ``name`` and ``seek``) to where another process can read them. Return the source."""
    return staged_in(_new_folder(home), files, media)


def staged_in(place: Path, files: Sequence[Any], media: Any | None = None) -> Source:
    """Copy uploaded files into this folder. Otherwise the same as ``staged``."""
    raw = place / "raw"
    raw.mkdir()
    for at, file in enumerate(files):
        _copy(file, raw / str(at))
    if media is not None:
        _copy(media, raw / "media")
    return Source(place, tuple(file.name for file in files), media.name if media is not None else None)


def on_server(home: Path, path: Path, media: Path | None) -> Source:
    """Return the source for a path on the server's machine."""
    return Source(_new_folder(home), (), None, path, media)


def _new_folder(home: Path) -> Path:
    place = home_of(home)
    for old in place.iterdir():
        if old.is_dir() and time.time() - old.stat().st_mtime > KEPT_SECONDS:
            shutil.rmtree(old, ignore_errors=True)
    return new_folder(place)


def new_folder(place: Path) -> Path:
    """Create a folder below this one, under a name that cannot be guessed. Return its path."""
    made = place / secrets.token_hex(8)
    made.mkdir(mode=0o700)
    return made


def copied(upload: Any, folder: Path) -> Path:
    """Copy an uploaded file of any type below ``folder``, under its own name. Archives stay packed."""
    place = folder / "table" / zip_archives.safe_name(upload.name).name
    place.parent.mkdir(exist_ok=True)
    _copy(upload, place)
    return place


def _copy(upload: Any, into: Path) -> None:
    upload.seek(0)
    with into.open("xb") as out:
        shutil.copyfileobj(upload, out, _COPIED_AT_ONCE)
    upload.seek(0)


@contextmanager
def as_uploaded(folder: str) -> Iterator[None]:
    """Name files in errors as they were uploaded, and not by their temporary path on the server."""

    def uploaded(words: str) -> str:
        words = re.sub(re.escape(folder) + r"/(items|media|pool)/", "", words)
        return re.sub(re.escape(folder) + r"(/(items|media|pool)\b)?", "What was uploaded", words)

    try:
        yield
    except InvalidRowsError as error:
        raise error.worded(uploaded) from error
    except TouchstoneError as error:
        words = uploaded(str(error))
        if words == str(error):
            raise
        raise InvalidFileError(words) from error
