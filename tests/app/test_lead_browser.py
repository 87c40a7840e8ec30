"""The lead's way through the screens in a real browser: upload, look, start with a key, take a release along."""

from __future__ import annotations

import io
import json
import re
import sqlite3
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import httpx
import pytest
from playwright.sync_api import expect

from testkit.browser import settled
from testkit.factories import claimed
from testkit.missing_extensions import needs, needs_every
from testkit.serving import Server
from tests.app.homes import PASSWORD, Home, make_home, picture
from tests.e2e.people import at_desk
from workflow.access import accounts, memberships
from workflow.annotate import claims, image_pool, submissions
from workflow.files import import_files

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.browser


ITEMS = [{"image_path": f"{name}.png", "question": f"How many {name}?", "answer": "Two."} for name in ("cups", "jars")]


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory, sqlite_template: Path) -> Home:
    return make_home(tmp_path_factory.mktemp("lead"), sqlite_template, pictures=3)


@pytest.fixture(scope="module")
def running(home: Home) -> Iterator[Server]:
    server = Server(home.path).start()
    yield server
    server.stop()


@pytest.fixture
def page(chromium: Browser, running: Server) -> Iterator[Page]:
    """Lea's browser, signed in."""
    with at_desk(chromium, running, "lea") as desk:
        yield desk.page


def _open(page: Page, server: Server, path: str) -> None:
    page.goto(f"{server.url}/{path}?project=tiny")
    page.wait_for_selector(".ts-title")
    settled(page)


def _choose_format(page: Page, name: str) -> None:
    """Open *Format and options* and choose a format by its name."""
    page.get_by_text("Format and options").click()
    box = page.get_by_role("combobox", name="Format")
    box.scroll_into_view_if_needed()
    expect(box).to_be_in_viewport()  # the section has opened
    settled(page)
    box.click()
    page.keyboard.type(name)
    page.get_by_role("option", name=re.compile(f"^{name}: ")).click()


def _remove(page: Page) -> None:
    """Take back the file that was chosen."""
    page.get_by_role("button", name=re.compile("^Remove")).first.click()
    page.get_by_test_id("stFileUploaderFile").wait_for(state="detached")
    settled(page)


