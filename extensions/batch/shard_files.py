"""The folder of a run in shards: Parquet files of questions and of replies, media, and a description of the run.

``docs/formats.md`` describes the folder. Files of questions and replies never change: they get their name when they are
complete. Nothing in this module reads the database, so a program on another machine needs only the folder.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from domain.errors import ConflictError, InvalidFileError, NotAvailableError, NotFoundError
from domain.installation import install_hint
from domain.runs import Picture
from inference.endpoint.answerer import data_uri
from inference.endpoint.asking import CannotRequest

if TYPE_CHECKING:
    import pyarrow as pa

MEDIA = "media://"
"""The beginning of the URL of a picture in a question. The SHA-256 of the picture follows."""
VERSION = 1
MANIFEST, OPEN = "run.json", "open.parquet"
_FOLDERS = ("questions", "replies", "media")


@dataclass(frozen=True)
class ShardQuestion:
    """A row of a file of questions."""

    id: str
    run: str
    unit: int
    messages: str
    """JSON: the messages of a chat completion. A picture's URL is ``media://SHA256``."""
    sampling: str
    """JSON: the other fields of the request, such as ``temperature``."""
    prompt_hash: str
    output: str = "text"
    """The requested output. ``text`` is the only one."""


@dataclass(frozen=True)
class ShardReply:
    """A row of a file of replies: one try to answer a question."""

    id: str
    try_: int
    """1, 2, ... The row of a question with the highest number in a file is the final one."""
    status: int | None
    """The HTTP status; None if no reply came."""
    raw: str | None = None
    """The body of the reply: a chat completion, or the server's error."""
    error: str | None = None
    """Why no reply came, as a sentence."""
    prompt_hash: str | None = None
    tokens_in: int | None = None
    tokens_out: int | None = None
    seconds: float | None = None
    logprobs: str | None = None
    """JSON: the log-probabilities of the options. Reserved: no run requests them."""
    request_id: str | None = None
    engine: str | None = None
    version: str | None = None
    revision: str | None = None


def arrow() -> Any:
    """Return the package pyarrow. Raises ``NotAvailableError`` if it is not installed."""
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError as error:
        raise NotAvailableError(f"Shards need the package pyarrow. {install_hint('parquet')}") from error
    return pyarrow


def _fields(kind: str) -> pa.Schema:
    """Return the columns of a file: name and type, and whether a value must be there."""
    pa = arrow()
    text, whole = pa.string(), pa.int64()
    if kind == "questions":
        rest = [(name, text) for name in ("messages", "sampling", "prompt_hash", "output")]
        columns = [("id", text), ("run", text), ("unit", whole), *rest]
    else:
        columns = [("id", text), ("try", whole), ("status", whole), ("raw", text), ("error", text)]
        columns += [("prompt_hash", text), ("tokens_in", whole), ("tokens_out", whole), ("seconds", pa.float64())]
        columns += [(name, text) for name in ("logprobs", "request_id", "engine", "version", "revision")]
    return pa.schema(columns)


_NEEDED = frozenset({"id", "try", "status", "raw"})
"""The columns that every file of replies has."""


