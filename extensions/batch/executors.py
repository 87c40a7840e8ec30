"""The executors of shards, and the process in which one of them runs."""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass

from app.supervisor import environment
from domain.errors import NotFoundError
from domain.module_names import process_of
from extensions.batch.batch_endpoint import unit_of
from extensions.batch.shard_files import ShardFolder

LOG = "executor.log"
_TOLD = 400
"""The number of characters of an executor's last words in a message."""


class Execution:
    """An executor at work."""

    instruction: str = ""
    """What a person has to do; empty if the executor works by itself."""
    stopped: str = ""
    """Why the run has to stop, as a sentence of the executor."""
    failure: str = ""
    """The last words of an executor that failed."""

    def is_running(self) -> bool:
        """Return whether more replies may come."""
        return False

    def end(self, seconds: float) -> None:
        """End the executor. It may take so long to write the replies that it has."""


class Instruction(Execution):
    """An executor that a person starts."""

    def __init__(self, instruction: str) -> None:
        self.instruction = instruction


class ProcessExecution(Execution):
    """An executor in a process of its own, which ends if this process ends."""

    def __init__(self, folder: ShardFolder, executor: str) -> None:
        self.log = folder.path / LOG
        order = {"folder": str(folder.path), "executor": executor}
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(
                process_of("extensions.batch.execution"),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                env=environment(),
                start_new_session=True,
            )
        assert self.process.stdin is not None
        with suppress(BrokenPipeError):
            self.process.stdin.write(json.dumps(order).encode() + b"\n")
            self.process.stdin.flush()

    def is_running(self) -> bool:
        return self.process.poll() is None

    def end(self, seconds: float) -> None:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        with suppress(OSError):
            self.process.stdin.close()  # the process then ends by itself
        try:
            status = self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            status = None
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)  # what it has started, too
        self.process.wait()
        told = self.process.stdout.read().decode("utf-8", "replace").strip()
        self.process.stdout.close()
        if told:
            self.stopped = str(json.loads(told.splitlines()[-1])["stopped"])
        elif status != 0:
            words = self.log.read_text(encoding="utf-8", errors="replace").strip()[-_TOLD:]
            how = f"It ended with status {status}." if status is not None else "It did not end in time."
            self.failure = f"{how} Its last words in {self.log}: {words}" if words else f"{how} See {self.log}."


@dataclass(frozen=True)
class Executor:
    """An executor: a row of ``EXECUTORS``."""

    name: str
    meaning: str
    """The meaning as a phrase, for people."""
    begin: Callable[..., Execution]
    """Start on a folder; takes the ids of the open questions."""


def _process(name: str) -> Callable[..., Execution]:
    def begin(folder: ShardFolder, *, ids: Sequence[str]) -> Execution:
        return ProcessExecution(folder, name)

    return begin


def _slurm(folder: ShardFolder, *, ids: Sequence[str]) -> Execution:
    """Print a job with one task for each file that has open questions."""
    run = str(folder.described["run"])
    numbers = sorted({unit[0] for id in ids if (unit := unit_of(id, run)) is not None})
    path = shlex.quote(str(folder.path))
    script = f"""\
#!/bin/bash
#SBATCH --job-name=touchstone-{run}
#SBATCH --array={ranges(numbers)}
#SBATCH --output={folder.path}/slurm-%A_%a.log
#SBATCH --gres=gpu:1
touchstone batch execute {path} --executor vllm --shard "$SLURM_ARRAY_TASK_ID"
"""
    return Instruction(f"{script}\n# Submit this job with sbatch. Then store the replies:\n# {_import(run, path)}")


def _none(folder: ShardFolder, *, ids: Sequence[str]) -> Execution:
    run = str(folder.described["run"])
    return Instruction(
        f"Open questions in {folder.path}: {len(ids)}. Have them answered, then store the replies: "
        f"{_import(run, shlex.quote(str(folder.path)))}"
    )


def _import(run: str, path: str) -> str:
    return f"touchstone batch import {run} {path}"


def ranges(numbers: Sequence[int]) -> str:
    """Return sorted numbers as ranges.

    >>> ranges([1, 2, 3, 5])
    '1-3,5'
    """
    spans: list[tuple[int, int]] = []
    for number in numbers:
        if spans and spans[-1][1] == number - 1:
            spans[-1] = (spans[-1][0], number)
        else:
            spans.append((number, number))
    return ",".join(str(first) if first == last else f"{first}-{last}" for first, last in spans)


EXECUTORS = (
    Executor("local", "a process on this machine", _process("local")),
    Executor("ray", "the workers of a Ray cluster", _process("ray")),
    Executor("vllm", "vLLM on this machine, without a server", _process("vllm")),
    Executor("slurm", "a Slurm job, which Touchstone prints", _slurm),
    Executor("none", "your own program", _none),
)
"""The executors, by the value of ``--executor``."""


def executor_of(name: str) -> Executor:
    """Return an executor. Raises ``NotFoundError`` for an unknown name."""
    for row in EXECUTORS:
        if row.name == name:
            return row
    known = ", ".join(row.name for row in EXECUTORS)
    raise NotFoundError(f"There is no executor {name!r}. Choose one of {known}.")
