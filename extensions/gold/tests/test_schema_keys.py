"""Each key below ``gold`` has an effect, and mistakes in it are told."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import pytest

from db.engine import Store
from domain.errors import TouchstoneError
from domain.records import NoTask
from domain.states import Stage
from extensions.gold import claim_rule, making, scores
from extensions.gold.checks import policy
from testkit.factories import make_person
from tests.annotation_schemas.test_planted_mistakes import check_mistake, folder
from tests.test_keys import ANSWERS, KEYS, G, Row, Seen, V, add_items, answer, must_change, row, stores, world
from workflow.access.projects import access_to
from workflow.annotate import claims, submissions

__all__ = ["folder", "stores"]

MISTAKES = tomllib.loads((Path(__file__).parent / "mistakes.toml").read_text(encoding="utf-8"))["mistake"]
GOLD = {"rate": 0.5, "after": 2}


def golden(seen: Seen) -> Any:
    """Where someone stands who answers half of the gold right, and when gold comes."""
    there = world(seen, n=5)
    for person in (there.ann, there.ben):
        answer(there, person, "yes")
    making.draw(there.store, by=None, project="p", stage=Stage.VERIFICATION, n=5)
    add_items(there, 5)
    cal = make_person(there.store, "cal")
    with there.store.read() as session:
        access = access_to(session, person=cal, project="p")
        asked = policy(access, Stage.VERIFICATION)
        turns = [
            claim_rule.is_turn(n, **claim_rule._course(access, cal, Stage.VERIFICATION, asked)) for n in range(40)
        ] if asked else []  # fmt: skip
    for number in range(8):
        view = claims.next_task(there.store, person=cal, project="p", stage=Stage.VERIFICATION)
        if isinstance(view, NoTask):
            break
        wrong = number % 2
        values, reasons = {**ANSWERS, "fits": "no" if wrong else "yes"}, {"fits": "odd"} if wrong else {}
        submissions.submit(there.store, person=cal, task=view.id, key=view.id, values=values, reasons=reasons)
    return turns, [each.standing for each in scores.scores(there.store, by=None, project="p", stage=Stage.VERIFICATION)]


def gold_of_grading(seen: Seen) -> Any:
    """Whether answers can be gold."""
    there = world(seen, n=0)
    try:
        return making.draw(there.store, by=None, project="p", stage=Stage.GRADING, n=1)
    except TouchstoneError as error:
        return str(error)


ROWS: dict[str, Row] = {
    "Gold.rate": row(golden, f"{V}.gold.rate", 0.1, **{f"{V}.gold": GOLD}),
    "Gold.after": row(golden, f"{V}.gold.after", 9, **{f"{V}.gold": GOLD}),
    "Gold.warn_below": row(golden, f"{V}.gold.warn_below", 0.9, **{f"{V}.gold": GOLD}),
    "Gold.stop_below": row(golden, f"{V}.gold.stop_below", 0.9, **{f"{V}.gold": GOLD}),
    "Verification.gold": row(golden, f"{V}.gold", {**GOLD, "rate": 0.1}, **{f"{V}.gold": GOLD}),
    "Grading.gold": row(gold_of_grading, f"{G}.gold", {"rate": 0.5}),
}


def test_every_key_has_a_row() -> None:
    assert set(ROWS) == {key for key, path in KEYS.items() if fnmatch(f"{path}.", "stages.*.gold.*")}


@pytest.mark.thorough
@pytest.mark.parametrize("key", ROWS)
def test_changing_a_key_changes_what_the_product_does(key: str, stores: Callable[[], Store], tmp_path: Path) -> None:
    must_change(ROWS[key], key, stores, tmp_path)


@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda mistake: str(mistake["what"]).replace(" ", "_"))
def test_a_mistake_is_told_with_its_line_its_key_and_what_to_do(mistake: dict[str, Any], folder: Path) -> None:
    check_mistake(mistake, folder)
