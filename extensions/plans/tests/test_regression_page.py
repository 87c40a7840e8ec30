"""A project of ETP-Bench without a browser: the page Regression with its files, and what Agreement begins with."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from app.jobs import figure_requests
from app.services import Services
from db.engine import open_store
from domain.roles import Role
from domain.settings import Settings
from extensions.plans import regression_report
from extensions.plans.page_numbers import regression
from extensions.plans.pages import regression as page
from extensions.plans.success_files import PlanOutcome
from extensions.plans.tests.test_regression_command import PLAN, home
from media.store import MediaStore
from testkit.factories import make_person
from testkit.missing_extensions import needs

pytestmark = needs("readers", "ratings")

__all__ = ["home"]

Show = Callable[..., AppTest]


@pytest.fixture
def show(home: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Show]:
    """Draw the page for the lead, with what the component would show as text."""
    store = open_store(None, home)
    lead = make_person(store, "lea", project="etp", role=Role.LEAD)
    monkeypatch.setattr(page, "report", lambda html, *, key: st.text(html))
    asked = figure_requests.request_figure

    def here(
        store: Any, settings: Any, work: str, *args: Any, apart: bool = False, **about: Any
    ) -> figure_requests.FigureState:
        assert apart == (work in {"regression", "agreement_opinion"}), "heavy packages are for a process of its own"
        return asked(store, settings, work, *args, **about)

    monkeypatch.setattr(figure_requests, "request_figure", here)

    def screen(name, services):  # type: ignore[no-untyped-def]
        from app import shell

        with shell.guard(services):
            shell.draw_view(name, services)

    def draw(name: str) -> AppTest:
        services = Services(store, MediaStore(home / "media"), Settings(home, ""), lead, "csrf")
        test = AppTest.from_function(screen, args=(name, services), default_timeout=120)
        test.query_params["project"] = "etp"
        test.query_params["show"] = ["numbers", "units"]
        return test.run()

    yield draw
    store.close()
    st.cache_resource.clear()


def words(test: AppTest) -> str:
    assert not test.exception
    return "\n".join([*(element.proto.body for element in test.get("html")), *(each.value for each in test.text)])


def test_the_page_says_what_the_command_says(show: Show) -> None:
    drawn = show("regression")
    said = words(drawn)
    assert "Success: People, success" in said
    assert "6 units of 1 model; aspects: Type." in said
    # the slope of 1 with limits, worked out in test_regression_command
    (row,) = re.findall(r'<th scope="row">Type</th><td class="n">([^<]+)</td><td class="n">([^<]+)</td>', said)
    assert row[0] == "1.000"
    assert re.fullmatch(r"-?\d\.\d{3} to \d\.\d{3}", row[1])
    assert "(separation)" in said
    charts = [json.loads(each.proto.spec)["description"] for each in drawn.get("vega_lite_chart")]
    assert [each.partition(" Type:")[0].partition(" 6 units")[0] for each in charts] == [
        "Association of each aspect with success",
        "Success and Type",
    ]
    assert drawn.selectbox[0].options[-2:] == ["key", "A file"]
    # models are one here
    drawn.selectbox[1].set_value("").run()
    assert "1 complete unit is too few for 2 coefficients." in words(drawn)
    # without plans of its own a criterion needs to be told whose answers succeed
    drawn.selectbox[0].set_value("key").run()
    assert "Name the dimensions whose answers are plans" in words(drawn)
    drawn.selectbox[0].set_value("A file").run()
    assert not drawn.text


def test_agreement_of_people_alone_begins_with_each_answer_by_dimension(show: Show) -> None:
    drawn = show("agreement")
    chosen = {each.label: each.value for each in drawn.get("button_group")}
    assert chosen["Unit"] == "Each answer"
    assert chosen["Parts"] == "dimension"
    assert "No answer has grades from two graders yet." in words(drawn)  # ann alone: a reason, and no refusal


def test_what_was_chosen_and_is_gone_is_left_to_what_is_usual(home: Path) -> None:
    store = open_store(None, home)
    told = regression(store, project="etp", scores=("gpt", "score"), aspects=("goal",))
    assert told.joined is not None
    assert (told.joined.scores, told.joined.aspects) == ("People, score", (("type", "Type"),))
    rows = tuple(PlanOutcome(2, "gpt-4v", f"{PLAN}/{2 * n + 1}", "", float(n > 2)) for n in range(6))
    filed = regression(store, project="etp", outcomes=rows, file="ran.csv")
    assert filed.joined is not None
    assert [unit.success for unit in filed.joined.units] == [0, 0, 0, 1, 1, 1]
    store.close()


def test_charts_show_each_coefficient_and_each_unit(home: Path) -> None:
    store = open_store(None, home)
    told = regression(store, project="etp", errors="classical")
    assert told.joined is not None
    made = {chart.key: chart for chart in regression_report.drawings(told.joined, told.found)}
    slope = told.found[0].found.term("type").coefficient
    assert (
        f"Linear: coefficient: {slope.value:.3f}, 95 % interval {slope.low:.3f} to {slope.high:.3f}"
        in made["aspects"].words
    )
    # two tasks each with 1 and 0, and with a half one plan that succeeds and one that fails
    assert made["units"].words == "6 units. Linear goes from 0 at 0 to 1 at 1"
    files = regression_report.files_of(told.joined, told.found)
    assert sorted(files) == [
        "aspects-dark.svg", "aspects.svg", "regression.csv", "units-dark.svg", "units.csv", "units.svg",
    ]  # fmt: skip
    assert b"var(--" not in files["units.svg"]
    store.close()
