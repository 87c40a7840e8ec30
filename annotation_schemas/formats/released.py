"""What goes into a release, as the formats see it: items one after the other, in their splits, with their media.

Nothing here holds more than one item at a time: a release of a hundred thousand items takes no more memory than one of
a thousand. What a format writes depends on this alone, so the same release is the same bytes.
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
    """As the project's files name it."""
    kind: str
    """``image`` or ``clip``."""
    sha256: str
    mime: str
    bytes: int
    width: int | None = None
    height: int | None = None
    duration: float | None = None
    """Seconds, of a clip."""
    source: str | None = None
    """The video or collection that it came from."""
    path: str | None = None
    """Where it lies in the release, from its root, with slashes; None: the release names it by hash alone."""


@dataclass(frozen=True)
class ReleasedItem:
    """An item as it is released."""

    id: str
    """Its id in files."""
    dimension: str
    split: str
    fields: Mapping[str, Any]
    """The fields that are public in its split, by name, in the schema's order."""
    assets: Sequence[ReleasedAsset] = ()
    """By role, each in its order."""
    group: str | None = None
    """What it shares with items that are not independent of it: its video, scene, or group of near duplicates."""


@dataclass(frozen=True)
class ReleasedStep:
    """Something that was done about an item. What was said there is not in it."""

    stage: str
    """``import``, ``authoring``, ``edit``, ``verification``, ``adjudication`` and so on."""
    by: str
    """A pseudonym, or the name of a machine."""
    at: str | None = None
    """ISO 8601."""
    revision: int = 1
    """Which revision of the item it made (authoring, an edit), or looked at."""
    makes: bool = False
    """It made that revision."""
    person: bool = True
    """False: a machine did it."""
    schema: str | None = None
    """The schema under which it was done, with its version, such as ``egothink 4``."""
    schema_sha256: str | None = None


@dataclass(frozen=True)
class ReleasedSplit:
    """A part of a release."""

    name: str
    """``test``, ``validation``, ``train``."""
    items: int
    withheld: Sequence[str] = ()
    """Fields that its public files do not have: those of the key, where the test is private."""


@dataclass(frozen=True)
class ReleasedSet:
    """A release."""

    schema: Schema
    name: str
    """Of the project, as it stands in file names: letters, digits, ``-``, ``_``."""
    title: str
    version: str
    """``1``, or ``1.2`` after two withdrawals."""
    date: str
    """Of the last event in it, ISO 8601: never that of the clock."""
    splits: Sequence[ReleasedSplit]
    items: Callable[[], Iterator[ReleasedItem]]
    """All of them from the first one, split after split, each time it is called."""
    read: Callable[[ReleasedAsset], bytes]
    """The original of an asset. Raises ``NotFound`` if it is gone."""
    about: Mapping[str, Any] = field(default_factory=dict)
    """What its makers say of it: ``description``, ``license``, ``creators``, ``url``, ``citation``, ``canary``, and
    what the data card has."""
    options: str | None = None
    """The field of an item that holds its options."""
    key: str | None = None
    """The field that holds the right answer."""
    shown: Callable[[ReleasedItem, ReleasedAsset], bytes | None] | None = None
    """An image with the boxes and marks that the item itself shows on it, as people and models see it (PNG); None:
    nothing is drawn on that image. Without it, items that show some are refused by formats that only have images."""
    upright: Callable[[ReleasedAsset], bytes | None] | None = None
    """An image that is turned by a note in its file, with its pixels upright (JPEG of a JPEG, else PNG), for programs
    that do not read the note; None: the image lies upright in its file."""
    as_mp4: Callable[[ReleasedAsset], bytes] | None = None
    """A clip as MP4, with the same frames at the same moments, for programs that do not take WebM; None if no program
    makes it. Raises ``MediaRefused`` or ``NotAvailable`` where it cannot be made.
    """
    provenance: Callable[[ReleasedItem], Sequence[ReleasedStep]] | None = None
    """What was done about an item, from the first step to the last; without it, no one knows."""
    formats: Sequence[str] = ()
    """The formats that this release is written in: some have more in them where another is there, too."""


class WrittenFile(Protocol):
    """A file that is written."""

    @property
    def sha256(self) -> str:
        """Of its bytes."""

    @property
    def bytes(self) -> int:
        """How many it has."""


class ReleaseFolder(Protocol):
    """Where a release is written."""

    def open(self, path: str) -> AbstractContextManager[BinaryIO]:
        """A new file below the root; its path has slashes. What is written is hashed as it comes."""

    @property
    def hashes(self) -> Mapping[str, WrittenFile]:
        """Every file that is written to its end so far, by its path."""


ReleaseWriter = Callable[[ReleasedSet, ReleaseFolder], None]
"""Writes a format's files. What it cannot carry (several images, a clip, boxes, several right answers) is a
``FileRefused`` that names the item and what it is; nothing is ever left out."""
