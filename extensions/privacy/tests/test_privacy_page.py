"""The page Privacy without a browser: a look in a process of its own, what leads say, and what is covered."""

from __future__ import annotations

import io
import json
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PIL import Image
from streamlit.testing.v1 import AppTest

from app.services import Services
from db.engine import Store
from domain.errors import ConflictError, NotAllowedError
from domain.jobs import unheard
from domain.project_parts import archive_in
from domain.roles import Role
from domain.settings import Settings
from extensions.privacy import component, covering, decisions, page_work
from extensions.privacy.boxes import Box, CoverChoice
from extensions.privacy.page_work import CoverJob, MarkRequest, PageItem
from extensions.privacy.tests.boxes import BOX
from extensions.privacy.tests.test_covered_clip import spread
from extensions.privacy.tests.test_privacy import ids, shown
from extensions.privacy.tests.test_privacy_clips import has_face, loaded, put
from extensions.privacy.uncovered_route import address, as_json
from media.store import MediaStore
from testkit.covered import face, face_at, file, shows
from testkit.factories import make_person, make_project
from testkit.pictures import encoded
from testkit.project_archives import delete_project, needs_archives
from tests.app.asgi import call, call_all
from tests.app.homes import Home
from tests.app.screens import drawn, part, rows, words
from tests.app.test_workbench_types import fits
from tests.app.without_streamlit import application, session
from workflow.annotate import image_pool
from workflow.jobs import folder_lock

pytestmark = [pytest.mark.slow, pytest.mark.thorough]


@pytest.fixture
def lea(store: Store, home: Path) -> Services:
    """A lead of a project with a face and two pictures in which no cascade finds anything."""
    make_project(store)
    person = make_person(store, "lea", role=Role.LEAD)
    files = []
    for name, data in (("plain.png", file()), ("face.png", encoded(face())), ("other.png", file(100))):
        (home / name).write_bytes(data)
        files.append((name, home / name))
    media = MediaStore(home / "media")
    image_pool.add_to_pool(store, media, by=None, project="p", files=files)
    return Services(store, media, Settings(home, ""), person, "csrf")


def page_of(lea: Services) -> AppTest:
    return drawn(lea.store, lea.settings.home, "privacy", "lea", project="p")


def over(page: AppTest, lea: Services) -> AppTest:
    """The page when what it began is done."""
    while page_work.is_running(lea.store, page_work.folder_of(lea, "p")):
        time.sleep(0.02)
    return page.run()


def there(lea: Services) -> dict[str, PageItem]:
    """The pictures as the page has them, by name."""
    folder = page_work.folder_of(lea, "p")
    found = page_work.items(lea.store, lea.media, folder, by=lea.person, project="p")
    return {each.seen.name: each for each in found}


def say(lea: Services, name: str, decided: str, ticks: list[bool], *added: Box) -> PageItem:
    item = there(lea)[name]
    saying = MarkRequest(item.seen.file, item.revision, item.since, decided, ticks, added)
    return page_work.say(lea.store, page_work.folder_of(lea, "p"), by=lea.person, project="p", saying=saying)


