"""Which column of a table is which field: chosen on the page Import, with the first rows as they will be."""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import IO, Any, get_args

import streamlit as st

from annotation_schemas import kinds
from annotation_schemas.formats import Said, as_named, columns, item_keys, of_head, picked_fields
from annotation_schemas.model import OptionPlace, Schema
from app import archives, markup, shell
from domain.errors import FileRefused
from importers.item_preview import Preview, by_default, preview
from importers.items import annotation_files

BEGINNING = 1 << 18
"""So many bytes of a file are looked at before it is imported."""
_WHOLE = (".xlsx",)
_CUT = 60
_WAYS = {
    "letter": "its place, as a letter: A, B, C",
    "from_1": "its place, as a number: 1, 2, 3",
    "from_0": "its place, as a number: 0, 1, 2",
}


def asked(schema: Schema, format: str, source: Path | Sequence[Any] | None, folder: Path) -> Said | None:
    """What is said of a table as it comes in; None: nothing. ``source`` is a path, or uploaded files; their beginnings
    are written below ``folder``."""
    left, right = st.columns(2)
    with left:
        separator = st.text_input("Between the entries of a list in one cell", key="import.separator")
    with right:
        encoding = st.text_input("Encoding, where it is not UTF-8", key="import.encoding")
    said = Said({}, separator.strip() or None, encoding.strip() or None, _places(schema))
    first = _beginning(format, source, folder)
    if first is None:
        return said if said != Said() else None
    found = preview(first, format=format, schema=schema, said=said)
    if found.columns:
        said = replace(said, columns=_columns(schema, format, found))
        if said.columns:
            found = preview(first, format=format, schema=schema, said=said)
    _show(schema, found)
    return said if said != Said() else None


def _places(schema: Schema) -> dict[str, OptionPlace]:
    """How the fields that are one of an item's options say which one, where it is not by their text."""
    chosen = {}
    known = schema.source.places if schema.source else {}
    for name in picked_fields(schema):
        ways: list[OptionPlace | None] = [None, *get_args(OptionPlace)]
        way = st.selectbox(
            f"{schema.item.field(name).title or name} in the files",
            ways,
            index=ways.index(known.get(name)),
            format_func=lambda each: _WAYS.get(each, "the option's text"),
            key=f"import.place.{name}",
        )
        if way is not None and way != known.get(name):
            chosen[name] = way
    return chosen


def _columns(schema: Schema, format: str, found: Preview) -> dict[str, str]:
    """The columns that are chosen otherwise than by name, by what they are."""
    titles = {each.name: each.title or each.name for each in schema.item.fields}
    texts = {each.name for each in schema.item.fields if kinds.of_field(each).holds == "texts"}
    numbered: dict[str, list[str]] = {}
    for name in found.columns:
        if stem := re.fullmatch(r"(.+?)_?\d+", name):
            numbered.setdefault(stem[1], []).append(name)
    lists = {stem: f"{names[0]} to {names[-1]}" for stem, names in numbered.items() if len(names) > 1}
    row = item_keys(format)
    usual = columns(of_head(row, schema, found.columns) if row.table else as_named(row, schema), schema)
    chosen = {}
    with st.expander("Columns with other names", expanded=found.refused is not None):
        places = st.columns(3)
        for at, (name, default) in enumerate(by_default(schema, format).items()):
            if name in texts:
                of_entries = list(usual[name].keys) if set(usual[name].keys) <= set(found.columns) else []
                with places[at % 3]:
                    several = st.multiselect(
                        f"{titles.get(name, name)} (a column, or one for each entry, in order)",
                        found.columns,
                        default=of_entries,
                        key=f"import.column.{format}.{name}.{hash(tuple(found.columns))}",
                    )
                if several and several != of_entries:
                    series = next((stem for stem in lists if row.table and numbered[stem] == several), None)
                    chosen[name] = series or ",".join(several)  # a series may grow
                continue
            alike = next((stem for stem in lists if stem in (default, default.removesuffix("s"))), None)
            one = default if default in found.columns else alike
            choices = [None, *found.columns, *lists]
            with places[at % 3]:
                column = st.selectbox(
                    titles.get(name, name),
                    choices,
                    index=choices.index(one),
                    format_func=lambda each: "none" if each is None else lists.get(each, each),
                    key=f"import.column.{format}.{name}.{hash(tuple(found.columns))}",
                )
            if column is not None and column != one:
                chosen[name] = column
    return chosen


def _show(schema: Schema, found: Preview) -> None:
    """The first rows as they will be."""
    if found.refused:
        shell.show(markup.notice(shell.on_page(found.refused), style="bad"))
        return
    heads = ["Item", "Dimension", *(slot.role for slot in schema.item.assets)]
    heads += [each.title or each.name for each in schema.item.fields]
    rows = []
    for item in found.items:
        media = {
            slot.role: ", ".join(each.path or "by the item's name" for each in item.assets if each.role == slot.role)
            for slot in schema.item.assets
        }
        cells = [item.external_id, schema.dimension(item.dimension).title, *media.values()]
        cells += [_words(item.fields, each.name) for each in schema.item.fields]
        rows.append([markup.text(cell[:_CUT] + ("…" if len(cell) > _CUT else "")) for cell in cells])
    if rows:
        shell.show(markup.paragraph("The first rows, as they will be:", style="ts ts-quiet"))
        shell.show(markup.table([(name, "") for name in heads], rows))
    for bad in found.bad:
        shell.show(markup.notice(shell.on_page(f"Row {bad.row} does not fit: {bad.reason}."), style="bad"))


def _words(fields: Mapping[str, Any], name: str) -> str:
    value = fields.get(name)
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    said = [isinstance(each, Mapping) and kinds.in_words(each) for each in value] if isinstance(value, list) else []
    return "; ".join(map(str, said)) if said and all(said) else json.dumps(value, ensure_ascii=False)


def _beginning(format: str, source: Path | Sequence[Any] | None, folder: Path) -> Path | None:
    """The beginning of the first file, as a file of that name; None where there is no file to look at yet."""
    endings = item_keys(format).endings
    if isinstance(source, Path):
        try:
            path = annotation_files(source, None, endings)[0] if source.is_dir() else source
            with path.open("rb") as stream:
                return _written(path.name, stream, folder)
        except (FileRefused, OSError):
            return None  # the import says why
    for each in source or ():
        if each.name.lower().endswith(endings):
            found = _written(each.name, each, folder)
            each.seek(0)
            return found
    return None


def _written(name: str, stream: IO[bytes], folder: Path) -> Path:
    place = folder / archives.safe_name(name).name
    folder.mkdir(parents=True, exist_ok=True)
    if place.suffix.lower() in _WHOLE:
        place.write_bytes(stream.read())
        return place
    data = stream.read(BEGINNING)
    if len(data) == BEGINNING and data[:2] not in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE):
        data = data[: data.rfind(b"\n") + 1] or data
    place.write_bytes(data)
    return place
