"""A lead watches agreement while people vote, and goes from a number to what the two differ about."""

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
        finding = lea.page.locator("[data-part=finding]")
        same = sum(a == b for a, b in zip(ANN[:AT_FIRST], BOB[:AT_FIRST], strict=True))
        expect(finding).to_contain_text(f"Two verifiers agree on {same} of {AT_FIRST} items")
        lea.picture(pictures / "agreement-live.png" if pictures else None)
        with opened(server) as store:
            for login, said in (("ann", ANN), ("bob", BOB)):
                vote(store, people[login], dict(list(zip(QUESTIONS, said, strict=True))[AT_FIRST:]))
        same = sum(a == b for a, b in zip(ANN, BOB, strict=True))
        expect(finding).to_contain_text(f"{same} of {len(QUESTIONS)} items", timeout=30_000)
        lea.page.get_by_text("Every statistic").click()
        row = lea.page.locator("[data-part=statistics] tr").filter(has_text="Cohen's kappa").filter(has_text="none")
        expect(row).to_contain_text(f"{kappa(ANN, BOB):.3f}")
        finding.get_by_role("link").click()
        differ = [text for text, a, b in zip(QUESTIONS, ANN, BOB, strict=True) if a != b]
        for text in QUESTIONS:
            expect(lea.page.get_by_role("link", name=text)).to_have_count(int(text in differ))