def test_faces_are_looked_for_decided_about_and_covered(lea: Services) -> None:
    page = page_of(lea)
    assert part(page, "standing") == ("3 pictures. Covered: 0. Nothing to cover: 0. Undecided: 3.")
    assert "The search misses faces" in words(page)
    assert "clip" not in words(page).split("Find faces and plates")[0], "there are none"
    page.button(key="privacy.look").click().run()
    page = over(page, lea)
    assert part(page, "looked").endswith(
        "lea. Faces and number plates, threshold 3. 3 pictures, 1 new box in 1 of them."
    )
    assert next(iter(there(lea))) == "face.png", "what has boxes comes first"
    page.button(key="privacy.cover").click().run()
    assert "You have made no new decision" in words(page)

    say(lea, "face.png", "cover", [True])
    say(lea, "plain.png", "cover", [], BOX)
    say(lea, "other.png", "nothing", [])
    assert [*there(lea)] == ["face.png", "plain.png", "other.png"]
    archive = archive_in(lea.settings.home, "p")
    archive.parent.mkdir()
    archive.write_bytes(b"an archive that lay ready")
    page.button(key="privacy.cover").click().run()
    asked = words(page)
    assert "3 pictures decided: 2 boxes to cover in 2, and nothing to cover in 1." in asked
    assert "archive that is ready for download contains the originals, so Touchstone will delete the archive" in asked
    assert "Copies that other people have downloaded" in asked
    page.button(key="privacy.cover.sure.yes").click().run()
    page = over(page, lea)
    assert part(page, "standing") == "3 pictures. Covered: 2. Nothing to cover: 1. Undecided: 0."
    assert (
        "2 boxes covered in 2 of 3 decided pictures. Touchstone deleted the archive that was ready for download, "
        "because the archive contained the originals." in part(page, "covered")
    )
    assert not archive.exists()
    decided = {row["Picture"]: (row["Covered"], row["By"]) for row in rows(page, "Left as found")}
    assert decided == {
        "face.png": ("face (frontal)", "Lea"), "plain.png": ("face (hand)", "Lea"),
        "other.png": ("nothing to cover", "Lea"),
    }  # fmt: skip
    now = there(lea)
    assert not shows(lea.media.path(now["plain.png"].seen.file))
    assert [each.waits for each in now.values()] == [False] * 3
    page.button(key="privacy.cover").click().run()
    assert "You have made no new decision" in words(page)


def test_what_covers_again_says_so_and_nothing_is_shown_again(lea: Services) -> None:
    say(lea, "plain.png", "cover", [], BOX)
    folder = page_work.folder_of(lea, "p")
    CoverJob(folder, "p", lea.person, {there(lea)["plain.png"].seen.file: 1}).run(
        lea.store, lea.media, lea.settings.home, unheard
    )
    (covered,) = there(lea)["plain.png"].boxes
    assert there(lea)["plain.png"].fixed(covered)
    with pytest.raises(ConflictError, match=r"is already covered. To uncover the part, use"):
        say(lea, "plain.png", "nothing", [True])
    more = replace(BOX, x=0.6, kind="other")
    assert [box.cover for box in say(lea, "plain.png", "cover", [False], more).boxes] == [True, True]


def test_the_second_lead_is_told_what_the_first_has_done(lea: Services) -> None:
    noor = replace(lea, person=make_person(lea.store, "noor", role=Role.LEAD))
    folder = page_work.folder_of(lea, "p")
    seen = there(noor)["plain.png"]
    saying = MarkRequest(seen.seen.file, 0, None, "nothing", [], [])
    assert say(lea, "plain.png", "cover", [], BOX).revision == 1
    with pytest.raises(page_work.MarkConflict, match="lea changed this picture first") as told:
        page_work.say(lea.store, folder, by=noor.person, project="p", saying=saying)
    assert (told.value.item.decided, told.value.item.boxes) == ("cover", (BOX,))
    covering.apply_decisions(
        lea.store,
        lea.media,
        lea.settings.home,
        by=lea.person,
        project="p",
        choices=[CoverChoice("plain.png", seen.seen.file, ())],
    )
    with pytest.raises(page_work.MarkConflict, match="lea has already decided about this picture"):
        page_work.say(lea.store, folder, by=noor.person, project="p", saying=saying)
    now = there(noor)["plain.png"]
    assert (now.decided, now.waits) == ("", False), "what was said before that decision does not count any more"
    say(noor, "other.png", "nothing", [])
    those = {there(noor)["other.png"].seen.file: 1, seen.seen.file: 1}
    folder.mkdir(parents=True)
    with folder_lock.hold_folder(folder / page_work.LOCK, "busy"), pytest.raises(ConflictError):
        page_work.begin_cover(noor, "p", [])
    say(lea, "other.png", "cover", [], BOX)
    CoverJob(folder, "p", noor.person, those).run(lea.store, lea.media, lea.settings.home, unheard)
    came = page_work.last_covered(folder)
    assert (came["pictures"], came["left"]) == (0, 2), "what was changed after the question waits for another one"
    assert there(lea)["other.png"].waits


