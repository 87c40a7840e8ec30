"""Detect the type of a file by its first bytes. The file's name is used only in messages."""

from __future__ import annotations

import codecs
from dataclasses import dataclass
from pathlib import Path

HEAD_BYTES = 4096
"""Number of bytes that are read from a file."""


@dataclass(frozen=True)
class Sort:
    """A type of file: its name for people, and its MIME type if the store accepts it."""

    called: str
    kind: str | None = None
    """"image" or "clip". None for a refused type."""
    mime: str | None = None
    advice: str = ""
    """Advice about a refused file."""
    format: str = ""
    """Name of the format of an unsupported picture, document or sound."""
    is_video: bool = False
    """True if an import can cut or convert the file to a clip."""


def _unsupported(called: str, format: str, to: str = "JPEG or PNG") -> Sort:
    return Sort(called, advice=f"{format} is not supported; convert the file to {to}", format=format)


AS_PNG = "Save the image as PNG, JPEG or WebP, and add the new file."
AS_WEBM = (
    "Touchstone stores clips only as WebM. Convert the video to WebM, or import items and let the import cut clips "
    "from the video."
)

MP4 = Sort("an MP4 video", advice=AS_WEBM, is_video=True)

_SIGNATURES: tuple[tuple[int, bytes, Sort], ...] = (
    (0, b"\x89PNG\r\n\x1a\n", Sort("a PNG image", "image", "image/png")),
    (0, b"\xff\xd8\xff", Sort("a JPEG image", "image", "image/jpeg")),
    (8, b"WEBPVP8", Sort("a WebP image", "image", "image/webp")),
    (0, b"GIF87a", Sort("a GIF image", "image", "image/gif")),
    (0, b"GIF89a", Sort("a GIF image", "image", "image/gif")),
    (0, b"BM", Sort("a BMP image", "image", "image/bmp")),
    (0, b"II*\x00", _unsupported("a TIFF image", "TIFF")),
    (0, b"MM\x00*", _unsupported("a TIFF image", "TIFF")),
    (0, b"II+\x00", _unsupported("a TIFF image", "TIFF")),
    (0, b"MM\x00+", _unsupported("a TIFF image", "TIFF")),
    (0, b"\xff\x0a", _unsupported("a JPEG XL image", "JPEG XL")),
    (4, b"JXL \r\n", _unsupported("a JPEG XL image", "JPEG XL")),
    (4, b"jP  \r\n", _unsupported("a JPEG 2000 image", "JPEG 2000")),
    (0, b"\xff\x4f\xff\x51", _unsupported("a JPEG 2000 image", "JPEG 2000")),
    (0, b"8BPS", _unsupported("a Photoshop image", "PSD")),
    (0, b"\0\0\1\0", _unsupported("an icon", "ICO")),
    (0, b"v/1\x01", _unsupported("an OpenEXR image", "OpenEXR")),
    (128, b"DICM", _unsupported("a DICOM image", "DICOM")),
    (0, b"%!PS", _unsupported("a PostScript drawing", "PostScript")),
    (0, b"%PDF", _unsupported("a PDF document", "PDF")),
    (0, b"P5\n", _unsupported("a PGM image", "PGM")),
    (0, b"P6\n", _unsupported("a PPM image", "PPM")),
    (4, b"ftypM4A", _unsupported("a sound", "M4A", "a video")),
    (4, b"ftyp", MP4),
    (8, b"AVI ", Sort("an AVI video", advice=AS_WEBM, is_video=True)),
    (0, b"FLV\x01", Sort("a Flash video", advice=AS_WEBM, is_video=True)),
    (0, b"\0\0\1\xba", Sort("an MPEG video", advice=AS_WEBM, is_video=True)),
    (0, b"\x30\x26\xb2\x75\x8e\x66\xcf\x11", Sort("a Windows Media video", advice=AS_WEBM, is_video=True)),
    (0, b"ID3", _unsupported("a sound", "MP3", "a video")),
    (8, b"WAVE", _unsupported("a sound", "WAV", "a video")),
    (0, b"PK\x03\x04", Sort("a ZIP archive", advice="Unpack the archive, and add the images from the archive.")),
    (0, b"\x1f\x8b", Sort("a gzip archive", advice="Unpack the archive, and add the images from the archive.")),
)

