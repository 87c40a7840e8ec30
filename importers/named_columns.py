"""CSV files with column names in the first row, read row by row. The first invalid row is reported."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from pathlib import Path

from domain import csv_text, json_text
from domain.errors import InvalidFileError
from domain.json_text import NotJson


def table(path: Path, columns: Sequence[str], *, needed: Sequence[str]) -> Iterator[tuple[int, dict[str, str]]]:
    """Yield every row with its number, and its cells by column."""
    try:
        text = json_text.decode(path.read_bytes()).removeprefix("\ufeff")
        rows = list(csv.reader(io.StringIO(text, newline=""), strict=True))
    except (NotJson, csv.Error) as error:
        raise InvalidFileError(f"{path.name}: {error}. Nothing was changed.") from error
    except OSError as error:
        raise InvalidFileError(
            f"Touchstone cannot read {path}: {error.strerror}. Check the path and the permissions."
        ) from error
    head = [name.strip().casefold() for name in rows[0]] if rows else []
    if not set(needed) <= set(head) or len(set(head)) < len(head) or not set(head) <= set(columns):
        more = [name for name in columns if name not in needed]
        column_names = " and ".join(needed) + (f", and optionally {', '.join(more)}" if more else "")
        raise InvalidFileError(
            f"{path.name}, row 1: the header must contain each column exactly once: {column_names}. Correct the "
            "header. Nothing was changed."
        )
    for number, cells in enumerate(rows[1:], 2):
        if not any(cell.strip() for cell in cells):
            continue
        if len(cells) != len(head):
            noun = "cell" if len(cells) == 1 else "cells"
            raise refused(
                path, number, f"the row has {len(cells)} {noun}, but the header has {len(head)}; correct the row"
            )
        yield number, {name: csv_text.unmarked(cell).strip() for name, cell in zip(head, cells, strict=True)}


def refused(path: Path, number: int, why: str) -> InvalidFileError:
    return InvalidFileError(f"{path.name}, row {number}: {why}. Nothing was changed.")
