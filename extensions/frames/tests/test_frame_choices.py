"""Ticks of the page Frames are events: in the log, on every server of the database, in archives, from older homes.

Of a video of 20 frames each fifth is taken: 4 frames.
"""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from annotation_schemas import shipped
from annotation_schemas.loader import load_schema
from app.services import Services
from db.engine import Store, open_store
from domain.errors import ConflictError
from domain.jobs import unheard
from domain.records import AuditEntry
from domain.roles import Role
from domain.settings import Settings
from extensions.frames import frame_sets, set_jobs
from extensions.frames.extraction import ExtractionSettings
from extensions.frames.frame_sets import Frame
from extensions.frames.screening import ScreeningSettings
from extensions.frames.set_jobs import ExtractionJob, PoolJob
from media.store import MediaStore
from testkit.factories import make_person, make_project
from testkit.pictures import video
from testkit.project_archives import export_project, import_project, needs_archives
from workflow.access import accounts, audit

pytestmark = [pytest.mark.thorough, pytest.mark.both_databases]


@pytest.fixture
def film(tmp_path: Path) -> Path:
    video(tmp_path / "a.webm", [n / 10 for n in range(20)])
    return tmp_path / "a.webm"


@pytest.fixture
def lea(store: Store, home: Path) -> Services:
    make_project(store, loaded=load_schema(shipped()["egothink"]))
    person = make_person(store, "lea", role=Role.LEAD)
    return Services(store, MediaStore(home / "media"), Settings(home, ""), person, "csrf")


def taken(services: Services, film: Path, *, at_most: int | None = None) -> Path:
    """A set of one video, without a process of its own."""
    begun: list[ExtractionJob] = []
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(set_jobs, "_begin", lambda services, folder, work: begun.append(work))
        about = {"taking": ExtractionSettings(every=5), "keeping": ScreeningSettings(at_most=at_most)}
        set_jobs.begin_set(services, "p", paths=[(film.name, film)], **about)
    begun[0].run(services.store, services.media, services.settings.home, unheard)
    return begun[0].folder


def frames(folder: Path) -> list[Frame]:
    found = frame_sets.index(folder)
    assert found is not None
    return list(found.frames)


def tick(services: Services, folder: Path, which: int, *, on: bool) -> str:
    frame = frames(folder)[which]
    frame_sets.tick(services.store, folder, [frame], on=on, by=services.person)
    return frame.name


def hand(services: Services, folder: Path) -> dict[str, bool]:
    frame_sets.refresh(services.store, folder, by=services.person)
    return frame_sets.by_hand(folder)


def logged(store: Store, kind: str) -> list[AuditEntry]:
    return audit.entries(store, by=None, project="p", kinds=[kind])[::-1]


def test_the_log_says_what_was_screened_ticked_taken_and_dropped(lea: Services, film: Path) -> None:
    folder = taken(lea, film, at_most=2)
    (screened,) = logged(lea.store, "frames.screened")
    assert (screened.who, screened.data["called"], screened.data["keeping"]["at_most"]) == ("lea", "a.webm", 2)
    assert (screened.data["taken"], screened.data["kept"]) == (4, 2)
    assert screened.data["dropped"] == {"the video has enough frames": 2}
    kept, dropped = ([at for at, each in enumerate(frames(folder)) if each.kept is value] for value in (True, False))
    off, on = tick(lea, folder, kept[0], on=False), tick(lea, folder, dropped[0], on=True)
    first, second = logged(lea.store, "frames.chosen")
    assert (first.who, first.data["on"], [*first.data["frames"]]) == ("lea", False, [off])
    assert (second.who, second.data["on"], [*second.data["frames"]]) == ("lea", True, [on])
    about = second.data["frames"][on]
    assert (about["source"], about["why"]) == ("a.webm", frames(folder)[dropped[0]].row["why"])

    PoolJob(folder, "p", lea.person, None, None).run(lea.store, lea.media, lea.settings.home, unheard)
    (decided,) = logged(lea.store, "frames.decided")
    (pooled,) = logged(lea.store, "frames.pooled")
    assert decided.id < pooled.id, "before any frame is taken"
    names = [each.name for each in frames(folder)]
    said = {names.index(name): (each["taken"], each["why"]) for name, each in decided.data["frames"].items()}
    assert said == {
        kept[0]: (False, "deselected by a lead"),
        kept[1]: (True, "kept by screening"),
        dropped[0]: (True, f"selected by a lead, although {frames(folder)[dropped[0]].row['why']}"),
        dropped[1]: (False, frames(folder)[dropped[1]].row["why"]),
    }


