"""A project in whose place another of the same name and seed has come: nothing that was kept of the first is shown."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from db.engine import Store, open_store
from domain.runs import Attempt, Outcome
from domain.states import Stage
from testkit import factories
from workflow.access import projects
from workflow.lead import people_at_work
from workflow.results import leaderboard_page, project_answers, rater_agreement


def made(home: Path, answer: str) -> Store:
    """A database at one address with one item and one answer, whichever was there before."""
    for path in home.glob("touchstone.db*"):
        path.unlink()
    store = open_store(None, home)
    store.upgrade()
    factories.make_project(store)
    (item,) = factories.make_items(store, 1)
    factories.make_run(store, [Attempt(item, Outcome.ANSWERED, answer)], name="m")
    return store


def marks(store: Store) -> list[Any]:
    about: dict[str, Any] = {"person": None, "project": "p"}
    return [
        leaderboard_page.mark(store, **about),
        rater_agreement.mark(store, **about, stage=Stage.VERIFICATION),
        people_at_work.work_mark(store, by=None, project="p"),
    ]


def test_a_project_that_took_the_place_of_one_of_its_seed_is_read_anew(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As a reset demo or a restored copy does under a running server: names, seeds and all numbers are the same."""
    monkeypatch.setattr(projects, "_draw_seed", lambda: 7)
    first = made(home, "red")
    before, of_first = project_answers.current(first, person=None, project="p"), marks(first)
    first.close()
    second = made(home, "blue")
    after, of_second = project_answers.current(second, person=None, project="p"), marks(second)
    second.close()
    assert [answer.right for answer in before.answers] == [1.0]
    assert [answer.right for answer in after.answers] == [0.0]
    assert all(one != other for one, other in zip(of_first, of_second, strict=True)), "figures are worked out anew"
