"""A judge that prefers its own family: the report says by how much."""

from __future__ import annotations

import pytest

from domain.errors import RatingsError
from domain.records import Rating, UnitFacts
from extensions.calibration.report.calibration import calibration
from extensions.calibration.report.study import Study
from extensions.calibration.report.whole import RatingSource
from reports.content import Figure, ReportTable

PEOPLE = {"own": [1, 2, 3, 4], "other": [1, 2, 3, 4]}
JUDGE = {"own": [2, 3, 4, 5], "other": [1, 2, 3, 4]}
"""One point more for its own family, whatever people say."""


def study(families: dict[str, tuple[str, ...]]) -> Study:
    rows, about = [], {}
    for model, grades in PEOPLE.items():
        for at, (human, judge) in enumerate(zip(grades, JUDGE[model], strict=True)):
            unit = f"{at}-{model}"
            about[unit] = UnitFacts(item=str(at), model=model)
            rows += [Rating(unit, "ann", "score", human), Rating(unit, "bob", "score", human)]
            rows += [Rating(unit, "judge", "score", judge)]
    return Study(rows, ("ann", "bob"), ("judge",), about=about, families=families)


def test_the_preference_is_the_point_that_was_added() -> None:
    report = calibration(study({"judge": ("own",)}), RatingSource("made up", "0" * 64, "file"))
    (table,) = [
        block for block in report.section("bias").blocks if isinstance(block, ReportTable) and "family" in block.key
    ]
    found = {str(row[-2]): row[-1] for row in table.rows}
    for cell in found.values():
        assert isinstance(cell, Figure)
        assert cell.value == pytest.approx(1)
    assert set(found) == {"as it is", "people's score held fixed"}


def test_a_family_of_no_one_is_refused() -> None:
    with pytest.raises(RatingsError, match=r"--family names 'nobody'"):
        study({"nobody": ("own",)})
    with pytest.raises(RatingsError, match=r"--family names 'unknown'.*no model has this name"):
        study({"judge": ("unknown",)})
