"""Files of items: how the keys of a record and the fields of a schema go together, both ways.

Each format of items says what is particular about it (``ItemKeys``). What a record holds beyond these keys is no one's
field; it stays in the record's text. The schema's ``source.fields`` may give other names for keys; a field that no row
knows is the key of the same name.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from string import ascii_uppercase
from typing import Any, Protocol

from annotation_schemas import kinds
from annotation_schemas.model import Dimension, ItemField, Schema
from domain.json_text import Layout, same
from domain.reading.answers import AnswerKind

LONGEST_NAME = 300
"""Characters of an id, a path, a model's name."""

Record = Mapping[str, Any]


class Misfit(ValueError):
    """A record that does not fit its format; ``str(error)`` says why, to follow "row 3: "."""


class Column(Protocol):
    """A field of the schema and the keys of the file that hold it."""

    @property
    def keys(self) -> tuple[str, ...]: ...

    def read(self, record: Record) -> Any:
        """The field's value; None if the record does not have it. ``Misfit`` if it has something else."""

    def write(self, value: Any, fields: Record) -> dict[str, Any]:
        """What the record's keys shall hold; None for a key that shall not be there."""


@dataclass(frozen=True)
class Plain:
    """A field that is a key of the file."""

    key: str
    kind: str = "text"

    @property
    def keys(self) -> tuple[str, ...]:
        return (self.key,)

    def read(self, record: Record) -> Any:
        value = record.get(self.key)
        if value is None:
            return None
        holds = kinds.FIELDS[self.kind].holds
        if holds == "text":
            return _wanted(value, str, f"{self.key} is not text")
        if holds == "whole number":
            return whole_number(value, self.key)
        if holds == "texts":
            entries = _wanted(value, list, f"{self.key} is not a list")
            return [_wanted(entry, str, f"{self.key} has an entry that is not text") for entry in entries]
        if holds == "list":
            return _wanted(value, list, f"{self.key} is not a list")
        return value

    def write(self, value: Any, fields: Record) -> dict[str, Any]:
        return {self.key: value}


@dataclass(frozen=True)
class Spread:
    """A list of texts with one key for each entry."""

    keys: tuple[str, ...]

    def read(self, record: Record) -> Any:
        there = [key for key in self.keys if record.get(key) is not None]
        if not there:
            return None
        if there != list(self.keys[: len(there)]):
            missing = next(key for key in self.keys if key not in there)
            raise Misfit(f"it has no {missing}")
        return [_wanted(record[key], str, f"{key} is not text") for key in there]

    def write(self, value: Any, fields: Record) -> dict[str, Any]:
        entries = list(value or ())
        return {key: entries[i] if i < len(entries) else None for i, key in enumerate(self.keys)}


@dataclass(frozen=True)
class Chosen:
    """The right option: in the schema its text, in the file its place among the options, and perhaps its text too."""

    options: Column
    options_field: str
    place: str
    """The key that holds the place."""
    letters: bool = False
    """The place is A, B, C, ...; else it counts from 0."""
    text: str | None = None
    """The key that repeats the text."""

    @property
    def keys(self) -> tuple[str, ...]:
        return (self.place, *([self.text] if self.text else []))

    def read(self, record: Record) -> Any:
        options = self.options.read(record) or []
        place, text = record.get(self.place), record.get(self.text or "")
        if place is not None:
            return options[self._index(place, len(options))]
        if text is not None and text not in options:
            raise Misfit(f"{self.text} is none of the options")
        return text

    def _index(self, place: Any, n_options: int) -> int:
        if self.letters:
            index = ascii_uppercase.find(place) if isinstance(place, str) and len(place) == 1 else -1
            known = f"one of {', '.join(ascii_uppercase[:n_options])}"
        else:
            index = whole_number(place, self.place)
            known = f"a number from 0 to {n_options - 1}"
        if not 0 <= index < n_options:
            raise Misfit(f"{self.place} is {place!r}, not {known}")
        return index

    def write(self, value: Any, fields: Record) -> dict[str, Any]:
        options = list(fields.get(self.options_field) or ())
        place: Any = options.index(value) if value in options else None
        if place is not None and self.letters:
            place = ascii_uppercase[place]
        return {self.place: place, **({self.text: value} if self.text else {})}


@dataclass(frozen=True)
class Moments:
    """When in its source video an item's clip begins and ends, as far as the item says it. Frames count from 0."""

    observed: float | None = None
    """The frame that is the item's observation, with which the clip ends."""
    action: int | None = None
    """The frame with which the action begins that is asked for."""
    starts: tuple[float, ...] = ()
    """The frames with which what has been done so far begins."""


