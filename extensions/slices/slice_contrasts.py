"""Comparisons between slices of a leaderboard, corrected for multiple testing."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from agreement.holm import holm
from agreement.statistic import Statistic
from extensions.slices.difference import difference_from_rest
from workflow.results.clusters import ALONE, cluster_of
from workflow.results.leaderboard import SlicedScores
from workflow.results.leaderboard_lines import values_of
from workflow.results.people_rows import with_people
from workflow.results.project_answers import ProjectAnswers
from workflow.results.scores import score_answers


@dataclass(frozen=True)
class Contrast:
    """A slice compared with the other ones, for one model."""

    model: str
    at: int
    difference: Statistic
    """The slice's mean less that of the other answers."""
    p_adjusted: float
    """Holm's, over all slices of all models; nan where there is no test."""


def contrasts(found: ProjectAnswers, cut: SlicedScores) -> list[Contrast]:
    """Return a test of each slice against the rest of the model's answers.

    Unanswered items that the table counts as wrong are included.
    """
    if cut.scores.kind == "corrected" or len(cut.slicing.labels) < 2:
        return []
    found, of = with_people(found, score_answers(found, cut.scores))
    tested: list[tuple[str, int, Statistic]] = []
    for model in cut.models:
        own = values_of(found, of, model, common=cut.common)
        known = [(item, value) for item, value in own.items() if item in cut.slicing.of_item]
        values = [value for _, value in known]
        groups = np.array([cut.slicing.of_item[item] for item, _ in known], dtype=np.int64)
        together = None if cut.together == ALONE else [cluster_of(found, cut.together, item) for item, _ in known]
        for at in range(len(cut.slicing.labels)):
            gap = difference_from_rest(values, groups == at, clusters=together)
            if gap.defined:
                tested.append((model, at, gap))
    adjusted = holm([contrast.test.p_value if contrast.test else math.nan for _, _, contrast in tested])
    return [Contrast(model, at, contrast, p) for (model, at, contrast), p in zip(tested, adjusted, strict=True)]


def on_chance(tests: Sequence[Contrast]) -> str:
    """Return a sentence about the number of comparisons that would differ by chance."""
    n = sum(not math.isnan(test.p_adjusted) for test in tests)
    if not n:
        return "No slice has enough data for a comparison with the other answers."
    beyond = sum(test.p_adjusted < 0.05 for test in tests)
    phrase = {0: "no comparison differs", 1: "one comparison differs"}.get(beyond, f"{beyond} comparisons differ")
    return (
        f"Touchstone compares each of {n} slices with the model's other answers. By chance alone, about "
        f"{0.05 * n:.1f} of these comparisons would differ at the 5 % level. With Holm's correction for all "
        f"comparisons, {phrase}. If you try several ways to form slices, report all of them."
    )
