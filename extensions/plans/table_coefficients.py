"""Coefficients of the regression for paper tables: the source ``regression`` of a layout."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache, partial

from agreement.statistic import Statistic
from db.engine import Store
from domain.errors import InvalidInputError, NotFoundError, Problem
from extensions.plans import success_regression
from extensions.plans.project_units import units_of_project
from extensions.plans.success_regression import Kind
from extensions.plans.success_units import UnitRequest
from workflow.results.project_answers import ProjectAnswers


def coefficient_of_part(store: Store, read: ProjectAnswers) -> Callable[..., Statistic]:
    """Return a function that returns the coefficient of a dimension. Each regression is computed once."""
    regression = cache(partial(coefficients, read))

    def coefficient(
        *, part: str | None, judge: Callable[[], str | None], criterion: str | None, form: str | None, **_: object
    ) -> Statistic:
        statistics = regression(judge=judge(), criterion=criterion, form=form)
        if part is None or part not in statistics:
            raise NotFoundError(f"{part} is not an aspect of the regression. Name an aspect of the regression.")
        return statistics[part]

    return coefficient


def coefficients(
    read: ProjectAnswers, *, judge: str | None, criterion: str | None, form: str | None
) -> Mapping[str, Statistic]:
    """Return the coefficient of each dimension.

    Raises
    ------
    InvalidInputError
        The form is neither linear nor logistic.
    NotFoundError
        There is no regression of these plans.
    """
    if form not in (None, "linear", "logistic"):
        raise InvalidInputError([Problem("form", f"Unknown form {form}. Give linear or logistic.")])
    kind: Kind = "logistic" if form == "logistic" else "linear"
    joined = units_of_project(read, UnitRequest(scores=judge, criterion=criterion))
    regression = success_regression.fit_regressions(joined, kinds=(kind,))[0].found
    if not regression.terms:
        raise NotFoundError(
            regression.reason or ("Touchstone could not compute a regression of these plans. See the Regression page.")
        )
    return {term.name: term.coefficient for term in regression.terms[1:]}
