"""What does one submit cost: from the key on the Verify page until the next item is there?

    .venv/bin/python benchmarks/rerun.py [--quick] [--submits N] [--no-peer]

The real ``touchstone serve`` runs on the demo project, to which more items over the demo's own pictures are imported,
so that there is enough to verify. A real Chromium shows the Verify page, and every vote is a key pressed in it.
Processor time is that of the server's process and its children. How many votes were stored is counted in the database;
a figure per submit is divided by that count. Potato, in an environment of its own, is driven in the same way over
the same pictures and questions.

The last line of the output is one JSON object.
"""

from __future__ import annotations

import argparse
import json
import re
import sqlite3
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks import machine, potato
from testkit import browser
from testkit.serving import Server, touchstone

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

WARM_UP = 8
"""Submits before anything is measured."""

GOAL_CPU_MS = 20
VERIFIER = "benchmark"


def said(*arguments: str, home: Path, **more: str) -> str:
    """What a command prints, with ``more`` in its environment; the benchmark ends if it fails."""
    done = touchstone(*arguments, home=home, **more)
    if done.returncode:
        raise RuntimeError(f"touchstone {' '.join(arguments)} failed:\n{done.stdout}{done.stderr}")
    return done.stdout + done.stderr


def rows(home: Path, query: str) -> list[tuple[object, ...]]:
    """Ask the demo's database, next to the server."""
    with closing(sqlite3.connect(f"file:{home / 'touchstone.db'}?mode=ro", uri=True)) as connection:
        return connection.execute(query).fetchall()


def stored_votes(home: Path) -> int:
    """How many votes of the verifier are in the database."""
    query = f"SELECT count(*) FROM annotation JOIN person ON person.id = person_id WHERE login = '{VERIFIER}'"
    return int(str(rows(home, query)[0][0]))


class Verify:
    """The Verify page in a browser."""

    SHOWN = """
    () => {
      const find = (root) => {
        const here = root.querySelector('.ts');
        if (here) return here;
        for (const element of root.querySelectorAll('*')) {
          const inside = element.shadowRoot && find(element.shadowRoot);
          if (inside) return inside;
        }
        return null;
      };
      const page = find(document);
      const form = page && page.querySelector('.item');
      const image = page && page.querySelector('img');
      return form && page.dataset.view === 'task' ? form.innerText + (image ? image.src : '') : '';
    }
    """

    def __init__(self, page: Page) -> None:
        self.page = page

    def shown(self) -> str:
        """What identifies the item on the page; empty as long as there is none."""
        return str(self.page.evaluate(self.SHOWN))

    def answer(self) -> None:
        """Vote by key, and wait until another item is there."""
        before = self.shown()
        self.page.keyboard.press("1")
        changed = f"before => {{ const now = ({self.SHOWN})(); return now !== '' && now !== before; }}"
        self.page.wait_for_function(changed, arg=before, timeout=15_000)


def measured(pid: int, answer: Callable[[], None], stored: Callable[[], int], submits: int) -> dict[str, object]:
    """Submit so often, and say what each cost the server and how long the person waited."""
    for _ in range(WARM_UP):
        answer()
    count, spent, begun = stored(), machine.cpu_seconds(pid), time.perf_counter()
    waits = []
    for _ in range(submits):
        pressed = time.perf_counter()
        answer()
        waits.append(time.perf_counter() - pressed)
    wall = time.perf_counter() - begun
    while stored() - count < submits and time.perf_counter() - begun < wall + 5:
        time.sleep(0.1)  # the last vote is sent behind the next item
    spent, count = machine.cpu_seconds(pid) - spent, stored() - count
    return {
        "submits_stored": count,
        "cpu_ms_per_submit": round(1000 * spent / count, 2) if count else None,
        "wait_ms_p50": machine.quantile_ms(waits, 0.5),
        "wait_ms_p95": machine.quantile_ms(waits, 0.95),
        "wall_s": round(wall, 1),
        "memory_mb": machine.memory_mb(pid),
    }


def questions(home: Path) -> list[tuple[str, str]]:
    """The demo's own questions and answers."""
    found = [json.loads(str(content)) for (content,) in rows(home, "SELECT content FROM revision ORDER BY id")]
    return [(fields["question"], fields["answer"]) for fields in found]


def pictures(home: Path, folder: Path) -> list[Path]:
    """The demo's own pictures, as they were added, copied into a folder under names of their own."""
    from media.store import MediaStore

    store = MediaStore(home / "media")
    folder.mkdir(parents=True)
    query = "SELECT DISTINCT sha256 FROM asset WHERE kind = 'image' AND sha256 IS NOT NULL ORDER BY sha256"
    found = []
    for number, (digest,) in enumerate(rows(home, query)):
        found.append(folder / f"picture-{number:03}.jpg")
        found[-1].write_bytes(store.path(str(digest), "original").read_bytes())
    return found


