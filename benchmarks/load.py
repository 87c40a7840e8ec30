"""How many people can work at once behind several web processes, while one process is killed every minute?

    .venv/bin/python benchmarks/load.py [--quick] [--people N ...] [--seconds S] [--processes N] [--sqlite-people N]

``touchstone serve --processes 4`` serves the Verify page of the demo project from PostgreSQL, which the script starts
for itself. People are the clients of ``annotators.py``: each holds a websocket, looks at an item for 8 to 30 seconds,
votes with a note, and waits for the next item. As a browser does, they send a vote again under its key when no server
answered, and reconnect when the websocket is lost. Meanwhile one web process after the other is killed with SIGKILL.

Then as many people as ``--sqlite-people`` work on one process and SQLite. The generator of the load shares the machine.
Votes are compared with the tables, word by word. The last line of the output is one JSON object.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import signal
import sys
import tempfile
import time
import uuid
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, closing, suppress
from dataclasses import dataclass, field
from pathlib import Path

import psutil
from websockets.exceptions import WebSocketException

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks import machine
from benchmarks.annotators import GOAL_P95_MS, OVERLAP, Tally, TouchstoneDesk, work
from benchmarks.client import HttpError, WorkingPage
from benchmarks.many_people import asking
from benchmarks.rerun import more_items, said
from testkit import postgres
from testkit.serving import Server

PAUSE = (8.0, 30.0)
"""Seconds that a person looks at an item."""
COME_AGAIN = (429, 502, 503, 504)
"""Statuses after which a page sends the same again by itself, as ``http.js`` does."""
BACKOFF = (0.5, 1.0, 2.0, 4.0, 8.0)
OPENING_AT_ONCE = 8
COUNTED = "NOT EXISTS (SELECT 1 FROM annotation n WHERE n.supersedes_id = a.id)"


@dataclass
class Sent:
    """The votes that the server has acknowledged, by their key, and what people noticed."""

    votes: dict[str, tuple[str, str]] = field(default_factory=dict)
    """The login and the note."""
    repeated: int = 0
    """Requests that were sent again without anyone noticing."""
    reconnected: int = 0


class PatientDesk(TouchstoneDesk):
    """The Verify page, with what its browser does by itself when a server dies."""

    def __init__(self, page: WorkingPage, login: str, sent: Sent) -> None:
        super().__init__(page)
        self.login, self.sent = login, sent
        self.votes = 0
        self._watching: asyncio.Task[None] | None = None

    async def open(self) -> None:
        """Open the page, and reconnect from then on."""
        try:
            await self.page.open()
        except WebSocketException as error:
            raise ConnectionError("the websocket was lost while the page opened") from error
        self._watching = asyncio.create_task(self._stay_connected())

    async def _stay_connected(self) -> None:
        while True:
            await self.page.disconnected()
            await asyncio.sleep(0.3)
            with suppress(OSError, TimeoutError, asyncio.IncompleteReadError, WebSocketException, HttpError):
                await self.page.reconnect()
                self.sent.reconnected += 1

    async def answer(self) -> str:
        """Vote, again under the same key if no server answers, and wait for the next task."""
        task = self.page.data["task"]
        self.votes += 1
        key, note = uuid.uuid4().hex, f"{self.login} looked {self.votes} times."
        for tries in range(20):
            try:
                await self.page.submit({"fits": "yes"}, key=key, note=note)
                break
            except (OSError, asyncio.IncompleteReadError) as error:
                await self._again(tries, error)
            except HttpError as error:
                if error.status not in COME_AGAIN:
                    raise
                await self._again(tries, error)
        self.sent.votes[key] = (self.login, note)
        return str(task["item"])

    async def _again(self, tries: int, error: Exception) -> None:
        if tries == 19:
            raise TimeoutError from error
        self.sent.repeated += 1
        await asyncio.sleep(BACKOFF[min(tries, len(BACKOFF) - 1)])

    async def close(self) -> None:
        """Close the page."""
        if self._watching is not None:
            self._watching.cancel()
        await self.page.close()


@dataclass
class Watch:
    """What is seen from outside while people work: memory, connections, and the processes that were killed."""

    server: Server
    url: str
    kill_every: float | None
    until: float = float("inf")
    """When the last process is killed at the latest."""
    peaks: dict[str, int] = field(default_factory=dict)
    connections: int = 0
    kills: int = 0

    async def run(self) -> None:
        """Look every second, and kill one web process after the other."""
        due = time.monotonic() + (self.kill_every or float("inf"))
        while True:
            await asyncio.sleep(1)
            for name, process in self._processes().items():
                with suppress(psutil.NoSuchProcess):
                    self.peaks[name] = max(self.peaks.get(name, 0), round(process.memory_info().rss / 1e6))
            self.connections = max(self.connections, await asyncio.to_thread(self._count_connections))
            if due < time.monotonic() < self.until and self.kill_every:
                due += self.kill_every
                name = f"web{self.kills % self.server.processes + 1}"
                with suppress(AssertionError):  # it has not started again yet
                    os.kill(self.server.web_process(name), signal.SIGKILL)
                    self.kills += 1

    def _processes(self) -> Mapping[str, psutil.Process]:
        assert self.server.process is not None
        parent = psutil.Process(self.server.process.pid)
        if self.server.processes == 1:
            return {"web1": parent}
        found = {}
        for process in parent.children():
            with suppress(psutil.NoSuchProcess):
                word = next((each for each in process.cmdline() if each.endswith('.sock"}')), "")
                if word:
                    found[word.rpartition("/")[2].partition(".")[0]] = process
        return found

    def _count_connections(self) -> int:
        if self.url.startswith("sqlite"):
            return 0
        with asking(self.url) as ask:
            mine = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
            return int(ask(f"{mine} AND pid <> pg_backend_pid()")[0][0])


async def people_at_work(
    server: Server, url: str, tokens: Mapping[str, str], *, seconds: float, kill_every: float | None
) -> dict[str, object]:
    """Everyone works for so long; figures of what they saw, and of what the tables hold afterwards."""
    sent, tally, watch = Sent(), Tally(), Watch(server, url, kill_every)
    desks = [
        PatientDesk(WorkingPage(server.url, path="verify", project="demo", token=token), login, sent)
        for login, token in tokens.items()
    ]
    begun = time.monotonic()
    for begin in range(0, len(desks), OPENING_AT_ONCE):
        await asyncio.gather(*(desk.open() for desk in desks[begin : begin + OPENING_AT_ONCE]))
    opening = time.monotonic() - begun
    watching = asyncio.create_task(watch.run())
    assert server.process is not None
    before, own = machine.cpu_seconds(server.process.pid), time.process_time()
    begun = time.monotonic()
    until = watch.until = begun + seconds
    await asyncio.gather(*(work(desk, number, tally, until=until, pause=PAUSE) for number, desk in enumerate(desks)))
    wall, own = time.monotonic() - begun, time.process_time() - own
    served = machine.cpu_seconds(server.process.pid) - before
    watching.cancel()
    for desk in desks:
        await desk.close()
    return {
        "people": len(desks),
        "seconds": round(wall, 1),
        "votes": len(sent.votes),
        "lost": len(lost(url, sent)),
        "overfilled": overfilled(url),
        "errors_shown": sum(tally.errors.values()),
        "errors_by_kind": dict(tally.errors),
        "sent_again_unseen": sent.repeated,
        "reconnected": sent.reconnected,
        "kills": watch.kills,
        "wait_ms_p50": machine.quantile_ms(tally.waits, 0.5),
        "wait_ms_p95": machine.quantile_ms(tally.waits, 0.95),
        "wait_ms_p99": machine.quantile_ms(tally.waits, 0.99),
        "peak_mb_per_process": watch.peaks,
        "connections_peak": watch.connections,
        "cores_of_generator": round(own / wall, 2),
        "cores_of_server": None if watch.kills else round(served / wall, 2),
        "opening_seconds": round(opening, 1),
    }


def lost(url: str, sent: Sent) -> list[str]:
    """The acknowledged votes that the tables do not hold, once and with their words."""
    with asking(url) as ask:
        stored = {
            str(key): (str(login), str(note))
            for key, login, note in ask(
                "SELECT a.submit_key, p.login, a.note FROM annotation a JOIN person p ON p.id = a.person_id"
            )
        }
    return [key for key, vote in sent.votes.items() if stored.get(key) != vote]


def overfilled(url: str) -> int:
    """How many items more people voted on than were to."""
    with asking(url) as ask:
        grouped = (
            f"SELECT item_id FROM annotation a WHERE stage = 'verification' AND {COUNTED} GROUP BY item_id, revision"
        )
        return int(ask(f"SELECT count(*) FROM ({grouped} HAVING count(*) > {OVERLAP}) AS more")[0][0])


def prepared(source: Path, folder: Path, url: str, *, items: int, people: int) -> Mapping[str, str]:
    """Make the demo project in a database, with more items and so many verifiers; their sessions by login."""
    from db.engine import open_store
    from domain.roles import Role
    from domain.states import Stage
    from workflow.access import accounts, memberships, sign_in

    home = folder / "home"
    home.mkdir(parents=True)
    said("demo", "--no-serve", home=home, TOUCHSTONE_DATABASE_URL=url)
    more_items(source, folder / "more", items, into=home, TOUCHSTONE_DATABASE_URL=url)
    tokens = {}
    with closing(open_store(url, home)) as store:
        for number in range(people):
            login = f"calm{number}"
            person = accounts.create_person(store, login=login, name=login)
            memberships.set_member(
                store, by=None, project="demo", login=login, role=Role.ANNOTATOR, stages=[Stage.VERIFICATION]
            )
            tokens[login] = sign_in.start_session(store, person=person)
    return tokens


def measured(
    source: Path, folder: Path, url: str, *, people: int, seconds: float, processes: int, kill_every: float | None
) -> dict[str, object]:
    """Serve a fresh project to so many people, and return the figures."""
    items = int(people * (seconds / PAUSE[0] + 4) / OVERLAP) + 50
    machine.log(f"{people} people, {processes} processes: making {items} items")
    tokens = prepared(source, folder, url, items=items, people=people)
    server = Server(folder / "home", processes=processes, TOUCHSTONE_DATABASE_URL=url).start()
    try:
        working = people_at_work(server, url, tokens, seconds=seconds, kill_every=kill_every)
        figures = asyncio.run(working)
    finally:
        server.stop()
    machine.log(json.dumps(figures))
    return figures


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, and print the figures as one line of JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="fewer people, for a minute")
    parser.add_argument(
        "--people", type=int, nargs="*", help="the numbers to try; default 1000 750 500, with --quick 200"
    )
    parser.add_argument("--seconds", type=float, help="how long people work; default 600, with --quick 75")
    parser.add_argument("--processes", type=int, default=4)
    parser.add_argument("--sqlite-people", type=int, help="default 300, with --quick 100; 0 leaves SQLite out")
    options = parser.parse_args(arguments)
    quick = options.quick
    numbers = options.people if options.people is not None else [200] if quick else [1000, 750, 500]
    seconds = options.seconds or (75 if quick else 600)
    on_sqlite = options.sqlite_people if options.sqlite_people is not None else 100 if quick else 300
    figures: dict[str, object] = {"benchmark": "load", "quick": quick, **machine.described()}
    figures["machine_busy_percent_before"] = machine.busy_percent()
    with tempfile.TemporaryDirectory(prefix="touchstone-load-") as name, ExitStack() as stack:
        folder = Path(name)
        source = folder / "source"
        source.mkdir()
        said("demo", "--no-serve", home=source)
        tried = []
        if numbers:
            cluster = stack.enter_context(postgres.cluster(lasting=True))
            for people in sorted(numbers, reverse=True):
                tried.append(
                    measured(
                        source,
                        folder / f"postgres-{people}",
                        cluster.url(cluster.create()),
                        people=people,
                        seconds=seconds,
                        processes=options.processes,
                        kill_every=seconds / 3 if quick else 60,
                    )
                )
                if _is_quick_enough(tried[-1]):
                    break
        figures["postgres"] = tried
        figures["people_at_p95_300_ms"] = next((each["people"] for each in tried if _is_quick_enough(each)), None)
        figures |= {
            name: sum(int(str(each[name])) for each in tried) for name in ("lost", "overfilled", "errors_shown")
        }
        if on_sqlite:
            url = f"sqlite:///{folder / 'sqlite' / 'home' / 'touchstone.db'}"
            how = {"people": on_sqlite, "seconds": seconds, "processes": 1, "kill_every": None}
            figures["sqlite"] = measured(source, folder / "sqlite", url, **how)  # type: ignore[arg-type]
    print(json.dumps(figures))
    return 0


def _is_quick_enough(figures: Mapping[str, object]) -> bool:
    wait = figures["wait_ms_p95"]
    return isinstance(wait, float) and wait <= GOAL_P95_MS


if __name__ == "__main__":
    sys.exit(main())
