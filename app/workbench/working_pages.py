"""The working pages: one for each stage, and for each round of verification, in which people fill in a form."""

from __future__ import annotations

from functools import partial

from app.screens import Screen
from app.workbench import stages
from domain.roles import Role
from domain.states import VERIFICATIONS, Stage


def _rating(name: str, title: str, place: int, stage: Stage, role: Role = Role.ANNOTATOR) -> Screen:
    render = partial(stages.rate, stage=stage)
    return Screen(title, place=place, stage=stage, role=role, name=name, render=render)


def _round(number: int, stage: Stage) -> Screen:
    name, title = ("verify", "Verify") if number == 1 else (f"verify_{number}", f"Verify {number}")
    return _rating(name, title, 50 + number, stage)


WORKING_PAGES = (
    _rating("author", "Author", 40, Stage.AUTHORING),
    *(_round(number, stage) for number, stage in enumerate(VERIFICATIONS, 1)),
    _rating("adjudicate", "Adjudicate", 70, Stage.ADJUDICATION, Role.SENIOR),
    _rating("answer", "Answer", 85, Stage.ANSWERING),
    _rating("grade", "Grade", 90, Stage.GRADING),
)
