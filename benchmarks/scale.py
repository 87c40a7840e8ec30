"""What does a study of 100,000 items with three votes each cost: in, out, checked, on the lead's pages, for voters?

    .venv/bin/python -m benchmarks.scale [--quick] [--items N] [--photos N] [--only PART ...]

A file of items is drawn and imported, written out again, and voted on by twelve people and a senior as dice say
(``benchmarks/large_study.py`` says how the votes get in); then the states of all items are brought up to their votes
and checked, the kept ones are written with a manifest, the lead's pages are opened on a real ``touchstone serve``, and
someone votes while a lead reads. Photographs go into a project of their own. Every command runs in a process of its
own, whose time and memory the kernel tells; pandas and Python's json read and write the same file next to it.

What comes out is held against the dice: the export against the file's bytes, verdicts, manifest and coefficients
against what follows from the votes. The last line of the output is one JSON object; the exit status is 1 if anything
is not as it has to be.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import re
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from statistics import mean
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks import large_study, machine
from benchmarks.client import LeadPage, WorkingPage
from benchmarks.large_study import LEAD, PICTURES, PROJECT, SENIOR, VOTERS, Drawn
from testkit.serving import COMMAND, Server, environment

PARTS = ("files", "pages", "photos")
GOALS = {
    "import_items_per_second": 3_000,
    "peak_mb": 500,
    "agreement_page_first_s": 10,
    "agreement_page_again_s": 0.5,
    "slowest_other_page_s": 1,
    "voter_wait_ratio_while_lead_reads": 1.2,
    "images_per_second": 60,
}
PHOTO = (1440, 1080)
"""Pixels of a photograph: a frame of a head-mounted camera."""
PENDING = (b"being worked out", b"Computing agreement")
"""How pages say that a figure is being worked out."""
AGREEMENT = "agreement"
HEAVY = ("overview", "scorecard", "cases", "people", "history", "export", "audit")
"""Pages that a lead opens besides Agreement."""
READS_SECONDS = 2.0
"""So long a lead looks at a page before they open the next."""


@dataclass(frozen=True)
class Spent:
    """What a process took, as the kernel counts it."""

    wall_s: float
    cpu_s: float
    peak_mb: float
    said: str

    def figures(self) -> dict[str, float]:
        """For the result."""
        return {"wall_s": round(self.wall_s, 2), "cpu_s": round(self.cpu_s, 2), "peak_mb": round(self.peak_mb)}


_LAUNCHER = """
import json, os, sys, time
begun = time.monotonic()
process = os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ)
_, status, used = os.wait4(process, 0)
told = [os.waitstatus_to_exitcode(status), time.monotonic() - begun, used.ru_utime + used.ru_stime, used.ru_maxrss]
sys.stderr.write(json.dumps(told))
"""
"""Starts a command out of a small process: the kernel counts the memory of the one that starts another to the other's
peak."""


def run(command: Sequence[str], *, home: Path, fails: bool = False) -> Spent:
    """Run a process to its end; the benchmark ends if it fails."""
    launched = [sys.executable, "-I", "-S", "-c", _LAUNCHER, "/bin/sh", "-c", 'exec "$0" "$@" 2>&1', *command]
    done = subprocess.run(launched, env=environment(home), capture_output=True, text=True, check=True)
    status, wall, cpu, peak = json.loads(done.stderr)
    if status and not fails:
        raise RuntimeError(f"{' '.join(command[3:])} ended with {status}:\n{done.stdout[-3000:]}")
    return Spent(wall, cpu, peak / 1024, done.stdout)


def touchstone(*arguments: str | Path, home: Path, fails: bool = False) -> Spent:
    """Run a ``touchstone`` command."""
    spent = run([*COMMAND, *map(str, arguments)], home=home, fails=fails)
    machine.log(f"touchstone {arguments[0]} {' '.join(map(str, arguments[1:3]))}: {spent.figures()}")
    return spent


@dataclass
class Study:
    """The study on its way, and what is known of it so far."""

    home: Path
    work: Path
    items: list[Drawn]
    figures: dict[str, Any] = field(default_factory=dict)
    wrong: list[str] = field(default_factory=list)
    steps: dict[str, dict[str, float]] = field(default_factory=dict)

    @property
    def source(self) -> Path:
        """The annotation file that is imported."""
        return self.work / "items.json"

    def must(self, right: bool, sentence: str) -> None:
        """Note what is not as it has to be."""
        if not right:
            machine.log(f"WRONG: {sentence}")
            self.wrong.append(sentence)

    def step(self, name: str, spent: Spent) -> None:
        """Keep what a step took."""
        self.steps[name] = spent.figures()

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        """Ask the database."""
        with closing(sqlite3.connect(f"file:{self.home / 'touchstone.db'}?mode=ro", uri=True)) as connection:
            return connection.execute(query).fetchall()


# ---- files -----------------------------------------------------------------------------------------------------------


def files(study: Study) -> None:
    """Import, export, votes, rebuild, check, and the export of what was kept."""
    n, home, figures = len(study.items), study.home, study.figures
    large_study.write_items(study.source, study.items)
    data = study.source.read_bytes()
    figures["items"], figures["data_mb"] = n, round(len(data) / 1e6, 1)
    study.step("start", touchstone("project", "list", home=home))
    create_project(study, PROJECT)
    spent = touchstone("item", "import", PROJECT, "pca_bench", study.source, home=home)
    study.step("import", spent)
    figures["import_items_per_second"] = round(n / spent.wall_s)
    study.must(study.rows("SELECT count(*) FROM item") == [(n,)], "not every item was imported")
    out = study.work / "export.json"
    spent = touchstone("item", "export", PROJECT, "pca_bench", "--out", out, home=home)
    study.step("export", spent)
    figures["export_items_per_second"] = round(n / spent.wall_s)
    study.must(out.read_bytes() == data, "the export is not the file that was imported")
    _peers(study)
    del data
    machine.log("voting")
    begun = time.process_time()
    large_study.write_votes(home, study.items)
    figures["votes"] = study.rows("SELECT count(*) FROM annotation WHERE stage = 'verification'")[0][0]
    figures["votes_written_cpu_s"] = round(time.process_time() - begun, 1)
    spent = touchstone("check", PROJECT, "--rebuild", home=home)
    study.step("rebuild", spent)
    figures["rebuild_seconds"] = round(spent.wall_s, 1)
    truth = large_study.states(study.items)
    found = dict(study.rows("SELECT state, count(*) FROM item GROUP BY state"))
    study.must(found == truth, f"the verdicts are {found}, and follow as {truth}")
    figures["verdicts"] = truth
    spent = touchstone("check", PROJECT, home=home, fails=True)
    study.step("check", spent)
    figures["check_seconds"] = round(spent.wall_s, 1)
    study.must("All stored states match the votes." in spent.said, f"the check says {spent.said[:300]!r}")
    _kept(study)


def create_project(study: Study, name: str, *, images: bool = False) -> None:
    """A project of the study's schema; the people of the study take part in the one that is voted on."""
    schema = study.work / f"{name}.yaml"
    schema.write_text(large_study.schema_text(name, images=images), encoding="utf-8")
    touchstone("project", "create", name, "--schema", schema, home=study.home)
    if name != PROJECT:
        return
    from db.engine import open_store
    from domain.roles import Role
    from workflow.access import accounts, memberships

    with closing(open_store(None, study.home)) as store:
        for login in (*VOTERS, SENIOR, LEAD):
            accounts.create_person(store, login=login, name=login.capitalize())
            role = {SENIOR: Role.SENIOR, LEAD: Role.LEAD}.get(login, Role.ANNOTATOR)
            memberships.set_member(store, by=None, project=name, login=login, role=role)


