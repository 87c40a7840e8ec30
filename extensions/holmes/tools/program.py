"""A tool that is a program of this machine: no shell, a folder of its own, a time limit and an output limit.

It reads one JSON object from standard input, in which images are paths, and writes one JSON value to standard output.
Whatever it has started ends with it, unless it leaves its process group.
"""

from __future__ import annotations

import contextlib
import os
import selectors
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO

from domain.runs import ToolFailure
from extensions.holmes.tool_sets import Tool
from extensions.holmes.tools.calls import ToolCall
from inference.endpoint.answerer import media_type

ALWAYS = ("PATH", "HOME", "LANG", "LC_ALL", "TZ")
"""The variables of the worker's environment that every program gets. Keys and settings are not among them."""
LOOK_SECONDS = 0.1
"""The interval at which the worker checks whether to stop, and whether the program has ended."""
REST_SECONDS = 1.0
"""The time for reading the rest of the output. A child process may keep the pipe open."""
MOST_SAID = 2_000
"""The number of bytes that are kept from the end of standard error."""


def program_output(tool: Tool, home: Path | None, call: ToolCall, *, stop: Callable[[], bool]) -> bytes:
    """Return the program's standard output. Raise ``ToolFailure``."""
    with tempfile.TemporaryDirectory(prefix="touchstone-tool-") as folder:
        where = Path(folder)
        images = []
        for number, picture in enumerate(call.pictures, 1):
            content = picture.path.read_bytes()
            copied = where / f"{number}.{(media_type(content) or 'image/bin').rpartition('/')[2]}"
            copied.write_bytes(content)  # the program may do with it what it likes
            images.append(str(copied))
        (where / "request.json").write_bytes(call.request(tool, images))
        words = [str((home or where) / word[2:]) if word.startswith("./") else word for word in tool.command]
        environment = {name: os.environ[name] for name in (*ALWAYS, *tool.environment) if name in os.environ}
        with (
            (where / "request.json").open("rb") as request,
            _begun(tool, words, request, where, environment) as process,
        ):
            return _output(tool, process, stop)


@contextlib.contextmanager
def _begun(
    tool: Tool, words: list[str], told: BinaryIO, folder: Path, environment: dict[str, str]
) -> Iterator[subprocess.Popen[bytes]]:
    try:
        process = subprocess.Popen(
            words,
            stdin=told,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=folder,
            env=environment,
            start_new_session=True,
        )
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or str(error)
        raise ToolFailure("not_started", f"Touchstone could not start {tool.name} ({words[0]}): {why}.") from None
    try:
        yield process
    finally:
        # Its process is not waited for before, so its number is still its own, and no one else's.
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        for pipe in (process.stdout, process.stderr):
            if pipe is not None:
                pipe.close()


def _output(tool: Tool, process: subprocess.Popen[bytes], stop: Callable[[], bool]) -> bytes:
    assert process.stdout is not None
    assert process.stderr is not None
    out, stderr = bytearray(), bytearray()
    end = time.monotonic() + tool.seconds
    over: float | None = None
    with selectors.DefaultSelector() as open_:
        open_.register(process.stdout, selectors.EVENT_READ, out)
        open_.register(process.stderr, selectors.EVENT_READ, stderr)
        while True:
            now = time.monotonic()
            if over is None and _ended(process):
                over = now
            if over is not None and (not open_.get_map() or now - over > REST_SECONDS):
                break
            if over is None and now > end:
                raise ToolFailure("timeout", f"{tool.name} did not finish within {tool.seconds:g} seconds.")
            if stop():
                raise ToolFailure("stopped", f"Touchstone stopped {tool.name}, because the run was stopped.")
            if not open_.get_map():
                time.sleep(LOOK_SECONDS / 4)
            for key, _ in open_.select(LOOK_SECONDS if over is None else LOOK_SECONDS / 4) if open_.get_map() else ():
                piece = os.read(key.fd, 65_536)
                if not piece:
                    open_.unregister(key.fileobj)
                key.data.extend(piece)
            del stderr[:-MOST_SAID]
            if len(out) > tool.largest:
                raise ToolFailure("too_large", f"{tool.name} wrote more than {tool.largest:,} bytes.")
    status = process.wait()
    if status:
        words = f"by signal {-status}" if status < 0 else f"with exit status {status}"
        last = stderr.decode("utf-8", "replace").replace("\0", "\ufffd").strip().splitlines()
        raise ToolFailure("exit", f"{tool.name} ended {words}{f': {last[-1][:300]}' if last else '.'}")
    return bytes(out)


def _ended(process: subprocess.Popen[bytes]) -> bool:
    """Return whether the program has ended, without waiting for it."""
    return os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None
