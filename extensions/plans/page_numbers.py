"""Compute everything that the page Regression shows of a project."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from agreement.regression_parts import Errors
from annotation_schemas.model import Schema
from db.engine import Store
from domain.errors import InvalidInputError
from domain.states import Items
from extensions.plans.project_units import units_of_project
from extensions.plans.success_files import PlanOutcome
from extensions.plans.success_regression import Cluster, RegressionFit, fit_regressions
from extensions.plans.success_units import By, JoinedUnits, UnitRequest
from workflow.access.counted_items import Counting
from workflow.results.criterion_values import scored_criteria
from workflow.results.project_answers import ProjectAnswers, current


@dataclass(frozen=True)
class RegressionPage:
    """Units of a project with their regressions, or the reason why they are missing."""

    counting: Counting | None
    joined: JoinedUnits | None
    found: tuple[RegressionFit, ...]
    why: str
    """The reason if there are no units; otherwise empty."""


def successes(schema: Schema) -> list[str]:
    """Return the criteria that can define success: grading criteria with numbers, and derived ones."""
    return [*(criterion.name for criterion in scored_criteria(schema)), *(rule.name for rule in schema.report.derived)]


def regression(
    store: Store,
    *,
    project: str,
    items: Items | None = None,
    success: str | None = None,
    outcomes: Sequence[PlanOutcome] | None = None,
    file: str = "",
    plans: tuple[str, ...] = (),
    by: By | None = None,
    task: str | None = None,
    scores: tuple[str, str] | None = None,
    aspects: tuple[str, ...] = (),
    errors: Errors | None = None,
    cluster: Cluster | None = None,
) -> RegressionPage:
    """Return everything on the page. Choices that no longer exist are replaced by the defaults.

    ``scores`` is a source of scores and its criterion, as in ``JoinedUnits.offered``. The other parameters are as in
    ``UnitRequest``. The caller checks the person's role.
    """
    project_answers = current(store, person=None, project=project, items=items)
    base = {"success": success, "outcomes": outcomes, "file": file, "plans": plans, "by": by, "task": task}
    try:
        joined = _joined(project_answers, UnitRequest(**base), scores, aspects)  # type: ignore[arg-type]
        done = tuple(fit_regressions(joined, errors=errors, cluster=cluster))
    except InvalidInputError as error:
        why = " ".join(problem.message for problem in error.problems)
        return RegressionPage(project_answers.counting, None, (), why)
    return RegressionPage(project_answers.counting, joined, done, "")


def _joined(
    found: ProjectAnswers, asked: UnitRequest, scores: tuple[str, str] | None, aspects: tuple[str, ...]
) -> JoinedUnits:
    joined = units_of_project(found, asked)
    if scores is not None and scores in {offer[:2] for offer in joined.offered}:
        asked = replace(asked, scores=scores[0], criterion=scores[1] or None)
        joined = units_of_project(found, asked)
    there = tuple(name for name, _ in joined.dimensions if name in aspects)
    return units_of_project(found, replace(asked, aspects=there)) if there else joined
