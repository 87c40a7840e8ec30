"""Files that someone uploads to be imported: kept below the home folder until they are in."""

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

from app import archives
from domain.errors import FileRefused, RowsRefused, TouchstoneError

KEPT_SECONDS = 24 * 3600.0
"""What was uploaded and not imported goes after so long, when someone else uploads."""
_COPIED_AT_ONCE = 1 << 20


@dataclass(frozen=True)
class Source:
    """What is to be imported: uploaded files, or a path on the server's machine."""

    folder: Path
    """Of its own: what was uploaded lies here, and what came of it."""
    names: Sequence[str] = ()
    media: str | None = None
    """The name of the archive of images and clips."""
    path: Path | None = None
    media_path: Path | None = None
    """A folder of their images and clips on this machine; what was uploaded may have one, too."""

    @property
    def called(self) -> str:
        """In words."""
        if self.path is not None:
            return self.path.name
        more = f" and {len(self.names) - 1} more" if len(self.names) > 1 else ""
        return f"{self.names[0]}{more}" if self.names else ""

    def size(self, most: int) -> int:
        """Return the bytes of all files, counted until there are more than ``most``. A zip counts as what it holds."""
        n = 0
        for place in (self.path or self.folder / "raw", self.media_path):
            for path in [place] if place is not None and place.is_file() else place.rglob("*") if place else ():
                n += archives.unpacked_size(path) if path.is_file() else 1
                if n > most:
                    return n
        return n

    def placed(self) -> tuple[Path, Path | None]:
        """Where the files and their media lie; archives are unpacked when this is asked first."""
        if self.path is not None:
            return self.path, self.media_path
        told = self.folder / "placed.json"
        if not told.exists():
            for part in ("items", "media"):
                shutil.rmtree(self.folder / part, ignore_errors=True)
            raw = [(name, self.folder / "raw" / str(at)) for at, name in enumerate(self.names)]
            with _opened(raw) as uploads:
                items = archives.store(uploads, self.folder / "items")
            media = None
            if self.media is not None:
                with (self.folder / "raw" / "media").open("rb") as archive:
                    media = archives.unpack(archive, self.folder / "media", name=self.media)
            told.write_text(json.dumps([str(items), str(media) if media else None]), encoding="utf-8")
        items_at, media_at = json.loads(told.read_text(encoding="utf-8"))
        return Path(items_at), Path(media_at) if media_at else self.media_path

    def hashes(self) -> dict[str, str]:
        """Return the SHA-256 of each uploaded file, or of the one file on the server's machine, by its name."""
        raw = {name: self.folder / "raw" / str(at) for at, name in enumerate(self.names)}
        raw |= {self.media: self.folder / "raw" / "media"} if self.media is not None else {}
        raw |= {self.path.name: self.path} if self.path is not None else {}
        found = {}
        for name, path in raw.items():
            if path.is_file():
                with path.open("rb") as file:
                    found[name] = hashlib.file_digest(file, "sha256").hexdigest()
        return found

    def clear(self) -> None:
        """Remove what was uploaded; what came of it stays."""
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
    """Where uploads and what is under way lie; its owner's alone."""
    place = home / "imports"
    place.mkdir(mode=0o700, parents=True, exist_ok=True)
    return place


def staged(home: Path, files: Sequence[Any], media: Any | None) -> Source:
    """Put uploaded files (with ``name`` and ``seek``) where a process of its own can read them."""
    return staged_in(_new_folder(home), files, media)


def staged_in(place: Path, files: Sequence[Any], media: Any | None = None) -> Source:
    """As ``staged``, in this folder."""
    raw = place / "raw"
    raw.mkdir()
    for at, file in enumerate(files):
        _copy(file, raw / str(at))
    if media is not None:
        _copy(media, raw / "media")
    return Source(place, tuple(file.name for file in files), media.name if media is not None else None)


def on_server(home: Path, path: Path, media: Path | None) -> Source:
    """What lies on the server's machine already."""
    return Source(_new_folder(home), (), None, path, media)


def _new_folder(home: Path) -> Path:
    place = home_of(home)
    for old in place.iterdir():
        if old.is_dir() and time.time() - old.stat().st_mtime > KEPT_SECONDS:
            shutil.rmtree(old, ignore_errors=True)
    return new_folder(place)


def new_folder(place: Path) -> Path:
    """A folder of its own below this one, under a name that no one can guess."""
    made = place / secrets.token_hex(8)
    made.mkdir(mode=0o700)
    return made


def copied(upload: Any, folder: Path) -> Path:
    """An uploaded file under its own name below ``folder``, whatever it is; archives stay packed."""
    place = folder / "table" / archives.safe_name(upload.name).name
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
    """Errors name files as they were uploaded, not where they lie on the server for the moment."""

    def uploaded(words: str) -> str:
        words = re.sub(re.escape(folder) + r"/(items|media|pool)/", "", words)
        return re.sub(re.escape(folder) + r"(/(items|media|pool)\b)?", "What was uploaded", words)

    try:
        yield
    except RowsRefused as error:
        raise error.worded(uploaded) from error
    except TouchstoneError as error:
        words = uploaded(str(error))
        if words == str(error):
            raise
        raise FileRefused(words) from error
