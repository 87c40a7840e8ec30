"""Many hands on one project: processes that claim, vote, dawdle and are killed, and what plain SQL says afterwards.

Nothing that is counted here is taken from the code under test: each person writes down what they were told (on disk
before their next step), and the tables are read by the database's own client.
"""

from __future__ import annotations

import json
import os
import random
import signal
import sqlite3
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime, timedelta
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from annotation_schemas.loader import load_text
from annotation_schemas.model import LoadedSchema
from db.engine import Store, open_store
from domain.records import Person
from domain.states import Stage
from testkit.forked import PRELOADED
from testkit.serving import touchstone

PROJECT = "hands"
RATERS = 3
SPEED = 900
"""Their clock runs so much faster than ours: a lease of half an hour ends after two seconds."""
LEASE_SECONDS = 2.0
LONGEST = 150
"""Seconds beyond the planned ones that may be needed for enough submissions on a busy machine."""
PATIENCE = 3
"""Seconds without work after which someone goes home."""

SCHEMA = """
name: hands
version: 1
title: Many hands
dimensions:
  - {id: near, title: Near, definition: "What is near."}
  - {id: far, title: Far, definition: "What is far."}
item:
  fields: [{name: question, kind: text}, {name: answer, kind: text}]
stages:
  verification:
    raters: RATERS
    order: ORDER
    criteria:
      - {name: fits, kind: choice, prompt: "Does it fit?",
         options: [{value: "yes", label: "Yes"}, {value: "no", label: "No"}]}
    keep: {rule: unanimous, criterion: fits, value: "yes"}
  adjudication: {by: senior, reasons: [{value: unclear, label: Unclear}]}
"""


def schema(*, raters: int = RATERS, order: str = "random") -> LoadedSchema:
    """Items of two dimensions without media, and so many votes on each."""
    return load_text(SCHEMA.replace("RATERS", str(raters)).replace("ORDER", order), "Look closely.", "hands")


def prepare(store: Store, *, items: int, people: int, order: str = "random") -> list[str]:
    """A project whose items are written by the people who will verify; their logins.

    Every third person may work in one of the two dimensions only.
    """
    from domain.roles import Role
    from workflow.access import accounts
    from workflow.access.memberships import set_member
    from workflow.access.projects import access_to, create_project
    from workflow.annotate import authoring

    create_project(store, name=PROJECT, loaded=schema(order=order))
    logins = [f"p{number:02}" for number in range(people)]
    ids = []
    for number, login in enumerate(logins):
        ids.append(accounts.create_person(store, login=login, name=login).id)
        only = ["near"] if number % 3 == 2 else None
        set_member(store, by=None, project=PROJECT, login=login, role=Role.ANNOTATOR, dimensions=only)
    with store.write() as session:
        access = access_to(session, person=None, project=PROJECT)
        new = [
            authoring.NewItem(
                external_id=f"i{at}",
                dimension="near" if at % 2 else "far",
                fields={"question": f"What is {at}?", "answer": f"It is {at}."},
                author_id=ids[at % people] if at % 4 else None,
            )
            for at in range(items)
        ]
        authoring.add_items(session, access=access, new=new, now=store.now())
    return logins


# ---- one person -----------------------------------------------------------------------------------------------------


@dataclass
class Habits:
    """What one person does with an item, as shares of all they get."""

    dawdle: float = 0.04
    release: float = 0.05
    postponed: float = 0.04
    type_only: float = 0.05
    twice: float = 0.1
    undo: float = 0.05


