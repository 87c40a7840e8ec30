"""How many people can work at once? Annotators over the real protocol, with pauses and without, next to two peers.

    .venv/bin/python benchmarks/annotators.py [--quick] [--people N] [--seconds S] [--items N] [--peers NAME ...]

One ``touchstone serve`` on one SQLite file serves the Verify page of the demo project, to which more items are
imported. Each person is a client that holds the page's websocket open, submits to the route the page submits to, and
takes the next task out of the reply; with pauses it also fetches the task's pictures. Then a stock Potato and a stock
Label Studio server, each in an environment of its own, get the same queue operation (submit, then the next item) from
the same number of people with the same pauses. One operation lasts from the moment of submitting until the next item
has arrived.

What was stored is counted in the database (Potato: in its files; Label Studio: by its own count) and compared with what
the servers acknowledged. The last line of the output is one JSON object.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import re
import sqlite3
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Protocol

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks import machine, potato
from benchmarks.client import Http, HttpError, WorkingPage
from benchmarks.label_studio import LabelStudio
from benchmarks.rerun import more_items, pictures, questions, said
from testkit.serving import Server

PAUSE = (1.0, 3.0)
"""Seconds that a person looks at an item."""

AT_ONCE = 10
"""People in the measurement without pauses."""

GOAL_P95_MS = 300
GOAL_TIMES_POTATO = 4
STRETCH_PER_SECOND = 100
OVERLAP = 2
"""How many people the demo project, and so every project here, wants for an item."""


class Desk(Protocol):
    """Someone at work with one of the tools."""

    async def open(self) -> None:
        """Sign in and get the first item."""

    async def look(self) -> None:
        """What a page loads besides, while someone looks at the item."""

    async def answer(self) -> str:
        """Submit and get the next item; what identifies the item that was answered."""

    async def close(self) -> None:
        """Leave."""


@dataclass
class Tally:
    """What the people saw."""

    waits: list[float] = field(default_factory=list)
    errors: Counter[str] = field(default_factory=Counter)
    answered: list[tuple[int, str]] = field(default_factory=list)
    """Acknowledged: who, and which item."""


# ---- the tools ------------------------------------------------------------------------------------------------------


class TouchstoneDesk:
    """The Verify page."""

    def __init__(self, page: WorkingPage) -> None:
        self.page = page

    async def open(self) -> None:
        """Open the page."""
        await self.page.open()

    async def look(self) -> None:
        """The pictures of the item."""
        await self.page.media()

    async def answer(self) -> str:
        """Vote, and wait for the next task."""
        item = str(self.page.data["task"]["item"])
        await self.page.submit({"fits": "yes"})
        return item

    async def close(self) -> None:
        """Close the page."""
        await self.page.close()


class PotatoDesk:
    """Potato's annotation page: save, go on, load the page again; the calls that it makes besides while one looks."""

    ITEM = re.compile(rb'<input[^>]*id="instance_id"[^>]*>')
    PICTURE = re.compile(rb'src="(/media/[^"]+)"')

    def __init__(self, address: str, name: str) -> None:
        self.http, self.name, self.item, self.picture = Http(address), name, "", ""

    async def open(self) -> None:
        """Register, and load the page."""
        form = {"action": "signup", "email": self.name, "pass": "not-a-secret-1"}
        status, body = await self.http.post("/register", form=form)
        if status not in (200, 302):
            raise HttpError(status, body)
        await self._page()

    async def look(self) -> None:
        """Its picture, and what its page asks for besides."""
        if self.picture:
            await self.http.get(self.picture)
        for path in ("colors", f"spans/{self.item}", f"keyword_highlights/{self.item}", "schemas"):
            await self.http.get(f"/api/{path}")
        seen = {"instance_id": self.item, "events": []}
        await self.http.post("/api/track_interactions", seen)

    async def answer(self) -> str:
        """Save the choice, go on, load the next item."""
        item = self.item
        saved = {
            "instance_id": item,
            "annotations": {"verdict:yes": "yes"},
            "cleared_schemas": [],
            "span_annotations": [],
            "response_time_seconds": 1.0,
        }
        status, body = await self.http.post("/updateinstance", saved)
        if status != 200:
            raise HttpError(status, body)
        go_on = {"action": "next_instance", "instance_id": item}
        status, body = await self.http.post("/annotate", go_on, headers={"X-Potato-Navigation": "1"})
        if status >= 400:
            raise HttpError(status, body)
        await self._page()
        return item

    async def close(self) -> None:
        """Close the connection."""
        self.http.close()

    async def _page(self) -> None:
        status, body = await self.http.get("/")
        if status != 200:
            raise HttpError(status, body)
        found = self.ITEM.search(body)
        value = re.search(rb'value="([^"]*)"', found.group(0)) if found else None
        if value is None:
            raise HttpError(status, b"the page shows no item")
        self.item = value.group(1).decode()
        picture = self.PICTURE.search(body)
        self.picture = picture.group(1).decode() if picture else ""


