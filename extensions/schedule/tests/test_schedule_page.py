"""The page Schedule, and what becomes of it on My work and on the Dashboard."""

from __future__ import annotations

from datetime import UTC, timedelta
from pathlib import Path

from db.engine import Store
from domain.roles import Role
from domain.states import Stage
from testkit.factories import make_items, make_person, make_project, make_schema
from tests.app.screens import drawn, part, rows, words
from tests.app.test_deadlines import pressed, the
from workflow.access import schedule
from workflow.access.projects import project


def test_a_lead_sets_deadlines_an_order_and_numbers_and_sees_what_was_changed(store: Store, home: Path) -> None:
    make_project(store, loaded=make_schema())
    make_items(store, 3)
    lea = make_person(store, "lea", role=Role.LEAD)
    make_person(store, "ann")
    due = store.now().astimezone(UTC).date() + timedelta(days=2)
    test = drawn(store, home, "schedule", "lea", project="p")
    assert "None." in words(test)
    stages = [each for each in Stage if getattr(make_schema().schema_.stages, each) is not None]
    assert len(test.date_input) == len(stages)
    the(test, "date_input", "due.verification").set_value(due)  # type: ignore[attr-defined]
    the(test, "number_input", "place.grading").set_value(1)  # type: ignore[attr-defined]
    test = pressed(test, "Save")
    assert "Saved." in words(test)
    kept = schedule.schedule(store, by=lea, project="p")
    assert dict(kept.deadlines) == {Stage.VERIFICATION: due}
    assert kept.in_order(stages)[0] is Stage.GRADING
    assert kept.in_order(stages)[1:] == [each for each in stages if each is not Stage.GRADING]
    assert [each["By"] for each in rows(test, "What")] == ["Lea"]
    the(test, "number_input", ".colour").set_value(70)  # type: ignore[attr-defined]
    test = pressed(test, "Change wanted numbers")
    assert "Version 2 is in force." in words(test)
    assert "Colour, wanted items: 70 (was 4)" in words(test)
    assert project(store, person=lea, project="p").schema.schema_.dimension("colour").wanted == 70
    assert "Nothing was changed." in words(pressed(pressed(test, "Save"), "Change wanted numbers"))
    # what people see of it
    mine = drawn(store, home, "my_work", "ann")
    assert part(mine, "due") == f"due on {due}, in 2 days"
    cards = [each.key for each in mine.button if str(each.key).startswith("my_work.start.p.")]
    shown = [str(key).split(".")[3] for key in cards]
    assert shown.index("grading") < shown.index("verification")
    assert 'href="/schedule?project=p"' in words(drawn(store, home, "overview", "lea", project="p"))
    assert not drawn(store, home, "schedule", "ann", project="p").date_input


def test_the_numbers_wanted_say_how_many_are_written_and_left(store: Store, home: Path) -> None:
    make_project(store, loaded=make_schema())
    make_items(store, 3)
    make_person(store, "lea", role=Role.LEAD)
    labels = [each.label for each in drawn(store, home, "schedule", "lea", project="p").number_input]
    assert "Colour (0 kept of 3 written, 1 left to write)" in labels, "four are wanted"


def test_a_lead_with_an_old_page_takes_back_no_number_of_another_lead(store: Store, home: Path) -> None:
    make_project(store, loaded=make_schema())
    lea = make_person(store, "lea", role=Role.LEAD)
    make_person(store, "leo", role=Role.LEAD)
    old = drawn(store, home, "schedule", "leo", project="p")
    test = drawn(store, home, "schedule", "lea", project="p")
    the(test, "number_input", ".colour").set_value(70)  # type: ignore[attr-defined]
    pressed(test, "Change wanted numbers")
    the(old, "number_input", ".colour").set_value(9)  # type: ignore[attr-defined]
    old = pressed(old, "Change wanted numbers")
    assert "Another person changed the form to version 2 before you saved." in words(old)
    schema = project(store, person=lea, project="p").schema.schema_
    assert (schema.version, schema.dimension("colour").wanted) == (2, 70)
