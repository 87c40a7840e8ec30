"""Choose the column of each field on the page Add items, with a preview of the first rows."""

from __future__ import annotations

import codecs
import json
import re
import zipfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import IO, Any, get_args

import streamlit as st

from annotation_schemas import kinds
from annotation_schemas.formats import ColumnMapping, as_named, columns, item_keys, of_head, picked_fields
from annotation_schemas.model import OptionPlace, Schema
from app import markup, shell
from domain.errors import InvalidFileError
from importers import zip_archives
from importers.column_guess import guessed_columns
from importers.item_preview import ItemPreview, by_default, preview
from importers.items import annotation_files

BEGINNING = 1 << 18
"""Number of bytes of a file that are read for the preview."""
_WHOLE = (".xlsx",)
_CUT = 60
_WAYS = {
    "letter": "the option's letter: A, B, C",
    "from_1": "the option's number, from 1: 1, 2, 3",
    "from_0": "the option's number, from 0: 0, 1, 2",
}


Used = Callable[[Sequence[str]], tuple[str, ColumnMapping] | None]
"""Takes a file's columns, and returns the last file with the same columns and its settings, or None."""


def draw_settings(
    schema: Schema, format: str, first: Path | None, used: Used
) -> tuple[ColumnMapping | None, ItemPreview | None, str]:
    """Draw the settings of a table. Return the settings (None: the defaults), a preview of its first rows, and a
    sentence about guessed columns.

    ``first`` is the beginning of the first file. Settings of an earlier file with the same columns are preselected.
    """
    places_at = st.container()
    left, right = st.columns(2)
    with right:
        encoding = st.text_input("File encoding", key="import.encoding").strip() or None
    seen = (
        preview(first, format=format, schema=schema, said=ColumnMapping(encoding=encoding))
        if first is not None
        else None
    )
    there = seen.columns if seen is not None else ()
    before = used(there) if there else None
    name, known = before or ("", ColumnMapping())
    mark = hash((tuple(there), name))
    with left:
        separator = st.text_input("List separator", value=known.separator or "", key=f"import.separator.{mark}")
    with places_at:
        mapping = ColumnMapping({}, separator.strip() or None, encoding, _places(schema, known, mark))
    if first is None or seen is None:
        return (mapping if mapping != ColumnMapping() else None), None, ""
    said = ""
    if there:
        seen = preview(first, format=format, schema=schema, said=mapping)
        remembered_at = st.container()
        guess = {} if known.columns else guessed_columns(schema, format, there)
        if guess:
            seen = preview(first, format=format, schema=schema, said=replace(mapping, columns=guess))
        mapping = replace(mapping, columns=_columns(schema, format, replace(seen, columns=there), known, guess, mark))
        if mapping.columns:
            seen = preview(first, format=format, schema=schema, said=mapping)
        said = _guess_in_words(schema, {part: at for part, at in guess.items() if mapping.columns.get(part) == at})
        if name and mapping.columns == known.columns:
            words = (
                f"Touchstone uses the column settings of {name}, which has the same columns. You can change the "
                "settings below."
            )
            with remembered_at:
                shell.show(markup.tag("p", markup.text(words), style="ts", data_part="remembered"))
    return (mapping if mapping != ColumnMapping() else None), seen, said


def _places(schema: Schema, before: ColumnMapping, mark: int) -> dict[str, OptionPlace]:
    """Draw how each field that names an option is written in the files, if not by the option's text."""
    chosen = {}
    known = schema.source.places if schema.source else {}
    for name in picked_fields(schema):
        ways: list[OptionPlace | None] = [None, *get_args(OptionPlace)]
        way = st.selectbox(
            f"Format of {schema.item.field(name).title or name} in the files",
            ways,
            index=ways.index(before.places.get(name, known.get(name))),
            format_func=lambda each: _WAYS.get(each, "the option's text"),
            key=f"import.place.{name}.{mark}",
        )
        if way is not None and way != known.get(name):
            chosen[name] = way
    return chosen


def _guess_in_words(schema: Schema, guess: Mapping[str, str]) -> str:
    """Return which guessed columns are in use, because the preview shows only the first items."""
    if not guess:
        return ""
    titles = {field.name: field.title or field.name for field in schema.item.fields}
    pairs = ", ".join(f"{titles.get(name, name)} = {column}" for name, column in guess.items())
    return f"Touchstone matched these columns by name: {pairs}. To change a column, open “Column mapping”."