class Worker:
    """Someone at work in a process of their own. What they were told stands in their journal before they go on."""

    def __init__(self, url: str, home: Path, login: str, *, seed: int, began: float) -> None:
        from workflow.access.accounts import find_person

        self.store = open_store(url, home, clock=fast_clock(began))
        self.person = find_person(self.store, login=login)
        self.random = random.Random(seed)
        self.stop = home / "stop"
        self.habits = Habits()
        self.journal = os.open(home / f"journal-{login}.jsonl", os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)

    def note(self, **what: Any) -> None:
        """Write it down, on disk."""
        os.write(self.journal, json.dumps(what).encode() + b"\n")
        os.fsync(self.journal)

    def work(self) -> None:
        """Until everyone stops, or nothing has waited for a while."""
        from domain.records import TaskView
        from workflow.annotate import claims as claim

        idle_since = time.monotonic()
        while not self.stop.exists() and time.monotonic() - idle_since < PATIENCE:
            view = claim.next_task(self.store, person=self.person, project=PROJECT, stage=Stage.VERIFICATION)
            if not isinstance(view, TaskView):
                time.sleep(0.1)
                continue
            idle_since = time.monotonic()
            self.handle(view.id)

    def handle(self, task: str) -> None:
        """Do something with a claimed task; mostly answer it."""
        from workflow.annotate import claims as claim
        from workflow.annotate import drafts, submissions

        habits, chance = self.habits, self.random.random()
        if chance < habits.release:
            return claim.release(self.store, person=self.person, task=task)
        chance -= habits.release
        if chance < habits.postponed:
            return self.told("postpone", lambda: claim.postpone(self.store, person=self.person, task=task))
        chance -= habits.postponed
        text = f"{self.person.login} {self.random.random()}"
        if chance < habits.type_only:
            seq = int(time.time() * 100) % 10**9
            drafts.save_draft(self.store, person=self.person, task=task, seq=seq, values={"note": text})
            return None
        chance -= habits.type_only
        if chance < habits.dawdle:
            time.sleep(1.2 * LEASE_SECONDS)
        self.submit(task, text)
        if self.random.random() < habits.undo:
            reopened: list[str] = []

            def undo() -> None:
                view = submissions.undo(self.store, person=self.person, project=PROJECT, stage=Stage.VERIFICATION)
                reopened.append(view.id)

            self.told("undo", undo)
            for id in reopened:
                self.submit(id, f"{text} again")
        return None

    def told(self, what: str, act: Callable[[], object]) -> None:
        """Do something that may be refused with a sentence."""
        from domain.errors import TouchstoneError

        try:
            act()
        except TouchstoneError as refusal:
            self.note(refused=what, why=type(refusal).__name__)

    def submit(self, task: str, text: str) -> None:
        """Vote; now and then send it twice, as an impatient browser does."""
        from domain.errors import ConflictError, LeaseLostError
        from workflow.annotate import submissions

        key = f"{self.person.login}-{self.random.random()}-{time.time_ns()}"
        values = {"fits": "yes" if self.random.random() < 0.8 else "no"}
        self.note(sent=key, task=task, values=values)
        for _ in range(2 if self.random.random() < self.habits.twice else 1):
            try:
                done = submissions.submit(
                    self.store, person=self.person, task=task, key=key, values=values, note=text, seconds=1.0
                )
            except LeaseLostError:
                self.note(late=task, note=text)
                return
            except ConflictError as refusal:
                self.note(refused="submit", task=task, why=str(refusal))
                return
            self.note(stored=done.annotation, key=key, task=task, values=values, note=text)


def fast_clock(began: float) -> Callable[[], datetime]:
    """A clock on which leases end soon; the same in every process that is given the same beginning."""

    def now() -> datetime:
        return datetime.fromtimestamp(began, UTC) + timedelta(seconds=(time.time() - began) * SPEED)

    return now


# ---- all of them ----------------------------------------------------------------------------------------------------


@dataclass
class Run:
    """What happened outside of the database."""

    kills: int = 0
    seconds: float = 0.0
    failed: list[str] = field(default_factory=list)


def _forking() -> Any:
    """Processes of which each starts in a moment: what they need is imported once."""
    context = get_context("forkserver")
    context.set_forkserver_preload(PRELOADED)
    return context


