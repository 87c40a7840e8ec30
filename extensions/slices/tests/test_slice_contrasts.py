"""Each slice against a model's other answers, by counts worked out by hand."""

from __future__ import annotations

import pytest
from scipy import stats

from extensions.slices import slice_contrasts
from tests.workflow.test_results import KEY, made
from workflow.results import leaderboard as numbers


def test_a_slice_is_held_against_the_rest_and_many_slices_are_told() -> None:
    items = {at: "near" if at < 20 else "far" for at in range(40)}
    found = made([(at, "m", float(at < 19 or at == 25)) for at in range(40)], items=items)
    cut = numbers.sliced_scores(found, KEY)
    tests = slice_contrasts.contrasts(found, cut)
    assert [round(each.difference.value, 6) for each in tests] == [0.9, -0.9]
    table = stats.chi2_contingency([[19, 1], [1, 19]], correction=False)
    assert tests[0].p_adjusted == pytest.approx(2 * table.pvalue)  # Holm over two
    assert "Touchstone compares each of 2 slices with" in slice_contrasts.on_chance(tests)
    assert "about 0.1 of these comparisons would differ" in slice_contrasts.on_chance(tests)


@pytest.mark.parametrize("together", ["none", "source"])
def test_a_slice_full_of_refusals_is_behind_the_rest_as_in_the_table(together: str) -> None:
    """near: 6 right and 14 refused, so 0.3; far: 12 of 20, so 0.6. Without the refusals near looks ahead."""
    answers = [(at, "m", 1.0) for at in range(6)] + [(at, "m", float(at < 32)) for at in range(20, 40)]
    found = made(
        answers,
        items={at: "near" if at < 20 else "far" for at in range(40)},
        sources={at: f"video {at}" for at in range(40)},
        unanswered={"m": dict.fromkeys(range(6, 20), "refused")},
    )
    cut = numbers.sliced_scores(found, KEY, together=together)
    assert [cut.cells["m", at].found.value for at in range(2)] == [pytest.approx(0.3), 0.6]
    tests = slice_contrasts.contrasts(found, cut)
    assert [each.difference.value for each in tests] == [pytest.approx(-0.3), pytest.approx(0.3)]
    table = stats.chi2_contingency([[6, 14], [12, 8]], correction=False)
    assert tests[0].p_adjusted == pytest.approx(2 * table.pvalue)  # every video has one item
