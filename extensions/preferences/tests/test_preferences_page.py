"""The page *Preferences*: it opens with the preferred model, and each model leads to its answers."""

from __future__ import annotations

from pathlib import Path

import pytest

from db.engine import Store
from domain.records import TaskView
from domain.roles import Role
from extensions.preferences.pair_intake import open_pairs
from testkit.compared_world import answer, compare_all, schema
from testkit.factories import make_items, make_people, make_person, make_project
from tests.app.screens import drawn, part, words

pytestmark = pytest.mark.thorough


def test_the_page_opens_with_the_preferred_model_and_folds_the_rest(store: Store, home: Path) -> None:
    make_project(store, loaded=schema())
    items = make_items(store, 6, fields={"question": "What is it?"})
    for model in ("good", "poor"):
        answer(store, items, model, lambda id, model=model: f"{model} {id}")  # type: ignore[misc]
    make_person(store, "lea", role=Role.LEAD, stages=[])
    page = drawn(store, home, "preferences", "lea", project="p")
    assert part(page, "finding") == "There are no votes yet."
    assert [button.label for button in page.button] == ["Open the pairs"]
    open_pairs(store, by=None, project="p")

    def better(view: TaskView) -> dict[str, str]:
        (first, _) = view.answers or ("", "")
        return {"better": "left" if first.startswith("good") else "right"}

    for person in make_people(store, "ann", "bob"):
        compare_all(store, person, better)
    page = drawn(store, home, "preferences", "lea", project="p")
    assert part(page, "finding").startswith("People prefer good in 100 % [")
    assert part(page, "finding").endswith("] of 12 votes. Ties count half.")
    assert part(page, "counted").startswith("12 votes on 6 pairs of 6 items by 2 people: 0 ties.")
    assert not page.button, "all pairs are open"
    assert words(page).count('href="/cases?project=p&amp;model=good"') == 2, "of the sentence, and of the plot"
    assert 'href="/items?project=p&amp;differ_in=comparison"' in words(page)
    assert 'data-part="matrix"' not in words(page), "it is folded"
    page = drawn(store, home, "preferences", "lea", project="p", show="better")
    assert 'data-part="matrix"' in words(page)
