"""What a file is, by its first bytes. Its name is only ever used in sentences."""

from __future__ import annotations

import codecs
from dataclasses import dataclass

HEAD_BYTES = 4096
"""How much of a file is looked at."""


@dataclass(frozen=True)
class Sort:
    """A sort of file: what people call it, and its MIME type where the store takes it."""

    called: str
    kind: str | None = None
    """"image" or "clip"; None for what is refused."""
    mime: str | None = None
    advice: str = ""
    """What to do about it, where it is refused."""


AS_PNG = "Save it as PNG, JPEG or WebP and add that."
AS_WEBM = "Only clips in WebM are stored; an import cuts them out of such a video by itself."

_SIGNATURES: tuple[tuple[int, bytes, Sort], ...] = (
    (0, b"\x89PNG\r\n\x1a\n", Sort("a PNG image", "image", "image/png")),
    (0, b"\xff\xd8\xff", Sort("a JPEG image", "image", "image/jpeg")),
    (8, b"WEBPVP8", Sort("a WebP image", "image", "image/webp")),
    (0, b"GIF87a", Sort("a GIF image", "image", "image/gif")),
    (0, b"GIF89a", Sort("a GIF image", "image", "image/gif")),
    (4, b"ftypavi", Sort("an AVIF image", "image", "image/avif")),
    (0, b"BM", Sort("a BMP image", "image", "image/bmp")),
    (0, b"II*\x00", Sort("a TIFF image", advice=AS_PNG)),
    (0, b"MM\x00*", Sort("a TIFF image", advice=AS_PNG)),
    (4, b"ftyphei", Sort("a HEIC image", advice=AS_PNG)),
    (4, b"ftypmif1", Sort("a HEIC image", advice=AS_PNG)),
    (4, b"ftyp", Sort("an MP4 video", advice=AS_WEBM)),
    (8, b"AVI ", Sort("an AVI video", advice=AS_WEBM)),
    (0, b"PK\x03\x04", Sort("a ZIP archive", advice="Unpack it and add the images that are in it.")),
    (0, b"\x1f\x8b", Sort("a gzip archive", advice="Unpack it and add the images that are in it.")),
    (0, b"%PDF", Sort("a PDF document", advice=AS_PNG)),
)

WEBM = Sort("a WebM clip", "clip", "video/webm")
MATROSKA = Sort("a Matroska video", advice=AS_WEBM)
HTML = Sort("a web page", advice="It may be the error page of a download that failed: fetch the image again.")
SVG = Sort("an SVG drawing", advice="A drawing can carry scripts; save it as PNG and add that.")
TEXT = Sort("a text", advice="Add the image itself.")
EMPTY = Sort("empty", advice="Copy or fetch it again.")
UNKNOWN = Sort("of a sort that is not known here", advice=AS_PNG)


def sniff(head: bytes) -> Sort:
    """The sort of the file that begins with ``head`` (its first ``HEAD_BYTES``).

    >>> sniff(b"GIF89a...").called
    'a GIF image'
    >>> sniff(b"<!DOCTYPE html><title>404</title>").called
    'a web page'
    """
    if not head:
        return EMPTY
    for offset, signature, sort in _SIGNATURES:
        if head.startswith(signature, offset):
            return sort
    if head.startswith(b"\x1aE\xdf\xa3"):
        return WEBM if b"webm" in head[:64] else MATROSKA
    return _markup_or_text(head)


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
        # The head may end in the middle of a character, which an incremental decoder waits for.
        codecs.getincrementaldecoder("utf-8")().decode(head)
    except UnicodeDecodeError:
        return False
    return True