def _peers(study: Study) -> None:
    """The same file read and written by others: nothing is checked, stored or kept word for word there."""
    for name, script in {
        "json": "import json, sys; json.dump(json.load(open(sys.argv[1])), open(sys.argv[2], 'w'), indent=4)",
        "pandas": "import pandas, sys; pandas.read_json(sys.argv[1]).to_json(sys.argv[2], orient='records', indent=4)",
    }.items():
        out = study.work / f"{name}.json"
        spent = run([sys.executable, "-c", script, str(study.source), str(out)], home=study.home)
        study.step(f"{name}: read and write", spent)
        ours = study.steps["import"]["cpu_s"] + study.steps["export"]["cpu_s"]
        study.figures[f"times_{name}"] = round(ours / spent.cpu_s, 1) if spent.cpu_s else None
        out.unlink()


def _kept(study: Study) -> None:
    """The kept items, listed and exported, held against the dice item by item."""
    out, ids = study.work / "kept", study.work / "kept.txt"
    listed = touchstone("item", "list", PROJECT, "--state", "kept", "--only-ids", home=study.home)
    ids.write_text(listed.said, encoding="utf-8")
    spent = touchstone("item", "export", PROJECT, "pca_bench", "--items", ids, "--out", out, home=study.home)
    study.step("kept", spent)
    kept = [each for each in study.items if each.state == "kept"]
    study.figures["kept_items_per_second"] = round(len(kept) / spent.wall_s)
    (data,) = [path for path in out.iterdir() if path.name != "manifest.json"]
    study.figures["kept_data_mb"] = round(data.stat().st_size / 1e6, 1)
    written = [record["index"] for record in json.loads(data.read_text(encoding="utf-8"))]
    study.must(written == [each.number for each in kept], "the export has other items than those that were kept")