def let_them_work(
    url: str,
    home: Path,
    logins: Sequence[str],
    *,
    seconds: float,
    kill_every: float,
    at_least: int = 0,
    seed: int = 1,
) -> Run:
    """Everyone works in a process of their own; one after the other is killed at random and comes back.

    It ends after so many seconds, or later, when ``at_least`` so many submissions were acknowledged; one that
    was sent again after a kill is one.
    """
    context = _forking()
    began, stop = time.time(), home / "stop"
    chance = random.Random(seed)
    run = Run()

    def start(login: str) -> Any:
        process = context.Process(target=_work, args=(url, str(home), login, chance.randrange(10**9), began))
        process.start()
        return process

    running = {login: start(login) for login in logins}
    next_kill, looked = time.time() + kill_every, 0.0
    while running and time.time() < began + seconds + LONGEST:
        time.sleep(0.05)
        if not stop.exists() and time.time() > began + seconds and time.time() > looked + 1:
            looked = time.time()
            if len({line["key"] for line in journals(home) if "stored" in line}) >= at_least:
                stop.touch()
        for login, process in list(running.items()):
            if not process.is_alive():
                errors = home / f"errors-{login}.txt"
                if process.exitcode != 0 or errors.exists():
                    run.failed.append(f"{login}: {errors.read_text()[-1000:] if errors.exists() else process.exitcode}")
                del running[login]
        if running and time.time() > next_kill and not stop.exists():
            next_kill = time.time() + kill_every * chance.uniform(0.5, 1.5)
            login = chance.choice(list(running))
            os.kill(running[login].pid, signal.SIGKILL)
            running[login].join()
            run.kills += 1
            running[login] = start(login)
    for process in running.values():
        process.kill()
        process.join()
        run.failed.append("did not end by itself")
    run.seconds = round(time.time() - began, 1)
    return run


def _work(url: str, home: str, login: str, seed: int, began: float) -> None:
    """One person's process."""
    try:
        Worker(url, Path(home), login, seed=seed, began=began).work()
    except Exception:
        (Path(home) / f"errors-{login}.txt").write_text(traceback.format_exc())
        raise


def journals(home: Path) -> list[dict[str, Any]]:
    """What everyone was told. The last line of someone who was killed may be broken off."""
    told = []
    for path in sorted(home.glob("journal-*.jsonl")):
        for line in path.read_bytes().split(b"\n"):
            try:
                told.append({**json.loads(line), "login": path.stem.split("-")[1]})
            except ValueError:
                continue
    return told


# ---- what plain SQL says --------------------------------------------------------------------------------------------

Ask = Callable[[str], list[tuple[Any, ...]]]


@contextmanager
def asking(url: str) -> Iterator[Ask]:
    """The database by its own client."""
    if url.startswith("sqlite"):
        connection: Any = sqlite3.connect(url.removeprefix("sqlite:///"))
    else:
        import psycopg

        connection = psycopg.connect(url.replace("postgresql+psycopg", "postgresql"))
    try:
        yield lambda statement: list(connection.execute(statement).fetchall())
    finally:
        connection.close()


COUNTS = "NOT EXISTS (SELECT 1 FROM annotation n WHERE n.supersedes_id = a.id)"
"""An annotation that no later one of the same person has replaced."""

QUESTIONS = {
    "submitted": "SELECT count(*) FROM annotation",
    "units_with_votes": "SELECT count(DISTINCT item_id) FROM annotation",
    "slots": "SELECT count(*) FROM task WHERE stage = 'verification'",
    "slots_done": "SELECT count(*) FROM task WHERE stage = 'verification' AND state = 'done'",
    "expired": "SELECT count(*) FROM event WHERE kind = 'task.expired'",
    "claims": "SELECT count(*) FROM event WHERE kind = 'task.claimed'",
    "released": "SELECT count(*) FROM event WHERE kind = 'task.released'",
    "postponed": "SELECT count(*) FROM event WHERE kind = 'task.set_aside'",
    "corrected": "SELECT count(*) FROM annotation WHERE supersedes_id IS NOT NULL",
    "late_texts": "SELECT count(*) FROM event WHERE kind = 'task.late'",
    "overfilled": f"SELECT count(*) FROM (SELECT item_id FROM annotation a WHERE stage = 'verification' AND {COUNTS}"
    f" GROUP BY item_id, revision HAVING count(*) > {RATERS}) AS more",
    "same_person_twice": f"SELECT count(*) FROM (SELECT item_id FROM annotation a WHERE {COUNTS}"
    " GROUP BY item_id, revision, person_id HAVING count(*) > 1) AS twice",
    "self_verified": "SELECT count(*) FROM annotation a JOIN item i ON i.id = a.item_id"
    " WHERE a.stage = 'verification' AND i.author_id = a.person_id",
    "outside_dimensions": "SELECT count(*) FROM annotation a JOIN member m ON m.person_id = a.person_id"
    " AND m.project_id = a.project_id WHERE CAST(m.dimensions AS text) LIKE '%near%'"
    " AND a.dimension <> 'near'",
    "same_key_twice": "SELECT count(*) FROM (SELECT submit_key FROM annotation GROUP BY submit_key, person_id"
    " HAVING count(*) > 1) AS again",
}
"""Each figure, by its own statement."""


