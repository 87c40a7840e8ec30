"""The job ``figures``: compute a page's slow figures, and store them with the project state that they belong to."""

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
"""Number of stored figures. Older ones are deleted."""
WORKS: Mapping[str, str] = {
    "agreement": "workflow.results.agreement_page:figures",
    "agreement_opinion": "workflow.results.agreement_page:opinion",
    "calibration": "app.calibration.report_files:files_of",
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
"""The function that computes each figure, ``module:function``, by the figure's name.

The function gets the store, and the arguments by name. It must return the same value for the same state. Extensions add
more figures.
"""


@dataclass(frozen=True)
class Figure:
    """The result of a computation."""

    value: Any
    state: tuple[Any, ...]
    """The project state that the caller named."""
    at: datetime
    seconds: float
    """Duration of the computation."""


def worked_out(store: Store, work: str, args: Mapping[str, Any], state: tuple[Any, ...]) -> Figure:
    """Compute a figure."""
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
