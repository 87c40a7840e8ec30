"""An archive, a copy and a deletion whose process is killed anywhere: another process goes on, and makes one thing."""

from __future__ import annotations

import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text

from app.services import Services
from db.engine import Store
from domain.jobs import JobState
from domain.roles import Role
from domain.settings import Settings
from extensions.archives.exporting import archive_for
from extensions.archives.jobs import ARCHIVE, COPY, DELETE
from media.store import MediaStore
from testkit.factories import make_items, make_person, make_project, make_schema, vote
from tests.app.killed_jobs import MOMENTS, killed_at, work_off
from workflow.access import projects
from workflow.jobs import desk

pytestmark = pytest.mark.thorough


@pytest.fixture
def lea(store: Store, home: Path) -> Services:
    make_project(store, loaded=make_schema(adjudication=False, raters=1))
    make_items(store, 3)
    vote(store, make_person(store, "ann"))
    person = make_person(store, "lea", role=Role.LEAD)
    return Services(store, MediaStore(home / "media"), Settings(home, ""), person, "csrf")


def is_packed(services: Services) -> bool:
    path = archive_for(services.store, services.settings.home, by=services.person, project="p")
    assert path is not None
    assert [each.name for each in path.parent.iterdir()] == ["p.zip"], "nothing half done is left"
    return zipfile.ZipFile(path).testzip() is None


def is_copied(services: Services) -> bool:
    return sorted(view.name for view in projects.all_projects(services.store)) == ["p", "q"]


def is_deleted(services: Services) -> bool:
    with services.store.read() as session:
        items = session.connection().execute(text("SELECT count(*) FROM item")).scalar()
    return not projects.all_projects(services.store) and not items


CASES: dict[str, tuple[dict[str, Any], Callable[[Services], bool]]] = {
    ARCHIVE.name: ({}, is_packed),
    COPY.name: ({"name": "q", "title": "Q", "without": ["people", "votes", "runs"]}, is_copied),
    DELETE.name: ({"typed": "p"}, is_deleted),
}


@pytest.mark.parametrize("kind", CASES)
@pytest.mark.parametrize("moment", MOMENTS)
def test_another_process_goes_on(lea: Services, kind: str, moment: int) -> None:
    asked, is_done = CASES[kind]
    of_project = kind != DELETE.name
    job = desk.begin(
        lea.store, kind=kind, slot="project/p/1", by=lea.person, project="p", of_project=of_project, input=asked
    )
    killed_at(lea, moment)
    work_off(lea)
    done = desk.job(lea.store, id=job.id)
    assert done.state is JobState.DONE, done.said
    assert is_done(lea)
