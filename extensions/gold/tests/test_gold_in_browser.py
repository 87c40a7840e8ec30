"""Hidden gold in browsers: drawn by a lead, met unawares, failed, stopped, let go on; and none of it is a vote."""

from __future__ import annotations

import csv
import io
import json
import re
from collections import Counter
from pathlib import Path

import pytest
from playwright.sync_api import Browser, WebSocket, expect

from db.engine import Store
from domain.records import Person, TaskView
from domain.roles import Role
from domain.states import Stage
from testkit import missing_media
from testkit.missing_extensions import needs
from testkit.serving import ROOT, Server, touchstone
from tests.e2e.people import Desk, at_desk, opened
from workflow.access import accounts, memberships
from workflow.annotate import claims, submissions

pytestmark = [pytest.mark.browser, pytest.mark.slow, needs("commands", "scorecard")]

GOLD, LIVE = [f"Is leaf {at} green?" for at in range(8)], [f"Is root {at} long?" for at in range(40)]
YES, NO = "1", "2"
AFTER = 4
"""Answers to gold from which on the shipped schema stops anyone who is right on less than half of them."""
Z_SQUARED = 1.959963984540054**2
"""Of the 97.5th percentile of the normal distribution, for Wilson's limits."""


def run(home: Path, *arguments: str) -> str:
    done = touchstone(*arguments, home=home)
    assert done.returncode == 0, done.stderr
    return done.stdout


def bring(server: Server, folder: Path) -> None:
    """Import all items."""
    (folder / "garden").mkdir(parents=True)
    records = [{"image_path": [f"{text}.jpg"], "question": text, "answer": "Yes."} for text in GOLD + LIVE]
    (folder / "garden" / "annotations.json").write_text(json.dumps(records))
    run(server.home, "item", "import", "quorum", "egothink", str(folder))
    missing_media.fill_home(server.home)


def settle(store: Store, person: Person) -> None:
    """Say yes to what is to be gold, and give back everything else."""
    settled = 0
    while settled < len(GOLD):
        task = claims.next_task(store, person=person, project="quorum", stage=Stage.VERIFICATION)
        assert isinstance(task, TaskView)
        if task.fields["question"] in GOLD:
            submissions.submit(store, person=person, task=task.id, key=task.id, values={"right": "yes"})
            settled += 1
        else:
            claims.release(store, person=person, task=task.id)


SHAPE = """() => {
    const host = [...document.querySelectorAll('*')].map(node => node.shadowRoot).find(
        root => root && root.querySelector('.ts[data-view]'));
    const shape = node => [node.tagName, node.className, [...node.getAttributeNames()].sort().join(),
        [...node.children].map(shape)];
    return JSON.stringify(shape((host || document).querySelector('.ts[data-view]')));
}"""
"""The page as elements, classes and names of attributes, without any text."""


def left(desk: Desk) -> int:
    """What the thin line says is left."""
    said = desk.bench.locator(".numbers").first.inner_text()
    return int(next(part for part in said.split(",") if "left" in part).split()[0])


def work(desk: Desk, seen: list[str], *, wrong: bool, at_most: int) -> dict[str, set[str]]:
    """Answer what comes, gold as told, and count down with the page; the shapes of its pages by kind."""
    shapes: dict[str, set[str]] = {"gold": set(), "live": set()}
    frames: list[bytes] = []

    def listen(socket: WebSocket) -> None:
        socket.on("framereceived", lambda frame: frames.append(frame if isinstance(frame, bytes) else frame.encode()))

    desk.page.on("websocket", listen)
    replies = []
    desk.page.on("response", lambda reply: replies.append(reply) if "/api/" in reply.url else None)
    desk.open("/verify?project=quorum")
    expect(desk.bench).to_be_visible()
    before = left(desk)
    for n in range(at_most):
        if desk.view() != "task":
            break
        question = desk.shown("question")
        seen.append(question)
        known = question in GOLD
        if n:  # the first page still has to load what it keeps
            expect(desk.page.locator(".media img.view:not(.waiting)")).to_have_count(1)
            shapes["gold" if known else "live"].add(desk.page.evaluate(SHAPE))
        assert left(desk) == before - n
        desk.next_after(NO if known and wrong else YES)
    said = b"".join(frames) + b"".join(reply.body() for reply in replies)
    assert all(question.encode() in said for question in seen)
    pages = rb"\x0bGold checks2(\x04gold|\x0bGold checks)"  # every run names all pages
    told = re.sub(pages, b"", said).replace(bytes(ROOT), b"")
    assert b"gold" not in told.lower(), "nothing that is sent names it"
    return shapes


