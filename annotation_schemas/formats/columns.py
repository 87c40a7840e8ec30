"""Files of items: how the keys of a record and the fields of a schema go together, both ways.

Each format of items says what is particular about it (``ItemKeys``). What a record holds beyond these keys is no one's
field; it stays in the record's text. The schema's ``source.fields`` may give other names for keys; a field that no row
knows is the key of the same name.
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
from domain.json_text import Layout, same
from domain.reading.answers import AnswerKind
from domain.records import ItemRecord

LONGEST_NAME = 300
"""Characters of an id, a path, a model's name."""

ID, DIMENSION = "id", "dimension"
"""The keys of open formats that name an item and its dimension, unless the schema says otherwise."""

Record = Mapping[str, Any]


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
        if holds == "decimal":
            return decimals.normal(value)
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
    grows: bool = False
    """A longer list gets further keys."""
    blank: bool = False
    """An empty text is no entry."""

    def read(self, record: Record) -> Any:
        empty = (None, "") if self.blank else (None,)
        there = [key for key in self.keys if record.get(key) not in empty]
        if not there:
            return None
        if there != list(self.keys[: len(there)]):
            missing = next(key for key in self.keys if key not in there)
            raise Misfit(f"it has no {missing}, but {there[-1]}")
        return [_wanted(record[key], str, f"{key} is not text") for key in there]

    def write(self, value: Any, fields: Record) -> dict[str, Any]:
        entries = list(value or ())
        keys = numbered(self.keys, len(entries)) if self.grows else self.keys
        if len(entries) > len(keys):
            raise Misfit(f"its list has {len(entries)} entries, and only {', '.join(keys)} hold them")
        return {key: entries[i] if i < len(entries) else None for i, key in enumerate(keys)}


@dataclass(frozen=True)
class Chosen:
    """The right option: in the schema its text, in the file its place among the options, and perhaps its text too."""

    options: Column
    options_field: str
    place: str
    """The key that holds the place."""
    counts: OptionPlace = "from_0"
    """How places are written."""
    text: str | None = None
    """The key that repeats the text."""
    table: bool = False
    """Its records are rows of texts."""
    none: bool = False
    """None of the options may be right: that has no place, and stands in the file by its value."""

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
        if text is not None and text not in options:
            raise Misfit(f"{self.text} is none of the options")
        return text

    def _index(self, place: Any, n_options: int) -> int:
        if self.counts == "letter":
            index = ascii_uppercase.find(place.upper()) if isinstance(place, str) and len(place) == 1 else -1
            known = f"one of {', '.join(ascii_uppercase[:n_options])}"
        else:
            first = int(self.counts == "from_1")
            index = (whole if self.table else whole_number)(place, self.place) - first
            known = f"a number from {first} to {n_options - 1 + first}"
        if not 0 <= index < n_options:
            raise Misfit(f"{self.place} is {place!r}, not {known}")
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
    chosen: tuple[str, str, str | None, OptionPlace] | None = None
    """The right option: field or key that holds it, ``Chosen.place``, ``Chosen.text``, ``Chosen.counts``."""
    goal: str | None = None
    """The field that names the goal of several items."""
    observed: str | None = None
    """The field with the frame of the source video that is the observation."""
    action: str | None = None
    """The field with the frame of the source video with which the action begins that is asked for."""
    moments: Callable[[Record], Moments] = lambda fields: Moments()
    """From an item's fields to what is cut out of its source video."""
    open: bool = False
    """It is no benchmark's own: its keys are the names of the schema's fields and roles, or what ``source`` says."""
    table: bool = False
    """Its records are rows of texts; else JSON objects."""
    endings: tuple[str, ...] = (".json", ".jsonl")
    """Of its files."""
    roles: Mapping[str, Paths] = field(default_factory=dict)
    """Of an open format: the keys that name the media of each role; a role that is not there is found by the item's
    id."""


def as_named(row: ItemKeys, schema: Schema) -> ItemKeys:
    """The row with the keys that this schema's files have where they differ (``source.id``, ``source.fields``): also
    those without which a record is something else, and that of the images."""
    if row.open:
        return _opened(row, schema)
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


