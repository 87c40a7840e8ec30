"""Coefficients of the regression as numbers of paper tables: the source ``regression`` of a layout."""

from __future__ import annotations

from annotation_schemas.table_layouts import NumberSettings
from domain.errors import InvalidInput, Problem
from extensions.plans import success_regression
from extensions.plans.project_units import units_of_project
from extensions.plans.success_regression import Kind, RegressionFit
from extensions.plans.success_units import UnitRequest
from workflow.results.table_numbers import Number, Numbers, number_of


def coefficient(numbers: Numbers, said: NumberSettings) -> Number:
    """Return the coefficient of the dimension that a layout names as ``part``."""
    if said.form not in (None, "linear", "logistic"):
        raise InvalidInput([Problem("form", f"A regression is linear or logistic, not {said.form}.")])
    kind: Kind = "logistic" if said.form == "logistic" else "linear"

    def fit() -> RegressionFit:
        judge = numbers.judge(said.judge) if said.judge or numbers.judges() else None
        joined = units_of_project(numbers.read, UnitRequest(scores=judge, criterion=said.criterion))
        return success_regression.fit_regressions(joined, kinds=(kind,))[0]

    made: RegressionFit = numbers.make_once(("regression", kind, said.judge, said.criterion), fit)
    if not made.found.terms:
        return Number(None, reason=made.found.reason or "There is no regression of these plans.")
    for term in made.found.terms[1:]:
        if term.name == said.part:
            return number_of(term.coefficient)
    return Number(None, reason=f"{said.part} is no aspect of the regression.")
