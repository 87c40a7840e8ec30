"""A question on an item, its answer, an undo, a senior's decision: in browsers, from a shipped schema to the export.

Four people: vera and vic verify, sam settles, lena leads. The test knows what it typed; the exported votes and the
history have to say exactly that.
"""

from __future__ import annotations

import csv
import io
import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from domain.roles import Role
from domain.states import Stage
from media.store import MediaStore
from testkit.browser import settled
from testkit.missing_extensions import needs
from testkit.serving import Server, touchstone
from tests.app.homes import picture
from tests.e2e.people import Desk, at_desk, full_record, opened
from workflow.access import accounts, memberships
from workflow.annotate import image_pool, submissions

pytestmark = [pytest.mark.browser, pytest.mark.slow, needs("pages", "audit")]

PROJECT = "tabletop"
QUESTION = "How many cups are before me?"
ANSWER = "Seventeen."
ASKED = "Does the saucer count as a cup? @sam"
SECOND = "And what of the broken one?"
TOLD = "No, only what one can drink from."
NOTE = 'The handle hides one, "maybe".'
OTHERS = "I saw this cup in another item."


@pytest.fixture
def running(server: Server, tmp_path: Path) -> Server:
    """A project of the shipped schema with one written item."""
    home = server.home
    done = touchstone("project", "create", PROJECT, "--schema", "demo", home=home)
    assert done.returncode == 0, done.stderr
    with opened(server) as store:
        parts: dict[str, tuple[Role, Stage | None]] = {
            "lena": (Role.LEAD, None),
            "sam": (Role.SENIOR, Stage.ADJUDICATION),
            "amy": (Role.ANNOTATOR, Stage.AUTHORING),
            "vera": (Role.ANNOTATOR, Stage.VERIFICATION),
            "vic": (Role.ANNOTATOR, Stage.VERIFICATION),
        }
        people = {}
        for login, (role, stage) in parts.items():
            people[login] = accounts.create_person(store, login=login, name=login.title())
            memberships.set_member(
                store, by=None, project=PROJECT, login=login, role=role, stages=[stage] if stage else None
            )
        (tmp_path / "one.png").write_bytes(picture(1))
        image_pool.add_to_pool(
            store, MediaStore(home / "media"), by=None, project=PROJECT, files=[("one.png", tmp_path / "one.png")]
        )
        amy = people["amy"]
        image = image_pool.pool(store, person=amy, project=PROJECT).assets[0].id
        task = image_pool.pick(store, person=amy, project=PROJECT, dimension="counting", assets=[image])
        submissions.submit(store, person=amy, task=task.id, key="w", values={"question": QUESTION, "answer": ANSWER})
    return server.start()


def test_comments_undo_and_history(running: Server, chromium: Browser, tmp_path: Path, pictures: Path | None) -> None:
    with at_desk(chromium, running, "vera") as vera, at_desk(chromium, running, "sam") as sam:
        _vera_asks_and_votes(vera)
        _sam_answers(sam)
        vera.go(f"/comments?project={PROJECT}")
        expect(vera.page.locator(".comments .words")).to_have_text([ASKED, SECOND])  # the answer is held back
        _vic_votes(chromium, running)
        _sam_settles(sam)
        vera.go("/")
        expect(vera.page.locator("[data-part=mentions]")).to_have_text("1 comment for you")
        vera.page.locator("[data-part=mentions] a").click()
        expect(vera.page.locator(".comments .words")).to_have_text([ASKED, SECOND, TOLD])
        expect(vera.page.locator(".comments li").last).to_contain_text("Sam")
        vera.go("/")
        expect(vera.page.get_by_role("heading", name="My work")).to_be_visible()
        expect(vera.page.locator("[data-part=mentions]")).to_have_count(0)
    _lena_reads_the_history(chromium, running, pictures)
    assert _exported(running, tmp_path) == [("fits", "no", ""), ("fits", "yes", NOTE)]
    assert touchstone("check", PROJECT, home=running.home).returncode == 0


def _numbers(desk: Desk, words: str) -> None:
    expect(desk.bench.locator(".numbers").first).to_have_text(words)


def _vera_asks_and_votes(desk: Desk) -> None:
    desk.open(f"/verify?project={PROJECT}")
    expect(desk.bench).to_have_attribute("data-view", "task")
    _numbers(desk, "0 done, 1 left")
    box = desk.page.locator(".talk textarea")
    expect(box).to_be_hidden()
    desk.press("c")
    expect(box).to_be_focused()
    desk.page.keyboard.type("@vic what do you say?")
    desk.press("Control+Enter")
    expect(desk.page.locator(".talk [role=status]")).to_contain_text("You cannot mention @vic in this comment")
    desk.press("ControlOrMeta+a")
    desk.page.keyboard.type(ASKED)
    desk.page.reload()  # what was typed is there again
    expect(box).to_have_value(ASKED)
    box.click()
    desk.press("Control+Enter")
    expect(desk.page.locator(".talk .words")).to_have_text([ASKED])
    expect(box).to_have_value("")
    desk.page.keyboard.type(SECOND)
    desk.press("Escape")
    desk.next_after("1")  # a comment that was not sent yet is sent with the answer
    _numbers(desk, "1 done, 0 left")
    expect(desk.bench).to_have_attribute("data-view", "nothing")
    desk.press("u")
    expect(desk.bench).to_have_attribute("data-view", "task")
    _numbers(desk, "0 done, 1 left")
    desk.press("c")
    expect(desk.page.locator(".talk .words")).to_have_text([ASKED, SECOND])
    desk.press("Escape")
    desk.next_after("2", "1")
    _numbers(desk, "1 done, 0 left")