# ---- pages -----------------------------------------------------------------------------------------------------------


async def opened(server: Server, path: str, token: str, *, patience: float = 300) -> tuple[float, float, bytes]:
    """Open a page: seconds until it stands, seconds until its figures are there, and what it shows then."""
    page = LeadPage(server.url, path=path, project=PROJECT, token=token)
    begun = time.monotonic()
    try:
        await page.open()
        stands = time.monotonic() - begun
        while any(words in page.shown for words in PENDING) and time.monotonic() - begun < patience:
            await asyncio.sleep(0.25)
            await page.again()
        return stands, time.monotonic() - begun, page.shown
    finally:
        await page.close()


async def voter_waits(server: Server, token: str, *, seconds: float, stop: asyncio.Event | None = None) -> list[float]:
    """Someone votes without pauses: how long each time until the next item is there."""
    page = WorkingPage(server.url, path="verify", project=PROJECT, token=token)
    waits: list[float] = []
    try:
        await page.open()
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            begun = time.monotonic()
            await page.submit({"fits": "yes"})
            waits.append(time.monotonic() - begun)
            await asyncio.sleep(0.05)
    finally:
        await page.close()
        if stop is not None:
            stop.set()
    return waits[2:]


async def read_on(server: Server, token: str, stop: asyncio.Event) -> Counter[str]:
    """A lead who opens one page after the other until it is enough."""
    read: Counter[str] = Counter()
    while not stop.is_set():
        for path in (AGREEMENT, *HEAVY):
            if stop.is_set():
                break
            page = LeadPage(server.url, path=path, project=PROJECT, token=token)
            try:
                await page.open()
                read[path] += 1
                end = time.monotonic() + READS_SECONDS
                while time.monotonic() < end and not stop.is_set():
                    await asyncio.sleep(1)
                    if any(words in page.shown for words in PENDING):
                        await page.again()
            finally:
                await page.close()
    return read


def pages(study: Study, *, seconds: float) -> None:
    """The lead's pages, and a voter while a lead reads."""
    from db.engine import open_store
    from workflow.access import accounts, sign_in

    with closing(open_store(None, study.home)) as store:
        tokens = {
            login: sign_in.start_session(store, person=accounts.find_person(store, login=login))
            for login in (LEAD, VOTERS[0])
        }
    server = Server(study.home).start()
    try:
        asyncio.run(_pages(study, server, tokens, seconds))
    finally:
        server.stop()


async def _pages(study: Study, server: Server, tokens: dict[str, str], seconds: float) -> None:
    figures, lead = study.figures, tokens[LEAD]
    assert server.process is not None
    pid = server.process.pid
    await opened(server, "guideline", lead)  # what the server does first at all
    stands, whole, shown = await opened(server, AGREEMENT, lead)
    figures["agreement_page_first_s"] = round(whole, 2)
    figures["agreement_page_stands_s"] = round(stands, 2)
    voted = [each for each in study.items if each.votes]
    share = f"{100 * large_study.percent_agreement(voted):.0f} % of items"
    alpha = f"alpha is {large_study.krippendorff_alpha(voted):.2f} ["
    for words in (share, alpha):
        study.must(words.encode() in shown, f"the page Agreement does not show “{words}”")
    _, whole, _ = await opened(server, AGREEMENT, lead)
    figures["agreement_page_again_s"] = round(whole, 2)
    seen: dict[str, dict[str, float]] = {}
    for path in HEAVY:
        before = machine.cpu_seconds(pid)
        stands, whole, shown = await opened(server, path, lead)
        spent = machine.cpu_seconds(pid) - before
        again, _, _ = await opened(server, path, lead)
        seen[path] = {"stands_s": round(stands, 2), "whole_s": round(whole, 2), "again_s": round(again, 2)}
        seen[path] |= {"cpu_s": round(spent, 2), "sent_mb": round(len(shown) / 1e6, 2)}
        machine.log(f"page {path}: {seen[path]}")
        if path == "overview":
            kept = f"{large_study.states(study.items)['kept']:,} kept"
            study.must(kept.encode() in shown, f"the dashboard does not say {kept!r}")
    slowest = max(seen, key=lambda path: max(seen[path]["stands_s"], seen[path]["again_s"]))
    figures["slowest_other_page_s"] = max(seen[slowest]["stands_s"], seen[slowest]["again_s"])
    figures["slowest_other_page"], figures["pages"] = slowest, seen
    machine.log("voting alone")
    alone = await voter_waits(server, tokens[VOTERS[0]], seconds=seconds)
    machine.log("voting while a lead reads")
    stop = asyncio.Event()
    beside, read = await asyncio.gather(
        voter_waits(server, tokens[VOTERS[0]], seconds=seconds, stop=stop), read_on(server, lead, stop)
    )
    figures["voter_wait_ratio_while_lead_reads"] = round(mean(beside) / mean(alone), 2)
    figures["voter_waits"] = {
        name: {
            "votes": len(waits),
            "mean_ms": round(1000 * mean(waits), 1),
            "p50_ms": machine.quantile_ms(waits, 0.5),
            "p95_ms": machine.quantile_ms(waits, 0.95),
        }
        for name, waits in (("alone", alone), ("while_lead_reads", beside))
    }
    figures["pages_read_meanwhile"] = sum(read.values())
    figures["server_mb"] = round(server.memory)


