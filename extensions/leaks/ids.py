"""Leaks in ids: parts, characters and check digits of an id that reveal the key of its item."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import numpy as np

from extensions.leaks.keys import IndexedKeys
from extensions.leaks.rows import IDS, Rows, Signal, in_kinds
from extensions.leaks.sets import association
from extensions.leaks.tables import Table

_BETWEEN = re.compile(r"[^0-9A-Za-z]+")
_MOST_CHARACTERS = 12
"""Characters of a longer part, such as a digest, are not tested one by one."""


def of_ids(known: IndexedKeys) -> Iterator[Signal]:
    """Yield tests of whether ids reveal the key: a part, a property such as a check digit, or the decoded id."""
    ids = list(known.codes)
    parts = known.parts(ids, np.array([known.codes[id] for id in ids], dtype=np.int64))
    for name, values in id_parts(ids):
        part, tried = association(parts, in_kinds(values))
        what = f"{part} is associated with {name} of the ids (such as {ids[0]!r})"
        yield Signal("ids", IDS, what, tried, column=name)
    rows = Rows(Table(IDS, "", ()), known)
    for id in ids:
        rows.take({"id": id}, id)
    yield from (each for each in rows.signals() if each.kind == "ids")


def id_parts(ids: Sequence[str]) -> Iterator[tuple[str, list[str | float | None]]]:
    """Yield the parts of ids that may say something, with what each id has there (None: nothing).

    >>> dict(id_parts(["000-b", "001-a"]))["the last part"]
    ['b', 'a']
    """
    parts = [_BETWEEN.split(id) for id in ids]
    longest = max((len(each) for each in parts), default=0)
    if longest > 1:
        last = [each[-1] if len(each) > 1 else None for each in parts]
        yield "the last part", [*last]
        yield from _characters("the last part", last)
        for at in range(min(longest - 1, 4)):
            part = [each[at] if len(each) > at + 1 else None for each in parts]
            yield f"part {at + 1}", [*part]
            yield from _characters(f"part {at + 1}", part)
    else:
        yield from _characters("the whole", [each[0] for each in parts])


def _characters(name: str, texts: Sequence[str | None]) -> Iterator[tuple[str, list[str | float | None]]]:
    """Yield each character of a part that has the same length in all ids, as of bits or a code of several letters."""
    sizes = {len(each) for each in texts if each is not None}
    if len(sizes) == 1 and 1 < (size := sizes.pop()) <= _MOST_CHARACTERS:
        for at in range(size):
            yield f"character {at + 1} of {name}", [None if each is None else each[at] for each in texts]