def counted(url: str) -> dict[str, int]:
    """The figures that the tables hold."""
    with asking(url) as ask:
        return {name: int(ask(statement)[0][0]) for name, statement in QUESTIONS.items()}


def lost(url: str, home: Path) -> list[str]:
    """Whatever someone was told is stored and is not, word by word."""
    with asking(url) as ask:
        stored = {
            key: (public, json.loads(answers) if isinstance(answers, str) else answers, note, login)
            for key, public, answers, note, login in ask(
                "SELECT a.submit_key, a.public_id, a.answers, a.note, p.login FROM annotation a"
                " JOIN person p ON p.id = a.person_id"
            )
        }
        texts = {
            (task, login, (json.loads(content) if isinstance(content, str) else content).get("note"))
            for task, login, content in ask(
                "SELECT t.public_id, p.login, d.content FROM draft d JOIN task t ON t.id = d.task_id"
                " JOIN person p ON p.id = d.person_id"
            )
        }
        tasks_done = {
            (task, login)
            for task, login in ask(
                "SELECT t.public_id, p.login FROM annotation a JOIN task t ON t.id = a.task_id"
                " JOIN person p ON p.id = a.person_id"
            )
        }
    missing = []
    latest: dict[tuple[str, str], str] = {}
    sent = set()
    for line in journals(home):
        if "sent" in line:
            sent.add(line["sent"])
        if "stored" in line:
            wanted = (line["stored"], line["values"], line["note"], line["login"])
            if stored.get(line["key"]) != wanted:
                missing.append(f"{line['login']} was told that {line['stored']} is stored")
        if "late" in line:
            latest[line["late"], line["login"]] = line["note"]
    for (task, login), note in latest.items():
        later = (task, login) in tasks_done  # they got the task again and answered it
        if (task, login, note) not in texts and not later:
            missing.append(f"{login}'s late text for {task} is not kept")
    missing += [f"{key} is stored, but no one sent it" for key in stored if key not in sent]
    return missing


def differences(url: str, home: Path) -> list[str]:
    """What ``touchstone check`` finds, one sentence each."""
    done = touchstone("check", home=home, TOUCHSTONE_DATABASE_URL=url)
    lines = [line for line in done.stdout.splitlines() if line.strip() and not line.startswith("Note:")]
    if done.returncode not in (0, 1):
        return [done.stderr[-500:] or f"touchstone check ended with {done.returncode}"]
    return [] if done.returncode == 0 else lines


def stress(
    store: Store,
    url: str,
    home: Path,
    *,
    items: int,
    processes: int,
    seconds: float,
    kill_every: float,
    order: str,
    at_least: int = 0,
) -> dict[str, Any]:
    """All of it, once: prepare, let them work, count."""
    store.clock = fast_clock(time.time())
    logins = prepare(store, items=items, people=processes, order=order)
    run = let_them_work(url, home, logins, seconds=seconds, kill_every=kill_every, at_least=at_least)
    missing = lost(url, home)
    found = differences(url, home)
    figures = counted(url)
    told = Counter(name for line in journals(home) for name in ("stored", "late", "refused") if name in line)
    return {
        **figures,
        **asdict(run),
        "items": items,
        "processes": processes,
        "order": order,
        "lost": len(missing),
        "what_was_lost": missing[:5],
        "acknowledged": told["stored"],
        "told_late": told["late"],
        "check_differences": len(found),
        "what_differs": found[:5],
        "claims_per_second": round(figures["claims"] / run.seconds, 1),
    }


