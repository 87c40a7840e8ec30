"""Criteria side by side in ``touchstone result show``."""

from __future__ import annotations

import json
from pathlib import Path

from tests.app.test_results_command import said


def test_side_by_side_needs_two_criteria(home: Path) -> None:
    assert "No rater has scored two or more criteria." in said("--side-by-side")
    assert json.loads(said("--side-by-side", "--format", "json")) == {"project": "p", "by": "dimension", "rows": []}
