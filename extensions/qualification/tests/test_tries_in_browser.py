"""Qualification in browsers: barred, answered blind, reviewed and signed by two seniors, let in; and not let in.

Who fails, waits and tries again is in ``test_tries``; what a person then reads is in ``test_qualify_page``.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from annotation_schemas import shipped
from annotation_schemas.loader import load_schema
from db import guidelines
from db.engine import Store
from domain.qualification import Standing
from domain.records import NoTask
from domain.roles import Role
from domain.states import Stage
from extensions.qualification import sets, tries
from media.store import MediaStore
from testkit import missing_media
from testkit.factories import claimed
from testkit.kept_items import gates_of
from testkit.missing_extensions import needs
from testkit.samples import egoplan_record, write
from testkit.serving import Server, touchstone
from tests.e2e.people import Desk, at_desk, opened
from workflow.access import accounts, memberships, projects
from workflow.access.projects import access_to
from workflow.annotate import claims, submissions
from workflow.files import import_files
from workflow.results import project_answers

pytestmark = pytest.mark.browser

KEY, WRONG = "take cup", "fold napkin"
SET, LIVE = 5, 2
RIGHT = {"ann": 4, "bob": 3}
"""Of the five items of the set; the pass mark of the schema is 0.8, so four are enough and three are not."""
IN_SET = [f"What is {name}?" for name in ("the bowl", "the ring", "the jar", "the cup")]
OPEN_ITEMS = ["What is left?", "What is right?", "What is between?"]
RATERS, SENIORS = ("ann", "bob"), ("sam", "sue")


@pytest.fixture(scope="module")
def serving(tmp_path_factory: pytest.TempPathFactory, sqlite_template: Path) -> Iterator[Server]:
    """One server with a project for each test: ``gate`` has keys, in the others seniors say what is right."""
    folder = tmp_path_factory.mktemp("qualification")
    home = folder / "home"
    home.mkdir()
    (home / "touchstone.db").write_bytes(sqlite_template.read_bytes())
    server = Server(home)
    gate = write(
        folder / "val.json", [egoplan_record(n, task_goal=f"Goal {n}") for n in range(SET + LIVE)], indent=None
    )
    near = folder / "items" / "near"
    near.mkdir(parents=True)
    asked = enumerate(IN_SET + OPEN_ITEMS)
    records = [{"image_path": [f"{at}.jpg"], "question": text, "answer": "A cup."} for at, text in asked]
    (near / "annotations.json").write_text(json.dumps(records))
    with opened(server) as store:
        for login in (*RATERS, *SENIORS, "lena"):
            accounts.create_person(store, login=login, name=login)
        for name, schema, format, path in (
            ("gate", "egoplan", "egoplan", gate),
            ("panel", "panel", "egothink", near.parent),
            ("news", "panel", "egothink", near.parent),
        ):
            projects.create_project(store, name=name, loaded=load_schema(shipped()[schema]))
            media = MediaStore(home / "media")
            import_files.import_files(store, media, by=None, project=name, format=format, path=path)
            for login in RATERS:
                memberships.set_member(store, by=None, project=name, login=login, role=Role.ANNOTATOR)
            for login in SENIORS:
                memberships.set_member(store, by=None, project=name, login=login, role=Role.SENIOR)
            memberships.set_member(store, by=None, project=name, login="lena", role=Role.LEAD)
    missing_media.fill_home(home)
    yield server.start()
    server.stop()


def _run(server: Server, *arguments: str) -> str:
    done = touchstone(*arguments, home=server.home)
    assert done.returncode == 0, done.stderr
    return done.stdout


def _choose(desk: Desk, option: str) -> None:
    """Press the key that is printed next to an option."""
    row = desk.page.locator(".criterion .choice", has_text=option).first
    desk.next_after(row.locator(".slot").inner_text().lower())


def _take(server: Server, login: str, project: str, said: list[dict[str, object]], stage: Stage) -> None:
    """Someone takes the set as the page has it taken, where it is not the page that is looked at."""
    with opened(server) as store:
        person = accounts.find_person(store, login=login)
        tries.begin(store, person=person, project=project, stage=stage)
        for values in said:
            view = claimed(store, person, stage, project=project)
            submissions.submit(store, person=person, task=view.id, key=view.id, values=values)


def _review(store: Store, login: str, project: str) -> None:
    """A senior signs what waits."""
    senior = accounts.find_person(store, login=login)
    for each in tries.tries(store, person=None, project=project):
        if each.state is Standing.HANDED_IN and each.person != login:
            tries.review(store, by=senior, qualification=each.id, signs=True)


def test_a_set_is_passed_before_anyone_verifies(
    serving: Server, chromium: Browser, tmp_path: Path, pictures: Path | None
) -> None:
    made = _run(serving, "qualification", "create", "gate", "--number", str(SET)).splitlines()
    assert made[0] == f"Qualification set 1 of gate has {SET} items. The schema asks for 50 items."
    with at_desk(chromium, serving, "ann") as desk:
        desk.open("/verify?project=gate")
        expect(desk.bench).to_have_attribute("data-view", "nothing")
        expect(desk.page.locator(".nothing")).to_contain_text("Not qualified yet")
        desk.press("Enter")
        expect(desk.page.get_by_role("link", name="Qualification")).to_have_attribute("aria-current", "page")
        desk.page.get_by_role("button", name="Begin").click()
        expect(desk.bench).to_have_attribute("data-view", "task")
        for n in range(SET):
            _choose(desk, KEY if n < RIGHT["ann"] else WRONG)
        expect(desk.bench).to_have_attribute("data-view", "nothing")
        expect(desk.page.locator(".nothing")).to_contain_text("Senior annotators are reviewing your answers")
    chosen = [KEY] * RIGHT["bob"] + [WRONG] * (SET - RIGHT["bob"])
    _take(serving, "bob", "gate", [{"choice": option} for option in chosen], Stage.VERIFICATION)
    with opened(serving) as store:
        _review(store, "sam", "gate")
    with at_desk(chromium, serving, "sue") as desk:
        desk.open("/qualify?project=gate")
        expect(desk.page.get_by_role("heading", name="People and items")).to_be_visible()
        rows_of = desk.page.locator("table.ts-table tbody tr")
        expect(rows_of.filter(has_text="waits for seniors, signed by 1")).to_have_count(2)
        for n in (1, 2):
            desk.picture(pictures / "qualify.png" if pictures and n == 1 else None)
            desk.page.get_by_role("button", name="Sign", exact=True).click()
            expect(rows_of.filter(has_text="passed, signed by 2")).to_have_count(n)
            desk.settled()  # until then the form below the table may be that of the try just signed
        with desk.page.expect_download() as download:
            desk.page.get_by_role("button", name="CSV").click()
        rows = list(csv.DictReader(io.StringIO(Path(download.value.path()).read_text(encoding="utf-8"))))
    assert {row["person"]: (int(row["right"]), row["state"], row["signed"]) for row in rows} == {
        "ann": (4, "passed", "sam sue"),
        "bob": (3, "failed", "sam sue"),
    }
    with opened(serving) as store:
        bob = accounts.find_person(store, login="bob")
        found = claims.next_task(store, person=bob, project="gate", stage=Stage.VERIFICATION)
        assert isinstance(found, NoTask)
        assert "not passed" in found.sentence
    with at_desk(chromium, serving, "ann") as desk:
        desk.open("/verify?project=gate")
        for _ in range(LIVE):
            expect(desk.bench).to_have_attribute("data-view", "task")
            _choose(desk, KEY)
        expect(desk.bench).to_have_attribute("data-view", "nothing")
    ratings = tmp_path / "ratings.csv"
    _run(serving, "item", "export", "gate", "ratings", "--out", str(ratings))
    with ratings.open(newline="") as file:
        votes = [(row["unit"], row["value"]) for row in csv.DictReader(file)]
    live = {str(n) for n in range(SET + LIVE)} - set(made[1:])
    assert sorted(votes) == sorted((unit, KEY) for unit in live), "the answers of the set are no votes"
    with opened(serving) as store:
        assert gates_of(store, "gate")["kept"] == 0, "one vote each does not decide"
    paid = {
        row["login"]: row for row in csv.DictReader(io.StringIO(_run(serving, "scorecard", "show", "--pay", "gate")))
    }
    assert [(paid[login]["items"], paid[login]["qualification"]) for login in ("ann", "bob")] == [
        (str(LIVE), str(SET)),
        ("0", str(SET)),
    ]


def test_graders_are_led_to_a_set_of_their_own(serving: Server, chromium: Browser, tmp_path: Path) -> None:
    with opened(serving) as store:
        names = [each.name for each in project_answers.read_project(store, person=None, project="panel").items.values()]
    answers = tmp_path / "answers.jsonl"
    answers.write_text("\n".join(json.dumps({"item": name, "model": "m", "text": f"It is {name}."}) for name in names))
    _run(serving, "item", "import", "panel", "predictions", str(answers))
    made = _run(serving, "qualification", "create", "panel", "--stage", "grading").splitlines()
    assert made[0] == "Qualification set 1 of panel has 2 answers."
    with at_desk(chromium, serving, "ann") as desk:
        desk.open("/grade?project=panel")
        expect(desk.page.locator(".nothing")).to_contain_text("Not qualified yet")
        desk.press("Enter")
        desk.page.get_by_role("button", name="Begin").click()
        for _ in range(2):
            expect(desk.bench).to_have_attribute("data-view", "task")
            desk.next_after("3")
        expect(desk.page.locator(".nothing")).to_contain_text("Senior annotators are reviewing your answers")


@needs("pages", "guideline")
def test_a_new_guideline_asks_everyone_to_qualify_again(
    serving: Server, chromium: Browser, pictures: Path | None
) -> None:
    with opened(serving) as store:
        sets.make_set(store, by=None, project="news")
    for login in ("sam", "ann"):
        _take(serving, login, "news", [{"verdict": "yes"}] * len(IN_SET), Stage.VERIFICATION)
    with opened(serving) as store:
        _review(store, "sue", "news")
        ann = accounts.find_person(store, login="ann")
        claimed(store, ann, project="news")
    with at_desk(chromium, serving, "lena") as lena:
        lena.open("/guideline?project=news")
        # `panel` has the same title, and she leads both: what she types stays in the one that she is in
        expect(lena.page.get_by_role("combobox", name="Project")).to_have_value("Panel (made up) (news)")
        box = lena.page.get_by_role("textbox", name="Guideline in Markdown")
        expect(box).not_to_have_value("")  # the box is drawn before it is filled
        box.fill(f"{box.input_value()}\nCount handles, too.\n")
        lena.press("Tab")
        lena.page.get_by_role("textbox", name="Summary for annotators").fill("Handles count.")
        lena.page.get_by_text("Require a new qualification").click()
        lena.picture(pictures and pictures / "guideline-requalify.png")
        lena.page.get_by_role("button", name="Publish", exact=True).click()
        lena.page.get_by_role("dialog").get_by_role("button", name="Publish version 2").dblclick()
        expect(lena.page.get_by_text("Version 2 is published.", exact=True)).to_be_visible()
    with opened(serving) as store:
        with store.read() as session:
            access = access_to(session, person=None, project="news")
            known = guidelines.numbers(session, project_id=access.project_id)
        assert len(known) == 2, "two presses are one version"
        found = claims.next_task(store, person=ann, project="news", stage=Stage.VERIFICATION)
        assert isinstance(found, NoTask)
        assert found.code == "not_qualified"
