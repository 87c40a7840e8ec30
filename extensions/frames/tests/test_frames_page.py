"""The page Frames: videos in, frames out of a process of its own, screened, ticked, run again, into the pool.

Of the two videos each fifth frame is taken: 20 of 100, and 8 of 40.
"""

from __future__ import annotations

import io
import re
import time
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from annotation_schemas import shipped
from annotation_schemas.loader import load_schema
from app.services import Services
from db.engine import Store
from domain.errors import ConflictError, NotAllowedError, NotFoundError
from domain.jobs import unheard
from domain.roles import Role
from domain.settings import Settings
from extensions.frames import frame_sets, set_jobs
from extensions.frames.extraction import ExtractionSettings
from extensions.frames.frame_route import address
from extensions.frames.frame_sets import SetDescription
from extensions.frames.screening import ScreeningSettings
from extensions.frames.set_jobs import ExtractionJob
from extensions.frames.settings_form import EVERY
from media.store import MediaStore
from testkit.factories import make_person, make_project
from testkit.pictures import video
from testkit.project_archives import delete_project, needs_archives
from tests.app.asgi import call
from tests.app.homes import Home
from tests.app.screens import drawn, part, rows, words
from tests.app.without_streamlit import application, session
from workflow.access import audit
from workflow.jobs import folder_lock

pytestmark = [pytest.mark.slow, pytest.mark.thorough]


