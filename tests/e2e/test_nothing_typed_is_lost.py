"""A lost connection, a reload, a killed server, an expired lease, each in the middle of a long text: nothing is lost.

From a shipped schema through the login: an author types an item, a verifier a note and a comment; the accident comes
between the halves of each text. In one of them a grader types a note, in the same box. What is exported, and what
is kept for the item's history, is what was typed.
"""

from __future__ import annotations

import csv
import json
import re
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, Route, expect
from sqlalchemy import text
from sqlmodel import col, select

from annotation_schemas import shipped
from annotation_schemas.loader import load_schema
from db import item_revisions, items
from db.engine import Store
from db.tables import AnnotationRow, CommentRow
from domain import extensions
from domain.records import Person
from domain.roles import Role
from domain.states import Stage
from media.store import MediaStore
from testkit import postgres
from testkit.factories import claimed
from testkit.kept_items import export_kept
from testkit.serving import Server, touchstone
from tests.app.homes import picture
from tests.e2e.people import Desk, at_desk, opened
from workflow.access import accounts, memberships, projects
from workflow.annotate import image_pool, submissions

pytestmark = [pytest.mark.browser, pytest.mark.slow]

QUESTION = "What am I going to do with the things that stand before me on this table, one after the other?"
ANSWER = " ".join(
    f"Step {n}: I move thing number {n} to the left of thing number {n + 1}, with care." for n in range(1, 10)
)
NOTE = " ".join(f"I looked {n} times and saw {n} things, more or less; see the corner." for n in range(1, 10))
COMMENT = " ".join(f"Does thing {n} count when it lies below thing {n + 1}?" for n in range(1, 10))
GRADE = " ".join(f"It leaves out step {n} of the plan." for n in range(1, 10))
PEOPLE = {
    "amy": (Role.ANNOTATOR, Stage.AUTHORING),
    "vera": (Role.ANNOTATOR, Stage.VERIFICATION),
    "vic": (Role.ANNOTATOR, Stage.VERIFICATION),
    "gail": (Role.ANNOTATOR, Stage.GRADING),
    "lena": (Role.LEAD, None),
}


@dataclass
class Accident:
    """What happens, and how it ends."""

    project: str
    begin: Callable[[Desk], None]
    end: Callable[[Desk], None]


def _offline(desk: Desk) -> None:
    desk.page.context.set_offline(True)


def _online(desk: Desk) -> None:
    desk.page.context.set_offline(False)


def _reload(desk: Desk) -> None:
    desk.page.reload()
    expect(desk.bench).to_have_attribute("data-view", "task")


def _kill(desk: Desk) -> None:
    desk.server.kill()


def _start(desk: Desk) -> None:
    desk.server.start()


def _expire(desk: Desk) -> None:
    with closing(sqlite3.connect(desk.server.home / "touchstone.db", timeout=30)) as connection, connection:
        connection.execute("UPDATE task SET lease_until = '2020-01-01 00:00:00.000000' WHERE state = 'claimed'")


def _nothing(desk: Desk) -> None:
    """The accident is over by itself."""


ACCIDENTS = (
    Accident("connection", _offline, _online),
    Accident("reload", _reload, _nothing),
    Accident("restart", _kill, _start),
    Accident("lease", _expire, _nothing),
)
GRADED = "connection"
"""Where a grader types, too."""


@pytest.fixture(scope="module")
def serving(tmp_path_factory: pytest.TempPathFactory, sqlite_template: Path) -> Iterator[Server]:
    """One server; a project for each accident, with one free image."""
    folder = tmp_path_factory.mktemp("typed")
    home = folder / "home"
    home.mkdir()
    (home / "touchstone.db").write_bytes(sqlite_template.read_bytes())
    server = Server(home)
    with opened(server) as store:
        for login in PEOPLE:
            accounts.create_person(store, login=login, name=login.title())
        for number, accident in enumerate(ACCIDENTS):
            projects.create_project(store, name=accident.project, loaded=load_schema(shipped()["demo"]))
            for login, (role, stage) in PEOPLE.items():
                memberships.set_member(
                    store, by=None, project=accident.project, login=login, role=role, stages=[stage] if stage else None
                )
            name = f"{number}.png"
            (folder / name).write_bytes(picture(number))
            image_pool.add_to_pool(
                store, MediaStore(home / "media"), by=None, project=accident.project, files=[(name, folder / name)]
            )
    yield server.start()
    server.stop()


