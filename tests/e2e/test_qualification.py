"""Qualification in browsers: barred, answered blind, reviewed and signed by two seniors, let in; and not let in."""

from __future__ import annotations

import csv
import io
import json
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect
from sqlalchemy import text

from db.engine import Store
from domain.qualification import Standing
from domain.states import Stage
from testkit import missing_media
from testkit.factories import claimed
from testkit.samples import egoplan_record, write
from testkit.serving import Server, touchstone
from tests.e2e.people import Desk, at_desk, opened
from workflow.access import accounts
from workflow.annotate import qualification_tries, submissions

pytestmark = pytest.mark.browser

KEY, WRONG = "take cup", "fold napkin"
SET, LIVE = 5, 2
RIGHT = {"ann": 4, "bob": 3}
"""Of the five items of the set; the pass mark of the schema is 0.8, so four are enough and three are not."""


def _run(server: Server, *arguments: str) -> str:
    done = touchstone(*arguments, home=server.home)
    assert done.returncode == 0, done.stderr
    return done.stdout


def _choose(desk: Desk, option: str) -> None:
    """Press the key that is printed next to an option."""
    row = desk.page.locator(".criterion .choice", has_text=option).first
    desk.next_after(row.locator(".slot").inner_text().lower())


def test_a_set_is_passed_before_anyone_verifies(
    server: Server, chromium: Browser, tmp_path: Path, pictures: Path | None
) -> None:
    records = [egoplan_record(n, task_goal=f"Goal {n}") for n in range(SET + LIVE)]
    _run(server, "project", "create", "gate", "--schema", "egoplan")
    _run(server, "import", "gate", "egoplan", str(write(tmp_path / "val.json", records, indent=None)))
    missing_media.fill_home(server.home)
    for login in RIGHT:
        _run(server, "people", "add", login, "--project", "gate", "--stage", "verification")
    for login in ("sam", "sue"):
        _run(server, "people", "add", login, "--project", "gate", "--role", "senior")
    made = _run(server, "qualify", "set", "gate", "--number", str(SET)).splitlines()
    assert made[0] == f"Set 1 of gate: {SET} of the 50 items that the schema asks for."
    server.start()
    for login, right in RIGHT.items():
        with at_desk(chromium, server, login) as desk:
            desk.open("/verify?project=gate")
            expect(desk.bench).to_have_attribute("data-view", "nothing")
            expect(desk.page.locator(".nothing")).to_contain_text("Not qualified yet")
            desk.press("Enter")
            expect(desk.page.get_by_role("heading", name="Qualify")).to_be_visible()
            desk.page.get_by_role("button", name="Begin").click()
            expect(desk.bench).to_have_attribute("data-view", "task")
            for n in range(SET):
                _choose(desk, KEY if n < right else WRONG)
            expect(desk.bench).to_have_attribute("data-view", "nothing")
            expect(desk.page.locator(".nothing")).to_contain_text("seniors are looking at it")
    for senior in ("sam", "sue"):
        with at_desk(chromium, server, senior) as desk:
            desk.open("/qualify?project=gate")
            expect(desk.page.get_by_role("heading", name="People and items")).to_be_visible()
            rows_of = desk.page.locator("table.ts-table tbody tr")
            for n in (1, 2):
                desk.picture(pictures / "qualify.png" if pictures and (senior, n) == ("sue", 1) else None)
                desk.page.get_by_role("button", name="Sign", exact=True).click()
                done = "waits for seniors, signed by 1" if senior == "sam" else "passed, signed by 2"
                expect(rows_of.filter(has_text=done)).to_have_count(n)
                desk.settled()
            with desk.page.expect_download() as download:
                desk.page.get_by_role("button", name="CSV").click()
            rows = list(csv.DictReader(io.StringIO(Path(download.value.path()).read_text(encoding="utf-8"))))
    assert {row["person"]: (int(row["right"]), row["state"], row["signed"]) for row in rows} == {
        "ann": (4, "passed", "sam sue"),
        "bob": (3, "failed", "sam sue"),
    }
    with at_desk(chromium, server, "bob") as desk:
        desk.open("/verify?project=gate")
        expect(desk.page.locator(".nothing")).to_contain_text("not passed")
        desk.open("/qualify?project=gate")
        results = desk.page.locator("[data-part=result]")
        expect(results).to_have_count(SET)
        expect(results.filter(has_text=f"answer: choice {WRONG}")).to_have_count(2)
        expect(results.filter(has_text="key:")).to_have_count(0)  # he may answer the same items again
    with at_desk(chromium, server, "ann") as desk:
        desk.open("/qualify?project=gate")
        expect(desk.page.locator("[data-part=result]").filter(has_text=f"key: {KEY}")).to_have_count(SET)
        desk.open("/verify?project=gate")
        for _ in range(LIVE):
            expect(desk.bench).to_have_attribute("data-view", "task")
            _choose(desk, KEY)
        expect(desk.bench).to_have_attribute("data-view", "nothing")
    ratings = tmp_path / "ratings.csv"
    _run(server, "export", "gate", "ratings", "--out", str(ratings))
    with ratings.open(newline="") as file:
        votes = [(row["unit"], row["value"]) for row in csv.DictReader(file)]
    live = {str(n) for n in range(SET + LIVE)} - set(made[1:])
    assert sorted(votes) == sorted((unit, KEY) for unit in live), "the answers of the set are no votes"
    out = tmp_path / "release"
    _run(server, "export", "gate", "egoplan", "--verified", "--out", str(out))
    manifest = json.loads((out / "manifest.json").read_text())
    assert manifest["gates"]["kept"] == 0, "one vote each does not decide"
    paid = {row["login"]: row for row in csv.DictReader(io.StringIO(_run(server, "paysheet", "gate")))}
    assert [(paid[login]["items"], paid[login]["qualification"]) for login in ("ann", "bob")] == [
        (str(LIVE), str(SET)),
        ("0", str(SET)),
    ]


