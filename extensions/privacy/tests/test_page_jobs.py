"""Jobs of the page Privacy whose process is killed at a moment: the next process goes on with them."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.jobs import processes
from app.services import Services
from db.engine import Store
from domain.jobs import JobState
from domain.roles import Role
from domain.settings import Settings
from extensions.privacy import page_work
from extensions.privacy.page_work import MarkRequest
from media.store import MediaStore
from testkit.covered import face, shows
from testkit.factories import make_person, make_project
from testkit.pictures import encoded
from tests.app.killed_jobs import killed_at, work_off
from workflow.annotate import image_pool

pytestmark = [pytest.mark.slow, pytest.mark.thorough]


@pytest.mark.parametrize("moment", [0, 2, 5])
def test_faces_are_found_and_covered_whenever_a_process_is_killed(
    store: Store, home: Path, monkeypatch: pytest.MonkeyPatch, moment: int
) -> None:
    monkeypatch.setattr(processes, "wake", lambda *_: None)
    make_project(store)
    lea = make_person(store, "lea", role=Role.LEAD)
    media = MediaStore(home / "media")
    (home / "face.png").write_bytes(encoded(face()))
    image_pool.add_to_pool(store, media, by=None, project="p", files=[("face.png", home / "face.png")])
    services = Services(store, media, Settings(home, ""), lea, "csrf")
    page_work.begin_look(services, "p", kinds=["face"], neighbours=3)
    killed_at(services, moment)
    work_off(services)
    folder = page_work.folder_of(services, "p")
    (item,) = page_work.items(store, media, folder, by=lea, project="p")
    assert len(item.boxes) == 1
    saying = MarkRequest(item.seen.file, 0, item.since, "cover", [True], [])
    page_work.say(store, folder, by=lea, project="p", saying=saying)
    page_work.begin_cover(services, "p", page_work.waiting(services, "p"))
    killed_at(services, moment)
    work_off(services)
    job = page_work.job(store, folder)
    assert job is not None
    assert job.state is JobState.DONE, job.said
    (item,) = page_work.items(store, media, folder, by=lea, project="p")
    assert (item.waits, item.open) == (False, False)
    assert not shows(media.path(item.seen.file))
