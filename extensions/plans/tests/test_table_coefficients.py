"""Coefficients of the regression for paper tables."""

from __future__ import annotations

import pytest

from db.engine import Store
from domain.errors import InvalidInputError, NotFoundError, TouchstoneError
from extensions.plans.table_coefficients import coefficient_of_part, coefficients
from testkit.factories import make_project
from workflow.results.project_answers import current


def test_a_source_says_why_it_has_no_coefficients(store: Store) -> None:
    make_project(store)
    read = current(store, person=None, project="p", items=None)
    with pytest.raises(TouchstoneError, match=r"^Success is not defined"):
        coefficients(read, judge=None, criterion=None, form=None)
    with pytest.raises(InvalidInputError, match=r"^Unknown form square"):
        coefficients(read, judge=None, criterion=None, form="square")


def test_a_part_without_a_coefficient_is_named(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("extensions.plans.table_coefficients.coefficients", lambda read, **_: {})
    make_project(store)
    of_part = coefficient_of_part(store, current(store, person=None, project="p", items=None))
    why = r"^shape is not an aspect of the regression\. Name an aspect of the regression\.$"
    with pytest.raises(NotFoundError, match=why):
        of_part(part="shape", judge=lambda: None, criterion=None, form=None)
