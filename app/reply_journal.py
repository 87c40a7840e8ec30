"""What a model was asked, and all that it replied: a line for each request, on disk before anything follows from it.
What is there is not asked again."""

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
from domain.errors import Conflict, FileRefused
from domain.runs import Outcome

Line = Mapping[str, Any]


class JournalKind(NamedTuple):
    """The command that writes a journal, and what its replies are about."""

    of: str
    """The command."""
    about: str
    """In a word, such as ``goals``."""

    @property
    def head(self) -> Line:
        """The first line of such a file."""
        return {"record": "head", "of": self.of, "version": 1}


_NEEDED = ("key", "outcome", "text", "characters", "error", "final", "tokens_in", "tokens_out", "cost")
_OUTCOMES = frozenset(each.value for each in Outcome)


@dataclass
class Journal:
    """The lines of one file, and a way to add to them."""

    lines: list[Line] = field(default_factory=list)
    broken: int = 0
    """Lines that cannot be read, such as the last one of a command that was killed."""
    _file: BinaryIO | None = None

    @property
    def replies(self) -> list[Line]:
        """Those of requests."""
        return [line for line in self.lines if line.get("record") == "reply"]

    def add(self, line: Line) -> None:
        """One more line; it is on the disk when this returns."""
        assert self._file is not None
        self._file.write(_line(line))
        self._file.flush()
        os.fsync(self._file.fileno())
        self.lines.append(line)


def _line(line: Line) -> bytes:
    return (json.dumps(line, ensure_ascii=False) + "\n").encode()


def read(path: Path, kind: JournalKind) -> Journal:
    """What a file has, for a look; nothing, where there is none."""
    return _parsed(path, path.read_bytes(), kind) if path.exists() else Journal()


@contextmanager
def opened(path: Path, kind: JournalKind) -> Iterator[Journal]:
    """The file, for this command alone.

    Raises
    ------
    Conflict
        Another command writes into it.
    FileRefused
        It is something else, or cannot be written.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        file = path.open("a+b")
    except OSError as error:
        raise FileRefused(f"{path} cannot be written: {error.strerror}.") from error
    with file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise Conflict(
                f"Another command writes {path.name} just now. Wait for it, or name another --out."
            ) from error
        file.seek(0)
        data = file.read()
        if data and _line(kind.head).startswith(data):  # killed in its first line
            file.truncate(0)
            data = b""
        found = _parsed(path, data, kind)
        found._file = file
        if not data:
            found.add(kind.head)
        elif not data.endswith(b"\n"):
            file.write(b"\n")
        yield found


def _parsed(path: Path, data: bytes, kind: JournalKind) -> Journal:
    found = Journal()
    for number, line in enumerate(filter(None, data.split(b"\n"))):
        try:
            value = json_text.loaded(line.decode())
        except (json_text.NotJson, UnicodeDecodeError):
            value = None
        if number == 0 and value != kind.head:
            raise FileRefused(f"{path} is there already and holds no replies about {kind.about}; name another --out.")
        if isinstance(value, dict) and (value.get("record") != "reply" or _whole(value)):
            found.lines.append(value)
        else:
            found.broken += 1
    return found


def _whole(reply: Line) -> bool:
    return all(name in reply for name in _NEEDED) and reply["outcome"] in _OUTCOMES
