"""The page Projects: a project is packed, copied and deleted in a process of its own, without a browser."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from app.jobs import processes
from app.projects import project_jobs
from app.services import Services
from db.engine import Store
from domain.errors import ConflictError, NotAllowedError
from domain.jobs import Job
from domain.origin import acting_from
from domain.roles import Role
from domain.settings import Settings
from extensions.archives.exporting import archive_for
from media.store import MediaStore
from testkit.factories import make_items, make_person, make_project
from tests.app.screens import drawn, rows, words
from workflow.access import audit, projects
from workflow.jobs import desk

pytestmark = pytest.mark.thorough


@pytest.fixture(autouse=True)
def no_process_is_left() -> Iterator[None]:
    yield
    processes.close()


def test_what_takes_long_is_done_in_a_process_of_its_own(store: Store, home: Path) -> None:
    make_project(store)
    make_items(store, 3)
    lea = make_person(store, "lea", role=Role.LEAD)
    ann = make_person(store, "ann")
    services = Services(store, MediaStore(home / "media"), Settings(home, ""), lea, "csrf")
    job = project_jobs.begin(services, "archive", "p")
    assert project_jobs.begin(services, "archive", "p").id == job.id
    with pytest.raises(ConflictError, match="Another job that you started for p is running"):
        project_jobs.begin(services, "delete", "p", of_project=False, typed="p")
    job = until_over(store, job.id)
    assert (job.said, job.refused) == ("The archive is ready.", "")
    page = drawn(store, home, "project_settings", "lea", project="p")
    assert "The archive is ready." in words(page)
    assert "Download p.zip" in words(page)
    page.button(key="projects.read.p").click().run()
    assert "The archive is ready." not in words(page)
    path = archive_for(store, home, by=lea, project="p")
    assert path is not None
    assert path.stat().st_mode & 0o077 == 0
    with pytest.raises(NotAllowedError):
        archive_for(store, home, by=ann, project="p")

    def done(kind: str, **args: Any) -> Job:
        return until_over(store, project_jobs.begin(services, kind, "p", **args).id)

    copy = {"name": "q", "title": "Q", "without": ["people", "votes", "runs"]}
    assert done("copy", **copy).said.startswith("Copy created: Q.")
    assert "Another project has the ID 'q'" in done("copy", **copy).refused
    assert rows(drawn(store, home, "projects", "lea"), "Project ID")[1]["Items written"] == "3"
    assert "To delete the project, type the project ID, p." in done("delete", of_project=False, typed="q").refused

    page = drawn(store, home, "project_settings", "lea", project="p")
    page.button(key="projects.delete").click().run()
    assert "3 items, 0 submissions, 0 answers, 2 memberships" in words(page)
    page.text_input(key="projects.delete.p.typed").set_value("P")
    page.button(key="projects.delete.p.yes").click().run()
    assert "Nothing was deleted. Type the project ID, p, exactly." in words(page)
    with acting_from("10.0.0.7"):
        job = project_jobs.begin(services, "delete", "p", of_project=False, typed="p")
    job = until_over(store, job.id)
    assert (job.said, job.refused) == ("p is deleted.", "")
    assert not path.exists()
    assert [view.name for view in projects.projects_of(store, person=lea)] == ["q"]
    (line,) = audit.entries(store, by=None, project=None, kinds=("project.deleted",))
    assert (line.who, line.origin) == ("lea", "10.0.0.7")


def until_over(store: Store, id: str) -> Job:
    """Wait for a job."""
    for _ in range(6_000):
        if not (job := desk.job(store, id=id)).is_open:
            return job
        time.sleep(0.05)
    raise AssertionError("it never ended")
