"""Jobs of a frame set whose process is killed at a moment: the next process goes on with them."""

from __future__ import annotations

from pathlib import Path

import pytest

from annotation_schemas import shipped
from annotation_schemas.loader import load_schema
from app.jobs import processes
from app.services import Services
from db.engine import Store
from domain.jobs import JobState
from domain.roles import Role
from domain.settings import Settings
from extensions.frames import frame_sets, set_jobs
from extensions.frames.extraction import ExtractionSettings
from extensions.frames.screening import ScreeningSettings
from media.store import MediaStore
from testkit.factories import make_person, make_project
from testkit.pictures import video
from tests.app.killed_jobs import killed_at, work_off

pytestmark = pytest.mark.thorough


@pytest.mark.parametrize("moment", [0, 2, 5])
def test_frames_are_taken_and_pooled_once_whenever_a_process_is_killed(
    store: Store, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, moment: int
) -> None:
    monkeypatch.setattr(processes, "wake", lambda *_: None)
    make_project(store, loaded=load_schema(shipped()["egothink"]))
    lea = make_person(store, "lea", role=Role.LEAD)
    services = Services(store, MediaStore(home / "media"), Settings(home, ""), lea, "csrf")
    film = tmp_path / "a.webm"
    video(film, [n / 10 for n in range(20)])
    about = {"taking": ExtractionSettings(every=5), "keeping": ScreeningSettings()}
    name = set_jobs.begin_set(services, "p", paths=[(film.name, film)], **about)
    folder = frame_sets.folder_of_set(store, home, by=lea, project="p", name=name)
    killed_at(services, moment)
    work_off(services)
    job, found = set_jobs.job(store, folder), frame_sets.index(folder)
    assert job is not None
    assert job.state is JobState.DONE, job.said
    assert found is not None
    assert len(found.frames) == 4
    chosen = len(frame_sets.chosen(folder, found))
    set_jobs.into_pool(services, folder, "p", dimension=None, role=None)
    killed_at(services, moment)
    work_off(services)
    job = set_jobs.job(store, folder)
    assert job is not None
    assert job.state is JobState.DONE, job.said
    told = frame_sets.SetDescription.read(folder).pooled
    assert told["added"] + told["repeated"] == chosen > 0
