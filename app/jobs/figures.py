"""The job ``figures``: compute a page's slow figures, and store them with the project state that they belong to."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from db.engine import Store
from domain import extensions
from domain.errors import NotAvailableError
from workflow.jobs.kinds import JobContext, JobKind, JobOutcome, Lane
from workflow.results import agreement_page, leaderboard_page, project_losses

KEPT = 200
"""Number of stored figures. Older ones are deleted."""


WORKS: Mapping[str, Callable[..., Any]] = {
    "agreement": agreement_page.figures,
    "agreement_opinion": agreement_page.opinion,
    "losses": project_losses.of_project,
    "results": leaderboard_page.leaderboards,
}
"""The function that computes each figure, by the figure's name.

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
    function = WORKS.get(work) or dict(extensions.rows("figures")).get(work)
    if function is None:
        raise NotAvailableError(
            extensions.missing("figures", work)
            or f"Touchstone has no figure with the name {work!r}. Restart Touchstone, then try again."
        )
    begun = time.monotonic()
    value = function(store, **args)
    return Figure(value, state, datetime.now(UTC), time.monotonic() - begun)


def _figure(context: JobContext) -> JobOutcome:
    asked = context.input
    return JobOutcome("", worked_out(context.store, asked["work"], asked["args"], asked["state"]))


FIGURES = JobKind(
    name="figures",
    title="Figures",
    doing="Computing figures of {}",
    work=_figure,
    lane=Lane.FIGURES,
    outlives=False,
    kept=KEPT,
    newest=True,
)
