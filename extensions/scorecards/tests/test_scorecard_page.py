"""The page *Scorecard*: where the dashboard leads, and what it calls a stage."""

from __future__ import annotations

from pathlib import Path

from db.engine import Store
from domain.roles import Role
from domain.states import Stage
from testkit.factories import make_items, make_people, make_person, make_project, vote
from tests.app.screens import drawn, words
from tests.app.test_names_on_pages import make_three_stages


def test_the_dashboard_leads_to_the_scorecard_of_a_person(store: Store, home: Path) -> None:
    make_project(store)
    make_items(store, 2)
    make_person(store, "lea", role=Role.LEAD)
    for person in make_people(store, "ann", "ben", stages=[Stage.VERIFICATION]):
        vote(store, person)
    dashboard = words(drawn(store, home, "overview", "lea", project="p"))
    assert 'href="/scorecard?project=p&amp;person=ben"' in dashboard
    (whose,) = drawn(store, home, "scorecard", "lea", project="p", person="ben").selectbox
    assert (whose.label, whose.options[whose.index or 0]) == ("Person and stage", "Ben (ben), Verification")
    table = words(drawn(store, home, "scorecard", "lea", project="p", show="table"))
    assert '<a href="/items?project=p&amp;voter=ben" target="_self">1</a>' in table
    differing = '<a href="/items?project=p&amp;voter=ben&amp;differ=yes" target="_self">100 %</a>'
    assert f'{differing}<span class="ts-quiet"> of 1, too few to compare</span>' in table, (
        "a share, as in the first sentence"
    )


def test_a_stage_is_called_by_its_title(store: Store, home: Path) -> None:
    make_three_stages(store)
    for fold in ("table", "pay"):
        page = drawn(store, home, "scorecard", "lea", project="p", show=fold)
        assert words(page).count("<td>Content</td>") == 1
        assert "verification_2" not in words(page)
    page = drawn(store, home, "scorecard", "lea", project="p", show="time")
    assert list(page.selectbox(key="scorecard.who.None").options)[-1] == "Sue (sue), Content"
