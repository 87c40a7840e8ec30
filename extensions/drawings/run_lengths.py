"""Pixel masks in the format of COCO: ``{"size": [height, width], "counts": [...]}``.

Pixels are counted column by column, each from the top. The counts alternate between empty and filled pixels,
beginning with empty ones. COCO's compressed form writes the same counts as text. Each count is split into groups of
five bits, lowest first, and each group is a character from ``0`` on. A sixth bit marks that more groups follow. From
the fourth count on, the number is the difference to the count two before.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

MOST_PIXELS = 80_000_000
"""No picture of the store is larger."""
MOST_COUNTS = 100_000
"""The maximum number of runs in a mask."""
_FIRST, _BITS = 48, 5
_MORE, _SIGN, _VALUE = 0x20, 0x10, 0x1F
_GROUPS = 7
"""No count of so large a mask needs more groups of bits."""


def counts_of(counts: Any) -> list[int] | None:
    """The counts of a mask, out of either form; None where they are neither, or too many.

    >>> counts_of([4, 2, 10]), counts_of("421"), counts_of("4`")
    ([4, 2, 10], [4, 2, 1], None)
    """
    if isinstance(counts, str):
        numbers = list(_unpacked(counts)) if len(counts) <= _GROUPS * MOST_COUNTS else [None]
        counts = numbers
    if not isinstance(counts, list | tuple) or not 1 <= len(counts) <= MOST_COUNTS:
        return None
    whole = all(isinstance(count, int) and not isinstance(count, bool) and count >= 0 for count in counts)
    return list(counts) if whole else None


def _unpacked(text: str) -> Iterator[int | None]:
    """The counts of a text; None where it breaks off or has other characters."""
    before: list[int] = []
    value = shift = 0
    for character in text:
        group = ord(character) - _FIRST
        if not 0 <= group <= (_MORE | _VALUE) or shift >= _GROUPS * _BITS:
            yield None
            return
        value |= (group & _VALUE) << shift
        shift += _BITS
        if group & _MORE:
            continue
        if group & _SIGN:
            value -= 1 << shift
        if len(before) > 2:
            value += before[-2]
        before.append(value)
        yield value
        value = shift = 0
    if shift:
        yield None


def problem(rle: Any) -> str | None:
    """Return the problem of a mask, as the end of a sentence, or None."""
    if not isinstance(rle, Mapping) or set(rle) != {"size", "counts"}:
        return "`rle` must be `{size: [height, width], counts: [...]}`, as in COCO."
    size = rle["size"]
    if not isinstance(size, list | tuple) or len(size) != 2:
        return "`size` in `rle` must be `[height, width]`."
    if not all(isinstance(side, int) and not isinstance(side, bool) and side >= 1 for side in size):
        return "`size` in `rle` must be two whole numbers of pixels, `[height, width]`."
    height, width = size
    if height * width > MOST_PIXELS:
        return (
            f"`size` is {height} x {width} pixels, but at most {MOST_PIXELS:,} pixels are allowed. Make the mask "
            "smaller."
        )
    counts = counts_of(rle["counts"])
    if counts is None:
        return (
            f"`counts` in `rle` must be a list of 1 to {MOST_COUNTS:,} whole numbers, each 0 or more. You can also "
            "write the list in COCO's text format."
        )
    if sum(counts) != height * width:
        return (
            f"the `counts` in `rle` add up to {sum(counts):,}, but {height} x {width} pixels need {height * width:,}"
            ". Check that `size` is `[height, width]`."
        )
    return None