# ---- a panel: who fails waits, and graders have a qualification of their own ----------------------------------------

IN_SET = [f"What is {name}?" for name in ("the bowl", "the ring", "the jar", "the cup")]
OPEN_ITEMS = ["What is left?", "What is right?", "What is between?"]
SENIOR = dict.fromkeys(IN_SET, "yes")
KEYS = {"yes": "1", "no": "21"}


def _panel(server: Server, tmp_path: Path, people: dict[str, str]) -> None:
    folder = tmp_path / "items" / "near"
    folder.mkdir(parents=True)
    records = [
        {"image_path": [f"{at}.jpg"], "question": text, "answer": "A cup."}
        for at, text in enumerate(IN_SET + OPEN_ITEMS)
    ]
    (folder / "annotations.json").write_text(json.dumps(records))
    _run(server, "project", "create", "panel", "--schema", "panel")
    _run(server, "import", "panel", "egothink", str(folder.parent))
    missing_media.fill_home(server.home)
    for login, role in people.items():
        _run(server, "people", "add", login, "--project", "panel", "--role", role)


def _vote(desk: Desk, wanted: dict[str, str]) -> None:
    """Vote on whatever comes until nothing does."""
    expect(desk.bench).to_be_visible()
    for _ in wanted:
        expect(desk.bench).to_have_attribute("data-view", "task")
        desk.next_after(*KEYS[wanted[desk.shown("question")]])
    expect(desk.bench).to_have_attribute("data-view", "nothing")


def _qualify(desk: Desk, said: dict[str, str]) -> None:
    desk.open("/qualify?project=panel&stage=verification")
    desk.page.get_by_role("button", name="Begin").click()
    _vote(desk, said)


def _answer(store: Store, login: str, verdict: str) -> None:
    """Someone takes the set as the page has it taken, where it is not the page that is looked at."""
    person = accounts.find_person(store, login=login)
    qualification_tries.begin(store, person=person, project="panel")
    for _ in IN_SET:
        view = claimed(store, person, project="panel")
        submissions.submit(store, person=person, task=view.id, key=view.id, values={"verdict": verdict})


def _answer_grading(store: Store, login: str, scores: tuple[int, int]) -> None:
    """The same with the graders' set of two answers."""
    person = accounts.find_person(store, login=login)
    qualification_tries.begin(store, person=person, project="panel", stage=Stage.GRADING)
    for score in scores:
        view = claimed(store, person, Stage.GRADING, project="panel")
        submissions.submit(store, person=person, task=view.id, key=view.id, values={"score": score})


def _review(store: Store, login: str) -> None:
    """A senior signs the one try that waits."""
    senior = accounts.find_person(store, login=login)
    (waits,) = [
        each
        for each in qualification_tries.tries(store, person=None, project="panel")
        if each.state is Standing.HANDED_IN and each.person != login
    ]
    qualification_tries.review(store, by=senior, qualification=waits.id, signs=True)


