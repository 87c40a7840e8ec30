"""The identity of a process, and whether the process still runs."""

from __future__ import annotations

import os
import socket
from collections.abc import Mapping
from pathlib import Path
from typing import Any


def worker_name() -> str:
    """Return the name of this worker for people: machine and process."""
    return f"{socket.gethostname()}, process {os.getpid()}"


def process() -> dict[str, Any]:
    """Return the identity of this process among all that ever ran on this machine."""
    return {"host": socket.gethostname(), "id": os.getpid(), "space": _space(), "born": _born(os.getpid())}


def is_gone(known: Mapping[str, Any]) -> bool:
    """Return whether a process, as described by ``process``, ran on this machine and is gone. False if that is
    unknown.
    """
    space = _space()
    if space is None or known.get("host") != socket.gethostname() or known.get("space") != space:
        return False
    return known.get("born") is None or _born(int(known.get("id", 0))) != known["born"]


def _space() -> str | None:
    """Return the namespace in which process ids of this machine are valid; None if unknown."""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
        return f"{boot}/{os.readlink('/proc/self/ns/pid')}"
    except OSError:
        return None


def _born(pid: int) -> str | None:
    """Return the start time of a process, in ticks since boot; None without such a process."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    fields = text.rpartition(")")[2].split()
    return None if fields[0] in "ZX" else fields[19]
