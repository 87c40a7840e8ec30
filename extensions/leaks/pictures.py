"""The images and clips of a public folder: how they look, and their metadata."""

from __future__ import annotations

import base64
import binascii
import filecmp
import hashlib
import io
import tempfile
from dataclasses import dataclass
from pathlib import Path

from PIL import Image, UnidentifiedImageError

from domain.errors import InvalidMediaError, NotAvailableError
from media import file_type, mp4, orientation, strip_metadata
from media.perceptual_hash import difference_hash
from media.strip_metadata import NotUnderstood

_BASE64 = ("/9j/", "iVBOR", "UklGR", "R0lGOD")
"""The first characters of JPEG, PNG, WebP and GIF in base64."""


@dataclass(frozen=True)
class Picture:
    """An image or clip that was found."""

    where: str
    sha256: str
    look: int | None
    metadata: str
    """The metadata about the making of the file; empty for none."""
    unknown: str = ""
    """Why the metadata could not be read."""


def in_file(where: str, path: Path) -> Picture | None:
    """Return the image or clip in a file; None if the file is neither."""
    with path.open("rb") as file:
        sort = file_type.sniff(file.read(file_type.HEAD_BYTES))
    if sort.kind == "image":
        return in_bytes(where, path.read_bytes())
    return _clip(where, path, sort) if sort.kind == "clip" or sort.is_video else None


def in_bytes(where: str, content: bytes) -> Picture | None:
    """Return the metadata and the looks of an image; None if the bytes are not an image."""
    sort = file_type.sniff(content[: file_type.HEAD_BYTES])
    if sort.kind != "image" or sort.mime is None:
        return None
    metadata, unknown = "", ""
    turned, look = orientation.UPRIGHT, None
    try:
        with Image.open(io.BytesIO(content)) as opened:
            turned = orientation.of_image(opened)
            look = difference_hash(orientation.upright(opened, turned))
    except (UnidentifiedImageError, OSError, SyntaxError, ValueError, Image.DecompressionBombError):
        unknown = "Touchstone cannot decode the file"
    try:
        if strip_metadata.image(content, sort.mime, turned) != content:
            metadata = _metadata(content)
    except NotUnderstood:
        unknown = f"Touchstone cannot read the parts of {sort.called}"
    return Picture(where, hashlib.sha256(content).hexdigest(), look, metadata, unknown)


def _clip(where: str, path: Path, sort: file_type.Sort) -> Picture:
    """Return the metadata of a clip. The clip is not decoded."""
    metadata, unknown = "", ""
    try:
        metadata = mp4.metadata_names(path) if sort == file_type.MP4 else _tags_of_webm(path)
    except NotUnderstood:
        unknown = f"Touchstone cannot read the parts of {sort.called}"
    except (InvalidMediaError, NotAvailableError) as error:
        unknown = str(error).rstrip(".")
    with path.open("rb") as file:
        return Picture(where, hashlib.file_digest(file, "sha256").hexdigest(), None, metadata, unknown)


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
            return ", ".join(texts[:4]) or "data other than the image"
    except (UnidentifiedImageError, OSError, ValueError, Image.DecompressionBombError):
        return "data other than the image"