@dataclass(frozen=True)
class ItemKeys:
    """Everything that is particular about one format of items."""

    name: str
    order: tuple[str, ...]
    """The keys of a new record."""
    needs: tuple[str, ...]
    """The keys without which a record is something else."""
    layout: Layout
    id_key: str | None = None
    new_ids: bool = False
    """A new record gets an id of its own."""
    by_folder: bool = False
    """A folder per dimension, each with a file of this name: ``file_name``."""
    file_name: str | None = None
    named_by: str | None = None
    """The key that names the dimension."""
    media: str | None = None
    """The key that holds the paths of the images: a list, or a single text."""
    origin: str | None = None
    """The key that says which collection an image is from."""
    video: str | None = None
    """The key that names the source video."""
    spread: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Field: the keys of its entries."""
    renamed: Mapping[str, str] = field(default_factory=dict)
    """Field: its key, where the usual name of the field is not the key's."""
    chosen: tuple[str, str, str | None, bool] | None = None
    """The right option: field or key that holds it, ``Chosen.place``, ``Chosen.text``, ``Chosen.letters``."""
    goal: str | None = None
    """The field that names the goal of several items."""
    action: str | None = None
    """The field with the frame of the source video with which the action begins that is asked for."""
    moments: Callable[[Record], Moments] = lambda fields: Moments()
    """From an item's fields to what is cut out of its source video."""


def as_named(row: ItemKeys, schema: Schema) -> ItemKeys:
    """The row with the keys that this schema's files have where they differ (``source.id``, ``source.fields``): also
    those without which a record is something else, and that of the images."""
    if schema.source is None or schema.source.format != row.name:
        return row
    names = schema.source.fields
    other = {
        row.renamed.get(each.name, each.name): names[each.name] for each in schema.item.fields if each.name in names
    }
    role = next((slot.role for slot in schema.item.assets if slot.role in names), None)
    if role is not None and row.media is not None:
        other[row.media] = names[role]
    return replace(
        row,
        needs=tuple(other.get(key, key) for key in row.needs),
        order=tuple(other.get(key, key) for key in row.order),
        media=other.get(row.media, row.media) if row.media else None,
        id_key=schema.source.id or row.id_key,
    )


def columns(row: ItemKeys, schema: Schema) -> dict[str, Column]:
    """The columns by field, in the schema's order."""
    found: dict[str, Column] = {}
    names = schema.source.fields if schema.source and schema.source.format == row.name else {}

    def plain_or_spread(item_field: ItemField) -> Column:
        key = names.get(item_field.name) or row.renamed.get(item_field.name, item_field.name)
        if key == row.id_key:
            return Plain(key, "json")  # a number in most files, text in some
        keys = row.spread.get(item_field.name) or row.spread.get(key)
        if keys and kinds.of_field(item_field).is_list:
            return Spread(keys)
        return Plain(key, item_field.kind)

    for item_field in schema.item.fields:
        found[item_field.name] = plain_or_spread(item_field)
        one_of = kinds.of_field(item_field).answer is AnswerKind.OPTION
        if row.chosen and one_of and item_field.field:
            name, place, text, letters = row.chosen
            if names.get(item_field.name, item_field.name) in (name, place):
                options = plain_or_spread(schema.item.field(item_field.field))
                found[item_field.name] = Chosen(options, item_field.field, place, letters, text)
    return found


def keys_of(row: ItemKeys, schema: Schema) -> list[str]:
    """All keys of a record that someone reads."""
    row = as_named(row, schema)
    found = [key for column in columns(row, schema).values() for key in column.keys]
    special = (row.id_key, row.named_by, row.media, row.origin, row.video)
    return list(dict.fromkeys([*found, *row.needs, *(key for key in special if key)]))


def fields_of(row: ItemKeys, schema: Schema, record: Record) -> dict[str, Any]:
    """The schema's fields as the record has them; ``Misfit`` if it does not fit."""
    row = as_named(row, schema)
    wrong = {f"it has no {key}": None for key in row.needs if record.get(key) is None}
    found: dict[str, Any] = {}
    for name, column in columns(row, schema).items():
        try:
            found[name] = column.read(record)
        except Misfit as misfit:
            wrong[str(misfit)] = None
    if wrong:
        raise Misfit("; ".join(wrong))
    return {name: value for name, value in found.items() if value is not None}