class LabelStudioDesk:
    """Label Studio's queue: submit an annotation, ask for the next task."""

    def __init__(self, address: str, project: int, token: str) -> None:
        self.http, self.project, self.task = Http(address), project, 0
        self.http.headers["Authorization"] = f"Token {token}"

    async def open(self) -> None:
        """Ask for the first task."""
        await self._next()

    async def look(self) -> None:
        """Nothing besides."""

    async def answer(self) -> str:
        """Submit the choice, and ask for the next task."""
        task = self.task
        chosen = {"from_name": "verdict", "to_name": "picture", "type": "choices", "value": {"choices": ["yes"]}}
        made = {"result": [chosen], "lead_time": 1.0, "project": self.project}
        status, body = await self.http.post(f"/api/tasks/{task}/annotations/", made)
        if status != 201:
            raise HttpError(status, body)
        await self._next()
        return str(task)

    async def close(self) -> None:
        """Close the connection."""
        self.http.close()

    async def _next(self) -> None:
        status, body = await self.http.get(f"/api/projects/{self.project}/next")
        if status != 200:
            raise HttpError(status, body)
        self.task = int(json.loads(body)["id"])


# ---- people at work -------------------------------------------------------------------------------------------------


async def work(desk: Desk, number: int, tally: Tally, *, until: float, pause: tuple[float, float] | None) -> None:
    """One person until the time is over. After an error they load the page again, as people do."""
    luck = random.Random(number)
    if pause:
        await asyncio.sleep(luck.uniform(0, pause[1]))
    while time.monotonic() < until:
        if pause:
            looking = time.monotonic()
            try:
                await desk.look()
            except (HttpError, OSError, asyncio.IncompleteReadError, TimeoutError) as error:
                tally.errors[_name(error)] += 1
            await asyncio.sleep(max(0.0, luck.uniform(*pause) - (time.monotonic() - looking)))
        begun = time.monotonic()
        try:
            item = await desk.answer()
        except (HttpError, OSError, asyncio.IncompleteReadError, TimeoutError) as error:
            tally.errors[_name(error)] += 1
            if not await _again(desk, tally):
                return
            continue
        tally.waits.append(time.monotonic() - begun)
        tally.answered.append((number, item))


def _name(error: Exception) -> str:
    return f"status {error.status}" if isinstance(error, HttpError) else type(error).__name__


async def _again(desk: Desk, tally: Tally) -> bool:
    for _ in range(5):
        try:
            await desk.close()
            await desk.open()
        except (HttpError, OSError, asyncio.IncompleteReadError, TimeoutError) as error:
            tally.errors[_name(error)] += 1
            await asyncio.sleep(0.2)
        else:
            return True
    return False


