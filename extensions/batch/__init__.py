"""Batch files: a run's questions go to an endpoint in files, and the answers come hours later in any order.

``batch_runs`` has what people do with a run's files: submit, poll, fetch, write, read and end. Each of them is a
``batch_command``, which finds out what became of batches that an earlier command left open. ``batch_questions`` writes
files and submits them, ``batch_results`` stores the answers, and ``batch_endpoint`` knows the lines and the server.

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


EXTENSION = Extension(name="batch", title="Batch files", commands=_commands)
