"""Figures that take long to compute: a job computes each once for a state of a project, and the result is stored.

The process that serves pages also serves voters. A minute of arithmetic in that process keeps everyone from their next
item for a minute. So this process computes only small figures itself. A large figure is a job, one at a time and at low
priority. Until the job is done, a page shows the figure of an earlier state and says so. The result belongs to the
state of the project and to the version of the code. Every server on the database reads it.
"""

from __future__ import annotations

import hashlib
import threading
import time
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

from app.jobs import processes
from app.jobs.figures import FIGURES, Figure, worked_out
from app.jobs.kinds import KINDS
from db.engine import Store, utc_now
from domain import extensions
from domain.errors import ConflictError, NotAvailableError
from domain.jobs import Job, JobState
from domain.settings import Settings
from workflow.jobs import desk, working
from workflow.jobs.kinds import Lane

SMALL = 20_000
"""Ratings up to which a figure is computed at once, in about a second."""
SHARE = 4
"""A figure is computed again at the earliest after this multiple of its own run time.

Otherwise a steady flow of votes would keep a core busy.
"""
AGAIN_SECONDS = 60.0
"""Seconds after which a failed figure is tried again."""
PATIENCE_SECONDS = 0.15
"""Seconds that a request waits for a process that is already warm, which often answers at once.

Without a result by then, the page is shown at once and filled in later.
"""
_IN_MEMORY = 32


@dataclass(frozen=True)
class FigureState:
    """The answer to a request for a figure."""

    figure: Figure | None
    """The newest stored figure, or None."""
    current: bool
    """Whether the figure is of the requested state. If not, a job computes it now or soon."""


@dataclass
class _Memory:
    """The figures that this process has read or computed, by slot."""

    guard: threading.Lock = field(default_factory=threading.Lock)
    known: OrderedDict[str, Figure] = field(default_factory=OrderedDict)
    jobs: dict[str, str] = field(default_factory=dict)
    """The job that a figure was read from."""


_memory = _Memory()


def request_figure(
    store: Store,
    settings: Settings,
    work: str,
    args: Mapping[str, Any],
    *,
    state: tuple[Any, ...],
    size: int,
    apart: bool = False,
) -> FigureState:
    """Return a figure of this state, or an earlier figure until the new one is ready. Ask again later.

    Parameters
    ----------
    work
        A name of ``app.jobs.figures.WORKS``, or of a figure of an extension.
    args
        The arguments of its function: records that ``typed_json`` writes. The caller checks the person's rights.
    state
        A value that changes whenever the figure may change.
    size
        The number of ratings that the figure is computed from.
    apart
        Compute in another process, however small the figure is, because the work loads packages that the process which
        serves pages must not load.

    Raises
    ------
    NotAvailableError
        The job of this figure failed less than a minute ago.
    TouchstoneError
        The work itself refused a small figure.
    """
    slot = _slot(store, work, args)
    known = _remembered(slot)
    if known is not None and known.state == state:
        return FigureState(known, current=True)
    if size <= SMALL and not apart:
        return FigureState(_remember(slot, worked_out(store, work, args, state)), current=True)
    known, last = _newest(store, slot)
    if known is not None and known.state == state:
        return FigureState(known, current=True)
    if last is not None and last.state is JobState.FAILED and _is_recent(store, last) and last.input["state"] == state:
        raise NotAvailableError(last.said)
    waits = known is not None and (datetime.now(UTC) - known.at).total_seconds() < SHARE * known.seconds
    if not waits and not desk.list_jobs(store, kinds=[FIGURES.name], only_open=True, limit=1):
        known = _begin(store, settings, slot, work, args, state) or known
    return FigureState(known, current=known is not None and known.state == state)


def wait(
    store: Store, settings: Settings, work: str, args: Mapping[str, Any], *, state: tuple[Any, ...], size: int
) -> Any:
    """Return the value of a figure, and wait until it is ready: for actions that start with a button."""
    while True:
        figure_state = request_figure(store, settings, work, args, state=state, size=size)
        if figure_state.current and figure_state.figure is not None:
            return figure_state.figure.value
        time.sleep(0.2)


