"""How long do people wait who sit far from the server? The Verify page behind a line that delays and loses packets.

    .venv/bin/python benchmarks/distance.py [--quick] [--votes N] [--look SECONDS]

The real ``touchstone serve`` runs on the demo project with more items. A real Chromium shows the Verify page through a
proxy that holds back the data of each direction for half of the round trip. A new connection costs one round trip more,
as TCP does. A lost packet (2 % of the packets of 1,460 bytes, in the runs with loss) and all data behind the packet
arrive one retransmission timeout later: one round trip and 200 ms, as in Linux. Bandwidth and slow start are not
modeled.

The person looks at each item for a second, then votes by one key. The wait lasts from the key until the text of the
next item is on the page and its picture is loaded; the page's own clock measures it. Votes are counted in the database.
The first page is measured until its item is on the page: cold in a new browser, warm in one that had the page before.

The last line of the output is one JSON object.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import math
import random
import statistics
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks import machine
from benchmarks.rerun import VERIFIER, more_items, said, stored_votes
from db.engine import open_store
from testkit import browser
from testkit.serving import Server
from workflow.access import accounts, sign_in

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

ROUND_TRIPS_MS = (0, 50, 200)
LOSS = 0.02
PACKET = 1460
RETRANSMIT_S = 0.2
"""Linux waits one round trip and this long before it sends a packet again."""
WARM_UP = 3
LOOKS = 1.0
"""Seconds that the person looks at an item before voting."""
LOADS = 5
"""How often the first page is opened, cold and warm each; the figures are medians."""
GOALS = {"submit_to_next_p50_ms": 50, "first_page_warm_s_at_200_ms": 1.2}


class Line:
    """A line to a server with a round trip and a share of lost packets."""

    def __init__(self, port: int, *, round_trip_s: float, loss: float, seed: int = 0) -> None:
        self.port, self.round_trip_s, self.loss = port, round_trip_s, loss
        self.luck = random.Random(seed)
        self.packets = self.lost = 0
        self.address = ""

    async def connect(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Pass both directions of one connection on."""
        there, back = await asyncio.open_connection("127.0.0.1", self.port)
        with suppress(asyncio.CancelledError):  # the line is taken away
            await asyncio.gather(
                self._pass(reader, back, handshake_s=self.round_trip_s),
                self._pass(there, writer, handshake_s=0.0),
                return_exceptions=True,
            )

    async def _pass(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, *, handshake_s: float) -> None:
        """Pass one direction on, in order: nothing overtakes a packet that is sent again."""
        clock = asyncio.get_running_loop().time
        waiting: asyncio.Queue[tuple[float, bytes]] = asyncio.Queue()
        open_at = clock() + handshake_s

        async def deliver() -> None:
            while True:
                at, data = await waiting.get()
                await asyncio.sleep(max(0.0, at - clock()))
                if not data:
                    break
                writer.write(data)
                await writer.drain()

        delivering = asyncio.create_task(deliver())
        before = 0.0
        data = b"-"
        try:
            while data:
                try:
                    data = await reader.read(2**16)
                except OSError:
                    data = b""
                before = max(before, max(clock(), open_at) + self.round_trip_s / 2 + self._lost_s(len(data)))
                waiting.put_nowait((before, data))
            await delivering
        finally:
            delivering.cancel()
            writer.close()

    def _lost_s(self, size: int) -> float:
        packets = math.ceil(size / PACKET)
        lost = sum(self.luck.random() < self.loss for _ in range(packets)) if self.loss else 0
        self.packets, self.lost = self.packets + packets, self.lost + lost
        return self.round_trip_s + RETRANSMIT_S if lost else 0.0


@contextmanager
def line_to(port: int, *, round_trip_ms: int, loss: float) -> Iterator[Line]:
    """A proxy on a port of its own, in a thread of its own."""
    line = Line(port, round_trip_s=round_trip_ms / 1000, loss=loss)
    ready, stopped = threading.Event(), asyncio.Event()
    loops: list[asyncio.AbstractEventLoop] = []

    async def serve() -> None:
        listening = await asyncio.start_server(line.connect, "127.0.0.1", 0)
        line.address = f"http://127.0.0.1:{listening.sockets[0].getsockname()[1]}"
        loops.append(asyncio.get_running_loop())
        ready.set()
        await stopped.wait()

    thread = threading.Thread(target=lambda: asyncio.run(serve()), daemon=True)
    thread.start()
    ready.wait()
    try:
        yield line
    finally:
        loops[0].call_soon_threadsafe(stopped.set)
        thread.join()


PAGE = """
const find = (root) => {
  const here = root.querySelector('.ts');
  if (here) return here;
  for (const element of root.querySelectorAll('*')) {
    const inside = element.shadowRoot && find(element.shadowRoot);
    if (inside) return inside;
  }
  return null;
};
// What identifies the item on the page; empty until its text is there and its picture is loaded.
const shown = () => {
  const page = find(document);
  const item = page && page.dataset.view === 'task' && page.querySelector('.item');
  const image = item && page.querySelector('img');
  if (!image || !image.complete || !image.naturalWidth) return '';
  return item.textContent + image.src;
};
"""

VOTE = f"""
(looks) => new Promise((resolve) => {{
  {PAGE}
  const before = shown();
  const page = find(document);
  let pressed = 0;
  const look = () => {{
    const now = pressed && shown();
    if (!now || now === before) return;
    seen.disconnect();
    page.removeEventListener('load', look, true);
    resolve(performance.now() - pressed);
  }};
  const seen = new MutationObserver(look);
  seen.observe(page, {{ subtree: true, childList: true, characterData: true, attributes: true }});
  page.addEventListener('load', look, true);
  window.addEventListener('keydown', () => {{ pressed = performance.now(); }}, {{ capture: true, once: true }});
  window.ready = true;
}})
"""


