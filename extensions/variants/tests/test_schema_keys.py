"""Each key below ``report: pairs`` has an effect."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from db.engine import Store
from extensions.variants import item_pairs
from tests.test_keys import KEYS, Row, Seen, must_change, row, stores
from workflow.results import graded_answers, project_answers, score_choices
from workflow.results.slices import Item

__all__ = ["stores"]

PAIRED = {"pair": "question", "variant": "kind"}


def variants_of_items(seen: Seen) -> Any:
    """Which variants results compare, on how many pairs."""
    told = ("1aux", "1buy", "2aux", "2bvx", "3avy")
    names = ("question", "kind", "plan_text", "answer")
    items = {
        at: Item(str(at), str(at), "one", None, dict(zip(names, each, strict=True))) for at, each in enumerate(told)
    }
    answers = [graded_answers.Answer(at, at, "m", 1.0) for at in items]
    found = project_answers.ProjectAnswers("p", "P", seen.schema, (), items, answers, {}, {}, {})
    by = item_pairs.named(seen.schema)
    rows = item_pairs.differences(found, by, [score_choices.Scores("key")]) if by else []
    return [(row.first, row.second, row.difference.n_units, dict(row.left_out)) for row in rows]


ROWS: dict[str, Row] = {
    "Report.pairs": row(variants_of_items, "report.pairs", PAIRED),
    "Pairs.pair": row(variants_of_items, "report.pairs.pair", "plan_text", report__pairs=PAIRED),
    "Pairs.variant": row(variants_of_items, "report.pairs.variant", "answer", report__pairs=PAIRED),
}


def test_every_key_has_a_row() -> None:
    assert set(ROWS) == {key for key, path in KEYS.items() if f"{path}.".startswith("report.pairs.")}


@pytest.mark.thorough
@pytest.mark.parametrize("key", ROWS)
def test_changing_a_key_changes_what_the_product_does(key: str, stores: Callable[[], Store], tmp_path: Path) -> None:
    must_change(ROWS[key], key, stores, tmp_path)
