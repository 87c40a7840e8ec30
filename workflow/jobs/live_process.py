"""What a process is called, and whether it still runs."""

from __future__ import annotations

import os
import socket
from collections.abc import Mapping
from pathlib import Path
from typing import Any


def worker_name() -> str:
    """What people call this worker: machine and process."""
    return f"{socket.gethostname()}, process {os.getpid()}"


def process() -> dict[str, Any]:
    """This process among all that ever ran on this machine."""
    return {"host": socket.gethostname(), "id": os.getpid(), "space": _space(), "born": _born(os.getpid())}


def is_gone(known: Mapping[str, Any]) -> bool:
    """Whether a process (as ``process`` told of it) ran on this machine and is gone; False where that cannot be
    known."""
    space = _space()
    if space is None or known.get("host") != socket.gethostname() or known.get("space") != space:
        return False
    return known.get("born") is None or _born(int(known.get("id", 0))) != known["born"]


def _space() -> str | None:
    """The space in which process ids of this machine have their meaning; None where that cannot be told."""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
        return f"{boot}/{os.readlink('/proc/self/ns/pid')}"
    except OSError:
        return None


def _born(pid: int) -> str | None:
    """When a process was started, in ticks since the machine was; None if there is none."""
    try:
        told = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    fields = told.rpartition(")")[2].split()
    return None if fields[0] in "ZX" else fields[19]
