"""The part *Compare* of a judge's run, drawn without a browser."""

from __future__ import annotations

import pytest

from db.engine import Store
from tests.app.test_judges_page import SAID, Open, answers, first_home, home, judge, show, store, words

__all__ = ["answers", "first_home", "home", "show", "store"]  # fixtures

pytestmark = pytest.mark.thorough


@pytest.mark.usefixtures("answers")
def test_two_runs_are_compared_with_both_replies_next_to_each_other(
    show: Open,
    store: Store,
) -> None:
    one = judge(store, SAID)
    other = judge(store, ["Fine. Rating: [[1]]", "Rating: [[1]]", "Rating: [[0.5]]"])
    page = words(show(**{"run": other, "with": one}))
    assert "4 of 4 (100.0%)" in page
    assert page.count("data-pair=") == 2
    assert "out of range" in page
    assert page.index("Rating: [[") > 0
