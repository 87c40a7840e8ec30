"""A lead makes a calibration report of a judge in the browser, and goes from a row to the answers behind it."""

from __future__ import annotations

import csv
import io
import json
import re
import zipfile
from collections import Counter
from pathlib import Path
from typing import Literal

import pytest
from PIL import Image
from playwright.sync_api import Browser, Page, expect

from domain.records import TaskView
from domain.roles import Role
from domain.states import Stage
from testkit.browser import settled
from testkit.serving import Server, touchstone
from tests.e2e.people import at_desk, opened
from workflow.access import accounts, memberships
from workflow.annotate import claims, submissions

pytestmark = [pytest.mark.browser, pytest.mark.slow]

QUESTIONS = [f"What is on shelf {at}?" for at in range(12)]
GRADES = {
    "greta": [0, 0.5, 1, 1, 0, 0.5, 1, 0, 0.5, 1, 1, 0],
    "gus": [0, 0.5, 1, 0.5, 0, 0.5, 1, 0, 1, 1, 1, 0],
    "gil": [0, 0.5, 1, 1, 0, 0, 1, 0, 0.5, 1, 1, 0],
}
JUDGE = [0, 1, 1, 1, 0, 0.5, 1, 0.5, 0.5, 1, 0, 0]


def run(server: Server, *arguments: str) -> None:
    done = touchstone(*arguments, home=server.home)
    assert done.returncode == 0, done.stderr


DRAWN = """charts => charts.filter(chart => {
    const place = chart.getBoundingClientRect(), words = chart.querySelector('.role-axis-label text');
    const light = (color) => { const [r, g, b] = color.match(/[\\d.]+/g).map(Number); return r + g + b; };
    let paper = chart;
    while (paper && /rgba\\(.*, 0\\)|transparent/.test(getComputedStyle(paper).backgroundColor))
        paper = paper.parentElement || paper.getRootNode().host;
    const apart = Math.abs(light(getComputedStyle(words).fill) - light(getComputedStyle(paper).backgroundColor));
    return place.width > 400 && place.height > 50 && chart.checkVisibility() && apart > 300;
}).length"""
"""Charts that have a size, can be seen, and whose words stand out from the page."""


def drawn_charts(page: Page, scheme: Literal["light", "dark"]) -> int:
    page.emulate_media(color_scheme=scheme)
    settled(page)
    found: int = page.locator("svg.marks").evaluate_all(DRAWN)
    return found


