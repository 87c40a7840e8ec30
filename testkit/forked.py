"""Commands as processes of their own that have their imports behind them.

Starting Python and importing the app takes a command about a second, and the suite starts several hundred. Here one
process imports the app once; each command is a fork of it, with its own process id, environment, folder, output, and
exit status. ``tests/app`` also starts ``touchstone`` the long way.
"""

from __future__ import annotations

import importlib
import multiprocessing
import os
import subprocess
import sys
from collections.abc import Sequence
from multiprocessing.process import BaseProcess
from pathlib import Path
from types import ModuleType

PRELOADED = ["testkit.preloaded"]


class Forked:
    """A command that runs; what ``subprocess.Popen`` says of one, as far as the tests ask.

    It is ``touchstone``, or else what ``main`` names as ``module:function``.
    """

    def __init__(
        self,
        arguments: Sequence[str | Path],
        *,
        env: dict[str, str],
        cwd: Path,
        out: Path,
        err: Path,
        main: str = "app.cli:main",
    ) -> None:
        self._process = _start([os.fspath(argument) for argument in arguments], env, str(cwd), str(out), str(err), main)
        self.arguments = arguments
        self.out = out

    @property
    def pid(self) -> int:
        """The process's id."""
        assert self._process.pid is not None
        return self._process.pid

    def output(self) -> str:
        """What it has printed so far."""
        return self.out.read_text(encoding="utf-8") if self.out.exists() else ""

    def poll(self) -> int | None:
        """The exit status, or None while it runs."""
        return self._process.exitcode

    def wait(self, timeout: float | None = None) -> int:
        """Wait for its end; ``TimeoutExpired`` after ``timeout`` seconds."""
        self._process.join(timeout)
        if self._process.exitcode is None:
            raise subprocess.TimeoutExpired(list(self.arguments), timeout or 0.0)
        return self._process.exitcode

    def kill(self) -> None:
        """SIGKILL."""
        self._process.kill()


def _start(*arguments: object) -> BaseProcess:
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(PRELOADED)
    process = context.Process(target=run, args=arguments)
    main = sys.modules["__main__"]
    sys.modules["__main__"] = ModuleType("__main__")  # a page drawn here would be drawn again there, as its main module
    try:
        process.start()
    finally:
        sys.modules["__main__"] = main
    return process


def run(arguments: list[str], env: dict[str, str], cwd: str, out: str, err: str, main: str) -> None:
    """In the forked process: become the command."""
    os.setsid()
    os.environ.clear()
    os.environ.update(env)
    os.chdir(cwd)
    for path, number in ((os.devnull, 0), (out, 1), (err, 2)):
        opened = os.open(path, os.O_RDONLY if number == 0 else os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
        os.dup2(opened, number)
        os.close(opened)
    # What begins a process elsewhere begins it here: its own standard streams and its own arguments.
    sys.stdin = open(0, closefd=False, encoding="utf-8")  # noqa: SIM115
    sys.stdout = open(1, "w", closefd=False, encoding="utf-8")  # noqa: SIM115
    sys.stderr = open(2, "w", closefd=False, encoding="utf-8", buffering=1, errors="backslashreplace")  # noqa: SIM115
    sys.argv = ["touchstone", *arguments]
    module, _, function = main.partition(":")
    getattr(importlib.import_module(module), function)()
