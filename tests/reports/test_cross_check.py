"""The section of the calibration report that sets other packages' numbers next to ours."""

from __future__ import annotations

import pytest

from agreement import Scale
from reports.calibration import calibration
from reports.content import Table, Text
from reports.cross_check import cross_check
from reports.study import Study
from tests.reports.test_calibration import HERE, made


def test_the_section_is_there_only_if_asked_for() -> None:
    study = Study(made(), humans=("ann", "bob", "cem"), judges=("gpt",))
    keys = [section.key for section in calibration(study, HERE).sections]
    assert "cross_check" not in keys
    assert [section.key for section in calibration(study, HERE, cross_checked=True).sections] == [*keys, "cross_check"]


def test_names_come_out_the_same() -> None:
    pytest.importorskip("sklearn", reason="scikit-learn is an extra")
    pytest.importorskip("krippendorff", reason="krippendorff is an extra")
    study = Study(made(), humans=("ann", "bob", "cem"), judges=("gpt",))
    section = cross_check(study)
    (table,) = [block for block in section.blocks if isinstance(block, Table)]
    # In all and in two dimensions: alpha of the people, equal and kappa of three pairs of people and three with gpt.
    assert len(table.rows) == 3 * (1 + 2 * 6)
    assert {row[6] for row in table.rows} == {"same"}
    assert all(row[3] == row[5] for row in table.rows)
    assert section.lead.startswith("39 numbers were asked of other packages; none of them differ")


def test_what_differs_is_a_warning_with_its_reason() -> None:
    pytest.importorskip("sklearn", reason="scikit-learn is an extra")
    numbers = {"bad": 1, "fair": 2, "good": 8}
    rows = [type(row)(row.unit, row.rater, row.criterion, numbers[row.value], row.dimension) for row in made()]
    study = Study(
        rows, humans=("ann", "bob", "cem"), judges=("gpt",), scales={"quality": Scale("interval")}, by_dimension=False
    )
    section = cross_check(study)
    warnings = [block.words for block in section.blocks if isinstance(block, Text) and block.tone == "warning"]
    assert len(warnings) == 1
    assert "quadratic weights" in warnings[0]
    assert "by the place of a value" in warnings[0]
