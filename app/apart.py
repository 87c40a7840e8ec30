"""Work that takes long, in a process of its own that says how far it is: the one that serves pages serves voters."""

from __future__ import annotations

import json
import logging
import os
import pickle
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from app.supervisor import environment
from db.engine import Store, open_store
from domain.errors import TouchstoneError
from domain.module_names import process_of
from domain.origin import acting_from, origin

log = logging.getLogger(__name__)
_NICE = 10
_LENGTH = 8
"""What is to be done begins with its length, in so many bytes."""

Progress = Callable[[str, int, int], None]
"""What is being done, how much of it is done, how much there is."""


def unheard(what: str, done: int, of: int) -> None:
    """Where no one listens how far it is."""


class Work(Protocol):
    """What can be done so; it is pickled."""

    def run(self, store: Store, home: Path, progress: Progress) -> str:
        """Do it; a sentence that says what came of it. A TouchstoneError says why nothing did."""


@dataclass
class Going:
    """Work under way, or over."""

    at: str = ""
    """What is going on, in words."""
    done: int = 0
    of: int = 0
    said: str = ""
    """What came of it."""
    refused: str = ""
    """Why nothing came of it."""
    over: threading.Event = field(default_factory=threading.Event)


def begin(store: Store, home: Path, work: Work, *, going: Going, broken: str, outlives: bool) -> None:
    """Begin with it; ``going`` says from now on how far it is.

    Parameters
    ----------
    broken
        What is said where the process ends before its time.
    outlives
        Whether it goes on to its end when the server that began it is gone. Otherwise it ends with the server, between
        any two transactions.
    """
    url = store.engine.url.render_as_string(hide_password=False)  # no command line tells it
    told = pickle.dumps((url, home, origin(), work, outlives))
    about = {"going": going, "told": told, "broken": broken, "outlives": outlives, "what": type(work).__name__}
    threading.Thread(target=_see_through, kwargs=about, name="work apart", daemon=True).start()


def _see_through(going: Going, told: bytes, broken: str, outlives: bool, what: str) -> None:
    try:
        command = process_of("app.apart")
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment()) as process:
            assert process.stdin is not None
            assert process.stdout is not None
            with suppress(BrokenPipeError):
                process.stdin.write(len(told).to_bytes(_LENGTH, "big") + told)
                process.stdin.flush()
                if outlives:
                    process.stdin.close()
            for line in process.stdout:
                for name, value in json.loads(line).items():
                    setattr(going, name, value)
            with suppress(BrokenPipeError):
                process.stdin.close()
        if not (going.said or going.refused):
            log.error("the process of a %s ended with %s", what, process.returncode)
    finally:
        if not (going.said or going.refused):
            going.refused = broken
        going.over.set()


# ---- the process of its own -----------------------------------------------------------------------------------------


def carry_out(work: Work, store: Store, home: Path, tell: Callable[[Mapping[str, Any]], None]) -> None:
    """Do what is to be done; ``tell`` hears how far it is and, last, what came of it or why nothing did."""
    last: tuple[str, int] | None = None

    def progress(what: str, done: int, of: int) -> None:
        nonlocal last
        here = (what, 100 * done // max(of, 1))
        if here != last:
            tell({"at": what, "done": done, "of": of})
        last = here

    try:
        tell({"said": work.run(store, home, progress)})
    except TouchstoneError as error:
        tell({"refused": str(error)})


def work_in_process() -> int:
    """As told through the standard input; what comes of it goes to the standard output, a line of JSON each time."""
    replies = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # whatever is printed by others is no reply
    with open(0, "rb", closefd=False) as given:
        url, home, by, work, outlives = pickle.loads(given.read(int.from_bytes(given.read(_LENGTH), "big")))
    if not outlives:
        threading.Thread(target=_end_with_the_server, daemon=True).start()
    os.nice(_NICE)

    def tell(about: Mapping[str, Any]) -> None:
        with suppress(BrokenPipeError):
            replies.write(json.dumps(about) + "\n")
            replies.flush()

    store = open_store(url, home)
    try:
        with acting_from(by):
            carry_out(work, store, home, tell)
    finally:
        store.close()
    return 0


def _end_with_the_server() -> None:
    """The input ends when the server is gone."""
    while os.read(0, 1):
        pass
    os._exit(1)


if __name__ == "__main__":
    # under its own name, so that what is pickled there is what is read here
    from app.apart import work_in_process as worked

    sys.exit(worked())
