"""Spreadsheets: Excel workbooks wherever Touchstone reads a table, such as imports of items and of models' answers.

``workbooks`` checks a workbook and reads its sheets. Core finds the sheet with the right columns
(``importers.table_lines``).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from domain.extensions import Extension


def _sheet_readers() -> Sequence[Any]:
    from extensions.spreadsheets.workbooks import opened

    return ((".xlsx", opened),)


EXTENSION = Extension(name="spreadsheets", title="Spreadsheets", sheet_readers=_sheet_readers)