def compute_here(
    store: Store, settings: Settings, work: str, args: Mapping[str, Any], *, state: tuple[Any, ...]
) -> Any:
    """Return the value of a figure of this state; compute it in this process and store it if needed.

    For commands, which keep no other person waiting.
    """
    slot = _slot(store, work, args)
    known, _ = _newest(store, slot)
    if known is None or known.state != state:
        try:
            job = _job(store, slot, work, args, state)
        except ConflictError:  # a server is computing another state of the figure
            return worked_out(store, work, args, state).value
        working.do_here(store, settings.home, settings, KINDS, id=job.id)
        known, last = _newest(store, slot)
        if known is None or known.state != state:
            raise NotAvailableError(
                last.said if last is not None else "Touchstone could not compute the figures. Try again."
            )
    return known.value


# ---- where it is asked for ------------------------------------------------------------------------------------------


def _slot(store: Store, work: str, args: Mapping[str, Any]) -> str:
    about = repr((work, str(store.engine.url), sorted(args.items()), _code()))
    return f"figures/{hashlib.sha256(about.encode()).hexdigest()}"


@cache
def _code() -> str:
    """Return the hash of the code that computes figures. A new version of the code computes them again."""
    rooms = Path(__file__).resolve().parents[1]
    digest = hashlib.sha256()
    for room in ("agreement", "annotation_schemas", "app", "db", "domain", "reports", "workflow"):
        for path in sorted((rooms / room).rglob("*.py")):
            digest.update(path.read_bytes())
    for path in extensions.code():
        digest.update(path.read_bytes())
    return digest.hexdigest()


def _newest(store: Store, slot: str) -> tuple[Figure | None, Job | None]:
    """Return the newest stored figure of a slot, and the newest job of the slot."""
    last = desk.newest(store, slot=slot)
    if last is None:
        return _remembered(slot), None
    done = last if last.state is JobState.DONE else desk.newest_done(store, slot=slot)
    if done is not None and _memory.jobs.get(slot) != done.id:
        figure = desk.job(store, id=done.id).result
        _memory.jobs[slot] = done.id
        return _remember(slot, figure), last
    return _remembered(slot), last


def _is_recent(store: Store, job: Job) -> bool:
    return job.ended_at is not None and (utc_now() - job.ended_at).total_seconds() < AGAIN_SECONDS


def _begin(
    store: Store, settings: Settings, slot: str, work: str, args: Mapping[str, Any], state: tuple[Any, ...]
) -> Figure | None:
    """Begin a job. Return its figure if a warm process has the figure at once."""
    try:
        job = _job(store, slot, work, args, state)
    except ConflictError:  # another server has begun one at this moment
        return None
    warm = processes.is_warm(Lane.FIGURES)
    processes.wake(store, settings.home, FIGURES.name)
    end = time.monotonic() + PATIENCE_SECONDS
    while warm and time.monotonic() < end:
        time.sleep(PATIENCE_SECONDS / 10)
        figure, last = _newest(store, slot)
        if last is None or last.id != job.id or not last.is_open:
            return figure
    return None


def _job(store: Store, slot: str, work: str, args: Mapping[str, Any], state: tuple[Any, ...]) -> Job:
    asked_for = {"work": work, "args": dict(args), "state": state}
    return desk.begin(store, kind=FIGURES.name, slot=slot, by=None, project=args.get("project"), input=asked_for)


def _remembered(slot: str) -> Figure | None:
    with _memory.guard:
        return _memory.known.get(slot)


def _remember(slot: str, figure: Figure) -> Figure:
    with _memory.guard:
        _memory.known[slot] = figure
        _memory.known.move_to_end(slot)
        while len(_memory.known) > _IN_MEMORY:
            old, _ = _memory.known.popitem(last=False)
            _memory.jobs.pop(old, None)
    return figure
