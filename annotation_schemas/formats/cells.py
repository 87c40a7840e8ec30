"""Conversion between the text in a table cell and a field's value: numbers, lists and options."""

from __future__ import annotations

import ast
import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from annotation_schemas import kinds
from annotation_schemas.model import ItemField
from domain import json_text
from domain.json_layout import same
from domain.json_text import NotJson

Record = Mapping[str, Any]

_WHOLE = re.compile(r"[+-]?[0-9]+(\.0+)?")


class Misfit(ValueError):
    """A record that does not fit its format; ``str(error)`` says why, to follow "row 3: "."""


@dataclass(frozen=True)
class Cell:
    """A field that is a column of a table."""

    key: str
    field: ItemField
    separator: str | None = None
    """The separator of list entries that are not written as JSON."""

    @property
    def keys(self) -> tuple[str, ...]:
        return (self.key,)

    def read(self, record: Record) -> Any:
        """Return the value of the cell, or None if it is empty. Raise ``Misfit`` if it cannot be of this kind."""
        text = record.get(self.key)
        row = kinds.of_field(self.field)
        if text is None or row.typed_as_it_is:
            return row.in_order(self.field, text)
        if row.holds == "whole number":
            return whole(text, self.key)
        if row.holds == "texts":
            return entries(text, self.key, self.separator)
        if row.of_options:
            return self._option(text)
        value = _json(text)
        if row.holds == "list" and not isinstance(value, list):
            raise Misfit(f"{self.key} is not a list; write the list as JSON")
        return value

    def _option(self, text: str) -> Any:
        """Return the option with that text. Other texts are returned unchanged, to be reported."""
        for option in self.field.options:
            if text == option.value or (not isinstance(option.value, str) and _alike(text, option.value)):
                return option.value
        return text

    def write(self, value: Any, fields: Record) -> dict[str, Any]:
        """The text of the cell; None for an empty one."""
        if value is None:
            return {self.key: None}
        if kinds.of_field(self.field).holds == "texts" and isinstance(value, list | tuple):
            return {self.key: list_text(value, self.separator)}
        if isinstance(value, str):
            plain = (
                kinds.of_field(self.field).typed_as_it_is
                or kinds.of_field(self.field).of_options
                or same(_json(value), value)
            )
            return {self.key: value if plain else _json_text(value)}
        return {self.key: _json_text(value)}


def whole(text: str, key: str) -> int:
    """The whole number of a cell; 3.0 is one."""
    if _WHOLE.fullmatch(text.strip()):
        return int(text.strip().partition(".")[0])
    raise Misfit(f"{key} is {text!r}, not a whole number; write digits only")


@dataclass(frozen=True)
class Paths:
    """The media of one role, and the keys of a record that name them: one key, or a column for each."""

    keys: tuple[str, ...]
    several: bool
    """There may be more than one."""
    table: bool = False
    """Its records are rows of texts."""
    separator: str | None = None

    def read(self, record: Record) -> list[str] | None:
        """Return the paths in order, an empty list if the record has none, or None if it lacks the key."""
        if len(self.keys) > 1:
            return _without_gaps(record, self.keys)
        value = record.get(self.keys[0])
        if value is None:
            return [] if self.table or self.keys[0] in record else None
        if self.table and self.several:
            value = entries(value, self.keys[0], self.separator, alone=True)
        paths = [value] if isinstance(value, str) else value
        if not isinstance(paths, list) or not all(isinstance(path, str) for path in paths):
            raise Misfit(f"{self.keys[0]} is not a path or a list of paths; correct the column")
        return [path for path in paths if path]

    def write(self, paths: Sequence[str]) -> dict[str, Any]:
        """Return the record's values for these paths."""
        if len(self.keys) > 1:
            return dict(zip(numbered(self.keys, len(paths)), paths, strict=False))
        if not paths:
            return {}
        if not self.several or (self.table and len(paths) == 1):
            return {self.keys[0]: paths[0]}
        return {self.keys[0]: list_text(paths, self.separator) if self.table else list(paths)}


