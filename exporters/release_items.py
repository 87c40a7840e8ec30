"""Items of a release for the modules that write its formats: split by split, ids once, refusals by name.

A format has to hold each item whole: an item that it cannot hold is refused by name, and the format is not written.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, NoReturn

from annotation_schemas import kinds
from annotation_schemas.formats.released import ReleasedItem, ReleasedSet, ReleasedSplit
from annotation_schemas.keys import key_fields
from annotation_schemas.model import Schema
from domain.english import with_noun
from domain.errors import InvalidFileError

ENDINGS: Mapping[str, str] = {
    "image/png": ".png",
    "image/jpeg": ".jpg",
    "image/webp": ".webp",
    "image/gif": ".gif",
    "image/avif": ".avif",
    "image/bmp": ".bmp",
    "image/tiff": ".tif",
    "video/webm": ".webm",
    "video/mp4": ".mp4",
}
"""The suffixes of media in a release, by their types."""


# ---- refusals -------------------------------------------------------------------------------------------------------


class UnwritableItemError(InvalidFileError):
    """A format cannot hold an item. ``sentence`` names the item and the reason, without a period."""

    def __init__(self, format: str, sentence: str) -> None:
        self.sentence = sentence
        super().__init__(
            f"{sentence}. No file of this format was written. Create the release without {format}, or correct the item."
        )


def refuse(format: str, item: ReleasedItem, why: str) -> NoReturn:
    """Raise ``UnwritableItemError`` with the reason why a format cannot hold an item."""
    raise UnwritableItemError(format, f"{format} cannot store the item {item.id!r}: {why}")


NAMED = 10
"""The number of items that a refusal names."""


class UnwritableItems:
    """A collector of the items that a format cannot hold, which reports all of them at the end.

    >>> with UnwritableItems("csv") as refused:  # doctest: +IGNORE_EXCEPTION_DETAIL
    ...     for item in ("a", "b"):
    ...         with refused.gathered():
    ...             raise UnwritableItemError("csv", f"csv cannot hold the item {item!r}: it is empty")
    Traceback (most recent call last):
    domain.errors.InvalidFileError: csv cannot hold 2 items.
    """

    def __init__(self, format: str) -> None:
        self._format = format
        self.n = 0
        """The number of refused items up to now."""
        self._first: list[UnwritableItemError] = []

    def __enter__(self) -> UnwritableItems:
        return self

    def __exit__(self, kind: Any, error: BaseException | None, trace: Any) -> None:
        if error is None:
            self.finish()

    def finish(self) -> None:
        """Raise ``InvalidFileError`` for all refused items, if there are any."""
        if not self.n:
            return
        if self.n == 1:
            raise self._first[0]
        named = "\n".join(f"{fault.sentence}." for fault in self._first)
        more = f"\nFurther items: {self.n - len(self._first):,}." if self.n > len(self._first) else ""
        raise InvalidFileError(
            f"{self._format} cannot store {self.n:,} items.\n{named}{more}\nNo file of this format was written. "
            f"Create the release without {self._format}, or change these items."
        )

    @contextmanager
    def gathered(self) -> Iterator[None]:
        """Collect a refusal in the block, which handles one item, so that the next item can follow."""
        try:
            yield
        except UnwritableItemError as error:
            self.n += 1
            if len(self._first) < NAMED:
                self._first.append(error)


# ---- items ----------------------------------------------------------------------------------------------------------


def fields_on_images(schema: Schema) -> Sequence[str]:
    """Return the fields whose boxes and marks the item itself shows on its images.

    Fields that are the answer, or are hidden from raters, are left out.
    """
    key = key_fields(schema)
    drawn = [field for field in schema.item.fields if kinds.of_field(field).drawn and not field.secret_in]
    return [field.name for field in drawn if field.name not in key]


def by_split(released: ReleasedSet) -> Iterator[tuple[ReleasedSplit, Iterator[ReleasedItem]]]:
    """Yield each split with its items, in one pass over all items. Read the items of one split before asking for the
    next.

    Raise ``InvalidFileError`` for items that are out of order, or in a split that the release does not have.
    """
    coming = _ItemStream(released.items())
    for split in released.splits:
        yield split, coming.of(split)
    if (left := coming.next) is not None:
        known = ", ".join(known_split.name for known_split in released.splits)
        raise InvalidFileError(
            f"The item {left.id!r} in the split {left.split!r} is out of order. The order of the splits "
            f"is {known}. Create the release again."
        )


class _ItemStream:
    """An iterator over items that can look at the next one."""

    def __init__(self, items: Iterator[ReleasedItem]) -> None:
        self._items = items
        self.next = next(items, None)

    def of(self, split: ReleasedSplit) -> Iterator[ReleasedItem]:
        n = 0
        while self.next is not None and self.next.split == split.name:
            item, self.next = self.next, next(self._items, None)
            n += 1
            yield item
        if n != split.items:
            raise InvalidFileError(
                f"The split {split.name!r} has {with_noun(n, 'item')} instead of {split.items:,}. Create the release "
                "again."
            )


def json_bytes(format: str, item: ReleasedItem, record: Any) -> bytes:
    """Return a record as JSON on one line, without a line break. The same record gives the same bytes."""
    try:
        return json.dumps(record, ensure_ascii=False, allow_nan=False).encode()
    except UnicodeEncodeError:
        refuse(format, item, "a text of the item contains an invalid character (a lone surrogate)")
    except ValueError:
        refuse(format, item, "one of its numbers is infinite or NaN")


@dataclass
class Names:
    """The ids in a file so far. Programs that read the file would accept an id twice without a warning."""

    format: str
    seen: set[str] = field(default_factory=set)

    def take(self, item: ReleasedItem) -> None:
        """Add the id of an item. Raise ``InvalidFileError`` if the file has it already."""
        if item.id in self.seen:
            refuse(self.format, item, "another item has the same id")
        self.seen.add(item.id)
