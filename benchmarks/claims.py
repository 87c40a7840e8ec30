"""Do the rules hold when many claim at once, and does the next item cost the same in a large project?

    .venv/bin/python benchmarks/claims.py [--quick] [--items N] [--processes N] [--seconds S] [--database NAME]

Three parts, each on SQLite and on a PostgreSQL server of its own:

- *hands*: processes that claim, vote, dawdle past their lease, give back, postpone, type, undo and submit twice, killed
  with SIGKILL at random and started again. Afterwards the tables are read by plain SQL and compared with what every
  person wrote down, on disk, before their next step; and ``touchstone check`` recomputes everything.
- *duel*: two processes reach for the same slot at the same moment, ten thousand times; exactly one must get it.
- *cost*: the next task in a project of a thousand to a million items, for someone at work and for someone who has
  done nearly everything, before whom lie only slots that they may not take; and at the largest size for someone new
  before whom lie 20,000 items that wait for their images.

The last line of the output is one JSON object.
"""

from __future__ import annotations

import argparse
import json
import sqlite3
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import psycopg
from sqlalchemy import text

from benchmarks import machine, many_people
from db.engine import Store
from domain.records import NoTask, Person, TaskView
from domain.roles import Role
from domain.states import Stage
from testkit import postgres
from workflow.access import accounts
from workflow.access.memberships import set_member
from workflow.access.projects import create_project
from workflow.annotate import claims, submissions

DATABASES = ("sqlite", "postgresql")
SIZES = (1_000, 10_000, 100_000, 1_000_000)
QUICK_SIZES = {"random": (1_000, 100_000, 1_000_000), "fewest_votes": (1_000, 100_000)}
"""What a quick run measures."""
DUELS = 10_000
AT_LEAST = 1_200
"""So many acknowledged submissions on each database, however busy the machine is."""
WAITING = 20_000
GOAL_GROWTH = 2.0
"""A claim among a million items may cost so many times what it costs among a thousand."""


@contextmanager
def database(kind: str, *, lasting: bool = False) -> Iterator[tuple[Callable[[], tuple[Store, str]], Path]]:
    """A maker of fresh databases of one kind, and a folder; all of it is gone afterwards. PostgreSQL waits for the
    disk only if it is ``lasting``."""
    with tempfile.TemporaryDirectory(prefix="touchstone-claims-") as name:
        folder = Path(name)
        made = 0

        def home() -> Path:
            nonlocal made
            made += 1
            return folder / str(made)

        if kind == "sqlite":
            yield lambda: many_people.fresh_store(None, home()), folder
            return
        with postgres.cluster(lasting=lasting) as server:
            yield lambda: many_people.fresh_store(server.url(server.create()), home()), folder


# ---- what a claim costs ---------------------------------------------------------------------------------------------


Run = Callable[[str], list[tuple[Any, ...]]]

INDICES = {
    "sqlite": "SELECT name, sql FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL"
    " AND tbl_name IN ('item', 'revision', 'task')",
    "postgresql": "SELECT indexname, indexdef FROM pg_indexes WHERE tablename IN ('item', 'revision', 'task')"
    " AND indexname LIKE 'ix%'",
}


@contextmanager
def bulk(url: str, *, rows: int) -> Iterator[Run]:
    """The database by its own client, for a bulk load: without foreign keys, and if there will be more new rows than
    old ones, indices are built at the end."""
    sqlite = url.startswith("sqlite")
    if sqlite:
        connection: Any = sqlite3.connect(url.removeprefix("sqlite:///"), isolation_level=None)
        connection.execute("PRAGMA synchronous = OFF")
    else:
        connection = psycopg.connect(url.replace("postgresql+psycopg", "postgresql"), autocommit=True)
        connection.execute("SET session_replication_role = replica")
        connection.execute("SET maintenance_work_mem = '256MB'")

    def run(statement: str) -> list[tuple[Any, ...]]:
        done = connection.execute(statement)
        return list(done.fetchall()) if done.description else []

    try:
        few = rows < int(run("SELECT count(*) FROM item")[0][0])
        indices = [] if few else run(INDICES["sqlite" if sqlite else "postgresql"])
        for name, _ in indices:
            run(f"DROP INDEX {name}")
        run("BEGIN")
        yield run
        run("COMMIT")
        for _, definition in indices:
            run(definition)
        if not sqlite:
            run("VACUUM ANALYZE")
            run("CHECKPOINT")
    finally:
        connection.close()