def _opened(row: ItemKeys, schema: Schema) -> ItemKeys:
    """An open format with the keys of this schema; of a table without its head, one column for each."""
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
        key for each in schema.item.fields for key in _in_order(each, names) or (names.get(each.name, each.name),)
    ]
    first = [id_key, *([named_by] if len(schema.dimensions) > 1 else [])]
    order = dict.fromkeys([*first, *(key for paths in roles.values() for key in paths.keys), *fields])
    return replace(row, id_key=id_key, named_by=named_by, roles=roles, order=tuple(order))


def read_twice(row: ItemKeys, schema: Schema) -> str | None:
    """The key that two fields would share, so that an edit of one would change the other; None: none."""
    counts = Counter(key for column in columns(row, schema).values() for key in column.keys)
    return next((key for key, n in counts.items() if n > 1), None)


def of_head(row: ItemKeys, schema: Schema, head: Sequence[str]) -> ItemKeys:
    """The row of a table whose columns are these: lists and media that have a column for each entry (``option_1``,
    ``option_2``), and media that have none."""
    row = as_named(row, schema)
    spread: dict[str, tuple[str, ...]] = {}
    names = schema.source.fields if schema.source else {}
    for each in schema.item.fields:
        key = names.get(each.name, each.name)
        if kinds.of_field(each).holds != "texts":
            continue
        if key in head:
            spread[each.name] = ()
        elif keys := _in_order(each, names) or _numbered(key, head):
            spread[each.name] = keys
    roles = {}
    for role, paths in row.roles.items():
        (key,) = paths.keys
        keys = (key,) if key in head else _numbered(key, head)
        if keys:
            roles[role] = replace(paths, keys=keys)
    return replace(row, spread=spread, roles=roles)


def _in_order(item_field: ItemField, names: Mapping[str, str]) -> tuple[str, ...]:
    """The columns or keys that hold the entries of a list one after another, where several are named: ``a,b,c``."""
    keys = named_in_order(names.get(item_field.name, ""))
    return keys if len(keys) > 1 and kinds.of_field(item_field).holds == "texts" else ()


def _numbered(key: str, head: Sequence[str]) -> tuple[str, ...]:
    """The columns ``key_1``, ``key_2`` and so on; of a plural also ``option_1`` for ``options``."""
    for stem in (key, key.removesuffix("s")):
        there = {int(found[1]): name for name in head if (found := re.fullmatch(rf"{re.escape(stem)}_?(\d+)", name))}
        if there:
            return tuple(there[n] for n in sorted(there))
    return ()


@dataclass(frozen=True)
class Said:
    """What someone says of files of an open format as they come in, besides what the schema says of all."""

    columns: Mapping[str, str] = field(default_factory=dict)
    """The key or column of a field, a role of media, ``id`` or ``dimension``; of a list also several, with commas
    between them."""
    separator: str | None = None
    """What stands between the entries of a list in one cell."""
    encoding: str | None = None
    places: Mapping[str, OptionPlace] = field(default_factory=dict)
    """How the fields that are one of an item's options say which one, where it is not by their text."""

    def schema(self, schema: Schema, format: str) -> Schema:
        """The schema with these names. ``Misfit`` for a name that is no field and no role of it."""
        fields = [each.name for each in schema.item.fields]
        known = [*fields, *(slot.role for slot in schema.item.assets), ID, DIMENSION]
        for name in self.columns:
            if name not in known:
                there = ", ".join(dict.fromkeys(known))
                raise Misfit(f"`{name}` is no field or asset{suggestion(name, known)}; there are {there}")
        for name, counts in self.places.items():
            if name not in picked_fields(schema):
                there = ", ".join(picked_fields(schema)) or "none"
                raise Misfit(f"`{name}` is no field of the kind option_of; of that kind: {there}")
            if counts not in get_args(OptionPlace):
                raise Misfit(f"`{name}={counts}`: places of options are given as {', '.join(get_args(OptionPlace))}")
        if not self.as_json():
            return schema
        source = schema.source or Source(format=format)
        named = {name: key for name, key in self.columns.items() if name != ID or name in fields}
        said = {
            "id": self.columns.get(ID, source.id),
            "fields": {**source.fields, **named},
            "separator": self.separator or source.separator,
            "places": {**source.places, **self.places},
        }
        return schema.model_copy(update={"source": source.model_copy(update=said)})

    def as_json(self) -> dict[str, Any]:
        """For ``FileRecord.meta``; empty where nothing was said that its export has to know."""
        found = {"columns": dict(self.columns), "separator": self.separator, "places": dict(self.places)}
        return {name: value for name, value in found.items() if value}

    @classmethod
    def of_file(cls, meta: Mapping[str, Any], schema: Schema) -> Said:
        """What was said of a file when it came in, of the fields that the schema still has."""
        said = meta.get("said", {})
        known = {
            *(each.name for each in schema.item.fields),
            *(slot.role for slot in schema.item.assets),
            ID,
            DIMENSION,
        }
        columns = {name: key for name, key in said.get("columns", {}).items() if name in known}
        places = {name: counts for name, counts in said.get("places", {}).items() if name in picked_fields(schema)}
        return cls(columns, said.get("separator"), places=places)