# ---- the folder -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class ShardFolder:
    """A folder with the questions and the replies of one run."""

    path: Path
    described: Mapping[str, Any] = field(default_factory=dict)
    """The content of ``run.json``."""

    @classmethod
    def create(cls, path: Path, described: Mapping[str, Any]) -> ShardFolder:
        """Make the folder of a run, or open it.

        Raises
        ------
        ConflictError
            The folder belongs to another run, or holds other files.
        """
        arrow()
        if path.is_dir() and any(path.iterdir()):
            folder = cls.open(path)
            if folder.described.get("run") != described["run"]:
                raise ConflictError(
                    f"{path} has the shards of the run {folder.described.get('run')}. Choose another folder."
                )
            return folder
        for name in _FOLDERS:
            (path / name).mkdir(parents=True, exist_ok=True)
        value = {"format": "touchstone-shards", "version": VERSION, **described}
        whole(path / MANIFEST, lambda part: part.write_text(json.dumps(value, indent=1), encoding="utf-8"))
        return cls(path, value)

    @classmethod
    def open(cls, path: Path) -> ShardFolder:
        """Open the folder of a run. Raises ``NotFoundError`` if it is not one."""
        try:
            value = json.loads((path / MANIFEST).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            value = None
        if not isinstance(value, dict) or value.get("format") != "touchstone-shards":
            raise NotFoundError(f"{path} is not a folder of shards: it has no valid {MANIFEST}. Check the path.")
        if value.get("version") != VERSION:
            raise NotAvailableError(
                f"{path} has shards of version {value.get('version')}. This Touchstone reads version {VERSION}."
            )
        return cls(path, value)

    def part(self, number: int) -> Path:
        """Return the path of a file of questions."""
        return self.path / "questions" / f"part-{number:05d}.parquet"

    def files(self, kind: str) -> list[Path]:
        """Return the complete files of ``questions`` or ``replies``, by name."""
        return sorted((self.path / kind).glob("part-*.parquet"))

    def add_picture(self, picture: Picture) -> str:
        """Put a picture into the folder, once. Return its URL in a question."""
        there = self.path / "media" / picture.sha256
        if not there.exists():
            try:
                whole(there, lambda part: _linked(picture.path, part))
            except OSError as error:
                raise CannotRequest(
                    f"Touchstone cannot copy a picture of the item: {error.strerror}. Import the file again."
                ) from error
        return MEDIA + picture.sha256

    def with_pictures(self, messages: str, url_of: Callable[[Picture], str] = data_uri) -> list[dict[str, Any]]:
        """Return a question's messages with pictures in place of ``media://``; by default, as data URIs.

        Raises
        ------
        CannotRequest
            A picture is missing or has changed.
        """
        turns: list[dict[str, Any]] = json.loads(messages)
        for turn in turns:
            content = turn.get("content")
            for part in content if isinstance(content, list) else ():
                url = part.get("image_url", {}).get("url", "")
                if url.startswith(MEDIA):
                    sha = url.removeprefix(MEDIA)
                    part["image_url"]["url"] = url_of(Picture(self.path / "media" / sha, sha))
        return turns

    # ---- questions ----

    def write_questions(self, to: Path, questions: Sequence[ShardQuestion]) -> None:
        """Write a file of questions, whole or not at all."""
        pa = arrow()
        table = pa.Table.from_pylist([vars(question) for question in questions], schema=_fields("questions"))
        whole(to, lambda part: pa.parquet.write_table(table, part, compression="zstd"))

    def questions(self, numbers: Sequence[int] | None = None) -> Iterator[list[ShardQuestion]]:
        """Yield the open questions of each file: those whose ids are in ``open.parquet``, or all without that file."""
        pa = arrow()
        ids = self.open_ids()
        paths = self.files("questions") if numbers is None else [self.part(number) for number in numbers]
        for path in paths:
            if not path.is_file():
                raise NotFoundError(f"{path} does not exist. Check the number of the shard.")
            rows = pa.parquet.read_table(path, schema=_fields("questions")).to_pylist()
            if wanted := [ShardQuestion(**row) for row in rows if ids is None or row["id"] in ids]:
                yield wanted

    def write_open(self, ids: Sequence[str]) -> None:
        """Write the ids of the questions that have no stored reply."""
        pa = arrow()
        table = pa.table({"id": pa.array(ids, pa.string())})
        whole(self.path / OPEN, lambda part: pa.parquet.write_table(table, part))

    def open_ids(self) -> set[str] | None:
        """Return the ids of the questions without a stored reply; None if the folder does not say."""
        path = self.path / OPEN
        return set(arrow().parquet.read_table(path)["id"].to_pylist()) if path.is_file() else None

    # ---- replies ----

    def reply_path(self, ids: Sequence[str]) -> Path:
        """Return the path of the file with the replies to these questions."""
        name = hashlib.sha256("\n".join(ids).encode()).hexdigest()[:32]
        return self.path / "replies" / f"part-{name}.parquet"

    def has_replies(self, ids: Sequence[str]) -> bool:
        """Return whether a readable file with the replies to exactly these questions is there."""
        path = self.reply_path(ids)
        try:
            return path.is_file() and arrow().parquet.read_metadata(path) is not None
        except (OSError, arrow().ArrowException):
            return False

    def write_replies(self, ids: Sequence[str], replies: Sequence[ShardReply]) -> None:
        """Write the replies to these questions as one file, whole or not at all."""
        pa = arrow()
        rows = [{name.rstrip("_"): value for name, value in vars(reply).items()} for reply in replies]
        table = pa.Table.from_pylist(rows, schema=_fields("replies"))
        whole(self.reply_path(ids), lambda part: pa.parquet.write_table(table, part, compression="zstd"))


def read_replies(path: Path) -> list[dict[str, Any]]:
    """Return the rows of a file of replies, with None for each missing column. Other columns are ignored.

    Raises
    ------
    InvalidFileError
        The file is incomplete or not Parquet, or lacks a column, or a column has another type.
    """
    pa = arrow()
    try:
        table = pa.parquet.ParquetFile(path).read()
    except (OSError, pa.ArrowException):
        raise InvalidFileError("The file is incomplete, or is not a Parquet file.") from None
    if missing := sorted(_NEEDED - set(table.column_names)):
        raise InvalidFileError(f"The file has no column {', '.join(f'`{name}`' for name in missing)}.")
    columns = []
    for wanted in _fields("replies"):
        if wanted.name not in table.column_names:
            columns.append(pa.nulls(table.num_rows, wanted.type))
            continue
        try:
            columns.append(table[wanted.name].cast(wanted.type))
        except pa.ArrowException:
            raise InvalidFileError(f"The column `{wanted.name}` is not of the type {wanted.type}.") from None
    try:
        rows: list[dict[str, Any]] = pa.Table.from_arrays(columns, schema=_fields("replies")).to_pylist()
    except UnicodeDecodeError:
        raise InvalidFileError("A text in the file is not UTF-8.") from None
    return rows


def whole(path: Path, write: Callable[[Path], Any]) -> None:
    """Write a file so that its name appears only when the file is complete."""
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        write(part)
        with part.open("rb") as file:
            os.fsync(file.fileno())
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def _linked(source: Path, to: Path) -> None:
    to.unlink(missing_ok=True)
    try:
        os.link(source, to)
    except OSError:  # another disk
        to.write_bytes(source.read_bytes())