@pytest.mark.parametrize("accident", ACCIDENTS, ids=lambda accident: accident.project)
def test_nothing_typed_is_lost(accident: Accident, serving: Server, chromium: Browser, tmp_path: Path) -> None:
    project = accident.project
    with at_desk(chromium, serving, "amy") as desk:
        desk.open(f"/author?project={project}&dimension=assistance")
        expect(desk.page.locator(".cell")).to_have_count(1)
        desk.press("Enter")
        expect(desk.bench).to_have_attribute("data-view", "task")
        desk.fill("question", QUESTION)
        _through(desk, accident, {desk.page.locator(".field[data-field=answer] textarea").first: ANSWER})
        desk.next_after("Control+Enter")
    with at_desk(chromium, serving, "vera") as desk:
        desk.open(f"/verify?project={project}")
        expect(desk.bench).to_have_attribute("data-view", "task")
        assert desk.shown("answer") == ANSWER
        desk.press("n", "Escape", "c")
        note, talk = desk.page.locator(".note textarea"), desk.page.locator(".talk textarea")
        _through(desk, accident, {note: NOTE, talk: COMMENT})
        desk.press("Escape")
        desk.next_after("1")
    _fits(serving, "vic", project)
    out = tmp_path / "verified"
    manifest = export_kept(serving.home, project, "egothink", out)
    rows = [row for path in out.rglob("annotations*.json") for row in json.loads(path.read_text())]
    assert [(row["question"], row["answer"]) for row in rows] == [(QUESTION, ANSWER)]
    (item,) = [each["id"] for each in manifest["items"]]
    if accident.project == GRADED:
        answers = tmp_path / "answers.jsonl"
        answers.write_text(json.dumps({"item": item, "model": "amber", "text": "I tidy up."}) + "\n")
        done = touchstone("item", "import", project, "predictions", str(answers), home=serving.home)
        assert done.returncode == 0, done.stderr
        with at_desk(chromium, serving, "gail") as desk:
            desk.open(f"/grade?project={project}")
            expect(desk.bench).to_have_attribute("data-view", "task")
            desk.press("n")
            _through(desk, accident, {desk.page.locator(".note textarea"): GRADE})
            desk.press("Escape")
            desk.next_after("2")
    _history(serving, project, item)


