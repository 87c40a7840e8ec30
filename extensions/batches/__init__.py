"""Batch files: questions of a run handed in at once to an endpoint, whose answers come hours later.

``batch_questions`` writes and submits files, ``batch_results`` reads what comes back, ``batch_command`` holds a run
while a command works on it, and ``batches`` has the use cases of ``touchstone run batch``. ``batch_endpoint`` speaks
with the server. Core starts such a run (``touchstone run model --batch``) and keeps its tables.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from domain.extensions import Extension


def _commands() -> Sequence[Any]:
    from extensions.batches.commands import run_batch

    return (run_batch,)


EXTENSION = Extension(name="batches", title="Batch files", commands=_commands)
