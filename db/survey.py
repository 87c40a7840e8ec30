"""Checking the rows of an archive, one after the other, before any of them is stored.

A row must match its table and point to nothing outside its archive. Only the ids are remembered, as ranges.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from functools import cache, lru_cache
from typing import Any, NoReturn

from sqlalchemy import JSON, BigInteger, Boolean, Column, Enum, Float, Integer

from db import carried
from db.carried import (
    CARRIED,
    LOOSE,
    Random,
    RowId,
    RowIdList,
    RunUnitId,
    UnitName,
    Versions,
    target,
)
from db.project_rows import columns
from db.tables import metadata
from db.types import UTCDateTime
from domain.errors import InvalidFileError
from domain.rewording import Rewording
from domain.run_kinds import RunKind
from domain.states import Stage

Row = dict[str, Any]

PUBLIC = re.compile(r"[A-Za-z0-9_-]{1,64}")
UNIT = re.compile(
    r"(?P<of>[a-z]+(?:_[0-9])?)/(?:"
    r"item/(?P<item>[0-9]{1,18})/[0-9]{1,9}"
    r"|prediction/(?P<prediction>[0-9]{1,18})(?:/(?P<then>[0-9]{1,18}))?"
    r"|(?P<first>[0-9]{1,18})(?:/(?P<second>[0-9]{1,18}))?"
    r"|(?P<drawn>[A-Za-z0-9_-]{1,64}))"
)
"""The name of a task's unit (``db.task_slots``, gold, qualification, or an item that is being written)."""
AUTHORING = "authoring"
_SPARSE = 10_000_000
"""The number of unused ids that a table may have, in addition to 10,000 for each of its rows."""


class Ids:
    """Rising ids, stored as ranges."""

    def __init__(self) -> None:
        self._begin: list[int] = []
        self._end: list[int] = []
        self.n = 0

    def add(self, id: int) -> bool:
        """Add an id. Return False if it is not above all others."""
        if self._end and id <= self._end[-1]:
            return False
        if self._end and id == self._end[-1] + 1:
            self._end[-1] = id
        else:
            self._begin.append(id)
            self._end.append(id)
        self.n += 1
        return True

    def __contains__(self, id: object) -> bool:
        at = bisect_right(self._begin, id) - 1 if isinstance(id, int) else -1
        return at >= 0 and isinstance(id, int) and id <= self._end[at]

    @property
    def span(self) -> tuple[int, int] | None:
        """The first and the last id."""
        return (self._begin[0], self._end[-1]) if self._begin else None


