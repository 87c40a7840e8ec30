"""The page Pipelines: every step from narrations and videos to items, with counts, reasons, and how to run it again."""

from __future__ import annotations

from pathlib import Path

import pytest

from annotation_schemas import shipped
from annotation_schemas.loader import load_schema
from app import frame_work
from app.services import Services
from db.engine import Store
from domain.roles import Role
from domain.settings import Settings
from media.store import MediaStore
from testkit.factories import make_person, make_project
from testkit.samples import egoplan_record, write
from tests.app.screens import drawn, part, rows, words
from tests.app.test_frames_page import packed, taken  # noqa: F401
from tests.app.test_goals_page import given
from workflow.files.import_files import import_files

pytestmark = pytest.mark.thorough


def test_every_step_is_told(store: Store, home: Path, tmp_path: Path, packed: bytes) -> None:  # noqa: F811
    make_project(store, loaded=load_schema(shipped()["egoplan"]))
    lea = make_person(store, "lea", role=Role.LEAD)
    page = drawn(store, home, "pipelines", "lea", project="p")
    assert "There is no item yet." in words(page)
    services = Services(store, MediaStore(home / "media"), Settings(home, ""), lea, "csrf")
    folder = taken(services, packed, at_most=3)
    goals = given(store, home)
    goals.text_input(key="goals.ask.rate").set_value("30")
    goals.number_input(key="goals.ask.first").set_value(100)
    goals.button(key="goals.make").click().run()
    assert not goals.exception
    path = write(tmp_path / "made.json", [egoplan_record(n) for n in range(3)])
    import_files(store, services.media, by=lea, project="p", path=path, format="egoplan")

    page = drawn(store, home, "pipelines", "lea", project="p")
    lines = rows(page, "Dropped, and why")
    assert [(each["Step"], each["In"], each["Out"]) for each in lines] == [
        ("Videos", "4", "2"), ("Taking", "2", "28"), ("Screening", "28", "6"), ("Choosing", "28", "6"),
    ]  # fmt: skip
    assert f"/frames?project=p&amp;set={folder.name}" in words(page)
    made = rows(page, "Run again")
    # 12 and 5 narrations; goals of 12, 6 and 4 actions; each action is asked for once
    assert [(each["Step"], each["In"], each["Out"]) for each in made] == [
        ("Narrations", "17", "17"),
        ("Goals", "17", "3"),
        ("Questions", "22", "22"),
    ]
    assert "by lea; 30 frames a second; seed 0" in made[2]["How"]
    (came,) = rows(page, "What became of them")
    assert (came["File"], came["Items"], came["What became of them"]) == ("made.json", "3", "in verification 3")
    assert part(page, "items").startswith("File")

    again = drawn(store, home, "goals", "lea", project="p")  # another day: the settings stand there
    assert again.text_input(key="goals.ask.rate").value == "30"
    assert again.number_input(key="goals.ask.first").value == 100
    assert frame_work.index(folder) is not None
