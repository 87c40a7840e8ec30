"""Guess which column of a file is which field, from their names."""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence

from annotation_schemas import kinds
from annotation_schemas.formats.columns import ID
from annotation_schemas.model import Schema
from importers.item_preview import by_default

_OPTIONS = frozenset({"choices", "options"})
"""Names of lists of options that mean the same."""


def guessed_columns(schema: Schema, format: str, columns: Sequence[str]) -> dict[str, str]:
    """Return the columns of the parts of an item whose usual column is missing, as a mapping of ``columns`` has them.

    Names must be the same but for case, spaces and marks, so that a guess is never far from the name. A column that is
    the usual one of another part is not guessed.
    """
    titles = {field.name: field.title or field.name for field in schema.item.fields}
    lists = {field.name for field in schema.item.fields if kinds.of_field(field).holds == "texts"}
    media = {slot.role for slot in schema.item.assets}
    usual = by_default(schema, format)
    free = [column for column in columns if column not in usual.values()]
    guesses = {}
    for name, default in usual.items():
        if default in columns:
            continue
        names = [default, name, titles.get(name, name)]
        names += ["item_id"] if name == ID else []
        names += [f"{name}_file", f"{name}_path"] if name in media else []
        names += sorted(_OPTIONS) if name in lists and name in _OPTIONS else []
        found = guess_column(names, free, several=name in lists, near=False)
        if found:
            guesses[name] = ",".join(found)
            free = [column for column in free if column not in found]
    return guesses


def guess_column(
    names: Sequence[str], columns: Sequence[str], *, several: bool = False, near: bool = True
) -> tuple[str, ...]:
    """Return the column whose name is most like one of the names, or nothing.

    ``several``: for lists, also all numbered or lettered columns in their order, such as ``option_1`` and ``option_2``.
    ``near``: also a name that is only similar.

    >>> guess_column(["question"], ["Nr", "Question text", "QUESTION"])
    ('QUESTION',)
    >>> guess_column(["options"], ["option_1", "option_2", "note"], several=True)
    ('option_1', 'option_2')
    >>> guess_column(["options"], ["Option B", "Option A", "option_2020"], several=True)
    ('Option A', 'Option B')
    """
    plain = {_plain(column): column for column in reversed(columns)}
    for name in names:
        if name in columns:
            return (name,)
    for name in filter(None, map(_plain, names)):
        if name in plain:
            return (plain[name],)
        if several and (entries := _series(name.removesuffix("s"), columns)):
            return entries
    if not near:
        return ()
    alike = [match for name in map(_plain, names) for match in difflib.get_close_matches(name, plain, n=1, cutoff=0.8)]
    return (plain[alike[0]],) if alike else ()


def _series(stem: str, columns: Sequence[str]) -> tuple[str, ...]:
    """Return the columns of a list in the order of their numbers or letters, or nothing if one is missing or double."""
    for mark in (r"\d+", "[a-z]"):
        found = [(re.fullmatch(rf"{re.escape(stem)}s?({mark})", _plain(column)), column) for column in columns]
        places = [(int(match[1]) if match[1].isdigit() else ord(match[1]), column) for match, column in found if match]
        places.sort()
        first = places[0][0] if places else None
        numbers = [number for number, _ in places]
        if len(places) > 1 and first in (0, 1, ord("a")) and numbers == list(range(first, first + len(places))):
            return tuple(column for _, column in places)
    return ()


def _plain(name: str) -> str:
    return re.sub(r"[\W_]+", "", name).casefold()
