"""Coefficients of the regression in paper tables."""

from __future__ import annotations

from db.engine import Store
from tests.workflow.test_paper_tables import made, small

__all__ = ["small"]  # a fixture


def test_a_table_says_why_it_has_no_coefficients(small: Store) -> None:
    plans = made(small, "source: regression, rows: [{title: R}], columns: [{each: [dimension]}]")
    assert plans.why.startswith("Nothing says what succeeds")
