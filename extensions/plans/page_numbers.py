"""What the page Regression shows of a project, worked out at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from agreement.regression_parts import Errors
from annotation_schemas.model import Schema
from db.engine import Store
from domain.errors import InvalidInput
from domain.states import Items
from extensions.plans.project_units import of_project
from extensions.plans.success_files import Outcome
from extensions.plans.success_regression import Cluster, Fit, fits
from extensions.plans.success_units import Asked, By, Joined
from workflow.access.counted_items import Counting
from workflow.results.criterion_values import scored_criteria
from workflow.results.project_answers import Read, current


@dataclass(frozen=True)
class RegressionPage:
    """The units of a project and the regressions of them, or why there are none."""

    counting: Counting | None
    joined: Joined | None
    found: tuple[Fit, ...]
    why: str
    """Why there is nothing; empty: there is."""


def successes(schema: Schema) -> list[str]:
    """The criteria that may say whether something succeeds: those of grading with numbers, and derived ones."""
    return [*(each.name for each in scored_criteria(schema)), *(rule.name for rule in schema.report.derived)]


def regression(
    store: Store,
    *,
    project: str,
    items: Items | None = None,
    success: str | None = None,
    outcomes: Sequence[Outcome] | None = None,
    file: str = "",
    plans: tuple[str, ...] = (),
    by: By | None = None,
    task: str | None = None,
    scores: tuple[str, str] | None = None,
    aspects: tuple[str, ...] = (),
    errors: Errors | None = None,
    cluster: Cluster | None = None,
) -> RegressionPage:
    """Everything on the page; what is chosen and is no longer there is left to what is usual.

    ``scores`` is what gives scores and on which criterion, as ``Joined.offered`` has them; the rest is as in ``Asked``.
    For anyone who has made sure that the person may see it.
    """
    found = current(store, person=None, project=project, items=items)
    base = {"success": success, "outcomes": outcomes, "file": file, "plans": plans, "by": by, "task": task}
    try:
        joined = _joined(found, Asked(**base), scores, aspects)  # type: ignore[arg-type]
        done = tuple(fits(joined, errors=errors, cluster=cluster))
    except InvalidInput as error:
        why = " ".join(each.message for each in error.problems)
        return RegressionPage(found.counting, None, (), why)
    return RegressionPage(found.counting, joined, done, "")


def _joined(found: Read, asked: Asked, scores: tuple[str, str] | None, aspects: tuple[str, ...]) -> Joined:
    joined = of_project(found, asked)
    if scores is not None and scores in {each[:2] for each in joined.offered}:
        asked = replace(asked, scores=scores[0], criterion=scores[1] or None)
        joined = of_project(found, asked)
    there = tuple(name for name, _ in joined.dimensions if name in aspects)
    return of_project(found, replace(asked, aspects=there)) if there else joined
