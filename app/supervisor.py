"""The worker next to the web server: a separate process that is restarted if it dies, and ends with the server."""

from __future__ import annotations

import os
import subprocess
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from domain.module_names import PACKAGE, process_of

COMMAND = (*process_of("app"), "worker", "--until-input-ends")
LONGEST_PAUSE = 60.0
ENDING_SECONDS = 5.0


class SupervisedWorker:
    """A command that runs as long as this process does.

    Its standard input is a pipe from this process. So the command ends when this process is gone, even without a
    signal.
    """

    def __init__(self, command: Sequence[str] = COMMAND) -> None:
        self.command = command
        self.process: subprocess.Popen[bytes] | None = None
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="worker", daemon=True)

    def __enter__(self) -> SupervisedWorker:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    def _watch(self) -> None:
        pause = 1.0
        while not self._over.is_set():
            began = time.monotonic()
            self.process = subprocess.Popen(self.command, stdin=subprocess.PIPE, env=environment())
            while self.process.poll() is None and not self._over.wait(0.2):
                pass
            if self._over.is_set():
                break
            pause = 1.0 if time.monotonic() - began > LONGEST_PAUSE else min(pause * 2, LONGEST_PAUSE)
            print(
                f"The worker ended with status {self.process.returncode}. The server restarts the worker in "
                f"{pause:.0f} s.",
                flush=True,
            )
            self._over.wait(pause)
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


def environment() -> dict[str, str]:
    """Return this process's environment, with our modules on the Python path of another process."""
    if PACKAGE:
        return dict(os.environ)
    rooms = str(Path(__file__).resolve().parents[1])
    return {**os.environ, "PYTHONPATH": os.pathsep.join([rooms, *filter(None, [os.environ.get("PYTHONPATH")])])}
