"""The mapping file of ``touchstone item import``: which column is which field, and how values are written.

A mapping is YAML or JSON. Keys given with ``--set KEY=VALUE`` override those of the file.
"""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, cast

from pydantic import BaseModel, ConfigDict

from annotation_schemas import kinds, typed_yaml
from annotation_schemas.formats import FORMATS, ColumnMapping, Names, Takes, item_keys, named, reading
from annotation_schemas.model import OptionPlace
from annotation_schemas.typed_yaml import in_lines
from domain.errors import InvalidFileError, InvalidInputError, Problem
from domain.states import RatersAre

if TYPE_CHECKING:
    from annotation_schemas.model import Schema


class ImportMapping(BaseModel):
    """The content of a mapping file."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    columns: Mapping[str, str | tuple[str, ...]] = {}
    separator: str | None = None
    encoding: str | None = None
    option_places: Mapping[str, str] = {}
    dimension: str | None = None
    model_description: str | None = None
    raters: Literal["people", "machines"] | None = None
    missing_words: tuple[str, ...] | None = None
    template: str | None = None
    criteria: Mapping[str, str] = {}
    fields: Mapping[str, str] = {}
    controls: Mapping[str, str] = {}
    ignore_controls: tuple[str, ...] = ()
    rater: str | None = None

    def columns_said(self) -> ColumnMapping | None:
        """Return the settings of a table or of JSON records; None if there are none."""
        columns = {name: key if isinstance(key, str) else ",".join(key) for name, key in self.columns.items()}
        places = cast(Mapping[str, OptionPlace], self.option_places)  # an unknown way is refused with the field's name
        said = ColumnMapping(columns, self.separator, self.encoding, places)
        return said if said != ColumnMapping() else None

    def task_names(self, model: str | None) -> Names:
        """Return the names that differ between another annotation program and the project."""
        return Names(dict(self.fields), dict(self.controls), frozenset(self.ignore_controls), self.rater, model)


@dataclass(frozen=True)
class MappingKey:
    """A key of mapping files, for the formats that it is about."""

    name: str
    takes: tuple[Takes, ...]
    example: str
    meaning: str


KEYS = (
    MappingKey("columns", (Takes.ITEMS,), "{question: Frage}", "the columns of the fields, media, ID and dimension"),
    MappingKey("separator", (Takes.ITEMS,), '";"', "the text that separates list entries in one cell"),
    MappingKey("encoding", (Takes.ITEMS,), "cp1252", "the encoding of a file that is not UTF-8"),
    MappingKey(
        "option_places",
        (Takes.ITEMS,),
        "{answer: letter}",
        "how a field gives an option by position instead of text: letter, from_1 or from_0",
    ),
    MappingKey(
        "dimension",
        (Takes.ITEMS, Takes.ANSWERS, Takes.RATINGS, Takes.TASKS),
        "counting",
        "the dimension of all rows, if the file names no dimension",
    ),
    MappingKey("model_description", (Takes.ANSWERS,), "model.yaml", "a model description with `adapter: file`"),
    MappingKey(
        "raters", (Takes.RATINGS, Takes.TASKS), "people", "whether raters without an account are people or machines"
    ),
    MappingKey("missing_words", (Takes.RATINGS,), "[NA, none]", "words that mark a missing rating"),
    MappingKey("template", (Takes.REPLIES,), "egothink_single", "the judge template of the replies: an ID or a file"),
    MappingKey("criteria", (Takes.REPLIES,), "{score: quality}", "the criterion that each part of a reply rates"),
    MappingKey("fields", (Takes.TASKS,), "{question: text}", "the data keys of the fields, media, item_id and model"),
    MappingKey("controls", (Takes.TASKS,), "{fits: verdict}", "the controls of the criteria and of `prediction`"),
    MappingKey("ignore_controls", (Takes.TASKS,), "[notes]", "controls that are not imported"),
    MappingKey("rater", (Takes.TASKS,), "ann", "the rater for annotations that do not name a rater"),
)
"""All keys of a mapping file, in the order of a written file."""
ENDINGS = (".csv", ".tsv", ".xlsx", ".json", ".jsonl")
"""Suffixes of the files whose columns are guessed."""
_LISTS = ("missing_words", "ignore_controls")
_MAPS = ("columns", "option_places", "criteria", "fields", "controls")


def read_mapping(file: Path | None, settings: Sequence[str], *, takes: Takes | None, format: str) -> ImportMapping:
    """Return the mapping of a file and of ``--set`` texts, for one format.

    Raises
    ------
    SchemaError
        The file cannot be read, or has an unknown key or a wrong value; with its line.
    InvalidInputError
        A text is not ``KEY=VALUE``, or a key is for other formats.
    """
    content: dict[str, Any] = {}
    if file is not None:
        document, mapping = typed_yaml.parse(typed_yaml.read_file(file), ImportMapping)
        if mapping is None:
            raise InvalidFileError(in_lines(document, str(file)))
        content = mapping.model_dump(exclude_unset=True)
    for text in settings:
        _set(content, text)
    for key in KEYS:
        if key.name in content and takes is not None and takes not in key.takes:
            scope = f"The mapping key `{key.name}` works only for {named(reading(*key.takes))}"
            raise InvalidInputError([Problem("mapping", f"{scope}. Delete the key to import {format}.")])
    if content.get("raters") not in (None, *RatersAre):
        raise InvalidInputError(
            [Problem("set", f"--set raters={content['raters']} is unknown. Use people or machines.")]
        )
    return ImportMapping.model_validate(content)


def _set(content: dict[str, Any], text: str) -> None:
    """Add one ``KEY=VALUE`` text, such as ``columns.question=Frage``, to a mapping."""
    path, mark, value = text.partition("=")
    key, _, name = path.strip().partition(".")
    wrong = ""
    if key not in ImportMapping.model_fields:
        near = difflib.get_close_matches(key, [each.name for each in KEYS], n=1)
        hint = (
            f" Did you mean `{near[0]}`?"
            if near
            else f" Use one of these keys: {', '.join(each.name for each in KEYS)}."
        )
        wrong = f"--set {text}: a mapping has no key `{key}`.{hint}"
    elif not mark or (key in _MAPS) is not bool(name) or not (value.strip() or key in ("separator", "missing_words")):
        wrong = f"--set {text} is not in the form KEY=VALUE, such as separator=; or columns.question=Frage."
    if wrong:
        raise InvalidInputError([Problem("set", wrong)])
    if key != "separator":
        value = value.strip()
    if key in _MAPS:
        content[key] = {**content.get(key, {}), name.strip(): value}
    elif key == "missing_words":
        content[key] = tuple(word.strip() for word in value.split(",") if word.strip())
    elif key in _LISTS:
        content[key] = (*content.get(key, ()), value)
    else:
        content[key] = value


def written_mapping(schema: Schema, format: str, path: Path, command: str) -> str:
    """Return the text of a mapping file for a file: guessed columns, and all other keys as comments."""
    takes = FORMATS[format].takes
    lines = [f"# How to read {path.name}. Correct this mapping, then run:", f"# {command}"]
    row = FORMATS[format].keys
    if takes is Takes.ITEMS and row is not None and row.open:
        lines += [
            "",
            "# Left: the name in the schema. Right: the column in the file.",
            *_guessed_lines(schema, format, path),
        ]
    lines += ["", "# Further optional keys:"]
    lines += [
        f"# {key.name}: {key.example}   # {key.meaning}"
        for key in KEYS
        if takes in key.takes and not (key.name == "columns" and takes is Takes.ITEMS and row is not None and row.open)
    ]
    return "\n".join(lines) + "\n"


def _guessed_lines(schema: Schema, format: str, path: Path) -> Iterator[str]:
    from importers.column_guess import guess_column
    from importers.item_preview import by_default, preview
    from importers.items import annotation_files

    first = annotation_files(path, None, ENDINGS)[0] if path.is_dir() else path
    found = preview(first, format=format, schema=schema, said=ColumnMapping())
    if not found.columns:
        raise InvalidFileError(found.refused or f"{first} has no columns. Add a header row with column names.")
    titles = {field.name: field.title or field.name for field in schema.item.fields}
    lists = {field.name for field in schema.item.fields if kinds.of_field(field).holds == "texts"}
    guesses = {
        name: guess_column((default, name, titles.get(name, name)), found.columns, several=name in lists)
        for name, default in by_default(schema, format).items()
    }
    used = {column for columns in guesses.values() for column in columns}
    left = ", ".join(column for column in found.columns if column not in used) or "none"
    yield "columns:" if any(guesses.values()) else "columns: {}"
    for name, columns in guesses.items():
        shown = [json.dumps(column, ensure_ascii=False) for column in columns]
        value = shown[0] if len(shown) == 1 else f"[{', '.join(shown)}]"
        yield (
            f"  {json.dumps(name, ensure_ascii=False)}: {value}" if columns else f"  # {name}: no similar column found"
        )
    yield f"# Columns that no field uses: {left}."
    if not item_keys(format).table:
        yield "# For this format, a column is a key of the JSON records."