# ---- photographs -----------------------------------------------------------------------------------------------------


def photos(study: Study, n: int) -> None:
    """Photographs of real size with their items."""
    folder = study.work / "photos"
    machine.log(f"drawing {n} photographs")
    names = large_study.photographs(folder, n, size=PHOTO)
    items = large_study.drawn(0, n, seed=3)
    path = study.work / "shown.json"
    large_study.write_items(path, items, images=names)
    create_project(study, PICTURES, images=True)
    spent = touchstone("item", "import", PICTURES, "pca_bench", path, "--media", folder, home=study.home)
    study.step("photos", spent)
    start = study.steps.get("start", {}).get("wall_s", 0.0)
    study.figures["photos"], study.figures["photo_mb"] = n, round(_bytes(folder) / n / 1e6, 2)
    study.figures["images_per_second"] = round(n / (spent.wall_s - start), 1)
    study.figures["image_cpu_ms"] = round(1000 * (spent.cpu_s - study.steps.get("start", {}).get("cpu_s", 0)) / n, 1)
    there = re.findall(r"\b(\d[\d,]*) (?:image|media|of)", spent.said)
    stored = study.rows("SELECT count(*), min(width), min(height) FROM media_object")
    study.must(stored == [(n, *PHOTO)], f"the store has {stored} and not {n} photographs of {PHOTO} ({there})")


def _bytes(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.iterdir())


def main() -> int:
    """Measure, and print one JSON object last."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="2,000 items; under a minute")
    parser.add_argument("--items", type=int, help="items with three votes; 100,000, or 2,000 with --quick")
    parser.add_argument("--photos", type=int, help="600, or 24 with --quick")
    parser.add_argument("--only", nargs="+", choices=PARTS, default=PARTS, metavar="PART", help=", ".join(PARTS))
    parser.add_argument("--work", type=Path, help="where the files lie meanwhile; by default the system's place")
    given = parser.parse_args()
    n, n_photos = given.items or (2_000 if given.quick else 100_000), given.photos or (24 if given.quick else 600)
    n_open, seconds = (400, 3.0) if given.quick else (2_000, 40.0)
    figures: dict[str, Any] = {"benchmark": "scale", "quick": given.quick, **machine.described()}
    figures["machine_busy_percent_before"] = machine.busy_percent()
    figures["goals"] = GOALS
    with tempfile.TemporaryDirectory(prefix="touchstone-scale-", dir=given.work) as name:
        home = Path(name, "home")
        home.mkdir()
        study = Study(home, Path(name), large_study.drawn(n, n_open), figures)
        if "files" in given.only or "pages" in given.only:
            files(study)
        if "pages" in given.only:
            pages(study, seconds=seconds)
        if "photos" in given.only:
            photos(study, n_photos)
    ours = {step: spent for step, spent in study.steps.items() if ":" not in step}
    figures["peak_mb"] = max(spent["peak_mb"] for spent in ours.values())
    figures["steps"], figures["wrong"] = study.steps, study.wrong
    print(json.dumps(figures))
    return 1 if study.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