class Large:
    """A project that grows by bulk statements, to be looked at by people."""

    def __init__(self, store: Store, url: str, *, order: str) -> None:
        self.store, self.url, self.order, self.items = store, url, order, 0
        create_project(store, name=order, loaded=many_people.schema(raters=2, order=order))
        with store.read() as session:
            row = session.connection().execute(
                text(f"SELECT id, schema_version_id FROM project WHERE name = '{order}'")
            )
            self.project, self.version = row.one()
            self.first = int(session.connection().execute(text("SELECT coalesce(max(id), 0) FROM item")).scalar_one())

    def person(self, login: str) -> Person:
        """Someone with a part in it."""
        person = accounts.create_person(self.store, login=f"{login}-{self.order}", name=login)
        set_member(self.store, by=None, project=self.order, login=person.login, role=Role.ANNOTATOR)
        return person

    def grow(self, n: int) -> None:
        """Have ``n`` items, each with two free slots. Indices are built afterwards, as any bulk load does it."""
        sqlite = self.store.is_sqlite
        now = "'2026-01-01 00:00:00'" if sqlite else "TIMESTAMPTZ '2026-01-01 00:00:00'"
        chance = "abs(random()) % 2147483648" if sqlite else "CAST(floor(random() * 2147483647) AS integer)"
        content = """'{"question": "What?", "answer": "It."}'"""
        rank = "s" if self.order == "fewest_votes" else "0"
        with bulk(self.url, rows=n - self.items) as run:
            low = int(run("SELECT coalesce(max(id), 0) FROM item")[0][0]) + 1
            high = low + n - self.items - 1
            numbers = (
                f"(WITH RECURSIVE c(i) AS (SELECT {low} UNION ALL SELECT i + 1 FROM c WHERE i < {high})"
                " SELECT i FROM c)"
                if sqlite
                else f"(SELECT generate_series({low}, {high}) AS i)"
            )
            run(
                "INSERT INTO item (id, public_id, project_id, dimension, external_id, state, current_revision,"
                f" created_at) SELECT i, 'i' || i, {self.project}, 'near', 'i' || i, 'in_verification', 1, {now}"
                f" FROM {numbers} AS n"
            )
            run(
                "INSERT INTO revision (item_id, number, content, schema_version_id, created_at)"
                f" SELECT i, 1, {content}, {self.version}, {now} FROM {numbers} AS n"
            )
            run(
                "INSERT INTO task (public_id, project_id, stage, unit, slot, item_id, revision, dimension, state,"
                f" correcting, rank, shuffle, created_at) SELECT 't' || i || '-' || s, {self.project}, 'verification',"
                f" 'verification/item/' || i || '/1', s, i, 1, 'near', 'open', false, {rank}, {chance}, {now}"
                f" FROM {numbers} AS n CROSS JOIN (SELECT 0 AS s UNION ALL SELECT 1) AS slots"
            )
            if not sqlite:
                run("SELECT setval(pg_get_serial_sequence('item', 'id'), (SELECT max(id) FROM item))")
        self.items = n

    def done_by(self, person: Person) -> None:
        """This person has a slot of every item; what is free is for others only."""
        theirs = f"SELECT 1 FROM task other WHERE other.unit = task.unit AND other.person_id = {person.id}"
        with self.store.write() as session:
            for slot in (0, 1):
                session.connection().execute(
                    text(
                        f"UPDATE task SET state = 'done', person_id = {person.id} WHERE project_id = {self.project}"
                        f" AND slot = {slot} AND state = 'open' AND NOT EXISTS ({theirs})"
                    )
                )

    def next(self, person: Person) -> tuple[float, TaskView | NoTask]:
        """A claim, and how long it took in seconds."""
        began = time.perf_counter()
        found = claims.next_task(self.store, person=person, project=self.order, stage=Stage.VERIFICATION)
        return time.perf_counter() - began, found

    def answer(self, person: Person, found: TaskView | NoTask) -> None:
        """A vote."""
        if not isinstance(found, TaskView):
            raise ValueError(f"nothing to vote on: {found.sentence}")
        submissions.submit(self.store, person=person, task=found.id, key=found.id, values={"fits": "yes"})