def numbered(keys: Sequence[str], n: int) -> list[str]:
    """The keys, and as many further ones as ``n`` entries need.

    >>> numbered(["option_1", "option_2"], 4)
    ['option_1', 'option_2', 'option_3', 'option_4']
    """
    stem, last = re.sub(r"[0-9]+$", "", keys[-1]), int(keys[-1][len(re.sub(r"[0-9]+$", "", keys[-1])) :] or 1)
    return [*keys, *(f"{stem}{last + more}" for more in range(1, n - len(keys) + 1))]


def named_in_order(text: str) -> tuple[str, ...]:
    """The columns that a text names one after another.

    >>> named_in_order("a, b,c")
    ('a', 'b', 'c')
    """
    return tuple(name for part in text.split(",") if (name := part.strip()))


def _without_gaps(record: Record, keys: Sequence[str]) -> list[str]:
    there = [key for key in keys if record.get(key) is not None]
    if there != list(keys[: len(there)]):
        raise Misfit(
            f"the record has {there[-1]}, but {next(key for key in keys if key not in there)} is missing; add the "
            "missing entry"
        )
    return [record[key] for key in there]


def entries(text: str, key: str, separator: str | None, *, alone: bool = False) -> list[str]:
    """Return the entries of a list in one cell: JSON, a printed Python list, or entries with a separator.

    With ``alone``, any other text is the only entry. Otherwise it raises ``Misfit``.

    >>> entries('["a", "b"]', "options", None), entries("['a', 'b']", "options", None), entries("a; b", "options", ";")
    (['a', 'b'], ['a', 'b'], ['a', 'b'])
    """
    bare = text.strip()
    if bare.startswith("[") and bare.endswith("]"):
        listed = _list(bare)
        if listed is not None and all(isinstance(entry, str) for entry in listed):
            return listed
        if listed is not None:
            raise Misfit(f"{key} has an entry that is not text; put every entry in quotes")
    if separator is not None:
        listed = [entry.strip() for entry in text.split(separator)]
        if "" in listed:
            raise Misfit(f"{key} has an empty entry next to {separator!r}; remove the extra separator")
        return listed
    if alone:
        return [text]
    raise Misfit(
        f"{key} is not a list. Write a JSON list, name the separator with --set separator=TEXT, or use one column "
        f"per entry, such as {key.removesuffix('s')}_1 or --set columns.FIELD=A,B,C"
    )


def list_text(value: Sequence[Any], separator: str | None) -> str:
    """A list as the text of a cell, so that ``entries`` reads it as the same."""
    texts = [entry for entry in value if isinstance(entry, str)]
    if separator is not None and len(texts) == len(value) and value:
        text = f"{separator}{'' if separator.isspace() else ' '}".join(texts)
        if [part.strip() for part in text.split(separator)] == texts and not text.startswith("["):
            return text
    return _json_text(list(value))


def _list(text: str) -> list[Any] | None:
    try:
        cells = json_text.loaded(text)
    except NotJson:
        try:
            cells = ast.literal_eval(text) if len(text) < 100_000 else None
        except (ValueError, SyntaxError, MemoryError, RecursionError):
            return None
    return json_text.showable(cells) if isinstance(cells, list) else None


def _json(text: str) -> Any:
    """Return the JSON value of a cell, or its text. ``NaN`` and infinite numbers stay texts."""
    try:
        return json_text.showable(json_text.loaded(text, parse_constant=_no_number, parse_float=_number))
    except (NotJson, RecursionError):
        return text


def _number(text: str) -> float:
    number = float(text)
    return number if math.isfinite(number) else _no_number(text)


def _no_number(text: str) -> float:
    raise ValueError(text)


def _json_text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def _alike(text: str, value: Any) -> bool:
    """Whether a cell says a value that is no text: ``TRUE`` is true, ``3`` is 3."""
    bare = text.strip()
    return same(_json(bare.lower() if isinstance(value, bool) else bare), value)
