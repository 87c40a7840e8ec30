"""Faults that the tests must find: one line of the code is made wrong, and the tests that should see it are run.

    .venv/bin/python tools/faults.py [--only NAME ...] [--jobs N] [--postgres]

Each fault is a row in ``tools/faults/*.toml``: ``name``, ``breaks`` (what a user would meet), ``old`` and ``new`` (a
text that stands once in all our rooms, wherever its module has moved, and what takes its place), and ``tests`` (what
pytest is given). The tree as it stands is copied, committed or not, and never touched. A fault is found if one of its
tests fails with it and passes without it, as ``make test`` runs that test: with few examples.

Faults are planted before tests are thinned, and run again afterwards: what was found before is found afterwards.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from queue import SimpleQueue

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "tools" / "faults"
NOT_OURS = {"tests", "testkit", "tools", "benchmarks", "docs"}
"""Folders in which no fault is planted."""
SUFFIXES = (".py", ".js", ".yaml")
TREE = "touchstone"
PATIENCE = 900
"""Seconds after which the tests of one fault are given up: a fault may well make something wait for ever."""


FOUND, NOT_FOUND, BROKEN = "found", "NOT FOUND", "BROKEN"
STUCK = -1
"""Instead of pytest's exit status: it did not end."""


class WrongRow(Exception):
    """A row that cannot be planted."""


@dataclass(frozen=True)
class Fault:
    """One line made wrong."""

    name: str
    breaks: str
    old: str
    new: str
    tests: tuple[str, ...]
    area: str
    """The file of its row, without the ending."""
    postgres: bool = False
    """Only PostgreSQL sees it."""


def rows(folder: Path = FOLDER) -> list[Fault]:
    """All faults, by area."""
    faults: list[Fault] = []
    for path in sorted(folder.glob("*.toml")):
        for row in tomllib.loads(path.read_text(encoding="utf-8"))["fault"]:
            tests = tuple(row.pop("tests"))
            faults.append(Fault(**row, tests=tests, area=path.stem))
    twice = {fault.name for fault in faults if sum(other.name == fault.name for other in faults) > 1}
    if twice:
        raise WrongRow(f"several faults are called {', '.join(sorted(twice))}")
    return faults


