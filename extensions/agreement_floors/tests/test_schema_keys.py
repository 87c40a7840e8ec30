"""Each key below ``export: floors`` has an effect."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from db.engine import Store
from domain.records import NoTask
from domain.states import Stage
from extensions.agreement_floors.standings import standings
from tests.test_keys import ANSWERS, KEYS, Row, Seen, must_change, row, stores, world
from workflow.annotate import claims, submissions

__all__ = ["stores"]


def floored(seen: Seen) -> Any:
    """What the floors of agreement come to, of three items: two people differ on each, and on the size of one."""
    there = world(seen)
    for person, fitting, sizes in ((there.ann, "yes", (1, 2, 3)), (there.ben, "no", (1, 3, 3))):
        for _ in range(3):
            view = claims.next_task(there.store, person=person, project="p", stage=Stage.VERIFICATION)
            assert not isinstance(view, NoTask)
            values = {**ANSWERS, "fits": fitting, "size": sizes[int(view.fields["question"][0])]}
            reasons = {"fits": "odd"} if fitting == "no" else {}
            submissions.submit(there.store, person=person, task=view.id, key=view.id, values=values, reasons=reasons)
    return [(each.statistic, each.outcome, each.at_least, each.value) for each in standings(there.store, project="p")]


FLOOR = {"criterion": "size", "statistic": "cohen_kappa", "at_least": 0.4}
ROWS: dict[str, Row] = {
    "Export.floors": row(floored, "export.floors", [FLOOR]),
    "Floor.criterion": row(floored, "export.floors.0.criterion", "fits", export__floors=[FLOOR]),
    "Floor.statistic": row(floored, "export.floors.0.statistic", "gwet_ac", export__floors=[FLOOR]),
    "Floor.variant": row(floored, "export.floors.0.variant", "linear", export__floors=[FLOOR]),
    "Floor.at_least": row(floored, "export.floors.0.at_least", 0.9, export__floors=[FLOOR]),
    "Floor.bound": row(floored, "export.floors.0.bound", "low", export__floors=[FLOOR]),
}


def test_every_key_of_floors_has_a_row() -> None:
    assert set(ROWS) == {key for key, path in KEYS.items() if f"{path}.".startswith("export.floors.")}


@pytest.mark.thorough
@pytest.mark.parametrize("key", ROWS)
def test_changing_a_key_changes_how_floors_stand(key: str, stores: Callable[[], Store], tmp_path: Path) -> None:
    must_change(ROWS[key], key, stores, tmp_path)
