"""The page Pipelines shows each frame set with its steps."""

from __future__ import annotations

from pathlib import Path

import pytest

from annotation_schemas import shipped
from annotation_schemas.loader import load_schema
from app.services import Services
from db.engine import Store
from domain.roles import Role
from domain.settings import Settings
from extensions.frames.tests.test_frames_page import packed, taken  # noqa: F401
from media.store import MediaStore
from testkit.factories import make_person, make_project
from testkit.missing_extensions import needs
from tests.app.screens import drawn, rows, words

pytestmark = pytest.mark.thorough

BOX = "import.items.frames"


@needs("pages", "pipelines")
def test_the_steps_of_a_frame_set_are_listed(store: Store, home: Path, packed: bytes) -> None:  # noqa: F811
    make_project(store, loaded=load_schema(shipped()["egoplan"]))
    lea = make_person(store, "lea", role=Role.LEAD)
    services = Services(store, MediaStore(home / "media"), Settings(home, ""), lea, "csrf")
    folder = taken(services, packed, at_most=3)
    page = drawn(store, home, "pipelines", "lea", project="p")
    lines = rows(page, "Dropped, and why")
    assert [(each["Step"], each["In"], each["Out"]) for each in lines] == [
        ("Videos", "4", "2"), ("Taking", "2", "28"), ("Screening", "28", "6"), ("Choosing", "28", "6"),
    ]  # fmt: skip
    assert f"/frames?project=p&amp;set={folder.name}" in words(page)


def test_an_import_takes_the_videos_of_a_frame_set(store: Store, home: Path, packed: bytes) -> None:  # noqa: F811
    make_project(store, loaded=load_schema(shipped()["egoplan"]))
    lea = make_person(store, "lea", role=Role.LEAD)
    services = Services(store, MediaStore(home / "media"), Settings(home, ""), lea, "csrf")
    assert not [each.key for each in drawn(store, home, "import_", "lea", project="p").selectbox if each.key == BOX]
    folder = taken(services, packed, at_most=3)
    page = drawn(store, home, "import_", "lea", project="p")
    page.selectbox(key=BOX).set_value(folder.name).run()
    assert not page.exception
    (media,) = (folder / "media").iterdir()
    assert {path.name for path in (media / "videos").rglob("*.mp4")} == {"a.mp4", "bad.mp4"}
    assert len([path for path in (media / "images").rglob("*") if path.is_file()]) == 6
