"""The mapping between the keys of a record and the fields of a schema, in both directions.

Each format of items describes its own keys (``ItemKeys``). Other keys of a record belong to no field and stay in the
record's text. The schema's ``source.fields`` may rename keys; a field without an entry has the key of the same name.

The module is long because reading and writing a column are two directions of one rule, and stay next to each other.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from string import ascii_uppercase
from types import MappingProxyType
from typing import Any, Protocol, get_args

from annotation_schemas import kinds
from annotation_schemas.formats.cells import Cell, Misfit, Paths, named_in_order, numbered, whole
from annotation_schemas.grammar import suggestion
from annotation_schemas.kinds import NONE_OF_THESE
from annotation_schemas.model import Dimension, ItemField, OptionPlace, Schema, Source
from domain import decimals
from domain.comparison import spelled
from domain.json_layout import Layout, same
from domain.reading.answers import AnswerKind
from domain.records import ItemRecord

LONGEST_NAME = 300
"""The maximum number of characters in an ID, a path or a model's name."""

ID, DIMENSION = "id", "dimension"
"""The keys of open formats that name an item and its dimension, unless the schema says otherwise."""

Record = Mapping[str, Any]


class Column(Protocol):
    """A field of the schema and the keys of the file that hold it."""

    @property
    def keys(self) -> tuple[str, ...]: ...

    def read(self, record: Record) -> Any:
        """Return the field's value, or None if the record has none. Raise ``Misfit`` for an invalid value."""

    def write(self, value: Any, fields: Record) -> dict[str, Any]:
        """Return the new values of the record's keys; None for a key to remove."""


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
            return _wanted(value, str, f"{self.key} is not text; put the text in quotes")
        if holds == "whole number":
            return whole_number(value, self.key)
        if holds == "decimal":
            return decimals.normal(value)
        if holds == "texts":
            entries = _wanted(value, list, f"{self.key} is not a list; write a JSON list")
            return [
                _wanted(entry, str, f"{self.key} has an entry that is not text; put every entry in quotes")
                for entry in entries
            ]
        if holds == "list":
            return _wanted(value, list, f"{self.key} is not a list; write a JSON list")
        return value

    def write(self, value: Any, fields: Record) -> dict[str, Any]:
        return {self.key: value}


@dataclass(frozen=True)
class Spread:
    """A list of texts with one key for each entry."""

    keys: tuple[str, ...]
    grows: bool = False
    """Whether a longer list gets further keys."""
    blank: bool = False
    """Whether empty texts are skipped."""

    def read(self, record: Record) -> Any:
        empty = (None, "") if self.blank else (None,)
        there = [key for key in self.keys if record.get(key) not in empty]
        if not there:
            return None
        if there != list(self.keys[: len(there)]):
            missing = next(key for key in self.keys if key not in there)
            raise Misfit(f"the record has {there[-1]}, but {missing} is missing; add the missing entry")
        return [_wanted(record[key], str, f"{key} is not text; put the text in quotes") for key in there]

    def write(self, value: Any, fields: Record) -> dict[str, Any]:
        entries = list(value or ())
        keys = numbered(self.keys, len(entries)) if self.grows else self.keys
        if len(entries) > len(keys):
            raise Misfit(
                f"the list has {len(entries)} entries, but only these columns exist for entries: "
                f"{', '.join(keys)}; shorten the list, or choose another format"
            )
        return {key: entries[i] if i < len(entries) else None for i, key in enumerate(keys)}


