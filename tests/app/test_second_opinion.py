"""Agreement shows whether other packages give the same coefficients."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from agreement.cross_check import SecondOpinion
from app.jobs import figure_requests
from db.engine import open_store
from domain.roles import Role
from domain.states import RatersAre
from testkit.factories import make_items, make_person, make_predictions, make_project
from testkit.missing_extensions import needs
from tests.app.screens import drawn, until_done, words
from workflow.results.ratings_from_files import import_ratings

pytestmark = pytest.mark.thorough


@needs("readers", "ratings")
def test_the_page_says_that_they_are_equal_and_shows_a_difference_as_an_error(tmp_path: Path) -> None:
    store = open_store(None, tmp_path)
    store.upgrade()
    make_project(store)
    make_predictions(store, make_items(store, 4), models=["m"])
    make_person(store, "lea", role=Role.LEAD)
    given = {"ann": (0, 0, 1, 1), "bea": (0, 1, 1, 1)}
    rows = [f"colour/{at} · m,{who},score,{value}" for who, values in given.items() for at, value in enumerate(values)]
    file = tmp_path / "r.csv"
    file.write_text("\n".join(["unit,rater,criterion,value", *rows]), encoding="utf-8")
    import_ratings(store, by=None, project="p", path=file, refuse=lambda bad: None, raters=RatersAre.PEOPLE)
    test = drawn(store, tmp_path, "agreement", "lea", project="p")
    test.session_state["agreement.computed"] = True
    page = words(test.run())
    assert (
        "Touchstone is comparing the values with scikit-learn" in page
        or "coefficients are equal to the results of krippendorff " in page
    )
    until_done()
    page = words(test.run())
    assert "coefficients are equal to the results of krippendorff " in page
    assert "within 1e-12." in page
    known = reversed(figure_requests._memory.known.items())  # the newest: other tests of this process leave theirs
    place, figure = next((place, each) for place, each in known if isinstance(each.value, SecondOpinion))
    wrong = replace(figure.value, differences=("score, Cohen's kappa: 0.5 in Touchstone, 0.6 in scikit-learn 1.9.1.",))
    figure_requests._remember(place, replace(figure, value=wrong))
    page = words(drawn(store, tmp_path, "agreement", "lea", project="p"))
    assert 'role="alert"' in page
    assert "0.5 in Touchstone, 0.6 in scikit-learn 1.9.1." in page
    store.close()