def claims_by(large: Large, person: Person, n: int) -> list[float]:
    """How long each of ``n`` claims took."""
    took = []
    for _ in range(n):
        seconds, found = large.next(person)
        large.answer(person, found)
        took.append(seconds)
    return took


def unlucky(large: Large, person: Person, n: int) -> dict[str, Any]:
    """Someone who has done everything: the one long look, then new items, one after the other."""
    large.done_by(person)
    whole, found = large.next(person)
    if not isinstance(found, NoTask):
        raise ValueError("there should be nothing for them")
    nothing = [large.next(person)[0] for _ in range(n)]
    took = []
    for at in range(n):
        add_item(large, at)
        seconds, found = large.next(person)
        large.answer(person, found)
        took.append(seconds)
    return {
        "everything_once_ms": round(1000 * whole, 1),
        "everything_once_us_per_item": round(1e6 * whole / large.items, 2),
        "nothing_left_ms": machine.quantile_ms(nothing, 0.5),
        **figures(took),
    }


def behind_waiting(large: Large, person: Person, n: int) -> dict[str, Any]:
    """Someone new, before whom lie items that wait for their images."""
    last = large.items
    large.grow(last + WAITING)
    with large.store.write() as session:
        waits = f"project_id = {large.project} AND item_id > (SELECT max(id) FROM item) - {WAITING}"
        session.connection().execute(text(f"UPDATE task SET awaits_media = true, rank = rank - 1 WHERE {waits}"))
    first, found = large.next(person)
    large.answer(person, found)
    return {"first_ms": round(1000 * first, 1), **figures(claims_by(large, person, n))}


def add_item(large: Large, at: int) -> None:
    """One more item, as an import brings it in."""
    from workflow.access.projects import access_to
    from workflow.annotate import authoring

    with large.store.write() as session:
        access = access_to(session, person=None, project=large.order)
        name = f"new-{large.items}-{at}"
        fields = {"question": "What is new?", "answer": "This."}
        new = authoring.NewItem(external_id=name, dimension="near", fields=fields)
        authoring.add_items(session, access=access, new=[new], now=large.store.now())


def figures(took: Sequence[float]) -> dict[str, Any]:
    """Mean, middle and worst, in milliseconds."""
    return {
        "claims": len(took),
        "mean_ms": round(1000 * sum(took) / len(took), 2),
        "median_ms": machine.quantile_ms(list(took), 0.5),
        "worst_ms": round(1000 * max(took), 1),
    }


