"""Tables for VLMEvalKit: tab-separated, an item each row, with its pictures as base64.

VLMEvalKit's loader has some effects that this module has to handle:

- The loader silently drops rows without a picture. Such an item is refused.
- It runs a cell of ``image`` or ``image_path`` in square brackets as Python. Both columns only hold values made here:
  base64 and names of hashes. Texts of items are in other columns, which are never run.
- It reads cells with pandas, which turns ``None`` into a missing value and ``007`` into 7. A value that would change is
  refused.
- With columns ``A`` and ``B`` the whole table is multiple choice. Items without options have a table of their own.
  Its name ends with ``openended``, as VLMEvalKit requires.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from string import ascii_uppercase
from typing import Any, BinaryIO

from annotation_schemas import kinds
from annotation_schemas.formats.released import ReleasedItem, ReleasedSet, ReleasedSplit, ReleaseFolder
from annotation_schemas.formats.row import Format, Takes
from annotation_schemas.keys import options_field
from annotation_schemas.model import Schema
from domain.reading.answers import AnswerKind
from exporters.release_items import UnwritableItemError, UnwritableItems, by_split, refuse
from extensions.harnesses.asked_items import ItemQuestion, asked_item, key_name, no_question, require_carried, withheld
from extensions.harnesses.pandas_cells import CellCheck, Misread, rows_in_block

NAME = "vlmevalkit"
_QUOTED = re.compile(r'[\t\r\n"]')
_SHORTEST = 64
"""The number of base64 characters up to which a picture is taken for the index of another row."""


def written(released: ReleasedSet, folder: ReleaseFolder) -> None:
    """Write ``vlmevalkit/<name>_<split>.tsv``, and ``..._openended.tsv`` for items that are not multiple choice."""
    require_carried(NAME, released)
    most = _most_options(released)

    def add(tables: dict[bool, _Table], files: ExitStack, split: ReleasedSplit, item: ReleasedItem) -> None:
        question = _fitting(released, item)
        choice = question.kind is AnswerKind.OPTION and bool(question.options)
        if choice not in tables:
            path = f"{NAME}/{released.name}_{split.name}{'' if choice else '_openended'}.tsv"
            letters = ascii_uppercase[:most] if choice else ""
            tables[choice] = _Table(released, split, files.enter_context(folder.open(path)), letters)
        tables[choice].add(item, question)

    with UnwritableItems(NAME) as refused:
        for split, items in by_split(released):
            with ExitStack() as files:
                tables: dict[bool, _Table] = {}
                for item in items:
                    with refused.gathered():
                        add(tables, files, split, item)
                for table in tables.values():
                    with refused.gathered():
                        table.end()


def _fitting(released: ReleasedSet, item: ReleasedItem) -> ItemQuestion:
    """Return an item in its asked form. Raise ``InvalidFileError`` if a row cannot hold it."""
    question = asked_item(NAME, released, item)
    if question.kind in (AnswerKind.MULTI, AnswerKind.ORDER):
        what = "several right options" if question.kind is AnswerKind.MULTI else "options to put in order"
        refuse(NAME, item, f"the item has {what}, but the answer in a VLMEvalKit row must be one letter")
    if len(question.options) == 1:
        refuse(NAME, item, "the item has only one option, but multiple choice needs at least two options")
    if not all(question.options):
        refuse(NAME, item, "one option is empty, and VLMEvalKit drops empty options")
    clip = next((picture.asset for picture in question.pictures if picture.is_clip), None)
    if clip is not None:
        refuse(NAME, item, f"{clip.role} is a clip, and VLMEvalKit has no table for clips. Use lmms_eval")
    if not question.pictures and (released.schema.item.assets or question.kind is not AnswerKind.OPTION):
        refuse(NAME, item, "the item has no image, and VLMEvalKit silently drops rows without an image")
    return question


def _most_options(released: ReleasedSet) -> int:
    """Return the number of columns that the longest list of options needs, after reading all items."""
    name = options_field(released.schema) or ""
    fields = released.schema.item.fields
    of_items = max((len(item.fields.get(name) or ()) for item in released.items()), default=0)
    return max(2, *(len(field.options) for field in fields), of_items + any(field.none is not None for field in fields))


class _Table:
    """One table that is being written."""

    def __init__(self, released: ReleasedSet, split: ReleasedSplit, out: BinaryIO, letters: str) -> None:
        self._released, self._n, self._out = released, 0, out
        self._images = bool(released.schema.item.assets)
        pictures = ["image", "image_path"] if self._images else []
        answer = [] if withheld(released, split) else ["answer"]
        groups = ["l2-category"] if any(part.group for part in released.schema.dimensions) else []
        self._columns = ["index", "id", *pictures, "question", *letters, *answer, "category", *groups, "split", "group"]
        block = rows_in_block(len(self._columns))
        key = next((field for field in released.schema.item.fields if field.name == key_name(released)), None)
        numbers = not letters and key is not None and kinds.of_field(key).holds in ("whole number", "decimal")
        checked = [column for column in self._columns if column not in ("index", *pictures)]
        self._texts = [CellCheck(name, block, numbers=numbers and name == "answer") for name in checked]
        self._write(self._columns)

    def add(self, item: ReleasedItem, question: ItemQuestion) -> None:
        """Add a row."""
        part = self._released.schema.dimension(item.dimension)
        row: dict[str, str] = {
            "index": str(self._n),
            "id": item.id,
            "question": question.with_order,
            **dict(zip(ascii_uppercase, question.options, strict=False)),
            "answer": question.letters[0] if question.right else question.key or "",
            "category": part.id,
            "l2-category": part.group or "",
            "split": item.split,
            "group": item.group or "",
            **(_pictures(self._released, item, question) if self._images else {}),
        }
        self._n += 1
        for column in self._texts:
            _refuse_misread(column.take(row.get(column.name), item.id), column.name)
        self._write([row.get(name, "") for name in self._columns], item)

    def _write(self, cells: Sequence[str], item: ReleasedItem | None = None) -> None:
        try:
            self._out.write("\t".join(map(_written, cells)).encode() + b"\n")
        except UnicodeEncodeError:
            if item is None:
                raise
            refuse(NAME, item, "a text contains an incomplete character (a lone surrogate)")

    def end(self) -> None:
        """Check the last rows."""
        for column in self._texts:
            _refuse_misread(column.end(), column.name)


def _written(cell: str) -> str:
    """Return a cell unchanged, without protection against formulas: a program reads it and sends the text to models."""
    return '"' + cell.replace('"', '""') + '"' if _QUOTED.search(cell) else cell


def _refuse_misread(found: Misread | None, column: str) -> None:
    if found is not None:
        raise UnwritableItemError(
            NAME,
            f"{NAME} cannot include the item {found.item!r}: {column} is {found.text!r}, which VLMEvalKit reads as "
            f"{found.becomes}. Write the value in words",
        )


def _pictures(released: ReleasedSet, item: ReleasedItem, question: ItemQuestion) -> Mapping[str, str]:
    """Return the cells of an item's pictures: base64, and the names of the unpacked files.

    The names end with ``.png`` for every type of picture, so that none is compressed again.
    """
    data = [
        picture.drawn if picture.drawn is not None else released.read(picture.asset) for picture in question.pictures
    ]
    texts = [base64.b64encode(picture).decode() for picture in data]
    if short := [text for text in texts if len(text) <= _SHORTEST]:
        refuse(
            NAME, item, f"an image has only {len(short[0])} characters, so VLMEvalKit reads the image as a row number"
        )
    return {
        "image": _cell(texts),
        "image_path": _cell([f"{hashlib.sha256(picture).hexdigest()}.png" for picture in data]),
    }


def _cell(entries: Sequence[Any]) -> str:
    """Return one entry unchanged, or several as Python prints a list. They are base64 and hashes, so none is code."""
    if len(entries) == 1:
        return str(entries[0])
    return "[" + ", ".join(f"'{entry}'" for entry in entries) + "]" if entries else ""


def no_table(schema: Schema) -> str | None:
    """Return why no table can hold a schema's items, or None."""
    if any(slot.kind == "clip" and slot.min for slot in schema.item.assets):
        return (
            "VLMEvalKit has no table for clips, because each video benchmark is a separate class. Use lmms_eval for "
            "clips."
        )
    return no_question(schema)


ROWS = (
    Format(
        NAME,
        "tables for VLMEvalKit (TSV with images)",
        Takes.ITEMS,
        place=62,
        releases=written,
        carries=no_table,
    ),
)