class Verify:
    """The Verify page in a browser of its own, through a line."""

    def __init__(self, chromium: Browser, line: Line, session: str) -> None:
        self.address = line.address
        context = chromium.new_context(viewport={"width": 1280, "height": 800})
        context.add_cookies([{"name": "touchstone_session", "value": session, "url": line.address}])
        self.page: Page = context.new_page()
        self.page.set_default_timeout(60_000)
        self.requests = 0
        self.page.on("request", self._count)

    def _count(self, _request: object) -> None:
        self.requests += 1

    def open(self) -> float:
        """Load the page; the seconds from the start of the navigation until its item is there."""
        self.page.goto("about:blank")
        self.requests = 0
        self.page.goto(f"{self.address}/verify?project=demo", wait_until="commit")
        when = f"() => {{ {PAGE} return shown() !== '' && performance.now(); }}"
        return float(self.page.wait_for_function(when).json_value()) / 1000

    def vote(self, looks: float) -> float:
        """Look at the item, vote by key, and wait for the next; the seconds from the key on."""
        self.page.evaluate(f"() => {{ window.waited = ({VOTE})(); }}")
        self.page.wait_for_timeout(1000 * looks)
        self.page.keyboard.press("1")
        return float(self.page.evaluate("() => window.waited")) / 1000

    def close(self) -> None:
        """Throw the browser's window and its cache away."""
        self.page.context.close()


def first_pages(chromium: Browser, line: Line, session: str, loads: int) -> dict[str, float]:
    """Open the page in new browsers, and again in each of them."""
    cold, warm, requests = [], [], [0, 0]
    for _ in range(loads):
        verify = Verify(chromium, line, session)
        cold.append(verify.open())
        requests[0] = verify.requests
        warm.append(verify.open())
        requests[1] = verify.requests
        verify.close()
    return {
        "cold": round(statistics.median(cold), 2),
        "warm": round(statistics.median(warm), 2),
        "requests_cold": requests[0],
        "requests_warm": requests[1],
    }


def votes(chromium: Browser, line: Line, session: str, n: int, looks: float) -> dict[str, float | None]:
    """Vote so often, and say how long the person waited."""
    verify = Verify(chromium, line, session)
    verify.open()
    for _ in range(WARM_UP):
        verify.vote(looks)
    waits = [verify.vote(looks) for _ in range(n)]
    verify.page.wait_for_timeout(5000)  # what is still being sent
    verify.close()
    return {
        "votes": n,
        "p50_ms": machine.quantile_ms(waits, 0.5),
        "p95_ms": machine.quantile_ms(waits, 0.95),
        "packets": line.packets,
        "packets_lost": line.lost,
    }


def measure(chromium: Browser, folder: Path, n: int, looks: float, loads: int) -> dict[str, object]:
    """Make the demo project, serve it, and work on it from near and far."""
    home = folder / "home"
    home.mkdir(parents=True)
    machine.log("making the demo project")
    said("demo", "--no-serve", home=home)
    lines = [(loss, ms) for loss in (0.0, LOSS) for ms in ROUND_TRIPS_MS]
    expected = len(lines) * (n + WARM_UP)
    more_items(home, folder / "more", expected + 20)
    said("person", "create", VERIFIER, "--project", "demo", "--stage", "verification", home=home)
    with closing(open_store(None, home)) as store:
        session = sign_in.start_session(store, person=accounts.find_person(store, login=VERIFIER))
    server = Server(home).start()
    first, waits = {}, {}
    try:
        for loss, ms in lines:
            name = f"{ms}_lossy" if loss else str(ms)
            with line_to(server.port, round_trip_ms=ms, loss=loss) as line:
                if not loss:
                    first[name] = first_pages(chromium, line, session, loads)
                    machine.log(f"first page at {ms} ms: {json.dumps(first[name])}")
                waits[name] = votes(chromium, line, session, n, looks)
                machine.log(f"{n} votes at {ms} ms, {loss:.0%} lost: {json.dumps(waits[name])}")
        stored = stored_votes(home)
    finally:
        server.stop()
    return {
        "submit_to_next_p50_ms": {name: each["p50_ms"] for name, each in waits.items()},
        "first_page_s": first,
        "waits": waits,
        "votes_given": expected,
        "votes_stored": stored,
    }


def main() -> int:
    """Measure, and print one JSON object last."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="fewer votes and loads; about three minutes")
    parser.add_argument("--votes", type=int, help="for each line; 12 with --quick, else 60")
    parser.add_argument("--look", type=float, default=LOOKS, help="seconds before each vote; default 1")
    given = parser.parse_args()
    n = given.votes or (12 if given.quick else 60)
    figures: dict[str, object] = {"benchmark": "distance", "quick": given.quick, **machine.described()}
    figures["machine_busy_percent_before"] = machine.busy_percent()
    figures |= {"goals": GOALS, "loss": LOSS, "loss_is": "a delay of one round trip and 200 ms", "look_s": given.look}
    with tempfile.TemporaryDirectory(prefix="touchstone-distance-") as name, browser.launched() as chromium:
        figures |= measure(chromium, Path(name), n, given.look, 2 if given.quick else LOADS)
    print(json.dumps(figures))
    return 0 if figures["votes_given"] == figures["votes_stored"] else 1


if __name__ == "__main__":
    sys.exit(main())
