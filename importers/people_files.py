"""The reader of CSV files about people: their parts in a project."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from domain.errors import InvalidFileError
from domain.records import MemberSettings
from domain.roles import Role
from domain.states import Stage
from importers.named_columns import refused, table

COLUMNS = ("login", "role", "dimensions", "stages")
BETWEEN = ";"


def read_parts(path: Path, *, role: Role | None) -> list[MemberSettings]:
    """Return a part for each row, from the column ``login`` and any of ``role``, ``dimensions`` and ``stages``.

    ``role`` is the default for rows without one. Names in a cell are separated by semicolons, and an empty cell means
    all of them.

    Raises
    ------
    InvalidFileError
        The message names the invalid row.
    """
    found = [_part(path, number, told, role) for number, told in table(path, COLUMNS, needed=("login",))]
    if not found:
        raise InvalidFileError(f"{path.name} names no one below its first row. Nothing was changed.")
    return found


def _part(path: Path, number: int, told: Mapping[str, str], role: Role | None) -> MemberSettings:
    said = told.get("role", "").casefold()
    if not told["login"]:
        raise refused(path, number, "login is empty")
    if said and said not in list(Role):
        raise refused(path, number, f"{said!r} is no role; it is one of {', '.join(Role)}")
    if not said and role is None:
        raise refused(path, number, "it names no role; write one")
    stages = _names(told.get("stages", ""))
    odd = next((stage for stage in stages or () if stage not in list(Stage)), None)
    if odd is not None:
        raise refused(path, number, f"{odd!r} is no stage; they are {', '.join(Stage)}")
    return MemberSettings(
        told["login"].casefold(),
        Role(said) if said else role or Role.ANNOTATOR,
        _names(told.get("dimensions", "")),
        [Stage(stage) for stage in stages] if stages else None,
    )


def _names(cell: str) -> list[str] | None:
    return [name for name in (each.strip() for each in cell.split(BETWEEN)) if name] or None