@dataclass(frozen=True)
class RightOption:
    """The right option. The schema holds its text; the file holds its position among the options, and perhaps its text
    too.
    """

    options: Column
    options_field: str
    place: str
    """The key of the position."""
    counts: OptionPlace = "from_0"
    """The notation of positions."""
    text: str | None = None
    """The key that repeats the text."""
    table: bool = False
    """Whether records are rows of texts."""
    none: bool = False
    """Whether none of the options may be right. That answer has no position, so the file holds its value."""

    @property
    def keys(self) -> tuple[str, ...]:
        return (self.place, *([self.text] if self.text else []))

    def read(self, record: Record) -> Any:
        options = self.options.read(record) or []
        place, text = record.get(self.place), record.get(self.text or "")
        if self.none and place == NONE_OF_THESE:
            return NONE_OF_THESE
        if place is not None:
            return options[self._index(place, len(options))]
        if text is not None and spelled(text, options) not in options:
            raise Misfit(f"{self.text} is not one of the options; write the text of one option")
        return text

    def contradiction(self, record: Record) -> str | None:
        """Return half a sentence if the position and the text name different options."""
        place, text, key = record.get(self.place), record.get(self.text or ""), self.read(record)
        if place is None or text is None or spelled(text, [key]) == key:
            return None
        return f"{self.text} is {text!r}, but {self.place} {place!r} is {key!r}; correct one of the two columns"

    def _index(self, place: Any, n_options: int) -> int:
        if self.counts == "letter":
            index = ascii_uppercase.find(place.upper()) if isinstance(place, str) and len(place) == 1 else -1
            known = f"one of {', '.join(ascii_uppercase[:n_options])}"
        else:
            first = int(self.counts == "from_1")
            index = (whole if self.table else whole_number)(place, self.place) - first
            known = f"a number from {first} to {n_options - 1 + first}"
        if not 0 <= index < n_options:
            raise Misfit(f"{self.place} must be {known}, not {place!r}")
        return index

    def write(self, value: Any, fields: Record) -> dict[str, Any]:
        options = list(fields.get(self.options_field) or ())
        place: Any = options.index(value) if value in options else None
        if place is not None:
            place = ascii_uppercase[place] if self.counts == "letter" else place + (self.counts == "from_1")
            place = str(place) if self.table else place
        elif self.none and value == NONE_OF_THESE:
            place = NONE_OF_THESE
        return {self.place: place, **({self.text: value} if self.text else {})}


@dataclass(frozen=True)
class Moments:
    """The start and end of an item's clip in its source video, as far as the item gives them. Frames count from 0."""

    observed: float | None = None
    """The frame of the observation, with which the clip ends."""
    action: int | None = None
    """The first frame of the action that the item asks about."""
    starts: tuple[float, ...] = ()
    """The first frames of the earlier actions."""


@dataclass(frozen=True)
class ItemKeys:
    """The keys and layout of one format of items."""

    name: str
    order: tuple[str, ...]
    """The keys of a new record."""
    needs: tuple[str, ...]
    """Keys that every record must have; records without them belong to another format."""
    layout: Layout
    id_key: str | None = None
    new_ids: bool = False
    """Whether a new record gets an ID of its own."""
    by_folder: bool = False
    """Whether each dimension has a folder with a file called ``file_name``."""
    file_name: str | None = None
    named_by: str | None = None
    """The key of the dimension."""
    media: str | None = None
    """The key of the images' paths: a list, or a single text."""
    origin: str | None = None
    """The key of the collection that an image comes from."""
    video: str | None = None
    """The key of the source video."""
    spread: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """The keys of the entries, by field."""
    renamed: Mapping[str, str] = field(default_factory=dict)
    """The key of each field whose usual name differs."""
    chosen: tuple[str, str, str | None, OptionPlace] | None = None
    """The right option: its field or key, ``RightOption.place``, ``RightOption.text``, ``RightOption.counts``."""
    goal: str | None = None
    """The field of the goal that several items share."""
    observed: str | None = None
    """The field of the observation's frame in the source video."""
    action: str | None = None
    """The field of the source video's first frame of the action that the item asks about."""
    moments: Callable[[Record], Moments] = lambda fields: Moments()
    """A function from an item's fields to the times of its clip in the source video."""
    open: bool = False
    """Whether the format belongs to no benchmark: its keys are the names of the schema's fields and roles, or those in
    ``source``.
    """
    table: bool = False
    """Whether records are rows of texts, and not JSON objects."""
    endings: tuple[str, ...] = (".json", ".jsonl")
    """The endings of its files."""
    roles: Mapping[str, Paths] = field(default_factory=dict)
    """In an open format: the keys of the media of each role. Media of other roles are found by the item's ID."""


