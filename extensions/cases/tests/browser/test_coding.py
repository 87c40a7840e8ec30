"""Coding in a real browser: a coder and a senior annotator by keys alone, and a lead who reads what came of it."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Browser, expect
from sqlmodel import select

from db.tables import AnnotationRow
from domain.records import TaskView
from domain.roles import Role
from domain.states import Stage
from testkit import missing_media
from testkit.coded_world import CODES, answer, schema
from testkit.coded_world import code_all as code_by_calls
from testkit.factories import make_items, make_person, make_project
from testkit.missing_extensions import needs
from testkit.serving import Server
from tests.e2e.people import Desk, at_desk, opened
from workflow.access import accounts

pytestmark = [pytest.mark.browser, pytest.mark.slow, needs("pages", "failures")]

MODEL = "secret-model"
SAID = {"Question 0?": ("12", "12", ""), "Question 1?": ("1", "2", "3"), "Question 2?": ("3", "3", "")}
"""What the coders and the senior annotator press for each question: keys of the codes, in their order."""


def code_all(desk: Desk, path: str, place: int, *, unseen: tuple[str, ...]) -> list[str]:
    """Press what is planned for everything that is there; the questions."""
    desk.open(path)
    expect(desk.bench).to_be_visible()
    seen = []
    while desk.view() == "task":
        seen.append(desk.shown("question"))
        assert desk.shown("answer") == "red", "the reference stands next to the answer"
        expect(desk.page.locator(".shown.answer .value")).to_have_text("blue")
        for word in unseen:
            assert word not in desk.page.content()
        desk.press(*SAID[seen[-1]][place])
        desk.next_after("Enter")
    return sorted(seen)


def test_two_coders_and_a_senior_say_what_is_wrong_and_the_lead_sees_counts_and_examples(
    server: Server, chromium: Browser
) -> None:
    loaded = schema()
    with opened(server) as store:
        store.upgrade()
        make_project(store, loaded=loaded)
        for login, role in (
            ("ottilie", Role.ANNOTATOR),
            ("bruno", Role.ANNOTATOR),
            ("sam", Role.SENIOR),
            ("lea", Role.LEAD),
        ):
            make_person(store, login, role=role, stages=[Stage.CODING] if role is Role.ANNOTATOR else None)
        answer(store, make_items(store, 3), MODEL, lambda at: "blue")
    missing_media.fill_home(server.home)
    server.start()
    with at_desk(chromium, server, "lea") as lea:
        lea.open("/failures?project=p")
        intake = lea.page.locator("[data-part=intake]")
        expect(intake).to_contain_text("Of 3 answers, the schema selects 3 for coding (Accuracy against the key)")
        lea.page.get_by_role("button", name="Send to coding").click()
        expect(lea.page.get_by_text("Sent 3 answers to coding.")).to_be_visible()
    with opened(server) as store:  # the first coder, as the page has it stored

        def say(task: TaskView) -> list[str]:
            return [CODES[int(key) - 1] for key in SAID[str(task.fields["question"])][0]]

        assert code_by_calls(store, accounts.find_person(store, login="ottilie"), say) == len(SAID)
    with at_desk(chromium, server, "bruno") as second:
        assert code_all(second, "/code?project=p", 1, unseen=(MODEL, "Coder A", "Ottilie")) == sorted(SAID)
    with at_desk(chromium, server, "sam") as sam:
        sam.open("/settle_codes?project=p")
        expect(sam.bench).to_be_visible()
        expect(sam.page.locator("table.votes th[scope=col]")).to_have_text(["Coder A", "Coder B"])
        codes = sam.page.locator("table.votes tr.differs td").all_inner_texts()
        assert sorted(codes) == ["Perception", "Reasoning"]
        assert code_all(sam, "/settle_codes?project=p", 2, unseen=(MODEL, "Ottilie", "Bruno")) == ["Question 1?"]
    with opened(server) as store, store.read() as session:
        rows = session.exec(select(AnnotationRow)).all()
        assert sorted(row.stage for row in rows) == [Stage.ARBITRATION, *[Stage.CODING] * 6]
    with at_desk(chromium, server, "lea") as lea:
        lea.open("/failures?project=p")
        expect(lea.page.locator("[data-part=counted]")).to_contain_text("3 settled (2 by agreement, 1 by")
        expect(lea.page.locator("[data-part=counted]")).to_contain_text("all 3 items")
        row = lea.page.locator("[data-part=failures-failure-whole] tbody tr").first
        # question 0: perception and reasoning; question 1, settled: format; question 2: format
        for at, n in enumerate((1, 1, 2)):
            expect(row.locator("td").nth(2 + at)).to_contain_text(f"{n} · {'33' if n == 1 else '67'} %")
        row.get_by_role("link").nth(CODES.index("reasoning")).click()
        expect(lea.page.locator("[data-part=cases] tbody tr")).to_have_count(1)
        expect(lea.page.locator("[data-part=count]")).to_contain_text("with the code “reasoning” (failure)")
        expect(lea.page.locator("[data-part=cases]")).to_contain_text("Question 0?")
        lea.open("/cases?project=p&code=failure:format&item=colour/1")
        people = lea.page.locator("[data-part=people] li")
        expect(people).to_have_text(
            ["Ottilie: failure perception", "Bruno: failure reasoning", re.compile("^Sam .settled")]
        )