def test_a_report_is_made_and_leads_to_what_is_behind_it(
    server: Server, chromium: Browser, tmp_path: Path, pictures: Path | None
) -> None:
    run(server, "project", "create", "p", "--schema", "egothink")
    (tmp_path / "items" / "Existence").mkdir(parents=True)
    records = [{"image_path": [f"{at}.jpg"], "question": text, "answer": "Jars."} for at, text in enumerate(QUESTIONS)]
    (tmp_path / "items" / "Existence" / "annotations.json").write_text(json.dumps(records))
    for at in range(len(QUESTIONS)):
        Image.new("RGB", (64, 48), (at * 20 % 256, 90, 90)).save(tmp_path / f"{at}.jpg")
    media = ("--media", str(tmp_path))
    run(server, "item", "import", "p", "egothink", str(tmp_path / "items"), "--set", "dimension=existence", *media)
    with opened(server) as store:
        for login in GRADES:
            accounts.create_person(store, login=login, name=login.title())
            memberships.set_member(
                store, by=None, project="p", login=login, role=Role.ANNOTATOR, stages=[Stage.GRADING]
            )
        accounts.create_person(store, login="lea", name="Lea")
        memberships.set_member(store, by=None, project="p", login="lea", role=Role.LEAD)
    with opened(server) as store, store.read() as session:
        from db import files
        from workflow.access.projects import access_to

        access = access_to(session, person=None, project="p")
        names = [name for _, name, _ in files.item_ids(session, project_id=access.project_id)]
    answers = tmp_path / "answers.jsonl"
    answers.write_text("".join(json.dumps({"item": name, "model": "mini", "text": "Jars."}) + "\n" for name in names))
    run(server, "item", "import", "p", "predictions", str(answers))
    with opened(server) as store:
        for login, grades in GRADES.items():
            person = accounts.find_person(store, login=login)
            for _ in QUESTIONS:
                task = claims.next_task(store, person=person, project="p", stage=Stage.GRADING)
                assert isinstance(task, TaskView), task
                score = grades[QUESTIONS.index(str(task.fields["question"]))]
                submissions.submit(store, person=person, task=task.id, key=task.id, values={"score": score})
    by_judge = tmp_path / "judge.csv"
    with by_judge.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["stage", "unit", "rater", "criterion", "value"])
        writer.writerows(
            ["grading", f"{name} · mini", "big judge", "score", JUDGE[at]] for at, name in enumerate(names)
        )
    run(server, "item", "import", "p", "ratings", str(by_judge))
    server.start()

    with at_desk(chromium, server, "lea") as lea:
        lea.open("/calibration?project=p")
        answer = lea.page.locator("[data-part=judge-answer]").filter(has_text="big judge")
        expect(answer).to_be_visible(timeout=60_000)
        expect(lea.page.locator("svg.marks")).to_have_count(0)
        lea.looks(pictures, "calibration")
        same = sum(a == b for a, b in zip(GRADES["gus"], JUDGE, strict=True)) / len(JUDGE)
        lea.settled()
        address = lea.page.url
        lea.page.get_by_text("Full report").click()
        sections = lea.page.locator("[class*=st-key-calibration-section-] summary")
        expect(sections.first).to_be_visible()
        lea.settled()
        for at in range(sections.count()):
            sections.nth(at).press("Enter")
            lea.settled()
            part = lea.page.locator("[class*=st-key-calibration-section-]").nth(at)
            expect(part.locator("p.lead")).to_be_visible()
        assert lea.page.url == address, "it leads down the page, not to another one"
        section = lea.page.locator("[class*=st-key-calibration-section-judges]")
        row = section.locator("tr").filter(has_text="gus").filter(has=lea.page.get_by_role("link"))
        expect(row).to_contain_text(f"{100 * same:.1f} %")
        with lea.page.expect_download() as download:
            lea.page.get_by_role("button", name="Download report").click()
        with zipfile.ZipFile(io.BytesIO(Path(download.value.path()).read_bytes())) as packed:
            assert {"report.html", "report.json", "card.html"} <= set(packed.namelist())
            told = json.loads(packed.read("report.json"))
            whole = packed.read("report.html").decode()
        assert drawn_charts(lea.page, "light") == drawn_charts(lea.page, "dark") == whole.count("<svg") >= 4
        assert (told["humans"], told["judges"]) == ([login.title() for login in sorted(GRADES)], ["big judge"])
        cell = lea.page.locator("[class*=st-key-calibration-section-confusion] tr").filter(
            has_text=re.compile(r"big judge\s*0.5\s*1\s*\d")
        )
        items = cell.get_by_role("link", name="items").get_attribute("href") or ""
        row.get_by_role("link", name="differences").click()
        expect(lea.page.get_by_text("Gus and big judge disagree about score")).to_be_visible()
        for text, a, b in zip(QUESTIONS, GRADES["gus"], JUDGE, strict=True):
            expect(lea.page.get_by_role("link", name=text)).to_have_count(int(a != b))
        lea.open(items)
        expect(lea.page.get_by_text("and big judge says 1")).to_be_visible()
        most = [Counter(grades).most_common(1)[0] for grades in zip(*GRADES.values(), strict=True)]
        for text, (grade, n), judged in zip(QUESTIONS, most, JUDGE, strict=True):
            expect(lea.page.get_by_role("link", name=text)).to_have_count(int(n > 1 and (grade, judged) == (0.5, 1)))
