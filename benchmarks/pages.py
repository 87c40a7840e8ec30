"""Every page of a lead, a senior and someone who votes: server time and time to the last paint, small and large.

    .venv/bin/python -m benchmarks.pages [--quick] [--sizes N N] [--only PAGE ...] [--keep FOLDER]

Two studies of one kind, of 1,000 and of 100,000 items with three votes each (``benchmarks/large_study.py``), each on a
real ``touchstone serve``. Each page is opened three times over the websocket as its browser opens it: the first time
nothing is kept of it. Then a real Chromium opens it twice: the last paint is the last change of the page until nothing
moves any more. What a page that works out a figure shows first counts, not the figure: the figure has a process of its
own, and its time is in ``whole_ms``. ``--quick`` opens each twice over the websocket, of studies of 200 and of 2,000
items. With ``--keep`` the studies lie in that folder afterwards, and the next run with it begins with copies of them.

The last line of the output is one JSON object. ``growth`` is how much longer a page takes for the larger study, in
server time when it is opened again. The exit status is 1 if a page is wrong: an error on it, or a count of items that
is not the study's on a page that says one.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import json
import shutil
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from statistics import median
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks import large_study, machine
from benchmarks.client import LeadPage, WorkingPage
from benchmarks.large_study import LEAD, PROJECT, SENIOR, VOTERS
from benchmarks.scale import PENDING, Study, create_project, touchstone
from testkit.browser import launched, settled
from testkit.paths import ROOT
from testkit.serving import Server

SIZES = (1_000, 100_000)
GOALS = {"items_first_page_ms": 300}
OPENED, QUICKLY = 3, 2
"""So often a page is opened over the websocket, and with ``--quick``."""
FIGURE_SECONDS = 180
"""So long a figure that is worked out elsewhere is waited for."""
WATCH = """
window.lastPaint = 0;
const noted = () => requestAnimationFrame(() => { window.lastPaint = performance.now(); });
new MutationObserver(noted).observe(document, {subtree: true, childList: true, characterData: true, attributes: true});
"""
"""Notes when the page changed last, as milliseconds since one went to it."""


def study_of(n: int, work: Path, keep: Path | None) -> Study:
    """A home with a study of ``n`` items in which everyone has voted, and two hundredths more without votes."""
    home = work / f"home-{n}"
    study = Study(home, work, large_study.drawn(n, max(n // 50, 40)))
    kept = keep / f"pages-{n}-{_of_code()}" if keep is not None else None
    if kept is None or not kept.exists():
        _make(study)
        if kept is not None:
            shutil.copytree(home, half := kept.with_suffix(".half"))
            half.rename(kept)
    else:
        shutil.copytree(kept, home)
    return study


def _of_code() -> str:
    """What changes when a study would be made otherwise, as far as that can be known."""
    parts = [ROOT / "benchmarks" / "large_study.py", *sorted((ROOT / "db" / "migrations" / "versions").glob("*.py"))]
    return hashlib.sha256(b"".join(each.read_bytes() for each in parts)).hexdigest()[:12]


def _make(study: Study) -> None:
    home = study.home
    home.mkdir()
    study.source.unlink(missing_ok=True)
    large_study.write_items(study.source, study.items)
    touchstone("project", "list", home=home)
    create_project(study, PROJECT)
    touchstone("item", "import", PROJECT, "pca_bench", study.source, home=home)
    machine.log("voting")
    large_study.write_votes(home, study.items)
    touchstone("check", PROJECT, "--rebuild", home=home)


def sessions(study: Study) -> dict[str, str]:
    """Who looks -> the session that their browser has."""
    from db.engine import open_store
    from workflow.access import accounts, sign_in

    with closing(open_store(None, study.home)) as store:
        return {
            login: sign_in.start_session(store, person=accounts.find_person(store, login=login))
            for login in (LEAD, SENIOR, VOTERS[0])
        }


def pages_of(study: Study, login: str) -> list[tuple[str, bool]]:
    """The paths of the pages that someone is offered, and whether each is a page to work on."""
    from app import rooms
    from db.engine import open_store
    from workflow.access import accounts, projects

    with closing(open_store(None, study.home)) as store:
        person = accounts.find_person(store, login=login)
        (view,) = [view for view in projects.projects_of(store, person=person) if view.name == PROJECT]
        return [(screen.path, screen.stage is not None) for screen in rooms.offered(view)]


async def over_websocket(server: Server, path: str, token: str, *, works: bool, times: int) -> dict[str, Any]:
    """A page opened again and again: what the server takes, until it stands and until its figures are there."""
    assert server.process is not None
    stands, spent, whole, shown = [], [], [], b""
    for _ in range(times):
        page = (WorkingPage if works else LeadPage)(server.url, path=path, project=PROJECT, token=token)
        before, begun = machine.cpu_seconds(server.process.pid), time.monotonic()
        try:
            await page.open()
            stands.append(time.monotonic() - begun)
            spent.append(machine.cpu_seconds(server.process.pid) - before)
            while isinstance(page, LeadPage) and any(words in page.shown for words in PENDING):
                if time.monotonic() - begun > FIGURE_SECONDS:
                    break
                await asyncio.sleep(0.25)
                await page.again()
            whole.append(time.monotonic() - begun)
            shown = page.shown if isinstance(page, LeadPage) else b""
        finally:
            await page.close()
    return {
        "first_ms": round(1000 * stands[0]),
        "again_ms": round(1000 * median(stands[1:])),
        "whole_ms": round(1000 * whole[0]),
        "cpu_ms": round(1000 * median(spent[1:])),
        "shown": shown,
    }


def in_browser(server: Server, token: str, paths: Sequence[str]) -> dict[str, dict[str, int]]:
    """Each page in a real browser: milliseconds from going there to the last paint, the second time; exceptions."""
    found = {}
    with launched() as browser:
        context = browser.new_context(viewport={"width": 1280, "height": 900})
        context.add_cookies([{"name": "touchstone_session", "value": token, "url": server.url}])
        page = context.new_page()
        page.add_init_script(WATCH)
        for path in paths:
            for _ in range(2):  # the first time fetches what pages are made of
                page.goto(f"{server.url}/{path}?project={PROJECT}")
                settled(page, held_ms=400)
            found[path] = {
                "last_paint_ms": round(page.evaluate("() => window.lastPaint")),
                "exceptions": page.locator("[data-testid=stException], .ts-notice.bad").count(),
            }
        context.close()
    return found


def looked_at(study: Study, only: Sequence[str], *, times: int) -> dict[str, dict[str, Any]]:
    """Every page of everyone, by person and path."""
    tokens, seen = sessions(study), {}
    server = Server(study.home).start()
    try:
        for login, token in tokens.items():
            offered = [(path, works) for path, works in pages_of(study, login) if not only or path in only]
            offered.sort(key=lambda each: each[1])  # an item that one has in hand is not in one's lists any more
            if login != LEAD:  # the lead has them as well; what others see of a page is less
                offered = [(path, works) for path, works in offered if works or path == ""]
            # what a server does first
            asyncio.run(over_websocket(server, "guideline", tokens[LEAD], works=False, times=times))
            for path, works in offered:
                try:
                    seen[f"{login}: {path or 'my_work'}"] = asyncio.run(
                        over_websocket(server, path, token, works=works, times=times)
                    )
                except Exception as error:  # told as a fault of the page, and the others are looked at
                    study.must(False, f"{path or 'my_work'} of {login}: {error!r}")
            paths = [path for path, _ in offered]
            for path, painted in in_browser(server, token, paths).items():
                name = f"{login}: {path or 'my_work'}"
                study.must(painted.pop("exceptions") == 0, f"{name} shows an error")
                seen.setdefault(name, {}).update(painted)
            machine.log(f"{login}: {len(offered)} pages")
    finally:
        server.stop()
    told = f"{len(study.items):,}".encode()
    for name in ("items", "overview"):
        shown = seen.get(f"{LEAD}: {name}", {}).get("shown")
        study.must(shown is None or told in shown, f"the page {name} does not say that there are {told.decode()} items")
    for figures in seen.values():
        figures.pop("shown", None)
    return seen


def main() -> int:
    """Measure, and print one JSON object last."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="200 and 2,000 items; three minutes")
    parser.add_argument("--sizes", nargs=2, type=int, metavar="N", help="items of the two studies")
    parser.add_argument("--only", nargs="+", default=(), metavar="PAGE", help="paths such as dashboard")
    parser.add_argument("--work", type=Path, help="where the files lie meanwhile; by default the system's place")
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="where studies stay for the next run")
    given = parser.parse_args()
    if given.keep is not None:
        given.keep.mkdir(parents=True, exist_ok=True)
    sizes = given.sizes or ((200, 2_000) if given.quick else SIZES)
    figures: dict[str, Any] = {"benchmark": "pages", "quick": given.quick, **machine.described()}
    figures["machine_busy_percent_before"] = machine.busy_percent()
    figures |= {"goals": GOALS, "sizes": sizes}
    seen, wrong = [], []
    with tempfile.TemporaryDirectory(prefix="touchstone-pages-", dir=given.work) as name:
        for n in sizes:
            study = study_of(n, Path(name), given.keep)
            seen.append(looked_at(study, given.only, times=QUICKLY if given.quick else OPENED))
            wrong += study.wrong
    small, large = seen
    figures["pages"] = {name: {"small": small.get(name), "large": large[name]} for name in large}
    measured = {name: each for name, each in large.items() if "first_ms" in each}
    slowest = max(measured, key=lambda name: measured[name]["first_ms"])
    figures["slowest_page"], figures["slowest_page_ms_100k"] = slowest, measured[slowest]["first_ms"]
    painted = {name: each["last_paint_ms"] for name, each in large.items() if "last_paint_ms" in each}
    figures["slowest_paint"] = max(painted, key=lambda name: painted[name])
    figures["slowest_paint_ms_100k"] = painted[figures["slowest_paint"]]
    figures["growth"] = {
        name: round(each["again_ms"] / max(small[name]["again_ms"], 1), 2)
        for name, each in measured.items()
        if "again_ms" in small.get(name, {})
    }
    figures["items_first_page_ms"] = measured.get(f"{LEAD}: items", {}).get("first_ms")
    figures["wrong"] = wrong
    print(json.dumps(figures))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
