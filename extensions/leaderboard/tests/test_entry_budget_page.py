"""Test that the page Leaderboard shows and changes the number of entries that a team may submit."""

from __future__ import annotations

from pathlib import Path

from db.engine import Store
from domain.roles import Role
from extensions.leaderboard import entry_budget
from extensions.leaderboard.entry_budget import EntryBudget
from testkit.factories import make_person, make_project
from tests.app.screens import drawn, words


def test_a_lead_sets_how_many_entries_a_team_may_send_in(store: Store, tmp_path: Path) -> None:
    make_project(store)
    make_person(store, "lea", role=Role.LEAD)
    page = drawn(store, tmp_path, "leaderboard", "lea", project="p")
    assert [each.label for each in page.expander] == ["Limit: any number of entries per team"]
    page.checkbox(key="leaderboard.budget.unlimited").uncheck()
    page.number_input(key="leaderboard.budget.entries").set_value(5)
    page.number_input(key="leaderboard.budget.days").set_value(14)
    page.button(key="leaderboard.budget.save").click().run()
    assert "The limit is saved." in words(page)
    assert entry_budget.budget(store, by=None, project="p") == EntryBudget(5, 14)
    assert [each.label for each in page.expander] == ["Limit: 5 entries in 14 days per team"]
    page.checkbox(key="leaderboard.budget.unlimited").check()
    page.button(key="leaderboard.budget.save").click().run()
    assert entry_budget.budget(store, by=None, project="p") is None
