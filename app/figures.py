"""Figures that take long: worked out in a process of their own, once for each state of a project, and kept.

The process that serves pages serves voters, too: a minute of arithmetic there is a minute in which nobody gets the next
item. What is small is worked out where it is asked for. What is large goes to a process beside it, one at a time and at
low priority; until it is done, a page shows what it has of an earlier state and says so. What came of it lies in the
home folder under ``figures`` and belongs to the state of the project and to the code that made it.
"""

from __future__ import annotations

import hashlib
import importlib
import logging
import os
import pickle
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

from app.beside import environment
from db.engine import Store, open_store
from domain.errors import NotAvailable, TouchstoneError
from domain.settings import Settings

SMALL = 20_000
"""Ratings up to which a figure is worked out where it is asked for: about a second."""
SHARE = 4
"""A figure is worked out anew at the earliest after so many times as long as it took: votes that keep coming must not
keep a core busy."""
AGAIN_SECONDS = 60.0
"""After so long a figure that failed is tried again."""
FILES = 200
"""So many figures are kept, the newest."""
_IN_MEMORY = 32
_NICE = 10
_REFUSED = 3
"""Exit status of a process that ended with a sentence for people."""

WORKS: Mapping[str, str] = {
    "agreement": "workflow.measure:figures",
    "calibration": "app.views.calibration:files_of",
}
"""What can be worked out: by name, the function that does it, ``module:function``. It is called with the store and the
arguments by name, and has to give the same for the same state."""

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Figure:
    """What came of a work."""

    value: Any
    state: tuple[Any, ...]
    """Of the project, as whoever asked has named it."""
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


@dataclass
class _Desk:
    """What this process knows of figures."""

    guard: threading.Lock = field(default_factory=threading.Lock)
    known: OrderedDict[Path, Figure] = field(default_factory=OrderedDict)
    going: dict[Path, _Going] = field(default_factory=dict)
    failed: dict[Path, tuple[tuple[Any, ...], str, float]] = field(default_factory=dict)
    """State, sentence, and when, by the clock that only runs on."""


_desk = _Desk()


def asked(
    store: Store, settings: Settings, work: str, args: Mapping[str, Any], *, state: tuple[Any, ...], size: int
) -> Asked:
    """A figure of this state, or what there is until it is ready: ask again.

    Parameters
    ----------
    work
        A name of ``WORKS``.
    args
        What its function is called with; values that can be pickled. Whoever asks has made sure that the person may.
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
    if size <= SMALL:
        return Asked(_remember(place, _worked_out(store, work, args, state)), current=True)
    with _desk.guard:
        failed = _desk.failed.get(place)
        if failed is not None and failed[0] == state and time.monotonic() - failed[2] < AGAIN_SECONDS:
            raise NotAvailable(failed[1])
        waits = known is not None and (datetime.now(UTC) - known.at).total_seconds() < SHARE * known.seconds
        if not _desk.going and not waits:
            _start(store, settings, place, work, args, state)
    return Asked(known, current=False)


def wait(
    store: Store, settings: Settings, work: str, args: Mapping[str, Any], *, state: tuple[Any, ...], size: int
) -> Any:
    """As ``asked``, but waits until the figure is there, and gives its value: for what begins with a button."""
    while True:
        found = asked(store, settings, work, args, state=state, size=size)
        if found.current and found.figure is not None:
            return found.figure.value
        time.sleep(0.2)


# ---- where it is asked for ------------------------------------------------------------------------------------------


def _worked_out(store: Store, work: str, args: Mapping[str, Any], state: tuple[Any, ...]) -> Figure:
    module, _, name = WORKS[work].partition(":")
    begun = time.monotonic()
    value = getattr(importlib.import_module(module), name)(store, **args)
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
) -> None:
    """Begin with a process; ``_desk.guard`` is held."""
    order = {
        "work": work,
        "url": store.engine.url.render_as_string(hide_password=False),  # through the pipe: no command line tells it
        "home": settings.home,
        "place": place,
        "args": dict(args),
        "state": state,
    }
    process = subprocess.Popen(
        (sys.executable, "-P", "-m", "app.figures"),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=environment(),
    )
    _desk.going[place] = going = _Going(process, state)
    about = (_desk, place, going, pickle.dumps(order))
    threading.Thread(target=_see_through, args=about, name="figures", daemon=True).start()


def _see_through(desk: _Desk, place: Path, going: _Going, order: bytes) -> None:
    """Hand a process its order, wait for its end, and note what came of it."""
    process = going.process
    assert process.stdin is not None
    assert process.stdout is not None
    with suppress(BrokenPipeError):
        process.stdin.write(len(order).to_bytes(8, "big") + order)
        process.stdin.flush()
    said = process.stdout.read().decode(errors="replace").strip()
    status = process.wait()
    with suppress(BrokenPipeError):
        process.stdin.close()
    process.stdout.close()
    sentence = ""
    if status == _REFUSED:
        sentence = said
    elif status:
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


# ---- the process of its own -----------------------------------------------------------------------------------------


def _work_beside() -> int:
    """Work out one figure, as told through the standard input, and keep it."""
    length = int.from_bytes(sys.stdin.buffer.read(8), "big")
    order = pickle.loads(sys.stdin.buffer.read(length))
    threading.Thread(target=_end_with_the_server, daemon=True).start()
    if hasattr(os, "nice"):
        os.nice(_NICE)
    store = open_store(order["url"], order["home"])
    try:
        figure = _worked_out(store, order["work"], order["args"], order["state"])
    except TouchstoneError as error:
        print(error)
        return _REFUSED
    finally:
        store.close()
    _keep(order["place"], figure)
    return 0


def _end_with_the_server() -> None:
    """The input ends when whoever wants the figure is gone."""
    os.read(0, 1)  # not through sys.stdin, which may not be held while the interpreter ends
    os._exit(1)


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
    from app.figures import _work_beside as work_beside

    sys.exit(work_beside())
