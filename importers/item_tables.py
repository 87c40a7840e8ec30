"""Tables of items in: CSV in whatever dress it comes, and Excel workbooks; each row an item, each column a field."""

from __future__ import annotations

import codecs
import difflib
import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from annotation_schemas import kinds
from annotation_schemas.formats import ColumnMapping, Misfit, ReadFiles, columns, item_keys, keys_of, of_head
from annotation_schemas.model import Schema
from domain import csv_rows, csv_text
from domain.csv_rows import NotTable, Row
from domain.errors import InvalidFileError
from domain.records import FileRecord
from importers import table_lines
from importers.items import STAYS, FileText, JsonItems, OnProgress, bytes_of, decoded, read_files
from importers.unread_keys import quoted_names, unread_note

WORKBOOK = ".xlsx"
_SHOWN = 20
"""The largest number of columns named in a sentence."""


def read_items(
    path: Path,
    *,
    format: str,
    schema: Schema,
    dimension: str | None = None,
    progress: OnProgress | None = None,
    said: ColumnMapping | None = None,
) -> ReadFiles:
    """Return all rows of a table, or of all tables below a folder; see ``importers.items.read_items``."""
    return read_files(TableReader, path, item_keys(format), schema, said or ColumnMapping(), dimension, progress)


@dataclass
class TableReader(JsonItems):
    """The reader of one table."""

    unread: Sequence[str] = ()
    table: csv_rows.Table | None = None

    @classmethod
    def text(cls, file: Path, said: ColumnMapping) -> FileText:
        if file.suffix.lower() == WORKBOOK:
            return FileText(_of_workbook(file), note=_left_sheets(file))
        if file.suffix.lower() in table_lines.OTHER_SUFFIXES:
            raise InvalidFileError(
                f"{file.name} is a spreadsheet in an unsupported format. Save the file as .csv or .xlsx."
            )
        if said.encoding:
            return decoded(file, said.encoding)
        data = bytes_of(file)
        if data[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE) or b"\x00" in data[:4]:
            raise InvalidFileError(
                f"{file.name} is UTF-16 or UTF-32, not UTF-8. Nothing was imported. Save the file as UTF-8, or "
                "import the file with --set encoding=utf-16."
            )
        try:
            return FileText(data.decode("utf-8"))
        except UnicodeDecodeError as error:
            raise InvalidFileError(
                f"{file.name} is not UTF-8 (byte {error.start + 1:,}). Nothing was imported. Save the file as UTF-8, "
                "or name its encoding, such as --set encoding=cp1252 for Western European files from Excel."
            ) from error

    def pieces(self, text: str) -> Iterator[Row]:
        wanted = keys_of(self.row, self.schema)
        known = {*wanted, *(f"{key.removesuffix('s')}_1" for key in wanted), *(f"{key}_1" for key in wanted)}
        try:
            table = csv_rows.table(csv_rows.lines_of(text), known)
        except NotTable as error:
            raise InvalidFileError(f"{self.place}: {error}. Nothing was imported.") from error
        names = table.layout.columns
        self.row = of_head(self.row, self.schema, names)
        self._look(names)
        self.table, self.head = table, table.head
        yield from table.rows()
        self.tail, self.layout = table.tail, table.style()

    def _look(self, names: Sequence[str]) -> None:
        """Raise an error for a head without a required column, and note the unused columns."""
        there, source = set(names), self.schema.source
        of_fields = columns(self.row, self.schema)
        lacking = {
            field.name: next(key for key in of_fields[field.name].keys if key not in there)
            for field in self.schema.item.fields
            if (field.required or len(of_fields[field.name].keys) > 1)
            and not there.issuperset(of_fields[field.name].keys)
        }
        mapped_columns = {name: key for name, key in self.said.columns.items() if key not in there}
        for role, paths in self.row.roles.items():
            if there.intersection(paths.keys):
                mapped_columns.pop(role, None)
        for name, column in of_fields.items():
            if there.issuperset(column.keys):
                mapped_columns.pop(name, None)
        if source is not None and source.id is not None and source.id not in there:
            mapped_columns["id"] = source.id
        if lacking or mapped_columns:
            missing = ", ".join(
                repr(key) + (f" ({name})" if key != name else "") + _meant(key, names)
                for name, key in (lacking | mapped_columns | lacking).items()
            )
            lists = [field.name for field in self.schema.item.fields if kinds.of_field(field).holds == "texts"]
            several = "".join(
                f" If each entry of a list has its own column, add --set columns.{name}=A,B,C."
                for name in [name for name in lists if name in lacking or name in mapped_columns][:1]
            )
            raise InvalidFileError(
                f"{self.place} has no column {missing}. The columns are {quoted_names(names)}. Nothing "
                "was imported. Choose the column of each field with --mapping, or in the schema "
                f"(`source.fields`).{several}"
            )
        read = set(keys_of(self.row, self.schema))
        self.unread = [name for name in names if name and name not in read]

    def record(self, piece: Any) -> Mapping[str, Any]:
        names = self.table.layout.columns if self.table else ()
        record = csv_rows.by_column(piece.cells, names)
        if self.row.id_key in names and not record.get(self.row.id_key or "", "").strip():
            raise Misfit(f"{self.row.id_key} is empty")
        return record

    def where(self, piece: Any) -> str:
        return f" (line {piece.line})"

    @property
    def ignored(self) -> Sequence[str]:
        return self.unread

    def notes(self) -> Iterator[str]:
        if self.table and (mark := self.table.layout.separator) != ",":
            yield f"{self.place}: the cells are separated by {csv_rows.SEPARATORS[mark]}."
        if self.unread:
            yield unread_note(self.unread, end=STAYS)
        if self.table and self.row.id_key not in self.table.layout.columns:
            yield (
                f"There is no column {self.row.id_key!r}, so Touchstone names each item by its position in the file."
            )
        if by_id := [asset.role for asset in self.schema.item.assets if asset.min and asset.role not in self.row.roles]:
            yield f"There is no column for {', '.join(by_id)}, so Touchstone looks for these files by the items' names."

    def file(self) -> FileRecord:
        record = super().file()
        if not record.path.lower().endswith(WORKBOOK):
            return record
        return FileRecord(record.path[: -len(WORKBOOK)] + ".csv", record.items, record.head, record.tail, record.meta)