def test_a_text_whose_item_went_to_someone_else_is_kept(serving: Server, chromium: Browser, tmp_path: Path) -> None:
    """Vera writes a long note; her lease ends, and two others fill both slots before she sends it."""
    with opened(serving) as store:
        people = {login: accounts.find_person(store, login=login) for login in ("amy", "vera", "vic")}
        people["val"] = accounts.create_person(store, login="val", name="Val")
        projects.create_project(store, name="taken", loaded=load_schema(shipped()["demo"]))
        for login, person in people.items():
            stage = Stage.AUTHORING if login == "amy" else Stage.VERIFICATION
            memberships.set_member(
                store, by=None, project="taken", login=person.login, role=Role.ANNOTATOR, stages=[stage]
            )
        memberships.set_member(store, by=None, project="taken", login="lena", role=Role.LEAD)
        (tmp_path / "9.png").write_bytes(picture(9))
        free = MediaStore(serving.home / "media")
        image_pool.add_to_pool(store, free, by=None, project="taken", files=[("9.png", tmp_path / "9.png")])
        image = image_pool.pool(store, person=people["amy"], project="taken").assets[0].id
        task = image_pool.pick(store, person=people["amy"], project="taken", dimension="assistance", assets=[image])
        written = {"question": QUESTION, "answer": ANSWER}
        submissions.submit(store, person=people["amy"], task=task.id, key="taken", values=written)
    with at_desk(chromium, serving, "vera") as desk:
        desk.open("/verify?project=taken")
        expect(desk.bench).to_have_attribute("data-view", "task")
        desk.press("n")
        box = desk.page.locator(".note textarea")
        desk.page.keyboard.insert_text(NOTE[: len(NOTE) // 2])
        expect(desk.page.locator(".saved")).to_contain_text("draft saved")
        _expire(desk)
        for faster in ("vic", "val"):
            _fits(serving, faster, "taken")
        desk.page.keyboard.insert_text(NOTE[len(NOTE) // 2 :])
        desk.press("Escape", "2", "1")
        expect(desk.page.locator(".banner")).to_contain_text("went to another person")
        expect(box).to_have_value(NOTE)
        desk.press("Enter")
        expect(desk.bench).to_have_attribute("data-view", "nothing")
        desk.open("/")
        desk.page.get_by_text("Read and copy").click()
        expect(desk.page.get_by_text(NOTE)).to_be_visible()
    if "expired_submissions" in extensions.installed():
        with at_desk(chromium, serving, "lena") as desk:
            desk.open("/items?expired=yes&project=taken")
            desk.page.get_by_role("button", name="Read").click()
            expect(desk.page.get_by_text(NOTE)).to_be_visible()
    votes = tmp_path / "votes.csv"
    done = touchstone("item", "export", "taken", "ratings", "--out", str(votes), home=serving.home)
    assert done.returncode == 0, done.stderr
    assert [row["value"] for row in csv.DictReader(votes.read_text().splitlines())] == ["yes", "yes"]
    assert touchstone("check", "taken", home=serving.home).returncode == 0


def test_what_is_typed_while_something_is_sent_goes_nowhere_by_accident(
    serving: Server, chromium: Browser, tmp_path: Path
) -> None:
    """The form is locked meanwhile and says so. What someone types on is no key of the item that opens then."""
    with opened(serving) as store:
        amy = accounts.find_person(store, login="amy")
        projects.create_project(store, name="slow", loaded=load_schema(shipped()["demo"]))
        for login, stage in (("amy", Stage.AUTHORING), ("vera", Stage.VERIFICATION)):
            memberships.set_member(store, by=None, project="slow", login=login, role=Role.ANNOTATOR, stages=[stage])
        for number in range(20, 23):
            path = tmp_path / f"{number}.png"
            path.write_bytes(picture(number))
            _written(store, serving.home, path, amy, project="slow")
    with at_desk(chromium, serving, "vera") as desk:
        page, held = desk.page, list[Route]()
        page.route("**/api/submit", lambda route: held.append(route))
        page.route("**/api/postpone", lambda route: held.append(route))
        desk.open("/verify?project=slow")
        expect(desk.bench).to_have_attribute("data-view", "task")
        form, status, note = page.locator(".form .scroll"), page.locator(".saved"), page.locator(".note textarea")
        _refused_and_typed_on(desk, held)
        first = _stored(serving)
        desk.press("1")
        expect(status).to_have_text("Sending…")
        expect(form).to_have_js_property("inert", True)
        before = page.locator(".numbers").first.inner_text()
        page.keyboard.type("nblurry at the left")
        expect(note).to_have_value(NOTE)
        expect(page.locator(".submit")).to_be_disabled()
        _under_way(page, held).continue_()
        expect(page.locator(".numbers").first).not_to_have_text(before)
        page.keyboard.type("bul 1nl", delay=40)  # the same words go on: give back, undo, later and a vote
        expect(status).to_contain_text("Not accepted")
        expect(form).to_have_js_property("inert", False)
        expect(note).to_be_hidden()
        assert not page.locator(".choice.chosen").count()
        assert _stored(serving) == [*first, NOTE]
        page.wait_for_timeout(800)
        desk.press("n")
        expect(note).to_be_focused()
        page.keyboard.insert_text("kept by the draft")
        desk.press("Escape", "l")
        expect(form).to_have_js_property("inert", True)
        page.keyboard.type("n lost?")
        _under_way(page, held).continue_()
        expect(status).to_contain_text("Not accepted")  # also if no key comes after the page has opened
        expect(form).to_have_js_property("inert", False)
        expect(note).to_have_value("")
    with opened(serving) as store, store.read() as session:
        kept = session.connection().execute(text("SELECT * FROM draft"))
        assert any("kept by the draft" in str(tuple(row)) for row in kept)


def _refused_and_typed_on(desk: Desk, held: list[Route]) -> None:
    """A submission that the server refuses unlocks the form; the focus is where it was, and words go on there."""
    page, note = desk.page, desk.page.locator(".note textarea")
    desk.press("n")
    page.keyboard.insert_text(NOTE[:40])
    desk.press("Escape", "1")
    expect(desk.page.locator(".form .scroll")).to_have_js_property("inert", True)
    _under_way(page, held).fulfill(status=422, json={"error": "Look at the note.", "problems": []})
    expect(page.locator(".banner")).to_contain_text("Look at the note.")
    expect(note).to_have_value(NOTE[:40])
    note.click()
    desk.press("Control+End")
    page.keyboard.insert_text(NOTE[40:])
    expect(page.locator(".saved")).to_contain_text("draft saved")
    desk.press("Escape")


def _under_way(page: Page, held: list[Route]) -> Route:
    """The request that is held back, as soon as the page has sent it."""
    while not held:
        page.wait_for_timeout(20)
    return held.pop()


def _stored(server: Server) -> list[str]:
    """The notes of all verifications of project ``slow``."""
    with opened(server) as store, store.read() as session:
        found = session.connection().execute(
            text(
                "SELECT note FROM annotation JOIN item ON item.id = annotation.item_id"
                " JOIN project ON project.id = item.project_id"
                " WHERE annotation.stage = 'verification' AND project.name = 'slow' ORDER BY annotation.id"
            )
        )
        return [row[0] for row in found]


class Stopping(Server):
    """A server over that database."""

    def __init__(self, home: Path, url: str) -> None:
        super().__init__(home, TOUCHSTONE_DATABASE_URL=url)

    close = Server.stop


@pytest.mark.postgres
def test_a_database_that_stops_while_someone_works(chromium: Browser, tmp_path: Path) -> None:
    """PostgreSQL stops as Vera types, and again as she sends: the page says so, waits, and sends both by itself."""
    home = tmp_path / "home"
    home.mkdir()
    with postgres.cluster() as cluster, closing(Stopping(home, cluster.url(cluster.create()))) as server:
        with opened(server) as store:
            store.upgrade()
            _one_item(store, home, tmp_path)
        server.start()
        with at_desk(chromium, server, "vera") as desk:
            desk.open("/verify?project=away")
            expect(desk.bench).to_have_attribute("data-view", "task")
            desk.press("n")
            desk.page.keyboard.insert_text(NOTE[:100])
            expect(desk.page.locator(".saved")).to_contain_text("draft saved")
            banner = desk.page.locator(".banner")
            cluster.stop("fast")
            desk.page.keyboard.insert_text(NOTE[100:])
            expect(banner).to_contain_text(re.compile(r"^The database does not answer\..* Keep typing\."))
            desk.press("Escape", "1", "Enter")  # sent while it is away
            expect(banner).to_contain_text(
                "Your submission is kept in this browser and sent when the server answers again."
            )
            reply = desk.page.request.get(f"{server.url}/verify")
            assert reply.status == 503
            assert reply.headers["retry-after"] == "5"
            cluster.start()
            expect(desk.bench).to_have_attribute("data-view", "nothing", timeout=40_000)
            expect(banner).to_be_hidden()
            cluster.stop("fast")
            desk.page.get_by_role("button", name="Check again").click()
            expect(banner).to_contain_text("The next page opens when the server answers again")
            desk.page.reload()
            expect(desk.page.get_by_role("alert")).to_contain_text("The database does not answer.")
            cluster.start()
            expect(desk.bench).to_have_attribute("data-view", "nothing", timeout=40_000)
            expect(banner).to_be_hidden()
        with opened(server) as store, store.read() as session:
            kept = session.connection().execute(text("SELECT note FROM annotation WHERE stage = 'verification'"))
            assert [row[0] for row in kept] == [NOTE]


def _one_item(store: Store, home: Path, folder: Path) -> None:
    """Project ``away`` with one item of Amy's that Vera may verify."""
    projects.create_project(store, name="away", loaded=load_schema(shipped()["demo"]))
    for login, stage in (("amy", Stage.AUTHORING), ("vera", Stage.VERIFICATION)):
        accounts.create_person(store, login=login, name=login.title())
        memberships.set_member(store, by=None, project="away", login=login, role=Role.ANNOTATOR, stages=[stage])
    (folder / "0.png").write_bytes(picture(0))
    _written(store, home, folder / "0.png", accounts.find_person(store, login="amy"), project="away")


def _written(store: Store, home: Path, path: Path, amy: Person, *, project: str) -> None:
    """An item of Amy's about a new image."""
    image_pool.add_to_pool(store, MediaStore(home / "media"), by=None, project=project, files=[(path.name, path)])
    image = image_pool.pool(store, person=amy, project=project).assets[0].id
    task = image_pool.pick(store, person=amy, project=project, dimension="assistance", assets=[image])
    written = {"question": f"{QUESTION} {path.stem}", "answer": ANSWER}
    submissions.submit(store, person=amy, task=task.id, key=f"{project}-{path.stem}", values=written)


def _fits(server: Server, login: str, project: str) -> None:
    """Someone who writes nothing votes for the item, as the page has it stored."""
    with opened(server) as store:
        person = accounts.find_person(store, login=login)
        view = claimed(store, person, project=project)
        submissions.submit(store, person=person, task=view.id, key=view.id, values={"fits": "yes"})


def _through(desk: Desk, accident: Accident, texts: dict[Locator, str]) -> None:
    """Type half of each text, let the accident happen, type the rest; the boxes then hold all of it."""
    for box, words in texts.items():
        box.click()
        middle = len(words) // 2
        desk.page.keyboard.insert_text(words[: middle - 5])
        desk.page.keyboard.type(words[middle - 5 : middle])
    accident.begin(desk)
    for box, words in texts.items():
        expect(box).to_have_value(words[: len(words) // 2])
    for box, words in texts.items():
        box.click()
        desk.press("Control+End")
        desk.page.keyboard.insert_text(words[len(words) // 2 : -5])
        desk.page.keyboard.type(words[-5:])
    accident.end(desk)
    for box, words in texts.items():
        expect(box).to_have_value(words)
    if accident.begin in (_offline, _kill):
        expect(desk.page.locator(".banner")).to_be_hidden(timeout=30_000)


def _history(server: Server, project: str, item: str) -> None:
    """What is kept of the item; ``test_comments_and_history`` looks at the page of it."""
    with opened(server) as store, store.read() as session:
        id = projects.access_to(session, person=None, project=project).project_id
        stored = items.by_external_id(session, project_id=id, external_id=item)
        assert stored is not None
        (written,) = item_revisions.revisions(session, item_id=stored.id)
        of_item = select(AnnotationRow).where(AnnotationRow.item_id == stored.id)
        submitted = session.exec(of_item.order_by(col(AnnotationRow.id))).all()
        said = session.exec(select(CommentRow.text).where(CommentRow.item_id == stored.id)).all()
    assert written.content == {"question": QUESTION, "answer": ANSWER}
    assert [(row.stage, row.note) for row in submitted] == [
        (Stage.AUTHORING, ""),
        (Stage.VERIFICATION, NOTE),
        (Stage.VERIFICATION, ""),
        *[(Stage.GRADING, GRADE)] * (project == GRADED),
    ]
    assert said == [COMMENT]
