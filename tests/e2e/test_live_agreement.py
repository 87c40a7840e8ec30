"""A lead watches agreement while people vote, and goes from a pair to what the two differ about."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from db.engine import Store
from domain.records import Person, TaskView
from domain.roles import Role
from domain.states import Stage
from testkit import missing_media
from testkit.missing_extensions import needs
from testkit.serving import Server, touchstone
from tests.e2e.people import at_desk, opened
from workflow.access import accounts, memberships
from workflow.annotate import claims, submissions

pytestmark = [
    pytest.mark.browser,
    pytest.mark.slow,
    needs("schema_keys", "stages.*.gold"),
    needs("pages", "history"),
]

QUESTIONS = [f"Is leaf {at} green?" for at in range(8)]
ANN = ["yes", "yes", "yes", "no", "no", "no", "yes", "no"]
BOB = ["yes", "yes", "no", "no", "no", "yes", "yes", "yes"]
AT_FIRST = 6


def kappa(ann: Sequence[str], bob: Sequence[str]) -> float:
    """Cohen's, of two people's yes and no."""
    n = len(ann)
    same = sum(a == b for a, b in zip(ann, bob, strict=True)) / n
    yes_ann, yes_bob = ann.count("yes") / n, bob.count("yes") / n
    chance = yes_ann * yes_bob + (1 - yes_ann) * (1 - yes_bob)
    return (same - chance) / (1 - chance)


def vote(store: Store, person: Person, said: dict[str, str]) -> None:
    """Answer these questions, and give everything else back."""
    left, passed = dict(said), set()
    while left:
        task = claims.next_task(store, person=person, project="quorum", stage=Stage.VERIFICATION)
        assert isinstance(task, TaskView)
        question = str(task.fields["question"])
        if question in left:
            submissions.submit(store, person=person, task=task.id, key=task.id, values={"right": left.pop(question)})
        else:
            assert task.id not in passed
            claims.postpone(store, person=person, task=task.id)
            passed.add(task.id)


def test_a_lead_follows_agreement_and_finds_what_a_pair_differs_about(
    server: Server, chromium: Browser, tmp_path: Path, pictures: Path | None
) -> None:
    assert touchstone("project", "create", "quorum", "--schema", "quorum", home=server.home).returncode == 0
    (tmp_path / "items" / "garden").mkdir(parents=True)
    records = [{"image_path": [f"{text}.jpg"], "question": text, "answer": "Yes."} for text in QUESTIONS]
    (tmp_path / "items" / "garden" / "annotations.json").write_text(json.dumps(records))
    assert touchstone("item", "import", "quorum", "egothink", str(tmp_path / "items"), home=server.home).returncode == 0
    missing_media.fill_home(server.home)
    with opened(server) as store:
        people = {}
        for login, role in {"ann": Role.ANNOTATOR, "bob": Role.ANNOTATOR, "sue": Role.SENIOR, "lea": Role.LEAD}.items():
            people[login] = accounts.create_person(store, login=login, name=login.capitalize())
            memberships.set_member(store, by=None, project="quorum", login=login, role=role)
        for login, said in (("ann", ANN), ("bob", BOB)):
            vote(store, people[login], dict(list(zip(QUESTIONS, said, strict=True))[:AT_FIRST]))
    server.start()

    with at_desk(chromium, server, "lea") as lea:
        lea.open("/agreement?project=quorum")
        cell = lea.page.get_by_role("link", name="items").filter(has_text=f"{AT_FIRST} items")
        expect(cell).to_contain_text(f"{kappa(ANN[:AT_FIRST], BOB[:AT_FIRST]):.2f}")
        lea.picture(pictures / "agreement-live.png" if pictures else None)
        with opened(server) as store:
            for login, said in (("ann", ANN), ("bob", BOB)):
                vote(store, people[login], dict(list(zip(QUESTIONS, said, strict=True))[AT_FIRST:]))
        cell = lea.page.get_by_role("link").filter(has_text=f"{len(QUESTIONS)} items")
        expect(cell).to_contain_text(f"{kappa(ANN, BOB):.2f}", timeout=30_000)
        cell.click()
        expect(lea.page.get_by_text("Only where the answers of Ann and Bob differ about right.")).to_be_visible()
        differ = [text for text, a, b in zip(QUESTIONS, ANN, BOB, strict=True) if a != b]
        for text in QUESTIONS:
            expect(lea.page.get_by_role("link", name=text)).to_have_count(int(text in differ))