def changes(row: ItemKeys, schema: Schema, record: Record, fields: Mapping[str, Any]) -> dict[str, Any]:
    """What has to change in a record so that it says ``fields``: new values by key, None to take a key away."""
    before = fields_of(row, schema, record)
    found: dict[str, Any] = {}
    for name, column in columns(row, schema).items():
        options = column.options_field if isinstance(column, Chosen) else name
        if all(same(before.get(part), _or_none(fields.get(part))) for part in (name, options)):
            continue
        for key, value in column.write(_or_none(fields.get(name)), fields).items():
            if not same(record.get(key), value) and (key in record or value is not None):
                found[key] = value
    return found


def _or_none(value: Any) -> Any:
    """An emptied text of a form is no value."""
    return None if value == "" else value


def new_record(
    row: ItemKeys,
    schema: Schema,
    fields: Mapping[str, Any],
    *,
    dimension: str,
    id: int | None = None,
    images: Sequence[str] = (),
    source: str | None = None,
    order: Sequence[str] = (),
) -> dict[str, Any]:
    """A record for an item that came from no file; its keys in ``order`` (of the file it joins), else the row's."""
    row = as_named(row, schema)
    found: dict[str, Any] = {}
    if row.media and row.media in row.order:
        found[row.media] = list(images)
    elif row.media and row.media in order and images:
        found[row.media] = images[0]
    if row.named_by:
        found[row.named_by] = schema.dimension(dimension).named or schema.dimension(dimension).title
    if row.origin:
        found[row.origin] = source or ""
    if row.video and source:
        found[row.video] = source
    if row.id_key and id is not None:
        found[row.id_key] = id
    for name, column in columns(row, schema).items():
        written = column.write(_or_none(fields.get(name)), fields)
        found.update({key: value for key, value in written.items() if value is not None})
    places = {key: place for place, key in enumerate(dict.fromkeys([*order, *row.order]))}
    return dict(sorted(found.items(), key=lambda entry: places.get(entry[0], len(places))))


def new_path(row: ItemKeys, schema: Schema, dimension: str) -> str:
    """Where a new record goes that joins no file: below the folder of the export."""
    if row.by_folder:
        part = schema.dimension(dimension)
        return f"{part.folder or part.id}/{row.file_name}"
    return row.file_name or f"{dimension}.json"


# ---- dimensions -----------------------------------------------------------------------------------------------------


def dimension_named(schema: Schema, name: str) -> Dimension | None:
    """The dimension of that id, title, name or folder, however it is spelled."""
    wanted = _plain(name)
    for names in (_names, _folder_names):
        for part in schema.dimensions:
            if wanted in {_plain(known) for known in names(part)}:
                return part
    return None


def _names(part: Dimension) -> list[str]:
    return [part.id, part.title, part.named or part.id, part.folder or part.id]


def _folder_names(part: Dimension) -> list[str]:
    return [(part.folder or part.id).rpartition("/")[2]]


def dimension_of_folder(schema: Schema, folders: Sequence[str]) -> Dimension | None:
    """The dimension whose folder these nested folders end in (the longest such), else one named like the last."""
    best: tuple[int, Dimension] | None = None
    for part in schema.dimensions:
        wanted = [_plain(name) for name in (part.folder or part.id).split("/")]
        if [_plain(name) for name in folders[-len(wanted) :]] == wanted and (not best or len(wanted) > best[0]):
            best = (len(wanted), part)
    if best:
        return best[1]
    return dimension_named(schema, folders[-1]) if folders else None


def _plain(name: str) -> str:
    return re.sub(r"[^0-9a-z]+", "", name.casefold())


def whole_number(value: Any, key: str) -> int:
    """A number without fraction; 3.0 is one."""
    if isinstance(value, bool) or not isinstance(value, int | float) or value != int(value):
        raise Misfit(f"{key} is not a whole number")
    return int(value)


def short(text: str, key: str) -> str:
    """A text that is a name: databases index it."""
    if len(text) > LONGEST_NAME:
        raise Misfit(f"{key} is longer than {LONGEST_NAME} characters")
    return text


def name_of_rater(text: str, key: str) -> str:
    """The name of a model or judge, which tables in terminals write on a line."""
    if any(unicodedata.category(each) == "Cc" for each in text):
        raise Misfit(f"{key} has a line break or another control character")
    return short(text, key)


def _wanted(value: Any, kind: type, reason: str) -> Any:
    if not isinstance(value, kind):
        raise Misfit(reason)
    return value
