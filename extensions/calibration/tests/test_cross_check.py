"""The section of the calibration report that sets other packages' numbers next to ours."""

from __future__ import annotations

import pytest

from extensions.calibration.report.calibration import calibration
from extensions.calibration.report.cross_check import cross_check
from extensions.calibration.report.study import Study
from extensions.calibration.tests.test_report import HERE, made
from reports.content import Paragraph, ReportTable


def study() -> Study:
    return Study(made(), humans=("ann", "bob", "cem"), judges=("gpt",))


def test_a_release_has_no_section_that_depends_on_installed_packages() -> None:
    keys = [section.key for section in calibration(study(), HERE).sections]
    assert "cross_check" not in keys
    assert [section.key for section in calibration(study(), HERE, cross_checked=True).sections] == [
        *keys,
        "cross_check",
    ]


def test_every_coefficient_that_the_packages_offer_is_the_same() -> None:
    pytest.importorskip("sklearn", reason="scikit-learn is an extra")
    pytest.importorskip("krippendorff", reason="krippendorff is an extra")
    section = cross_check(study())
    (table,) = [block for block in section.blocks if isinstance(block, ReportTable)]
    # In all and in two dimensions: alpha of the people; equal and kappa of three pairs of people and three with gpt;
    # accuracy, three means, precision, recall and F1 of three values, and nine counts of gpt against most people.
    assert len(table.rows) == 3 * (1 + 2 * 6 + 1 + 3 + 9 + 9)
    assert {row[6] for row in table.rows} == {"same"}
    assert section.lead.startswith("105 coefficients are equal to the results of krippendorff ")
    assert section.lead.endswith(" within 1e-12.")


def test_a_difference_is_an_error_with_both_values(monkeypatch: pytest.MonkeyPatch) -> None:
    sklearn = pytest.importorskip("sklearn.metrics", reason="scikit-learn is an extra")
    monkeypatch.setattr(sklearn, "accuracy_score", lambda *_, **__: 0.125)
    errors = [
        each.words for each in cross_check(study()).blocks if isinstance(each, Paragraph) and each.tone == "warning"
    ]
    assert len(errors) == 3 * (6 + 1)
    assert all("in Touchstone, 0.125 in scikit-learn" in each for each in errors)