@pytest.fixture(scope="module")
def packed(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """A zip of a folder of videos, one of which is none, and of a file that has no video's name."""
    folder = tmp_path_factory.mktemp("videos")
    video(folder / "a.mp4", [n / 25 for n in range(100)], codec="libx264", keyframes=30)
    (folder / "bad.mp4").write_bytes(b"no video" * 100)
    (folder / "notes.txt").write_text("not a video")
    video(folder / "b.webm", [n / 10 for n in range(40)])
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for path in sorted(folder.iterdir()):
            archive.write(path, path.name)
    return out.getvalue()


@pytest.fixture
def lea(store: Store, home: Path) -> Services:
    make_project(store, loaded=load_schema(shipped()["egothink"]))
    person = make_person(store, "lea", role=Role.LEAD)
    return Services(store, MediaStore(home / "media"), Settings(home, ""), person, "csrf")


def opened(lea: Services) -> AppTest:
    return drawn(lea.store, lea.settings.home, "frames", "lea", project="p")


def over(page: AppTest, lea: Services) -> AppTest:
    """The page when what it began is done."""
    for folder in folders(lea):
        while set_jobs.is_running(lea.store, folder):
            time.sleep(0.02)
    return page.run()


def folders(lea: Services) -> list[Path]:
    place = {"by": lea.person, "project": "p"}
    return [
        frame_sets.folder_of_set(lea.store, lea.settings.home, **place, name=name)
        for name, _ in frame_sets.sets(lea, "p")
    ]


def numbers(page: AppTest) -> dict[str, tuple[str, str]]:
    return {row["Step"]: (row["In"], row["Out"]) for row in rows(page, "Dropped, and why")}


def taken(lea: Services, packed: bytes, *, at_most: int | None = None) -> Path:
    """A set without a page and without a process of its own."""
    file = io.BytesIO(packed)
    file.name = "kitchen.zip"
    begun: list[ExtractionJob] = []
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(set_jobs, "_begin", lambda services, folder, work: begun.append(work))
        about = {"taking": ExtractionSettings(every=5), "keeping": ScreeningSettings(at_most=at_most)}
        set_jobs.begin_set(lea, "p", files=[file], **about)
    begun[0].run(lea.store, lea.media, lea.settings.home, unheard)
    return begun[0].folder


def test_a_folder_of_videos_becomes_images_of_the_pool(lea: Services, packed: bytes) -> None:
    page = opened(lea)
    assert not page.exception
    page.file_uploader[0].upload("kitchen.zip", packed, "application/zip")
    page.run()
    page.selectbox(key="frames.ask.way").set_value(EVERY)
    page.run()
    page.number_input(key="frames.ask.every").set_value(5)
    page.number_input(key="frames.ask.at_most").set_value(3)
    page.button(key="frames.take").click().run()
    page = over(page, lea)
    told = {row["Step"]: row for row in rows(page, "Dropped, and why")}
    assert numbers(page) == {
        "Videos": ("4", "2"),
        "Taking": ("2", "28"),
        "Screening": ("28", "6"),
        "Choosing": ("28", "6"),
    }
    assert "Touchstone cannot decode bad.mp4" in told["Videos"]["Dropped, and why"]
    assert "notes.txt: the file name has no video extension" in told["Videos"]["Dropped, and why"]
    assert told["Screening"]["Dropped, and why"] == "the video has enough frames: 22"
    assert told["Screening"]["How"] == "at most 3 per video"
    assert part(page, "candidates") == "28 frames with these filters. Chosen frames: 6 of 28."
    assert words(page).count('data-part="candidate"') == 24, "a page of them"

    page.selectbox(key="frames.filter.show").set_value("Kept by screening").run()
    (folder,) = folders(lea)
    page.selectbox(key=f"frames.filter.source.{folder.name}").set_value("b.webm").run()
    assert part(page, "candidates") == "3 frames with these filters. Chosen frames: 6 of 28."
    page.button(key="frames.all.False").click().run()
    page.selectbox(key="frames.filter.show").set_value("Dropped").run()
    first = next(each for each in page.checkbox if str(each.key).startswith("frames.tick."))
    first.check().run()
    assert part(page, "candidates").endswith("Chosen frames: 4 of 28.")  # 6 without 3, and one that was dropped
    page.run()
    assert numbers(page)["Choosing"] == ("28", "4")

    page.button(key="frames.pool.go").click().run()
    page = over(page, lea)
    assert numbers(page)["Pool"] == ("4", "4")
    page.button(key="frames.pool.go").click().run()
    page = over(page, lea)
    told = {row["Step"]: row for row in rows(page, "Dropped, and why")}
    assert (told["Pool"]["In"], told["Pool"]["Out"]) == ("4", "0")
    assert told["Pool"]["Dropped, and why"] == "4 frames: already in the project (identical files)"


def test_screening_again_decodes_nothing_and_taking_again_begins_anew(
    lea: Services, packed: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = taken(lea, packed)
    written = {path.name: path.stat().st_mtime_ns for path in (folder / "out").rglob("*.png")}
    found = frame_sets.index(folder)
    assert found is not None
    frame_sets.tick(lea.store, folder, found.frames[:2], on=False, by=lea.person)
    monkeypatch.setattr(
        set_jobs, "_begin", lambda services, folder, work: work.run(lea.store, lea.media, folder, unheard)
    )
    set_jobs.again(lea, folder, taking=ExtractionSettings(every=5), keeping=ScreeningSettings(at_most=1))
    found = frame_sets.index(folder)
    assert found is not None
    assert sum(each.kept for each in found.frames) == 2
    assert {path.name: path.stat().st_mtime_ns for path in (folder / "out").rglob("*.png")} == written
    frame_sets.refresh(lea.store, folder, by=lea.person)
    assert set(frame_sets.by_hand(folder).values()) == {False}
    set_jobs.again(lea, folder, taking=ExtractionSettings(every=50), keeping=ScreeningSettings())
    found = frame_sets.index(folder)
    assert found is not None
    assert [each.name for each in found.frames] == [
        "a.mp4/00000.000000.png",
        "a.mp4/00002.000000.png",
        "b.webm/00000.000000.png",
    ]
    assert frame_sets.by_hand(folder) == {}


def test_motion_is_measured_and_filtered_by(lea: Services, packed: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = taken(lea, packed)
    page = opened(lea)
    assert not [each for each in page.number_input if each.key == "frames.filter.still"]
    page.number_input(key=f"frames.again.{folder.name}.still").set_value(1.0)
    page.button(key=f"frames.again.{folder.name}.screening").click().run()
    assert "These frames have no motion values" in words(page)
    monkeypatch.setattr(
        set_jobs, "_begin", lambda services, folder, work: work.run(lea.store, lea.media, folder, unheard)
    )
    set_jobs.again(lea, folder, taking=ExtractionSettings(every=5, motion=True), keeping=ScreeningSettings())
    page = opened(lea)
    assert "each 5th frame, with its motion" in words(page)
    page.number_input(key="frames.filter.still").set_value(0.0).run()
    # the first frame of either video has none before it
    assert part(page, "candidates") == "26 frames with these filters. Chosen frames: 28 of 28."
    page.selectbox(key="frames.filter.order.True").set_value("most motion first").run()
    shown = [float(each) for each in re.findall(r"motion (\d+\.\d)", words(page))]
    assert len(shown) == 24
    assert shown == sorted(shown, reverse=True)


def test_a_browser_that_is_late_undoes_no_choice_of_another_lead(lea: Services, packed: bytes) -> None:
    """Until a browser has drawn what another lead has chosen, it sends the old values with each press."""
    folder = taken(lea, packed)
    page = opened(lea)
    late = page._tree.get_widget_states()
    found = frame_sets.index(folder)
    assert found is not None
    lou = make_person(lea.store, "lou", role=Role.LEAD)
    frame_sets.tick(lea.store, folder, found.frames[:2], on=False, by=lou)
    page.run()
    for _ in range(3):
        page._run(late)
    assert part(page, "candidates").endswith("Chosen frames: 26 of 28.")
    page.run()
    page.checkbox(key=f"frames.tick.{folder.name}.{found.frames[0].name}.1").check().run()
    assert part(page, "candidates").endswith("Chosen frames: 27 of 28.")
    entries = audit.entries(lea.store, by=None, project="p", kinds=["frames.chosen"])
    assert [(each.who, each.data["on"]) for each in entries] == [("lea", True), ("lou", False)]


def test_what_was_broken_off_is_said_and_goes_on(lea: Services, packed: bytes) -> None:
    folder = taken(lea, packed)
    whole = frame_sets.index(folder)
    (folder / "index.json").unlink()
    replace(SetDescription.read(folder), done=0.0).write(folder)
    page = opened(lea)
    assert set_jobs.BROKEN in words(page)
    with folder_lock.hold_folder(folder / frame_sets.LOCK, "busy"):
        assert set_jobs.is_running(lea.store, folder)
        with pytest.raises(ConflictError):
            set_jobs.go_on(lea, folder)
    page.button(key="frames.go_on").click().run()
    page = over(page, lea)
    now = frame_sets.index(folder)
    assert now is not None
    assert whole is not None
    assert now.frames == whole.frames


@needs_archives
def test_only_leads_of_the_project_see_its_frames(lea: Services, packed: bytes, home: Path) -> None:
    folder = taken(lea, packed)
    found = frame_sets.index(folder)
    assert found is not None
    make_person(lea.store, "ann")
    app = application(lea.store, Home(home))
    here = address("p", folder.name, found.stamp, 0)
    seen = call(app, "GET", here, headers=session(lea.store, "lea"))
    assert (seen.status, seen.headers["content-type"]) == (200, "image/jpeg")
    assert int(seen.headers["content-length"]) == frame_sets.picture(folder, 0, "thumb").stat().st_size
    thumb, original = (frame_sets.picture(folder, 0, size) for size in ("thumb", "original"))
    thumb.write_bytes(thumb.read_bytes()[:-20])
    assert call(app, "GET", here, headers=session(lea.store, "lea")).body == seen.body, "it is made again"
    whole = original.read_bytes()
    original.write_bytes(whole[:-20])
    gone = call(app, "GET", address("p", folder.name, found.stamp, 0, "original"), headers=session(lea.store, "lea"))
    assert (gone.status, "damaged" in gone.text) == (404, True)
    original.write_bytes(whole)
    assert call(app, "GET", here, headers=session(lea.store, "ann")).status == 403
    for other in (
        address("p", folder.name, found.stamp, 28),
        address("p", folder.name, found.stamp, -1),
        address("p", folder.name, found.stamp, 0, "about.json"),
        address("p", "..", found.stamp, 0),
        address("p", "0" * 16, found.stamp, 0),
        f"/frame/p/{folder.name}/{found.stamp}/{'9' * 400}/thumb",
    ):
        assert call(app, "GET", other, headers=session(lea.store, "lea")).status in (404, 400), other
    with pytest.raises(NotAllowedError):
        frame_sets.folder_of_set(lea.store, home, by=make_person(lea.store, "bo"), project="p", name=folder.name)
    delete_project(lea.store, lea.media, home=home)
    assert not folder.exists()
    make_project(lea.store, loaded=load_schema(shipped()["egothink"]))
    with pytest.raises(NotFoundError):
        frame_sets.folder_of_set(lea.store, home, by=None, project="p", name=folder.name)  # type: ignore[arg-type]


def test_nothing_that_is_no_video_begins(lea: Services, packed: bytes) -> None:
    page = opened(lea)
    page.file_uploader[0].upload("notes.txt", b"no video", "text/plain")
    page.run()
    page.text_input(key="frames.ask.seconds").set_value("0")
    page.button(key="frames.take").click().run()
    assert "is not a number of seconds above 0" in words(page)
    assert folders(lea) == []
    page.text_input(key="frames.ask.seconds").set_value("2")
    page.button(key="frames.take").click().run()
    page = over(page, lea)
    assert "None of these files is a video" in words(page)
