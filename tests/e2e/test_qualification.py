"""Qualification in browsers: barred, answered blind, reviewed and signed by two seniors, let in; and not let in."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.e2e.people import Desk, at_desk
from tests.importers.samples import egoplan_record, write
from tests.serving import Server, touchstone

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
    """Press the key that is printed beside an option."""
    row = desk.page.locator(".criterion .choice", has_text=option).first
    desk.next_after(row.locator(".slot").inner_text().lower())


def test_a_set_is_passed_before_anybody_verifies(
    server: Server, chromium: Browser, tmp_path: Path, pictures: Path | None
) -> None:
    records = [egoplan_record(n, task_goal=f"Goal {n}") for n in range(SET + LIVE)]
    _run(server, "project", "create", "gate", "--schema", "egoplan")
    _run(server, "import", "gate", "egoplan", str(write(tmp_path / "val.json", records, indent=None)))
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
