"""Who is to do what in a project: CSV with the column ``login`` and any of ``role``, ``dimensions`` and ``stages``."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from pathlib import Path

from domain import csv_text, json_text
from domain.errors import FileRefused
from domain.json_text import NotJson
from domain.records import Part
from domain.roles import Role
from domain.states import Stage

COLUMNS = ("login", "role", "dimensions", "stages")
BETWEEN = ";"


def read_parts(path: Path, *, role: Role | None) -> list[Part]:
    """A part for each row; ``role`` is for rows that name none. Names in a cell are separated by semicolons; an empty
    cell means all of them.

    Raises
    ------
    FileRefused
        With the row that does not fit.
    """
    try:
        text = json_text.decode(path.read_bytes()).removeprefix("\ufeff")
        rows = list(csv.reader(io.StringIO(text, newline=""), strict=True))
    except (NotJson, csv.Error) as error:
        raise FileRefused(f"{path.name}: {error}. Nothing was changed.") from error
    except OSError as error:
        raise FileRefused(f"{path} cannot be read: {error.strerror}.") from error
    head = [name.strip().casefold() for name in rows[0]] if rows else []
    if "login" not in head or len(set(head)) < len(head) or not set(head) <= set(COLUMNS):
        raise FileRefused(
            f"{path.name}, row 1: the first row must name the column login, and any of role, dimensions and stages, "
            "each once. Nothing was changed."
        )
    found = []
    for number, cells in enumerate(rows[1:], 2):
        if not any(cell.strip() for cell in cells):
            continue
        if len(cells) != len(head):
            raise _refused(path, number, f"it has {len(cells)} cells, not {len(head)}")
        told = {name: csv_text.unmarked(cell).strip() for name, cell in zip(head, cells, strict=True)}
        found.append(_part(path, number, told, role))
    if not found:
        raise FileRefused(f"{path.name} names no one below its first row. Nothing was changed.")
    return found


def _part(path: Path, number: int, told: Mapping[str, str], role: Role | None) -> Part:
    said = told.get("role", "").casefold()
    if not told["login"]:
        raise _refused(path, number, "login is empty")
    if said and said not in list(Role):
        raise _refused(path, number, f"{said!r} is no role; it is one of {', '.join(Role)}")
    if not said and role is None:
        raise _refused(path, number, "it names no role; write one")
    stages = _names(told.get("stages", ""))
    odd = next((stage for stage in stages or () if stage not in list(Stage)), None)
    if odd is not None:
        raise _refused(path, number, f"{odd!r} is no stage; they are {', '.join(Stage)}")
    return Part(
        told["login"].casefold(),
        Role(said) if said else role or Role.ANNOTATOR,
        _names(told.get("dimensions", "")),
        [Stage(stage) for stage in stages] if stages else None,
    )


def _names(cell: str) -> list[str] | None:
    return [name for name in (each.strip() for each in cell.split(BETWEEN)) if name] or None


def _refused(path: Path, number: int, why: str) -> FileRefused:
    return FileRefused(f"{path.name}, row {number}: {why}. Nothing was changed.")
