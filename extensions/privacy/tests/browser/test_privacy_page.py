"""A lead covers faces on the page Privacy: with keys alone and with the pointer; what is pressed twice covers once."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, expect

from annotation_schemas.loader import load_text
from db import events
from domain.roles import Role
from extensions.privacy import decisions, detection, page_work
from extensions.privacy.page_work import MarkRequest
from media.store import MediaStore
from testkit.covered import AREA, SIZE, clip, face, file, shows
from testkit.factories import make_person, make_project
from testkit.pictures import encoded
from testkit.serving import Server
from tests.e2e.people import Desk, at_desk, opened
from tests.e2e.test_for_everyone import unfit
from tests.workflow.shortcut_world import SCHEMA
from workflow.access import accounts
from workflow.access.projects import access_to
from workflow.annotate import image_pool

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.thorough]

CLIPS = SCHEMA.replace("kind: image}", "kind: image, min: 0}, {role: film, kind: clip, min: 0}")
N = 26
"""So many pictures: two pages."""


def test_a_lead_looks_decides_and_covers(
    server: Server, chromium: Browser, pictures: Path | None, tmp_path: Path
) -> None:
    with opened(server) as store:
        store.upgrade()
        text = CLIPS.replace("STAGES", "{authoring: {}}").replace("EXPORT", "")
        make_project(store, loaded=load_text(text, "", "rooms"))
        make_person(store, "lea", role=Role.LEAD)
        make_person(store, "noor", role=Role.LEAD)
        files = [("film.webm", clip(tmp_path / "film.webm"))]
        for at in range(N):
            path = tmp_path / f"{at:02}.png"
            path.write_bytes(encoded(face()) if at == N - 1 else file(60 + 5 * at))
            files.append((path.name, path))
        image_pool.add_to_pool(store, MediaStore(server.home / "media"), by=None, project="p", files=files)
    server.start()
    with at_desk(chromium, server, "lea") as lea:
        lea.open("/privacy?project=p")
        _look(lea)
        _decide(lea, pictures)
        _cover(lea, pictures)
    with opened(server) as store:
        with store.read() as session:
            project = access_to(session, person=None, project="p").project_id
            done = decisions.load_decisions(session, project_id=project)
            assert len(events.of_kinds(session, project_id=project, kinds=(events.FACES_LOOKED,))) == 1
        assert sorted((each.name, len(each.covers), each.by) for each in done) == [
            ("00.png", 1, "lea"), ("01.png", 1, "lea"), ("02.png", 0, "lea"), ("03.png", 0, "lea"),
            (f"{N - 1}.png", 1, "lea"), ("film.webm", 2, "lea"),
        ]  # fmt: skip
        media = MediaStore(server.home / "media")
        seen = detection.list_media(store, media, by=None, project="p").pictures
        assert [shows(media.path(each.file)) for each in seen[:3]] == [False, False, True]
        typed, drawn = (next(each for each in done if each.name == name).covers[0] for name in ("00.png", "01.png"))
        assert typed.place == (0.25, 0.2, 0.2, 0.4)
        assert all(abs(a - b) < 0.01 for a, b in zip(drawn.place, typed.place, strict=True)), drawn.place


def figure(lea: Desk, name: str) -> Locator:
    return lea.page.locator("figure", has=lea.page.locator(f'img[alt="{name}"]'))


def said(lea: Desk, words: str) -> None:
    expect(lea.page.locator(".privacy .said")).to_have_text(words)


def _look(lea: Desk) -> None:
    page = lea.page
    expect(page.get_by_text("The search misses faces")).to_be_visible()
    expect(page.locator("[data-part=clips]")).to_contain_text("1 clip. Covered: 0. Nothing to cover: 0. Undecided: 1.")
    page.get_by_role("button", name="Find faces and plates").press("Enter")
    expect(page.locator("[data-part=looked]")).to_contain_text(
        "26 pictures, 1 new box in 1 of them. 1 clip at 2 samples per second, 1 new box in 1 of them.", timeout=60_000
    )
    lea.settled()
    said(lea, "No person has looked at 27 of 27 pictures and clips. Decided and not covered yet: 0.")


def _decide(lea: Desk, pictures: Path | None) -> None:
    """With keys alone, but for one box that is drawn."""
    page = lea.page
    expect(page.locator("figure")).to_have_count(24)
    expect(page.locator("figure img").first).to_have_attribute("alt", f"{N - 1}.png")
    expect(page.locator("figure .box")).to_have_count(1)
    figure(lea, f"{N - 1}.png").get_by_role("radio", name="Cover selected boxes").press("Space")
    said(lea, "No person has looked at 26 of 27 pictures and clips. Decided and not covered yet: 1.")

    typed = figure(lea, "00.png")
    typed.locator("summary").press("Enter")
    typed.get_by_label("from the left").focus()
    for number in ("25", "20", "20"):
        page.keyboard.type(number)
        lea.press("Tab")
    page.keyboard.type("90")
    lea.press("Enter")
    expect(typed.get_by_role("alert")).to_contain_text("A box must lie within the picture")
    lea.press("Control+a")
    page.keyboard.type("40")
    lea.press("Enter")
    expect(typed.get_by_role("checkbox")).to_have_count(1)
    expect(typed.get_by_role("radio", name="Cover selected boxes")).to_be_checked()

    drawn = figure(lea, "01.png")
    drawn.scroll_into_view_if_needed()
    there = drawn.locator("img").bounding_box()
    assert there is not None
    scale = there["width"] / SIZE[0]
    left, top, right, bottom = AREA
    page.mouse.move(there["x"] + left * scale, there["y"] + top * scale)
    page.mouse.down()
    page.mouse.move(there["x"] + right * scale, there["y"] + bottom * scale)
    page.mouse.up()
    expect(drawn.get_by_role("checkbox")).to_be_checked()

    figure(lea, "02.png").get_by_role("radio", name="Nothing to cover").press("Space")
    said(lea, "No person has looked at 23 of 27 pictures and clips. Decided and not covered yet: 4.")
    _another_is_faster(lea)
    said(lea, "No person has looked at 22 of 27 pictures and clips. Decided and not covered yet: 5.")
    lea.settled()
    page.get_by_role("button", name="Next").press("Enter")
    expect(page.locator("figure")).to_have_count(3)
    said(lea, "No person has looked at 22 of 27 pictures and clips. Decided and not covered yet: 5.")
    _decide_clip(lea, pictures)
    said(lea, "No person has looked at 21 of 27 pictures and clips. Decided and not covered yet: 6.")
    lea.settled()
    page.get_by_role("button", name="First").press("Enter")
    expect(page.locator("figure")).to_have_count(24)
    lea.settled()
    expect(figure(lea, "00.png").get_by_role("checkbox")).to_be_checked()
    expect(page.locator("figure img").first).to_have_attribute("alt", f"{N - 1}.png")  # where it was: none is skipped
    assert unfit(page) == {}
    page.set_viewport_size({"width": 1280, "height": 800})
    lea.looks(pictures, "privacy-top")
    figure(lea, "03.png").scroll_into_view_if_needed()
    lea.looks(pictures, "privacy-pictures")


def _decide_clip(lea: Desk, pictures: Path | None) -> None:
    """What was found stays ticked, and a box is drawn where the clip stands; when it ends is typed."""
    page = lea.page
    film = page.locator("figure", has=page.locator("video"))
    film.scroll_into_view_if_needed()
    (found,) = film.get_by_role("listitem").all()
    expect(found).to_contain_text("1 face, found by frontal, 1.5 to 4 s")
    for moment in ("2.00", "3.00", "3.50"):
        frame = found.get_by_role("img", name=f"Box 1 of film.webm at {moment} s")
        frame.scroll_into_view_if_needed()
        expect(frame).to_have_js_property("naturalWidth", 320)
    film.get_by_role("button", name="Draw a box on this frame").press("Enter")
    film.locator(".over").scroll_into_view_if_needed()
    there = film.locator(".over").bounding_box()
    assert there is not None
    page.mouse.move(there["x"] + 0.8 * there["width"], there["y"] + 0.8 * there["height"])
    page.mouse.down()
    page.mouse.move(there["x"] + 0.9 * there["width"], there["y"] + 0.9 * there["height"])
    page.mouse.up()
    expect(film.get_by_label("begins at")).to_be_focused()
    expect(film.get_by_label("begins at")).to_have_value("0")
    expect(film.get_by_label("ends at")).to_have_value("5.933")
    lea.press("Tab")
    page.keyboard.type("9")
    lea.press("Enter")
    expect(film.get_by_role("listitem")).to_have_count(1)  # the clip does not last so long
    lea.press("Control+a")
    page.keyboard.type("1")
    lea.press("Enter")
    expect(film.get_by_role("listitem").last).to_contain_text("2 face, drawn by a person, 0 to 1 s")
    expect(film.get_by_role("radio", name="Cover selected boxes")).to_be_checked()
    said(lea, "No person has looked at 21 of 27 pictures and clips. Decided and not covered yet: 6.")
    expect(film.locator(".note")).to_be_empty()
    assert unfit(page) == {}
    page.set_viewport_size({"width": 1280, "height": 800})
    film.get_by_role("radio").last.scroll_into_view_if_needed()
    lea.looks(pictures, "privacy-clip")


def _another_is_faster(lea: Desk) -> None:
    """Lea is told what Noor has said meanwhile, sees it, and nothing of hers is kept."""
    with opened(lea.server) as store:
        noor = accounts.find_person(store, login="noor")
        folder = detection.leads_folder(store, lea.server.home, by=noor, project="p")
        found = page_work.items(store, MediaStore(lea.server.home / "media"), folder, by=noor, project="p")
        file = next(each.seen.file for each in found if each.seen.name == "03.png")
        saying = MarkRequest(file, 0, None, "nothing", [], [])
        page_work.say(store, folder, by=noor, project="p", saying=saying)
    there = figure(lea, "03.png")
    there.get_by_role("radio", name="Cover selected boxes").press("Space")
    expect(there.locator(".note")).to_contain_text("noor changed this picture first")
    expect(there.get_by_role("radio", name="Nothing to cover")).to_be_checked()


def _cover(lea: Desk, pictures: Path | None) -> None:
    page = lea.page
    page.get_by_role("button", name="Cover decided boxes").press("Enter")
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("5 pictures and 1 clip decided: 5 boxes to cover in 4, and nothing to cover in 2.")
    expect(dialog).to_contain_text("Copies that other people have downloaded")
    lea.settled()
    lea.looks(pictures, "privacy-question")
    dialog.get_by_role("button", name="Cover 5 boxes").dblclick()
    expect(page.locator("[data-part=covered]")).to_contain_text(
        "5 boxes covered in 4 of 5 decided pictures and 1 decided clip", timeout=60_000
    )
    lea.settled()
    expect(page.locator("[data-part=standing]")).to_have_text(
        "26 pictures. Covered: 3. Nothing to cover: 2. Undecided: 21."
    )
    expect(page.locator("[data-part=decided] tbody tr")).to_have_count(6)
    expect(page.locator("[data-part=clips]")).to_contain_text("1 clip. Covered: 1.")
    said(lea, "No person has looked at 21 of 27 pictures and clips. Decided and not covered yet: 0.")
    expect(page.locator("figure")).to_have_count(21)
    page.locator("[data-part=decided]").scroll_into_view_if_needed()
    lea.looks(pictures, "privacy-decided")