@needs_archives
def test_only_leads_see_these_pictures_and_say_anything(lea: Services, home: Path) -> None:
    item = there(lea)["plain.png"]
    make_person(lea.store, "ann")
    make_project(lea.store, name="q")
    make_person(lea.store, "olu", project="q", role=Role.LEAD)
    app = application(lea.store, Home(home))
    here = address("p", item.seen.asset)
    got = call(app, "GET", here, headers=session(lea.store, "lea"))
    assert (got.status, got.headers["cache-control"], shows(got.body)) == (200, "no-store", True)
    assert call(app, "GET", here, headers=session(lea.store, "ann")).status == 403
    assert call(app, "GET", here, headers=session(lea.store, "olu")).status == 404
    assert call(app, "GET", address("q", item.seen.asset), headers=session(lea.store, "olu")).status == 404
    body: dict[str, Any] = {
        "file": item.seen.file, "revision": 0, "after": None, "decided": "cover", "ticks": [],
        "added": [{"kind": "face", "x": 0.25, "y": 0.2, "w": 0.2, "h": 0.4, "cover": True}],
    }  # fmt: skip
    wrong = [
        {key: body[key] for key in body if key != "ticks"},
        {**body, "file": "0" * 64},
        {**body, "revision": -1},
        {**body, "revision": 10**400},
        {**body, "after": "yesterday"},
        {**body, "after": "2026-01-01T00:00:00"},
        {**body, "decided": "perhaps"},
        {**body, "ticks": ["yes"]},
        {**body, "ticks": [True]},
        {**body, "added": [{**body["added"][0], "kind": "nose"}]},
        {**body, "added": [{**body["added"][0], "w": 0.8}]},
        {**body, "added": [{**body["added"][0], "w": -0.1}]},
        {**body, "added": [{**body["added"][0], "cover": None}]},
        {**body, "added": body["added"] * 201},
        {**body, "added": "boxes"},
    ]
    bodies = [json.dumps(each).encode() for each in wrong]
    for sent, reply in zip(
        wrong, call_all(app, "POST", address("p"), bodies, headers=session(lea.store, "lea")), strict=True
    ):
        assert reply.status in (400, 404, 409), (sent, reply.text)
        assert json.loads(reply.text)["error"].endswith("."), reply.text
    good = json.dumps(body).encode()
    assert call(app, "POST", address("p"), body=good, headers=session(lea.store, "ann")).status == 403
    over = call(app, "POST", address("p"), body=good, headers={"origin": "http://127.0.0.1:8501"})
    assert (over.status, "your session has ended" in over.text) == (401, True), "the page says why nothing is saved"
    forged = {**session(lea.store, "lea"), "x-touchstone-csrf": "wrong"}
    assert call(app, "POST", address("p"), body=good, headers=forged).status == 403
    kept = call(app, "POST", address("p"), body=good, headers=session(lea.store, "lea"))
    assert kept.status == 200, kept.text
    told = json.loads(kept.text)["picture"]
    assert (told["decided"], told["revision"], told["waits"]) == ("cover", 1, True)
    fits(told, "PrivacyPicture")
    fits(component.data([told], csrf="c", path="/", total=1, clips=False, open_=0, waiting=0), "PrivacyData")
    fits(as_json("p", there(lea)["plain.png"])["boxes"][0], "PrivacyBox")
    again = call(app, "POST", address("p"), body=good, headers=session(lea.store, "lea"))
    assert (again.status, json.loads(again.text)["picture"]["revision"]) == (409, 1)
    with pytest.raises(NotAllowedError):
        page_work.folder_of(replace(lea, person=make_person(lea.store, "bo")), "p")
    folder = page_work.folder_of(lea, "p")
    folder.mkdir(parents=True)
    delete_project(lea.store, lea.media, home=home)
    assert not folder.exists()


