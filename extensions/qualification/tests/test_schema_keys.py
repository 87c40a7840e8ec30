"""Each key below ``qualification`` has an effect, and mistakes in it are told."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import pytest

from db.engine import Store
from domain.errors import TouchstoneError
from extensions.qualification import sets, tries
from testkit.factories import Clock
from tests.annotation_schemas.test_planted_mistakes import check_mistake, folder
from tests.test_keys import GATED, KEYS, G, Row, Seen, V, answer, grading, must_change, row, stores, voting, world

__all__ = ["folder", "stores"]

MISTAKES = tomllib.loads((Path(__file__).parent / "mistakes.toml").read_text(encoding="utf-8"))["mistake"]
GATE = {"items": 3, "reviewers": 1, "pass_mark": 0.5}


def qualified(seen: Seen) -> Any:
    """How a qualification goes: the set, ann's tries, and what follows."""
    there = world(seen, n=5)
    store, found = there.store, list[Any]()
    made = sets.make_set(store, by=None, project="p", names=["i0", "i1"])
    found.append(made.few if hasattr(made, "few") else str(made))
    found.append(len(sets.make_set(store, by=None, project="p").items))
    tries.begin(store, person=there.lee, project="p")
    answer(there, there.lee, "no", right=0)
    for number in range(2):
        try:
            tries.begin(store, person=there.ann, project="p")
        except TouchstoneError as error:
            found.append(str(error))
            break
        answer(there, there.ann, "yes", right=number + 1)
        last = [each for each in tries.tries(store, person=None, project="p") if each.person == "ann"][-1]
        reviewed = tries.review(store, by=there.sam, qualification=last.id, signs=True)
        found.append((reviewed.state, reviewed.n_right))
        if reviewed.state == "handed_in":
            break
        assert isinstance(store.clock, Clock)
        store.clock.advance(hours=1)
    return found


ROWS: dict[str, Row] = {
    "Qualification.items": row(qualified, f"{V}.qualification.items", 4, **{**GATED, f"{V}.qualification": GATE}),
    "Qualification.reviewers": row(
        qualified, f"{V}.qualification.reviewers", 2, **{**GATED, f"{V}.qualification": GATE}
    ),
    "Qualification.pass_mark": row(
        qualified, f"{V}.qualification.pass_mark", 1, **{**GATED, f"{V}.qualification": GATE}
    ),
    "Qualification.against": row(
        qualified, f"{V}.qualification.against", "seniors", **{**GATED, f"{V}.qualification": GATE}
    ),
    "Qualification.retry_after_hours": row(
        qualified,
        f"{V}.qualification.retry_after_hours",
        2,
        **{**GATED, f"{V}.qualification": {**GATE, "pass_mark": 1}},
    ),
    "Qualification.attempts": row(
        qualified, f"{V}.qualification.attempts", 1, **{**GATED, f"{V}.qualification": {**GATE, "pass_mark": 1}}
    ),
    "Verification.qualification": row(voting, f"{V}.qualification", GATE),
    "Grading.qualification": row(grading, f"{G}.qualification", GATE),
}


def test_every_key_has_a_row() -> None:
    assert set(ROWS) == {key for key, path in KEYS.items() if fnmatch(f"{path}.", "stages.*.qualification.*")}


@pytest.mark.thorough
@pytest.mark.parametrize("key", ROWS)
def test_changing_a_key_changes_what_the_product_does(key: str, stores: Callable[[], Store], tmp_path: Path) -> None:
    must_change(ROWS[key], key, stores, tmp_path)


@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda mistake: str(mistake["what"]).replace(" ", "_"))
def test_a_mistake_is_told_with_its_line_its_key_and_what_to_do(mistake: dict[str, Any], folder: Path) -> None:
    check_mistake(mistake, folder)