class Survey:
    """The facts about an archive that are known after checking all of its rows.

    Parameters
    ----------
    name
        The name of the archive in messages.
    given
        The columns of each of its tables.
    cut
        Whether some rows are left out. Links to them are cut, or the rows with these links are left out.
    """

    def __init__(
        self,
        name: str,
        given: Mapping[str, Sequence[str]],
        *,
        cut: bool = False,
    ) -> None:
        self.name, self._cut = name, cut
        self.ids = {table: Ids() for table in CARRIED}
        self.last: dict[str, Row] = {}
        """The row with the highest id of each table."""
        self.media: dict[str, Row] = {}
        self.people: list[Row] = []
        self.schemas: list[Row] = []
        self.project: Row = {}
        self.rates: set[int] = set()
        """Runs that ask about rows of ``judge_unit``."""
        self._batches: dict[int, int] = {}
        self._checks = {table: _checks(table, given.get(table)) for table in CARRIED}
        unknown = [table for table in given if table not in CARRIED]
        if unknown:
            self._refuse(f"the archive has an unknown table {unknown[0]!r}")
        for table in CARRIED:
            if table not in given:
                self._older(f"the table {table!r}")
            known = columns(table)
            strange = next((column for column in given[table] if column not in known), None)
            if strange is not None:
                self._refuse(f"the table {table} has an unknown column {strange!r}")
            lacking = next((column for column in known if column not in given[table] and _needed(table, column)), None)
            if lacking is not None:
                self._older(f"the column {lacking!r} of the table {table}")

    def takes(self, table: str, row: Row) -> bool:
        """Tell whether a row belongs to what is imported. A subclass may leave out parts of the project."""
        return True

    def look(self, table: str, number: int, row: Row) -> bool:
        """Check the next row. Return whether it is imported.

        A link to a row that is left out is cut, or the row is left out.

        Raises
        ------
        InvalidFileError
            With the table, the number of the row, and the problem.
        """
        for name, nullable, why_not in self._checks[table]:
            value = row[name]
            why = ("is missing" if not nullable else "") if value is None else why_not(value)
            if why:
                self._refuse(f"row {number:,} of {table}: {name} {why}")
        if not self.takes(table, row) or not self.is_linked(table, number, row):
            return False
        if "id" in row and not self.ids[table].add(row["id"]):
            self._refuse(f"row {number:,} of {table}: the ID is not greater than the ID of the previous row")
        self.remember(table, row)
        return True

    def end(self) -> None:
        """Finish after all rows were checked. Raise ``InvalidFileError`` if they do not form a project."""
        if not self.project:
            self._refuse("the archive has no project")
        for table, ids in self.ids.items():
            if ids.span and ids.span[1] - ids.span[0] > _SPARSE + 10_000 * ids.n:
                self._refuse(f"the IDs of {table} are too far apart")

    # ---- private parts -----------------------------------------------------------------------------------------------

    def is_linked(self, table: str, number: int, row: Row) -> bool:
        """Tell whether all links of a row lead to rows that are imported, after those that may be cut were cut."""
        for name, there, id in self.links(table, row):
            if there == "media_object":
                known: bool = id in self.media
            else:
                known = id in self.ids[there] and (there != table or id < row["id"])
            if known:
                continue
            if not self._cut:
                self._refuse(f"row {number:,} of {table}: {name} points to a missing {there}")
            if (table, name) not in LOOSE:
                return False
            row[name] = None
        return True

    def links(self, table: str, row: Row) -> Iterator[tuple[str, str, Any]]:
        """Yield the links of a row: the column, the table, the id."""
        for name, there in foreign(table):
            if row.get(name) is not None:
                yield name, there, row[name]
        for name, held in _pointing(table):
            value = row.get(name)
            if value is None:
                continue
            if isinstance(held, RowId):
                yield name, held.table, value
            elif isinstance(held, RowIdList):
                yield from ((name, held.table, key) for key in value)
            elif isinstance(held, RunUnitId):
                there = self.asked(table, row)
                yield from ((name, there, key) for key in (value if held.many else [value]))
            elif isinstance(held, Versions):
                yield from ((name, "schema_version", id) for id in Rewording.from_json(value).versions)
            elif isinstance(held, UnitName):
                yield from ((name, there, int(id)) for there, id in unit_ids(value, row))
            elif isinstance(held, carried.SlotOfGold) and row["unit"].startswith("gold/"):
                yield name, "person", value

    def asked(self, table: str, row: Row) -> str:
        """Return the table of the units that a run asks about."""
        run = row.get("run_id", self._batches.get(row.get("batch_id", 0)))
        return "judge_unit" if run in self.rates else "item"

    def remember(self, table: str, row: Row) -> None:
        """Remember what later rows, and the import, need of a row."""
        if "id" in row:
            self.last[table] = row
        if table == "person":
            self.people.append(row)
        elif table == "schema_version":
            self.schemas.append(row)
        elif table == "media_object":
            self.media[row["sha256"]] = row
        elif table == "project":
            if self.project:
                self._refuse("the archive has two projects")
            self.project = row
        elif table == "run_batch":
            self._batches[row["id"]] = row["run_id"]
        elif table == "run" and RunKind(row["kind"]).rates:
            self.rates.add(row["id"])

    def _older(self, what: str) -> NoReturn:
        raise InvalidFileError(
            f"{self.name}: {what} is missing. An older version of Touchstone wrote this archive. Update Touchstone "
            "on the server that wrote the archive, then export the project again. Nothing was imported."
        )

    def _refuse(self, why: str) -> NoReturn:
        raise InvalidFileError(
            f"{self.name}: {why}. Nothing was imported. Export the project again, then import the new file."
        )