async def crowd(
    desks: Sequence[Desk], pid: int, *, seconds: float, pauses: bool, stored: Callable[[], int]
) -> dict[str, object]:
    """All of them at once; figures for the operation and for the server's process."""
    for begin in range(0, len(desks), 5):
        await asyncio.gather(*(desk.open() for desk in desks[begin : begin + 5]))
    tally = Tally()
    before, spent, begun = stored(), machine.cpu_seconds(pid), time.monotonic()
    until = begun + seconds
    pause = PAUSE if pauses else None
    people = [work(desk, number, tally, until=until, pause=pause) for number, desk in enumerate(desks)]
    peak = asyncio.create_task(_peak_memory(pid))
    await asyncio.gather(*people)
    wall, spent = time.monotonic() - begun, machine.cpu_seconds(pid) - spent
    peak.cancel()
    count = stored() - before
    for desk in desks:
        await desk.close()
    given = Counter(item for _, item in tally.answered)
    return {
        "people": len(desks),
        "seconds": round(wall, 1),
        "acknowledged": len(tally.answered),
        "stored": count,
        "lost": max(0, len(tally.answered) - count),
        "items_with_too_many": sum(n > OVERLAP for n in given.values()),
        "errors": sum(tally.errors.values()),
        "errors_by_kind": dict(tally.errors),
        "http_500": sum(n for name, n in tally.errors.items() if name.startswith("status 5")),
        "items_per_second": round(len(tally.answered) / wall, 2),
        "wait_ms_p50": machine.quantile_ms(tally.waits, 0.5),
        "wait_ms_p95": machine.quantile_ms(tally.waits, 0.95),
        "wait_ms_p99": machine.quantile_ms(tally.waits, 0.99),
        "wait_ms_max": machine.quantile_ms(tally.waits, 1.0),
        "cpu_ms_per_item": round(1000 * spent / count, 2) if count else None,
        "server_cores": round(spent / wall, 2),
        "memory_mb": machine.memory_mb(pid),
        "memory_mb_peak": _peaks.pop(pid, None),
    }


_peaks: dict[int, int] = {}


async def _peak_memory(pid: int) -> None:
    while True:
        _peaks[pid] = max(_peaks.get(pid, 0), machine.memory_mb(pid))
        await asyncio.sleep(1)


@dataclass(frozen=True)
class Load:
    """How many people, for how long."""

    people: int
    seconds: float
    closed_seconds: float
    items: int


async def both_loads(
    load: Load, make: Callable[[str, int], Awaitable[Sequence[Desk]]], pid: int, stored: Callable[[], int]
) -> dict[str, object]:
    """The measurement without pauses, then the one with them."""
    desks = await make("hasty", AT_ONCE)
    closed = await crowd(desks, pid, seconds=load.closed_seconds, pauses=False, stored=stored)
    machine.log(f"without pauses: {json.dumps(closed)}")
    desks = await make("calm", load.people)
    paused = await crowd(desks, pid, seconds=load.seconds, pauses=True, stored=stored)
    machine.log(f"with pauses: {json.dumps(paused)}")
    return {"without_pauses": closed, "with_pauses": paused}


def touchstone_figures(folder: Path, load: Load) -> dict[str, object]:
    """Touchstone on the demo project."""
    from db.engine import open_store
    from domain.roles import Role
    from domain.states import Stage
    from workflow.access import accounts, memberships, sign_in

    home = folder / "home"
    home.mkdir(parents=True)
    machine.log("making the demo project")
    said("demo", "--no-serve", home=home)
    more_items(home, folder / "more", load.items)
    tokens: dict[str, list[str]] = {}
    with closing(open_store(None, home)) as store:
        for group, count in (("hasty", AT_ONCE), ("calm", load.people)):
            for number in range(count):
                login = f"{group}{number}"
                person = accounts.create_person(store, login=login, name=login)
                memberships.set_member(
                    store, by=None, project="demo", login=login, role=Role.ANNOTATOR, stages=[Stage.VERIFICATION]
                )
                tokens.setdefault(group, []).append(sign_in.start_session(store, person=person))
    server = Server(home).start()

    async def make(group: str, count: int) -> Sequence[Desk]:
        return [
            TouchstoneDesk(WorkingPage(server.url, path="verify", project="demo", token=token))
            for token in tokens[group][:count]
        ]

    def stored() -> int:
        query = "SELECT count(*) FROM annotation JOIN person ON person.id = person_id WHERE login GLOB ?"
        with closing(sqlite3.connect(f"file:{home / 'touchstone.db'}?mode=ro", uri=True)) as connection:
            return sum(connection.execute(query, (f"{group}[0-9]*",)).fetchone()[0] for group in tokens)

    try:
        assert server.process is not None
        return {"items": load.items, **asyncio.run(both_loads(load, make, server.process.pid, stored))}
    finally:
        server.stop()