def _meant(key: str, names: Sequence[str]) -> str:
    """Return a question with the column that was probably meant."""
    close = difflib.get_close_matches(key.casefold(), [name.casefold() for name in names], n=1, cutoff=0.8)
    return "".join(f" (is it {name!r}?)" for name in names if name.casefold() in close)


def _of_workbook(file: Path) -> str:
    """Return the first sheet of a workbook as CSV text.

    Raises ``InvalidFileError`` for cells that a spreadsheet program has changed: dates, formulas, errors.
    """
    out = io.StringIO(newline="")
    table = csv_text.Writer(out)
    wrong: list[str] = []
    names: list[str] = []
    for line in table_lines.lines_of_table(file, fits=any, wants="column names"):
        if not names:
            names = list(line.cells)
            table.writerow(names)
        table.writerow([line.cells[name].text if name in line.cells else "" for name in names])
        wrong += [f"row {line.number}: {name} {cell.problem}" for name, cell in line.cells.items() if cell.problem]
    if wrong:
        more = f" and {len(wrong) - _SHOWN:,} more" if len(wrong) > _SHOWN else ""
        raise InvalidFileError(
            f"{file.name}: {'; '.join(wrong[:_SHOWN])}{more}. Nothing was imported. Store these cells as text, or "
            "save the sheet as CSV."
        )
    return out.getvalue()


def _left_sheets(file: Path) -> str:
    """Return a sentence if a workbook has more sheets than the one that is read; otherwise an empty text."""
    read, *left = table_lines.filled_sheets(file)
    return f"{file.name}: Touchstone reads only the sheet {read!r}, not {quoted_names(left)}." if left else ""
