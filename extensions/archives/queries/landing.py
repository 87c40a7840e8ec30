"""Storing the rows of an archive as a new project.

Ids stay unchanged if they are free in the database, so that every order drawn from ids stays the same. Otherwise all
ids of a table move by one offset, which keeps them in order.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any

from sqlalchemy import Table, exists, func, insert, select, text, update
from sqlmodel import Session, col

from db import carried
from db.assets import in_lock_order, return_to_pool
from db.carried import CARRIED, Random, RandomIn, RowId, RowIdList, RunUnitId, SeenLimit, UnitName, Versions
from db.many_rows import insert_all
from db.project_rows import AT_ONCE
from db.restored_rows import moment, typed
from db.survey import AUTHORING, UNIT, Row, foreign
from db.tables import AssetRow, ItemAssetRow, ItemRow, PersonRow, metadata
from domain.errors import InvalidFileError
from domain.rewording import Rewording
from domain.runs import chunked
from domain.states import ItemState, Stage
from extensions.archives.queries.archive_survey import ArchiveSurvey

_HIGHEST = 2**30
"""Ids above this limit are moved down, so that an archive cannot use up the ids of a database."""


def distance(session: Session, *, survey: ArchiveSurvey, table: str) -> int:
    """Return the offset by which the ids of a table move, and reserve the new ids.

    On SQLite they are reserved until the transaction ends, on PostgreSQL for good.
    """
    span = survey.ids[table].span
    if span is None:
        return 0
    of = metadata.tables[table]
    connection = session.connection()
    first, last = span
    if connection.dialect.name == "sqlite":
        taken = connection.scalar(select(func.max(of.c.id))) or 0
    else:
        connection.execute(text(f"LOCK TABLE {of.name} IN SHARE ROW EXCLUSIVE MODE"))
        drawn = connection.scalar(text(f"SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM {of.name}_id_seq"))
        taken = max(connection.scalar(select(func.max(of.c.id))) or 0, drawn or 0)
    moved = 0 if first > taken and last < _HIGHEST else taken + 1 - first
    if last + moved >= 2 * _HIGHEST:
        raise InvalidFileError(
            f"{survey.name}: the IDs of {table} are too large to add to this server. Import the archive on an empty "
            "server."
        )
    if connection.dialect.name != "sqlite":
        connection.execute(text(f"SELECT setval('{of.name}_id_seq', :last)"), {"last": last + moved})
    return moved


def moving(survey: ArchiveSurvey) -> list[str]:
    """Return the tables whose ids may have to move."""
    return [name for name, carried_ in CARRIED.items() if not carried_.pointed and survey.ids[name].span is not None]


def some_are_here(session: Session, *, survey: ArchiveSurvey) -> bool:
    """Tell whether random ids of the archive exist in the database: then the project or a copy of it is here."""
    for table, drawn in survey.drawn.items():
        of = metadata.tables[table]
        column = of.c.get("public_id", of.c.get("key"))
        if column is not None and session.connection().scalar(select(column).where(column.in_(drawn)).limit(1)):
            return True
    return False


def accounts_called(session: Session, *, logins: Sequence[str]) -> dict[str, tuple[int, str]]:
    """Return the id and name of the account of each of these logins that exists."""
    of = metadata.tables["person"]
    accounts: dict[str, tuple[int, str]] = {}
    for lot in chunked(logins):
        wanted = select(of.c.login, of.c.id, of.c.name).where(of.c.login.in_(lot))
        accounts |= {login: (id, name) for login, id, name in session.connection().execute(wanted)}
    return accounts


def add_accounts(session: Session, *, new: Sequence[tuple[int, str, str]], now: datetime) -> dict[int, int]:
    """Add accounts for people of an archive (id there, login, name), without a password or any rights.

    Return the new ids by the ids in the archive. The ids stay unchanged if all of them are free.
    """
    connection = session.connection()
    of = metadata.tables["person"]
    if connection.dialect.name != "sqlite":
        connection.execute(text("LOCK TABLE person IN SHARE ROW EXCLUSIVE MODE"))
    taken = connection.scalar(select(func.max(of.c.id))) or 0
    ids = [id for id, _, _ in new]
    there = {id for (id,) in connection.execute(select(of.c.id).where(of.c.id.in_(ids)))} if ids else set()
    kept = not there and all(id < _HIGHEST for id in ids)
    here = {id: id if kept else taken + at for at, id in enumerate(ids, 1)}
    rows = [
        {"id": here[id], "login": login, "name": name, "is_admin": False, "active": True, "created_at": now}
        for id, login, name in new
    ]
    if rows:
        session.execute(insert(PersonRow), rows)
        if connection.dialect.name != "sqlite":
            connection.execute(text("SELECT setval('person_id_seq', (SELECT max(id) FROM person))"))
    return here


def schemas(session: Session, *, rows: Iterable[Row]) -> dict[int, int]:
    """Store the schemas that the database lacks, under their own ids if those are free.

    Return the ids in the database by the ids in the archive.
    """
    connection, of = session.connection(), metadata.tables["schema_version"]
    postgres = connection.dialect.name != "sqlite"
    if postgres:
        connection.execute(text("LOCK TABLE schema_version IN SHARE ROW EXCLUSIVE MODE"))
    here = {hash: id for hash, id in connection.execute(select(of.c.hash, of.c.id))}
    renumbered, taken = {}, {*here.values()}
    for row in rows:
        if row["hash"] not in here:
            id = row["id"] if row["id"] not in taken and row["id"] < _HIGHEST else max(taken) + 1
            values = {**row, "id": id, "created_at": moment(row["created_at"])}
            connection.execute(insert(of), values)
            here[row["hash"]] = id
            taken.add(id)
        renumbered[row["id"]] = here[row["hash"]]
    if postgres:
        connection.execute(text("SELECT setval('schema_version_id_seq', (SELECT max(id) FROM schema_version))"))
    return renumbered


@dataclass(frozen=True)
class Landing:
    """The plan for storing an archive's rows. It is complete before the first row is stored."""

    survey: ArchiveSurvey
    people: Mapping[int, int]
    """Ids of people in the database, by their ids in the archive."""
    renamed: frozenset[int]
    """People who get a different login here, by their ids in the archive."""
    schemas: Mapping[int, int]
    distances: Mapping[str, int]
    name: str
    """The name of the project."""
    key: bytes | None
    """The key from which new random ids are derived, or None to keep the old ones."""
    now: datetime
    oldest: frozenset[Stage] = frozenset()
    """Stages in which the oldest item comes first."""

    def add_project(self, session: Session, *, changed: Row) -> int:
        """Add the project itself, with ``changed`` columns. Return its id. Raise ``IntegrityError`` if its name is
        taken.
        """
        of = metadata.tables["project"]
        row = self._moved(of, {**self.survey.project, "name": self.name, **changed})
        done = session.connection().execute(insert(of).returning(of.c.id), row or {})
        return int(done.scalar_one())

    def reserve(self, session: Session, *, project_id: int) -> dict[str, int]:
        """On SQLite, store the last row of each table to reserve the ids of this project. Return their new ids.

        The database does not check links in this transaction, because the rows that these point to arrive later.
        """
        reserved = {}
        for table in moving(self.survey):
            row = self._landed(metadata.tables[table], self.survey.last[table], project_id)
            if row is not None:
                session.connection().execute(insert(metadata.tables[table]), row)
                reserved[table] = row["id"]
        return reserved

    def lots(
        self, *, project_id: int, table: str, rows: Iterable[Row], there: int | None = None
    ) -> Iterator[list[Row]]:
        """Yield the stored rows of a table in batches. ``there`` is the id of a row that is stored
        already.
        """
        lot: list[Row] = []
        for row in rows:
            landed = self._landed(metadata.tables[table], row, project_id)
            if landed is None or (there is not None and landed["id"] == there):
                continue
            lot.append(landed)
            if len(lot) == AT_ONCE:
                yield lot
                lot = []
        if lot:
            yield lot

    def put(self, session: Session, *, table: str, lot: Sequence[Row]) -> None:
        """Store a batch."""
        insert_all(session, metadata.tables[table], lot)

    def _landed(self, of: Table, row: Row, project_id: int) -> Row | None:
        moved = self._moved(of, row)
        if moved is not None and "project_id" in of.c:
            moved["project_id"] = project_id
        return moved

    def _moved(self, of: Table, row: Row) -> Row | None:
        """Return a row with its new ids, or None if the row has no meaning here."""
        name, distances = of.name, self.distances
        if name == "walk" and self.people[row["person_id"]] != row["person_id"]:
            return None  # the person's own order differs in this database
        if name == "draft" and row["person_id"] in self.renamed and row["task_id"] in self.survey.compared:
            content = row["content"]  # it names left and right, and the sides follow from the login
            row = {**row, "content": {"note": content.get("note", "") if isinstance(content, dict) else ""}}
        units = (
            self.survey.asked(name, row) if any(isinstance(x, RunUnitId) for x in CARRIED[name].ids.values()) else ""
        )
        made = typed(of, row)
        leaving = CARRIED[name].leaving
        if leaving is not None:  # an archive made by other software may still mark it as open
            leaving(made, self.now)
        if self._stays and not any(isinstance(held, Versions) for held in CARRIED[name].ids.values()):
            return made
        for column, there in foreign(name):
            if made.get(column) is not None:
                made[column] = self._here(there, made[column])
        for column, held in CARRIED[name].ids.items():
            value = row.get(column)
            if value is None:
                continue
            if isinstance(held, RowId):
                made[column] = self._here(held.table, value)
            elif isinstance(held, RowIdList):
                made[column] = [self._here(held.table, row_id) for row_id in value]
            elif isinstance(held, SeenLimit):
                made[column] = value + distances.get(held.table, 0) if value > 0 else value
            elif isinstance(held, RunUnitId):
                made[column] = [self._here(units, x) for x in value] if held.many else self._here(units, value)
            elif isinstance(held, UnitName):
                made[column] = self._unit(value, row)
            elif isinstance(held, carried.SlotOfGold) and row["unit"].startswith("gold/"):
                made[column] = self.people[value]
            elif isinstance(held, carried.RankOfOldest) and row["stage"] in self.oldest and value == row["item_id"]:
                made[column] = self._here("item", value)
            elif isinstance(held, Versions):
                made[column] = Rewording.from_json(value).renumbered(self.schemas).as_json()
            elif isinstance(held, Random):
                made[column] = self._drawn(value)
            elif isinstance(held, RandomIn) and isinstance(value, dict):
                made[column] = {
                    at: self._drawn(token) if at in held.keys and isinstance(token, str) else token
                    for at, token in value.items()
                }
        if "id" in made:
            made["id"] += distances.get(name, 0)
        return made

    @cached_property
    def _stays(self) -> bool:
        """Whether every id stays as in the archive, for example in a store that was empty."""
        same = all(id == here for held in (self.people, self.schemas) for id, here in held.items())
        return same and self.key is None and not self.renamed and not any(self.distances.values())

    def _here(self, table: str, id: Any) -> Any:
        if table == "person":
            return self.people[id]
        if table == "schema_version":
            return self.schemas[id]
        return id if table == "media_object" else id + self.distances.get(table, 0)

    def _unit(self, unit: str, row: Row) -> str:
        unit_parts = UNIT.fullmatch(unit)
        if unit_parts is None:
            raise ValueError("an unknown form of unit id")
        of = unit_parts["of"]
        tables = {"first": "qualification", "second": "item" if row.get("prediction_id") is None else "prediction"}
        if unit_parts["drawn"] or of == AUTHORING:
            return f"{of}/{self._drawn(unit.removeprefix(of + '/'))}"
        parts = unit.split("/")
        if unit_parts["item"] or unit_parts["prediction"]:
            for at in (2, 3) if of == Stage.COMPARISON else (2,):
                parts[at] = str(self._here(parts[1], int(parts[at])))
        elif of == "gold":
            parts[1] = str(self._here("gold", int(parts[1])))
        else:
            parts[1:] = [
                str(self._here(tables[at], int(unit_parts[at]))) for at in ("first", "second") if unit_parts[at]
            ]
        return "/".join(parts)

    def _drawn(self, id: str) -> str:
        if self.key is None:
            return id
        made = hmac.new(self.key, id.encode(), hashlib.sha256).digest()[:12]
        drawn = base64.urlsafe_b64encode(made).decode()
        return f"x{drawn[1:]}" if drawn.startswith("-") else drawn


def items_of(session: Session, *, project_id: int) -> list[tuple[int, int, str]]:
    """Return id, revision and dimension of all items of a project."""
    of = metadata.tables["item"]
    wanted = select(of.c.id, of.c.current_revision, of.c.dimension).where(of.c.project_id == project_id)
    return [(id, number, dimension) for id, number, dimension in session.connection().execute(wanted.order_by(of.c.id))]


def begin_items_anew(session: Session, *, ids: Sequence[int], state: ItemState) -> None:
    """Reset items to the state that they have before anyone votes."""
    session.execute(update(ItemRow).where(metadata.tables["item"].c.id.in_(ids)).values(state=state))


def return_unused(session: Session, *, ids: Sequence[int]) -> None:
    """Put back into the pool those of these images (by id) that no item uses."""
    for lot in chunked(ids):
        used = exists().where(col(ItemAssetRow.asset_id) == AssetRow.id)
        wanted = select(AssetRow).where(col(AssetRow.id).in_(lot), ~used)
        for asset in in_lock_order(session.scalars(wanted).all()):
            return_to_pool(session, asset=asset)
