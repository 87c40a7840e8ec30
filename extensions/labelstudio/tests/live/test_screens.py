"""Test that real EgoPlan questions answered in Label Studio's own screens give the same results as on ours."""

from __future__ import annotations

from collections.abc import Callable, Set
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from db.tables import AnnotationRow
from domain.states import Stage
from extensions.labelstudio.exchange import bridge
from extensions.labelstudio.tests.live.test_protocols import (
    accounts_of,
    egoplan,
    egoplan_records,
    same_release,
)
from extensions.labelstudio.tests.live.twins import (
    PROJECT,
    AnswerTwin,
    ChoicesResult,
    Front,
    connected,
    forms,
    in_label_studio,
    on_our_screens,
    read_there,
    twins,
    waiting,
)
from tools.label_studio import Account, LabelStudio

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

Person = Callable[[str], Account]
QUESTIONS = 5
NOTE = "The tap is off; so <b>this</b>, I think: 5 > 3."
REASON = "The goal is ambiguous"


def signed_in(browser: Browser, account: Account) -> Page:
    page = browser.new_page(viewport={"width": 1400, "height": 1200})
    page.goto(f"{account.address}/user/login/")
    page.fill("input[name=email]", account.email)
    page.fill("input[name=password]", account.password)
    page.click("button[type=submit]")
    page.wait_for_url(lambda url: "login" not in url)
    return page


class Plan:
    """Answers with the key, but skips the third question, and answers the fourth wrongly with a note."""

    def __init__(self, records: list[dict[str, Any]]) -> None:
        self.records = {record["question"]: record for record in records}
        self.order = list(self.records)

    def __call__(self, login: str, stage: Stage, read: Set[str]) -> AnswerTwin:
        (question,) = read & set(self.records)
        record, place = self.records[question], self.order.index(question)
        if login == "ina" and place == 2:
            result = [ChoicesResult("choice", "touchstone:skip"), ChoicesResult("choice-skip", "goal_ambiguous")]
            return AnswerTwin({"choice": None}, result, reasons={"choice": "goal_ambiguous"})
        if login == "ina" and place == 3:
            wrong = next(record[f"choice_{each}"] for each in "abcd" if record[f"choice_{each}"] != record["answer"])
            return AnswerTwin({"choice": wrong}, [ChoicesResult("choice", wrong)], note=NOTE)
        return AnswerTwin({"choice": record["answer"]}, [ChoicesResult("choice", record["answer"])])


def answered(page: Page, task: dict[str, Any], said: AnswerTwin, *, keys: bool) -> None:
    """Answer one task by mouse, or by keyboard as far as that page supports it."""
    address = page.evaluate("location.origin")
    page.goto(f"{address}/projects/{task['project']}/data?task={task['id']}&labeling=1")
    page.get_by_role("button", name="Submit").first.wait_for()
    page.get_by_text(next(each["text"] for each in task["data"]["shown"] if each["title"] == "Question")).wait_for()
    chosen = said.values["choice"]
    if chosen is None:
        page.locator('input[name="Skip"]').check()
        page.locator(f'input[name="{REASON}"]').check()
    elif keys:
        offered = [each["value"] for each in task["data"]["options_choice"]]
        page.keyboard.press(str(offered.index(chosen) + 1))
        assert page.locator(f'input[name="{chosen}"]').is_checked()
    else:
        page.locator(f'input[name="{chosen}"]').check()
    if said.note:
        page.locator('textarea[name="touchstone-note"]').fill(said.note)
    with page.expect_response(lambda reply: "/annotations" in reply.url and reply.request.method == "POST"):
        if keys:
            page.keyboard.press("Control+Enter")
        else:
            page.get_by_role("button", name="Submit").first.click()


@pytest.mark.browser
def test_five_questions_in_its_screens(
    tmp_path: Path, sqlite_template: Path, label_studio: LabelStudio, label_studio_person: Person, chromium: Browser
) -> None:
    records = egoplan_records()[:QUESTIONS]
    people = accounts_of(label_studio_person, "ina", "jo")
    plan = Plan(records)
    with twins(tmp_path, sqlite_template, lambda world: egoplan(world, records, "ina", "jo")) as (there, here):
        front = Front(label_studio)
        connected(there, front, people, [Stage.VERIFICATION])
        bridge.push(there.store, front, forms(there), by=None, project=PROJECT)
        page = signed_in(chromium, people["ina"])
        found = waiting(people["ina"], "Ina")
        assert len(found) == QUESTIONS
        keys = True
        for stage, task in found:
            said = plan("ina", stage, read_there(task))
            plain = not (said.reasons or said.note)
            answered(page, task, said, keys=plain and keys)
            keys = keys != plain  # two of the three plain ones by keyboard
        page.close()
        assert waiting(people["ina"], "Ina") == []
        bridge.pull(there.store, front, forms(there), by=None, project=PROJECT)
        assert len(there.votes()) == QUESTIONS
        assert in_label_studio(there, front, people, [Stage.VERIFICATION], plan) == {"jo": QUESTIONS}
        assert on_our_screens(here, list(people), [Stage.VERIFICATION], plan) == dict.fromkeys(people, QUESTIONS)
        assert there.votes() == here.votes()
        assert there.verdicts() == here.verdicts()
        same_release(there, here, "egoplan", stage=Stage.VERIFICATION)
        seconds = [row.seconds for row in there.rows(AnnotationRow) if row.person_id == there.person("ina").id]
        assert all(each is not None and 0 < each < 60 for each in seconds)
        sent = b"\n".join(front.sent).decode()
        assert records[0]["task_goal"] in sent
        assert [word for word in kept_back(records) if word in sent] == []
        front.close()


def kept_back(records: list[dict[str, Any]]) -> set[str]:
    """Return the words of the records that would reveal more than the clip: its origin and its narrations."""
    offered = {record[f"choice_{each}"] for record in records for each in "abcd"}
    said = {part["narration_text"] for record in records for part in record["task_progress_metadata"]}
    goals = " ".join(record["question"] for record in records)
    words = {word for word in said - offered if word not in goals and not any(word in each for each in offered)}
    assert words
    return words | {record["video_id"] for record in records} | {record["video_source"] for record in records}
