"""The rows of the database that belong to a project and travel with it.

``CARRIED`` has an entry for each table and names the columns that hold ids. Ids with a foreign key are found in
``db.tables``; this module names the others. A test fails if a table, an id or a JSON column has no entry here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import cache
from graphlib import TopologicalSorter
from typing import Any

from sqlalchemy import Column, Table

from db.tables import metadata
from domain.bridge import BridgeState
from domain.project_parts import ProjectPart
from domain.runs import OPEN, RunState

ITEMS, VOTES, RUNS, PEOPLE = ProjectPart.ITEMS, ProjectPart.VOTES, ProjectPart.RUNS, ProjectPart.PEOPLE


# ---- columns with ids but without a foreign key ----------------------------------------------------------------------


@dataclass(frozen=True)
class RowId:
    """The id of a row of another table."""

    table: str


@dataclass(frozen=True)
class RowIdList:
    """A list of ids of rows of another table."""

    table: str


@dataclass(frozen=True)
class SeenLimit:
    """An id up to which something was seen. Its row may be missing."""

    table: str


@dataclass(frozen=True)
class RunUnitId:
    """The unit that a run asks about: an item, or a row of ``judge_unit`` where answers are rated. ``many``: a list."""

    many: bool = False


@dataclass(frozen=True)
class UnitName:
    """The name of a task's unit, which contains ids (``db.task_slots``)."""


@dataclass(frozen=True)
class SlotOfGold:
    """The number of a slot. In a gold check it is the id of the person."""


@dataclass(frozen=True)
class RankOfOldest:
    """The rank of a slot. In a stage that takes the oldest item first it is the id of the item."""


@dataclass(frozen=True)
class Versions:
    """The rules for reading content given under a project's schemas, with the schemas' ids."""


@dataclass(frozen=True)
class Random:
    """A random id. A new one is drawn if the id is taken."""


@dataclass(frozen=True)
class RandomIn:
    """JSON that holds random ids of other rows under these keys."""

    keys: tuple[str, ...]


Held = RowId | RowIdList | SeenLimit | RunUnitId | UnitName | SlotOfGold | RankOfOldest | Versions | Random | RandomIn
Leaving = Callable[[dict[str, Any], datetime], None]


# ---- changes to rows on export ---------------------------------------------------------------------------------------


IN_PROGRESS = "This run was in progress when the project was copied. Resume the run on this server."


def _run(row: dict[str, Any], now: datetime) -> None:
    """Pause an open run: nobody resumes a run elsewhere unasked, because it may cost money."""
    if row["state"] in OPEN:
        row["state"], row["said"] = RunState.PAUSED, IN_PROGRESS


def _chunk(row: dict[str, Any], now: datetime) -> None:
    row["lease_until"] = None


def _bridge(row: dict[str, Any], now: datetime) -> None:
    row["stages"], row["busy_by"], row["busy_until"] = [], None, None


def _bridge_project(row: dict[str, Any], now: datetime) -> None:
    row["removed_at"] = row["removed_at"] or now


def _bridge_task(row: dict[str, Any], now: datetime) -> None:
    if row["state"] not in (BridgeState.STORED, BridgeState.OVER):
        row["state"], row["why"], row["ended_at"] = BridgeState.OVER, "The project was copied.", row["ended_at"] or now
    row["gone_at"] = row["gone_at"] or now


# ---- the tables ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class CarriedTable:
    """A table whose rows travel with a project."""

    part: ProjectPart
    ids: Mapping[str, Held] = field(default_factory=dict)
    """Columns without a foreign key that hold ids."""
    plain: tuple[str, ...] = ()
    """JSON columns that hold no ids of Touchstone, and integers whose names only look like ids."""
    without: tuple[str, ...] = ()
    """Columns that stay behind."""
    pointed: bool = False
    """Whether the table belongs to no project. Then only the rows that the project points to travel."""
    leaving: Leaving | None = None
    """The change to a row that leaves or arrives.

    The second argument is the time: for a row that leaves, the time of the project's last event.
    """


_PUBLIC: Mapping[str, Held] = {"public_id": Random()}
_PLACED: Mapping[str, Held] = {**_PUBLIC, "dimension_version": RowId("schema_version")}

