"""What the benchmarks ask of the machine: processor time of a server, how busy the rest is, environments for peers."""

from __future__ import annotations

import os
import platform
import sys
from pathlib import Path

import psutil

from testkit.paths import ROOT
from tools import environments

ENVIRONMENTS = ROOT / ".cache" / "benchmarks"
"""Where peers are installed, each by itself and once: they never share an environment with Touchstone."""


def log(message: str) -> None:
    """Say what is going on, on standard error: standard output is for the figures."""
    print(f"[benchmark] {message}", file=sys.stderr, flush=True)


def cpu_seconds(pid: int) -> float:
    """Processor time that a process and its living children have used so far."""
    root = psutil.Process(pid)
    spent = 0.0
    for process in [root, *root.children(recursive=True)]:
        try:
            times = process.cpu_times()
        except psutil.NoSuchProcess:
            continue
        spent += times.user + times.system
    return spent


def memory_mb(pid: int) -> int:
    """Resident memory of a process, in megabytes."""
    return round(psutil.Process(pid).memory_info().rss / 1e6)


def busy_percent(seconds: float = 1.0) -> float:
    """How much of all cores the machine uses just now. Figures from a busy machine are worth little."""
    return float(psutil.cpu_percent(interval=seconds))


def described() -> dict[str, object]:
    """The machine, as far as it matters for comparing figures."""
    return {"cores": os.cpu_count(), "python": platform.python_version(), "system": platform.system()}


def quantile_ms(seconds: list[float], share: float) -> float | None:
    """The value below which ``share`` of the measurements lie, in milliseconds; None without measurements."""
    if not seconds:
        return None
    ordered = sorted(seconds)
    return round(1000 * ordered[min(len(ordered) - 1, int(len(ordered) * share))], 1)


def environment(name: str, *requirements: str) -> Path:
    """The ``bin`` folder of an environment with these packages; made on first use, found again later."""
    return environments.environment(ENVIRONMENTS / name, *requirements)
