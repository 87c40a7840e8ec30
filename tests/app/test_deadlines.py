"""Deadlines on My work, and who had which part on People."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from db.engine import Store
from db.tables import ScheduleRow
from domain.roles import Role
from domain.schedule import said_of
from domain.states import Stage
from testkit.factories import make_items, make_person, make_project, make_schema
from tests.app.screens import drawn, part, rows, words
from workflow.access.memberships import remove_member, set_member
from workflow.access.projects import access_to


def the(test: AppTest, kind: str, ending: str) -> object:
    return next(each for each in getattr(test, kind) if str(each.key).endswith(ending))


def pressed(test: AppTest, label: str) -> AppTest:
    next(each for each in test.button if each.label == label).click()
    return test.run()


def set_deadlines(store: Store, days: Mapping[Stage, date], *, order: Sequence[Stage] = (), project: str = "p") -> None:
    """Store deadlines and the order of stages."""
    with store.write() as session:
        project_id = access_to(session, person=None, project=project).project_id
        due = {stage.value: day.isoformat() for stage, day in days.items()}
        offered = [stage.value for stage in order]
        session.add(
            ScheduleRow(project_id=project_id, number=1, deadlines=due, stage_order=offered, created_at=store.now())
        )


@pytest.mark.parametrize(
    ("ahead", "words"),
    [
        (-40, "was due on 2026-04-22, 40 days ago"),
        (-1, "was due on 2026-05-31, yesterday"),
        (0, "is due on 2026-06-01, today"),
        (1, "is due on 2026-06-02, tomorrow"),
        (9, "is due on 2026-06-10, in 9 days"),
    ],
)
def test_how_far_a_deadline_is(ahead: int, words: str) -> None:
    now = datetime(2026, 6, 1, 23, 59, tzinfo=UTC)
    assert said_of(now.date() + timedelta(days=ahead), now) == words


def test_my_work_shows_deadlines_and_offers_stages_in_their_order(store: Store, home: Path) -> None:
    make_project(store, loaded=make_schema())
    make_items(store, 3)
    make_person(store, "ann")
    due = store.now().astimezone(UTC).date() + timedelta(days=2)
    set_deadlines(store, {Stage.VERIFICATION: due}, order=[Stage.GRADING])
    mine = drawn(store, home, "my_work", "ann")
    assert part(mine, "due") == f"due on {due}, in 2 days"
    cards = [str(each.key) for each in mine.button if str(each.key).startswith("my_work.start.p.")]
    shown = [key.split(".")[3] for key in cards]
    assert shown.index("grading") < shown.index("verification")


def test_people_lists_who_was_given_which_part(store: Store, home: Path) -> None:
    make_project(store, loaded=make_schema())
    lea = make_person(store, "lea", role=Role.LEAD)
    make_person(store, "ann")
    set_member(store, by=lea, project="p", login="ann", role=Role.SENIOR, dimensions=["colour"], stages=[])
    remove_member(store, by=lea, project="p", login="ann")
    test = drawn(store, home, "people", "lea", project="p")
    assert "Since then" not in words(test)
    the(test, "toggle", "people.past.p").set_value(True)  # type: ignore[attr-defined]
    found = rows(test.run(), "Since then")
    assert [(each["Whose"], each["Since then"], each["By"]) for each in found] == [
        ("Ann (ann)", "removed from the project", "Lea"),
        ("Ann (ann)", "senior in Colour, for no stage", "Lea"),
        ("Ann (ann)", "annotator in all dimensions, for all stages", "on the machine"),
        ("Lea (lea)", "lead in all dimensions, for all stages", "on the machine"),
    ]
