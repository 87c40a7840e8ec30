"""The dashboard says when a stage may be done, and whether that meets its deadline."""

from __future__ import annotations

import math
from datetime import date, timedelta
from pathlib import Path

import pytest

from db.engine import Store
from domain.roles import Role
from domain.states import Stage
from extensions.schedule import dashboard_section
from extensions.schedule.forecast import Forecast
from testkit.factories import Clock, claimed, make_items, make_person, make_project, make_schema, vote
from tests.app.screens import drawn, part, rows, words
from tests.app.test_item_counts import WANTED, half_written  # noqa: F401

N_ITEMS = 8


@pytest.mark.thorough
def test_the_finish_is_worked_out_from_the_days(store: Store, home: Path) -> None:
    make_project(store)
    make_items(store, N_ITEMS)
    make_person(store, "lea", role=Role.LEAD)
    ann, ben = (make_person(store, login, stages=[Stage.VERIFICATION]) for login in ("ann", "ben"))
    store.clock = clock = Clock()
    for n, days in ((1, 1), (3, 2)):
        for _ in range(n):
            vote(store, ann)
        clock.advance(days=days)
    early = drawn(store, home, "overview", "lea", project="p", show="progress")
    assert part(early, "finish", stage="verification") == "-"
    assert "No forecast: 2 days with work" in words(early)
    assert "A forecast needs 3 days with work" in part(early, "finding")
    for _ in range(2):
        vote(store, ann)
    clock.advance(days=1)
    # She worked four, three and one days ago: on three of the four days before today, 1, 3 and 2 tasks.
    for _ in range(2):
        vote(store, ben)  # today, which is not over
    claimed(store, ben)
    left = 2 * N_ITEMS - 1 - 3 - 2 - 2
    best, worst = math.ceil(math.ceil(left / 3) * 4 / 3), math.ceil(math.ceil(left / 1) * 4 / 3)
    today = clock.now.date()
    later = drawn(store, home, "overview", "lea", project="p", show="progress")
    said = part(later, "finish", stage="verification")
    assert said == f"{today + timedelta(best - 1)} and {today + timedelta(worst)}"
    assert part(later, "left") == f"{left} votes are left."


@pytest.mark.thorough
def test_what_is_left_to_write_is_what_other_pages_say(half_written: Store, home: Path) -> None:  # noqa: F811
    board = drawn(half_written, home, "overview", "lea", project="p", show="progress")
    forecast = next(each for each in rows(board, "Done between") if each["Stage"] == "Authoring")
    assert forecast["Left"] == str(WANTED - (6 - 2))


def test_what_a_forecast_says_about_a_deadline() -> None:
    one = Forecast(Stage.VERIFICATION, 10, (5, 5, 5), finish=(date(2026, 6, 3), date(2026, 6, 9)))
    assert [dashboard_section.against(one, date(2026, 6, day))[0] for day in (2, 3, 8, 9)] == [
        "late at this pace",
        "may be missed",
        "may be missed",
        "met",
    ]
    stages = make_schema().schema_.stages
    assert "Deadline" not in str(dashboard_section.forecasts([one], stages))
    assert "2026-06-02" in str(dashboard_section.forecasts([one], stages, {Stage.VERIFICATION: date(2026, 6, 2)}))
