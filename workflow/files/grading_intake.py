"""Grading of imported answers: which answers open at once, and which wait until a lead sends them to grading.

A schema with a sample (``grading: {outputs: ...}`` or ``{sample: ...}``) has settled how much people grade. Without a
sample, every answer is graded. The answers of the first model open at once. Those of a further model wait until a lead
has seen their number and sends them.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from db import task_counts
from db.engine import Session
from domain.english import with_noun
from domain.states import Stage
from workflow.access.projects import Access
from workflow.annotate.grading import open_grading


class NewPrediction(NamedTuple):
    """A model's answer that has just been stored."""

    id: int
    item_id: int
    dimension: str
    model: str


def open_new_answers(session: Session, *, access: Access, new: Sequence[NewPrediction], now: datetime) -> str:
    """Pass new answers on to grading if no lead has to confirm. Return sentences about the answers that wait."""
    stage = access.schema.stages.grading
    if stage is None:
        return ""
    at_once = {prediction.model for prediction in new}
    if stage.outputs is None and stage.sample is None:
        graded = task_counts.models_in(session, project_id=access.project_id, stage=Stage.GRADING)
        at_once = at_once & graded if graded or len(at_once) > 1 else at_once
    passed = [prediction[:3] for prediction in new if prediction.model in at_once]
    open_grading(session, access=access, predictions=passed, now=now)
    waiting = [
        prediction
        for prediction in new
        if prediction.model not in at_once and (stage.dimensions is None or prediction.dimension in stage.dimensions)
    ]
    return _sentence(access.name, waiting, stage.raters) if waiting else ""


def _sentence(project: str, waiting: Sequence[NewPrediction], raters: int) -> str:
    models = len({prediction.model for prediction in waiting})
    people = "1 person" if raters == 1 else f"{raters} people"
    grades = with_noun(len(waiting) * raters, "grade")
    cost = f"{with_noun(len(waiting), 'answer')}, graded by {people} each, need {grades}"
    return (
        f"No answers from {with_noun(models, 'model')} are open for grading yet: {cost}. Choose models "
        "for grading. On the Runs page, open a model below “Imported answers” and send it to grading. Or "
        f"use `touchstone run grade RUN` (`touchstone run list {project}` shows each RUN). To grade a "
        f"sample of all models, set `grading: {{outputs: NUMBER}}` in the schema before you import."
    )