HEIC = _unsupported("a HEIC image", "HEIC")
AVIF = Sort("an AVIF image", "image", "image/avif")
_HEIC_BRANDS = {b"heic", b"heix", b"heim", b"heis", b"hevc", b"hevx", b"hevm", b"hevs", b"mif1", b"msf1"}
WEBM = Sort("a WebM clip", "clip", "video/webm")
MATROSKA = Sort("a Matroska video", advice=AS_WEBM, is_video=True)
HTML = Sort("a web page", advice="The file may be the error page of a failed download. Download the image again.")
SVG = _unsupported("an SVG drawing", "SVG")
TEXT = Sort("a text", advice="Add an image file instead.")
EMPTY = Sort("empty", advice="Copy or download the file again.")
UNKNOWN = Sort("of an unknown type", advice=AS_PNG)


def sniff(head: bytes) -> Sort:
    """Return the type of the file that begins with ``head`` (its first ``HEAD_BYTES``).

    >>> sniff(b"GIF89a...").called
    'a GIF image'
    >>> sniff(b"<!DOCTYPE html><title>404</title>").called
    'a web page'
    """
    if not head:
        return EMPTY
    if head[4:8] == b"ftyp" and (still := _still_of(head)) is not None:
        return still
    for offset, signature, sort in _SIGNATURES:
        if head.startswith(signature, offset):
            return sort
    if head.startswith(b"\x1aE\xdf\xa3"):
        return WEBM if b"webm" in head[:64] else MATROSKA
    return _markup_or_text(head)


def _still_of(head: bytes) -> Sort | None:
    """Return the type of the picture in an ISO file, by its brands. None if it is not a picture."""
    size = int.from_bytes(head[:4], "big")
    brands = [head[8:12], *(head[at : at + 4] for at in range(16, min(size, len(head)), 4))]
    if brands[0].startswith(b"avi") or (brands[0] in (b"mif1", b"msf1") and {b"avif", b"avis"} & {*brands}):
        return AVIF
    return HEIC if brands[0] in _HEIC_BRANDS else None


def problem(path: Path, kind: str) -> str | None:
    """Return a sentence that refuses the file by its first bytes; None if they fit an image or a clip."""
    try:
        with path.open("rb") as file:
            sort = sniff(file.read(HEAD_BYTES))
    except OSError as error:
        return f"Touchstone cannot read {path.name}: {error.strerror}. Check the path and the permissions."
    if sort.format and kind == "clip":
        return f"{path.name} is {sort.called}, but a clip is needed. Add a video."
    if sort.format or sort in (HTML, TEXT, EMPTY):
        return refusal(path.name, sort)
    if kind == "image" and (sort.is_video or sort.kind == "clip"):
        return f"{path.name} is {sort.called}, but an image is needed. Add an image."
    if kind == "clip" and sort.kind == "image" and sort.mime != "image/gif":
        return f"{path.name} is {sort.called}, but a clip is needed. Add a video."
    return None


def refusal(name: str, sort: Sort) -> str:
    """Return the sentence that refuses a file."""
    if sort.format:
        return f"{name} is {sort.called} ({sort.advice})."
    return f"{name} is {sort.called}, not an image or a clip. {sort.advice}"


def _markup_or_text(head: bytes) -> Sort:
    start = head.lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    if b"<svg" in start:
        return SVG
    if start.startswith((b"<!doctype html", b"<html", b"<head", b"<body", b"<script")):
        return HTML
    return TEXT if _reads_as_text(head) else UNKNOWN


def _reads_as_text(head: bytes) -> bool:
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        return True
    if any(byte < 32 and byte not in b"\t\r\n\f" for byte in head):
        return False
    try:
        # The head may end in the middle of a character. An incremental decoder waits for the rest of it.
        codecs.getincrementaldecoder("utf-8")().decode(head)
    except UnicodeDecodeError:
        return False
    return True
