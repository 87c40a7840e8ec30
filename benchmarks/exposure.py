"""What does it cost to note what is sent to whom, for each submit?

    .venv/bin/python benchmarks/exposure.py [--quick] [--submits N]

One person votes, item after item: a submission is stored, the next item is claimed, its page is made and turned into
JSON. Every other time the page is noted as it is when a server sends it; the others are the same without that. On
SQLite and on a PostgreSQL server of its own, both of which wait for the disk where they usually do. Afterwards the rows
are counted: each page that was noted has one.

The last line of the output is one JSON object.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from sqlalchemy import text

from app.services import Services
from app.workbench import page, sent
from benchmarks import machine
from benchmarks.claims import database
from db.engine import Store
from domain.records import TaskView
from domain.roles import Role
from domain.settings import Settings
from domain.states import Stage
from media.store import MediaStore
from testkit.factories import make_items, make_person, make_project
from workflow.annotate import submissions
from workflow.annotate.next_page import PageRequest, next_page

GOAL_MS = 1.0
WARM_UP = 40


def measure(store: Store, folder: Path, submits: int) -> dict[str, Any]:
    """Medians with and without, of as many submits each."""
    make_project(store)
    make_items(store, 2 * submits + WARM_UP + 2)
    person = make_person(store, "ann", role=Role.ANNOTATOR)
    services = Services(store, MediaStore(folder / "media"), Settings(folder, ""), person, "csrf")
    took: dict[bool, list[float]] = {True: [], False: []}
    noting: list[float] = []
    processor: list[float] = []
    turn = next_page(store, person=person, wanted=PageRequest("p", Stage.VERIFICATION))
    for at in range(2 * submits + WARM_UP):
        found, noted = turn.found, at % 2 == 0
        assert isinstance(found, TaskView)
        begun = time.perf_counter()
        submissions.submit(store, person=person, task=found.id, key=found.id, values={"choice": "red"}, seconds=1.0)
        turn = next_page(store, person=person, wanted=PageRequest("p", Stage.VERIFICATION, fresh=False))
        assert isinstance(turn.found, TaskView)
        static = page.static_part(turn.view.schema, Stage.VERIFICATION, project="p", title="P")
        shown = page.task_page(
            person=person,
            csrf="csrf",
            static=static,
            schema=turn.view.schema.schema_,
            task=turn.found,
            progress=turn.numbers,
            have=static["hash"],
        )
        if noted:
            since, used = time.perf_counter(), time.thread_time()
            sent.page(services, shown)
            noting.append(time.perf_counter() - since)
            processor.append(time.thread_time() - used)
        json.dumps(shown)
        if at >= WARM_UP:
            took[noted].append(time.perf_counter() - begun)
    with store.read() as session:
        rows = session.connection().execute(text("SELECT count(*) FROM exposure")).scalar_one()
        shapes = session.connection().execute(text("SELECT count(*) FROM exposure_shape")).scalar_one()
    assert rows == len(noting), (rows, len(noting))
    with_it, without = (1000 * statistics.median(took[each]) for each in (True, False))
    return {
        "submits": len(took[True]),
        "ms_with": round(with_it, 3),
        "ms_without": round(without, 3),
        "ms_per_submit": round(with_it - without, 3),
        "ms_noting_alone": round(1000 * statistics.median(noting), 3),
        "cpu_ms_noting_alone": round(1000 * statistics.median(processor), 3),
        "rows": rows,
        "shapes": shapes,
    }


def main(argv: Sequence[str] | None = None) -> None:
    """Both databases."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="200 submits instead of 1,000")
    parser.add_argument("--submits", type=int, default=None)
    given = parser.parse_args(argv)
    submits = given.submits or (200 if given.quick else 1000)
    busy = machine.busy_percent()
    found: dict[str, Any] = {}
    for kind in ("sqlite", "postgresql"):
        with database(kind, lasting=True) as (fresh, folder):
            store, _ = fresh()
            found[kind] = measure(store, folder, submits)
            store.close()
        print(kind, found[kind], flush=True)
    told = {"ms_per_submit": max(each["ms_per_submit"] for each in found.values()), "goal_ms": GOAL_MS, **found}
    print(json.dumps({**told, "machine_busy_percent_before": busy}))


if __name__ == "__main__":
    main()
