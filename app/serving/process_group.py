"""Several web processes, the front server and one worker, each restarted if it dies, all ended together."""

from __future__ import annotations

import json
import tempfile
import threading
import time
from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from pathlib import Path

from app import supervisor
from app.serving import front_server, metrics
from app.supervisor import SupervisedProcess
from domain.module_names import process_of

STARTING_SECONDS = 60.0
"""Longest wait for web processes before the front server starts without them."""


def serve(*, host: str, port: int, names: Iterable[str], processes: int, worker: bool) -> None:
    """Serve until this process is stopped."""
    with (
        tempfile.TemporaryDirectory(prefix="touchstone-web-", ignore_cleanup_errors=True) as name,
        ExitStack() as stack,
    ):
        folder = Path(name)  # only this account can enter it
        counters = folder / "metrics"
        counters.mkdir()
        sockets = [folder / f"web{number}.sock" for number in range(1, processes + 1)]
        configuration = front_server.write(folder, host=host, port=port, sockets=sockets)
        order = {"host": host, "port": port, "names": [*names], "processes": processes}
        children = [
            SupervisedProcess(
                [*process_of("app.serving.web_process"), json.dumps({**order, "socket": str(socket)})],
                title=f"Web process {number}",
                env={metrics.FOLDER: str(counters)},
            )
            for number, socket in enumerate(sockets, 1)
        ]
        if worker:
            children.append(supervisor.worker())
        for child in children:
            stack.enter_context(child)
        stack.callback(_end_together, children)
        _wait_for(sockets)
        command = front_server.command(configuration)
        stack.enter_context(SupervisedProcess(command, title="The front server (HAProxy)"))
        threading.Event().wait()


def _wait_for(sockets: Sequence[Path]) -> None:
    """Wait until all web processes listen, so that the front server does not report them as dead."""
    until = time.monotonic() + STARTING_SECONDS
    while time.monotonic() < until and not all(socket.exists() for socket in sockets):
        time.sleep(0.05)


def _end_together(children: Sequence[SupervisedProcess]) -> None:
    """Tell all processes to end at the same time. Otherwise each would wait for the one before."""
    for child in children:
        child.ask_to_end()
