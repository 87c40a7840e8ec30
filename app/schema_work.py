"""Changes of a project's schema that take long: made in a process of their own, while everyone works on.

The process that serves pages serves voters, too. A change of a large project is begun by a press on the page *Schema*
and goes on whether anyone looks or not; how far it is stands in the database. It ends with the server: what it had not
reached then, the page offers to finish or to take back.
"""

from __future__ import annotations

import json
import os
import pickle
import subprocess
import sys
import threading
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from annotation_schemas.changes import Decisions
from annotation_schemas.model import LoadedSchema
from app.supervisor import environment
from db.engine import Store, open_store
from domain.errors import TouchstoneError
from domain.records import Person
from workflow.schemas import migration

HERE = 200
"""Items up to which a change is made where it is asked for: about a second."""
_NICE = 10
_FAILED = "It ended before its time; the log of the server says why. Nothing is lost."


@dataclass(frozen=True)
class Order:
    """What is to be done to a project's schema."""

    project: str
    by: Person
    what: str
    """``take`` another schema, ``undo`` the last change, ``finish`` one that was interrupted, or take that ``back``."""
    loaded: LoadedSchema | None = None
    """The schema to take."""
    decisions: Decisions = field(default_factory=Decisions)

    def run(self, store: Store) -> str:
        """Do it; a sentence that says what was done. Raises as the functions of ``workflow.schemas.migration``."""
        about: Any = {"by": self.by, "project": self.project}
        if self.what == "take" and self.loaded is not None:
            done = migration.migrate(store, **about, loaded=self.loaded, decisions=self.decisions)
            n = len(done.tally.moved)
            moved = f"{n:,} item{'' if n == 1 else 's'}"
            return f"Version {done.version} is in force. {moved} came out otherwise."
        if self.what in ("finish", "back"):
            done = migration.finish(store, **about)
        if self.what == "finish":
            return "The change is brought to its end."
        number = migration.to_undo(store, **about).number
        done = migration.undo(store, **about)
        return f"Change {number} is taken back: version {done.version} is in force."


def looked(store: Store, *, project: str, loaded: LoadedSchema, decisions: Decisions, press: str) -> migration.Preview:
    """What taking a schema would do, for one ``press`` of a lead of the project: a work of ``app.figures``."""
    return migration.preview(store, by=None, project=project, loaded=loaded, decisions=decisions)


@dataclass
class Going:
    """A change that a process of this server is at, or has ended."""

    over: threading.Event = field(default_factory=threading.Event)
    said: str = ""
    """What was done; empty where it was refused."""
    refused: str = ""


_guard = threading.Lock()
_known: dict[tuple[str, str], Going] = {}


def begin(store: Store, home: Path, order: Order) -> Going:
    """Begin with it; where a process is at a change of this project already, that one: two presses begin once."""
    place = _place(store, order.project)
    with _guard:
        there = _known.get(place)
        if there is not None and not there.over.is_set():
            return there
        _known[place] = going = Going()
    told = pickle.dumps((store.engine.url.render_as_string(hide_password=False), home, order))
    process = subprocess.Popen(
        (sys.executable, "-P", "-m", "app.schema_work"),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=environment(),
    )
    threading.Thread(target=_see_through, args=(going, process, told), name="schema", daemon=True).start()
    return going


def known(store: Store, project: str) -> Going | None:
    """What a process of this server is at, or has ended and no one has been told of."""
    with _guard:
        return _known.get(_place(store, project))


def told(store: Store, project: str) -> None:
    """Someone has been told what came of it."""
    with _guard:
        there = _known.get(_place(store, project))
        if there is not None and there.over.is_set():
            del _known[_place(store, project)]


def _place(store: Store, project: str) -> tuple[str, str]:
    return str(store.engine.url), project


def _see_through(going: Going, process: subprocess.Popen[bytes], order: bytes) -> None:
    assert process.stdin is not None
    assert process.stdout is not None
    with suppress(BrokenPipeError):
        process.stdin.write(len(order).to_bytes(_LENGTH, "big") + order)
        process.stdin.flush()  # it stays open: its end is ours
    line = process.stdout.readline()
    with suppress(BrokenPipeError):
        process.stdin.close()
    process.stdout.close()
    process.wait()
    going.said, going.refused = json.loads(line) if line else ("", _FAILED)
    going.over.set()


# ---- the process of its own -----------------------------------------------------------------------------------------

_LENGTH = 8
"""An order begins with its length, in so many bytes."""


def work() -> int:
    """Do what the standard input says, and say on the standard output what came of it."""
    reply = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # whatever is printed by others is no reply
    with open(0, "rb", closefd=False) as given:
        url, home, order = pickle.loads(given.read(int.from_bytes(given.read(_LENGTH), "big")))
    threading.Thread(target=_end_with_the_server, daemon=True).start()
    os.nice(_NICE)
    store = open_store(url, home)
    try:
        answer = (order.run(store), "")
    except TouchstoneError as error:
        answer = ("", str(error))
    finally:
        store.close()
    reply.write(json.dumps(answer) + "\n")
    reply.flush()
    return 0


def _end_with_the_server() -> None:
    """The input ends when the server is gone, and with it this process: between two items, as each has a transaction
    of its own."""
    while os.read(0, 1):
        pass
    os._exit(1)


if __name__ == "__main__":
    # under its own name, so that what is pickled here is what others read
    from app.schema_work import work as work_in_process

    sys.exit(work_in_process())
