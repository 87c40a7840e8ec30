"""The job ``figures``: figures of pages that take long, kept with the state of the project that they are of."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from db.engine import Store
from domain import extensions
from domain.registers import function_of
from workflow.jobs.kinds import JobContext, JobKind, JobOutcome, Lane

KEPT = 200
"""So many figures are kept, the newest."""
WORKS: Mapping[str, str] = {
    "agreement": "workflow.results.agreement_page:figures",
    "agreement_opinion": "workflow.results.agreement_page:opinion",
    "calibration": "app.calibration_files:files_of",
    "cases": "workflow.results.cases:listing",
    "failures": "workflow.lead.coding_intake:failures_page",
    "disagreement": "workflow.lead.disagreement:overview",
    "floors": "workflow.releases.floors:standings",
    "forecast": "workflow.lead.forecast:forecasts",
    "losses": "workflow.results.project_losses:of_project",
    "preferences": "workflow.lead.preferences_page:preferences_page",
    "progress": "workflow.lead.progress_over_time:by_day",
    "gold": "workflow.annotate.gold_making:count_candidates",
    "reasons": "workflow.lead.adjudication_reasons:overview",
    "results": "workflow.results.leaderboard_page:leaderboards",
    "schema": "app.jobs.schema_changes:looked",
    "scorecard": "workflow.lead.scorecard:scorecards",
    "set": "workflow.releases.set_statistics:of_project",
    "tables": "workflow.results.paper_tables:of_project",
}
"""What can be worked out: by name, the function that does it, ``module:function``. It is called with the store and the
arguments by name, and has to give the same for the same state. Extensions add their own."""


@dataclass(frozen=True)
class Figure:
    """The result of a computation."""

    value: Any
    state: tuple[Any, ...]
    """Of the project, as anyone who asked has named it."""
    at: datetime
    seconds: float
    """How long it took."""


def worked_out(store: Store, work: str, args: Mapping[str, Any], state: tuple[Any, ...]) -> Figure:
    """Work a figure out."""
    function = function_of(WORKS[work]) if work in WORKS else dict(extensions.rows("figures"))[work]
    begun = time.monotonic()
    value = function(store, **args)
    return Figure(value, state, datetime.now(UTC), time.monotonic() - begun)


def _figure(context: JobContext) -> JobOutcome:
    asked = context.input
    return JobOutcome("", worked_out(context.store, asked["work"], asked["args"], asked["state"]))


FIGURES = JobKind(
    name="figures",
    title="Figures",
    doing="Working out figures of {}",
    work=_figure,
    lane=Lane.FIGURES,
    outlives=False,
    kept=KEPT,
    newest=True,
)
