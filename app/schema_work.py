"""Changes of a project's schema that take long: made in a process of their own, while everyone works on.

The process that serves pages serves voters, too. A change of a large project is begun by a press on the page *Schema*
and goes on whether anyone looks or not; how far it is stands in the database. It ends with the server: what it had not
reached then, the page offers to finish or to take back.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from annotation_schemas.changes import Decisions
from annotation_schemas.model import LoadedSchema
from app import apart
from app.apart import Going
from app.markup import count
from db.engine import Store
from domain.records import Person
from workflow.schemas import migration
from workflow.schemas.items import Tally

HERE = 200
"""Items up to which a change is made where it is asked for: about a second."""
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

    def run(self, store: Store, home: Path, progress: apart.Progress) -> str:
        """Do it; a sentence that says what was done. Raises as the functions of ``workflow.schemas.migration``."""
        about: Any = {"by": self.by, "project": self.project}
        if self.what == "take" and self.loaded is not None:
            done = migration.migrate(store, **about, loaded=self.loaded, decisions=self.decisions)
            return f"Version {done.version} is in force. {_came_of(done.tally)}"
        if self.what in ("finish", "back"):
            done = migration.finish(store, **about)
        if self.what == "finish":
            return "The change is brought to its end."
        number = migration.to_undo(store, **about).number
        done = migration.undo(store, **about)
        return f"Change {number} is taken back: version {done.version} is in force. {_came_of(done.tally)}"


def _came_of(tally: Tally) -> str:
    """What became of items and votes."""
    said = [f"{count(len(tally.moved), 'item')} came out otherwise."]
    if tally.asked_again:
        said.append(f"Asked again: {count(tally.asked_again, 'vote')}.")
    if tally.counted_again:
        said.append(f"Counted again: {count(tally.counted_again, 'vote')}.")
    if tally.left_out:
        said.append(f"Someone has voted since in the place of {count(len(tally.left_out), 'other')}.")
    return " ".join(said)


def looked(store: Store, *, project: str, loaded: LoadedSchema, decisions: Decisions, press: str) -> migration.Preview:
    """What taking a schema would do, for one ``press`` of a lead of the project: a work of ``app.figures``."""
    return migration.preview(store, by=None, project=project, loaded=loaded, decisions=decisions)


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
    apart.begin(store, home, order, going=going, broken=_FAILED, outlives=False)
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
