"""The working pages in a real browser on the real server: keys, drafts, submissions, and what survives what."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import timedelta
from itertools import count
from pathlib import Path
from string import ascii_lowercase
from typing import Any

import pytest
from PIL import Image
from playwright.sync_api import Locator, Page, Route, expect
from sqlmodel import col, select

from annotation_schemas import shipped
from annotation_schemas.loader import load_schema, load_text
from annotation_schemas.model import LoadedSchema
from db.engine import Store, open_store
from db.tables import (
    AnnotationRow,
    AssetRow,
    DailyGoalRow,
    DraftRow,
    ExposureRow,
    ItemAssetRow,
    ItemRow,
    MediaObjectRow,
    SessionRow,
    TaskRow,
)
from domain import extensions
from domain.records import Person
from domain.roles import Role
from domain.states import ItemState
from media.store import MediaStore
from testkit.factories import claimed, make_items, make_person, make_predictions, make_project, make_schema
from testkit.serving import Server
from workflow.access import sign_in
from workflow.annotate import image_pool, submissions
from workflow.annotate.no_work import WAITS_FOR_MEDIA
from workflow.files.project_check import check

pytestmark = pytest.mark.browser

numbers = count(1)

SEVERAL = """
name: several
version: 1
title: Several criteria
guideline: several.md
dimensions: [{id: colour, title: Colour, definition: "A colour."}]
item:
  assets: [{role: image, kind: image}]
  fields:
    - {name: question, kind: text}
stages:
  verification:
    raters: 2
    criteria:
      - {name: sees, kind: choice, prompt: "Is it seen right?",
         options: [{value: "yes", label: "Right"}, {value: "no", label: "Wrong"}]}
      - {name: hard, kind: scale, prompt: "How hard?", values: [1, 2, 3], show_if: {sees: ["yes"]}}
      - {name: remark, kind: text, prompt: "A remark?", required: false}
      - {name: acts, kind: choice, prompt: "Is the action right?",
         options: [{value: "yes", label: "Right"},
                   {value: "no", label: "Wrong", reasons: [{value: late, label: Late}]}]}
    keep: {rule: unanimous, criterion: sees, value: "yes"}
"""
"""Four criteria: one that opens another, one in words, one that asks why."""


@dataclass
class Place:
    """A running server, its database, and ways to bring people and work into it."""

    server: Server
    store: Store
    media: MediaStore

    def project(self, loaded: LoadedSchema | None = None) -> str:
        """A new project; its name."""
        return make_project(self.store, name=f"p{next(numbers)}", loaded=loaded)

    def person(self, project: str, role: Role = Role.ANNOTATOR, **part: Any) -> Person:
        """Someone new with a part in a project."""
        return make_person(self.store, f"someone{next(numbers)}", project=project, role=role, **part)

    def sign_in(self, page: Page, person: Person) -> None:
        """Give the browser a session."""
        token = sign_in.start_session(self.store, person=person)
        page.context.add_cookies([{"name": "touchstone_session", "value": token, "url": self.server.url}])

    def open(self, page: Page, screen: str, *, project: str, person: Person) -> None:
        """Sign in and open a working page."""
        self.sign_in(page, person)
        page.goto(f"{self.server.url}/{screen}?project={project}")
        expect(page.locator(".ts .line")).to_be_visible(timeout=20_000)

    def votes(self, person: Person) -> list[AnnotationRow]:
        """What someone submitted, oldest first."""
        with self.store.read() as session:
            wanted = select(AnnotationRow).where(AnnotationRow.person_id == person.id).order_by(col(AnnotationRow.id))
            return list(session.exec(wanted))

    def draft(self, person: Person) -> Any:
        """What of someone's typing is in the database."""
        with self.store.read() as session:
            kept = session.exec(select(DraftRow).where(DraftRow.person_id == person.id)).all()
            return max(kept, key=lambda row: row.seq).content if kept else None