def picked_fields(schema: Schema) -> list[str]:
    """The fields that are one of an item's own options, by name."""
    return [each.name for each in schema.item.fields if each.field and kinds.of_field(each).answer is AnswerKind.OPTION]


def by_place(schema: Schema, fields: Record) -> list[str]:
    """Fields that would be one of their item's options if the file gave its place, in sentences: what to say then."""
    found = []
    for name in picked_fields(schema):
        said, options = fields.get(name), fields.get(schema.item.field(name).field or "") or []
        if said is None or said in options or isinstance(said, bool):
            continue
        ways = [counts for counts in get_args(OptionPlace) if _is_place(said, counts, len(options))]
        if ways:
            found.append(
                f"if {said} is the place of the option, say so with --place {name}={ways[0]}"
                f"{''.join(f' (or {way})' for way in ways[1:])}"
            )
    return found


def _is_place(said: Any, counts: OptionPlace, n_options: int) -> bool:
    try:
        Chosen(Plain("options"), "options", "place", counts, table=isinstance(said, str))._index(said, n_options)
    except Misfit:
        return False
    return True


def columns(row: ItemKeys, schema: Schema) -> dict[str, Column]:
    """The columns by field, in the schema's order."""
    found: dict[str, Column] = {}
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
        found[item_field.name] = plain_or_spread(item_field)
        one_of = kinds.of_field(item_field).answer is AnswerKind.OPTION
        if not one_of or not item_field.field:
            continue
        if row.open and source and item_field.name in source.places:
            own, options = found[item_field.name], plain_or_spread(schema.item.field(item_field.field))
            (key,), counts = own.keys, source.places[item_field.name]
            found[item_field.name] = Chosen(
                options, item_field.field, key, counts, table=row.table, none=item_field.none is not None
            )
        elif row.chosen:
            name, place, text, counts = row.chosen
            if names.get(item_field.name, item_field.name) in (name, place):
                options = plain_or_spread(schema.item.field(item_field.field))
                found[item_field.name] = Chosen(options, item_field.field, place, counts, text)
    return found


def keys_of(row: ItemKeys, schema: Schema) -> list[str]:
    """All keys of a record that someone reads."""
    row = as_named(row, schema)
    found = [key for column in columns(row, schema).values() for key in column.keys]
    special = (row.id_key, row.named_by, row.media, row.origin, row.video)
    of_media = [key for paths in row.roles.values() for key in paths.keys]
    return list(dict.fromkeys([*found, *row.needs, *of_media, *(key for key in special if key)]))


_used_last: list[tuple[ItemKeys, Schema, ItemKeys, dict[str, Column]]] = []


def _at_hand(row: ItemKeys, schema: Schema) -> tuple[ItemKeys, dict[str, Column]]:
    """The row as this schema names it, and its columns: those asked for last are kept, as a file asks for each
    record."""
    for of_row, of_schema, named, found in _used_last:
        if of_row is row and of_schema is schema:
            return named, found
    named = as_named(row, schema)
    made = columns(named, schema)
    _used_last[:] = [(row, schema, named, made)]
    return named, made


