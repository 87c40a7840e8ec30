"""Several people at once on one project made from a shipped schema: who gets what, what comes back, what is kept.

The verdicts at the end are worked out from what the people of this test pressed.
"""

from __future__ import annotations

import csv
import io
import json
from collections import Counter
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, expect
from sqlalchemy import text

from domain import extensions
from domain.roles import Role
from testkit import missing_media
from testkit.kept_items import export_kept
from testkit.serving import Server, touchstone
from tests.e2e.people import Desk, at_desk, opened
from workflow.access import accounts, memberships

pytestmark = [pytest.mark.browser, pytest.mark.slow]

QUESTIONS = [f"Is there a {thing} in my hand?" for thing in ("cup", "pan", "lid", "fork", "saw", "nut")]
PEOPLE = {"ann": Role.ANNOTATOR, "bob": Role.ANNOTATOR, "cy": Role.ANNOTATOR, "lea": Role.LEAD}
LONG = "The handle looks like a cup's, but the rim is that of a pan; I would ask for another picture."

Cast = dict[tuple[str, str], str]
"""By login and question, the vote that was pressed."""


def run(home: Path, *arguments: str) -> str:
    """A command that must succeed; what it prints."""
    done = touchstone(*arguments, home=home)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture
def begun(server: Server, tmp_path: Path) -> Server:
    """A project as EgoThink has it, with six questions of one dimension."""
    run(server.home, "project", "create", "ego", "--schema", "egothink")
    folder = tmp_path / "items/Object/existence"
    folder.mkdir(parents=True)
    records = [{"image_path": [f"{at}.jpg"], "question": each, "answer": "Yes."} for at, each in enumerate(QUESTIONS)]
    (folder / "annotations.json").write_text(json.dumps(records))
    run(server.home, "item", "import", "ego", "egothink", str(tmp_path / "items"))
    missing_media.fill_home(server.home)
    with opened(server) as store:
        for login, role in PEOPLE.items():
            accounts.create_person(store, login=login, name=login.capitalize())
            memberships.set_member(store, by=None, project="ego", login=login, role=role)
    return server.start()


def wish(login: str, question: str) -> str:
    """What someone thinks: Ann doubts the saw, Cy the nut."""
    return "no" if (login, question.split()[3]) in {("ann", "saw"), ("cy", "nut")} else "yes"


def vote(desk: Desk, login: str, cast: Cast) -> str:
    """Answer what is on the page."""
    question = desk.shown("question")
    assert (login, question) not in cast, "no one is asked twice"
    cast[login, question] = wish(login, question)
    desk.next_after(*{"yes": "1", "no": "21"}[cast[login, question]])
    return question


def verify(desk: Desk) -> None:
    """Open the page on which one votes."""
    desk.open("/verify?project=ego")
    expect(desk.bench).to_be_visible()


def end_lease(server: Server, login: str) -> None:
    """Half an hour passes without a sign of life from someone."""
    with opened(server) as store, store.write() as session:
        session.connection().execute(
            text(
                "UPDATE task SET lease_until = '2020-01-01 00:00:00.000000' WHERE state = 'claimed'"
                f" AND person_id = (SELECT id FROM person WHERE login = '{login}')"
            )
        )


def take_up(page: Page, part: str) -> Locator:
    """The buttons of such a list that give an item back to its writer."""
    return page.locator(f"[class*=st-key-my_work-{part}-take] button")


def card(page: Page, part: str) -> Locator:
    """The lines of a list on My work or above the table of Items."""
    return page.locator(f"[data-part={part}]")


