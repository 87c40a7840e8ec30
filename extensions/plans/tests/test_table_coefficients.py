"""Coefficients of the regression in paper tables."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from db.engine import Store
from domain.errors import TouchstoneError
from extensions.plans.table_coefficients import coefficient
from testkit.factories import make_project
from workflow.results import project_answers


def test_a_table_says_why_it_has_no_coefficients(store: Store) -> None:
    make_project(store)
    read = project_answers.read(store, person=None, project="p")
    numbers = SimpleNamespace(read=read, judges=list, make_once=lambda place, make: make())
    said = SimpleNamespace(form=None, judge=None, criterion=None, part="colour")
    with pytest.raises(TouchstoneError, match="Nothing says what succeeds"):
        coefficient(numbers, said)
