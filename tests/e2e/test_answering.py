"""Three people answer items, one of them by keys in a browser, and a lead reads what they are worth next to a model."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from domain.roles import Role
from domain.states import Stage
from media.store import MediaStore
from testkit.factories import claimed
from testkit.serving import Server, touchstone
from tests.e2e.people import at_desk, opened
from workflow.access import accounts, memberships, projects
from workflow.annotate import submissions
from workflow.annotate.authoring import NewItem, add_items
from workflow.files import import_files

pytestmark = [pytest.mark.browser, pytest.mark.slow]

SCHEMA = """
name: colours
version: 1
title: Colours
dimensions: [{id: colour, title: Colour}]
item:
  fields:
    - {name: question, kind: text}
    - {name: options, kind: text_list, length: 2}
    - {name: answer, kind: option_of, field: options}
stages:
  answering:
    people: 3
    criteria: [{name: said, kind: option_of, field: options, prompt: "Your answer"}]
"""
KEYS = {"una": "1111", "vera": "1112", "wim": "1122"}
"""What each of them presses about questions 0 to 3, of which the first option is right."""


def test_three_people_answer_by_keys_and_stand_in_results(server: Server, chromium: Browser, tmp_path: Path) -> None:
    (tmp_path / "colours.yaml").write_text(SCHEMA)
    made = touchstone("project", "create", "p", "--schema", str(tmp_path / "colours.yaml"), home=server.home)
    assert made.returncode == 0, made.stderr
    with opened(server) as store:
        for login in (*KEYS, "lea"):
            accounts.create_person(store, login=login, name=login.title())
            role = Role.LEAD if login == "lea" else Role.ANNOTATOR
            memberships.set_member(store, by=None, project="p", login=login, role=role)
        with store.write() as session:
            access = projects.access_to(session, person=None, project="p")
            items = [
                NewItem(
                    external_id=f"i{n}",
                    dimension="colour",
                    fields={"question": f"Question {n}?", "options": ["red", "blue"], "answer": "red"},
                )
                for n in range(4)
            ]
            add_items(session, access=access, new=items, now=store.now())
        answers = tmp_path / "answers.jsonl"
        lines = [{"item": f"i{n}", "model": "tiny", "text": "A" if n < 2 else "B"} for n in range(4)]
        answers.write_text("".join(json.dumps(line) + "\n" for line in lines))
        media = MediaStore(server.home / "media")
        import_files.import_files(store, media, by=None, project="p", format="predictions", path=answers)
    server.start()
    *others, (login, keys) = KEYS.items()
    with opened(server) as store:
        for other, pressed in others:  # as the page has it stored
            person = accounts.find_person(store, login=other)
            for _ in pressed:
                task = claimed(store, person, Stage.ANSWERING)
                at = int(str(task.fields["question"]).removeprefix("Question ").removesuffix("?"))
                said = ("red", "blue")[int(pressed[at]) - 1]
                submissions.submit(store, person=person, task=task.id, key=task.id, values={"said": said})
    with at_desk(chromium, server, login) as desk:
        desk.open("/answer?project=p")
        for _ in keys:
            expect(desk.bench).to_have_attribute("data-view", "task")
            at = int(desk.shown("question").removeprefix("Question ").removesuffix("?"))
            expect(desk.page.locator("[data-field=answer]")).to_have_count(0)
            desk.next_after(keys[at])
        expect(desk.bench).to_have_attribute("data-view", "nothing")
    with at_desk(chromium, server, "lea") as lead:
        lead.open("/results?project=p&show=table")
        rows = lead.page.locator('[data-part="leaderboard"] tbody tr')
        expect(rows).to_have_count(6)
        # 4, 3 and 2 of 4; each item's mean is 1, 1, 2/3, 1/3; the vote has the first three
        for name, value in (
            ("respondent 1", "1.00"),
            ("respondent 2", "0.75"),
            ("respondent 3", "0.50"),
            ("tiny", "0.50"),
            ("People4 items, 3 people, 12 answers", "0.75"),
            ("People, vote of 34 items, 3 people, 12 answers", "0.75"),
        ):
            expect(rows.filter(has_text=name)).to_contain_text(value)
        lead.go("/models?project=p")
        expect(lead.page.get_by_text("Answers of people")).to_be_visible()