# ---- two people, one slot -------------------------------------------------------------------------------------------


def duel(store: Store, url: str, home: Path, *, rounds: int) -> dict[str, Any]:
    """Two processes reach for the same slot at the same moment, again and again; who got it is counted by SQL."""
    from domain.roles import Role
    from workflow.access import accounts
    from workflow.access.memberships import set_member
    from workflow.access.projects import access_to, create_project
    from workflow.annotate import authoring

    create_project(store, name="duel", loaded=schema(raters=1))
    for login in ("ann", "bob"):
        accounts.create_person(store, login=login, name=login)
        set_member(store, by=None, project="duel", login=login, role=Role.ANNOTATOR)
    with store.write() as session:
        access = access_to(session, person=None, project="duel")
        new = [
            authoring.NewItem(external_id=str(at), dimension="near", fields={"question": str(at), "answer": str(at)})
            for at in range(rounds)
        ]
        authoring.add_items(session, access=access, new=new, now=store.now())
    with asking(url) as ask:
        project = "(SELECT id FROM project WHERE name = 'duel') AND stage = 'verification'"
        slots = [int(row[0]) for row in ask(f"SELECT id FROM task WHERE project_id = {project} ORDER BY id")]
    context = _forking()
    shared = [context.Value("q", -1, lock=False) for _ in range(2)]
    ends = [context.Pipe() for _ in range(2)]
    both = [
        context.Process(target=_reach, args=(url, str(home), login, slots, shared, number, ends[number][1]))
        for number, login in enumerate(("ann", "bob"))
    ]
    began = time.monotonic()
    for process in both:
        process.start()
    try:
        won = [_told_by(both, end) for end, _ in ends]
    finally:
        for process in both:
            process.kill()
            process.join()
    seconds = time.monotonic() - began
    with asking(url) as ask:
        rows = ask(
            "SELECT t.id, p.login FROM task t LEFT JOIN person p ON p.id = t.person_id"
            f" WHERE t.project_id = {project} AND t.state = 'claimed'"
        )
        claims = ask(f"SELECT count(*) FROM task WHERE project_id = {project} AND state <> 'claimed'")
    holder = {int(id): login for id, login in rows}
    told = {slot: [login for login, mine in zip(("ann", "bob"), won, strict=True) if slot in mine] for slot in slots}
    exactly_one = sum(len(told[slot]) == 1 and holder.get(slot) == told[slot][0] for slot in slots)
    return {
        "rounds": len(slots),
        "exactly_one_won": exactly_one,
        "both_or_nobody": len(slots) - exactly_one,
        "won_by": [len(mine) for mine in won],
        "left_open": int(claims[0][0]),
        "seconds": round(seconds, 1),
    }


def _told_by(both: Sequence[Any], end: Any) -> Any:
    """What comes out of this end; ``RuntimeError`` if one of the two has died, as the other would wait on."""
    while not end.poll(1):
        for process in both:
            if process.exitcode not in (None, 0):
                raise RuntimeError(f"{process.name} ended with {process.exitcode} before it had said what it won.")
    return end.recv()


def _reach(url: str, home: str, login: str, slots: list[int], shared: Any, number: int, end: Any) -> None:
    """Wait for the other at every slot, then take it in a transaction of one's own."""
    from db import task_claims
    from workflow.access.accounts import find_person

    store = open_store(url, Path(home))
    person: Person = find_person(store, login=login)
    won = set()
    for at, slot in enumerate(slots):
        shared[number].value = at
        waited = 0
        while shared[1 - number].value < at:
            waited += 1
            if waited > 2000:
                time.sleep(0)
        with store.write() as session:
            got = task_claims.take(
                session, task_id=slot, stage=Stage.VERIFICATION, person_id=person.id, now=store.now()
            )
        if got is not None:
            won.add(slot)
    end.send(won)
    store.close()


def fresh_store(url: str | None, home: Path) -> tuple[Store, str]:
    """A new database and its address."""
    home.mkdir(parents=True, exist_ok=True)
    address = url or f"sqlite:///{home / 'touchstone.db'}"
    store = open_store(address, home)
    store.upgrade()
    return store, address
