"""What the lead's stories have in common, in any browser: the schema, the items, who says what of them, the judge.

What is planned here is written down apart from the code under test; stories compare with it what comes out.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from domain.records import TaskView
from domain.states import Stage
from testkit.samples import egoplan_record, write
from testkit.scripted import Asked, Reply, chat
from testkit.serving import Server
from tests.e2e.people import opened
from workflow.access import accounts
from workflow.annotate import submissions
from workflow.annotate.claims import next_task

PROJECT, TITLE = "kitchen_steps", "Kitchen steps"
SCHEMA = """
name: kitchen
version: 1
title: Kitchen steps
source: {format: egoplan}
dimensions:
  - {id: next_action, title: Next action, definition: "Which action comes next towards the goal."}
item:
  assets: [{role: observation, kind: image}]
  fields:
    - {name: task_goal, kind: text, title: Goal}
    - {name: question, kind: long_text}
    - {name: options, kind: text_list, length: 4}
    - {name: answer, kind: option_of, field: options, required: false, secret_in: [verification]}
    - {name: sample_id, kind: integer, required: false, authored: false}
stages:
  verification:
    raters: 2
    order: oldest
    qualification: {items: 2, reviewers: 1, pass_mark: 1}
    criteria: [{name: choice, kind: option_of, field: options, prompt: "What should be done next?"}]
    keep: {rule: unanimous_and_key, criterion: choice, key: answer}
  adjudication: {reasons: [unclear, other]}
  grading:
    raters: 3
    shows: [question, answer]
    criteria: [{name: score, kind: scale, prompt: "How good is it?", values: [0, 0.5, 1]}]
judges:
  - name: strict
    criteria: [score]
    template: egothink_single
    sees: [question, answer, prediction]
    fills: {ref_answer_1: answer, answer: prediction}
    values: [0, 0.5, 1]
report: {unit: prediction, statistics: [percent_agreement, krippendorff_alpha]}
export: {formats: [egoplan]}
"""
PASSWORD = "nine lives and more"

Record = dict[str, Any]


def drawn(n: int) -> list[Record]:
    """So many records of EgoPlan-Bench's form, no two alike."""
    return [egoplan_record(at, task_goal=f"Goal {at}", question=f"What comes next at {at}?") for at in range(n)]


def as_file(records: Sequence[Record], folder: Path) -> Path:
    """The records as EgoPlan-Bench's authors write theirs."""
    return write(folder / "validation.json", list(records), indent=None)


OPTIONS = tuple(f"choice_{letter}" for letter in "abcd")


def options(record: Record) -> list[str]:
    return [record[key] for key in OPTIONS]


@dataclass(frozen=True)
class Plan:
    """Who says what, by the place of an item in the file."""

    records: Sequence[Record]
    live: Sequence[int]
    """What is verified."""
    split: Sequence[int]
    """Where Bob says something else than Ann, who always gives the key. Sue accepts every second of them."""
    wrong: Sequence[int]
    """Where both say the same, and it is not the key: not kept, by the rule of the schema."""

    @property
    def accepted(self) -> Sequence[int]:
        return self.split[::2]

    @property
    def kept(self) -> list[int]:
        return [n for n in self.live if n not in self.wrong and n not in self.split[1::2]]

    @property
    def false(self) -> list[int]:
        """Where the model's answer is not the key."""
        return [n for n in self.kept if n % 3 == 0]

    @cached_property
    def _places(self) -> dict[tuple[str, tuple[str, ...]], int]:
        some = self.records[: max(self.live) + 1]
        found = {(each["task_goal"], tuple(sorted(options(each)))): n for n, each in enumerate(some)}
        assert len(found) == len(some), "no two of the first items are alike"
        return found

    def place(self, goal: str, offered: Sequence[str]) -> int:
        """Which item that is."""
        return self._places[goal, tuple(sorted(offered))]

    def _key(self, n: int) -> tuple[str, str]:
        """The key, and another option."""
        key = str(self.records[n]["answer"])
        return key, next(each for each in options(self.records[n]) if each != key)

    def vote(self, login: str, n: int) -> str:
        key, other = self._key(n)
        return other if n in self.wrong or (n in self.split and login == "bob") else key

    def said(self, n: int) -> str:
        """The model's answer."""
        key, other = self._key(n)
        return other if n in self.false else key

    def answers(self, folder: Path) -> Path:
        """The model's answers to what is kept, as a file."""
        path = folder / "answers.jsonl"
        rows = [{"item": str(self.records[n]["sample_id"]), "model": "mini", "text": self.said(n)} for n in self.kept]
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
        return path

    @staticmethod
    def grade(login: str, right: bool) -> float:
        """Cat is milder with what is wrong."""
        return 1.0 if right else 0.5 if login == "cat" else 0.0


def judge(asked: Asked, number: int) -> Reply:
    """A judge for whom only the reference is right."""
    if "[Question]" not in asked.text:
        return chat("OK")
    parts = [
        re.search(rf"{name}\]\n(.*?)\n\[The End", asked.text, re.DOTALL)
        for name in ("Reference Answer", "Assistant's Answer")
    ]
    reference, said = (part[1] for part in parts if part)
    return chat(f"I have compared them. Rating: [[{int(reference == said)}]]", usage=(200, 20))


def stored_votes(server: Server, login: str, plan: Plan, n: int) -> list[int]:
    """What someone votes, stored as the page has it stored; about which items."""
    about = []
    with opened(server) as store:
        person = accounts.find_person(store, login=login)
        for _ in range(n):
            task = next_task(store, person=person, project=PROJECT, stage=Stage.VERIFICATION)
            assert isinstance(task, TaskView), task
            offered = [str(each) for each in task.fields["options"]]
            about.append(plan.place(str(task.fields["task_goal"]), offered))
            values = {"choice": plan.vote(login, about[-1])}
            submissions.submit(store, person=person, task=task.id, key=task.id, values=values)
    return about


def stored_grades(server: Server, login: str, plan: Plan) -> int:
    """Someone grades what waits for them, stored as the page has it stored; how much that is."""
    n = 0
    with opened(server) as store:
        person = accounts.find_person(store, login=login)
        while isinstance(task := next_task(store, person=person, project=PROJECT, stage=Stage.GRADING), TaskView):
            score = plan.grade(login, task.answer == task.fields["answer"])
            submissions.submit(store, person=person, task=task.id, key=task.id, values={"score": score})
            n += 1
    return n
