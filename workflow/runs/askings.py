"""The ``Asking`` of each kind of runs in which someone is asked."""

from __future__ import annotations

from collections.abc import Mapping

from domain.run_kinds import RunKind
from workflow.runs import judge_runs, model_runs, shortcut_runs
from workflow.runs.run_kinds import Asking

ASKINGS: Mapping[RunKind, Asking] = {
    asking.kind: asking for asking in (model_runs.ASKING, judge_runs.ASKING, shortcut_runs.ASKING)
}


def asking_of(kind: RunKind) -> Asking:
    """Return how someone is asked in runs of a kind, which is one in which someone is."""
    return ASKINGS[kind]