def more_items(home: Path, folder: Path, count: int, *, into: Path | None = None, **more: str) -> None:
    """Import ``count`` items of one dimension over the demo's pictures, with the demo's questions, numbered.

    They go into the same home, or ``into`` another one with a demo project, whose environment has ``more``.
    """
    asked, shown = questions(home), pictures(home, folder / "media")
    (folder / "items" / "Object" / "attribute").mkdir(parents=True)
    records = []
    for number in range(count):
        question, answer = asked[number % len(asked)]
        name = shown[number % len(shown)].name
        records.append({"image_path": [name], "question": f"{question} ({number})", "answer": answer})
    path = folder / "items" / "Object" / "attribute" / "annotations.json"
    path.write_text(json.dumps(records, indent=4), encoding="utf-8")
    imported = ("item", "import", "demo", "egothink", str(folder / "items"), "--media", str(folder / "media"))
    said(*imported, home=into or home, **more)


def touchstone_figures(chromium: Browser, folder: Path, submits: int) -> dict[str, object]:
    """Make the demo project, serve it, and vote on its Verify page."""
    home = folder / "home"
    home.mkdir(parents=True)
    machine.log("making the demo project")
    begun = time.monotonic()
    said("demo", "--no-serve", home=home)
    more_items(home, folder / "more", submits + WARM_UP + 2)
    said("person", "create", VERIFIER, "--project", "demo", "--stage", "verification", home=home)
    prepared = time.monotonic() - begun
    server = Server(home)
    begun = time.monotonic()
    server.start()
    started = time.monotonic() - begun
    try:
        link = said("person", "link", VERIFIER, "--address", server.url, home=home)
        page = chromium.new_context(viewport={"width": 1280, "height": 800}).new_page()
        page.goto(re.findall(r"http://\S+/link/\S+", link)[-1])
        page.goto(f"{server.url}/verify?project=demo")
        verify = Verify(page)
        page.wait_for_function(f"() => ({verify.SHOWN})() !== ''", timeout=60_000)
        assert server.process is not None
        machine.log(f"voting {submits} times on the Verify page")
        figures = measured(server.process.pid, verify.answer, lambda: stored_votes(home), submits)
        items = int(str(rows(home, "SELECT count(*) FROM item")[0][0]))
        return {**figures, "items": items, "prepare_s": round(prepared, 1), "start_s": round(started, 1)}
    finally:
        server.stop()


def potato_figures(chromium: Browser, folder: Path, submits: int) -> dict[str, object]:
    """The same votes in Potato."""
    home = folder / "home"
    asked = [question for question, _ in questions(home)]
    numbered = [f"{asked[number % len(asked)]} ({number})" for number in range(submits + WARM_UP + 2)]
    peer = potato.Potato(folder / "potato", pictures(home, folder / "pictures"), numbered)
    begun = time.monotonic()
    peer.start()
    started = time.monotonic() - begun
    try:
        page = chromium.new_context(viewport={"width": 1280, "height": 800}).new_page()
        peer.sign_in(page, VERIFIER)
        assert peer.process is not None
        machine.log(f"voting {submits} times in Potato")
        figures = measured(peer.process.pid, lambda: peer.answer(page), peer.stored, submits)
        return {**figures, "items": len(numbered), "start_s": round(started, 1), "version": potato.VERSION}
    finally:
        peer.stop()


def main() -> int:
    """Measure, and print one JSON object last."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--quick", action="store_true", help="fewer submits; under a minute")
    parser.add_argument("--submits", type=int, help="how many; 60 with --quick, else 400")
    parser.add_argument("--no-peer", action="store_true", help="leave Potato out")
    options = parser.parse_args()
    submits = options.submits or (60 if options.quick else 400)
    figures: dict[str, object] = {"benchmark": "rerun", "quick": options.quick, **machine.described()}
    figures["machine_busy_percent_before"] = machine.busy_percent()
    with tempfile.TemporaryDirectory(prefix="touchstone-rerun-") as name, browser.launched() as chromium:
        ours = touchstone_figures(chromium, Path(name), submits)
        figures["cpu_ms_per_submit"] = ours["cpu_ms_per_submit"]
        figures["goal_cpu_ms_per_submit"] = GOAL_CPU_MS
        figures["touchstone"] = ours
        figures["potato"] = None
        figures["potato_left_out"] = "--no-peer was given" if options.no_peer else None
        if not options.no_peer:
            figures["potato"] = potato_figures(chromium, Path(name), submits)
    print(json.dumps(figures))
    return 0


if __name__ == "__main__":
    sys.exit(main())
