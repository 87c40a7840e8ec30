"""Remove the metadata of originals: author, place, camera, comments, title and program.

Nothing is decoded and encoded again. The bytes of the picture stay the same, so pixels and frames are equal. All parts
that are not needed for display are removed: EXIF, XMP, IPTC, comments, texts, the names in a color profile, unknown
parts, and data after the file's end. The orientation is written as EXIF, whatever its source: ``media.facts`` decides
it once, and this module does not read it.
"""

from __future__ import annotations

import mmap
import struct
import zlib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from media.orientation import TAG, UPRIGHT


class NotUnderstood(Exception):
    """The structure of the file does not follow its format, so nothing can be removed safely."""


def image(content: bytes, mime: str, turned: int) -> bytes:
    """Return an image without metadata.

    Raise ``NotUnderstood`` for an unsupported type, or for a file that does not follow its format. ``turned`` is the
    known orientation.
    """
    if mime not in _IMAGES:
        raise NotUnderstood(mime)
    try:
        return b"".join(_IMAGES[mime](content, turned))
    except (struct.error, IndexError, ValueError, zlib.error) as error:
        raise NotUnderstood(str(error)) from error


# ---- JPEG -----------------------------------------------------------------------------------------------------------

_NO_LENGTH = {0x01, *range(0xD0, 0xD8)}
_OF_JPEG = {0xC4, 0xCC, 0xDB, 0xDC, 0xDD, 0xDE, 0xDF} | set(range(0xC0, 0xD0)) - {0xC8}
"""Tables and frame headers. Of the parts that applications add, only those for colors are kept."""


def _jpeg(content: bytes, turned: int) -> Iterator[bytes]:
    if content[:2] != b"\xff\xd8":
        raise NotUnderstood("the file does not start like a JPEG file")
    yield content[:2]
    at, profile = 2, []
    kept: list[bytes] = []
    while True:
        marker, at = _marker(content, at)
        if marker == 0xD9:
            break
        if marker in _NO_LENGTH:
            kept.append(bytes((0xFF, marker)))
            continue
        end = at + struct.unpack_from(">H", content, at)[0]
        part = content[at + 2 : end]
        if end < at + 2 or end > len(content):
            raise NotUnderstood("a segment has no end")
        if marker == 0xE2 and part.startswith(b"ICC_PROFILE\0"):
            profile.append(part[14:])
        elif marker == 0xE0 and part.startswith(b"JFIF\0"):
            kept.append(_segment(marker, part[:12] + b"\0\0"))  # without its optional thumbnail
        elif marker in _OF_JPEG or marker == 0xDA or (marker == 0xEE and part.startswith(b"Adobe")):
            kept.append(_segment(marker, part[:12] if marker == 0xEE else part))
        at = end
        if marker == 0xDA:
            end = _scan_end(content, at)
            kept.append(content[at:end])
            at = end
    first = [segment for segment in kept if segment[1] == 0xE0][:1]  # JFIF must come first
    yield from first
    if turned != UPRIGHT:
        yield _segment(0xE1, b"Exif\0\0" + _turned(turned))
    bare = colours(b"".join(profile)) if profile else b""
    pieces = [bare[start : start + 65_519] for start in range(0, len(bare), 65_519)]
    for number, piece in enumerate(pieces, start=1):
        yield _segment(0xE2, b"ICC_PROFILE\0" + bytes((number, len(pieces))) + piece)
    yield from (segment for segment in kept if segment not in first)
    yield b"\xff\xd9"


def _marker(content: bytes, at: int) -> tuple[int, int]:
    if content[at] != 0xFF:
        raise NotUnderstood("there are bytes between two segments")
    while content[at] == 0xFF:
        at += 1
    return content[at], at + 1


def _scan_end(content: bytes, at: int) -> int:
    """Return where the compressed pixels from ``at`` end: at the next marker that does not belong to them."""
    while True:
        at = content.find(b"\xff", at)
        if at < 0 or at + 1 >= len(content):
            raise NotUnderstood("the image data has no end")
        if content[at + 1] == 0 or content[at + 1] in _NO_LENGTH:
            at += 2
        elif content[at + 1] == 0xFF:
            at += 1
        else:
            return at


