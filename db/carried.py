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
class One:
    """The id of a row of another table."""

    table: str


@dataclass(frozen=True)
class Many:
    """A list of ids of rows of another table."""

    table: str


@dataclass(frozen=True)
class Bound:
    """An id up to which something was seen. Its row may be missing."""

    table: str


@dataclass(frozen=True)
class Asked:
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
    """The reading of content given under a project's schemas (``domain.rewording.Reading``), with the schemas' ids."""


@dataclass(frozen=True)
class Random:
    """A random id. A new one is drawn if the id is taken."""


@dataclass(frozen=True)
class RandomIn:
    """JSON that holds random ids of other rows under these keys."""

    keys: tuple[str, ...]


Held = One | Many | Bound | Asked | UnitName | SlotOfGold | RankOfOldest | Versions | Random | RandomIn
Leaving = Callable[[dict[str, Any], datetime], None]


# ---- changes to rows on export ---------------------------------------------------------------------------------------


IN_PROGRESS = "It was in progress when the project was copied; resume it here."


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
class Carried:
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
_PLACED: Mapping[str, Held] = {**_PUBLIC, "dimension_version": One("schema_version")}

CARRIED: Mapping[str, Carried] = {
    "schema_version": Carried(ProjectPart.PROJECT, pointed=True),
    "person": Carried(ProjectPart.PROJECT, without=("password_hash", "is_admin", "active", "created_at"), pointed=True),
    "project": Carried(ProjectPart.PROJECT, {"reading": Versions()}, without=("id", "release_key")),
    "schema_change": Carried(
        ProjectPart.PROJECT, {"reading_before": Versions(), "done_to": Bound("item")}, plain=("decisions",)
    ),
    "guideline_version": Carried(ProjectPart.PROJECT),
    "schedule": Carried(ProjectPart.PROJECT, plain=("deadlines", "stage_order")),
    "entry_budget": Carried(ProjectPart.PROJECT),
    "guideline_seen": Carried(PEOPLE),
    "member": Carried(
        PEOPLE, {"dimensions_version": One("schema_version")}, plain=("dimensions", "dimensions_given", "stages")
    ),
    "media_object": Carried(ITEMS, without=("created_at",), pointed=True),
    "source": Carried(ITEMS),
    "asset": Carried(ITEMS, _PLACED, plain=("proposal",)),
    "import_file": Carried(ITEMS, plain=("meta",)),
    "item": Carried(ITEMS, _PLACED, plain=("external_id",)),
    "revision": Carried(ITEMS, plain=("content",)),
    "item_asset": Carried(ITEMS),
    "candidate": Carried(ITEMS, {"group_id": One("asset"), "decision_id": One("sift_decision")}),
    "sift_decision": Carried(ITEMS, {"submit_key": Random()}),
    "task": Carried(VOTES, {**_PLACED, "unit": UnitName(), "slot": SlotOfGold(), "rank": RankOfOldest()}),
    "annotation": Carried(
        VOTES, {**_PUBLIC, "submit_key": Random()}, plain=("answers", "reasons", "shown")
    ),  # by criterion and field; a position among an item's answers
    "draft": Carried(VOTES, plain=("content",)),
    "pick": Carried(VOTES),
    "walk": Carried(VOTES, {"heard_id": Bound("task")}),
    "aside": Carried(VOTES, {"unit": UnitName()}),
    "gold": Carried(VOTES, {**_PUBLIC, "schema_version_id": One("schema_version")}, plain=("answers",)),
    "gold_pardon": Carried(VOTES),
    "qualification_set": Carried(VOTES, {"item_ids": Many("item"), "prediction_ids": Many("prediction")}),
    "qualification": Carried(VOTES, _PUBLIC),
    "qualification_review": Carried(VOTES, {"reference_ids": Many("annotation")}, plain=("comments",)),
    "comment": Carried(VOTES, {**_PUBLIC, "submit_key": Random()}),
    "comment_for": Carried(VOTES),
    "cause_answer": Carried(VOTES),
    "insight": Carried(VOTES),
    "imported_rating": Carried(VOTES, {"schema_version_id": One("schema_version")}, plain=("value",)),
    "file_rater": Carried(VOTES),
    "event": Carried(VOTES, {"data": RandomIn(("run", "asset", "replaces"))}),
    "exposure_shape": Carried(VOTES, plain=("told",)),
    "exposure": Carried(VOTES, {"task_id": One("task"), "asset_id": One("asset"), "shape_id": One("exposure_shape")}),
    "bridge": Carried(VOTES, plain=("stages",), leaving=_bridge),
    "bridge_person": Carried(VOTES),
    "bridge_project": Carried(VOTES, {"key": Random()}, plain=("outside_id",), leaving=_bridge_project),
    "bridge_task": Carried(VOTES, {"key": Random()}, plain=("suggestion", "outside_id"), leaving=_bridge_task),
    "bridge_answer": Carried(VOTES, plain=("raw",)),
    "run": Carried(RUNS, {**_PUBLIC, "by_id": One("person")}, plain=("params",), leaving=_run),
    "run_worker": Carried(RUNS, plain=("about",)),
    "run_chunk": Carried(RUNS, {"unit_ids": Asked(many=True), "since": Bound("attempt")}, leaving=_chunk),
    "run_batch": Carried(RUNS, plain=("told", "server_id")),
    "run_batch_unit": Carried(RUNS, {"unit_id": Asked()}, plain=("image_hashes",)),
    "run_batch_problem": Carried(RUNS),
    "attempt": Carried(RUNS, {"unit_id": Asked()}, plain=("image_hashes", "detail", "request_id")),
    "prediction": Carried(RUNS, _PUBLIC),
    "reading": Carried(RUNS, plain=("value", "places", "spans", "detail")),
    "tool_result": Carried(RUNS, plain=("arguments", "result")),
    "judge_template": Carried(RUNS),
    "judge_unit": Carried(RUNS),
    "judgement": Carried(RUNS, plain=("value",)),
    "release_about": Carried(ProjectPart.PROJECT, plain=("about",)),
    "release": Carried(VOTES, plain=("asked", "told")),
    "release_item": Carried(VOTES),
    "withdrawal": Carried(VOTES),
}

LEFT: Mapping[str, str] = {
    "person_key": "a secret: from which pseudonyms in releases follow",
    "session": "a sign-in of this server",
    "sign_in_link": "a secret: the hash of a link that signs someone in",
    "invitation": "a secret: the hash of a link that lets someone join",
    "failed_login": "of accounts, not of a project",
    "daily_goal": "what someone has set themselves, for all their projects on this server",
    "notice_mark": "what someone has seen on this server of what they were told",
    "mail_choice": "an e-mail address, which belongs to an account of this server",
    "mail": "an e-mail of this server",
    "tally": "a count that is made again when someone asks for it",
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
            if isinstance(held, One | Many):
                needs.add(held.table)
            elif isinstance(held, Versions):
                needs.add("schema_version")
            elif isinstance(held, Asked):
                needs |= {"item", "judge_unit"}
            elif isinstance(held, UnitName):
                needs |= {"item", "prediction", "gold", "qualification"}
        before[name] = needs - {name}
    sorter = TopologicalSorter(before)
    sorter.prepare()
    found: list[str] = []
    while sorter.is_active():
        ready = sorted(sorter.get_ready())
        found += ready
        sorter.done(*ready)
    return tuple(metadata.tables[name] for name in found)
