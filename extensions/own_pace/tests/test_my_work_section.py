"""What My work says about one's own pace, and the goal that one sets there."""

from __future__ import annotations

from pathlib import Path

from db.engine import Store
from extensions.own_pace import pace as own_pace
from testkit.factories import make_items, make_person, make_project, make_schema, vote
from tests.app.screens import drawn, part, rows
from tests.app.test_deadlines import pressed, the


def test_my_work_says_what_i_did_today_and_keeps_the_goal_that_i_set(store: Store, home: Path) -> None:
    make_project(store, loaded=make_schema())
    make_items(store, 3)
    ann = make_person(store, "ann")
    vote(store, ann)
    test = drawn(store, home, "my_work", "ann")
    assert part(test, "pace") == "1 done today · 1 in seven days"
    the(test, "number_input", "goal.tasks").set_value(2)  # type: ignore[attr-defined]
    test = pressed(test, "Set")
    assert own_pace.own_pace(store, person=ann).goal == 2
    assert part(test, "pace").startswith("1 of 2 done today")
    vote(store, ann)
    assert "your goal is reached" in part(drawn(store, home, "my_work", "ann"), "pace")
    assert len(rows(test, "Per active hour")) == own_pace.DAYS