def fields_of(row: ItemKeys, schema: Schema, record: Record, *, coming_in: bool = True) -> dict[str, Any]:
    """The schema's fields as the record has them; ``Misfit`` if it does not fit. A record that is in already may lack
    what the schema requires by now."""
    row, own = _at_hand(row, schema)
    wrong = {f"it has no {key}": None for key in row.needs if record.get(key) is None}
    found: dict[str, Any] = {}
    for name, column in own.items():
        try:
            found[name] = column.read(record)
        except Misfit as misfit:
            wrong[str(misfit)] = None
            if row.open and len(column.keys) == 1:
                wrong |= dict.fromkeys(by_place(schema, {**found, name: record.get(column.keys[0])}))
    if row.open and coming_in:
        wrong |= {f"it has no {key}": None for key in _lacking(own, schema, found)}
    if wrong:
        raise Misfit("; ".join(wrong))
    return {name: value for name, value in found.items() if value is not None}


def _lacking(own: Mapping[str, Column], schema: Schema, fields: Mapping[str, Any]) -> list[str]:
    """The keys of required fields that were read, and are not there."""
    return [
        own[each.name].keys[0]
        for each in schema.item.fields
        if each.required and each.name in fields and fields[each.name] is None
    ]


def changes(row: ItemKeys, schema: Schema, record: Record, fields: Mapping[str, Any]) -> dict[str, Any]:
    """What has to change in a record so that it says ``fields``: new values by key, None to take a key away."""
    before = fields_of(row, schema, record, coming_in=False)
    found: dict[str, Any] = {}
    for name, column in columns(row, schema).items():
        options = column.options_field if isinstance(column, Chosen) else name
        if all(same(before.get(part), _or_none(fields.get(part))) for part in (name, options)):
            continue
        for key, value in column.write(_or_none(fields.get(name)), fields).items():
            if not same(record.get(key), value) and (key in record or value is not None):
                found[key] = value
    return found


def says_dimension(row: ItemKeys, schema: Schema, record: Record, item: ItemRecord) -> dict[str, Any]:
    """What has to change in the record of an item that was in another dimension when it came in, or in one that was
    called otherwise. A title or folder that still names its dimension stays."""
    said = record.get(row.named_by or "")
    if item.dimension_given is None or said is None:
        return {}
    found = dimension_named(schema, str(said))
    if found and found.id == item.dimension and said != item.dimension_given:
        return {}
    return {str(row.named_by): dimension_in_files(row, schema.dimension(item.dimension))}


def _or_none(value: Any) -> Any:
    """An emptied text of a form is no value."""
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
    """A record for an item that came from no file; its keys in ``order`` (of the file it joins), else the row's.

    ``images`` are the paths of its media, ``media`` the same by role."""
    row, own = _at_hand(row, schema)
    found: dict[str, Any] = {}
    for role, paths in row.roles.items():
        found.update(paths.write(media.get(role, ())))
    if row.media and row.media in row.order:
        found[row.media] = list(images)
    elif row.media and row.media in order and images:
        found[row.media] = images[0]
    if row.named_by and (not row.open or row.named_by in (order or row.order)):
        found[row.named_by] = dimension_in_files(row, schema.dimension(dimension))
    if row.origin:  # where the source is a video, no one has said which collection that is of
        found[row.origin] = "" if row.video else source or ""
    if row.video and source:
        found[row.video] = source
    if row.id_key and id is not None and (not row.open or row.id_key in (order or row.order)):
        found[row.id_key] = id
    for name, column in own.items():
        written = column.write(_or_none(fields.get(name)), fields)
        found.update({key: value for key, value in written.items() if value is not None})
    places = {key: place for place, key in enumerate(dict.fromkeys([*order, *row.order]))}
    return dict(sorted(found.items(), key=lambda entry: places.get(entry[0], len(places))))


def dimension_in_files(row: ItemKeys, part: Dimension) -> str:
    """What a record calls its dimension: the id in open formats, the title elsewhere, unless the schema says it."""
    return part.named or (part.id if row.open else part.title)


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
