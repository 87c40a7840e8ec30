"""A journal of a model's replies: one line per request, on disk before the reply is used.

A question whose reply is in the journal is not asked again.
"""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from domain import json_text
from domain.errors import ConflictError, InvalidFileError
from domain.runs import Outcome

Line = Mapping[str, Any]


class JournalKind(NamedTuple):
    """The command that begins jobs with such a journal, and the subject of its replies."""

    of: str
    """The command."""
    about: str
    """The subject in a word, such as ``goals``."""

    @property
    def head(self) -> Line:
        """Return the first line of the journal."""
        return {"record": "head", "of": self.of, "version": 1}


_NEEDED = ("key", "outcome", "text", "characters", "error", "final", "tokens_in", "tokens_out", "cost")
_OUTCOMES = frozenset(outcome.value for outcome in Outcome)


@dataclass
class Journal:
    """The lines of one file, to which lines can be added."""

    lines: list[Line] = field(default_factory=list)
    broken: int = 0
    """Number of unreadable lines, such as the last line of a killed process."""
    _file: BinaryIO | None = None

    @property
    def replies(self) -> list[Line]:
        """Return the lines of requests."""
        return [line for line in self.lines if line.get("record") == "reply"]

    def add(self, line: Line) -> None:
        """Add a line, and wait until it is on disk."""
        assert self._file is not None
        self._file.write(_line(line))
        self._file.flush()
        os.fsync(self._file.fileno())
        self.lines.append(line)


def _line(line: Line) -> bytes:
    return (json.dumps(line, ensure_ascii=False) + "\n").encode()


def read_journal(path: Path, kind: JournalKind) -> Journal:
    """Return the journal in a file for reading; an empty journal without a file."""
    return _parsed(path, path.read_bytes(), kind) if path.exists() else Journal()


@contextmanager
def opened(path: Path, kind: JournalKind) -> Iterator[Journal]:
    """Open the journal for this process alone.

    Raises
    ------
    ConflictError
        Another process writes into the file.
    InvalidFileError
        The file is not such a journal, or cannot be written.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        file = path.open("a+b")
    except OSError as error:
        raise InvalidFileError(
            f"Touchstone cannot write {path}: {error.strerror}. Check the path and the permissions."
        ) from error
    with file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise ConflictError(
                f"Another process is writing {path.name}. Wait until that process is done, or name another file."
            ) from error
        file.seek(0)
        data = file.read()
        if data and _line(kind.head).startswith(data):  # killed in its first line
            file.truncate(0)
            data = b""
        journal = _parsed(path, data, kind)
        journal._file = file
        if not data:
            journal.add(kind.head)
        elif not data.endswith(b"\n"):
            file.write(b"\n")
        yield journal


def _parsed(path: Path, data: bytes, kind: JournalKind) -> Journal:
    lines: list[Line] = []
    broken = 0
    for number, line in enumerate(filter(None, data.split(b"\n"))):
        try:
            value = json_text.loaded(line.decode())
        except (json_text.NotJson, UnicodeDecodeError):
            value = None
        if number == 0 and value != kind.head:
            raise InvalidFileError(
                f"{path} exists, but does not contain replies about {kind.about}. Name another file."
            )
        if isinstance(value, dict) and (value.get("record") != "reply" or _whole(value)):
            lines.append(value)
        else:
            broken += 1
    return Journal(lines, broken)


def _whole(reply: Line) -> bool:
    return all(name in reply for name in _NEEDED) and reply["outcome"] in _OUTCOMES
