"""Refinement in a real browser: decisions and an edit by keyboard, new votes, and what the release says of it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from domain.records import TaskView
from domain.roles import Role
from domain.states import Stage
from extensions.refinement import decisions
from testkit import missing_media
from testkit.kept_items import export_kept, gates_of
from testkit.samples import pca_record, write
from testkit.serving import Server, touchstone
from tests.e2e.people import Desk, at_desk, opened
from workflow.access import accounts, memberships
from workflow.annotate import submissions
from workflow.annotate.claims import next_task

pytestmark = [pytest.mark.browser, pytest.mark.slow]

PLAIN, DOUBTFUL = "Put cup 1 on the shelf.", "Put cup 2 on the shelf."
MENDED = "Put the cup before you on the shelf."


def run(home: Path, *arguments: str) -> str:
    done = touchstone(*arguments, home=home)
    assert done.returncode == 0, done.stderr
    return done.stdout


def vote_all(desk: Desk) -> dict[str, int]:
    """Choose the key of everything that is there; how often each question was answered."""
    desk.open("/verify?project=pca")
    expect(desk.bench).to_be_visible()
    seen: dict[str, int] = {}
    while desk.view() == "task":
        question = desk.shown("question")
        seen[question] = seen.get(question, 0) + 1
        key = desk.page.locator(".choice", has_text="Pick up the cup.").locator("kbd").first.inner_text()
        desk.next_after(key)
    return seen


def vote_on_all(server: Server, login: str) -> list[str]:
    """The same as the page has it stored; the questions."""
    seen = []
    with opened(server) as store:
        person = accounts.find_person(store, login=login)
        while isinstance(view := next_task(store, person=person, project="pca", stage=Stage.VERIFICATION), TaskView):
            seen.append(str(view.fields["question"]))
            submissions.submit(
                store, person=person, task=view.id, key=f"{login}-{view.id}", values={"choice": "Pick up the cup."}
            )
    return seen


def test_a_second_right_answer_is_found_mended_and_voted_on_again(
    server: Server, chromium: Browser, tmp_path: Path, pictures: Path | None
) -> None:
    home = server.home
    run(home, "project", "create", "pca", "--schema", "pca_bench")
    items = write(tmp_path / "items.json", [pca_record(1), pca_record(2)])
    run(home, "item", "import", "pca", "pca_bench", str(items))
    missing_media.fill_home(home)
    with opened(server) as store:
        for login in ("ann", "bob", "rita"):
            accounts.create_person(store, login=login, name=login.capitalize())
            memberships.set_member(store, by=None, project="pca", login=login, role=Role.ANNOTATOR)
        accounts.create_person(store, login="lena", name="Lena")
        memberships.set_member(store, by=None, project="pca", login="lena", role=Role.LEAD)
        from db import projects as rows
        from db.items import of_project

        with store.read() as session:
            project = rows.by_name(session, name="pca")
            assert project is not None
            ids = [item.external_id for item in of_project(session, project_id=project.id)]
    answers = tmp_path / "answers.jsonl"
    lines = [{"item": id, "model": "secret-model", "text": "Go to the shelf."} for id in ids]
    answers.write_text("".join(json.dumps(line) + "\n" for line in lines))
    run(home, "item", "import", "pca", "predictions", str(answers))
    server.start()
    for login in ("ann", "bob"):
        assert sorted(vote_on_all(server, login)) == [PLAIN, DOUBTFUL]
    with at_desk(chromium, server, "lena") as lena:
        lena.open("/overview?project=pca&show=refinement")
        told = lena.page.locator("[data-part=to-refine]")
        expect(told).to_have_text(
            "2 of 2 answers to items that verification has not rejected will go to refinement, each to one person."
        )
        lena.picture(pictures / "refine-feed.png" if pictures else None)
        lena.page.get_by_role("button", name="Send to refinement").click()
        expect(lena.page.get_by_text("2 answers of secret-model sent to refinement.")).to_be_visible()
        expect(told).to_have_text(
            "None of 2 answers to items that verification has not rejected can still be sent to refinement."
        )
    assert "0 answers of 2" in run(home, "answer", "refine", "pca", "--model", "secret-model"), (
        "feeding twice opens once"
    )

    decided: list[str] = []
    with at_desk(chromium, server, "rita") as rita:
        rita.open("/refine?project=pca")
        expect(rita.bench).to_be_visible()
        while rita.view() == "task":
            question = rita.shown("question")
            expect(rita.page.locator(".shown.answer .value")).to_have_text("Go to the shelf.")
            assert "secret-model" not in rita.page.content()
            rita.picture(pictures / "refine.png" if pictures and not decided else None)
            decided.append(question)
            if question == DOUBTFUL:
                rita.press("e", "2")
                rita.fill("question", MENDED)
                rita.next_after("ControlOrMeta+Enter")
            else:
                rita.next_after("1")
    assert sorted(decided) == sorted([PLAIN, DOUBTFUL, MENDED])

    with at_desk(chromium, server, "ann") as ann:
        assert vote_all(ann) == {MENDED: 1}
    assert vote_on_all(server, "bob") == [MENDED]
    wanted = {"fed": 2, "decided": 2, "edited": 1, "refined": 2}
    with opened(server) as store:
        assert decisions.refinement(store, by=None, project="pca") == wanted
        gates = gates_of(store, "pca")
    run(home, "check", "pca")
    out = tmp_path / "out"
    export_kept(home, "pca", "pca_bench", out)
    assert {name: gates[name] for name in wanted} == wanted
    released = [
        record
        for path in out.rglob("*.json")
        if path.name != "manifest.json"
        for record in json.loads(path.read_text())
    ]
    assert released == [pca_record(1), pca_record(2, question=MENDED)]
