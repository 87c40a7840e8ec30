"""Each key below ``report: rule`` has an effect."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from db.engine import Store
from extensions.calibration.kept_rule import stored_rule
from tests.test_keys import KEYS, Row, Seen, must_change, row, stores, world

__all__ = ["stores"]


def ruled(seen: Seen) -> Any:
    """Under which rule judges get their verdict."""
    there = world(seen, n=0)
    return stored_rule(there.store, person=None, project="p", judges=["j"]).rule


VALUES = {
    "units": 50,
    "people": 2,
    "reliability": 0.6,
    "margin": 0.1,
    "association": 0.5,
    "constant": False,
    "test": False,
    "epsilon": 0.1,
}
ROWS: dict[str, Row] = {
    "Report.rule": row(ruled, "report.rule", {"margin": 0.1}),
    **{
        f"VerdictRule.{name}": row(ruled, f"report.rule.{name}", value, report__rule={})
        for name, value in VALUES.items()
    },
}


def test_every_key_has_a_row() -> None:
    assert set(ROWS) == {key for key, path in KEYS.items() if f"{path}.".startswith("report.rule.")}


@pytest.mark.thorough
@pytest.mark.parametrize("key", ROWS)
def test_changing_a_key_changes_what_the_product_does(key: str, stores: Callable[[], Store], tmp_path: Path) -> None:
    must_change(ROWS[key], key, stores, tmp_path)