CARRIED: Mapping[str, CarriedTable] = {
    "schema_version": CarriedTable(ProjectPart.PROJECT, pointed=True),
    "person": CarriedTable(
        ProjectPart.PROJECT, without=("password_hash", "is_admin", "active", "created_at"), pointed=True
    ),
    "project": CarriedTable(ProjectPart.PROJECT, {"reading": Versions()}, without=("id", "release_key")),
    "schema_change": CarriedTable(
        ProjectPart.PROJECT, {"reading_before": Versions(), "done_to": SeenLimit("item")}, plain=("decisions",)
    ),
    "guideline_version": CarriedTable(ProjectPart.PROJECT),
    "schedule": CarriedTable(ProjectPart.PROJECT, plain=("deadlines", "stage_order")),
    "entry_budget": CarriedTable(ProjectPart.PROJECT),
    "guideline_seen": CarriedTable(PEOPLE),
    "member": CarriedTable(
        PEOPLE, {"dimensions_version": RowId("schema_version")}, plain=("dimensions", "dimensions_given", "stages")
    ),
    "media_object": CarriedTable(ITEMS, without=("created_at",), pointed=True),
    "source": CarriedTable(ITEMS),
    "asset": CarriedTable(ITEMS, _PLACED, plain=("proposal",)),
    "import_file": CarriedTable(ITEMS, plain=("meta",)),
    "item": CarriedTable(ITEMS, _PLACED, plain=("external_id",)),
    "revision": CarriedTable(ITEMS, plain=("content",)),
    "item_asset": CarriedTable(ITEMS),
    "candidate": CarriedTable(ITEMS, {"group_id": RowId("asset"), "decision_id": RowId("sift_decision")}),
    "sift_decision": CarriedTable(ITEMS, {"submit_key": Random()}),
    "task": CarriedTable(VOTES, {**_PLACED, "unit": UnitName(), "slot": SlotOfGold(), "rank": RankOfOldest()}),
    "annotation": CarriedTable(
        VOTES, {**_PUBLIC, "submit_key": Random()}, plain=("answers", "reasons", "shown")
    ),  # by criterion and field; a position among an item's answers
    "draft": CarriedTable(VOTES, plain=("content",)),
    "pick": CarriedTable(VOTES),
    "walk": CarriedTable(VOTES, {"heard_id": SeenLimit("task")}),
    "aside": CarriedTable(VOTES, {"unit": UnitName()}),
    "gold": CarriedTable(VOTES, {**_PUBLIC, "schema_version_id": RowId("schema_version")}, plain=("answers",)),
    "gold_pardon": CarriedTable(VOTES),
    "qualification_set": CarriedTable(
        VOTES, {"item_ids": RowIdList("item"), "prediction_ids": RowIdList("prediction")}
    ),
    "qualification": CarriedTable(VOTES, _PUBLIC),
    "qualification_review": CarriedTable(VOTES, {"reference_ids": RowIdList("annotation")}, plain=("comments",)),
    "comment": CarriedTable(VOTES, {**_PUBLIC, "submit_key": Random()}),
    "comment_for": CarriedTable(VOTES),
    "cause_answer": CarriedTable(VOTES),
    "insight": CarriedTable(VOTES),
    "imported_rating": CarriedTable(VOTES, {"schema_version_id": RowId("schema_version")}, plain=("value",)),
    "file_rater": CarriedTable(VOTES),
    "event": CarriedTable(VOTES, {"data": RandomIn(("run", "asset", "replaces"))}),
    "exposure_shape": CarriedTable(VOTES, plain=("told",)),
    "exposure": CarriedTable(
        VOTES, {"task_id": RowId("task"), "asset_id": RowId("asset"), "shape_id": RowId("exposure_shape")}
    ),
    "bridge": CarriedTable(VOTES, plain=("stages",), leaving=_bridge),
    "bridge_person": CarriedTable(VOTES),
    "bridge_project": CarriedTable(VOTES, {"key": Random()}, plain=("outside_id",), leaving=_bridge_project),
    "bridge_task": CarriedTable(VOTES, {"key": Random()}, plain=("suggestion", "outside_id"), leaving=_bridge_task),
    "bridge_answer": CarriedTable(VOTES, plain=("raw",)),
    "run": CarriedTable(RUNS, {**_PUBLIC, "by_id": RowId("person")}, plain=("params",), leaving=_run),
    "run_worker": CarriedTable(RUNS, plain=("about",)),
    "run_chunk": CarriedTable(RUNS, {"unit_ids": RunUnitId(many=True), "since": SeenLimit("attempt")}, leaving=_chunk),
    "run_batch": CarriedTable(RUNS, plain=("told", "server_id")),
    "run_batch_unit": CarriedTable(RUNS, {"unit_id": RunUnitId()}, plain=("image_hashes",)),
    "run_batch_problem": CarriedTable(RUNS),
    "attempt": CarriedTable(RUNS, {"unit_id": RunUnitId()}, plain=("image_hashes", "detail", "request_id")),
    "prediction": CarriedTable(RUNS, _PUBLIC),
    "reading": CarriedTable(RUNS, plain=("value", "places", "spans", "detail")),
    "tool_result": CarriedTable(RUNS, plain=("arguments", "result")),
    "judge_template": CarriedTable(RUNS),
    "judge_unit": CarriedTable(RUNS),
    "judgement": CarriedTable(RUNS, plain=("value",)),
    "release_about": CarriedTable(ProjectPart.PROJECT, plain=("about",)),
    "release": CarriedTable(VOTES, plain=("asked", "told")),
    "release_item": CarriedTable(VOTES),
    "withdrawal": CarriedTable(VOTES),
}

