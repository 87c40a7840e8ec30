"""What does a backup cost, next to the database's own tool, and does anybody who votes notice?

    .venv/bin/python benchmarks/backup.py [--quick] [--items N]

A large study (``benchmarks.large_study``) is built on SQLite and backed up; its backup is restored onto SQLite and onto
a PostgreSQL server of its own. On each of the two restored servers a person votes through the use cases, alone
and while ``touchstone backup`` runs in a process of its own. Both databases wait for the disk where they usually
do. The database's own tool runs afterwards: ``Connection.backup`` in one step, and ``pg_dump -Fc``. Rows are counted in
the last restored database with SQL.

The last line of the output is one JSON object.
"""

from __future__ import annotations

import argparse
import json
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks import large_study, machine, scale
from db.engine import Store, open_store
from domain.settings import DATABASE_URL
from domain.states import Stage
from testkit import postgres
from testkit.factories import claimed
from workflow.access import accounts
from workflow.annotate import submissions


def vote_until(store: Store, ended: Callable[[], bool]) -> list[float]:
    """Vote item after item as one person; the seconds of each submission."""
    person = accounts.find_person(store, login=large_study.VOTERS[0])
    took = []
    while not ended():
        task = claimed(store, person, project=large_study.PROJECT, stage=Stage.VERIFICATION)
        begun = time.perf_counter()
        submissions.submit(store, person=person, task=task.id, key=task.id, values={"fits": "yes"})
        took.append(time.perf_counter() - begun)
    return took


def own_tool(kind: str, home: Path, url: str, out: Path) -> float:
    """Seconds of the tool that comes with the database."""
    begun = time.perf_counter()
    if kind == "sqlite":
        with closing(sqlite3.connect(home / "touchstone.db")) as source, closing(sqlite3.connect(out)) as target:
            source.backup(target)
    else:
        programs = postgres.binaries()
        assert programs is not None
        plain = url.replace("+psycopg", "")
        subprocess.run([programs / "pg_dump", "-Fc", f"--file={out}", f"--dbname={plain}"], check=True)
    return time.perf_counter() - begun


def measure(kind: str, home: Path, url: str, backup: Path, seconds: float) -> dict[str, Any]:
    """Restore, vote alone, vote during a backup, and the tool of the database."""
    command = ["env", f"{DATABASE_URL}={url}", *scale.COMMAND]
    restored = scale.run([*command, "restore", str(backup)], home=home)
    out = home.with_name(f"{kind}.tar")
    spent: list[scale.Spent] = []
    with closing(open_store(url, home)) as store:
        until = time.perf_counter() + seconds
        alone = vote_until(store, lambda: time.perf_counter() > until)
        writing = threading.Thread(target=lambda: spent.append(scale.run([*command, "backup", str(out)], home=home)))
        writing.start()
        during = vote_until(store, lambda: not writing.is_alive())
        writing.join()
        until = time.perf_counter() + seconds
        alone += vote_until(store, lambda: time.perf_counter() > until)
    tool_s = own_tool(kind, home, url, home.with_name(f"{kind}.tool"))
    return {
        "restore_s": round(restored.wall_s, 1),
        "restore_peak_mb": round(restored.peak_mb),
        "backup_s": round(spent[0].wall_s, 1),
        "backup_cpu_s": round(spent[0].cpu_s, 1),
        "backup_peak_mb": round(spent[0].peak_mb),
        "backup_mb": round(out.stat().st_size / 1e6, 1),
        "own_tool_s": round(tool_s, 2),
        "backup_to_own_tool": round(spent[0].wall_s / tool_s, 1),
        "votes": [len(alone), len(during)],
        "median_ms": [machine.quantile_ms(alone, 0.5), machine.quantile_ms(during, 0.5)],
        "slowest_ms": [machine.quantile_ms(alone, 1), machine.quantile_ms(during, 1)],
        "median_during_to_alone": round(statistics.median(during) / statistics.median(alone), 2),
    }


def main(argv: Sequence[str] | None = None) -> None:
    """Both databases."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="2,000 items instead of 20,000")
    parser.add_argument("--items", type=int, default=None)
    given = parser.parse_args(argv)
    n = given.items or (2_000 if given.quick else 20_000)
    found: dict[str, Any] = {"items": n, "machine_busy_percent_before": machine.busy_percent()}
    with tempfile.TemporaryDirectory(prefix="touchstone-backup-") as name, postgres.cluster(lasting=True) as server:
        work = Path(name)
        study = scale.Study(work / "source", work, large_study.drawn(n, n))
        scale.create_project(study, large_study.PROJECT)
        large_study.write_items(study.source, study.items)
        scale.touchstone("item", "import", large_study.PROJECT, "pca_bench", study.source, home=study.home)
        large_study.write_votes(study.home, study.items)
        scale.touchstone("check", large_study.PROJECT, "--rebuild", home=study.home)
        found["database_mb"] = round((study.home / "touchstone.db").stat().st_size / 1e6, 1)
        scale.touchstone("backup", work / "source.tar", home=study.home)
        url = server.url(server.create())
        for kind, address in (("sqlite", f"sqlite:///{work / 'sqlite' / 'touchstone.db'}"), ("postgresql", url)):
            found[kind] = measure(kind, work / kind, address, work / "source.tar", 3 if given.quick else 10)
            print(kind, found[kind], flush=True)
    print(json.dumps(found))


if __name__ == "__main__":
    main()