def test_ticks_are_undone_and_cleared(lea: Services, film: Path) -> None:
    folder = taken(lea, film)
    name = tick(lea, folder, 1, on=False)
    assert hand(lea, folder) == {name: False}
    tick(lea, folder, 1, on=True)
    assert hand(lea, folder) == {}
    tick(lea, folder, 1, on=False)
    set_jobs.remove(lea, folder)
    (cleared,) = logged(lea.store, "frames.choices_cleared")
    assert (cleared.who, cleared.data["why"]) == ("lea", "the set was deleted")
    assert hand(lea, taken(lea, film)) == {}, "the ticks went with their set"


def test_a_choice_from_a_page_older_than_the_screening_counts(lea: Services, film: Path) -> None:
    folder = taken(lea, film)
    name = tick(lea, folder, 1, on=False)
    seen = frames(folder)
    lou = make_person(lea.store, "lou", role=Role.LEAD)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(
            set_jobs, "_begin", lambda services, folder, work: work.run(lea.store, lea.media, folder, unheard)
        )
        set_jobs.again(
            lea, folder, taking=ExtractionSettings(every=5), keeping=ScreeningSettings(brightness=(254, 255))
        )
        assert not any(each.kept for each in frames(folder))
        frame_sets.tick(lea.store, folder, [seen[1]], on=True, by=lou)
        assert hand(lea, folder) == {name: True}
        set_jobs.again(lea, folder, taking=ExtractionSettings(every=15), keeping=ScreeningSettings())
    with pytest.raises(
        ConflictError, match=r"these frames no longer exist\. lea: the frames were taken again with other settings"
    ):
        frame_sets.tick(lea.store, folder, seen[:2], on=False, by=lou)
    set_jobs.remove(lea, folder)
    with pytest.raises(ConflictError, match=r"these frames no longer exist\. lea: the set was deleted"):
        frame_sets.tick(lea.store, folder, seen[:1], on=False, by=lou)
    assert [each.who for each in logged(lea.store, "frames.chosen")] == ["lea", "lou"]


def test_another_set_here_keeps_its_own_ticks(lea: Services, film: Path) -> None:
    one, other = taken(lea, film), taken(lea, film)
    tick(lea, one, 1, on=False)
    assert hand(lea, other) == {}


def test_another_server_ticks_the_same_frames_of_the_same_video(lea: Services, film: Path, tmp_path: Path) -> None:
    here = taken(lea, film)
    name = tick(lea, here, 1, on=False)
    other = replace(lea, settings=Settings(tmp_path / "other", ""))
    there = taken(other, film)
    assert hand(other, there) == {name: False}
    tick(other, there, 1, on=True)
    second = tick(other, there, 2, on=False)
    assert hand(other, there) == hand(lea, here) == {second: False}


@needs_archives
def test_an_archive_carries_ticks_into_an_empty_home(
    lea: Services, film: Path, sqlite_template: Path, tmp_path: Path
) -> None:
    name = tick(lea, taken(lea, film), 1, on=False)
    archive = lea.settings.home / "p.zip"
    export_project(lea.store, lea.media, out=archive)
    home = tmp_path / "empty"
    home.mkdir()
    shutil.copyfile(sqlite_template, home / "touchstone.db")
    store = open_store(None, home)
    try:
        media = MediaStore(home / "media")
        accounts.create_person(store, login="adm", name="Adm", is_admin=True)
        import_project(store, media, path=archive)
        here = Services(store, media, Settings(home, ""), accounts.find_person(store, login="adm"), "csrf")
        (chosen,) = logged(store, "frames.chosen")
        assert (chosen.who, [*chosen.data["frames"]]) == ("lea", [name])
        assert hand(here, taken(here, film)) == {name: False}
    finally:
        store.close()


def test_ticks_of_an_older_home_folder_are_taken_in_once(lea: Services, film: Path) -> None:
    folder = taken(lea, film, at_most=2)
    kept = next(each.name for each in frames(folder) if each.kept)
    dropped = next(each.name for each in frames(folder) if not each.kept)
    content = json.dumps({kept: False, dropped: True})
    (folder / "choice.json").write_text(content)
    for _ in range(2):
        assert hand(lea, folder) == {kept: False, dropped: True}
        assert [(each.who, each.data["on"]) for each in logged(lea.store, "frames.chosen")] == [
            (None, True),
            (None, False),
        ]
        assert not (folder / "choice.json").exists()
        (folder / "choice.json").write_text(content)  # a crash before the file was put aside
