"""Archives of Inspect's logs (``.eval``): zip files of JSON files, which are read in memory and never unpacked.

The parts are compressed by deflate, or in newer versions by Zstandard, which ``zipfile`` supports only from Python 3.14
on. Here the raw bytes are extracted and decompressed by pyarrow, which Streamlit installs.
"""

from __future__ import annotations

import re
import struct
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from typing import IO, Any

from domain import json_text
from domain.errors import InvalidFileError
from domain.json_text import NotJson
from importers.answer_files import AnswerFile

_HEAD, _START = "header.json", "_journal/start.json"
_SAMPLE = re.compile(r"samples/.*_epoch_\d+(/sample)?\.json", re.DOTALL)
"""A sample in one piece, or (of a large one) its main part."""
LARGEST_PART = 256 * 1024 * 1024
"""Bytes that one part may unpack to; images of a sample are in it."""
LARGEST_OF_ALL = 16 * 1024 * 1024 * 1024
_CHUNK = 1 << 20
_ZSTANDARD = 93
_LOCAL = struct.Struct("<4s22xHH")
_BROKEN = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, struct.error, OSError, ValueError)
"""The errors of zipfile, zlib and pyarrow for damaged parts."""


def is_archive(file: AnswerFile) -> bool:
    """Return whether a zip file is a log of Inspect. If its table of contents is lost, its name decides."""
    try:
        with zipfile.ZipFile(file.path) as packed:
            names = set(packed.namelist())
    except _BROKEN:
        return file.path.suffix.lower() == ".eval"
    return bool(names & {_HEAD, _START}) or file.path.suffix.lower() == ".eval"


class InspectArchive:
    """An archive whose parts are read one by one.

    Raises
    ------
    InvalidFileError
        It is no log, not whole, locked, damaged, or unpacks to more than logs do.
    """

    def __init__(self, file: AnswerFile) -> None:
        self._file, self._left = file, LARGEST_OF_ALL
        try:
            with zipfile.ZipFile(file.path) as packed:
                self._parts = {info.filename: info for info in packed.infolist()}  # of two of one name the later
        except _BROKEN as error:
            raise InvalidFileError(
                f"{file.place} is incomplete: the table of contents at the end of an .eval log is missing. Nothing "
                "was imported. Copy the file again after its run has ended."
            ) from error
        for name in self._parts:
            if name.startswith(("/", "\\")) or ".." in name.replace("\\", "/").split("/"):
                raise self._refused(f"contains an unexpected file {name[:100]!r}")

    def head(self) -> Mapping[str, Any]:
        """Return the log's facts about its run; for an unfinished run, those from its start."""
        name = next((part for part in (_HEAD, _START) if part in self._parts), None)
        if name is None:
            raise self._refused("is a ZIP file without header.json, so the file is not an Inspect log")
        with self._file.path.open("rb") as stream, zipfile.ZipFile(stream) as packed:
            head = self._json(stream, packed, name)
        if not isinstance(head, Mapping):
            raise self._refused(f"cannot be read: {name} is damaged ({head})")
        return head

    def samples(self) -> Iterator[tuple[str, Any]]:
        """Yield every sample's name with the sample, or with ``NotJson`` for an invalid one."""
        with self._file.path.open("rb") as stream, zipfile.ZipFile(stream) as packed:
            for name in self._parts:
                if _SAMPLE.fullmatch(name):
                    yield name, self._json(stream, packed, name)

    def _json(self, stream: IO[bytes], packed: zipfile.ZipFile, name: str) -> Any:
        try:
            data = self._bytes(stream, packed, self._parts[name])
        except _BROKEN as error:
            reason = str(error) or type(error).__name__
            raise self._refused(f"is damaged at {name[:100]} ({reason[:200]})") from error
        try:
            return json_text.loaded(data.decode("utf-8"))
        except UnicodeDecodeError:
            return NotJson(0, "the text is not UTF-8")
        except NotJson as error:
            return error

    def _bytes(self, stream: IO[bytes], packed: zipfile.ZipFile, info: zipfile.ZipInfo) -> bytes:
        if info.flag_bits & 1:
            raise self._refused("is protected by a password")
        if info.compress_type != _ZSTANDARD:
            with packed.open(info) as part:
                return self._whole(part, info)
        stream.seek(info.header_offset)
        magic, name, extra = _LOCAL.unpack(stream.read(_LOCAL.size))
        if magic != b"PK\x03\x04" or info.compress_size > LARGEST_PART:
            raise zipfile.BadZipFile("a file is not at its stated position")
        stream.seek(name + extra, 1)
        raw = stream.read(info.compress_size)
        try:
            import pyarrow
        except ModuleNotFoundError as error:
            raise self._refused(
                "is compressed with Zstandard, which needs the package pyarrow. Install pyarrow, or convert the log "
                "to .json with `inspect log convert`"
            ) from error
        with pyarrow.CompressedInputStream(pyarrow.BufferReader(raw), "zstd") as part:
            data = self._whole(part, info)
        if zlib.crc32(data) != info.CRC:
            raise zipfile.BadZipFile("a checksum is wrong")
        return data

    def _whole(self, part: Any, info: zipfile.ZipInfo) -> bytes:
        """Return the unpacked part. Its size is counted while reading, because an archive's own sizes cannot be
        trusted.
        """
        pieces: list[bytes] = []
        left = min(LARGEST_PART, self._left)
        while piece := part.read(_CHUNK):
            left -= len(piece)
            self._left -= len(piece)
            if left < 0:
                raise self._refused(f"is too large when unpacked (at {info.filename[:100]})")
            pieces.append(piece)
        return b"".join(pieces)

    def _refused(self, why: str) -> InvalidFileError:
        return InvalidFileError(
            f"{self._file.place} {why}. Nothing was imported. Copy the file again, or remove the file."
        )