def _segment(marker: int, part: bytes) -> bytes:
    return b"\xff" + bytes((marker,)) + struct.pack(">H", len(part) + 2) + part


# ---- PNG ------------------------------------------------------------------------------------------------------------

_OF_PNG = frozenset(b"IHDR PLTE IDAT IEND tRNS gAMA cHRM sRGB sBIT cICP mDCV cLLI pHYs acTL fcTL fdAT".split())


def _png(content: bytes, turned: int) -> Iterator[bytes]:
    if content[:8] != b"\x89PNG\r\n\x1a\n":
        raise NotUnderstood("the file does not start like a PNG file")
    yield content[:8]
    at, kind = 8, b""
    while kind != b"IEND":
        length, kind = struct.unpack_from(">I4s", content, at)
        end = at + 12 + length
        if end > len(content):
            raise NotUnderstood("a chunk has no end")
        part = content[at + 8 : at + 8 + length]
        if kind in (b"eXIf", b"IDAT") and turned != UPRIGHT:
            yield _chunk(b"eXIf", _turned(turned))
            turned = UPRIGHT
        if kind in _OF_PNG:
            yield content[at:end]
        elif kind == b"iCCP":
            _, _, packed = part.partition(b"\0")
            yield _chunk(
                kind, b"profile\0\0" + zlib.compress(colours(zlib.decompressobj().decompress(packed[1:], _MOST)))
            )
        at = end


def _chunk(kind: bytes, part: bytes) -> bytes:
    return struct.pack(">I", len(part)) + kind + part + struct.pack(">I", zlib.crc32(kind + part))


# ---- WebP -----------------------------------------------------------------------------------------------------------

_OF_WEBP = frozenset((b"VP8 ", b"VP8L", b"ALPH", b"ANIM"))
_HAS_EXIF, _HAS_XMP = 0x08, 0x04


def _webp(content: bytes, turned: int) -> Iterator[bytes]:
    if content[:4] != b"RIFF" or content[8:12] != b"WEBP":
        raise NotUnderstood("the file does not start like a WebP file")
    size = struct.unpack_from("<I", content, 4)[0]
    parts = list(_riff(content[12 : 8 + size]))
    kept = []
    for kind, part in parts:
        if kind == b"VP8X":
            flags = part[0] & ~_HAS_XMP & ~_HAS_EXIF | (_HAS_EXIF if turned != UPRIGHT else 0)
            kept.append((kind, bytes((flags,)) + part[1:]))
        elif kind == b"ICCP":
            kept.append((kind, colours(part)))
        elif kind == b"ANMF":
            inner = b"".join(_riff_chunk(*chunk) for chunk in _riff(part[16:]) if chunk[0] in _OF_WEBP)
            kept.append((kind, part[:16] + inner))
        elif kind in _OF_WEBP:
            kept.append((kind, part))
    if turned != UPRIGHT:
        if not any(kind == b"VP8X" for kind, _ in kept):
            raise NotUnderstood("the format of the file cannot store an orientation")
        kept.append((b"EXIF", _turned(turned)))
    body = b"WEBP" + b"".join(_riff_chunk(*chunk) for chunk in kept)
    yield b"RIFF" + struct.pack("<I", len(body)) + body


def _riff(content: bytes) -> Iterator[tuple[bytes, bytes]]:
    at = 0
    while at + 8 <= len(content):
        kind, length = struct.unpack_from("<4sI", content, at)
        if at + 8 + length > len(content):
            raise NotUnderstood("a chunk has no end")
        yield kind, content[at + 8 : at + 8 + length]
        at += 8 + length + length % 2


def _riff_chunk(kind: bytes, part: bytes) -> bytes:
    return kind + struct.pack("<I", len(part)) + part + b"\0" * (len(part) % 2)


# ---- GIF ------------------------------------------------------------------------------------------------------------

_REPEATS = (b"NETSCAPE2.0", b"ANIMEXTS1.0")


