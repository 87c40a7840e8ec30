"""One of several web processes of a server. It listens on a Unix socket, and ends when its server is gone."""

from __future__ import annotations

import json
import os
import signal
import sys
from importlib import import_module

from app import server
from app.jobs import processes
from app.screens import SCREENS
from app.services import resources
from app.serving import shared_uploads
from app.serving.exit_signals import exiting_on_signals
from app.supervisor import when_input_ends


def serve_socket(told: str) -> int:
    """Serve as a JSON object says: ``socket``, ``host``, ``port``, ``names``, and the number of ``processes``."""
    order = json.loads(told)
    processes.share_with(order["processes"])
    _load_pages()
    shared = resources()
    shared_uploads.share(shared.settings.home)
    with exiting_on_signals(), processes.watching(shared.store, shared.settings.home):
        when_input_ends(lambda: os.kill(os.getpid(), signal.SIGTERM))
        server.serve(shared, host=order["host"], port=order["port"], names=order["names"], socket=order["socket"])
    return 0


def _load_pages() -> None:
    """Import what the first page needs. People may come from a process that has died, and wait for this page."""
    import_module("pandas")  # Streamlit imports it with its first page
    len(SCREENS)  # reads the modules of all pages


if __name__ == "__main__":
    sys.exit(serve_socket(sys.argv[1]))