def _sign(desk: Desk, n: int, stage: str = "verification") -> None:
    desk.open(f"/qualify?project=panel&stage={stage}")
    passed = desk.page.locator("table.ts-table tbody tr").filter(has_text="signed by 1")
    before = passed.count()
    for at in range(n):
        desk.page.get_by_role("button", name="Sign", exact=True).click()
        expect(passed).to_have_count(before + at + 1)
        desk.settled()  # until then the form below the table may be that of the try just signed


def _hours_pass(server: Server, hours: int) -> None:
    """What was reviewed was reviewed so many hours earlier: the one thing that a test cannot wait for."""
    with opened(server) as store, store.write() as session:
        kept = "SELECT sql FROM sqlite_master WHERE type = 'trigger' AND tbl_name = 'qualification_review'"
        triggers = [row[0] for row in session.execute(text(kept))]
        for trigger in triggers:
            session.execute(text(f"DROP TRIGGER {trigger.split()[2]}"))
        for id, at in session.execute(text("SELECT id, created_at FROM qualification_review")).all():
            earlier = str(datetime.fromisoformat(at) - timedelta(hours=hours))
            session.execute(
                text("UPDATE qualification_review SET created_at = :at WHERE id = :id"), {"at": earlier, "id": id}
            )
        for trigger in triggers:
            session.execute(text(trigger))


def test_who_fails_waits_and_has_so_many_tries(server: Server, chromium: Browser, tmp_path: Path) -> None:
    _panel(server, tmp_path, {"bob": "annotator", "sam": "senior"})
    _run(server, "qualify", "set", "panel")
    server.start()
    everything = IN_SET + OPEN_ITEMS
    with opened(server) as store:
        _answer(store, "sam", "yes")
    with at_desk(chromium, server, "bob") as desk:
        for tried in (1, 2):
            desk.open("/qualify?project=panel&stage=verification")
            desk.page.get_by_role("button", name="Begin").click()
            for _ in IN_SET:
                expect(desk.bench).to_have_attribute("data-view", "task")
                assert desk.shown("question") in everything
                desk.next_after(*KEYS["no"])
            expect(desk.bench).to_have_attribute("data-view", "nothing")
            with opened(server) as store:
                _review(store, "sam")
            desk.open("/qualify?project=panel&stage=verification")
            expect(desk.page.get_by_text("Not passed: 0 of 4 right; 50% are needed.")).to_be_visible()
            said = "You can try again from " if tried == 1 else "You have had 2 of 2 tries; ask a lead of the project."
            expect(desk.page.get_by_text(said)).to_be_visible()
            expect(desk.page.get_by_role("button", name="Begin")).to_have_count(0)
            desk.open("/verify?project=panel")
            expect(desk.page.locator(".nothing")).to_contain_text("not passed")
            _hours_pass(server, 25)
        desk.open("/qualify?project=panel&stage=verification")
        expect(desk.page.get_by_text("2 of 2 tries")).to_be_visible()
    ratings = tmp_path / "ratings.csv"
    _run(server, "export", "panel", "ratings", "--out", str(ratings))
    with ratings.open(newline="") as file:
        assert list(csv.DictReader(file)) == [], "no answer of a try is a vote"


def test_graders_qualify_before_they_grade(
    server: Server, chromium: Browser, tmp_path: Path, pictures: Path | None
) -> None:
    _panel(server, tmp_path, {"ann": "annotator", "bob": "annotator", "sam": "senior"})
    with opened(server) as store, store.read() as session:
        names = list(session.execute(text("SELECT external_id FROM item ORDER BY id")).scalars())
    answers = tmp_path / "answers.jsonl"
    answers.write_text("\n".join(json.dumps({"item": name, "model": "m", "text": f"It is {name}."}) for name in names))
    _run(server, "import", "panel", "predictions", str(answers))
    made = _run(server, "qualify", "set", "panel", "--stage", "grading").splitlines()
    assert made[0] == "Set 1 of panel: 2 answers."
    server.start()
    with opened(server) as store:
        _answer_grading(store, "sam", (1, 1))
        _answer_grading(store, "bob", (1, 0))
    with at_desk(chromium, server, "ann") as desk:
        desk.open("/grade?project=panel")
        expect(desk.page.locator(".nothing")).to_contain_text("Not qualified yet")
        desk.press("Enter")
        desk.page.get_by_role("button", name="Begin").click()
        for _ in range(2):
            expect(desk.bench).to_have_attribute("data-view", "task")
            desk.next_after("3")
        expect(desk.page.locator(".nothing")).to_contain_text("seniors are looking at it")
    with at_desk(chromium, server, "sam") as desk:
        desk.open("/qualify?project=panel&stage=grading")
        expect(desk.page.get_by_role("button", name="Sign", exact=True)).to_be_visible()
        desk.picture(pictures / "qualify-grading.png" if pictures else None)
        _sign(desk, 2, "grading")
    with at_desk(chromium, server, "bob") as desk:
        desk.open("/grade?project=panel")
        expect(desk.page.locator(".nothing")).to_contain_text("not passed")
    with at_desk(chromium, server, "ann") as desk:
        desk.open("/grade?project=panel")
        for _ in range(len(names) - 2):
            expect(desk.bench).to_have_attribute("data-view", "task")
            desk.next_after("2")
        expect(desk.bench).to_have_attribute("data-view", "nothing")
    ratings = tmp_path / "ratings.csv"
    _run(server, "export", "panel", "ratings", "--out", str(ratings))
    with ratings.open(newline="") as file:
        grades = sorted((row["unit"], float(row["value"])) for row in csv.DictReader(file))
    assert grades == sorted((f"{name} · m", 0.5) for name in names if f"{name} · m" not in made[1:])


