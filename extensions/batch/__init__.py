"""Batch files: a run's questions go to an endpoint in files, and the answers come hours later in any order.

``batch_runs`` has what people do with a run's files: submit, poll, fetch, write, read and end. Each of them is a
``batch_command``, which finds out what became of batches that an earlier command left open. ``batch_questions`` writes
files and submits them, ``batch_results`` stores the answers, and ``batch_endpoint`` knows the lines and the server.

Shards are batch files in Parquet that an executor answers. ``shard_runs`` drives an executor of ``executors``, in whose
process ``execution`` works. ``shard_files`` has the format, and ``shard_results`` reads replies.

Core starts runs that go in batch files, and shows and cancels them. Batches are in tables of core, so a project is
complete without this folder.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from domain.extensions import Extension


def _commands() -> Sequence[Any]:
    from extensions.batch.commands import batch

    return (batch,)


def _shard_runs() -> Sequence[Any]:
    from extensions.batch import shard_runs

    return (shard_runs,)


def _settings() -> Sequence[Any]:
    from extensions.batch.settings import ShardSettings

    return (ShardSettings,)


EXTENSION = Extension(name="batch", title="Batch files", commands=_commands, shard_runs=_shard_runs, settings=_settings)
