"""Figures that take long: worked out in a process of their own, once for each state of a project, and kept.

The process that serves pages serves voters, too: a minute of arithmetic there is a minute in which no one gets the next
item. What is small is worked out where it is asked for. What is large goes to a process of its own, one at a time and
at low priority; until it is done, a page shows what it has of an earlier state and says so. What came of it lies in the
home folder under ``figures`` and belongs to the state of the project and to the code that made it. That process stays
for a while: the next question is mostly about what it has read already.
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
import pickle
import queue
import subprocess
import sys
import tempfile
import threading
import time
from collections import OrderedDict
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

from app.supervisor import environment
from db.engine import Store, open_store
from domain import extensions
from domain.errors import NotAvailable, TouchstoneError
from domain.module_names import process_of
from domain.registers import function_of
from domain.settings import Settings

SMALL = 20_000
"""Ratings up to which a figure is worked out where it is asked for: about a second."""
SHARE = 4
"""A figure is worked out anew at the earliest after so many times as long as it took: votes that keep coming must not
keep a core busy."""
AGAIN_SECONDS = 60.0
"""After so long a figure that failed is tried again."""
IDLE_SECONDS = 120.0
"""So long a process that has nothing to do stays."""
PATIENCE_SECONDS = 0.15
"""So long anyone who asks waits for a process that has been at work before: it has much at hand. A page that stands
at once and fills is better than one that waits."""
FILES = 200
"""So many figures are kept, the newest."""
_IN_MEMORY = 32
_NICE = 19
WORKS: Mapping[str, str] = {
    "agreement": "workflow.results.agreement_page:figures",
    "agreement_opinion": "workflow.results.agreement_page:opinion",
    "calibration": "app.calibration_files:files_of",
    "cases": "workflow.results.cases:listing",
    "drafting": "workflow.releases.drafting_report:of_project",
    "failures": "workflow.lead.coding_intake:failures_page",
    "disagreement": "workflow.lead.disagreement:overview",
    "floors": "workflow.releases.floors:standings",
    "forecast": "workflow.lead.forecast:forecasts",
    "losses": "workflow.results.project_losses:of_project",
    "preferences": "workflow.lead.preferences_page:preferences_page",
    "progress": "workflow.lead.progress_over_time:by_day",
    "gold": "workflow.annotate.gold_making:count_candidates",
    "reasons": "workflow.lead.adjudication_reasons:overview",
    "regression": "workflow.results.regression_page:regression",
    "results": "workflow.results.leaderboard_page:leaderboards",
    "schema": "app.jobs.schema_changes:looked",
    "scorecard": "workflow.lead.scorecard:scorecards",
    "shortcut_models": "workflow.releases.shortcut_models_page:of_project",
    "shortcuts": "workflow.releases.shortcut_gate:looked",
    "set": "workflow.releases.set_statistics:of_project",
    "tables": "workflow.results.paper_tables:of_project",
}
"""What can be worked out: by name, the function that does it, ``module:function``. It is called with the store and the
arguments by name, and has to give the same for the same state. Extensions add their own."""

APART = frozenset({"agreement_opinion", "calibration", "shortcuts"})
"""What goes to a process of its own however small it is: it loads packages that the one which serves pages must not."""

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Figure:
    """The result of a computation."""

    value: Any
    state: tuple[Any, ...]
    """Of the project, as anyone who asked has named it."""
    at: datetime
    seconds: float
    """How long it took."""


@dataclass(frozen=True)
class Asked:
    """What there is when a figure is asked for."""

    figure: Figure | None
    """The newest there is; None: none yet."""
    current: bool
    """Whether it is of the state that was asked for; else it is being worked out, or will be."""


@dataclass
class _Going:
    """A process at work."""

    process: subprocess.Popen[bytes]
    state: tuple[Any, ...]
    again: bool
    """Whether it has worked before."""
    done: threading.Event = field(default_factory=threading.Event)


@dataclass
class _Desk:
    """What this process knows of figures."""

    guard: threading.Lock = field(default_factory=threading.Lock)
    known: OrderedDict[Path, Figure] = field(default_factory=OrderedDict)
    going: dict[Path, _Going] = field(default_factory=dict)
    failed: dict[Path, tuple[tuple[Any, ...], str, float]] = field(default_factory=dict)
    """State, sentence, and when, by the clock that only runs on."""
    idle: subprocess.Popen[bytes] | None = None
    """A process with nothing to do, which may have ended by now."""


_desk = _Desk()


def asked(
    store: Store, settings: Settings, work: str, args: Mapping[str, Any], *, state: tuple[Any, ...], size: int
) -> Asked:
    """A figure of this state, or what there is until it is ready: ask again.

    Parameters
    ----------
    work
        A name of ``WORKS``, or of a figure of an extension.
    args
        What its function is called with; values that can be pickled. Anyone who asks has made sure that the person may.
    state
        What stays the same as long as the figure does.
    size
        How many ratings it is made of.

    Raises
    ------
    NotAvailable
        The process that worked it out has failed, less than a minute ago.
    TouchstoneError
        What the work itself refuses, if it is small.
    """
    place = _place(store, settings, work, args)
    known = _newest(place)
    if known is not None and known.state == state:
        return Asked(known, current=True)
    if size <= SMALL and work not in APART:
        return Asked(_remember(place, _worked_out(store, work, args, state)), current=True)
    begun = None
    with _desk.guard:
        failed = _desk.failed.get(place)
        if failed is not None and failed[0] == state and time.monotonic() - failed[2] < AGAIN_SECONDS:
            raise NotAvailable(failed[1])
        waits = known is not None and (datetime.now(UTC) - known.at).total_seconds() < SHARE * known.seconds
        if not _desk.going and not waits:
            begun = _start(store, settings, place, work, args, state)
    if begun is not None and begun.again and begun.done.wait(PATIENCE_SECONDS):
        known = _newest(place)
    return Asked(known, current=known is not None and known.state == state)


def wait(
    store: Store, settings: Settings, work: str, args: Mapping[str, Any], *, state: tuple[Any, ...], size: int
) -> Any:
    """As ``asked``, but waits until the figure is there, and gives its value: for what begins with a button."""
    while True:
        found = asked(store, settings, work, args, state=state, size=size)
        if found.current and found.figure is not None:
            return found.figure.value
        time.sleep(0.2)


def here(store: Store, settings: Settings, work: str, args: Mapping[str, Any], *, state: tuple[Any, ...]) -> Any:
    """The value of a figure of this state, worked out in this process unless it is kept, and then kept: for commands,
    which keep no one waiting."""
    place = _place(store, settings, work, args)
    known = _newest(place)
    if known is None or known.state != state:
        known = _remember(place, _worked_out(store, work, args, state))
        _keep(place, known)
    return known.value


# ---- where it is asked for ------------------------------------------------------------------------------------------


def _worked_out(store: Store, work: str, args: Mapping[str, Any], state: tuple[Any, ...]) -> Figure:
    function = function_of(WORKS[work]) if work in WORKS else dict(extensions.rows("figures"))[work]
    begun = time.monotonic()
    value = function(store, **args)
    return Figure(value, state, datetime.now(UTC), time.monotonic() - begun)


def _place(store: Store, settings: Settings, work: str, args: Mapping[str, Any]) -> Path:
    about = repr((work, str(store.engine.url), sorted(args.items()), _code()))
    return settings.home / "figures" / f"{hashlib.sha256(about.encode()).hexdigest()}.pickle"


@cache
def _code() -> str:
    """Of the code that figures are made by: another version of it makes others."""
    rooms = Path(__file__).resolve().parents[1]
    found = hashlib.sha256()
    for room in ("agreement", "annotation_schemas", "app", "db", "domain", "reports", "workflow"):
        for path in sorted((rooms / room).rglob("*.py")):
            found.update(path.read_bytes())
    for path in extensions.code():
        found.update(path.read_bytes())
    return found.hexdigest()


def _newest(place: Path) -> Figure | None:
    with _desk.guard:
        known = _desk.known.get(place)
    if known is not None:
        return known
    try:
        found = pickle.loads(place.read_bytes())  # ours: the folder is its owner's alone
    except (OSError, EOFError, pickle.UnpicklingError, AttributeError, ImportError, ValueError):
        return None
    return _remember(place, found) if isinstance(found, Figure) else None


def _remember(place: Path, figure: Figure) -> Figure:
    with _desk.guard:
        _desk.known[place] = figure
        _desk.known.move_to_end(place)
        while len(_desk.known) > _IN_MEMORY:
            _desk.known.popitem(last=False)
    return figure


def _start(
    store: Store, settings: Settings, place: Path, work: str, args: Mapping[str, Any], state: tuple[Any, ...]
) -> _Going:
    """Begin with a figure; ``_desk.guard`` is held."""
    order = {
        "work": work,
        "url": store.engine.url.render_as_string(hide_password=False),  # through the pipe: no command line tells it
        "home": settings.home,
        "place": place,
        "args": dict(args),
        "state": state,
    }
    waiting, _desk.idle = _desk.idle, None
    if waiting is not None and waiting.poll() is not None:
        _let_go(waiting)
        waiting = None
    _desk.going[place] = going = _Going(waiting or _process(), state, again=waiting is not None)
    about = (_desk, place, going, pickle.dumps(order))
    threading.Thread(target=_see_through, args=about, name="figures", daemon=True).start()
    return going


def _process() -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        process_of("app.figures"),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=environment(),
    )


def _see_through(desk: _Desk, place: Path, going: _Going, order: bytes) -> None:
    """Give a process its task, wait for its reply, and note the result."""
    reply = _handed(going.process, order)
    if not reply and going.again:  # it had nothing to do for so long that it has ended just now
        _let_go(going.process)
        going.process = _process()
        reply = _handed(going.process, order)
    sentence = reply.removeprefix(_NOTHING_SAID).strip()
    if not reply:
        status = _let_go(going.process)
        log.error("the process that worked out %s ended with %s; what it said stands above", place.name, status)
        sentence = (
            "These figures could not be worked out; the log of the server says why. Nothing is lost, and it is tried "
            "again in a minute."
        )
    with desk.guard:
        desk.known.pop(place, None)
        desk.going.pop(place)
        if sentence:
            desk.failed[place] = (going.state, sentence, time.monotonic())
        else:
            desk.failed.pop(place, None)
        if reply:
            desk.idle = going.process
    going.done.set()


def _handed(process: subprocess.Popen[bytes], order: bytes) -> str:
    """What a process says to an order; nothing where it has ended before it could."""
    assert process.stdin is not None
    assert process.stdout is not None
    with suppress(BrokenPipeError):
        process.stdin.write(len(order).to_bytes(_LENGTH, "big") + order)
        process.stdin.flush()
    said: Any = json.loads(process.stdout.readline() or b'""')
    return str(said)


def _let_go(process: subprocess.Popen[bytes]) -> int:
    """See a process off, which ends when no one can order anything of it any more; its exit status."""
    assert process.stdout is not None
    assert process.stdin is not None
    with suppress(BrokenPipeError):
        process.stdin.close()
    process.stdout.close()
    return process.wait()


def close() -> None:
    """Let the process go that has nothing to do; what is at work ends with this one."""
    with _desk.guard:
        waiting, _desk.idle = _desk.idle, None
    if waiting is not None:
        _let_go(waiting)


# ---- the process of its own -----------------------------------------------------------------------------------------

_LENGTH = 8
"""An order begins with its length, in so many bytes."""
_NOTHING_SAID = "."
"""A reply: this, and behind it what people are to be told, if anything."""


def _work_in_process() -> int:
    """Work out figures, one after the other, as told through the standard input, and keep them."""
    replies = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # whatever is printed by others is no reply
    orders: queue.Queue[bytes] = queue.Queue()
    threading.Thread(target=_take_orders, args=(orders,), daemon=True).start()
    if hasattr(os, "nice"):
        os.nice(_NICE)
    while True:
        try:
            order = pickle.loads(orders.get(timeout=IDLE_SECONDS))
        except queue.Empty:
            return 0
        said = ""
        store = open_store(order["url"], order["home"])
        try:
            _keep(order["place"], _worked_out(store, order["work"], order["args"], order["state"]))
        except TouchstoneError as error:
            said = str(error)
        finally:
            store.close()
        replies.write(json.dumps(_NOTHING_SAID + said) + "\n")
        replies.flush()


def _take_orders(orders: queue.Queue[bytes]) -> None:
    """The input ends when the one who wants figures is gone, and with it this process, whatever it is at."""
    while True:
        length = int.from_bytes(_taken(_LENGTH), "big")
        orders.put(_taken(length))


def _taken(n: int) -> bytes:
    """So many bytes of the input."""
    found = b""
    while len(found) < n:
        part = os.read(0, n - len(found))  # not through sys.stdin, which may not be held while the interpreter ends
        if not part:
            os._exit(1)
        found += part
    return found


def _keep(place: Path, figure: Figure) -> None:
    """Whole or not at all; what was made longest ago goes."""
    place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    handle, partial = tempfile.mkstemp(dir=place.parent, suffix=".partial")
    with os.fdopen(handle, "wb") as out:
        pickle.dump(figure, out)
    Path(partial).replace(place)
    there = sorted(place.parent.glob("*.pickle"), key=lambda path: path.stat().st_mtime, reverse=True)
    for old in there[FILES:]:
        old.unlink(missing_ok=True)


if __name__ == "__main__":
    # under its own name, so that what is pickled here is what others read
    from app.figures import _work_in_process as work_in_process

    sys.exit(work_in_process())