def test_gold_is_met_unawares_scored_and_never_counted(
    server: Server, chromium: Browser, tmp_path: Path, pictures: Path | None
) -> None:
    run(server.home, "project", "create", "quorum", "--schema", "quorum")
    bring(server, tmp_path / "items")
    roles = {"ann": Role.ANNOTATOR, "bob": Role.ANNOTATOR, "lena": Role.LEAD}
    with opened(server) as store:
        for login, role in {**dict.fromkeys(("ulla", "vera", "wim"), Role.ANNOTATOR), **roles}.items():
            person = accounts.create_person(store, login=login, name=login.capitalize())
            memberships.set_member(store, by=None, project="quorum", login=login, role=role)
            if login not in roles:
                settle(store, person)
    server.start()

    with at_desk(chromium, server, "lena") as lena:
        lena.open("/gold?project=quorum")
        expect(lena.page.get_by_text(f"{len(GOLD)} settled items are unambiguous")).to_be_visible()
        lena.page.get_by_role("button", name="Draw them").click()
        expect(lena.page.get_by_role("cell", name="yes", exact=True)).to_have_count(len(GOLD))

    by_ann: list[str] = []
    with at_desk(chromium, server, "ann") as ann:
        shapes = work(ann, by_ann, wrong=True, at_most=len(GOLD) + len(LIVE))
        expect(ann.bench).to_have_attribute("data-view", "nothing")
        expect(ann.page.locator(".nothing")).to_contain_text("Stopped for now")
        ann.picture(pictures / "gold-stopped.png" if pictures else None)
    met = [question for question in by_ann if question in GOLD]
    assert len(met) == AFTER
    assert by_ann[-1] == met[-1], "stopped at once after the last of them"
    assert shapes["gold"] & shapes["live"], "the same elements on both"
    assert shapes["gold"] <= shapes["live"], "nothing about a page of gold that pages of live work do not have"

    by_bob: list[str] = []
    with at_desk(chromium, server, "bob") as bob:
        work(bob, by_bob, wrong=False, at_most=8)
    right = sum(question in GOLD for question in by_bob)

    with at_desk(chromium, server, "lena") as lena:
        lena.open("/overview?project=quorum")
        expect(lena.page.get_by_text("Stopped by gold checks: Ann (verification).")).to_be_visible()
        lena.go("/gold?project=quorum")
        lena.settled()
        with lena.page.expect_download() as download:
            lena.page.get_by_role("button", name="People as CSV").click()
        lena.picture(pictures / "gold.png" if pictures else None)
        people = list(csv.DictReader(io.StringIO(Path(download.value.path()).read_text(encoding="utf-8"))))
        lena.page.get_by_role("textbox", name="Reason to reinstate").fill("We talked about leaves.")
        lena.page.get_by_role("button", name="Reinstate").click()
        expect(lena.page.get_by_role("button", name="Reinstate")).to_have_count(0)
    found = {row["person"]: row for row in people}
    wilson = Z_SQUARED / (AFTER + Z_SQUARED)  # the upper limit of none of four
    assert (found["ann"]["right"], found["ann"]["n"], found["ann"]["standing"]) == ("0", str(AFTER), "stopped")
    assert float(found["ann"]["low"]) == 0
    assert float(found["ann"]["high"]) == pytest.approx(wilson, abs=1e-4)
    if right:
        assert (found["bob"]["right"], found["bob"]["n"]) == (str(right), str(right))

    with at_desk(chromium, server, "ann") as ann:
        ann.open("/verify?project=quorum")
        expect(ann.bench).to_have_attribute("data-view", "task")

    ratings = tmp_path / "ratings.csv"
    run(server.home, "item", "export", "quorum", "ratings", "--out", str(ratings))
    with ratings.open(newline="") as file:
        votes = Counter((row["unit"], row["value"]) for row in csv.DictReader(file))
    live = Counter(question for question in by_ann + by_bob if question in LIVE)
    ids = {question: f"garden/{at}" for at, question in enumerate(GOLD + LIVE)}
    settled = {(ids[question], "yes"): 3 for question in GOLD}
    assert votes == settled | {(ids[question], "yes"): n for question, n in live.items()}
    assert "All stored states match the votes." in run(server.home, "check", "quorum")
    # To anyone who did it, gold was work like any other, and is paid as such; the lead sees how much of it there was.
    paid = {
        row["login"]: row
        for row in csv.DictReader(io.StringIO(run(server.home, "scorecard", "show", "--pay", "quorum")))
    }
    assert {login: (paid[login]["items"], paid[login]["gold"]) for login in ("ann", "bob")} == {
        "ann": (str(len(by_ann)), str(AFTER)),
        "bob": (str(len(by_bob)), str(right)),
    }
    cards = csv.DictReader(io.StringIO(run(server.home, "scorecard", "show", "quorum")))
    whole = {row["login"]: row for row in cards if row["window"] == "0"}
    assert (whole["ann"]["gold_n"], float(whole["ann"]["gold"])) == (str(AFTER), 0)
    assert whole["ann"]["submissions"] == str(len(by_ann) - AFTER), "the other figures are of live work"
