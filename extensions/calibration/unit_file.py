"""The reader of facts about rated units: CSV with the column ``unit`` and any of ``item``, ``model``, ``length``."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Mapping
from pathlib import Path

from domain import json_text
from domain.errors import InvalidFileError
from domain.json_text import NotJson
from domain.records import UnitFacts

COLUMNS = ("item", "model", "length")


def read_units(path: Path) -> Mapping[str, UnitFacts]:
    """Return a CSV file's facts about each unit. Raises ``InvalidFileError`` with the first invalid row."""
    try:
        text = json_text.decode(path.read_bytes()).removeprefix("\ufeff")
    except NotJson as error:
        raise InvalidFileError(f"{path.name}, row 1: {error}.") from error
    except OSError as error:
        raise InvalidFileError(f"Touchstone cannot read {path}: {error.strerror}. Check the path.") from error
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    facts_of: dict[str, UnitFacts] = {}
    number = 1
    try:
        head = [name.strip().lower() for name in next(reader, [])]
        if "unit" not in head or len(set(head)) < len(head) or not set(head) & set(COLUMNS):
            raise InvalidFileError(
                f"{path.name}, row 1: the header needs the column unit and at least one of the columns item, model "
                "and length. Name each column only once."
            )
        for number, cells in enumerate(reader, 2):
            if not cells:
                continue
            if len(cells) != len(head):
                raise InvalidFileError(
                    f"{path.name}, row {number}: expected {len(head)} cells, found {len(cells)}. Correct the row."
                )
            cell = {name: value.strip() for name, value in zip(head, cells, strict=True)}
            unit = cell["unit"]
            if not unit:
                raise InvalidFileError(f"{path.name}, row {number}: unit is empty. Add the unit or delete the row.")
            if unit in facts_of:
                raise InvalidFileError(
                    f"{path.name}, row {number}: the unit {unit} already has a row. Delete one of the two rows."
                )
            length = _length(cell.get("length", ""), f"{path.name}, row {number}")
            facts_of[unit] = UnitFacts(cell.get("item") or None, cell.get("model") or None, length)
    except csv.Error as error:
        raise InvalidFileError(f"{path.name}, row {number + 1}: {error}.") from error
    return facts_of


def _length(text: str, where: str) -> float | None:
    if not text:
        return None
    try:
        length = float(text)
    except ValueError:
        length = math.nan
    if not math.isfinite(length) or length < 0:
        raise InvalidFileError(f"{where}: length is {text!r}. Give the length as a number of words or characters.")
    return length
