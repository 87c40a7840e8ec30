"""A lead looks at the planned sample on the dashboard, opens it with two presses, and draws more."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from contextlib import closing
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from domain.roles import Role
from domain.states import Stage
from testkit.serving import Server, touchstone
from tests.app.homes import picture
from tests.app.test_grading_command import SCHEMA
from tests.e2e.people import at_desk, opened
from workflow.access import accounts, memberships
from workflow.runs import run_grading

pytestmark = [pytest.mark.browser, pytest.mark.slow]


def slots(server: Server) -> Counter[str]:
    with closing(sqlite3.connect(server.home / "touchstone.db")) as connection:
        return Counter(state for (state,) in connection.execute("SELECT state FROM task WHERE stage = 'grading'"))


def test_a_lead_opens_a_sample_once_and_draws_more(server: Server, chromium: Browser, tmp_path: Path) -> None:
    schema = tmp_path / "planned.yaml"
    schema.write_text(SCHEMA.replace("SAMPLE", "{outputs: 10, strata: [dimension]}"))
    rows = [{"image_path": [f"{at}.png"], "question": f"{at}?", "answer": "Yes."} for at in range(6)]
    for folder in ("d1", "d2"):
        (tmp_path / "items" / folder).mkdir(parents=True)
        (tmp_path / "items" / folder / "annotations.json").write_text(json.dumps(rows))
    for at in range(6):
        (tmp_path / f"{at}.png").write_bytes(picture(at))
    answers = tmp_path / "answers.jsonl"
    lines = [
        {"item": f"{folder}/{at}", "model": model, "text": "Yes."}
        for folder in ("d1", "d2")
        for at in range(6)
        for model in ("m1", "m2", "m3")
        if (folder, model) != ("d2", "m3") or at < 4
    ]
    answers.write_text("".join(json.dumps(line) + "\n" for line in lines))
    for command in (
        ("project", "create", "p", "--schema", str(schema)),
        ("item", "import", "p", "egothink", str(tmp_path / "items"), "--media", str(tmp_path)),
        ("item", "import", "p", "predictions", str(answers)),
    ):
        done = touchstone(*command, home=server.home)
        assert done.returncode == 0, done.stderr
    with opened(server) as store:
        for login, role, stages in (("lea", Role.LEAD, None), ("ann", Role.ANNOTATOR, [Stage.GRADING])):
            accounts.create_person(store, login=login, name=login.title())
            memberships.set_member(store, by=None, project="p", login=login, role=role, stages=stages)
    server.start()
    with at_desk(chromium, server, "lea") as lea:
        lea.open("/overview?project=p&show=sample")
        told = lea.page.locator("[data-part=planned-sample]").first  # two for a moment, while the page is drawn anew
        expect(told).to_have_text(
            "A planned sample of 10 of 36 answers. No answers are open to people yet. A lead can open the sample."
        )
        expect(lea.page.locator("[data-part=sample-cost]")).to_contain_text("10 answers x 2 people = 20 slots")
        # A page that is drawn anew may show a sentence twice for a moment.
        expect(lea.page.get_by_text("m3 has not answered 2 of 12 items that the plan may draw.").first).to_be_visible()
        table = lea.page.locator("table").filter(has_text="In the sample")
        expect(table.locator("tbody tr")).to_have_count(6)  # two dimensions, three models
        drawn = [int(row.split("\t")[3]) for row in table.locator("tbody tr").all_inner_texts()]
        assert (sum(drawn[:3]), sum(drawn[3:])) == (5, 5)
        assert table.locator("tbody tr").first.inner_text().split("\t")[:3] == ["D1", "m1", "6"]
        assert slots(server) == {}
        with opened(server) as store:
            found = run_grading.planned_sample(store, by=None, project="p")
        assert found is not None
        missing = found.total("unanswered")
        button = lea.page.get_by_role("button", name="for grading")
        expect(button).to_have_text(f"Open {2 * (10 - missing)} slots for grading")
        button.dblclick()
        expect(lea.page.get_by_role("button", name="Open 0 slots for grading")).to_be_disabled()
        expect(told).to_contain_text(f"{10 - missing} untouched")
        assert slots(server) == {"open": 2 * (10 - missing)}
        lea.settled()
        box = lea.page.get_by_role("spinbutton", name="Answers in the sample")
        box.fill("36")
        box.press("Enter")
        expect(told).to_contain_text("A planned sample of 36 of 36 answers")
        lea.settled()
        lea.page.get_by_role("button", name=f"Open {2 * (34 - 10 + missing)} slots for grading").click()
        expect(told).to_contain_text("34 untouched. 2 not answered by their model yet.")
        assert slots(server) == {"open": 68}
    with at_desk(chromium, server, "ann") as ann:
        ann.open("/grade?project=p")
        expect(ann.bench).to_have_attribute("data-view", "task")