LEFT: Mapping[str, str] = {
    "person_key": "the secret key for the pseudonyms in releases",
    "session": "a sign-in on this server",
    "identity": "a person's identity at a sign-in provider of this server",
    "sign_in_link": "the secret hash of a link that signs a person in",
    "invitation": "the secret hash of a link that lets a person join",
    "failed_login": "failed sign-ins belong to accounts, not to projects",
    "person_setting": "personal settings on this server",
    "daily_goal": "personal settings for all projects on this server",
    "notice_mark": "notices seen on this server",
    "mail_choice": "an email address, which belongs to an account on this server",
    "mail": "an email from this server",
    "tally": "a cached count, which Touchstone can compute again",
    "jobs": "jobs on this server; the export includes the data that these jobs changed",
}
"""Tables that stay behind, and why."""

LOOSE = {("event", "item_id"), ("event", "task_id")}
"""Links that are cut if their target is left out. Any other row with a missing target is left out too."""


def parent(table: Table) -> Column[Any] | None:
    """Return the column by which a row belongs to a project, directly or through another table. None: it does not."""
    if CARRIED[table.name].pointed or table.name == "project":
        return None
    if "project_id" in table.c:
        return table.c.project_id
    return next(
        column for column in table.c for key in column.foreign_keys if not CARRIED[key.column.table.name].pointed
    )


def target(column: Column[Any]) -> str | None:
    """Return the table whose ids a column holds by a foreign key on this column alone."""
    return next(
        (key.column.table.name for key in column.foreign_keys if key.constraint and len(key.constraint.columns) == 1),
        None,
    )


@cache
def in_order() -> tuple[Table, ...]:
    """Return the tables that travel, each after the tables that it points to."""
    before: dict[str, set[str]] = {}
    for name in CARRIED:
        table = metadata.tables[name]
        needs = {key.column.table.name for key in table.foreign_keys}
        for held in CARRIED[name].ids.values():
            if isinstance(held, RowId | RowIdList):
                needs.add(held.table)
            elif isinstance(held, Versions):
                needs.add("schema_version")
            elif isinstance(held, RunUnitId):
                needs |= {"item", "judge_unit"}
            elif isinstance(held, UnitName):
                needs |= {"item", "prediction", "gold", "qualification"}
        before[name] = needs - {name}
    sorter = TopologicalSorter(before)
    sorter.prepare()
    names: list[str] = []
    while sorter.is_active():
        ready = sorted(sorter.get_ready())
        names += ready
        sorter.done(*ready)
    return tuple(metadata.tables[name] for name in names)
