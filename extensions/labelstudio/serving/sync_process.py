"""Run ``touchstone labelstudio`` in a separate process, which frees the memory of Label Studio's package at its end."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from typing import Literal

from app.supervisor import environment
from domain.errors import ConflictError
from domain.module_names import process_of
from domain.settings import STORED_IN
from workflow.jobs.kinds import JobContext, JobKind, JobOutcome

SECONDS = 120.0


@dataclass(frozen=True)
class SyncResult:
    """The result of the process."""

    lines: tuple[str, ...]
    well: bool


def run(action: Literal["push", "pull"], project: str, address: str, *, seconds: float = SECONDS) -> SyncResult:
    """Push or pull in a separate process, and wait. Simultaneous runs share a lease, so nothing is done twice."""
    command = [*process_of("app"), "labelstudio", action, "--server", address, "--", project]
    try:
        done = subprocess.run(
            command,
            env={**environment(), "COLUMNS": "1000"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=seconds,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return SyncResult(
            (
                f"Touchstone stopped the synchronization after {seconds:.0f} seconds. The next synchronization "
                f"continues from "
                "this point.",
            ),
            False,
        )
    output = done.stdout if done.returncode == 0 else done.stderr
    lines = [line.strip().removeprefix("touchstone: ") for line in output.splitlines()]
    sentences = [line for line in lines if line and not line.startswith(STORED_IN)]
    if done.returncode not in (0, 1):
        sentences = sentences[-1:]
    return SyncResult(tuple(sentences) or ("No message.",), done.returncode == 0)


def sync_for_job(context: JobContext) -> JobOutcome:
    """Push or pull for a job. A process that resumes the job finds what is already done."""
    asked = context.input
    context.progress("Sending" if asked["action"] == "push" else "Fetching", 0, 1)
    done = run(asked["action"], asked["project"], asked["address"])
    if not done.well:
        raise ConflictError("\n".join(done.lines))
    return JobOutcome("\n".join(done.lines))


SYNC = JobKind("sync", "Label Studio", "Synchronizing {} with Label Studio", sync_for_job)