def _gif(content: bytes, turned: int) -> Iterator[bytes]:
    if content[:3] != b"GIF":
        raise NotUnderstood("the file does not start like a GIF file")
    if turned != UPRIGHT:
        raise NotUnderstood("the format of the file cannot store an orientation")
    at = 13 + _table(content[10])
    yield content[:at]
    while content[at] != 0x3B:
        start = at
        if content[at] == 0x21:
            at = _blocks_end(content, at + 2)
            name = content[start + 3 : start + 14]
            if content[start + 1] == 0xF9 or (content[start + 1] == 0xFF and name in _REPEATS):
                yield content[start:at]
        elif content[at] == 0x2C:
            at = _blocks_end(content, at + 11 + _table(content[at + 9]))
            yield content[start:at]
        else:
            raise NotUnderstood("an unknown block")
    yield b"\x3b"


def _table(flags: int) -> int:
    return 3 << (flags & 7) + 1 if flags & 0x80 else 0


def _blocks_end(content: bytes, at: int) -> int:
    while content[at]:
        at += content[at] + 1
    return at + 1


_IMAGES: Mapping[str, Callable[[bytes, int], Iterator[bytes]]] = {
    "image/jpeg": _jpeg,
    "image/png": _png,
    "image/webp": _webp,
    "image/gif": _gif,
}


# ---- shared parts ---------------------------------------------------------------------------------------------------


def _turned(orientation: int) -> bytes:
    """Return EXIF data with the orientation of the camera, and nothing else."""
    return b"MM\0*\0\0\0\x08\0\x01" + struct.pack(">HHIHH", TAG, 3, 1, orientation, 0) + b"\0\0\0\0"


_MOST = 16 * 1024 * 1024
"""Largest color profile in bytes. Larger ones are attacks."""
_NAMES_IN_A_PROFILE = frozenset(b"desc cprt dmnd dmdd mmod meta vued targ calt pseq psid clro".split())


def colours(profile: bytes) -> bytes:
    """Return a color profile with only the data for showing colors. Texts, date and maker are zeros."""
    n_tags = struct.unpack_from(">I", profile, 128)[0]
    tags = [struct.unpack_from(">4sII", profile, 132 + 12 * number) for number in range(min(n_tags, 200))]
    used = [(start, start + size) for name, start, size in tags if name not in _NAMES_IN_A_PROFILE]
    bare = bytearray(profile)
    for name, start, size in tags:
        shared = any(start < end and begin < start + size for begin, end in used)
        if name in _NAMES_IN_A_PROFILE and not shared and start >= 132 + 12 * len(tags):
            bare[start : start + size] = bytes(len(bare[start : start + size]))
    for start, end in ((4, 8), (24, 36), (40, 44), (48, 64), (80, 100)):  # program, date, platform, device, maker, id
        bare[start:end] = bytes(end - start)
    return bytes(bare)


# ---- WebM -----------------------------------------------------------------------------------------------------------

_SEGMENT, _CLUSTER, _INFO, _TRACKS, _TRACK = 0x18538067, 0x1F43B675, 0x1549A966, 0x1654AE6B, 0xAE
_EBML, _VOID, _CRC = 0x1A45DFA3, 0xEC, 0xBF
_EMPTIED = {0x1254C367, 0x1941A469, 0x1043A770}
"""Tags, attachments, chapters. They keep their place, but their content is emptied."""
_OF_INFO = {0x2AD7B1, 0x4489}
"""The kept facts about the whole file: the unit of time, and the duration."""
_PROGRAMS = {0x4D80, 0x5741}
"""The programs that wrote the file. A player may need these elements, so only their content is emptied."""
_NOT_OF_TRACK = {0x536E, 0x258688, 0x7446, 0x3A9697, 0x3B4040, 0x26B240}
"""A track's own name, and the names of the codec's maker."""
_LEVEL_1 = {_CLUSTER, _INFO, _TRACKS, 0x114D9B74, 0x1C53BB6B} | _EMPTIED
_UNKNOWN = -1


def clip(source: Path, target: Path) -> None:
    """Write a WebM clip without metadata to ``target``. Everything keeps its position, so that an index still fits.

    Raise ``NotUnderstood`` if the file does not follow WebM. ``target`` may then be incomplete.
    """
    with source.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
        patches, end = _understood(content)
        with target.open("wb") as out:
            for start in range(0, end, 1 << 20):
                out.write(content[start : min(start + (1 << 20), end)])
            for at, patch in patches:
                out.seek(at)
                out.write(patch)


