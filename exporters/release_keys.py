"""The private part of a release: key files, one for each split whose key is not public, and canary strings.

A key file is JSON lines. The first line says what it is of and how many items follow, so that half a file is known as
such; each further line is an item: what it asks, its key, and every field that public files lack. Whoever has one can
score answers offline, with nothing else.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any

from annotation_schemas.asked import asked_of
from annotation_schemas.formats.released import ReleasedItem, ReleasedSet, ReleaseFolder
from annotation_schemas.model import Schema
from domain import json_text
from domain.decimals import Tolerance
from domain.errors import FileRefused
from domain.json_text import NotJson
from domain.reading.answers import AnswerKind, Asked

FOLDER = "keys"
MARK = "touchstone_keys"
_VERSION = 1
LARGEST = 2 << 30
"""Bytes of a key file that is read."""


# ---- canaries -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Canary:
    """Strings that stand nowhere but in a release: who can complete one has seen it."""

    public: str
    """In the README and with every item."""
    private: str
    """In the key files alone."""

    @property
    def sentence(self) -> str:
        """What stands in public files."""
        return f"These items are a test; please keep them out of training data. Canary: {self.public}"


def canary_of(secret: bytes, name: str, version: str) -> Canary:
    """The canaries of a release: by HMAC-SHA256 from a secret of the project, so that they can be made again, and no
    one else can make or guess them. The points of a version make no other release: 1 and 1.2 have different ones.

    >>> one, other = canary_of(b"s" * 32, "kitchen", "1"), canary_of(b"s" * 32, "kitchen", "2")
    >>> len({one.public, one.private, other.public, other.private})
    4
    """
    if len(secret) < 16:
        raise ValueError("a secret has at least 16 bytes")

    def made(part: str) -> str:
        told = json.dumps(["touchstone canary", name, version, part]).encode()
        return str(uuid.UUID(bytes=hmac.digest(secret, told, hashlib.sha256)[:16], version=4))

    return Canary(made("public"), made("private"))


# ---- what a key file says -------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class KeyHead:
    """What a key file is of."""

    benchmark: str
    title: str
    release: str
    date: str
    split: str
    items: int
    withheld: tuple[str, ...]
    key: str | None
    """The field that answers are held against."""
    unreadable: str
    """``wrong`` or ``left_out``: what becomes of answers that cannot be read."""
    dimensions: Mapping[str, str]
    """Title of each, by id, in their order."""
    canary: str
    private_canary: str


@dataclass(frozen=True)
class KeyItem:
    """An item of a key file."""

    id: str
    dimension: str
    group: str | None
    asked: Asked
    key: Any
    fields: Mapping[str, Any] = field(default_factory=dict)
    """Those that are withheld."""
    media: tuple[str, ...] = ()
    """SHA-256 of its images and clips."""


def write_keys(
    released: ReleasedSet,
    all_fields: Callable[[ReleasedItem], Mapping[str, Any]],
    folder: ReleaseFolder,
    canary: Canary,
) -> list[str]:
    """Write ``keys/<split>.jsonl`` for every split that withholds something; the paths.

    Parameters
    ----------
    all_fields
        The fields of an item, those that are not public among them.
    folder
        The private one.
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
            {each.id: each.title for each in released.schema.dimensions},
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
            raise FileRefused(
                f"The split {split.name} has {split.items:,} items, and {n - 1:,} came; something changed meanwhile. "
                "Make the release again."
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


def _asked_as_json(asked: Asked) -> dict[str, Any]:
    """What differs from what is usual."""
    told: dict[str, Any] = {"kind": asked.kind.value}
    if asked.options:
        told["options"] = list(asked.options)
    if asked.unit is not None:
        told["unit"] = asked.unit
    told |= {flag: True for flag in _FLAGS if getattr(asked, flag)}
    if asked.tolerance is not None:
        limits = {name: getattr(asked.tolerance, name) for name in ("absolute", "relative", "rounded")}
        told["tolerance"] = {name: str(limit) for name, limit in limits.items() if limit is not None}
    return told


def _asked(told: Mapping[str, Any]) -> Asked:
    limits = told.get("tolerance")
    return Asked(
        AnswerKind(told["kind"]),
        tuple(str(each) for each in told.get("options", ())),
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
    """By id, in their order."""
    sha256: str


def read_keys(path: Path) -> Keys:
    """A key file as ``write_keys`` writes it.

    Raises
    ------
    FileRefused
        It is none, or not all of one, or somebody has changed it so that it fits no more.
    """
    data = _bytes(path)
    try:
        lines = json_text.decode(data).split("\n")
        rows = [json_text.loaded(line) for line in lines if line.strip()]
    except NotJson as error:
        raise FileRefused(f"{path} is no key file of a release, or not all of one: {error}. Copy it again.") from error
    first = rows[0] if rows else None
    if not isinstance(first, dict) or first.get(MARK) != _VERSION:
        raise FileRefused(
            f"{path} is no key file that this version reads; give keys/<split>.jsonl of a release's private folder."
        )
    try:
        head = KeyHead(**{name: first[name] for name in KeyHead.__dataclass_fields__})
        items = [_item(row) for row in rows[1:]]
    except (KeyError, TypeError, ValueError, ZeroDivisionError, AttributeError) as error:
        raise FileRefused(f"{path} is not as it was written ({error!r}); copy it again.") from error
    by_id = {item.id: item for item in items}
    if len(items) != head.items or len(by_id) != len(items):
        raise FileRefused(
            f"{path} says that it has {head.items:,} items, and {len(by_id):,} are there; it was cut off or changed. "
            "Copy it again."
        )
    return Keys(head, by_id, hashlib.sha256(data).hexdigest())


def _bytes(path: Path) -> bytes:
    try:
        if path.stat().st_size > LARGEST:
            raise FileRefused(f"{path} has more than {LARGEST >> 30} GB; it is no key file.")
        return path.read_bytes()
    except OSError as error:
        raise FileRefused(f"{path} cannot be read: {error.strerror}.") from error


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


def key_files(private: Path) -> Sequence[Path]:
    """The key files of a release's private folder."""
    return sorted((private / FOLDER).glob("*.jsonl"))
