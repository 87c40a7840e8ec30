"""Runs whose questions are asked by another program, through files: the functions that an extension provides."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

from db.engine import Store
from domain import extensions
from domain.errors import NotAvailableError
from domain.records import Person
from domain.runs import RunState
from workflow.runs.worker import Means


class ShardRuns(Protocol):
    """A module of the register ``shard_runs``."""

    def plan_of(self, store: Store, *, by: Person | None, run: str) -> Any:
        """Return the folder and the executor of a run; None for a run that does not use shards."""

    def check(self, folder: Path, executor: str) -> None:
        """Refuse a folder or an executor with which no new run could go, before the run is stored."""

    def choose(self, store: Store, *, by: Person | None, run: str, folder: Path, executor: str) -> None:
        """Choose the folder and the executor of a run."""

    def execute(
        self,
        store: Store,
        *,
        by: Person | None,
        run: str,
        means: Means,
        stop: Callable[[], bool],
        tell: Callable[[str], None],
    ) -> RunState:
        """Have the open questions of a run asked, and store the replies. Return the state of the run."""


def shard_runs() -> ShardRuns | None:
    """Return the functions of the installed extension; None without one."""
    for module in extensions.rows("shard_runs"):
        functions: ShardRuns = module
        return functions
    return None


def required_shard_runs() -> ShardRuns:
    """Return the functions of the installed extension. Raises ``NotAvailableError`` without one."""
    functions = shard_runs()
    if functions is None:
        raise NotAvailableError(extensions.missing("commands", "batch") or "No extension executes shards.")
    return functions


def uses_shards(store: Store, *, by: Person | None, run: str) -> bool:
    """Return whether a run has a folder of shards."""
    functions = shard_runs()
    return functions is not None and functions.plan_of(store, by=by, run=run) is not None
