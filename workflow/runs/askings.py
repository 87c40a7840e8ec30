"""The ``RunFunctions`` of each kind of runs in which someone is asked."""

from __future__ import annotations

from collections.abc import Mapping

from domain import extensions
from domain.errors import NotAvailableError
from domain.run_kinds import RunKind, executed_by_extension
from workflow.runs import judge_runs, model_runs
from workflow.runs.run_kinds import RunFunctions

ASKINGS: Mapping[RunKind, RunFunctions] = {asking.kind: asking for asking in (model_runs.ASKING, judge_runs.ASKING)}
"""The kinds of runs that core provides."""


def asking_of(kind: RunKind) -> RunFunctions:
    """Return how someone is asked in runs of a kind, which is one in which someone is.

    Raises
    ------
    NotAvailableError
        An extension that is not installed executes such runs.
    """
    if kind in ASKINGS:
        return ASKINGS[kind]
    executed = executed_by_extension(kind)
    if executed is None:
        raise NotAvailableError(
            extensions.missing("run_kinds", kind)
            or f"Runs of the kind {kind} do not send questions to a model. Choose a run of a model or judge."
        )
    asking: RunFunctions = executed.asking()
    return asking
