"""The content of a release for its formats: items one after another, by split, with their media.

Only one item is in memory at a time, so a release of a hundred thousand items needs no more memory than one of a
thousand. Formats depend on this content alone, so that the same release gives the same bytes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Any, BinaryIO, Protocol

from annotation_schemas.model import Schema


@dataclass(frozen=True)
class ReleasedAsset:
    """An image or clip of an item."""

    role: str
    name: str
    """The name in the project's files."""
    kind: str
    """``image`` or ``clip``."""
    sha256: str
    mime: str
    bytes: int
    width: int | None = None
    height: int | None = None
    duration: float | None = None
    """The duration of a clip, in seconds."""
    source: str | None = None
    """The video or collection that it comes from."""
    path: str | None = None
    """The path in the release, with slashes; None if the release names it only by its hash."""


@dataclass(frozen=True)
class ReleasedItem:
    """An item as it is released."""

    id: str
    """The item's external ID."""
    dimension: str
    split: str
    fields: Mapping[str, Any]
    """The fields that are public in its split, by name, in the schema's order."""
    assets: Sequence[ReleasedAsset] = ()
    """Assets by role, each role in order."""
    group: str | None = None
    """The ID of a group of dependent items: a video, a scene, or near duplicates."""


@dataclass(frozen=True)
class ReleasedStep:
    """An event in an item's history, without its content."""

    stage: str
    """``import``, ``authoring``, ``edit``, ``verification``, ``adjudication`` and so on."""
    by: str
    """A pseudonym, or the name of a machine."""
    at: str | None = None
    """ISO 8601."""
    revision: int = 1
    """The revision of the item that the step created (authoring, an edit) or used."""
    makes: bool = False
    """Whether the step created that revision."""
    person: bool = True
    """False for a machine."""
    schema: str | None = None
    """The schema in force, with its version, such as ``egothink 4``."""
    schema_sha256: str | None = None


@dataclass(frozen=True)
class ReleasedSplit:
    """A part of a release."""

    name: str
    """``test``, ``validation``, ``train``."""
    items: int
    withheld: Sequence[str] = ()
    """Fields that are left out of its public files, such as the key of a private test split."""


@dataclass(frozen=True)
class ReleasedSet:
    """A release."""

    schema: Schema
    name: str
    """The project's name in file names: letters, digits, ``-``, ``_``."""
    title: str
    version: str
    """``1``, or ``1.2`` after two withdrawals."""
    date: str
    """The date of its last event, ISO 8601. It never comes from the clock."""
    splits: Sequence[ReleasedSplit]
    items: Callable[[], Iterator[ReleasedItem]]
    """A function that yields all items, split after split, from the first one at each call."""
    read: Callable[[ReleasedAsset], bytes]
    """A function that returns the original file of an asset. It raises ``NotFoundError`` if the file is gone."""
    about: Mapping[str, Any] = field(default_factory=dict)
    """The makers' description: ``description``, ``license``, ``creators``, ``url``, ``citation``, ``canary``, and the
    fields of the data card.
    """
    options: str | None = None
    """The field of an item that holds its options."""
    key: str | None = None
    """The field that holds the right answer."""
    shown: Callable[[ReleasedItem, ReleasedAsset], bytes | None] | None = None
    """A function that returns an image with the item's boxes and marks, as people and models see it (PNG), or None for
    an image without marks. Without this function, formats that hold only images refuse items with marks.
    """
    upright: Callable[[ReleasedAsset], bytes | None] | None = None
    """A function that returns a rotated image with upright pixels (JPEG for JPEG, otherwise PNG), for programs that
    ignore the rotation note in the file. It returns None for an image that is already upright.
    """
    as_mp4: Callable[[ReleasedAsset], bytes] | None = None
    """A function that returns a clip as MP4 with the same frames at the same times, for programs that do not accept
    WebM; None if no program can convert clips. It raises ``InvalidMediaError`` or ``NotAvailableError`` if the
    conversion fails.
    """
    provenance: Callable[[ReleasedItem], Sequence[ReleasedStep]] | None = None
    """A function that returns the steps of an item's history in order; None if the history is unknown."""
    formats: Sequence[str] = ()
    """All formats of this release. Some formats write more if another format is present."""


class WrittenFile(Protocol):
    """A file that was written."""

    @property
    def sha256(self) -> str:
        """Return the SHA-256 of its bytes."""

    @property
    def bytes(self) -> int:
        """Return the number of its bytes."""


class ReleaseFolder(Protocol):
    """The folder into which a release is written."""

    def open(self, path: str) -> AbstractContextManager[BinaryIO]:
        """Create a file below the root, by a path with slashes. Its content is hashed while it is written."""

    @property
    def hashes(self) -> Mapping[str, WrittenFile]:
        """Return every completed file, by its path."""


ReleaseWriter = Callable[[ReleasedSet, ReleaseFolder], None]
"""A function that writes a format's files. It raises ``InvalidFileError``, with the item and the reason, for content
that the format cannot hold (several images, a clip, boxes, several right answers). It never leaves content out.
"""
