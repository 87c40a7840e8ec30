"""Test the job ``sync``: it ends with the exchange's message, and after a kill the next process continues it."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.jobs import processes
from app.services import Services
from db.engine import Store
from domain.jobs import JobState
from domain.roles import Role
from domain.settings import Settings
from extensions.labelstudio.pages import label_studio
from media.store import MediaStore
from testkit.factories import make_person, make_project
from tests.app.killed_jobs import killed_at, work_off
from workflow.access import projects
from workflow.jobs import desk

pytestmark = [pytest.mark.slow, pytest.mark.thorough]


def test_an_exchange_ends_with_a_reason_though_its_process_was_killed(
    store: Store, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(processes, "wake", lambda *_: None)
    make_project(store)
    lea = make_person(store, "lea", role=Role.LEAD)
    url = store.engine.url.render_as_string(hide_password=False)
    services = Services(store, MediaStore(home / "media"), Settings(home, url), lea, "csrf")
    monkeypatch.setenv("TOUCHSTONE_HOME", str(home))
    monkeypatch.setenv("TOUCHSTONE_DATABASE_URL", url)
    view = projects.project(store, person=lea, project="p")
    for _ in range(2):  # two presses
        label_studio._begin(services, view, "push", "http://127.0.0.1:9")
    assert killed_at(services, 1)
    work_off(services)
    (job,) = desk.list_jobs(store, kinds=["sync"])
    assert job.state is JobState.FAILED
    assert "127.0.0.1:9" in job.said
    assert job.deaths == 1
