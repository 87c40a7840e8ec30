"""Scorecard and pay sheet, as a lead takes them along: worked out here from the keys that people pressed."""

from __future__ import annotations

import csv
import json
import time
from collections import Counter
from datetime import timedelta
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from db.engine import open_store
from domain.roles import Role
from domain.states import Stage
from testkit import missing_media
from testkit.browser import settled
from testkit.factories import claimed
from testkit.missing_extensions import needs
from testkit.serving import Server, touchstone
from tests.app.screens import drawn, part
from tests.e2e.people import Desk, at_desk, opened
from workflow.access import accounts, memberships
from workflow.annotate import submissions

pytestmark = [pytest.mark.browser, needs("commands", "scorecard")]

FITS, DIFFERS, HARD, SKIPPED = "111", "221", "113", "1311"
"""Keys on the jury's page: image, answer (3 skips, then why), difficulty."""
SAID = {FITS: ("yes", "right", 1), DIFFERS: ("no", "wrong", 1), HARD: ("yes", "right", 3), SKIPPED: ("yes", None, 1)}
CUP, PAN, LID, FOG, SAW, NUT = (f"What is {number}?" for number in ("one", "two", "three", "four", "five", "six"))
ANN = {CUP: FITS, PAN: FITS, LID: DIFFERS, FOG: SKIPPED, SAW: FITS, NUT: HARD}
BOB = {CUP: FITS, PAN: DIFFERS, LID: HARD, SAW: HARD, NUT: HARD}
"""What Ann skipped goes to the senior at once, so Bob never sees it."""
SETTLED = {PAN: "accept", LID: "reject", FOG: "reject"}
"""What they do not agree on; about the saw they only differ in how hard it is, which decides nothing."""


def _run(server: Server, *arguments: str) -> str:
    done = touchstone(*arguments, home=server.home)
    assert done.returncode == 0, done.stderr
    return done.stdout


def _begin(server: Server) -> None:
    _run(server, "project", "create", "jury", "--schema", "jury")
    folder = server.home.parent / "items" / "kitchen"
    folder.mkdir(parents=True)
    records = [{"image_path": [f"{text}.jpg"], "question": text, "answer": "A cup."} for text in ANN]
    (folder / "annotations.json").write_text(json.dumps(records))
    _run(server, "item", "import", "jury", "egothink", str(folder.parent))
    missing_media.fill_home(server.home)
    parts = {"ann": Role.ANNOTATOR, "bob": Role.ANNOTATOR, "sam": Role.SENIOR, "lea": Role.LEAD}
    with opened(server) as store:
        for login, role in parts.items():
            accounts.create_person(store, login=login, name=login.capitalize())
            memberships.set_member(store, by=None, project="jury", login=login, role=role)
    # Ann has had her first item for an hour, so that the server believes a page that says it took her up to an hour.
    early = open_store(None, server.home, clock=lambda: store.now() - timedelta(hours=1))
    claimed(early, accounts.find_person(early, login="ann"), project="jury")
    early.close()
    server.start()


def _away(page: Page, *, hidden: bool, milliseconds: int) -> None:
    """Time passes in the browser, with the page before them or behind another one."""
    turn = """state => {
        Object.defineProperty(document, "visibilityState", { value: state, configurable: true });
        document.dispatchEvent(new Event("visibilitychange"));
    }"""
    page.evaluate(turn, "hidden" if hidden else "visible")
    page.clock.run_for(milliseconds)
    page.evaluate(turn, "visible")


def _vote_all(desk: Desk, plan: dict[str, str]) -> None:
    expect(desk.bench).to_have_attribute("data-view", "task")
    while desk.view() == "task":
        desk.next_after(*plan[desk.shown("question")])


def _downloaded(page: Page, button: str) -> list[dict[str, str]]:
    settled(page)
    with page.expect_download() as waiting:
        page.get_by_role("button", name=button).click()
    return list(csv.DictReader(Path(waiting.value.path()).read_text(encoding="utf-8").splitlines()))


def _as_peers() -> tuple[int, int]:
    """Answers to the same question about the same item: how many of how many are the same."""
    pairs = [
        (mine, theirs)
        for item in BOB
        for mine, theirs in zip(SAID[ANN[item]], SAID[BOB[item]], strict=True)
        if mine is not None and theirs is not None
    ]
    return sum(mine == theirs for mine, theirs in pairs), len(pairs)


def _as_settled(plan: dict[str, str]) -> tuple[int, int]:
    """Votes that by themselves come to what the senior decided; who skips takes no side."""
    sides = [
        (SAID[plan[item]][:2] == ("yes", "right"), SETTLED[item] == "accept")
        for item in SETTLED
        if item in plan and None not in SAID[plan[item]]
    ]
    return sum(mine == theirs for mine, theirs in sides), len(sides)


