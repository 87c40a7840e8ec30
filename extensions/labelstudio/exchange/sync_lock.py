"""The common parts of sending and fetching work: the forms, and a lock for one process at a time."""

from __future__ import annotations

import json
import secrets
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Protocol

from annotation_schemas.model import Schema
from db.engine import Session, Store
from db.records import StoredBridge
from domain.bridge import BridgeOutcome
from domain.errors import ConflictError, NotFoundError, Problem, TouchstoneError
from domain.records import AssetView, Person, TaskView
from domain.states import Stage
from extensions.labelstudio.front_end import FrontEnd
from extensions.labelstudio.queries import servers
from workflow.access.projects import require_lead
from workflow.jobs.live_process import is_gone, process

LEASE = timedelta(minutes=5)
"""Time after which a silent process no longer keeps others from synchronizing the same server."""
PATIENCE = 10.0
"""Seconds to wait for the other process."""


class Answer(Protocol):
    """The meaning of a result: the values for ``submit``, and the parts that could not be read."""

    @property
    def values(self) -> Mapping[str, Any]: ...
    @property
    def reasons(self) -> Mapping[str, Any]: ...
    @property
    def note(self) -> str: ...
    @property
    def problems(self) -> Sequence[str | Problem]: ...


@dataclass(frozen=True)
class Forms:
    """The forms of work there, and how answers are read."""

    labeling: Callable[[Schema, Stage, str], str]
    """Returns the labeling of a project, for the items of a dimension.

    ``NotAvailableError`` names a part that cannot be shown.
    """
    data: Callable[[Schema, Stage, TaskView, Callable[[AssetView], str]], Mapping[str, Any]]
    """Returns the data of a task. The last argument returns the address of a picture or clip."""
    read: Callable[[Schema, Stage, str, Sequence[Mapping[str, Any]], Mapping[str, Any]], Answer]
    """Returns the meaning of a result for an item of a dimension. The last argument has the task's content by field."""
    link: Callable[[str, AssetView, datetime], str]
    """Returns the address of a picture or clip for the task with a key, valid until a time."""


@dataclass
class Link:
    """A server that this process is synchronizing, while no other process does."""

    store: Store
    front: FrontEnd
    forms: Forms
    bridge_id: int
    project_id: int
    project: str
    by: str
    """The name of the synchronizing process, as the server's row has it."""
    outcomes: Counter[BridgeOutcome] = field(default_factory=Counter)
    removed: int = 0
    """Number of tasks that were removed there."""

    @contextmanager
    def write(self) -> Iterator[Session]:
        """Open a transaction. Raise ``ConflictError`` if another process synchronizes by now."""
        with self.store.write() as session:
            row = servers.by_id(session, id=self.bridge_id, lock=True)
            if row.busy_by != self.by:
                raise ConflictError(
                    "Another process took over this synchronization because this process did not respond in "
                    "time. Wait until the other process ends, then try again."
                )
            servers.occupy(session, row=row, by=self.by, until=self.store.now() + LEASE)
            yield session

    def count_removed(self, tasks: int) -> None:
        """Add to the number of removed tasks."""
        self.removed += tasks


@contextmanager
def opened(store: Store, front: FrontEnd, forms: Forms, *, by: Person | None, project: str) -> Iterator[Link]:
    """Yield a server for synchronization. A failure is recorded on the server as a sentence."""
    link = _held(store, front, forms, by=by, project=project)
    problem = ""
    try:
        yield link
    except TouchstoneError as error:
        problem = str(error)
        raise
    except BaseException:
        problem = "The synchronization was interrupted. The next synchronization continues from this point."
        raise
    finally:
        with suppress(Exception):  # the database itself may have failed; then the lease expires
            _free(link, problem)


def _held(store: Store, front: FrontEnd, forms: Forms, *, by: Person | None, project: str) -> Link:
    me = json.dumps({**process(), "this": secrets.token_hex(8)})
    patient_until = time.monotonic() + PATIENCE
    while True:
        with store.write() as session:
            access = require_lead(session, by=by, project=project)
            row = find_server(session, project_id=access.project_id, address=front.address)
            if not is_busy(row, store.now()):
                servers.occupy(session, row=row, by=me, until=store.now() + LEASE)
                return Link(store, front, forms, row.id, access.project_id, access.name, me)
        if time.monotonic() > patient_until:
            raise ConflictError(
                f"Another process is synchronizing {front.address}. Wait until that synchronization ends."
            )
        time.sleep(0.05)


def is_busy(row: StoredBridge, now: datetime) -> bool:
    """Tell whether a process that may still run is synchronizing a server."""
    if row.busy_by is None or row.busy_until is None or row.busy_until < now:
        return False
    return not is_gone(json.loads(row.busy_by))


def _free(link: Link, said: str) -> None:
    with link.store.write() as session:
        row = servers.by_id(session, id=link.bridge_id, lock=True)
        if row.busy_by == link.by:
            servers.leave(session, row=row, said=said)


def find_server(session: Session, *, project_id: int, address: str, lock: bool = True) -> StoredBridge:
    """Return the server with this address. Raise ``NotFoundError`` if the project sends no work there."""
    row = servers.find(session, project_id=project_id, address=plain(address), lock=lock)
    if row is None:
        raise NotFoundError(f"This project is not connected to {plain(address)}. Connect the server first.")
    return row


def plain(address: str) -> str:
    """Return an address in its stored form: without surrounding spaces and without a slash at the end."""
    return address.strip().rstrip("/")