def test_a_new_guideline_asks_everyone_to_qualify_again(
    server: Server, chromium: Browser, tmp_path: Path, pictures: Path | None
) -> None:
    _panel(server, tmp_path, {"ann": "annotator", "sam": "senior", "sue": "senior", "lena": "lead"})
    with opened(server) as store, store.read() as session:
        rows = session.execute(text("SELECT r.content, i.external_id FROM item i JOIN revision r ON r.item_id = i.id"))
        ids = {json.loads(fields)["question"]: name for fields, name in rows.all()}
    chosen = tmp_path / "set.txt"
    chosen.write_text("\n".join(ids[question] for question in IN_SET))
    _run(server, "qualify", "set", "panel", "--items", str(chosen))
    server.start()
    live = {question: "yes" for question in OPEN_ITEMS}
    rest = OPEN_ITEMS[1:]
    with opened(server) as store:
        for login in ("sam", "ann"):
            _answer(store, login, "yes")
        _review(store, "sam")
    with at_desk(chromium, server, "ann") as desk:
        desk.open("/verify?project=panel")
        expect(desk.bench).to_have_attribute("data-view", "task")
        voted = [desk.shown("question")]
        desk.next_after(*KEYS["yes"])
        with at_desk(chromium, server, "lena") as lena:
            lena.open("/guideline?project=panel")
            box = lena.page.get_by_role("textbox", name="The guideline, in Markdown")
            box.fill(f"{box.input_value()}\nCount handles, too.\n")
            lena.press("Tab")
            lena.page.get_by_role("textbox", name="What has changed, in a sentence").fill("Handles count.")
            lena.page.get_by_text("must pass a set again under this version").click()
            lena.picture(pictures and pictures / "guideline-requalify.png")
            lena.page.get_by_role("button", name="Bring into force").click()
            lena.page.get_by_role("dialog").get_by_role("button", name="Bring version 2 into force").dblclick()
            expect(lena.page.get_by_text("Version 2 is in force.", exact=True)).to_be_visible()
        desk.open("/verify?project=panel")
        expect(desk.bench).to_have_attribute("data-view", "nothing")
        expect(desk.page.locator(".nothing")).to_contain_text("Not qualified yet")
    _run(server, "qualify", "set", "panel", "--items", str(chosen))
    with opened(server) as store:
        _answer(store, "sue", "yes")
    with at_desk(chromium, server, "ann") as desk:
        _qualify(desk, SENIOR)
    with at_desk(chromium, server, "sam") as desk:
        desk.open("/qualify?project=panel&stage=verification")
        desk.page.get_by_role("button", name="Sign", exact=True).click()
        expect(desk.page.locator("table.ts-table tbody tr").filter(has_text="passed")).to_have_count(2)
    with at_desk(chromium, server, "ann") as desk:
        desk.open("/verify?project=panel")
        for _ in rest:
            expect(desk.bench).to_have_attribute("data-view", "task")
            voted.append(desk.shown("question"))
            desk.next_after(*KEYS["yes"])
        expect(desk.bench).to_have_attribute("data-view", "nothing")
    assert sorted(voted) == sorted(live)
    out = tmp_path / "ratings.csv"
    _run(server, "export", "panel", "ratings", "--out", str(out))
    with out.open(newline="", encoding="utf-8") as file:
        found = {row["unit"]: (row["value"], row["guideline"]) for row in csv.DictReader(file)}
    assert found == {ids[question]: ("yes", "1" if question == voted[0] else "2") for question in live}
