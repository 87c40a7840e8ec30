"""The page Pipelines: the steps of extensions in order, and what became of the items of each file."""

from __future__ import annotations

from pathlib import Path

import pytest

from annotation_schemas import shipped
from annotation_schemas.loader import load_schema
from app import markup, shell
from app.pipeline_steps import PipelineStep
from app.services import Services
from db.engine import Store
from domain import extensions
from domain.records import ProjectView
from domain.roles import Role
from media.store import MediaStore
from testkit.factories import make_person, make_project
from testkit.samples import egoplan_record, write
from tests.app.screens import drawn, part, rows, words
from workflow.files.import_files import import_files

pytestmark = pytest.mark.thorough


def test_steps_are_drawn_by_place_and_items_last(
    store: Store, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def step(name: str, place: int) -> PipelineStep:
        def draw(services: Services, view: ProjectView) -> None:
            shell.show(markup.notice(f"{name} of {view.name}"))

        return PipelineStep(place, draw)

    def of_extensions(point: str) -> list[object]:
        return [step("second step", 2), step("first step", 1)] if point == "pipeline_steps" else registered(point)

    registered = extensions.rows
    monkeypatch.setattr(extensions, "rows", of_extensions)
    make_project(store, loaded=load_schema(shipped()["egoplan"]))
    lea = make_person(store, "lea", role=Role.LEAD)
    page = drawn(store, home, "pipelines", "lea", project="p")
    said = words(page)
    assert said.index("first step of p") < said.index("second step of p") < said.index("There are no items yet.")
    path = write(tmp_path / "made.json", [egoplan_record(n) for n in range(3)])
    import_files(store, MediaStore(home / "media"), by=lea, project="p", path=path, format="egoplan")
    page = drawn(store, home, "pipelines", "lea", project="p")
    (came,) = rows(page, "Current state")
    assert (came["File"], came["Items"], came["Current state"]) == ("made.json", "3", "in verification 3")
    assert part(page, "items").startswith("File")
