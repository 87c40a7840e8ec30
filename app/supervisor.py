"""Processes next to this one: each is restarted if it dies, and ends with this process."""

from __future__ import annotations

import os
import subprocess
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from domain.module_names import PACKAGE, process_of
from domain.settings import DATABASE_CONNECTIONS

COMMAND = (*process_of("app"), "worker", "--until-input-ends")
CONNECTIONS_OF_WORKER = 10
"""The most PostgreSQL connections of a server's worker."""
FIRST_PAUSE = 1.0
LONGEST_PAUSE = 60.0
ENDING_SECONDS = 5.0


def worker() -> SupervisedProcess:
    """Return the worker of a server. It starts in a ``with`` block."""
    return SupervisedProcess(COMMAND, title="The worker", env={DATABASE_CONNECTIONS: str(CONNECTIONS_OF_WORKER)})


class SupervisedProcess:
    """A command that runs as long as this process does.

    Its standard input is a pipe from this process. So a command that calls ``when_input_ends`` ends when this process
    is gone, even without a signal.
    """

    def __init__(self, command: Sequence[str], *, title: str, env: Mapping[str, str] = {}) -> None:
        """Set the command. ``title`` names the process in messages, such as "The worker". ``env``: more variables."""
        self.command, self.title, self.env = command, title, env
        self.process: subprocess.Popen[bytes] | None = None
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._watch, name=title, daemon=True)

    def __enter__(self) -> SupervisedProcess:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    def ask_to_end(self) -> None:
        """Tell the process to end. ``__exit__`` waits until it has."""
        self._over.set()

    def _watch(self) -> None:
        pause = FIRST_PAUSE
        while not self._over.is_set():
            began = time.monotonic()
            self.process = subprocess.Popen(self.command, stdin=subprocess.PIPE, env={**environment(), **self.env})
            while self.process.poll() is None and not self._over.wait(0.2):
                pass
            if self._over.is_set():
                break
            print(
                f"{self.title} ended with status {self.process.returncode}. Touchstone restarts the process in "
                f"{pause:.0f} s.",
                flush=True,
            )
            self._over.wait(pause)
            pause = FIRST_PAUSE if time.monotonic() - began > LONGEST_PAUSE else min(pause * 2, LONGEST_PAUSE)
        self._end()

    def _end(self) -> None:
        process = self.process
        if process is None:
            return
        if process.poll() is None:
            process.terminate()
            with suppress(subprocess.TimeoutExpired):
                process.wait(ENDING_SECONDS)
        if process.poll() is None:
            process.kill()
            process.wait()
        if process.stdin is not None:
            process.stdin.close()


def when_input_ends(act: Callable[[], object]) -> None:
    """Call a function in a thread when standard input ends: when the process at the other end of its pipe dies."""

    def read() -> None:
        while os.read(0, 1024):  # not sys.stdin: a thread waiting in it crashes Python's exit
            pass
        act()

    threading.Thread(target=read, name="parent", daemon=True).start()


def environment() -> dict[str, str]:
    """Return this process's environment, with our modules on the Python path of another process."""
    if PACKAGE:
        return dict(os.environ)
    rooms = str(Path(__file__).resolve().parents[1])
    return {**os.environ, "PYTHONPATH": os.pathsep.join([rooms, *filter(None, [os.environ.get("PYTHONPATH")])])}
