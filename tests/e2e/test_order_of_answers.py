"""The models' answers to an item come in another order to each grader, the same after a reload, as the seed says; and
two of them side by side, by keys alone."""

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

from db.engine import Store
from domain.records import TaskView
from domain.roles import Role
from domain.states import Stage
from media.store import MediaStore
from testkit.compared_world import answer, schema
from testkit.factories import claimed, make_items, make_project
from testkit.missing_extensions import needs
from testkit.serving import Server, touchstone
from testkit.stage_work import open_work
from tests.app.homes import picture
from tests.e2e.people import Desk, at_desk, opened
from workflow.access import accounts, memberships
from workflow.annotate import image_pool, submissions
from workflow.files import import_files
from workflow.runs import run_grading

pytestmark = [pytest.mark.browser, pytest.mark.slow, needs("stages", "comparison")]

MODELS = [f"m{number}" for number in range(5)]
GRADERS = ("greta", "gus", "gil")
KEYS = ("2", "1", "2")
VALUES = {"perception": 1, "cognition": 0, "action": 1}
"""What those keys mean."""


def pairs_to_compare(store: Store) -> None:
    """A project with one pair of answers, which the last grader may compare."""
    make_project(store, name="pairs", loaded=schema())
    ids = make_items(store, 1, project="pairs", fields={"question": "What is it?"})
    for name in ("one", "two"):
        answer(store, ids, f"secret-{name}", lambda id, name=name: f"words {name}", project="pairs")  # type: ignore[misc]
    memberships.set_member(store, by=None, project="pairs", login=GRADERS[-1], role=Role.ANNOTATOR)
    open_work(store, Stage.COMPARISON, project="pairs")


def compare_by_keys(desk: Desk) -> None:
    """A key for each preference, and one for each answer that is marked; undone, the sides are the same."""

    def sides() -> list[str]:
        expect(desk.bench).to_have_attribute("data-view", "task")
        expect(desk.page.locator(".sides .term")).to_have_text(["Left", "Right"])
        return desk.page.locator(".sides .value").all_inner_texts()

    desk.go("/compare?project=pairs")
    told = sides()
    assert sorted(told) == ["words one", "words two"]
    assert "secret" not in desk.page.content()
    desk.press("3", "2", "1", "2")
    expect(desk.bench).to_have_attribute("data-view", "nothing")
    desk.press("u")
    assert sides() == told
    chosen = desk.page.locator(".criterion .chosen .label, .property .chosen")
    assert [text.split()[-1] for text in chosen.all_inner_texts()] == ["good", "Right", "Yes", "No"]
    desk.press("2", "ControlOrMeta+Enter")
    expect(desk.bench).to_have_attribute("data-view", "nothing")
    with closing(sqlite3.connect(desk.server.home / "touchstone.db")) as connection:
        wanted = "SELECT answers, shown FROM annotation WHERE stage = 'comparison' ORDER BY id"
        first, last = connection.execute(wanted).fetchall()
    marks = [{"name": "left", "value": "yes"}, {"name": "right", "value": "no"}]
    assert json.loads(first[0]) == {"better": "tie", "factual": "right", "harmful": marks}
    assert json.loads(last[0]) == {"better": "right", "factual": "right", "harmful": marks}
    assert json.loads(first[1]) == json.loads(last[1]) == {"left": "a" if told[0] == "words one" else "b"}


def test_answers_come_in_an_order_of_each_graders_own(
    server: Server, chromium: Browser, tmp_path: Path, pictures: Path | None
) -> None:
    assert touchstone("project", "create", "p", "--schema", "pca_bench", home=server.home).returncode == 0
    with opened(server) as store:
        ada = accounts.create_person(store, login="ada", name="Ada")
        memberships.set_member(store, by=None, project="p", login="ada", role=Role.ANNOTATOR)
        for login in GRADERS:
            accounts.create_person(store, login=login, name=login.title())
            memberships.set_member(
                store, by=None, project="p", login=login, role=Role.ANNOTATOR, stages=[Stage.GRADING]
            )
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
        run_grading.send_imports(store, by=None, project="p")
        pairs_to_compare(store)
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
        desk.settled()
        desk.page.get_by_text(f"Submitted in the last half hour ({len(MODELS)})").click()
        desk.settled()
        desk.page.locator("[class*=st-key-my_work-earlier-take] button").last.click()
        expect(desk.page.locator(".answer").first).to_contain_text(f"said by {seen[last][0]}", timeout=60_000)
        compare_by_keys(desk)
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
    assert touchstone("item", "export", "p", "ratings", "--out", str(out), home=server.home).returncode == 0
    with out.open(newline="", encoding="utf-8") as file:
        rows = Counter((row["criterion"], row["value"]) for row in csv.DictReader(file))
    n = len(GRADERS) * len(MODELS)
    assert rows == {("perception", "1"): n, ("cognition", "0"): n, ("action", "1"): n}
