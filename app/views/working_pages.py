"""The pages on which people work: one for each stage. *Triage*, which draws its own form, has a module."""

from __future__ import annotations

from functools import partial

from app.screens import Screen
from app.workbench import stages
from domain.roles import Role
from domain.states import Stage


def _rating_page(name: str, title: str, place: int, stage: Stage, role: Role = Role.ANNOTATOR) -> Screen:
    """Return the page of a stage in which people answer about existing items."""
    return Screen(title, place=place, stage=stage, role=role, name=name, render=partial(stages.rate, stage=stage))


STAGE_SCREENS = (
    Screen("Author", place=40, stage=Stage.AUTHORING, name="author", render=stages.write),
    _rating_page("verify", "Verify", 50, Stage.VERIFICATION),
    _rating_page("verify_2", "Verify 2", 52, Stage.VERIFICATION_2),
    _rating_page("verify_3", "Verify 3", 54, Stage.VERIFICATION_3),
    _rating_page("adjudicate", "Adjudicate", 70, Stage.ADJUDICATION, Role.SENIOR),
    _rating_page("refine", "Refine", 80, Stage.REFINEMENT),
    _rating_page("answer", "Answer", 85, Stage.ANSWERING),
    _rating_page("grade", "Grade", 90, Stage.GRADING),
    _rating_page("compare", "Compare", 91, Stage.COMPARISON),
    _rating_page("code", "Code", 92, Stage.CODING),
    _rating_page("settle_codes", "Settle codes", 94, Stage.ARBITRATION, Role.SENIOR),
)
