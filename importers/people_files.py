"""People out of CSV files: who is to do what in a project, and who of another server is whom here."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
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
    """A part for each row: the column ``login``, and any of ``role``, ``dimensions`` and ``stages``.

    ``role`` is for rows that name none. Names in a cell are separated by semicolons; an empty
    cell means all of them.

    Raises
    ------
    FileRefused
        With the row that does not fit.
    """
    found = [_part(path, number, told, role) for number, told in _table(path, COLUMNS, needed=("login",))]
    if not found:
        raise FileRefused(f"{path.name} names no one below its first row. Nothing was changed.")
    return found


def _table(path: Path, columns: Sequence[str], *, needed: Sequence[str]) -> Iterator[tuple[int, dict[str, str]]]:
    """Every row with its number, its cells by column."""
    try:
        text = json_text.decode(path.read_bytes()).removeprefix("\ufeff")
        rows = list(csv.reader(io.StringIO(text, newline=""), strict=True))
    except (NotJson, csv.Error) as error:
        raise FileRefused(f"{path.name}: {error}. Nothing was changed.") from error
    except OSError as error:
        raise FileRefused(f"{path} cannot be read: {error.strerror}.") from error
    head = [name.strip().casefold() for name in rows[0]] if rows else []
    if not set(needed) <= set(head) or len(set(head)) < len(head) or not set(head) <= set(columns):
        more = [name for name in columns if name not in needed]
        told = " and ".join(needed) + (f", and any of {', '.join(more)}" if more else "")
        raise FileRefused(
            f"{path.name}, row 1: the first row must name the column {told}, each once. Nothing was changed."
        )
    for number, cells in enumerate(rows[1:], 2):
        if not any(cell.strip() for cell in cells):
            continue
        if len(cells) != len(head):
            raise _refused(path, number, f"it has {len(cells)} cells, not {len(head)}")
        yield number, {name: csv_text.unmarked(cell).strip() for name, cell in zip(head, cells, strict=True)}


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


def read_accounts(path: Path) -> dict[str, str | None]:
    """Who of an archive is whom here: CSV with the columns ``login`` and ``account``; an empty account is a new one.

    Raises
    ------
    FileRefused
        With the row that does not fit.
    """
    found: dict[str, str | None] = {}
    for number, told in _table(path, ("login", "account"), needed=("login", "account")):
        login, account = told["login"].casefold(), told["account"].casefold() or None
        if not login:
            raise _refused(path, number, "login is empty")
        if login in found:
            raise _refused(path, number, f"{login!r} is there twice")
        if account is not None and account in found.values():
            raise _refused(path, number, f"the account {account!r} would be two people")
        found[login] = account
    return found