def _zip(files: dict[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, content in files.items():
            packed.writestr(name, content)
    return buffer.getvalue()


@needs("commands", "pool")
def test_images_are_uploaded_into_the_pool_and_what_is_no_image_is_told(
    page: Page, running: Server, home: Home
) -> None:
    _open(page, running, "import")
    page.get_by_text("Images for new items").click()
    page.get_by_text("Images, clips, videos or ZIP files").wait_for()
    page.get_by_text("Drop a file here").wait_for(state="detached")
    upload = [
        {"name": "good.zip", "mimeType": "application/zip", "buffer": _zip({"kitchen/a.png": picture(100)})},
        {"name": "page.png", "mimeType": "image/png", "buffer": b"<!doctype html><script>alert(1)</script>"},
        {"name": "twice.png", "mimeType": "image/png", "buffer": picture(0)},
    ]
    page.locator("input[type=file]").set_input_files(upload)  # type: ignore[arg-type]
    page.get_by_text("twice.png").wait_for()
    settled(page)
    page.get_by_role("button", name="Add to the pool").click()
    page.wait_for_selector("text=1 image added to the pool; 1 already there; 1 not taken.")
    assert "page.png" in page.inner_text(".ts-table")
    store = home.store()
    assert image_pool.pool(store, person=accounts.find_person(store, login="lea"), project="tiny").total == 4
    store.close()


def test_a_bomb_is_refused_and_a_zip_of_annotation_files_comes_in_with_its_images(page: Page, running: Server) -> None:
    files = {"bench/Reasoning/counting/annotations.json": json.dumps(ITEMS).encode()}
    media = {"cups.png": picture(150), "jars.png": picture(151)}
    bomb = {"name": "bomb.zip", "mimeType": "application/zip", "buffer": _zip({"x.json": bytes(20_000_000)})}
    _open(page, running, "import")
    inputs = page.locator("input[type=file]")
    inputs.nth(0).set_input_files([bomb])  # type: ignore[list-item]
    page.get_by_text("bomb.zip").first.wait_for()
    settled(page)
    page.wait_for_selector("text=bomb.zip is too large when unpacked")
    expect(page.get_by_role("button", name=re.compile(r"^Import( [0-9]|$)"))).to_be_disabled()
    settled(page)
    _remove(page)
    inputs.nth(0).set_input_files(  # type: ignore[arg-type]
        [{"name": "bench.zip", "mimeType": "application/zip", "buffer": _zip(files)}]
    )
    page.get_by_text("bench.zip").wait_for()
    settled(page)
    inputs.nth(1).set_input_files(  # type: ignore[arg-type]
        [{"name": "media.zip", "mimeType": "application/zip", "buffer": _zip(media)}]
    )
    page.get_by_text("media.zip").wait_for()
    settled(page)
    page.get_by_role("button", name="Import 2 items", exact=True).click()
    page.wait_for_selector("text=2 items imported; 2 of 2 images and clips found.")


def test_judges_replies_are_uploaded_and_a_wrong_file_is_told(
    page: Page, running: Server, home: Home, tmp_path: Path
) -> None:
    folder = tmp_path / "Reasoning" / "counting"
    folder.mkdir(parents=True)
    (folder / "annotations.json").write_text(json.dumps(ITEMS))
    answers = [{"item": f"Reasoning/counting/{at}", "model": "gpt", "text": "Two."} for at in range(2)]
    (tmp_path / "gpt.jsonl").write_text("\n".join(map(json.dumps, answers)))
    store, media = home.store(), home.media()
    import_files.import_files(store, media, by=None, project="tiny", format="egothink", path=folder.parents[1])
    import_files.import_files(store, media, by=None, project="tiny", format="predictions", path=tmp_path / "gpt.jsonl")
    store.close()
    _open(page, running, "import")
    settled(page)
    _choose_format(page, "judgements")
    page.get_by_text("Parser: double_brackets").wait_for()
    settled(page)
    said = [(0, "Rating: [[1]]", 1), (1, "Both name two. Rating: [[0.5]]", 0), (7, "Rating: [[0]]", 0)]
    lines = [
        {"item": f"Reasoning/counting/{at}", "model": "gpt", "judge": "strict", "text": text, "score": score}
        for at, text, score in said
    ]
    for name, content, told in (
        ("answers.jsonl", (tmp_path / "gpt.jsonl").read_text(), "the row names no judge"),
        ("seven.jsonl", "\n".join(map(json.dumps, lines)), "there is no item 'Reasoning/counting/7' in this project"),
        (
            "strict.jsonl",
            "\n".join(map(json.dumps, lines[:2])),
            "2 replies from strict imported; readings that agree with the scores in the file: 1 of 2.",
        ),
    ):
        upload = [{"name": name, "mimeType": "application/x-ndjson", "buffer": content.encode()}]
        page.locator("input[type=file]").nth(0).set_input_files(upload)  # type: ignore[arg-type]
        page.get_by_text(name).first.wait_for()
        settled(page)
        if name == "strict.jsonl":  # what does not fit is told when it is looked at
            page.get_by_role("button", name=re.compile("^Import [0-9]")).click()
        page.get_by_text(told).first.wait_for()
        settled(page)
        if name != "strict.jsonl":
            expect(page.get_by_role("button", name=re.compile(r"^Import( [0-9]|$)"))).to_be_disabled()
            _remove(page)
    page.get_by_text(
        "strict on Reasoning/counting/1, gpt: the file has the score 0, but the parser reads 0.5."
    ).first.wait_for()


@needs("formats", "inspect_log")
def test_a_log_of_inspect_is_uploaded_and_half_of_one_is_told(
    page: Page, running: Server, home: Home, tmp_path: Path
) -> None:
    folder = tmp_path / "Reasoning" / "comparing"
    folder.mkdir(parents=True)
    asked = ["Which jar is nearer to me?", "Which cup is fuller?"]
    items = [{**ITEMS[0], "image_path": f"{n}.png", "question": words} for n, words in enumerate(asked)]
    (folder / "annotations.json").write_text(json.dumps(items))
    store = home.store()
    import_files.import_files(store, home.media(), by=None, project="tiny", format="egothink", path=folder.parents[1])
    store.close()
    head = {"version": 2, "status": "success", "eval": {"model": "org/tiny"}}
    samples = [{"id": n, "epoch": 1, "input": words, "output": {"completion": "?"}} for n, words in enumerate(asked, 1)]
    parts = {f"samples/{each['id']}_epoch_1.json": json.dumps(each).encode() for each in samples}
    log = _zip({"header.json": json.dumps(head).encode(), **parts})
    _open(page, running, "import")
    settled(page)
    _choose_format(page, "predictions")
    page.get_by_text("Default model").wait_for()
    settled(page)
    for name, content, told in (
        (
            "half.eval",
            log[: len(log) // 2],
            "half.eval is incomplete: the table of contents at the end of an .eval log",
        ),
        ("run.eval", log, "2 answers imported."),
    ):
        upload = [{"name": name, "mimeType": "application/octet-stream", "buffer": content}]
        page.locator("input[type=file]").nth(0).set_input_files(upload)  # type: ignore[arg-type]
        page.get_by_text(name).first.wait_for()
        settled(page)
        if name == "run.eval":
            page.get_by_role("button", name=re.compile("^Import [0-9]")).click()
        page.get_by_text(told).first.wait_for()
        settled(page)
        if name == "half.eval":
            expect(page.get_by_role("button", name=re.compile(r"^Import( [0-9]|$)"))).to_be_disabled()
            _remove(page)


@pytest.mark.parametrize("path", ["nowhere", "link/a/b", "invite/a/b", "media-link/x", "static/js/none.js"])
def test_an_unknown_address_tells_a_stranger_nothing_of_our_pages(running: Server, path: str) -> None:
    reply = httpx.get(f"{running.url}/{path}", follow_redirects=True)
    assert reply.url.path == "/login"
    assert "Sign in" in reply.text


def test_a_key_starts_the_work(running: Server, browser_page: Page) -> None:
    page = browser_page
    page.goto(f"{running.url}/login")
    page.fill("input[name=login]", "bo")
    page.fill("input[name=password]", PASSWORD)
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Write items").wait_for()
    settled(page)
    page.keyboard.press("1")
    page.wait_for_url(f"{running.url}/author?project=tiny")


@needs("pages", "cases")
@needs("pages", "audit")
def test_tabs_load_nothing_anew_and_m_reaches_every_page(page: Page, running: Server) -> None:
    _open(page, running, "overview")
    pages = page.get_by_role("navigation", name="Pages")
    expect(pages.get_by_role("link").last).to_have_text("Notices 1 new")  # the lead was given her part
    expect(pages.get_by_role("link", name="Overview")).to_have_attribute("aria-current", "page")
    page.evaluate("window.stays = true")
    pages.get_by_role("link", name="Settings").click()
    tabs = page.get_by_role("navigation", name="Tabs of Settings")
    expect(tabs.get_by_role("link", name="Form")).to_have_attribute("aria-current", "page")
    tabs.get_by_role("link", name="Guideline").press("Enter")
    expect(tabs.get_by_role("link", name="Guideline")).to_have_attribute("aria-current", "page")
    expect(page).to_have_title("Guideline · Settings · Touchstone")
    page.go_back()
    expect(tabs.get_by_role("link", name="Form")).to_have_attribute("aria-current", "page")
    settled(page)
    page.keyboard.press("m")
    box, chosen = (
        page.get_by_role("combobox", name="Find a page or an action"),
        page.get_by_role("option", selected=True),
    )
    expect(box).to_be_focused()
    page.keyboard.type("MOD ca")
    expect(page.get_by_role("option")).to_have_count(2)  # of Models: Calibration, Cases
    expect(chosen).to_contain_text("Calibration")
    page.keyboard.press("ArrowDown")
    expect(chosen).to_contain_text("Cases")
    assert box.get_attribute("aria-activedescendant") == chosen.get_attribute("id")
    page.keyboard.press("Escape")
    expect(box).to_have_count(0)
    page.keyboard.press("m")
    page.keyboard.type("xyzzy")
    expect(page.get_by_role("status").filter(has_text="No page or action matches.")).to_be_visible()
    box.fill("who did what")
    page.keyboard.press("Enter")
    expect(page).to_have_title("Audit log · Settings · Touchstone")
    settled(page)
    expect(pages.get_by_role("link", name="Settings")).to_have_attribute("aria-current", "page")
    typed = page.get_by_role("textbox").first
    typed.press("m")
    expect(typed).to_have_value("m")
    expect(box).to_have_count(0)
    page.set_viewport_size({"width": 390, "height": 844})
    page.get_by_test_id("stExpandSidebarButton").click()
    pages.get_by_role("link", name="People").click()
    expect(page).to_have_title("Members · People · Touchstone")
    expect(pages).not_to_be_in_viewport()  # on a telephone the sidebar covers the page, and closes after a choice
    assert page.evaluate("window.stays"), "nothing was loaded anew"


def _bring(home: Home, items: Sequence[Mapping[str, str]], folder: Path, place: str = "Reasoning/counting") -> None:
    """Have these items in the project, of which some may be there."""
    (folder / place).mkdir(parents=True)
    (folder / place / "annotations.json").write_text(json.dumps(items))
    store = home.store()
    import_files.import_files(store, home.media(), by=None, project="tiny", format="egothink", path=folder)
    store.close()


def test_ticks_of_several_pages_are_kept_and_reach_what_is_done(
    page: Page, running: Server, home: Home, tmp_path: Path
) -> None:
    thirty = [{"image_path": "x.png", "question": f"Which, {n}?", "answer": "One."} for n in range(30)]
    _bring(home, thirty, tmp_path, "Object/existence")
    page.goto(f"{running.url}/items?project=tiny&text=Which,&size=25")
    settled(page)
    said = page.get_by_role("status").filter(has_text="selected")
    boxes = page.get_by_role("checkbox", name=re.compile("^Select .*Which"))
    boxes.nth(2).focus()
    page.keyboard.press("Space")
    boxes.nth(5).click(modifiers=["Shift"])
    expect(said).to_have_text("4 selected, 4 on this page")
    page.get_by_role("button", name=">", exact=True).click()
    expect(said).to_have_text("4 selected, 0 on this page")
    expect(boxes).to_have_count(5)
    whole = page.get_by_role("checkbox", name="Select all items on this page")
    whole.check()
    expect(said).to_have_text("9 selected, 5 on this page")
    page.get_by_role("link", name="State", exact=True).click()
    expect(boxes).to_have_count(25)
    expect(said).to_contain_text("9 selected")
    settled(page)
    page.get_by_role("button", name="Change items").click()
    expect(page.get_by_text("9 selected items")).to_be_visible()
    settled(page)
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Deselect all").click()
    expect(page.get_by_role("button", name="Deselect all")).to_be_hidden()
    expect(boxes.and_(page.get_by_role("checkbox", checked=True))).to_have_count(0)


def test_an_export_is_taken_along(page: Page, running: Server, home: Home, tmp_path: Path) -> None:
    _bring(home, ITEMS, tmp_path)  # as in the test of the upload, so the project is not empty in either order
    _open(page, running, "export")
    page.get_by_role("button", name="Prepare").click()
    page.wait_for_selector("text=Ready: ")
    with page.expect_download() as started:
        page.get_by_role("button", name="Download").click()
    started.value.save_as(tmp_path / "out.zip")
    with zipfile.ZipFile(tmp_path / "out.zip") as packed:
        assert packed.testzip() is None
        assert packed.namelist()


def _dimensions(home: Home, login: str) -> tuple[str, ...]:
    store = home.store()
    member = next(m for m in memberships.list_members(store, person=None, project="tiny") if m.person.login == login)
    store.close()
    return member.dimensions or ()


AT_ONCE = (
    "async presses => { for (const each of presses) { each.click(); await new Promise(done => setTimeout(done)); } }"
)


def _give(page: Page, name: str, *titles: str) -> None:
    """Open the dialog about someone and choose dimensions, with one press each, before the page answers any of them."""
    page.get_by_role("button", name=f"Change {name}", exact=True).click()
    dialog = page.get_by_role("dialog", name=name)
    presses = [dialog.get_by_role("button", name=press, exact=True) for press in (*titles, "Save")]
    for press in presses:
        press.wait_for()
    page.evaluate(AT_ONCE, [each.element_handle() for each in presses])
    dialog.wait_for(state="detached")


def test_dimensions_are_given_and_two_presses_deactivate_one_person_and_escape_no_one(
    page: Page, running: Server, home: Home
) -> None:
    _open(page, running, "people")
    _give(page, "Ana", "Counting")
    page.get_by_text("Saved: Ana has the role annotator in Counting.").wait_for()
    assert _dimensions(home, "ana") == ("counting",)
    _give(page, "Bo", "Counting", "Activity")
    page.get_by_text("Saved: Bo has the role annotator in Activity, Counting.").wait_for()
    assert set(_dimensions(home, "bo")) == {"counting", "activity"}
    settled(page)
    page.get_by_role("button", name="Change Ana", exact=True).click()
    page.get_by_role("dialog").get_by_role("button", name="Deactivate the account").click()
    sure = page.get_by_role("dialog", name="Deactivate the account of Ana?")
    sure.wait_for()
    page.keyboard.press("Escape")
    sure.wait_for(state="detached")
    page.get_by_role("button", name="Change Ana", exact=True).click()
    page.get_by_role("dialog", name="Ana").get_by_role("button", name="Deactivate the account").click()
    sure.get_by_role("button", name="Deactivate Ana").dblclick()
    page.get_by_text("Ana can no longer sign in.").wait_for()
    settled(page)
    assert page.get_by_role("dialog").count() == 0
    store = home.store()
    gone = memberships.list_members(store, person=None, project="tiny", active=False)
    assert [each.person.login for each in gone] == ["ana"]
    store.close()
    page.get_by_role("button", name="Reactivate Ana").click()
    page.get_by_text("Ana can sign in again").wait_for()


def test_a_lead_looks_at_a_working_page_and_takes_an_item_by_a_button(page: Page, running: Server, home: Home) -> None:
    """The menu stays beside the preview; the working page has all of the window, and M leads away from it."""
    store = home.store()
    ana = accounts.find_person(store, login="ana")
    asset = image_pool.pool(store, person=ana, project="tiny").assets[-1].id
    task = image_pool.pick(store, person=ana, project="tiny", dimension="counting", assets=[asset])
    written = {"question": "How many cups?", "answer": "Two."}
    submissions.submit(store, person=ana, task=task.id, key="looked at", values=written)
    _open(page, running, "verify")
    expect(page.locator(".ts.preview .saved")).to_have_text("A preview: nothing is saved.")
    expect(page.locator(".ts.preview img").first).to_be_visible()
    expect(page.locator("[data-testid=stSidebar]")).to_be_visible()
    expect(page.get_by_text("How many cups?")).to_have_count(0)
    with sqlite3.connect(home.path / "touchstone.db") as database:
        asked = "SELECT count(*) FROM {} WHERE person_id = (SELECT id FROM person WHERE login = 'lea')"
        seen = [database.execute(asked.format(name)).fetchone() for name in ("task", "exposure")]
        assert seen == [(0,), (0,)]
    database.close()
    page.get_by_role("button", name="Take an item").click()
    expect(page.locator(".ts[data-view=task]")).to_be_visible()
    with sqlite3.connect(home.path / "touchstone.db") as database:
        assert database.execute(asked.format("task")).fetchone() == (1,)
    database.close()
    expect(page.locator("[data-testid=stSidebar]")).to_be_hidden()
    page.goto(f"{running.url}/people?project=tiny")
    page.wait_for_selector(".ts-title")
    lea = accounts.find_person(store, login="lea")
    claims.release(store, person=lea, task=claimed(store, lea, project="tiny").id)
    _open(page, running, "verify")
    expect(page.get_by_role("button", name="Take an item")).to_be_visible()
    store.close()


FINDS = {
    "kappa": "Agreement",
    "inter-rater": "Agreement",
    "invite": "Invite people",
    "add user": "Invite people",
    "password": "Invite people",
    "upload": "Upload files",
    "import": "Import model answers",
    "csv": "Add items",
    "publish": "Next",
    "freeze": "Next",
    "license": "Next",
    "download": "Download items",
    "new project": "New project",
    "create": "Create a release",
    "delete project": "Delete project",
    "rename": "Rename project",
    "trust judge": "Calibration",
    "weakest rater": "Scorecard",
    "best model": "Scores",
    "ranking": "Scores",
    "latex": "Tables",
    "blur": "Privacy",
    "faces": "Privacy",
    "deadline": "Targets and dates",
    "yaml": "Form",
    "instructions": "Guideline",
    "who did what": "Audit log",
    "why rejected": "All items",
    "progress": "Overview",
    "run a model": "Run a model",
    "api": "Runs",
    "sign out": "Sign out",
    "try form": "Preview",
    "release": "Next",
    "items": "All items",
    "settings": "Form",
}
"""What a lead types, and what comes first."""


@needs_every("pages")
def test_m_finds_pages_and_actions_by_ordinary_words(page: Page, running: Server) -> None:
    _open(page, running, "overview")
    page.keyboard.press("m")
    box = page.get_by_role("combobox", name="Find a page or an action")
    found = {}
    for typed in FINDS:
        box.fill(typed)
        found[typed] = page.get_by_role("option", selected=True).locator(".name").inner_text()
    assert found == FINDS