def potato_figures(folder: Path, load: Load) -> dict[str, object]:
    """Potato on as many items with the same pictures."""
    home = folder / "home"
    asked = [question for question, _ in questions(home)]
    numbered = [f"{asked[number % len(asked)]} ({number})" for number in range(load.items)]
    peer = potato.Potato(folder / "potato", pictures(home, folder / "pictures"), numbered, overlap=OVERLAP)
    peer.start()

    async def make(group: str, count: int) -> Sequence[Desk]:
        return [PotatoDesk(peer.url, f"{group}{number}") for number in range(count)]

    try:
        assert peer.process is not None
        figures = asyncio.run(both_loads(load, make, peer.process.pid, peer.stored))
        return {"version": potato.VERSION, "items": len(numbered), **figures}
    finally:
        peer.stop()


def label_studio_figures(folder: Path, load: Load) -> dict[str, object]:
    """Label Studio on as many items."""
    numbered = [f"Question {number}" for number in range(load.items)]
    peer = LabelStudio(folder / "label-studio", numbered, overlap=OVERLAP)
    try:
        peer.start()
        tokens = peer.people(AT_ONCE + load.people)

        async def make(group: str, count: int) -> Sequence[Desk]:
            mine = tokens[:AT_ONCE] if group == "hasty" else tokens[AT_ONCE:]
            return [LabelStudioDesk(peer.url, peer.project, token) for token in mine[:count]]

        assert peer.process is not None
        figures = asyncio.run(both_loads(load, make, peer.process.pid, peer.stored))
        from benchmarks import label_studio

        return {"version": label_studio.VERSION, "items": len(numbered), **figures}
    finally:
        peer.stop()


PEERS = {"potato": potato_figures, "label_studio": label_studio_figures}


def ratio(ours: object, theirs: object, load: str, name: str) -> float | None:
    """Our figure for each one of theirs."""
    pair = [figures[load][name] if isinstance(figures, dict) else None for figures in (ours, theirs)]
    return round(pair[0] / pair[1], 2) if pair[0] and pair[1] else None


def main() -> int:
    """Measure, and print one JSON object last."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--quick", action="store_true", help="shorter; a few minutes once the environments exist")
    parser.add_argument("--people", type=int, default=100, help="with pauses; default 100")
    parser.add_argument("--seconds", type=float, help="with pauses; 300, or 40 with --quick")
    parser.add_argument("--closed-seconds", type=float, help="without pauses; 60, or 15 with --quick")
    parser.add_argument("--peer-seconds", type=float, help="with pauses, for the peers; default as for Touchstone")
    parser.add_argument("--items", type=int, help="default 12000, enough for five minutes; 4000 with --quick")
    parser.add_argument(
        "--peers", nargs="*", choices=sorted(PEERS), default=sorted(PEERS, reverse=True), help="default all"
    )
    options = parser.parse_args()
    quick = options.quick
    load = Load(
        people=options.people,
        seconds=options.seconds or (40 if quick else 300),
        closed_seconds=options.closed_seconds or (15 if quick else 60),
        items=options.items or (4000 if quick else 12_000),
    )
    beside = replace(load, seconds=options.peer_seconds or load.seconds)
    figures: dict[str, object] = {"benchmark": "annotators", "quick": quick, **machine.described()}
    figures["machine_busy_percent_before"] = machine.busy_percent()
    figures["goals"] = {
        "wait_ms_p95_with_pauses": GOAL_P95_MS,
        "times_potato_without_pauses": GOAL_TIMES_POTATO,
        "items_per_second_without_pauses_stretch": STRETCH_PER_SECOND,
    }
    with tempfile.TemporaryDirectory(prefix="touchstone-annotators-") as name:
        ours = figures["touchstone"] = touchstone_figures(Path(name), load)
        for peer in options.peers:
            machine.log(f"now {peer}")
            theirs = figures[peer] = PEERS[peer](Path(name), beside)
            figures[f"times_{peer}"] = {
                "items_per_second_without_pauses": ratio(ours, theirs, "without_pauses", "items_per_second"),
                "wait_p95_with_pauses": ratio(ours, theirs, "with_pauses", "wait_ms_p95"),
                "cpu_per_item_without_pauses": ratio(ours, theirs, "without_pauses", "cpu_ms_per_item"),
            }
    print(json.dumps(figures))
    return 0


if __name__ == "__main__":
    sys.exit(main())