def test_figures_about_people_are_what_they_pressed_and_how_long_they_were_at_it(
    server: Server, chromium: Browser
) -> None:
    _begin(server)
    with at_desk(chromium, server, "ann") as ann:
        ann.page.clock.install()
        began = time.monotonic()
        ann.open("/verify?project=jury")
        expect(ann.bench).to_have_attribute("data-view", "task")
        first = ann.shown("question")
        ann.page.clock.pause_at(ann.page.evaluate("Date.now() / 1000 + 1"))
        ann.press("ArrowUp")
        _away(ann.page, hidden=False, milliseconds=600_000)  # ten minutes without a key: one of them counts
        _away(ann.page, hidden=True, milliseconds=300_000)  # five minutes behind another page: nothing counts
        ann.page.clock.resume()
        _vote_all(ann, ANN)
        ann.press("u")  # the last one again, the same way
        expect(ann.bench).to_have_attribute("data-view", "task")
        ann.next_after("Enter")
        ann_took = time.monotonic() - began
    with at_desk(chromium, server, "bob") as bob:
        began = time.monotonic()
        bob.open("/verify?project=jury")
        _vote_all(bob, BOB)
        bob_took = time.monotonic() - began
    with at_desk(chromium, server, "sam") as sam:
        sam.open("/adjudicate?project=jury")
        expect(sam.bench).to_have_attribute("data-view", "task")
        while sam.view() == "task":
            sam.a_second_passes()
            sam.press("1" if SETTLED[sam.shown("question")] == "accept" else "2")
            expect(sam.page.locator(".why .ask")).to_contain_text("Why did this item need adjudication?")
            sam.next_after("3")
    assert first in ANN
    with at_desk(chromium, server, "lea") as lea:
        lea.open("/scorecard?project=jury&show=table")
        cards = _downloaded(lea.page, "Scorecard as CSV")
        lea.page.get_by_text("Pay sheet", exact=True).click()
        sheet = _downloaded(lea.page, "Pay sheet as CSV")
    whole = {(row["login"], row["stage"]): row for row in cards if row["window"] == "0"}
    assert set(whole) == {("ann", "verification"), ("bob", "verification"), ("sam", "adjudication")}
    for login, plan in (("ann", ANN), ("bob", BOB)):
        row = whole[login, Stage.VERIFICATION]
        skips = sum(keys == SKIPPED for keys in plan.values())
        for name, (k, n) in {
            "peers": _as_peers(),
            "settled": _as_settled(plan),
            "skips": (skips, len(plan)),
        }.items():
            assert (row[f"{name}_n"], float(row[name])) == (str(n), pytest.approx(k / n, abs=1e-4)), (login, name)
            assert float(row[f"{name}_low"]) <= k / n <= float(row[f"{name}_high"])
        assert row["drift"] == "", "of a handful of votes nothing is said"
    done = Counter({"ann": len(ANN), "bob": len(BOB), "sam": len(SETTLED)})
    told = {row["login"]: row for row in sheet}
    assert {login: int(row["items"]) for login, row in told.items()} == done
    assert {login: (row["corrections"], row["gold"], row["untimed"]) for login, row in told.items()} == {
        "ann": ("1", "0", "0"),
        "bob": ("0", "0", "0"),
        "sam": ("0", "0", "0"),
    }
    assert 60 <= float(told["ann"]["active_minutes"]) * 60 <= 60 + ann_took + 1
    assert 0 <= float(told["bob"]["active_minutes"]) * 60 <= bob_took + 1
    minutes = {row["login"]: row["active_minutes"] for row in cards if row["window"] == "0"}
    assert minutes == {login: row["active_minutes"] for login, row in told.items()}
    pace = float(whole["ann", "verification"]["tasks_per_active_hour"])
    assert pace == pytest.approx(len(ANN) / (float(minutes["ann"]) / 60), rel=0.02)


WORSE_FROM, N_LONG = 60, 110
"""Bob answers as Ann does up to the sixtieth item that he gets, and then the other way round."""


def test_someone_who_answers_otherwise_than_before_is_pointed_out(server: Server) -> None:
    """So many votes are stored as the page has them stored; the lead looks at them and takes them along."""
    _run(server, "project", "create", "long", "--schema", "jury")
    folder = server.home.parent / "items" / "kitchen"
    folder.mkdir(parents=True)
    records = [{"image_path": [f"{n}.jpg"], "question": f"Item {n}?", "answer": "A cup."} for n in range(N_LONG)]
    (folder / "annotations.json").write_text(json.dumps(records))
    _run(server, "item", "import", "long", "egothink", str(folder.parent))
    missing_media.fill_home(server.home)
    parts = {"ann": Role.ANNOTATOR, "bob": Role.ANNOTATOR, "lea": Role.LEAD}
    with opened(server) as store:
        for login, role in parts.items():
            accounts.create_person(store, login=login, name=login.capitalize())
            memberships.set_member(store, by=None, project="long", login=login, role=role)
        for login in ("ann", "bob"):
            person = accounts.find_person(store, login=login)
            for n in range(N_LONG):
                task = claimed(store, person, project="long").id
                otherwise = login == "bob" and n >= WORSE_FROM
                answers = dict(zip(("image_fits", "answer_right", "difficulty"), SAID[FITS], strict=True))
                values = answers | ({"answer_right": "wrong"} if otherwise else {})
                submissions.submit(store, person=person, task=task, key=task, values=values, seconds=0)
        page = drawn(store, server.home, "scorecard", "lea", project="long", person="bob")
    (whose,) = page.selectbox
    assert (whose.label, whose.options[whose.index or 0]) == ("Person and stage", "Bob (bob), Verification")
    # In his last fifty items one of three answers is otherwise than Ann's, in the sixty before none.
    drift = f"as peers 1.00 earlier, {2 / 3:.2f} recently"
    assert part(page, "drift").endswith(f"Bob, Verification: {drift}")
    cards = list(csv.DictReader(_run(server, "scorecard", "show", "long").splitlines()))
    mine = [row for row in cards if row["login"] == "bob"]
    assert [row["window"] for row in mine] == ["0", "1", "2", "3"]
    assert mine[0]["drift"] == drift
    bounds = [(0, N_LONG), (0, 50), (50, 100), (100, N_LONG)]
    for row, (first, end) in zip(mine, bounds, strict=True):
        same = sum(3 if n < WORSE_FROM else 2 for n in range(first, end))
        assert row["peers_n"] == str(3 * (end - first))
        assert float(row["peers"]) == pytest.approx(same / (3 * (end - first)), abs=1e-4)
