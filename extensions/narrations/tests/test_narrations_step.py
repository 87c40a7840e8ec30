"""The page Pipelines shows the steps from narrations to questions, and Goals has the last settings."""

from __future__ import annotations

from pathlib import Path

import pytest

from annotation_schemas import shipped
from annotation_schemas.loader import load_schema
from db.engine import Store
from domain.roles import Role
from extensions.narrations.tests.test_goals_page import given
from testkit.factories import make_person, make_project
from testkit.missing_extensions import needs
from tests.app.screens import drawn, rows

pytestmark = pytest.mark.thorough


@needs("pages", "pipelines")
def test_narrations_goals_and_questions_are_counted(store: Store, home: Path) -> None:
    make_project(store, loaded=load_schema(shipped()["egoplan"]))
    make_person(store, "lea", role=Role.LEAD)
    goals = given(store, home)
    goals.text_input(key="goals.ask.rate").set_value("30")
    goals.number_input(key="goals.ask.first").set_value(100)
    goals.button(key="goals.make").click().run()
    assert not goals.exception
    page = drawn(store, home, "pipelines", "lea", project="p")
    made = rows(page, "Run again")[:3]
    # 12 and 5 narrations; goals of 12, 6 and 4 actions; each action is asked for once
    assert [(each["Step"], each["In"], each["Out"]) for each in made] == [
        ("Narrations", "17", "17"),
        ("Goals", "17", "3"),
        ("Questions", "22", "22"),
    ]
    assert "by lea; 30 frames per second; seed 0" in made[2]["How"]

    again = drawn(store, home, "goals", "lea", project="p")  # another day: the settings stand there
    assert again.text_input(key="goals.ask.rate").value == "30"
    assert again.number_input(key="goals.ask.first").value == 100