def _listed(root: Path) -> list[str]:
    """What git does not ignore, committed or not."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    return subprocess.run(command, cwd=root, check=True, capture_output=True, text=True).stdout.split("\0")[:-1]


@cache
def _sources(root: Path) -> dict[Path, str]:
    """The text of our rooms, by path from the root."""
    names = [name for name in _listed(root) if name.endswith(SUFFIXES) and name.split("/")[0] not in NOT_OURS]
    return {Path(name): (root / name).read_text(encoding="utf-8") for name in names if (root / name).is_file()}


def place(fault: Fault, root: Path = ROOT) -> Path:
    """The module that a fault is planted in; ``WrongRow`` unless its old text stands in our rooms exactly once."""
    hits = [(path, text.count(fault.old)) for path, text in _sources(root).items() if fault.old in text]
    n = sum(count for _, count in hits)
    if n != 1:
        where = ", ".join(f"{path} ({count})" for path, count in hits)
        raise WrongRow(f"{fault.name}: its old text stands {n} times{f' ({where})' if where else ''}, not once")
    return hits[0][0]


def copied(to: Path) -> Path:
    """A copy of the tree as it stands, with the folders next to it that tests look for."""
    tree = to / TREE
    for name in _listed(ROOT):
        if (ROOT / name).is_file():
            (tree / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, tree / name)
    for known, link in (
        (ROOT / ".cache", tree / ".cache"),
        (ROOT / "node_modules", tree / "node_modules"),
        (ROOT.parent / "shared", to / "shared"),
    ):
        if known.exists():
            link.symlink_to(known.resolve(), target_is_directory=True)
    subprocess.run(["git", "init", "-q"], cwd=tree, check=True)  # some tests ask git what belongs to the tree
    return tree


@dataclass(frozen=True)
class Said:
    """What became of a fault."""

    fault: Fault
    outcome: str
    detail: str
    """The test that found it, or what happened instead."""
    seconds: float


def tried(fault: Fault, tree: Path, *, nth: int, postgres: bool) -> Said:
    """Plant a fault in a copy, run its tests, and take it out again."""
    begun = time.monotonic()
    module = tree / place(fault)
    text = module.read_text(encoding="utf-8")
    stat = module.stat()
    try:
        module.write_text(text.replace(fault.old, fault.new), encoding="utf-8")
        # Compiled modules are known by the second in which their source was written: no two states share one.
        os.utime(module, (stat.st_atime, stat.st_mtime + 10 + nth))
        lane = ["--lane=test"] if fault.postgres else ["--lane=test", "-m", "not postgres"]
        status, output = _pytest(tree, fault.tests, "-x", *([] if postgres else lane))
    finally:
        module.write_text(text, encoding="utf-8")
        os.utime(module, (stat.st_atime, stat.st_mtime))
    failed = _failed(output)
    seconds = time.monotonic() - begun
    if status == 0:
        return Said(fault, NOT_FOUND, "its tests pass", seconds)
    if status == STUCK:
        return Said(fault, FOUND, "its tests never end", seconds)
    if status != 1 or not failed:
        return Said(fault, BROKEN, f"pytest ended with {status}:\n{output[-1500:]}", seconds)
    return Said(fault, FOUND, failed[0], seconds)


def confirmed(said: Sequence[Said], tree: Path) -> list[Said]:
    """The same after the tests that failed were run without any fault: one that fails then, too, has found nothing."""
    tests = sorted({trial.detail for trial in said if trial.outcome == FOUND and "::" in trial.detail})
    if not tests:
        return list(said)
    _, output = _pytest(tree, tests)
    anyway = set(_failed(output))
    why = "fails without the fault, too"
    return [
        replace(trial, outcome=BROKEN, detail=f"{trial.detail} {why}") if trial.detail in anyway else trial
        for trial in said
    ]


def _failed(output: str) -> list[str]:
    return re.findall(r"^(?:FAILED|ERROR) (\S+::.*?)(?: - .*)?$", output, re.MULTILINE)


def _pytest(tree: Path, tests: Sequence[str], *options: str) -> tuple[int, str]:
    environment = {**os.environ, "PYTHONPATH": str(tree), "PYTHONDONTWRITEBYTECODE": ""}
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--no-header", "--tb=no"]
    command += [*options, *tests]
    try:
        done = subprocess.run(command, cwd=tree, env=environment, capture_output=True, text=True, timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        return STUCK, ""
    return done.returncode, done.stdout + done.stderr


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the faults; 0 if all of them are found."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument(
        "--only",
        nargs="+",
        action="extend",
        default=[],
        metavar="NAME",
        help="these faults, or areas, alone; again for more",
    )
    parser.add_argument("--jobs", type=int, default=1, help="so many copies are worked on at once")
    parser.add_argument("--postgres", action="store_true", help="run named tests on PostgreSQL, too, with all examples")
    parser.add_argument("--list", action="store_true", help="say what is planted where, and run nothing")
    asked = parser.parse_args(arguments)
    faults = rows()
    unknown = set(asked.only) - {fault.name for fault in faults} - {fault.area for fault in faults}
    if unknown:
        parser.error(f"there is no fault or area {', '.join(sorted(unknown))}")
    wanted = [fault for fault in faults if not asked.only or {fault.name, fault.area} & set(asked.only)]
    try:
        places = {fault.name: place(fault) for fault in wanted}
    except WrongRow as error:
        print(error, file=sys.stderr)
        return 2
    if asked.list:
        for fault in wanted:
            print(f"{fault.area}/{fault.name}  {places[fault.name]}\n    {fault.breaks}")
        return 0
    with tempfile.TemporaryDirectory(prefix="touchstone-faults-") as folder:
        trials = confirmed(
            list(_all(wanted, Path(folder), jobs=asked.jobs, postgres=asked.postgres)), Path(folder, "0", TREE)
        )
    for trial in trials:
        if trial.outcome != FOUND:
            print(f"{trial.outcome}  {trial.fault.area}/{trial.fault.name}: {trial.fault.breaks}\n    {trial.detail}")
    n = sum(trial.outcome == FOUND for trial in trials)
    print(f"{n} of {len(trials)} faults are found.")
    return 0 if n == len(trials) else 1


def _all(wanted: Sequence[Fault], folder: Path, *, jobs: int, postgres: bool) -> Iterator[Said]:
    trees: SimpleQueue[Path] = SimpleQueue()
    for number in range(max(1, min(jobs, len(wanted)))):
        trees.put(copied(folder / str(number)))

    def one(nth: int, fault: Fault) -> Said:
        tree = trees.get()
        try:
            return tried(fault, tree, nth=nth, postgres=postgres)
        finally:
            trees.put(tree)

    with ThreadPoolExecutor(max(1, jobs)) as pool:
        for trial in pool.map(one, range(len(wanted)), wanted):
            print(
                f"{trial.outcome:9}  {trial.fault.area}/{trial.fault.name} ({trial.seconds:.0f} s): {trial.detail}",
                flush=True,
            )
            yield trial


if __name__ == "__main__":
    sys.exit(main())
