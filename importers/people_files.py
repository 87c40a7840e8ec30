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
    members = [_part(path, number, cells, role) for number, cells in table(path, COLUMNS, needed=("login",))]
    if not members:
        raise InvalidFileError(f"{path.name} has only a header. Nothing was changed. Add a row for each person.")
    return members


def _part(path: Path, number: int, told: Mapping[str, str], role: Role | None) -> MemberSettings:
    role_name = told.get("role", "").casefold()
    if not told["login"]:
        raise refused(path, number, "login is empty")
    if role_name and role_name not in list(Role):
        raise refused(path, number, f"{role_name!r} is not a role; use one of {', '.join(Role)}")
    if not role_name and role is None:
        raise refused(path, number, "the role is missing; add a role")
    stages = _names(told.get("stages", ""))
    odd = next((stage for stage in stages or () if stage not in list(Stage)), None)
    if odd is not None:
        raise refused(path, number, f"{odd!r} is not a stage; use one of {', '.join(Stage)}")
    return MemberSettings(
        told["login"].casefold(),
        Role(role_name) if role_name else role or Role.ANNOTATOR,
        _names(told.get("dimensions", "")),
        [Stage(stage) for stage in stages] if stages else None,
    )


def _names(cell: str) -> list[str] | None:
    return [name for name in (name_cell.strip() for name_cell in cell.split(BETWEEN)) if name] or None
