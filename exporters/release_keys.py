"""The private part of a release: a key file for each split whose key is not public, and canary strings.

A key file is JSON lines. The first line describes the file and gives the number of items, so that a truncated file is
detected. Each further line is an item: its question, its key, and every field that public files lack. A key file is
enough to score answers offline.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import uuid
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any

from annotation_schemas.expected_answers import asked_of
from annotation_schemas.formats.released import ReleasedItem, ReleasedSet, ReleaseFolder
from annotation_schemas.model import Schema
from domain import json_text
from domain.decimals import Tolerance
from domain.english import with_noun
from domain.errors import InvalidFileError
from domain.json_text import NotJson
from domain.reading.answers import AnswerKind, ExpectedAnswer

FOLDER = "keys"
MARK = "touchstone_keys"
_VERSION = 1
LARGEST = 2 << 30
"""The largest key file, in bytes, that is read."""


# ---- canaries -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Canary:
    """Strings that occur only in a release. A model that can complete one has seen the release."""

    public: str
    """The string in the README and with every item."""
    private: str
    """The string in the key files only."""

    @property
    def sentence(self) -> str:
        """The sentence for public files."""
        return f"These items are a test; please keep them out of training data. Canary: {self.public}"


def canary_of(secret: bytes, name: str, version: str) -> Canary:
    """Return the canaries of a release, derived by HMAC-SHA256 from a secret of the project.

    So they can be derived again, and nobody without the secret can guess them. A point release has its own canaries:
    those of 1 and 1.2 differ.

    >>> one, other = canary_of(b"s" * 32, "kitchen", "1"), canary_of(b"s" * 32, "kitchen", "2")
    >>> len({one.public, one.private, other.public, other.private})
    4
    """
    if len(secret) < 16:
        raise ValueError("a secret needs at least 16 bytes")

    def made(part: str) -> str:
        message = json.dumps(["touchstone canary", name, version, part]).encode()
        return str(uuid.UUID(bytes=hmac.digest(secret, message, hashlib.sha256)[:16], version=4))

    return Canary(made("public"), made("private"))


# ---- the content of a key file --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class KeyHead:
    """The description of a key file."""

    benchmark: str
    title: str
    release: str
    date: str
    split: str
    items: int
    withheld: tuple[str, ...]
    key: str | None
    """The field that answers are compared with."""
    unreadable: str
    """The treatment of unreadable answers: ``wrong`` or ``left_out``."""
    dimensions: Mapping[str, str]
    """The titles of the dimensions, by id, in order."""
    canary: str
    private_canary: str


@dataclass(frozen=True)
class KeyItem:
    """An item of a key file."""

    id: str
    dimension: str
    group: str | None
    asked: ExpectedAnswer
    key: Any
    fields: Mapping[str, Any] = field(default_factory=dict)
    """The withheld fields."""
    media: tuple[str, ...] = ()
    """SHA-256 of its images and clips."""


def write_keys(
    released: ReleasedSet,
    all_fields: Callable[[ReleasedItem], Mapping[str, Any]],
    folder: ReleaseFolder,
    canary: Canary,
) -> list[str]:
    """Write ``keys/<split>.jsonl`` for every split that withholds something. Return the paths.

    Parameters
    ----------
    all_fields
        A function that returns all fields of an item, including those that are not public.
    folder
        The private folder.
    """
    private = {split.name: split for split in released.splits if split.withheld}
    for split in private.values():
        head = KeyHead(
            released.name,
            released.title,
            released.version,
            released.date,
            split.name,
            split.items,
            tuple(split.withheld),
            released.key,
            released.schema.report.unreadable,
            {dimension.id: dimension.title for dimension in released.schema.dimensions},
            canary.public,
            canary.private,
        )
        items = (item for item in released.items() if item.split == split.name)
        with folder.open(f"{FOLDER}/{split.name}.jsonl") as file:
            n = 0
            for line in _lines(head, released.schema, released.key, items, all_fields):
                file.write(line)
                n += 1
        if n - 1 != split.items:
            raise InvalidFileError(
                f"The split {split.name} has {with_noun(n - 1, 'item')} instead of {split.items:,}, because the "
                "project changed. Create the release again."
            )
    return [f"{FOLDER}/{name}.jsonl" for name in private]


def _lines(
    head: KeyHead,
    schema: Schema,
    key: str | None,
    items: Iterator[ReleasedItem],
    all_fields: Callable[[ReleasedItem], Mapping[str, Any]],
) -> Iterator[bytes]:
    about = {name: getattr(head, name) for name in KeyHead.__dataclass_fields__}
    yield _line({MARK: _VERSION, **about})
    for item in items:
        fields = all_fields(item)
        yield _line(
            {
                "id": item.id,
                "dimension": item.dimension,
                "group": item.group,
                "asked": _asked_as_json(asked_of(schema, fields)),
                "key": fields.get(key) if key else None,
                "fields": {name: fields[name] for name in head.withheld if fields.get(name) is not None},
                "media": [asset.sha256 for asset in item.assets],
            }
        )


def _line(record: Mapping[str, Any]) -> bytes:
    return json.dumps(record, ensure_ascii=False, allow_nan=False, separators=(", ", ": ")).encode() + b"\n"


_FLAGS = ("several", "judged", "none", "drawn", "decimal")


def _asked_as_json(asked: ExpectedAnswer) -> dict[str, Any]:
    """Return the settings of a question that differ from the defaults."""
    form: dict[str, Any] = {"kind": asked.kind.value}
    if asked.options:
        form["options"] = list(asked.options)
    if asked.unit is not None:
        form["unit"] = asked.unit
    form |= {flag: True for flag in _FLAGS if getattr(asked, flag)}
    if asked.tolerance is not None:
        limits = {name: getattr(asked.tolerance, name) for name in ("absolute", "relative", "rounded")}
        form["tolerance"] = {name: str(limit) for name, limit in limits.items() if limit is not None}
    return form


def _asked(told: Mapping[str, Any]) -> ExpectedAnswer:
    limits = told.get("tolerance")
    return ExpectedAnswer(
        AnswerKind(told["kind"]),
        tuple(str(option) for option in told.get("options", ())),
        told.get("unit"),
        tolerance=None if limits is None else Tolerance(**{name: Fraction(limit) for name, limit in limits.items()}),
        **{flag: bool(told.get(flag)) for flag in _FLAGS},
    )


# ---- reading --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Keys:
    """A key file."""

    head: KeyHead
    items: Mapping[str, KeyItem]
    """The items by id, in order."""
    sha256: str


def read_keys(path: Path) -> Keys:
    """Read a key file that ``write_keys`` wrote.

    Raises
    ------
    InvalidFileError
        The file is not a key file, or it is incomplete or changed.
    """
    data = _bytes(path)
    try:
        lines = json_text.decode(data).split("\n")
        rows = [json_text.loaded(line) for line in lines if line.strip()]
    except NotJson as error:
        raise InvalidFileError(
            f"{path} is not a complete key file of a release: {error}. Copy the file again."
        ) from error
    first = rows[0] if rows else None
    if not isinstance(first, dict) or first.get(MARK) != _VERSION:
        raise InvalidFileError(
            f"{path} is not a key file for this version of Touchstone. Use keys/<split>.jsonl from the private "
            "folder of a release."
        )
    try:
        head = KeyHead(**{name: first[name] for name in KeyHead.__dataclass_fields__})
        items = [_item(row) for row in rows[1:]]
    except (KeyError, TypeError, ValueError, ZeroDivisionError, AttributeError) as error:
        raise InvalidFileError(f"{path} has changed since the release ({error!r}). Copy the file again.") from error
    by_id = {item.id: item for item in items}
    if len(items) != head.items or len(by_id) != len(items):
        raise InvalidFileError(
            f"{path} has {with_noun(len(by_id), 'item')} instead of {head.items:,}, so the file is incomplete or was "
            "changed. Copy the file again."
        )
    return Keys(head, by_id, hashlib.sha256(data).hexdigest())


def _bytes(path: Path) -> bytes:
    try:
        if path.stat().st_size > LARGEST:
            raise InvalidFileError(
                f"{path} is larger than {LARGEST >> 30} GB, so the file is not a key file. Choose the key file of a "
                "release."
            )
        return path.read_bytes()
    except OSError as error:
        raise InvalidFileError(
            f"Touchstone cannot read {path}: {error.strerror}. Check the file and its permissions."
        ) from error


def _item(row: Mapping[str, Any]) -> KeyItem:
    return KeyItem(
        str(row["id"]),
        str(row["dimension"]),
        row["group"],
        _asked(row["asked"]),
        row["key"],
        dict(row["fields"]),
        tuple(row["media"]),
    )