def unit_ids(unit: str, row: Row) -> Iterator[tuple[str, str]]:
    """Yield the tables and ids in the name of a task's unit."""
    match = UNIT.fullmatch(unit)
    if match is None:
        raise ValueError("this unit name was not checked")
    if match["item"]:
        yield "item", match["item"]
    elif match["prediction"]:
        yield "prediction", match["prediction"]
        if match["of"] == Stage.COMPARISON and match["then"]:
            yield "prediction", match["then"]
    elif match["of"] == "gold" and match["first"]:
        yield "gold", match["first"]
    elif match["of"] == "qualification" and match["second"]:
        yield "qualification", match["first"]
        yield ("item" if row.get("prediction_id") is None else "prediction"), match["second"]


def foreign(table: str) -> Sequence[tuple[str, str]]:
    """Return the columns of a table with a foreign key, and the tables that they point to."""
    if table not in _FOREIGN:
        _FOREIGN[table] = [
            (column.name, there)
            for column in metadata.tables[table].c
            if column.name != "project_id" and (there := target(column)) is not None
        ]
    return _FOREIGN[table]


_FOREIGN: dict[str, list[tuple[str, str]]] = {}


@cache
def _pointing(table: str) -> Sequence[tuple[str, carried.Held]]:
    """Return the columns without a foreign key that hold ids of existing rows."""
    kinds = (RowId, RowIdList, RunUnitId, Versions, UnitName, carried.SlotOfGold)
    return [(name, held) for name, held in CARRIED[table].ids.items() if isinstance(held, kinds)]


# ---- checks of column values -----------------------------------------------------------------------------------------


def _needed(table: str, name: str) -> bool:
    column = metadata.tables[table].c[name]
    return not column.nullable and column.server_default is None


Check = Callable[[Any], str]


def _checks(table: str, given: Sequence[str] | None) -> list[tuple[str, bool, Check]]:
    checks = []
    for column in metadata.tables[table].c:
        if column.name in (given or ()):
            held = CARRIED[table].ids.get(column.name)
            checks.append((column.name, bool(column.nullable), _check(column, held)))
    return checks


def _check(column: Column[Any], held: carried.Held | None) -> Check:
    kind = column.type
    if isinstance(held, UnitName):
        return lambda value: "" if isinstance(value, str) and UNIT.fullmatch(value) else "is not a valid unit name"
    if isinstance(held, Random) and column.name != "submit_key":
        return lambda value: "" if isinstance(value, str) and PUBLIC.fullmatch(value) else "is not a random ID"
    if isinstance(held, Versions):
        return _reading
    if isinstance(held, RowIdList) or (isinstance(held, RunUnitId) and held.many):
        return _numbers
    if isinstance(kind, UTCDateTime):
        return _moment
    if isinstance(kind, Enum):
        words = frozenset(kind.enums)
        return lambda value: "" if isinstance(value, str) and value in words else "is not an allowed word"
    if isinstance(kind, JSON):
        return lambda value: ""
    if isinstance(kind, Boolean):
        return lambda value: "" if isinstance(value, bool) else "must be true or false"
    if isinstance(kind, Integer):
        most = 2**63 if isinstance(kind, BigInteger) else 2**31
        least = 1 if column.name == "id" else -most
        return lambda value: (
            ""
            if isinstance(value, int) and not isinstance(value, bool) and least <= value < most
            else "is not a whole number in the valid range"
        )
    if isinstance(kind, Float):
        return lambda value: "" if isinstance(value, int | float) and not isinstance(value, bool) else "is not a number"
    return _text


def _numbers(value: Any) -> str:
    fits = isinstance(value, list) and all(isinstance(number, int) and not isinstance(number, bool) for number in value)
    return "" if fits else "is not a list of whole numbers"


def _reading(value: Any) -> str:
    try:
        Rewording.from_json(value)
    except (KeyError, TypeError, ValueError, AttributeError):
        return "is not a valid rule for reading answers to other schemas"
    return ""


def _moment(value: Any) -> str:
    return "" if isinstance(value, str) and _has_a_zone(value) else "is not a time with a time zone"


@lru_cache(1_024)  # many rows share the same moment
def _has_a_zone(value: str) -> bool:
    try:
        return datetime.fromisoformat(value).tzinfo is not None
    except ValueError:
        return False


def _text(value: Any) -> str:
    if not isinstance(value, str):
        return "is not text"
    if "\0" in value:
        return "has a character that Touchstone cannot store"
    try:
        value.encode()
    except UnicodeEncodeError:
        return "has a character that Touchstone cannot store"
    return ""