def as_named(row: ItemKeys, schema: Schema) -> ItemKeys:
    """Return the row with the keys of this schema's files (``source.id``, ``source.fields``).

    Renamed keys include the required ones and the key of the images.
    """
    if row.open:
        return _opened(row, schema)
    if schema.source is None or schema.source.format != row.name:
        return row
    names = schema.source.fields
    other = {
        row.renamed.get(item_field.name, item_field.name): names[item_field.name]
        for item_field in schema.item.fields
        if item_field.name in names
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


def _opened(row: ItemKeys, schema: Schema) -> ItemKeys:
    """Return an open format with the keys of this schema. Without a table's head, each field gets one column."""
    if row.order:
        return row
    source = schema.source or Source(format=row.name)
    names, id_key = source.fields, source.id or ID
    named_by = names.get(DIMENSION, DIMENSION)
    roles = {
        slot.role: Paths((names.get(slot.role, slot.role),), slot.max != 1, row.table, source.separator)
        for slot in schema.item.assets
    }
    fields = [
        key
        for item_field in schema.item.fields
        for key in _in_order(item_field, names) or (names.get(item_field.name, item_field.name),)
    ]
    first = [id_key, *([named_by] if len(schema.dimensions) > 1 else [])]
    order = dict.fromkeys([*first, *(key for paths in roles.values() for key in paths.keys), *fields])
    return replace(row, id_key=id_key, named_by=named_by, roles=roles, order=tuple(order))


def read_twice(row: ItemKeys, schema: Schema) -> str | None:
    """Return a key that two fields would share, so that an edit of one would change the other, or None."""
    counts = Counter(key for column in columns(row, schema).values() for key in column.keys)
    return next((key for key, n in counts.items() if n > 1), None)


def of_head(row: ItemKeys, schema: Schema, head: Sequence[str]) -> ItemKeys:
    """Return the row for a table with these columns.

    Lists and media may have a column for each entry (``option_1``, ``option_2``), and media may have none.
    """
    row = as_named(row, schema)
    spread: dict[str, tuple[str, ...]] = {}
    names = schema.source.fields if schema.source else {}
    for item_field in schema.item.fields:
        key = names.get(item_field.name, item_field.name)
        if kinds.of_field(item_field).holds != "texts":
            continue
        if key in head:
            spread[item_field.name] = ()
        elif keys := _in_order(item_field, names) or _numbered(key, head):
            spread[item_field.name] = keys
    roles = {}
    for role, paths in row.roles.items():
        (key,) = paths.keys
        keys = (key,) if key in head else _numbered(key, head)
        if keys:
            roles[role] = replace(paths, keys=keys)
    return replace(row, spread=spread, roles=roles)


def _in_order(item_field: ItemField, names: Mapping[str, str]) -> tuple[str, ...]:
    """Return the columns or keys of a list's entries, if several are named: ``a,b,c``."""
    keys = named_in_order(names.get(item_field.name, ""))
    return keys if len(keys) > 1 and kinds.of_field(item_field).holds == "texts" else ()


def _numbered(key: str, head: Sequence[str]) -> tuple[str, ...]:
    """Return the columns ``key_1``, ``key_2`` and so on; for a plural such as ``options`` also ``option_1``."""
    for stem in (key, key.removesuffix("s")):
        there = {int(match[1]): name for name in head if (match := re.fullmatch(rf"{re.escape(stem)}_?(\d+)", name))}
        if there:
            return tuple(there[n] for n in sorted(there))
    return ()


@dataclass(frozen=True)
class ColumnMapping:
    """A user's choices for files of an open format, which go beyond the schema."""

    columns: Mapping[str, str] = field(default_factory=dict)
    """The key or column of a field, a role of media, ``id`` or ``dimension``; for a list also several, separated by
    commas.
    """
    separator: str | None = None
    """The separator of list entries in a cell."""
    encoding: str | None = None
    places: Mapping[str, OptionPlace] = field(default_factory=dict)
    """The notation of positions, for fields that name an option by position."""

    def schema(self, schema: Schema, format: str) -> Schema:
        """Return the schema with these choices. Raise ``Misfit`` for a name that is no field and no role of it."""
        fields = [item_field.name for item_field in schema.item.fields]
        known = [*fields, *(slot.role for slot in schema.item.assets), ID, DIMENSION]
        for name in self.columns:
            if name not in known:
                there = ", ".join(dict.fromkeys(known))
                raise Misfit(f"`{name}` is not a field or asset{suggestion(name, known)}; use one of: {there}")
        for name, counts in self.places.items():
            if name not in picked_fields(schema):
                there = ", ".join(picked_fields(schema)) or "none"
                raise Misfit(f"`{name}` is not a field of kind option_of; fields of this kind: {there}")
            if counts not in get_args(OptionPlace):
                raise Misfit(
                    f"`{name}={counts}`: use one of {', '.join(get_args(OptionPlace))} for the position of an option"
                )
        if not self.as_json():
            return schema
        source = schema.source or Source(format=format)
        named = {name: key for name, key in self.columns.items() if name != ID or name in fields}
        source_keys = {
            "id": self.columns.get(ID, source.id),
            "fields": {**source.fields, **named},
            "separator": self.separator or source.separator,
            "places": {**source.places, **self.places},
        }
        return schema.model_copy(update={"source": source.model_copy(update=source_keys)})

    def as_json(self) -> dict[str, Any]:
        """Return the choices that an export needs, for ``FileRecord.meta``; empty if there are none."""
        mapping = {"columns": dict(self.columns), "separator": self.separator, "places": dict(self.places)}
        return {name: value for name, value in mapping.items() if value}

    @classmethod
    def of_file(cls, meta: Mapping[str, Any], schema: Schema) -> ColumnMapping:
        """Return the choices stored with a file, for fields that the schema still has."""
        mapping = meta.get("said", {})
        known = {
            *(item_field.name for item_field in schema.item.fields),
            *(slot.role for slot in schema.item.assets),
            ID,
            DIMENSION,
        }
        columns = {name: key for name, key in mapping.get("columns", {}).items() if name in known}
        places = {name: counts for name, counts in mapping.get("places", {}).items() if name in picked_fields(schema)}
        return cls(columns, mapping.get("separator"), places=places)


def picked_fields(schema: Schema) -> list[str]:
    """Return the names of fields whose value is one of the item's own options."""
    return [
        item_field.name
        for item_field in schema.item.fields
        if item_field.field and kinds.of_field(item_field).answer is AnswerKind.OPTION
    ]


def by_place(schema: Schema, fields: Record) -> list[str]:
    """Return hints for fields whose value would be an option if it were a position."""
    hints = []
    for name in picked_fields(schema):
        value, options = fields.get(name), fields.get(schema.item.field(name).field or "") or []
        if value is None or value in options or isinstance(value, bool):
            continue
        ways = [counts for counts in get_args(OptionPlace) if _is_place(value, counts, len(options))]
        if ways:
            hints.append(
                f"if {value} is the position of the option, add --set option_places.{name}={ways[0]}"
                f"{''.join(f' (or {way})' for way in ways[1:])}"
            )
    return hints


def _is_place(said: Any, counts: OptionPlace, n_options: int) -> bool:
    try:
        RightOption(Plain("options"), "options", "place", counts, table=isinstance(said, str))._index(said, n_options)
    except Misfit:
        return False
    return True


def columns(row: ItemKeys, schema: Schema) -> dict[str, Column]:
    """Return the column of each field, in the schema's order."""
    by_field: dict[str, Column] = {}
    source = schema.source if schema.source and (row.open or schema.source.format == row.name) else None
    names = source.fields if source else {}

    def plain_or_spread(item_field: ItemField) -> Column:
        key = names.get(item_field.name) or row.renamed.get(item_field.name, item_field.name)
        several = _in_order(item_field, names) if row.open else ()
        keys = row.spread.get(item_field.name, several)
        if keys and keys == several:
            return Spread(keys, blank=True)
        if row.table:
            return Spread(keys, grows=True) if keys else Cell(key, item_field, source.separator if source else None)
        if key == row.id_key:
            return Plain(key, "json")  # a number in most files, text in some
        keys = row.spread.get(item_field.name) or row.spread.get(key) or ()
        if keys and kinds.of_field(item_field).is_list:
            return Spread(keys)
        return Plain(key, item_field.kind)

    for item_field in schema.item.fields:
        by_field[item_field.name] = plain_or_spread(item_field)
        one_of = kinds.of_field(item_field).answer is AnswerKind.OPTION
        if not one_of or not item_field.field:
            continue
        if row.open and source and item_field.name in source.places:
            own, options = by_field[item_field.name], plain_or_spread(schema.item.field(item_field.field))
            (key,), counts = own.keys, source.places[item_field.name]
            by_field[item_field.name] = RightOption(
                options, item_field.field, key, counts, table=row.table, none=item_field.none is not None
            )
        elif row.chosen:
            name, place, text, counts = row.chosen
            if names.get(item_field.name, item_field.name) in (name, place):
                options = plain_or_spread(schema.item.field(item_field.field))
                by_field[item_field.name] = RightOption(options, item_field.field, place, counts, text)
    return by_field


def keys_of(row: ItemKeys, schema: Schema) -> list[str]:
    """Return all keys of a record that are read."""
    row = as_named(row, schema)
    keys = [key for column in columns(row, schema).values() for key in column.keys]
    special = (row.id_key, row.named_by, row.media, row.origin, row.video)
    of_media = [key for paths in row.roles.values() for key in paths.keys]
    return list(dict.fromkeys([*keys, *row.needs, *of_media, *(key for key in special if key)]))


_used_last: list[tuple[ItemKeys, Schema, ItemKeys, dict[str, Column]]] = []


def _at_hand(row: ItemKeys, schema: Schema) -> tuple[ItemKeys, dict[str, Column]]:
    """Return the row with this schema's keys, and its columns. The last result is cached, because each record needs
    it.
    """
    for of_row, of_schema, named, by_field in _used_last:
        if of_row is row and of_schema is schema:
            return named, by_field
    named = as_named(row, schema)
    made = columns(named, schema)
    _used_last[:] = [(row, schema, named, made)]
    return named, made


def fields_of(row: ItemKeys, schema: Schema, record: Record, *, coming_in: bool = True) -> dict[str, Any]:
    """Return the schema's fields of a record. Raise ``Misfit`` for an invalid record.

    A record that was imported earlier may lack fields that the schema now requires.
    """
    row, own = _at_hand(row, schema)
    wrong = {f"{key} is missing": None for key in row.needs if record.get(key) is None}
    fields: dict[str, Any] = {}
    for name, column in own.items():
        try:
            fields[name] = column.read(record)
            if coming_in and isinstance(column, RightOption) and (twofold := column.contradiction(record)):
                wrong[twofold] = None
        except Misfit as misfit:
            wrong[str(misfit)] = None
            if row.open and len(column.keys) == 1:
                wrong |= dict.fromkeys(by_place(schema, {**fields, name: record.get(column.keys[0])}))
    if row.open and coming_in:
        wrong |= {f"{key} is missing": None for key in _lacking(own, schema, fields)}
    if wrong:
        raise Misfit("; ".join(wrong))
    return kinds.fields_in_order(schema, {name: value for name, value in fields.items() if value is not None})


def _lacking(own: Mapping[str, Column], schema: Schema, fields: Mapping[str, Any]) -> list[str]:
    """Return the keys of required fields that were read but are missing."""
    return [
        own[item_field.name].keys[0]
        for item_field in schema.item.fields
        if item_field.required and item_field.name in fields and fields[item_field.name] is None
    ]


def changes(row: ItemKeys, schema: Schema, record: Record, fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return the changes that turn a record into one with these ``fields``: new values by key, None to remove a key."""
    before = fields_of(row, schema, record, coming_in=False)
    changed: dict[str, Any] = {}
    for name, column in columns(row, schema).items():
        options = column.options_field if isinstance(column, RightOption) else name
        if all(same(before.get(part), _or_none(fields.get(part))) for part in (name, options)):
            continue
        for key, value in column.write(_or_none(fields.get(name)), fields).items():
            if not same(record.get(key), value) and (key in record or value is not None):
                changed[key] = value
    return changed


def says_dimension(row: ItemKeys, schema: Schema, record: Record, item: ItemRecord) -> dict[str, Any]:
    """Return the changes to a record whose item had another dimension at import, or whose dimension was renamed.

    A title or folder that still names the dimension is kept.
    """
    named = record.get(row.named_by or "")
    if item.dimension_given is None or named is None:
        return {}
    dimension = dimension_named(schema, str(named))
    if dimension and dimension.id == item.dimension and named != item.dimension_given:
        return {}
    return {str(row.named_by): dimension_in_files(row, schema.dimension(item.dimension))}


def _or_none(value: Any) -> Any:
    """Return None for an empty text, which a cleared form sends."""
    return None if value == "" else value


def new_record(
    row: ItemKeys,
    schema: Schema,
    fields: Mapping[str, Any],
    *,
    dimension: str,
    id: int | str | None = None,
    images: Sequence[str] = (),
    media: Mapping[str, Sequence[str]] = MappingProxyType({}),
    source: str | None = None,
    order: Sequence[str] = (),
) -> dict[str, Any]:
    """Return a record for an item without one. Its keys follow ``order`` (of the file it joins), or the row's order.

    ``images`` are the paths of its media, ``media`` the same by role.
    """
    row, own = _at_hand(row, schema)
    record: dict[str, Any] = {}
    for role, paths in row.roles.items():
        record.update(paths.write(media.get(role, ())))
    if row.media and row.media in row.order:
        record[row.media] = list(images)
    elif row.media and row.media in order and images:
        record[row.media] = images[0]
    if row.named_by and (not row.open or row.named_by in (order or row.order)):
        record[row.named_by] = dimension_in_files(row, schema.dimension(dimension))
    if row.origin:  # where the source is a video, no one has said which collection that is of
        record[row.origin] = "" if row.video else source or ""
    if row.video and source:
        record[row.video] = source
    if row.id_key and id is not None and (not row.open or row.id_key in (order or row.order)):
        record[row.id_key] = id
    for name, column in own.items():
        written = column.write(_or_none(fields.get(name)), fields)
        record.update({key: value for key, value in written.items() if value is not None})
    places = {key: place for place, key in enumerate(dict.fromkeys([*order, *row.order]))}
    return dict(sorted(record.items(), key=lambda entry: places.get(entry[0], len(places))))


def dimension_in_files(row: ItemKeys, part: Dimension) -> str:
    """Return the dimension's name in records: the schema's name for files, or else the ID (open formats)
    or the title.
    """
    return part.named or (part.id if row.open else part.title)


def new_path(row: ItemKeys, schema: Schema, dimension: str) -> str:
    """Return the path for a new record without a file, below the folder of the export."""
    if row.by_folder:
        part = schema.dimension(dimension)
        return f"{part.folder or part.id}/{row.file_name}"
    return row.file_name or f"{dimension}.json"


# ---- dimensions -----------------------------------------------------------------------------------------------------


def dimension_named(schema: Schema, name: str) -> Dimension | None:
    """Return the dimension with this ID, title, name or folder, in any spelling."""
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
    """Return the dimension with the longest folder path that ends these folders, or else the one named like the last
    folder.
    """
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
    """Return a whole number. 3.0 counts as one."""
    if isinstance(value, bool) or not isinstance(value, int | float) or value != int(value):
        raise Misfit(f"{key} is not a whole number; write a whole number without quotes")
    return int(value)


def short(text: str, key: str) -> str:
    """Return a name, which must be short because databases index it."""
    if len(text) > LONGEST_NAME:
        raise Misfit(f"{key} is longer than {LONGEST_NAME} characters; shorten the name")
    return text


def name_of_rater(text: str, key: str) -> str:
    """Return the name of a model or judge, which must fit on one line of a terminal."""
    if any(unicodedata.category(character) == "Cc" for character in text):
        raise Misfit(f"{key} has a line break or another control character; remove the character")
    return short(text, key)


def _wanted(value: Any, kind: type, reason: str) -> Any:
    if not isinstance(value, kind):
        raise Misfit(reason)
    return value