def _sam_answers(desk: Desk) -> None:
    desk.open("/")
    expect(desk.page.locator("[data-part=mentions]")).to_contain_text("1 comment for you, 1 item")
    desk.page.locator("[data-part=mentions] a").click()
    thread = desk.page.locator("article")
    expect(thread.locator(".words")).to_have_text([ASKED, SECOND])
    expect(thread).not_to_contain_text("vera")
    thread.get_by_role("button", name="answer").first.click()
    desk.page.keyboard.type(TOLD)
    thread.get_by_role("button", name="Send").click()
    expect(thread.locator(".words")).to_have_text([ASKED, SECOND, TOLD])
    expect(thread.locator("li").last).to_contain_text("hidden until settled")
    expect(thread.locator("li").last).to_contain_text("to someone")


def _vic_votes(chromium: Browser, running: Server) -> None:
    with at_desk(chromium, running, "vic") as desk:
        desk.open(f"/verify?project={PROJECT}")
        expect(desk.bench).to_have_attribute("data-view", "task")
        desk.press("c")
        expect(desk.page.locator(".talk .talkabout")).to_contain_text("Seniors and leads read your comment")
        expect(desk.page.locator(".talk .words")).to_have_count(0)
        desk.page.keyboard.type(OTHERS)
        desk.press("Control+Enter")
        expect(desk.page.locator(".talk .words")).to_have_text([OTHERS])
        desk.press("Escape", "n")
        desk.page.keyboard.insert_text(NOTE)
        desk.press("Escape")
        desk.next_after("1")


def _sam_settles(desk: Desk) -> None:
    desk.go(f"/adjudicate?project={PROJECT}")
    expect(desk.bench).to_have_attribute("data-view", "task")
    with desk.page.context.expect_page() as waiting:
        desk.press("h")
    history = waiting.value
    record = full_record(history)
    expect(record.get_by_text("names are hidden until the item is settled")).to_be_visible()
    settled(history)
    words = record.inner_text() + history.locator("[data-testid=stMain]").inner_text()
    assert not re.search(r"\b(vera|vic|amy)\b", words, re.IGNORECASE)
    assert "replaced by a later answer" in words
    history.close()
    desk.next_after("1", "6")


def _lena_reads_the_history(chromium: Browser, running: Server, pictures: Path | None) -> None:
    with at_desk(chromium, running, "lena") as desk:
        desk.open(f"/overview?project={PROJECT}")
        desk.page.get_by_role("link", name="Counting").first.click()
        expect(desk.page.locator("[data-part=count]")).to_be_visible()
        desk.settled()
        desk.page.get_by_role("link", name=QUESTION).click()
        expect(desk.page.locator("[data-part=item]")).to_contain_text("Kept")
        desk.settled()
        image = desk.page.locator("[data-part=pictures] img")
        expect(image).to_have_count(1)
        desk.page.wait_for_function("image => image.naturalWidth > 0", arg=image.element_handle())
        desk.picture(pictures / "history.png" if pictures else None)
        expect(desk.page.locator(".comments .words")).to_have_text([ASKED, SECOND, TOLD, OTHERS])
        record = full_record(desk.page)
        expect(record.locator("[data-part=author]")).to_contain_text("By Amy")
        origin = record.locator("[data-part=origin] tbody tr")
        expect(origin).to_have_count(2)
        expect(origin.first).to_contain_text("name: one.png")
        expect(origin.last).to_contain_text("Amy")
        table = record.locator("table").nth(1)
        rows = table.locator("tbody tr")
        expect(rows).to_have_count(5)  # the item, vera twice, vic, sam
        said = rows.all_inner_texts()
        assert [row.split("\t")[1].split(" · ")[-1] for row in said] == ["Amy", "Vera", "Vera", "Vic", "Sam"]
        assert "fits: yes" in said[1]
        assert "replaced by a later answer" in said[1]
        assert "fits: no (wrong_answer)" in said[2]
        assert "replaces an earlier answer" in said[2]
        assert QUESTION in said[0]
        assert NOTE in said[3]
        steps = record.locator("table").last
        expect(steps).to_contain_text("reopened the answer (verification)")
        expect(steps).to_contain_text("set the state to kept")


def _exported(running: Server, folder: Path) -> list[tuple[str, str, str]]:
    """The votes that count, as the export has them."""
    file = folder / "votes.csv"
    done = touchstone("item", "export", PROJECT, "ratings", "--out", str(file), home=running.home)
    assert done.returncode == 0, done.stderr
    return sorted(
        (row["criterion"], row["value"], row["note"]) for row in csv.DictReader(io.StringIO(file.read_text()))
    )
