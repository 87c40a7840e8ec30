"""Helpers of the commands about runs in shards: choose the folder, and execute a run in this terminal."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from domain.errors import ConflictError

if TYPE_CHECKING:
    from app.services import Resources
    from domain.runs import RunState


def refuse_without_folder(shards: Path | None, executor: str | None) -> None:
    """Refuse an executor without a folder."""
    if shards is None and executor is not None:
        raise ConflictError("--executor needs --shards FOLDER. Add the folder of the questions and replies.")


def refuse_shared_folder(shards: Path | None, executor: str | None, *, n_runs: int = 1) -> None:
    """Refuse options that do not go together, before a run is stored."""
    refuse_without_folder(shards, executor)
    if shards is None:
        return
    from workflow.runs.shard_runs import required_shard_runs

    if n_runs > 1:
        raise ConflictError("A folder of shards has one run, but --cross starts several runs. Start each run alone.")
    required_shard_runs().check(shards, executor or "local")


def choose_shards(
    shared: Resources, runs: Sequence[str], shards: Path | None, executor: str | None, *, later: bool
) -> None:
    """Choose the folder and the executor of new runs. ``later``: wake a worker."""
    if shards is None:
        return
    from workflow.runs import run_start
    from workflow.runs.shard_runs import required_shard_runs

    for run in runs:
        required_shard_runs().choose(shared.store, by=None, run=run, folder=shards, executor=executor or "local")
        run_start.wake(shared.store, shared.settings if later else None, run)


def rechoose_shards(shared: Resources, run: str, shards: Path | None, executor: str | None) -> bool:
    """Change the folder or the executor of a run. Return whether the run uses shards."""
    from workflow.runs.shard_runs import required_shard_runs, shard_runs

    if shards is None and executor is None:
        functions = shard_runs()
        return functions is not None and functions.plan_of(shared.store, by=None, run=run) is not None
    known = required_shard_runs().plan_of(shared.store, by=None, run=run)
    folder = shards or (known.folder if known is not None else None)
    refuse_without_folder(folder, executor)
    if folder is not None:
        chosen = executor or (known.executor if known is not None else "local")
        required_shard_runs().choose(shared.store, by=None, run=run, folder=folder, executor=chosen)
    return True


def execution_of(shared: Resources, run: str) -> Callable[[Callable[[], bool]], RunState] | None:
    """Return a function that executes a run until it is done or the given function returns True.

    None for a run that does not use shards.
    """
    from workflow.runs import worker
    from workflow.runs.shard_runs import shard_runs

    functions = shard_runs()
    if functions is None or functions.plan_of(shared.store, by=None, run=run) is None:
        return None
    means = worker.means_of(shared.store, shared.media, shared.settings)
    return lambda stop: functions.execute(shared.store, by=None, run=run, means=means, stop=stop, tell=typer.echo)
