"""The models' answers to an item come in another order to each grader, the same after a reload, as the seed says."""

from __future__ import annotations

import csv
import hashlib
import json
import sqlite3
from collections import Counter
from contextlib import closing
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from domain.records import TaskView
from domain.roles import Role
from domain.states import Stage
from media.store import MediaStore
from testkit.factories import claimed
from testkit.serving import Server, touchstone
from tests.app.homes import picture
from tests.e2e.people import at_desk, opened
from workflow.access import accounts, projects
from workflow.annotate import image_pool, submissions
from workflow.files import import_files

pytestmark = [pytest.mark.browser, pytest.mark.slow]

MODELS = [f"m{number}" for number in range(5)]
GRADERS = ("greta", "gus", "gil")
KEYS = ("2", "1", "2")
VALUES = {"perception": 1, "cognition": 0, "action": 1}
"""What those keys mean."""


def test_answers_come_in_an_order_of_each_graders_own(
    server: Server, chromium: Browser, tmp_path: Path, pictures: Path | None
) -> None:
    assert touchstone("project", "create", "p", "--schema", "pca_bench", home=server.home).returncode == 0
    with opened(server) as store:
        ada = accounts.create_person(store, login="ada", name="Ada")
        projects.set_member(store, by=None, project="p", login="ada", role=Role.ANNOTATOR)
        for login in GRADERS:
            accounts.create_person(store, login=login, name=login.title())
            projects.set_member(store, by=None, project="p", login=login, role=Role.ANNOTATOR, stages=[Stage.GRADING])
        (tmp_path / "0.png").write_bytes(picture(0))
        media = MediaStore(server.home / "media")
        image_pool.add_to_pool(store, media, by=None, project="p", files=[("0.png", tmp_path / "0.png")])
        free = image_pool.pool(store, person=ada, project="p").assets[0].id
        view = image_pool.pick(store, person=ada, project="p", dimension="domestic_robot", assets=[free])
        assert isinstance(view, TaskView)
        fields = {"question": "Which?", "actions": ["a", "b"], "answer": "a", "reason": "r", "key_concepts": ["c"]}
        submissions.submit(store, person=ada, task=view.id, key="w", values=fields)
        with closing(sqlite3.connect(server.home / "touchstone.db")) as connection:
            name = connection.execute("SELECT external_id FROM item").fetchone()[0]
        answers = tmp_path / "answers.jsonl"
        answers.write_text(
            "".join(json.dumps({"item": name, "model": model, "text": f"said by {model}"}) + "\n" for model in MODELS)
        )
        import_files.import_files(store, media, by=None, project="p", format="predictions", path=answers)
    server.start()
    seen: dict[str, list[str]] = {login: [] for login in GRADERS}
    *others, last = GRADERS
    with opened(server) as store:
        for login in others:
            grader = accounts.find_person(store, login=login)
            for _ in MODELS:
                task = claimed(store, grader, Stage.GRADING)
                seen[login].append(str(task.answer).removeprefix("said by "))
                submissions.submit(store, person=grader, task=task.id, key=task.id, values=VALUES)
    with at_desk(chromium, server, last) as desk:
        desk.open("/grade?project=p")
        for _ in MODELS:
            expect(desk.bench).to_have_attribute("data-view", "task")
            text = desk.page.locator(".answer").first.inner_text()
            model = next(model for model in MODELS if f"said by {model}" in text)
            seen[last].append(model)
            if len(seen[last]) == 2:
                desk.page.reload()
                expect(desk.page.locator(".answer").first).to_contain_text(f"said by {model}")
            desk.next_after(*KEYS)
        expect(desk.bench).to_have_attribute("data-view", "nothing")
        desk.go("/")  # back to the first of five, which is the last of the list
        desk.page.get_by_text(f"Submitted in the last half hour ({len(MODELS)})").click()
        desk.page.locator("[class*=st-key-my_work-earlier-take] button").last.click()
        expect(desk.page.locator(".answer").first).to_contain_text(f"said by {seen[last][0]}", timeout=60_000)
    with closing(sqlite3.connect(server.home / "touchstone.db")) as connection:
        seed = connection.execute("SELECT seed FROM project").fetchone()[0]
        ids = dict(connection.execute("SELECT model, id FROM prediction").fetchall())
        people = dict(connection.execute("SELECT login, id FROM person").fetchall())

    def by_seed(login: str) -> list[str]:
        def rank(model: str) -> int:
            name = f"{seed}/predictions/{people[login]}/grading/prediction/{ids[model]}/0"
            return int.from_bytes(hashlib.sha256(name.encode()).digest()[:8], "big") % 2**31

        return sorted(MODELS, key=rank)

    assert seen == {login: by_seed(login) for login in GRADERS}
    out = tmp_path / "ratings.csv"
    assert touchstone("export", "p", "ratings", "--out", str(out), home=server.home).returncode == 0
    with out.open(newline="", encoding="utf-8") as file:
        rows = Counter((row["criterion"], row["value"]) for row in csv.DictReader(file))
    n = len(GRADERS) * len(MODELS)
    assert rows == {("perception", "1"): n, ("cognition", "0"): n, ("action", "1"): n}
