"""The grades of each answer, settled to one number for people and one for each judge."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from annotation_schemas.model import Criterion
from workflow.results.criterion_values import combine_of, combined
from workflow.results.project_answers import ProjectAnswers

Floats = NDArray[np.float64]
Values = tuple[Floats, dict[int, str]]
"""A number for every answer, nan if missing, and the reason for each missing number by the answer's place."""
NO_GRADE = "without a grade"
NO_MAJORITY = "without a majority of grades"
NO_RATING = "without a grade from the judge"
NOT_A_NUMBER = "with a grade that is not on the scale"


def by_people(found: ProjectAnswers, criterion: Criterion) -> Values:
    """Return the combined grade of people for each answer."""
    grading = found.schema.stages.grading
    combine = combine_of(found.schema, criterion)
    raters = grading.raters if grading else 1
    given = found.grades.get(criterion.name, {})
    values = np.full(len(found.answers), np.nan)
    why: dict[int, str] = {}
    for at, answer in enumerate(found.answers):
        mine = [grade for grade in given.get(answer.id, ()) if not math.isnan(grade)]
        value = combined(mine, combine, raters) if mine else None
        if value is None:
            why[at] = NO_MAJORITY if mine else NOT_A_NUMBER if given.get(answer.id) else NO_GRADE
        else:
            values[at] = value
    return values, why


def by_judge(found: ProjectAnswers, criterion: str | None, judge: str | None) -> Values:
    """Return a judge's grade of each answer."""
    given = found.judged.get((criterion or "", judge or ""), {})
    values = np.array([given.get(answer.id, math.nan) for answer in found.answers], dtype=float)
    failed = found.unscored.get((criterion or "", judge or ""), {})
    why: dict[int, str] = {}
    for at in np.flatnonzero(np.isnan(values)).tolist():
        id = found.answers[at].id
        why[at] = NOT_A_NUMBER if id in given else failed.get(id, NO_RATING)
    return values, why