def _columns(
    schema: Schema, format: str, found: ItemPreview, before: ColumnMapping, guess: Mapping[str, str], mark: int
) -> dict[str, str]:
    """Draw the columns and return those that differ from the name of their field, by field.

    Columns of an earlier file, or guessed ones, are preselected.
    """
    titles = {field.name: field.title or field.name for field in schema.item.fields}
    texts = {field.name for field in schema.item.fields if kinds.of_field(field).holds == "texts"}
    numbered: dict[str, list[str]] = {}
    for name in found.columns:
        if stem := re.fullmatch(r"(.+?)_?\d+", name):
            numbered.setdefault(stem[1], []).append(name)
    lists = {stem: f"{names[0]} to {names[-1]}" for stem, names in numbered.items() if len(names) > 1}
    row = item_keys(format)
    usual = columns(of_head(row, schema, found.columns) if row.table else as_named(row, schema), schema)
    chosen = {}
    with st.expander("Column mapping", expanded=found.refused is not None):
        places = st.columns(3)
        for at, (name, default) in enumerate(by_default(schema, format).items()):
            if name in texts:
                of_entries = list(usual[name].keys) if set(usual[name].keys) <= set(found.columns) else []
                chosen_before = _entries(before.columns.get(name, guess.get(name)), found.columns, numbered)
                with places[at % 3]:
                    several = st.multiselect(
                        f"{titles.get(name, name)} (one column, or a column for each list entry, in order)",
                        found.columns,
                        default=chosen_before or of_entries,
                        key=f"import.column.{format}.{name}.{mark}",
                    )
                if several and several != of_entries:
                    series = next((stem for stem in lists if row.table and numbered[stem] == several), None)
                    chosen[name] = series or ",".join(several)  # a series may grow
                continue
            alike = next((stem for stem in lists if stem in (default, default.removesuffix("s"))), None)
            one = default if default in found.columns else alike
            choices = [None, *found.columns, *lists]
            with places[at % 3]:
                earlier = before.columns.get(name, guess.get(name))
                column = st.selectbox(
                    titles.get(name, name),
                    choices,
                    index=choices.index(earlier if earlier and earlier in choices else one),
                    format_func=lambda each: "none" if each is None else lists.get(each, each),
                    key=f"import.column.{format}.{name}.{mark}",
                )
            if column is not None and column != one:
                chosen[name] = column
    return chosen


def _entries(said: str | None, there: Sequence[str], numbered: Mapping[str, Sequence[str]]) -> list[str]:
    """Return the columns of a list's entries that were chosen before."""
    names = list(numbered.get(said, said.split(","))) if said else []
    return names if set(names) <= set(there) else []


def show(schema: Schema, found: ItemPreview) -> None:
    """Draw a preview of the first rows."""
    if found.refused:
        shell.show(markup.notice(shell.on_page(found.refused), style="bad"))
        return
    heads = ["Item", "Dimension", *(slot.role for slot in schema.item.assets)]
    heads += [field.title or field.name for field in schema.item.fields]
    rows = []
    for item in found.items:
        media = {
            slot.role: ", ".join(
                asset.path or "matched by the item's name" for asset in item.assets if asset.role == slot.role
            )
            for slot in schema.item.assets
        }
        cells = [item.external_id, schema.dimension(item.dimension).title, *media.values()]
        cells += [in_words(item.fields.get(field.name)) for field in schema.item.fields]
        rows.append([markup.text(cell[:_CUT] + ("…" if len(cell) > _CUT else "")) for cell in cells])
    if rows:
        shell.show(markup.paragraph("Preview of the first rows:", style="ts ts-quiet"))
        shell.show(markup.table([(name, "") for name in heads], rows))
    for bad in found.bad:
        shell.show(markup.notice(shell.on_page(f"Row {bad.row} is invalid: {bad.reason}."), style="bad"))


def in_words(value: Any) -> str:
    """Return a field's value in one line."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    phrases = [isinstance(part, Mapping) and kinds.in_words(part) for part in value] if isinstance(value, list) else []
    return "; ".join(map(str, phrases)) if phrases and all(phrases) else json.dumps(value, ensure_ascii=False)


ENDINGS = (".csv", ".tsv", ".xlsx", ".json", ".jsonl")
"""Suffixes of the files that have a preview."""


def beginning(source: Path | Sequence[Any] | None, folder: Path, endings: Sequence[str] = ENDINGS) -> Path | None:
    """Return a copy of the beginning of the first file with such a suffix. None if there is no such file yet.

    Parameters
    ----------
    source
        A path, or uploaded files; also in archives.
    folder
        The copy is written below this folder, under the file's own name.
    """
    try:
        if isinstance(source, Path):
            path = annotation_files(source, None, endings)[0] if source.is_dir() else source
            with path.open("rb") as stream:
                return _written(path.name, stream, folder) if path.name.lower().endswith(tuple(endings)) else None
        for upload in source or ():
            upload.seek(0)
            if upload.name.lower().endswith(tuple(endings)):
                first_file: Path | None = _written(upload.name, upload, folder)
            else:
                first_file = _packed(upload, folder, endings) if zip_archives.is_zip(upload) else None
            upload.seek(0)
            if first_file is not None:
                return first_file
    except (InvalidFileError, OSError, zipfile.BadZipFile, NotImplementedError, RuntimeError, ValueError, EOFError):
        return None  # the import reports the reason
    return None


def _packed(archive: IO[bytes], folder: Path, endings: Sequence[str]) -> Path | None:
    """Return a copy of the beginning of the first such file in an archive."""
    with zipfile.ZipFile(archive) as packed:
        for entry in sorted(packed.infolist(), key=lambda entry: entry.filename):
            name = PurePosixPath(entry.filename).name
            if entry.is_dir() or name.startswith(".") or "__MACOSX" in entry.filename:
                continue
            if name.lower().endswith(tuple(endings)) and not name.lower().endswith(_WHOLE):
                with packed.open(entry) as stream:
                    return _written(name, stream, folder)
    return None


def _written(name: str, stream: IO[bytes], folder: Path) -> Path:
    place = folder / zip_archives.safe_name(name).name
    folder.mkdir(parents=True, exist_ok=True)
    if place.suffix.lower() in _WHOLE:
        place.write_bytes(stream.read())
        return place
    data = stream.read(BEGINNING)
    if len(data) == BEGINNING and data[:2] not in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE):
        data = data[: data.rfind(b"\n") + 1] or data
    place.write_bytes(data)
    return place