def test_who_gets_what_and_what_comes_back(
    begun: Server, chromium: Browser, tmp_path: Path, pictures: Path | None
) -> None:
    cast: Cast = {}
    with at_desk(chromium, begun, "ann") as ann, at_desk(chromium, begun, "bob") as bob:
        verify(ann)
        verify(bob)
        assert ann.shown("question") != bob.shown("question")
        voted = {vote(ann, "ann", cast), vote(bob, "bob", cast)}
        given_back = ann.shown("question")
        ann.next_question_after("b")
        for desk in (ann, bob):
            assert desk.shown("question") not in {*voted, given_back}, "first votes first"
        postponed = bob.shown("question")
        bob.picture(pictures and pictures / "later.png")
        bob.next_question_after("l")
        voted |= {vote(bob, "bob", cast), vote(bob, "bob", cast)}
        assert given_back in {question for (login, question) in cast if login == "bob"} | {bob.shown("question")}
        assert postponed not in voted, "it is still Bob's, for when he has done the rest"

        lose_and_find_again(begun, chromium, ann, cast, pictures)

        bob.go("/?project=ego")
        expect(card(bob.page, "postponed")).to_contain_text(postponed)
        expect(card(bob.page, "postponed")).to_contain_text("yours until")
        bob.picture(pictures and pictures / "put-off.png")
        take_up(bob.page, "postponed").click()
        expect(bob.bench).to_be_visible()
        assert bob.shown("question") == postponed
        vote(bob, "bob", cast)
        finish({"ann": ann, "bob": bob}, cast)
    with at_desk(chromium, begun, "cy") as cy:
        finish({"cy": cy}, cast)
    assert Counter(login for login, _ in cast) == dict.fromkeys(("ann", "bob", "cy"), len(QUESTIONS))
    check_export(begun, tmp_path, cast)


def _lead_reads_it(serving: Server, chromium: Browser, pictures: Path | None) -> None:
    with at_desk(chromium, serving, "lea") as lea:
        lea.open("/items?expired=yes&project=ego")
        expect(card(lea.page, "writer")).to_have_text("Ann")
        expect(card(lea.page, "about")).to_contain_text("Existence · Verification · ")
        assert LONG not in lea.page.locator("[data-testid=stMain]").inner_text()
        lea.page.get_by_role("button", name="Read").click()
        expect(lea.page.locator("[data-testid=stCode]")).to_contain_text(LONG)
        lea.picture(pictures and pictures / "late-texts.png")


def lose_and_find_again(begun: Server, chromium: Browser, ann: Desk, cast: Cast, pictures: Path | None) -> None:
    """Ann's lease ends in the middle of a long text; Cy gets the item; the text is kept, and comes back with it."""
    lost = ann.shown("question")
    ann.press("n")
    ann.page.keyboard.insert_text(LONG)
    expect(ann.page.locator(".saved")).to_contain_text("draft saved")
    end_lease(begun, "ann")
    with at_desk(chromium, begun, "cy") as cy:
        verify(cy)
        assert cy.shown("question") == lost, "what was abandoned comes first"
        ann.press("Escape", "1")
        expect(ann.page.locator(".banner")).to_contain_text("went to another person")
        ann.go("/?project=ego")
        expect(card(ann.page, "kept")).to_contain_text(lost)
        expect(card(ann.page, "kept")).to_contain_text("arrived too late. Your lease had ended")
        expect(take_up(ann.page, "kept")).to_have_count(1)  # another slot of it is free
        ann.page.get_by_text("Read and copy").click()
        expect(ann.page.locator("[data-testid=stCode]")).to_contain_text(LONG)
        ann.picture(pictures and pictures / "kept-texts.png")
        assert LONG not in cy.bench.inner_text(), "one's text is for oneself"
        if "expired_submissions" in extensions.installed():
            _lead_reads_it(begun, chromium, pictures)
        take_up(ann.page, "kept").click()
        expect(ann.bench).to_be_visible()
        assert ann.shown("question") == lost
        expect(ann.page.locator(".note textarea")).to_have_value(LONG)
        vote(ann, "ann", cast)
        vote(cy, "cy", cast)


def finish(desks: dict[str, Desk], cast: Cast) -> None:
    """Everyone votes until nothing is left for them."""
    for login, desk in desks.items():
        if "/verify" not in desk.page.url:
            verify(desk)
        while desk.view() == "task":
            vote(desk, login, cast)


def check_export(server: Server, folder: Path, cast: Cast) -> None:
    """What three people found fitting is kept; the votes come out as they were pressed."""
    kept = {each for each in QUESTIONS if all(cast[login, each] == "yes" for login in ("ann", "bob", "cy"))}
    assert len(kept) == 4
    export_kept(server.home, "ego", "egothink", folder / "release")
    rows = [row for path in (folder / "release").rglob("annotations*.json") for row in json.loads(path.read_text())]
    assert {row["question"] for row in rows} == kept
    file = folder / "ratings.csv"
    run(server.home, "item", "export", "ego", "ratings", "--out", str(file))
    ratings = Counter(row["value"] for row in csv.DictReader(io.StringIO(file.read_text())))
    assert ratings == Counter(cast.values())
    assert "All stored states match the votes." in run(server.home, "check", "ego")
