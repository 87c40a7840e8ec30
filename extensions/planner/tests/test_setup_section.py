"""The section *Before people begin* of the Dashboard: its steps, and how it goes away."""

from __future__ import annotations

from pathlib import Path

from db.engine import Store
from domain import extensions
from domain.roles import Role
from extensions.planner import setup_steps
from testkit.factories import make_items, make_person, make_project, vote
from tests.app.screens import drawn, rows, words


def test_what_comes_before_the_work(store: Store, home: Path) -> None:
    make_project(store)
    make_person(store, "lea", role=Role.LEAD)

    def states() -> dict[str, tuple[str, str]]:
        lines = rows(drawn(store, home, "overview", "lea"), "How it stands")
        return {line["What"]: (line["State"], line["How it stands"]) for line in lines}

    first = states()
    commands = {"Qualification": "qualify", "Gold checks": "gold"}
    added = [title for title, name in commands.items() if not extensions.missing("commands", name)]
    assert list(first) == ["Items", "Media", "People and rights", "Guideline", *added, "Start"]
    assert [name for name, (state, _) in first.items() if state == "Open"] == [
        "Items",
        "Media",
        "People and rights",
        "Start",
    ]
    make_items(store, 3)
    ann = make_person(store, "ann")
    then = states()
    assert then["Items"] == ("Done", "3 in the project.")
    assert then["People and rights"] == ("Done", "2 take part.")
    page = drawn(store, home, "overview", "lea")
    page.button(key="checklist.hide").click().run()
    assert "Before people begin" not in words(page)
    make_project(store, name="q")
    make_items(store, 1, project="q")
    make_person(store, "leo", project="q", role=Role.LEAD)
    assert "Before people begin" in words(drawn(store, home, "overview", "leo"))
    vote(store, ann)
    assert setup_steps.before_start(store, by=None, project="p") is None
