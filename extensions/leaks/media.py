"""Leaks in files themselves: metadata of images and clips, and the order and times of files in archives."""

from __future__ import annotations

import base64
import binascii
import filecmp
import hashlib
import io
import tarfile
import tempfile
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from PIL import Image, UnidentifiedImageError

from domain.errors import MediaRefused, NotAvailable
from media import file_type, mp4, orientation, strip_metadata
from media.perceptual_hash import difference_hash
from media.strip_metadata import NotUnderstood

_BASE64 = ("/9j/", "iVBOR", "UklGR", "R0lGOD")
"""The first characters of JPEG, PNG, WebP and GIF in base64."""
_LARGEST = 1 << 30
"""The largest number of bytes that are extracted from one archive."""


@dataclass(frozen=True)
class Picture:
    """An image or clip that was found."""

    where: str
    sha256: str
    look: int | None
    told: str
    """The metadata about the making of the file; empty for none."""
    unknown: str = ""
    """Why the metadata could not be read."""


def picture(where: str, content: bytes, *, look: bool) -> Picture | None:
    """Return the metadata and the looks of an image; None if the bytes are not an image."""
    sort = file_type.sniff(content[: file_type.HEAD_BYTES])
    if sort.kind != "image" or sort.mime is None:
        return None
    told, unknown = "", ""
    turned, seen = orientation.UPRIGHT, None
    try:
        with Image.open(io.BytesIO(content)) as opened:
            turned = orientation.of_image(opened)
            if look:
                seen = difference_hash(orientation.upright(opened, turned))
    except (UnidentifiedImageError, OSError, SyntaxError, ValueError, Image.DecompressionBombError):
        unknown = "it cannot be decoded" if look else ""
    try:
        if strip_metadata.image(content, sort.mime, turned) != content:
            told = _metadata(content)
    except NotUnderstood:
        unknown = f"{sort.called} cannot be taken apart here"
    return Picture(where, hashlib.sha256(content).hexdigest(), seen, told, unknown)


def clip(where: str, path: Path) -> Picture | None:
    """Return the metadata of a clip; None if the file is not a clip. The clip is not decoded."""
    with path.open("rb") as file:
        sort = file_type.sniff(file.read(file_type.HEAD_BYTES))
    if sort.kind != "clip" and not sort.is_video:
        return None
    told, unknown = "", ""
    try:
        told = mp4.told(path) if sort == file_type.MP4 else _tags_of_webm(path)
    except NotUnderstood:
        unknown = f"{sort.called} cannot be taken apart here"
    except (MediaRefused, NotAvailable) as error:
        unknown = str(error).rstrip(".")
    with path.open("rb") as file:
        return Picture(where, hashlib.file_digest(file, "sha256").hexdigest(), None, told, unknown)


def _tags_of_webm(path: Path) -> str:
    with tempfile.TemporaryDirectory() as folder:
        bare = Path(folder) / "bare"
        strip_metadata.clip(path, bare)
        return "" if filecmp.cmp(path, bare, shallow=False) else "tags of a clip"


def in_base64(text: str) -> bytes | None:
    """Return the image that a cell holds as base64 text; None if the cell holds no image."""
    text = text.partition(",")[2] if text.startswith("data:image/") else text
    if not text.startswith(_BASE64) or len(text) < 60:
        return None
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return None


def _metadata(content: bytes) -> str:
    """Return the names of the metadata that an image has."""
    try:
        with Image.open(io.BytesIO(content)) as opened:
            names = sorted(str(name) for name in opened.info)
            texts = [name for name in names if name not in ("dpi", "jfif", "jfif_density", "jfif_unit", "jfif_version")]
            return ", ".join(texts[:4]) or "parts that do not show it"
    except (UnidentifiedImageError, OSError, ValueError, Image.DecompressionBombError):
        return "parts that do not show it"


# ---- archives -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Archive:
    """The order and the times of the files in an archive."""

    names: Sequence[str]
    times: frozenset[float]


def is_archive(path: Path) -> bool:
    """Return whether a path is an archive from which files can be extracted."""
    return zipfile.is_zipfile(path) or (
        path.suffix in (".tar", ".tgz", ".gz", ".xz", ".bz2") and tarfile.is_tarfile(path)
    )


def archive(path: Path) -> Archive:
    """Return the order and the times of the files in an archive."""
    if zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as file:
            infos = [each for each in file.infolist() if not each.is_dir()]
            return Archive([each.filename for each in infos], frozenset(float(hash(each.date_time)) for each in infos))
    with tarfile.open(path) as tar:
        members = [each for each in tar.getmembers() if each.isfile()]
        return Archive([each.name for each in members], frozenset(float(each.mtime) for each in members))


def taken_out(path: Path, folder: Path) -> Iterator[tuple[str, Path]]:
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
                    raise ValueError("it holds more than 1 GB")
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