def looked_at(source: Path) -> None:
    """Raise ``NotUnderstood`` for a file that ``clip`` could not process."""
    with source.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
        _understood(content)


def _understood(content: mmap.mmap) -> tuple[list[tuple[int, bytes]], int]:
    try:
        return _patches(content)
    except (IndexError, ValueError, struct.error) as error:
        raise NotUnderstood(str(error)) from error


def _patches(content: mmap.mmap) -> tuple[list[tuple[int, bytes]], int]:
    """Return the patches (position and bytes), and the end of the file."""
    name, at, size = _element(content, 0)
    if name != _EBML or size == _UNKNOWN:
        raise NotUnderstood("the file does not start like a WebM file")
    name, start, size = _element(content, at + size)
    if name != _SEGMENT:
        raise NotUnderstood("the file has no segment")
    end = len(content) if size == _UNKNOWN else min(start + size, len(content))
    patches: list[tuple[int, bytes]] = []
    at = start
    while at < end:
        begin = at
        name, at, size = _element(content, begin)
        if size == _UNKNOWN:
            at = _cluster_end(content, at, end) if name == _CLUSTER else end
            if name != _CLUSTER:
                raise NotUnderstood("an element has no end")
            continue
        stop = at + size
        if stop > end:
            if name != _CLUSTER:
                raise NotUnderstood("an element has no end")
            stop = end
        if name in _EMPTIED and size:
            patches.append((at, _void(size)))
        elif name == _INFO:
            for child, child_at, value_at, child_end in _children(content, at, stop):
                if child in _PROGRAMS:
                    patches.append((value_at, bytes(child_end - value_at)))
                elif child not in _OF_INFO:
                    patches.append((child_at, _void(child_end - child_at)))
        elif name == _TRACKS:
            for child, child_at, value_at, child_end in _children(content, at, stop):
                if child == _TRACK:
                    patches += [
                        (part_at, _void(part_end - part_at))
                        for part, part_at, _, part_end in _children(content, value_at, child_end)
                        if part in _NOT_OF_TRACK or part in (_VOID, _CRC)
                    ]
                elif child in (_VOID, _CRC):
                    patches.append((child_at, _void(child_end - child_at)))
        elif name not in _LEVEL_1:
            patches.append((begin, _void(stop - begin)))
        at = stop
    return patches, end


def _children(content: mmap.mmap, at: int, end: int) -> Iterator[tuple[int, int, int, int]]:
    """Yield the name, start, start of the value, and end of each element inside of another."""
    while at < end:
        name, value, size = _element(content, at)
        if size == _UNKNOWN or value + size > end:
            raise NotUnderstood("an element has no end")
        yield name, at, value, value + size
        at = value + size


def _cluster_end(content: mmap.mmap, at: int, end: int) -> int:
    """Return the end of a cluster of unknown length: the start of the next element of the clusters' level."""
    while at < end:
        name, value, size = _element(content, at)
        if name in _LEVEL_1:
            return at
        if size == _UNKNOWN:
            raise NotUnderstood("an element has no end")
        at = value + size
    return end


def _element(content: mmap.mmap, at: int) -> tuple[int, int, int]:
    """Return the name of the element at ``at``, the start of its value, and the value's length."""
    length = _length(content[at], 4)
    name = int.from_bytes(content[at : at + length], "big")
    at += length
    length = _length(content[at], 8)
    size = int.from_bytes(content[at : at + length], "big") & (1 << 7 * length) - 1
    return name, at + length, _UNKNOWN if size == (1 << 7 * length) - 1 else size


def _length(first: int, most: int) -> int:
    length = 9 - first.bit_length()
    if length > most:
        raise NotUnderstood("an invalid number")
    return length


def _void(size: int) -> bytes:
    """Return an empty element of exactly this size in bytes, name and length included."""
    if size == 1:
        return b"\0"
    for width in range(1, 9):
        value = size - 1 - width
        if 0 <= value < (1 << 7 * width) - 1:
            return bytes((_VOID,)) + ((1 << 7 * width) | value).to_bytes(width, "big") + bytes(value)
    raise NotUnderstood("an invalid length")