def test_a_clip_is_looked_through_decided_and_covered(store: Store, home: Path) -> None:
    make_project(store, loaded=loaded())
    services = Services(
        store, MediaStore(home / "media"), Settings(home, ""), make_person(store, "lea", role=Role.LEAD), "c"
    )
    original = put(store, services.media, home)
    page = page_of(services)
    assert part(page, "clips").startswith("1 clip. Covered: 0. Nothing to cover: 0. Undecided: 1. In clips")
    page.number_input(key="privacy.rate").set_value(4.0)
    page.multiselect(key="privacy.kinds").set_value(["Faces"])
    page.button(key="privacy.look").click().run()
    page = over(page, services)
    assert part(page, "looked").endswith(
        "0 pictures, 0 new boxes in 0 of them. 1 clip at 4 samples per second, 1 new box in 1 of them."
    )
    (box,) = there(services)["film.webm"].boxes
    assert (box.begin, box.end) == (1.7, 4.0), "at 1.75 s the frame of 1.7 s is on screen"
    more = Box("other", 0.0, 0.0, 0.1, 0.1, "hand", True, begin=0.0, end=1.0)
    said = say(services, "film.webm", "cover", [True], more)
    assert (said.waits, said.boxes) == (True, (replace(box, cover=True), more))
    fits(as_json("p", said), "PrivacyPicture")
    fits(as_json("p", said)["boxes"][0], "PrivacyBox")
    page.button(key="privacy.cover").click().run()
    assert "1 clip decided: 2 boxes to cover in 1, and nothing to cover in 0." in words(page)
    page.button(key="privacy.cover.sure.yes").click().run()
    page = over(page, services)
    assert "2 boxes covered in 1 of 1 decided clip." in part(page, "covered")
    (decided,) = rows(page, "Left as found")
    assert decided["Covered"] == "face (frontal), 1.7 to 4 s, other (hand), 0 to 1 s"
    (now,) = shown(store)
    assert now != original
    assert not has_face(services.media.path(now))
    with store.read() as session_:
        (decision,) = decisions.load_decisions(session_, project_id=1)
    assert decision.looked["rate"] == 4.0


def test_only_leads_see_a_clip_and_its_frames(store: Store, home: Path) -> None:
    make_project(store, loaded=loaded())
    for login, role in (("lea", Role.LEAD), ("ann", Role.ANNOTATOR)):
        make_person(store, login, role=role)
    media = MediaStore(home / "media")
    file = put(store, media, home)
    (asset,) = ids(store)
    app = application(store, Home(home))
    here = address("p", asset)
    for path in (here, f"{here}/clip", f"{here}/3000"):
        assert call(app, "GET", path, headers=session(store, "ann")).status == 403
        got = call(app, "GET", path, headers=session(store, "lea"))
        assert (got.status, got.headers["cache-control"]) == (200, "no-store")
    with Image.open(io.BytesIO(got.body)) as frame:
        assert spread(frame.convert("RGB"), face_at(30)) > 30, "the face, as it is at 3.0 s"
    assert call(app, "GET", f"{here}/clip", headers=session(store, "lea")).body == media.bare(file)[0].read_bytes()
    for wrong in ("x", "-1", "99999999", "9" * 400, "3000.5"):
        refused = call(app, "GET", f"{here}/{wrong}", headers=session(store, "lea"))
        assert refused.status in (400, 404), (wrong, refused.status)
    box = {"kind": "face", "x": 0.1, "y": 0.1, "w": 0.2, "h": 0.4, "cover": True, "begin": 1, "end": 2.5}
    body = {"file": file, "revision": 0, "after": None, "decided": "cover", "ticks": [], "added": [box]}
    wrong_spans = [{"begin": 3}, {"end": 5.95}, {"begin": -1}, {"begin": None}, {"end": "2"}]
    bodies = [json.dumps({**body, "added": [{**box, **span}]}).encode() for span in wrong_spans]
    for reply in call_all(app, "POST", address("p"), bodies, headers=session(store, "lea")):
        assert reply.status == 400, reply.text
    kept = call(app, "POST", address("p"), body=json.dumps(body).encode(), headers=session(store, "lea"))
    told = json.loads(kept.text)["picture"]
    assert (told["seconds"], told["boxes"][0]["begin"], told["boxes"][0]["end"]) == (5.933, 1.0, 2.5)