@pytest.fixture(scope="module")
def place(sqlite_template: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    """One server for all tests here; every test brings a project of its own."""
    home = tmp_path_factory.mktemp("workbench") / "home"
    home.mkdir()
    (home / "touchstone.db").write_bytes(sqlite_template.read_bytes())
    store = open_store(f"sqlite:///{home / 'touchstone.db'}", home)
    server = Server(home).start()
    yield Place(server, store, MediaStore(home / "media"))
    server.stop()
    store.close()


def until(holds: Callable[[], Any], *, seconds: float = 20) -> Any:
    """Wait for something that is true, and return it."""
    end = time.monotonic() + seconds
    while not (found := holds()):
        assert time.monotonic() < end, "this never came true"
        time.sleep(0.02)
    return found


def asked(page: Page) -> Any:
    """The item's question, as it stands on the page."""
    return page.locator(".ts .shown[data-field=question] .value")


def next_question(page: Page, before: str) -> str:
    """Return the question once it is another one, and the page takes keys."""
    expect(asked(page)).not_to_have_text(before)
    expect(page.locator(".ts [aria-busy=true]")).to_have_count(0)
    return str(asked(page).inner_text())


# ---- verify ---------------------------------------------------------------------------------------------------------


def test_the_next_item_is_shown_while_the_answer_is_sent_and_is_noted_before_that(
    place: Place, browser_page: Page
) -> None:
    project = place.project()
    make_items(place.store, 14, project=project)
    person = place.person(project)

    def noted() -> list[int | None]:
        with place.store.read() as session:
            wanted = select(ExposureRow.item_id).where(ExposureRow.person_id == person.id)
            return list(dict.fromkeys(session.exec(wanted.order_by(col(ExposureRow.id)))))

    def reserved() -> int:
        with place.store.read() as session:
            wanted = select(TaskRow.id).where(TaskRow.person_id == person.id, TaskRow.reserved)
            return len(session.exec(wanted).all())

    held: list[Route] = []
    browser_page.route("**/api/submit", lambda route: held.append(route))
    place.open(browser_page, "verify", project=project, person=person)
    first = str(asked(browser_page).inner_text())
    browser_page.wait_for_timeout(300)
    assert (len(noted()), reserved()) == (2, 1)  # the second one is in the browser, so the ledger names it
    browser_page.keyboard.press("1")
    second = next_question(browser_page, first)
    expect(browser_page.locator(".saved")).to_have_text("Sending…")
    assert place.votes(person) == []
    until(lambda: held)
    held.pop().continue_()
    expect(browser_page.locator(".saved")).to_have_text(re.compile("^saved "))
    assert len(place.votes(person)) == 1
    assert len(until(lambda: noted() if len(noted()) == 3 else None)) == 3
    assert asked(browser_page).inner_text() == second
    browser_page.keyboard.press("2")
    next_question(browser_page, second)
    until(lambda: held)
    held.pop().fulfill(status=409, json={"error": "Someone else has this task.", "problems": []})
    expect(asked(browser_page)).to_have_text(second)
    expect(browser_page.locator(".banner")).to_contain_text("Someone else has this task.")
    browser_page.unroute("**/api/submit")
    browser_page.goto("about:blank")
    until(lambda: not reserved())
    assert check(place.store) == []


def test_one_key_votes_and_the_next_item_comes_and_undo_skips_and_problems(place: Place, browser_page: Page) -> None:
    project = place.project()
    make_items(place.store, 3, project=project)
    person = place.person(project)
    problem = {"name": "choice", "message": "Look again."}
    browser_page.route(
        "**/api/submit", lambda route: route.fulfill(status=422, json={"error": "No.", "problems": [problem]}), times=1
    )
    place.open(browser_page, "verify", project=project, person=person)
    expect(browser_page.locator(".ts .choice .slot")).to_have_text(["1", "2", "3"])
    expect(browser_page.locator(".ts .choice .label")).to_have_text(["red", "blue", "Skip"])
    numbers_left = browser_page.locator(".numbers").first
    expect(numbers_left).to_have_text("0 done, 3 left")
    today = browser_page.locator(".numbers.note-on-top")
    expect(today).to_have_count(0)
    with place.store.write() as session:
        session.add(DailyGoalRow(person_id=person.id, tasks=50, set_at=place.store.now()))
    first = str(asked(browser_page).inner_text())
    browser_page.keyboard.press("1")  # the server finds something wrong: it is said at the criterion
    expect(browser_page.locator("[data-criterion=choice] .error")).to_have_text("Look again.")
    browser_page.keyboard.press("2")
    second = next_question(browser_page, first)
    expect(browser_page.locator(".saved")).to_have_text(re.compile(r"^saved \d\d:\d\d:\d\d$"))
    expect(numbers_left).to_have_text("1 done, 2 left")
    expect(today).to_have_text(["1 of 50 today"] if "own_pace" in extensions.installed() else [])
    assert [vote.answers for vote in place.votes(person)] == [{"choice": "blue"}]
    browser_page.evaluate("() => { const at = Date.now(); window.now = Date.now; Date.now = () => at; }")
    browser_page.keyboard.press("u")
    expect(asked(browser_page)).to_have_text(first)
    expect(browser_page.locator(".choice.chosen .label")).to_have_text("blue")
    browser_page.keyboard.press("Control+Enter")  # all is filled in, and no one can have looked at it yet
    browser_page.keyboard.press("Enter")
    expect(browser_page.locator(".saved")).to_have_text(re.compile("^Not submitted: the next item had just opened"))
    browser_page.evaluate("() => { Date.now = window.now; }")
    expect(numbers_left).to_have_text("0 done, 3 left")
    browser_page.keyboard.press("1")
    next_question(browser_page, first)
    before, after = place.votes(person)
    assert (before.answers, after.answers) == ({"choice": "blue"}, {"choice": "red"})
    assert after.supersedes_id == before.id
    expect(asked(browser_page)).to_have_text(second)
    browser_page.keyboard.press("3")
    expect(browser_page.locator(".why .choice .label")).to_have_text(["Unclear"])
    assert len(place.votes(person)) == 2
    browser_page.keyboard.press("Escape")
    expect(browser_page.locator(".why .choice")).to_have_count(0)
    browser_page.keyboard.press("3")
    browser_page.keyboard.press("1")
    third = next_question(browser_page, second)
    skipped = place.votes(person)[-1]
    assert (skipped.answers, skipped.reasons) == ({"choice": None}, {"choice": "unclear"})
    sheet = browser_page.get_by_role("dialog")
    browser_page.keyboard.press("?")
    expect(sheet).to_contain_text("submit from anywhere")
    browser_page.keyboard.press("2")
    browser_page.keyboard.press("Escape")
    expect(sheet).to_have_count(0)
    expect(asked(browser_page)).to_have_text(third)
    assert len(place.votes(person)) == 3, "what lies under the list hears no keys"
    browser_page.keyboard.press("2")
    expect(browser_page.locator(".nothing")).to_contain_text("wait for other people")
    assert place.votes(person)[-1].answers == {"choice": "blue"}
    browser_page.keyboard.press("m")
    box = browser_page.get_by_role("combobox", name="Find a page or an action")
    expect(browser_page.get_by_role("option").first).to_contain_text("My work")
    browser_page.keyboard.type("v", delay=20)
    expect(browser_page.get_by_role("option", selected=True)).to_contain_text("Verify")
    browser_page.keyboard.press("Escape")
    expect(box).to_have_count(0)
    browser_page.keyboard.press("m")  # the focus is back on the page, where it opens the list
    expect(box).to_have_value("")
    browser_page.keyboard.press("1")
    expect(browser_page.get_by_role("heading", name="My work")).to_be_visible()


def test_focus_walks_down_several_criteria_and_the_last_one_submits(place: Place, browser_page: Page) -> None:
    project = place.project(load_text(SEVERAL, "# Look twice\n\nThen *answer*.", "several"))
    make_items(place.store, 3, project=project, fields={"question": "Same?"})
    person = place.person(project)
    place.open(browser_page, "verify", project=project, person=person)
    guide = browser_page.locator(".guide")
    expect(guide).to_be_hidden()
    browser_page.keyboard.press("g")
    expect(guide.locator("h1")).to_have_text("Look twice")
    active = browser_page.locator(".criterion.active")
    expect(active).to_have_attribute("data-criterion", "sees")
    expect(browser_page.locator("[data-criterion=hard]").first).to_be_hidden()
    browser_page.keyboard.press("1")
    expect(active).to_have_attribute("data-criterion", "hard")
    browser_page.keyboard.press("3")
    expect(active).to_have_attribute("data-criterion", "acts")
    browser_page.keyboard.press("ArrowUp")
    browser_page.keyboard.type("1 of 2")
    browser_page.keyboard.press("Escape")
    browser_page.keyboard.press("ArrowDown")
    browser_page.keyboard.press("1")
    first = until(lambda: place.votes(person))[0]
    assert first.answers == {"sees": "yes", "hard": 3, "remark": "1 of 2", "acts": "yes"}
    expect(browser_page.locator(".choice.chosen")).to_have_count(0)
    browser_page.keyboard.press("1")
    browser_page.keyboard.press("2")
    browser_page.keyboard.press("ArrowUp")
    browser_page.keyboard.press("Escape")
    browser_page.keyboard.press("ArrowUp")
    browser_page.keyboard.press("ArrowUp")
    browser_page.keyboard.press("2")
    expect(browser_page.locator(".criterion[data-criterion=hard]")).to_be_hidden()
    browser_page.keyboard.press("2")
    browser_page.keyboard.press("1")
    second = until(lambda: len(place.votes(person)) == 2 and place.votes(person)[1])
    assert (second.answers, second.reasons) == ({"sees": "no", "acts": "no"}, {"acts": "late"}), (
        "the hidden one is dropped"
    )
    expect(guide).to_be_visible()  # the guideline stays open
    browser_page.reload()
    expect(guide.locator("em")).to_have_text("answer")
    browser_page.keyboard.press("g")
    expect(guide).to_be_hidden()
    # In a box, keys type; and Control and Enter submit from there.
    browser_page.keyboard.press("n")
    browser_page.keyboard.type("1 2 u g l r c")
    expect(browser_page.locator(".note textarea")).to_have_value("1 2 u g l r c")
    browser_page.keyboard.press("Control+Enter")
    expect(browser_page.locator("[data-criterion=sees] .error")).to_have_text("Choose one.")
    browser_page.keyboard.press("2")
    expect(active).to_have_attribute("data-criterion", "acts")
    browser_page.keyboard.press("1")
    third = until(lambda: len(place.votes(person)) == 3 and place.votes(person)[2])
    assert third.note == "1 2 u g l r c"


def test_everything_of_a_single_image_item_is_visible(place: Place, browser_page: Page, tmp_path: Path) -> None:
    project = place.project(load_schema(shipped()["demo"]))
    author = place.person(project)
    _fill_pool(place, project, tmp_path, 1)
    _write(place, project, author, question="What do I hold in my right hand, and what is next to it?", answer="A cup.")
    person = place.person(project)
    place.open(browser_page, "verify", project=project, person=person)
    image = browser_page.locator(".media img.view")
    until(lambda: image.evaluate("image => image.naturalWidth"))
    for width, height in ((1280, 800), (1366, 768), (1920, 1080)):
        browser_page.set_viewport_size({"width": width, "height": height})
        browser_page.evaluate("() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
        _all_is_visible(browser_page, image, width, height)
    browser_page.keyboard.press("2")  # a reason in words
    expect(browser_page.locator(".why .choice")).to_have_count(6)
    browser_page.keyboard.press("6")
    browser_page.keyboard.type("12 cups, not 1")
    browser_page.keyboard.press("Enter")
    expect(browser_page.locator(".nothing")).to_be_visible()
    (vote,) = place.votes(person)
    assert (vote.answers, vote.reasons) == ({"fits": "no"}, {"fits": "12 cups, not 1"})


def _all_is_visible(page: Page, image: Locator, width: int, height: int) -> None:
    pane = page.locator(".media").bounding_box()
    drawn = image.bounding_box()
    assert pane is not None
    assert drawn is not None
    assert pane["width"] >= width / 2
    assert drawn["width"] * drawn["height"] >= 0.9 * min(width / 2 * height, pane["width"] ** 2 * 3 / 4)
    for wanted in (".shown", ".choice", ".submit", ".media img.view", ".tool"):
        for each in page.locator(wanted).all():
            box = each.bounding_box()
            assert box is not None
            assert box["x"] >= 0
            assert box["x"] + box["width"] <= width
            assert box["y"] + box["height"] <= height, wanted
    for scroller in (".scroll", "[data-testid=stMain]"):
        assert page.locator(scroller).evaluate("one => one.scrollHeight - one.clientHeight") <= 0


def test_text_from_data_stays_text(place: Place, browser_page: Page) -> None:
    nasty = "<img src=x onerror=\"document.title='owned'\"><b>bold</b> **md** ![](http://far.example/x.png)"
    project = place.project()
    fields = {"question": nasty, "options": [nasty, "blue"], "answer": "blue"}
    make_items(place.store, 1, project=project, fields=fields)
    person = place.person(project)
    outside: list[str] = []
    browser_page.on("request", lambda request: outside.append(request.url) if "127.0.0.1" not in request.url else None)
    place.open(browser_page, "verify", project=project, person=person)
    expect(asked(browser_page)).to_have_text(nasty)
    expect(browser_page.locator(".choice .label").first).to_have_text(nasty)
    assert browser_page.locator(".ts .item b, .ts .item img").count() == 0
    assert "owned" not in browser_page.title()
    assert [url for url in outside if not url.startswith(("data:", "blob:"))] == []


def test_nothing_secret_reaches_the_browser_and_grading_takes_one_key_an_answer(
    place: Place, browser_page: Page
) -> None:
    project = place.project()
    author = place.person(project)
    fields = {"question": "Which?", "options": ["red", "blue"], "answer": "blue", "origin": "hush-hush"}
    (item,) = make_items(place.store, 1, project=project, author_id=author.id, fields=fields)
    other = place.person(project)
    view = claimed(place.store, other, project=project)
    submissions.submit(
        place.store,
        person=other,
        task=view.id,
        key="k",
        values={"choice": None},
        reasons={"choice": "unclear"},
        note="psst",
    )
    make_predictions(place.store, [item], models=["gpt-secret", "alpha-model"], project=project)
    person = place.person(project)
    heard: list[str] = []

    def listen(frame: Any) -> None:
        heard.append(frame.decode(errors="replace") if isinstance(frame, bytes) else str(frame))

    browser_page.on("websocket", lambda socket: socket.on("framereceived", listen))
    place.open(browser_page, "verify", project=project, person=person)
    place_of_grade = browser_page.context.new_page()
    place_of_grade.on("websocket", lambda socket: socket.on("framereceived", listen))
    place.open(place_of_grade, "grade", project=project, person=person)
    answer = place_of_grade.locator(".shown.answer .value")
    expect(place_of_grade.locator(".ts .term").nth(1)).to_have_text("Reference")
    expect(place_of_grade.locator(".choice .step")).to_have_text(["0", "0.5", "1"])
    expect(place_of_grade.locator(".shown.answer .term")).to_contain_text("answer 1 of 2")
    first = str(answer.inner_text())
    place_of_grade.keyboard.press("2")
    expect(answer).not_to_have_text(first)
    expect(place_of_grade.locator(".shown.answer .term")).to_contain_text("answer 2 of 2")
    place_of_grade.keyboard.press("3")
    expect(place_of_grade.locator(".nothing")).to_be_visible()
    assert [vote.answers for vote in place.votes(person)] == [{"score": 0.5}, {"score": 1}]
    said = "\n".join(heard)
    assert "Which?" in said, "the frames are readable"
    for secret in (
        "hush-hush",
        "psst",
        "gpt-secret",
        "alpha-secret",
        author.name,
        other.name,
        author.login,
        other.login,
    ):
        assert secret not in said
    verifying = next(frame for frame in heard if '"verification"' in frame and '"task"' in frame)
    assert '"answer":"blue"' not in verifying.replace('": "', '":"')


# ---- author ---------------------------------------------------------------------------------------------------------


def _fill_pool(place: Place, project: str, folder: Path, n: int) -> None:
    files = []
    for at in range(n):
        path = folder / f"{at}.png"
        Image.new("RGB", (800, 600), (40 + at * 7 % 200, next(numbers) * 3 % 256, at % 256)).save(path)
        files.append((path.name, path))
    image_pool.add_to_pool(place.store, place.media, by=None, project=project, files=files)


def _write(place: Place, project: str, author: Person, dimension: str = "existence", **fields: Any) -> None:
    free = image_pool.pool(place.store, person=author, project=project, dimension=dimension).assets
    task = image_pool.pick(place.store, person=author, project=project, dimension=dimension, assets=[free[0].id])
    submissions.submit(place.store, person=author, task=task.id, key=f"k{task.id}", values=fields)


def test_author_picks_writes_is_back_at_the_same_place_and_corrects_it(
    place: Place, browser_page: Page, tmp_path: Path
) -> None:
    project = place.project(load_schema(shipped()["demo"]))
    person = place.person(project, dimensions=["existence", "counting"])
    _fill_pool(place, project, tmp_path, 12)
    _write(place, project, person, dimension="counting", question="How many cups are before me?", answer="Two.")
    place.open(browser_page, "author", project=project, person=person)
    cells = browser_page.locator(".cell")
    expect(cells).to_have_count(11)
    expect(browser_page.locator(".dim")).to_contain_text(["Existence", "Counting"])
    browser_page.keyboard.press("2")
    expect(browser_page.locator(".dim[aria-selected=true]")).to_contain_text("Counting")
    for key in ("ArrowRight", "ArrowRight", "ArrowRight", "Enter"):
        browser_page.keyboard.press(key)
    question = browser_page.locator("[data-field=question] textarea")
    expect(question).to_be_focused()
    browser_page.keyboard.type("How many cups are before me")
    expect(browser_page.locator(".similar.exact")).to_contain_text("How many cups are before me?")
    browser_page.keyboard.press("Control+Enter")
    expect(browser_page.locator("[data-field=answer] .error")).to_have_text("This field is required.")
    browser_page.keyboard.press("Shift+Tab")
    question.fill("Wo?")
    browser_page.keyboard.press("Enter")
    expect(browser_page.locator("[data-field=question] .error")).to_contain_text("at least 5")
    question.fill("How many red mugs are on my left?")
    expect(browser_page.locator(".similar")).to_have_count(0)
    answer = browser_page.locator("[data-field=answer] textarea")
    answer.fill("Three.")
    browser_page.keyboard.press("Control+Enter")
    expect(cells).to_have_count(10)
    expect(browser_page.locator(".cell").nth(3)).to_have_class(re.compile(r"\bat\b"))
    expect(browser_page.locator(".dim[aria-selected=true]")).to_contain_text("Counting")
    last = place.votes(person)[-1]
    assert last.answers == {"question": "How many red mugs are on my left?", "answer": "Three."}
    assert last.dimension == "counting"
    expect(browser_page.locator("[data-testid=stTextInput], [data-testid=stTextArea]")).to_have_count(0)
    browser_page.keyboard.press("u")  # an author takes an item back
    expect(answer).to_have_value("Three.")
    answer.fill("Four.")
    expect(browser_page.locator(".similar")).to_have_count(0)
    browser_page.keyboard.press("Control+Enter")
    expect(cells.first).to_be_visible()
    *_, first, second = place.votes(person)
    assert (first.id, second.answers["answer"], second.supersedes_id) == (last.id, "Four.", last.id)
    assert (first.revision, second.revision) == (1, 2)


def test_an_image_that_someone_else_took_fades(place: Place, browser_page: Page, tmp_path: Path) -> None:
    project = place.project(load_schema(shipped()["demo"]))
    person, other = place.person(project), place.person(project)
    _fill_pool(place, project, tmp_path, 5)
    place.open(browser_page, "author", project=project, person=person)
    cells = browser_page.locator(".cell")
    expect(cells).to_have_count(5)
    first = str(cells.first.get_attribute("id")).removeprefix("pool-")
    image_pool.pick(place.store, person=other, project=project, dimension="existence", assets=[first])
    browser_page.keyboard.press("Enter")
    until(lambda: browser_page.locator(".banner:visible, .cell.gone").count() or cells.count() == 4)
    expect(cells).to_have_count(4)
    expect(browser_page.locator(f"#pool-{first}")).to_have_count(0)
    second = str(cells.nth(1).get_attribute("id")).removeprefix("pool-")
    image_pool.pick(place.store, person=other, project=project, dimension="existence", assets=[second])
    expect(browser_page.locator(f"#pool-{second}")).to_have_count(0)


def test_options_are_written_and_the_answer_is_picked_among_them(
    place: Place, browser_page: Page, tmp_path: Path
) -> None:
    project = place.project(make_schema())
    person = place.person(project)
    _fill_pool(place, project, tmp_path, 1)
    place.open(browser_page, "author", project=project, person=person)
    browser_page.keyboard.press("Enter")
    expect(browser_page.locator("[data-field=question] textarea")).to_be_focused()
    for line in ("Which colour is it?", "red", "blue"):
        browser_page.keyboard.type(line)
        browser_page.keyboard.press("Enter")
    browser_page.keyboard.press("Escape")
    browser_page.keyboard.press("2")
    expect(browser_page.locator("[data-field=answer] .choice.chosen .label")).to_have_text("blue")
    browser_page.locator("[data-field=options] textarea").nth(1).fill("green")
    expect(browser_page.locator("[data-field=answer] .error")).to_contain_text("“blue” is not one of the options")
    browser_page.keyboard.press("Escape")
    browser_page.keyboard.press("2")
    browser_page.keyboard.press("Control+Enter")
    (written,) = until(lambda: place.votes(person))
    assert written.answers == {"question": "Which colour is it?", "options": ["red", "green"], "answer": "green"}


# ---- adjudicate, grade ----------------------------------------------------------------------------------------------


def _disagree(place: Place, project: str, n: int = 1) -> list[int]:
    made = make_items(place.store, n, project=project)
    for choice in ("red", "blue"):
        voter = place.person(project)
        for _ in range(n):
            view = claimed(place.store, voter, project=project)
            submissions.submit(
                place.store, person=voter, task=view.id, key=f"{voter.id}-{view.id}", values={"choice": choice}
            )
    return made


def _state(place: Place, item: int) -> ItemState:
    with place.store.read() as session:
        return session.exec(select(ItemRow.state).where(ItemRow.id == item)).one()


def test_a_senior_sees_both_votes_and_settles_with_keys(place: Place, browser_page: Page) -> None:
    project = place.project()
    made = _disagree(place, project, 3)
    senior = place.person(project, Role.SENIOR)
    place.open(browser_page, "adjudicate", project=project, person=senior)
    expect(browser_page.locator(".votes thead th")).to_have_text(["Vote A", "Vote B"])
    expect(browser_page.locator(".votes tr.differs td")).to_have_count(2)
    first = str(asked(browser_page).inner_text())
    browser_page.evaluate("() => { let at = Date.now(); window.pass = (ms) => { at += ms; }; Date.now = () => at; }")
    browser_page.keyboard.press("1")
    expect(browser_page.locator(".why .choice .label")).to_have_text(["Wrong key"])
    browser_page.evaluate("pass(900)")
    browser_page.keyboard.press("1")
    expect(browser_page.locator(".saved")).to_contain_text("the same key was pressed twice")
    reason = browser_page.locator(".why .choice")
    browser_page.keyboard.press("Escape")
    browser_page.locator(".decisions .choice").first.click()
    browser_page.evaluate("pass(400)")
    reason.click()
    expect(browser_page.locator(".saved")).to_contain_text("the same key was pressed twice")
    browser_page.evaluate("pass(101)")
    reason.click()
    second = next_question(browser_page, first)
    browser_page.keyboard.press("1")
    expect(browser_page.locator(".saved")).to_contain_text("the next item had just opened")
    assert [vote.answers["decision"] for vote in place.votes(senior)] == ["accept"]
    browser_page.evaluate("pass(1_000)")
    browser_page.keyboard.press("2")
    expect(browser_page.locator(".why .choice .label")).to_have_text(["Wrong key"])
    browser_page.keyboard.press("1")
    next_question(browser_page, second)
    browser_page.evaluate("pass(1_000)")
    browser_page.keyboard.press("3")
    browser_page.keyboard.press("1")
    expect(browser_page.locator(".why .ask")).to_contain_text("Wrong key")
    question = browser_page.locator("[data-field=question] textarea")
    expect(question).to_be_focused()
    browser_page.keyboard.press("Control+Enter")
    expect(browser_page.locator(".adjudicate .error:visible")).to_contain_text("You have not changed anything")
    question.fill("Which colour has it now?")
    browser_page.keyboard.press("Control+Enter")
    expect(browser_page.locator(".nothing")).to_be_visible()
    decisions = [vote.answers["decision"] for vote in place.votes(senior)]
    assert decisions == ["accept", "reject", "edit"]
    assert [vote.answers["cause"] for vote in place.votes(senior)] == ["wrong_key"] * 3
    assert place.votes(senior)[2].answers["fields"] == {"question": "Which colour has it now?"}, "only what was changed"
    assert sorted(_state(place, item) for item in made) == ["in_verification", "kept", "rejected"]


# ---- what survives --------------------------------------------------------------------------------------------------


def _with_note(place: Place, page: Page, items: int = 2) -> tuple[str, Person]:
    project = place.project()
    make_items(place.store, items, project=project)
    person = place.person(project)
    place.open(page, "verify", project=project, person=person)
    page.keyboard.press("n")
    return project, person


def test_a_draft_is_sent_within_a_second_and_survives_a_reload(place: Place, browser_page: Page) -> None:
    browser_page.clock.install()
    _, person = _with_note(place, browser_page)
    stop(browser_page)
    browser_page.keyboard.type("half a thou")
    browser_page.clock.run_for(1_000)
    until(lambda: (place.draft(person) or {}).get("note") == "half a thou")
    browser_page.clock.resume()
    expect(browser_page.locator(".saved")).to_have_text(re.compile(r"^draft saved \d\d:\d\d:\d\d$"))
    browser_page.reload()
    expect(browser_page.locator(".note textarea")).to_have_value("half a thou")


def test_typing_that_never_reached_the_server_is_back_after_a_reload(place: Place, browser_page: Page) -> None:
    browser_page.route("**/api/draft", lambda route: route.abort())
    _, person = _with_note(place, browser_page)
    browser_page.keyboard.type("only here")
    expect(browser_page.locator(".banner")).to_contain_text("Keep typing")
    assert place.draft(person) is None
    browser_page.unroute("**/api/draft")
    browser_page.reload()
    expect(browser_page.locator(".note textarea")).to_have_value("only here")
    until(lambda: (place.draft(person) or {}).get("note") == "only here")


def test_a_submission_made_offline_is_sent_once_when_the_server_is_back(place: Place, browser_page: Page) -> None:
    _, person = _with_note(place, browser_page)
    first = str(asked(browser_page).inner_text())
    browser_page.context.set_offline(True)
    browser_page.keyboard.type("far away")
    browser_page.keyboard.press("Escape")
    browser_page.keyboard.press("1")
    expect(browser_page.locator(".banner")).to_contain_text("sent when the server answers again")
    browser_page.keyboard.press("2")
    assert place.votes(person) == []
    browser_page.context.set_offline(False)
    next_question(browser_page, first)
    (vote,) = place.votes(person)
    assert (vote.answers, vote.note) == ({"choice": "red"}, "far away")


COUNT_DIALOGS = """() => {
    window.dialogsGone = 0;
    const gone = node => { if (node.querySelector?.('[aria-label=Close]')) window.dialogsGone++; };
    new MutationObserver(changes => changes.forEach(change => change.removedNodes.forEach(gone)))
        .observe(document.body, {childList: true});
}"""
"""From now on the page counts the dialogs of Streamlit that have come and gone."""


def test_a_killed_server_costs_no_keystroke(place: Place, browser_page: Page) -> None:
    _, person = _with_note(place, browser_page)
    first = str(asked(browser_page).inner_text())
    browser_page.keyboard.type("before, ")
    until(lambda: place.draft(person))
    browser_page.evaluate(COUNT_DIALOGS)
    place.server.kill()
    typed = "before, "
    while not browser_page.evaluate("window.dialogsGone"):  # while Streamlit notices, and covers the page
        browser_page.keyboard.type(ascii_lowercase, delay=15)
        typed += ascii_lowercase
        assert len(typed) < 10_000, "Streamlit has shown no dialog"
    browser_page.keyboard.type(", after")
    typed += ", after"
    expect(browser_page.locator(".banner")).to_contain_text("Keep typing")
    expect(browser_page.locator(".note textarea")).to_have_value(typed)
    place.server.start()
    until(lambda: place.draft(person).get("note") == typed)
    expect(browser_page.locator(".banner")).to_be_hidden()
    browser_page.keyboard.press("Escape")
    browser_page.keyboard.press("1")
    next_question(browser_page, first)
    (vote,) = place.votes(person)
    assert vote.note == typed


def test_a_server_killed_before_it_could_acknowledge_stores_the_submission_once(
    place: Place, browser_page: Page
) -> None:
    def store_it_and_die(route: Any) -> None:
        route.fetch()  # the server has it on disk ...
        place.server.kill()
        route.abort()  # ... and the page never hears of it

    browser_page.route("**/api/submit", store_it_and_die, times=1)
    _, person = _with_note(place, browser_page)
    first = str(asked(browser_page).inner_text())
    browser_page.keyboard.press("Escape")
    browser_page.keyboard.press("1")
    expect(browser_page.locator(".banner")).to_contain_text("sent when the server answers again")
    assert len(place.votes(person)) == 1
    place.server.start()
    expect(asked(browser_page)).not_to_have_text(first)
    assert [vote.answers for vote in place.votes(person)] == [{"choice": "red"}]


def test_a_reload_in_the_middle_of_submitting_stores_it_once(place: Place, browser_page: Page) -> None:
    browser_page.route("**/api/submit", lambda route: route.abort())
    _, person = _with_note(place, browser_page)
    first = str(asked(browser_page).inner_text())
    browser_page.keyboard.type("sent")
    browser_page.keyboard.press("Escape")
    browser_page.keyboard.press("2")
    expect(browser_page.locator(".banner")).to_contain_text("sent when the server answers again")
    browser_page.unroute("**/api/submit")
    browser_page.reload()
    until(lambda: place.votes(person))
    expect(asked(browser_page)).not_to_have_text(first)
    (vote,) = place.votes(person)
    assert (vote.answers, vote.note) == ({"choice": "blue"}, "sent")


def test_a_lost_lease_keeps_the_text_and_says_so(place: Place, browser_page: Page) -> None:
    project, person = _with_note(place, browser_page)
    first = str(asked(browser_page).inner_text())
    browser_page.keyboard.type("mine")
    until(lambda: (place.draft(person) or {}).get("note") == "mine")
    browser_page.keyboard.press("Escape")
    with place.store.write() as session:
        for row in session.exec(select(TaskRow).where(TaskRow.person_id == person.id)):
            row.lease_until = place.store.now() - timedelta(minutes=1)
            session.add(row)
    others = [place.person(project) for _ in range(2)]
    taken = [claimed(place.store, other, project=project) for other in others for _ in range(1)]
    if first not in [view.fields["question"] for view in taken]:
        for other in others:
            view = claimed(place.store, other, project=project)
            submissions.submit(place.store, person=other, task=view.id, key=f"{other.id}", values={"choice": "red"})
            claimed(place.store, other, project=project)
    browser_page.clock.set_fixed_time(time.time())  # whatever the machine does, Enter comes at once
    browser_page.keyboard.press("1")
    expect(browser_page.locator(".banner")).to_contain_text("went to another person")
    expect(browser_page.locator(".note textarea")).to_have_value("mine")
    assert place.votes(person) == []
    assert place.draft(person)["note"] == "mine"
    browser_page.keyboard.press("Enter")
    expect(asked(browser_page)).not_to_have_text(first)
    expect(browser_page.locator(".banner")).to_contain_text(
        "Your last answer was not counted. Your lease had ended, so this task went to"
    )
    browser_page.keyboard.press("Escape")
    expect(browser_page.locator(".banner")).to_be_hidden()


def test_an_ended_session_keeps_the_text_and_offers_to_sign_in(place: Place, browser_page: Page) -> None:
    project, person = _with_note(place, browser_page)
    with place.store.write() as session:
        for row in session.exec(select(SessionRow).where(SessionRow.person_id == person.id)):
            session.delete(row)
    browser_page.keyboard.type("still here")
    link = browser_page.get_by_role("link", name="Sign in again")
    expect(link).to_be_visible()
    assert str(link.get_attribute("href")).startswith("/login?next=%2Fverify")
    place.open(browser_page, "verify", project=project, person=person)
    expect(browser_page.locator(".note textarea")).to_have_value("still here")


def test_two_tabs_on_one_item_hear_of_each_other(place: Place, browser_page: Page) -> None:
    project, person = _with_note(place, browser_page)
    browser_page.keyboard.press("Escape")
    second = browser_page.context.new_page()
    place.open(second, "verify", project=project, person=person)
    expect(second.locator(".banner")).to_contain_text("another tab")
    expect(browser_page.locator(".banner")).to_contain_text("another tab")
    first = str(asked(second).inner_text())
    second.keyboard.press("1")
    next_question(second, first)
    expect(browser_page.locator(".banner")).to_contain_text("submitted in another tab")
    browser_page.keyboard.press("2")
    browser_page.keyboard.press("Enter")
    next_question(browser_page, first)
    assert [vote.answers for vote in place.votes(person)] == [{"choice": "red"}]


def test_a_missing_image_is_shown_as_missing(place: Place, browser_page: Page) -> None:
    project = place.project()
    items = make_items(place.store, 2, project=project)
    person = place.person(project)
    claimed(place.store, person, project=project)  # an item that has come to someone before stays with them
    with place.store.write() as session:
        for row in session.exec(select(ItemRow).where(col(ItemRow.id).in_(items))).all():
            asset = AssetRow(
                project_id=row.project_id, name="secret-model-name.png", kind="image", created_at=place.store.now()
            )
            session.add(asset)
            session.flush()
            session.add(ItemAssetRow(item_id=row.id, asset_id=asset.id, role="image", position=0))
    check(place.store, project=project, rebuild=True)
    place.open(browser_page, "verify", project=project, person=person)
    expect(browser_page.locator(".absent")).to_contain_text("has not been added yet")
    assert "secret-model-name" not in browser_page.content()
    browser_page.keyboard.press("1")
    expect(browser_page.locator(".nothing h2")).to_have_text("Waiting for images or clips")
    expect(browser_page.locator(".nothing")).to_contain_text(WAITS_FOR_MEDIA)


def _attach(place: Place, item: int, *assets: tuple[str, Path]) -> None:
    """Give an item its media, in order: role and file."""
    with place.store.write() as session:
        row = session.exec(select(ItemRow).where(ItemRow.id == item)).one()
        for at, (role, path) in enumerate(assets):
            stored = place.media.add(path, name=path.name)
            if session.get(MediaObjectRow, stored.sha256) is None:
                fields = {name: getattr(stored, name) for name in ("sha256", "mime", "bytes", "width", "height")}
                session.add(
                    MediaObjectRow(**fields, kind=stored.kind, duration=stored.duration, created_at=place.store.now())
                )
            session.flush()
            asset = AssetRow(
                project_id=row.project_id,
                name=f"{at}-{path.name}",
                kind=stored.kind,
                sha256=stored.sha256,
                created_at=place.store.now(),
            )
            session.add(asset)
            session.flush()
            session.add(ItemAssetRow(item_id=item, asset_id=asset.id, role=role, position=at))


def test_several_images_have_a_film_strip_and_each_can_be_zoomed(
    place: Place, browser_page: Page, tmp_path: Path
) -> None:
    project = place.project()
    (item,) = make_items(place.store, 1, project=project)
    for at in range(4):
        size = (2400, 1800) if at == 1 else (240, 180)  # the second is larger than its copy for pages
        Image.new("RGB", size, (60 * at, 90, 200 - 40 * at)).save(tmp_path / f"{at}.png")
    _attach(place, item, *(("after" if at == 3 else "image", tmp_path / f"{at}.png") for at in range(4)))
    place.open(browser_page, "verify", project=project, person=place.person(project))
    chosen = browser_page.locator(".thumb[aria-selected=true] .num")
    expect(browser_page.locator(".thumb .role")).to_have_text(["Image", "Image", "Image", "After"])
    expect(chosen).to_have_text("1")
    for key, number in (("ArrowRight", "2"), ("ArrowRight", "3"), ("ArrowLeft", "2")):
        browser_page.keyboard.press(key)
        expect(chosen).to_have_text(number)
    image = browser_page.locator(".media img.view")
    until(lambda: image.evaluate("image => image.complete && image.naturalWidth") == 1600)
    browser_page.keyboard.press("z")
    expect(browser_page.locator(".zoombar .factor")).to_have_text(re.compile("^100 %"))
    until(lambda: image.evaluate("image => image.naturalWidth") == 2400)
    before = image.evaluate("image => image.style.transform")
    browser_page.keyboard.press("ArrowRight")
    assert image.evaluate("image => image.style.transform") != before, "arrows pan while it is zoomed"
    expect(chosen).to_have_text("2")
    browser_page.keyboard.press("Escape")
    expect(browser_page.locator(".zoombar:visible")).to_have_count(0)
    browser_page.keyboard.press("ArrowRight")
    expect(chosen).to_have_text("3")


def test_an_abandoned_page_asks_for_no_time_and_any_key_does(place: Place, browser_page: Page) -> None:
    """The page asks for more time while someone works, and for none when no one does or no one looks."""
    project = place.project()
    make_items(place.store, 1, project=project)
    person = place.person(project)
    beats: list[str] = []
    browser_page.on("request", lambda request: beats.append(request.url) if "/api/heartbeat" in request.url else None)
    browser_page.clock.install()
    place.open(browser_page, "verify", project=project, person=person)
    expect(asked(browser_page)).to_be_visible()
    browser_page.clock.fast_forward("05:00")
    browser_page.clock.run_for(11_000)
    assert beats == [], "no one has touched it"
    browser_page.keyboard.press("ArrowDown")
    # A beat that is not answered is sent again, and rightly; this clock must not run ahead of the answer.
    with browser_page.expect_event("requestfinished", lambda request: "/api/heartbeat" in request.url):
        browser_page.clock.run_for(11_000)
    assert len(beats) == 1
    browser_page.clock.fast_forward("05:00")
    browser_page.clock.run_for(11_000)
    assert len(beats) == 1, "and not again without another sign of life"
    hide(browser_page, True)
    browser_page.keyboard.press("ArrowDown")
    browser_page.clock.fast_forward("05:00")
    browser_page.clock.run_for(11_000)
    assert len(beats) == 1, "a hidden page asks for nothing"
    browser_page.clock.fast_forward("20:00")
    browser_page.clock.run_for(11_000)
    expect(browser_page.locator(".banner.lease")).to_contain_text("Other people can take this item from")
    with browser_page.expect_response("**/api/heartbeat") as renewed:
        hide(browser_page, False)
        browser_page.keyboard.press("ArrowUp")
    assert renewed.value.ok
    expect(browser_page.locator(".banner")).to_be_hidden()


def test_only_active_time_counts(place: Place, browser_page: Page) -> None:
    project = place.project(load_schema(shipped()["demo"]))
    make_items(place.store, 2, project=project, dimension="existence", fields={"question": "What?", "answer": "A cup."})
    person = place.person(project)
    # They were given the task an hour ago, so that the server lets the page say up to an hour.
    early = open_store(None, place.server.home, clock=lambda: place.store.now() - timedelta(hours=1))
    claimed(early, person, project=project)
    early.close()
    browser_page.clock.install()
    place.open(browser_page, "verify", project=project, person=person)
    expect(asked(browser_page)).to_be_visible()
    stop(browser_page)
    browser_page.keyboard.press("ArrowUp")
    browser_page.clock.run_for(20_000)  # 20 s at work
    browser_page.keyboard.press("ArrowUp")
    browser_page.clock.run_for(600_000)  # away for ten minutes: a minute of them counts
    browser_page.keyboard.press("ArrowUp")
    browser_page.clock.run_for(15_000)  # 15 s
    hide(browser_page, True)
    browser_page.clock.run_for(30_000)  # hidden: nothing
    hide(browser_page, False)
    browser_page.clock.run_for(5_000)  # 5 s
    browser_page.clock.resume()
    browser_page.reload()
    expect(asked(browser_page)).to_be_visible()
    stop(browser_page)
    browser_page.clock.run_for(10_000)  # 10 s
    browser_page.clock.resume()
    browser_page.keyboard.press("1")
    until(lambda: len(place.votes(person)) == 1)
    [vote] = place.votes(person)
    assert vote.seconds == pytest.approx(20 + 60 + 15 + 5 + 10, abs=8)  # and what the browser took meanwhile
    # The next one is the server's to judge: it was given just now, whatever the page's clock says.
    expect(browser_page.locator(".ts .numbers").first).to_contain_text("1 done")
    browser_page.clock.fast_forward("00:50")
    browser_page.keyboard.press("1")
    until(lambda: len(place.votes(person)) == 2)
    assert (place.votes(person)[1].seconds or 0) < 30


def stop(page: Page) -> None:
    """Let no time pass in the browser but what the test asks for."""
    page.clock.pause_at(page.evaluate("Date.now() / 1000 + 1"))


def hide(page: Page, hidden: bool) -> None:
    """Turn to another window, or back."""
    state = "hidden" if hidden else "visible"
    page.evaluate(
        """state => {
            Object.defineProperty(document, "visibilityState", { value: state, configurable: true });
            document.dispatchEvent(new Event("visibilitychange"));
        }""",
        state,
    )
