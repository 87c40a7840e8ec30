"""Workbooks (.xlsx) as spreadsheet programs write them, put together by hand: a zip of a few XML parts."""

from __future__ import annotations

import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

_SPREADSHEET = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_CONTENT = "http://schemas.openxmlformats.org/package/2006/content-types"
_TYPES = "application/vnd.openxmlformats-officedocument.spreadsheetml"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006/relationships"


class Raw(str):
    """The XML of a cell's content and attributes: ``Raw(' t="b"|<v>1</v>')``."""


def column(place: int) -> str:
    """The letters of a column: 0 is A."""
    letters = ""
    place += 1
    while place:
        place, rest = divmod(place - 1, 26)
        letters = chr(ord("A") + rest) + letters
    return letters


def sheet_xml(rows: Sequence[Sequence[Any]], strings: list[str] | None) -> str:
    """The part of a sheet; texts go into ``strings``, or stand in the cells if that is None."""
    lines = []
    for number, row in enumerate(rows, 1):
        cells = []
        for place, value in enumerate(row):
            name = f"{column(place)}{number}"
            if value is None:
                continue
            if isinstance(value, Raw):
                attributes, _, inside = value.partition("|")
                cells.append(f'<c r="{name}"{attributes}>{inside}</c>')
            elif isinstance(value, str) and strings is not None:
                strings.append(value)
                cells.append(f'<c r="{name}" t="s"><v>{len(strings) - 1}</v></c>')
            elif isinstance(value, str):
                text = f'<is><t xml:space="preserve">{escape(value)}</t></is>'
                cells.append(f'<c r="{name}" t="inlineStr">{text}</c>')
            else:
                cells.append(f'<c r="{name}"><v>{value}</v></c>')
        lines.append(f'<row r="{number}">{"".join(cells)}</row>')
    return f'<worksheet xmlns="{_SPREADSHEET}"><sheetData>{"".join(lines)}</sheetData></worksheet>'


def workbook(
    path: Path,
    sheets: Mapping[str, Sequence[Sequence[Any]] | str],
    *,
    shared: bool = True,
    styles: str | None = None,
) -> Path:
    """Write a workbook: the rows of every sheet, or its XML as it is; texts are shared or stand in their cells."""
    strings: list[str] | None = [] if shared else None
    parts = {
        f"xl/worksheets/sheet{number}.xml": rows if isinstance(rows, str) else sheet_xml(rows, strings)
        for number, rows in enumerate(sheets.values(), 1)
    }
    names = "".join(
        f'<sheet name="{escape(name)}" sheetId="{number}" r:id="rId{number}"/>' for number, name in enumerate(sheets, 1)
    )
    targets = "".join(
        f'<Relationship Id="rId{number}" Type="{_OFFICE}/worksheet" Target="worksheets/sheet{number}.xml"/>'
        for number in range(1, len(sheets) + 1)
    )
    parts["xl/workbook.xml"] = (
        f'<workbook xmlns="{_SPREADSHEET}" xmlns:r="{_OFFICE}"><sheets>{names}</sheets></workbook>'
    )
    typed = {"workbook": "sheet.main", "sharedStrings": "sharedStrings", "styles": "styles"}
    overrides = "".join(
        f'<Override PartName="/xl/{part}.xml" ContentType="{_TYPES}.{kind}+xml"/>'
        for part, kind in typed.items()
        if part == "workbook" or (strings if part == "sharedStrings" else styles) is not None
    )
    parts["[Content_Types].xml"] = f'<Types xmlns="{_CONTENT}">{overrides}</Types>'
    parts["xl/_rels/workbook.xml.rels"] = f'<Relationships xmlns="{_PACKAGE}">{targets}</Relationships>'
    if strings is not None:
        texts = "".join(f'<si><t xml:space="preserve">{escape(text)}</t></si>' for text in strings)
        parts["xl/sharedStrings.xml"] = f'<sst xmlns="{_SPREADSHEET}">{texts}</sst>'
    if styles is not None:
        parts["xl/styles.xml"] = f'<styleSheet xmlns="{_SPREADSHEET}">{styles}</styleSheet>'
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in parts.items():
            archive.writestr(
                name, text if text.startswith("<?xml") else f'<?xml version="1.0" encoding="UTF-8"?>{text}'
            )
    return path