def cost(store: Store, url: str, *, order: str, sizes: Sequence[int], n: int) -> dict[str, Any]:
    """The cost of a claim by the number of items."""
    large = Large(store, url, order=order)
    out: dict[str, Any] = {}
    for size in sizes:
        began = time.monotonic()
        large.grow(size)
        machine.log(f"{order}: {size} items are there after {time.monotonic() - began:.0f} s")
        ann, bob = (large.person(f"{login}{size}") for login in ("ann", "bob"))
        claims_by(large, ann, 20)  # statements are put together once, pages are read
        at_work = figures(claims_by(large, ann, n))
        out[str(size)] = {"at_work": at_work, "unlucky": unlucky(large, bob, max(n // 3, 10))}
        machine.log(f"{order}, {size} items: {json.dumps(out[str(size)])}")
    first, last = out[str(sizes[0])], out[str(sizes[-1])]
    waiting = behind_waiting(large, large.person("cy"), n)
    machine.log(f"{order}, behind {WAITING} items that wait for their images: {json.dumps(waiting)}")
    return {
        "by_items": out,
        "behind_waiting": waiting,
        "times_of_smallest": {
            who: round(last[who]["median_ms"] / first[who]["median_ms"], 2) for who in ("at_work", "unlucky")
        },
    }


# ---- all of it ------------------------------------------------------------------------------------------------------


def main() -> int:
    """Measure, and print one JSON object last."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--quick", action="store_true", help="less of everything, the same keys; two to three minutes")
    parser.add_argument("--items", type=int, default=2000, help="items of the part hands; each has three slots")
    parser.add_argument("--processes", type=int, default=16)
    parser.add_argument("--seconds", type=float, help="how long the hands work at most; 20 with --quick, else 120")
    parser.add_argument("--database", choices=DATABASES, help="only this one")
    parser.add_argument("--largest", type=int, default=SIZES[-1], help="how many items the part cost goes up to")
    options = parser.parse_args()
    seconds = options.seconds or (20 if options.quick else 120)
    kinds = [options.database] if options.database else list(DATABASES)
    out: dict[str, Any] = {"benchmark": "claims", "quick": options.quick, **machine.described()}
    out["machine_busy_percent_before"] = machine.busy_percent()
    for kind in kinds:
        with database(kind) as (fresh, folder):
            machine.log(f"{kind}: {options.processes} people on {options.items} items")
            store, url = fresh()
            many = many_people.stress(
                store,
                url,
                folder / "1",
                items=options.items,
                processes=options.processes,
                seconds=seconds,
                kill_every=2.0,
                at_least=AT_LEAST,
                order="random",
            )
            store.close()
            machine.log(f"{kind}: {json.dumps(many)}")
            store, url = fresh()
            duel = many_people.duel(store, url, folder / "2", rounds=DUELS)
            store.close()
            machine.log(f"{kind}: {json.dumps(duel)}")
            store, url = fresh()
            costs = {}
            for order in ("fewest_votes", "random"):
                sizes = [size for size in (QUICK_SIZES[order] if options.quick else SIZES) if size <= options.largest]
                costs[order] = cost(store, url, order=order, sizes=sizes, n=45 if options.quick else 200)
            store.close()
        out[kind] = {"hands": many, "duel": duel, "cost": costs}
    print(json.dumps({**out, **summary(out, kinds)}))
    return 0


def summary(out: dict[str, Any], kinds: Sequence[str]) -> dict[str, Any]:
    """The figures of all databases together."""
    many = [out[kind]["hands"] for kind in kinds]
    added = ("submitted", "expired", "kills", "overfilled", "lost", "self_verified", "check_differences")
    by_size = {kind: out[kind]["cost"]["random"]["by_items"] for kind in kinds}
    return {
        **{name: sum(figures[name] for figures in many) for name in added},
        "outside_dimensions": sum(figures["outside_dimensions"] for figures in many),
        "failed": [line for figures in many for line in figures["failed"]],
        "processes": many[0]["processes"],
        "databases": list(kinds),
        "claims_per_second": {kind: out[kind]["hands"]["claims_per_second"] for kind in kinds},
        "duels": sum(out[kind]["duel"]["rounds"] for kind in kinds),
        "duels_won_by_exactly_one": sum(out[kind]["duel"]["exactly_one_won"] for kind in kinds),
        "claim_median_ms": {
            kind: {size: row["at_work"]["median_ms"] for size, row in rows.items()} for kind, rows in by_size.items()
        },
        "unlucky_claim_median_ms": {
            kind: {size: row["unlucky"]["median_ms"] for size, row in rows.items()} for kind, rows in by_size.items()
        },
        "goal_times_of_smallest": GOAL_GROWTH,
    }


if __name__ == "__main__":
    sys.exit(main())
