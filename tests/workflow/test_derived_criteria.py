"""Criteria that follow from others, in results and in calibration: worked numbers."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import pytest
from scipy import stats

from agreement import ppi_mean
from annotation_schemas.expected_answers import NO_KEY
from annotation_schemas.loader import load_text
from domain.errors import InvalidInputError
from workflow.results import leaderboard, leaderboard_lines, score_choices
from workflow.results import scores as results
from workflow.results.graded_answers import Answer
from workflow.results.project_answers import ProjectAnswers
from workflow.results.score_choices import Scores
from workflow.results.slices import Item

BITS = """
name: bits
version: 1
title: Three bits
dimensions: [{id: colour, title: Colour, definition: "A colour."}]
item:
  fields:
    - {name: question, kind: text}
    - {name: options, kind: text_list, length: 2}
    - {name: answer, kind: option_of, field: options, secret_in: [grading]}
    - {name: origin, kind: text, required: false, authored: false, secret_in: [grading]}
stages:
  authoring: {}
  grading:
    raters: 3
    combine: majority
    criteria:
      - {name: perception, kind: scale, prompt: "?", values: [0, 1]}
      - {name: cognition, kind: scale, prompt: "?", values: [0, 1]}
      - {name: action, kind: scale, prompt: "?", values: [0, 1]}
report:
  statistics: [derived]
  derived:
    - {name: genuine, all_of: [perception, cognition, action]}
    - {name: share, mean_of: [perception, cognition, action]}
"""
LOADED = load_text(BITS, "Be exact.", "bits")
PARTS = ("perception", "cognition", "action")

EACH_HAS_ANOTHER_FAULT = ((0, 1, 1), (1, 0, 1), (1, 1, 0))
"""Three people's (perception, cognition, action): no one says 1, 1, 1, and each part has two votes of three."""


def made(
    grades: Mapping[int, Sequence[Sequence[int]]], judged: Mapping[int, Sequence[float | None]] | None = None
) -> ProjectAnswers:
    """Answers with people's bits, person by person, and a judge's."""
    ids = sorted({*grades, *(judged or {})})
    return ProjectAnswers(
        "p",
        "Project",
        LOADED.schema_,
        (),
        {id: Item(f"i{id}", f"n{id}", "colour", None, {}) for id in ids},
        [Answer(id, id, "m", math.nan, why=NO_KEY) for id in ids],
        {},
        {part: {id: [bits[at] for bits in given] for id, given in grades.items()} for at, part in enumerate(PARTS)},
        {
            (part, "gpt"): {id: bits[at] for id, bits in (judged or {}).items() if bits[at] is not None}  # type: ignore[misc]
            for at, part in enumerate(PARTS)
            if judged
        },
    )


def line(found: ProjectAnswers, scores: Scores) -> leaderboard_lines.LeaderboardLine:
    return leaderboard.sliced_scores(found, scores).whole["m"]


def test_parts_are_settled_before_they_are_put_together() -> None:
    found = made({0: EACH_HAS_ANOTHER_FAULT, 1: [(1, 1, 1)] * 3, 2: [(0, 1, 1)] * 2 + [(1, 1, 1)]})
    people = results.score_answers(found, Scores("human", "genuine")).values
    assert people.tolist() == [1, 1, 0]  # put together person by person it would be 0, 1, 0
    limits = stats.binomtest(2, 3).proportion_ci(method="wilson")
    told = line(found, Scores("human", "genuine")).found
    assert (told.value, told.low, told.high) == pytest.approx((2 / 3, limits.low, limits.high))
    assert results.score_answers(found, Scores("human", "share")).values == pytest.approx([1, 1, 2 / 3])


def test_without_a_part_it_is_open_and_says_why() -> None:
    # answer 0 has two votes, which differ, on perception; answer 1 is settled; the judge lacks a part of answer 1
    found = made({0: [(1, 0, 1), (0, 0, 1)], 1: [(1, 1, 1)] * 3}, {0: (1, 0, 1), 1: (1, None, 1), 2: (1, 1, 1)})
    people = results.score_answers(found, Scores("human", "genuine"))
    assert [each for each in people.values.tolist() if not math.isnan(each)] == [1]
    assert people.why == {0: "perception: without a majority of grades", 2: "without a grade"}
    judge = results.score_answers(found, Scores("judge", "genuine", "gpt"))
    assert [judge.values[0], judge.values[2]] == [0, 1]
    assert judge.why == {1: "cognition: without a grade from the judge"}
    assert line(found, Scores("judge", "genuine", "gpt")).found.n_units == 2


def test_a_judge_corrected_by_people() -> None:
    both = [((1, 1, 1), (1, 1, 1)), ((1, 1, 1), (1, 0, 1)), ((0, 1, 1), (1, 1, 1)), ((0, 0, 1), (0, 0, 1))] * 3
    grades = {at: [bits] * 3 for at, (bits, _) in enumerate(both)}
    judged = {at: bits for at, (_, bits) in enumerate(both)} | {at: (1, 1, at % 2) for at in range(12, 20)}
    found = made(grades, judged)
    told = line(found, Scores("corrected", "genuine", "gpt", "ppi"))
    expected = ppi_mean([1, 1, 0, 0] * 3, [1, 0, 1, 0] * 3, [at % 2 for at in range(12, 20)])
    assert told.found.value == pytest.approx(expected.mean.value)
    assert told.people == 12


def test_it_is_among_the_ways_of_scoring() -> None:
    found = made({0: [(1, 1, 1)] * 3}, {0: (1, 1, 1)})
    there = score_choices.selected_scores(found, criteria=["genuine"])
    assert [(each.kind, each.judge) for each in there] == [("human", None), ("judge", "gpt"), ("corrected", "gpt")]
    assert there[0].title == "People, genuine"
    assert any(
        note.startswith("Genuine is 1 if perception, cognition and action all have their highest value")
        for note in leaderboard.sliced_scores(found, there[0]).notes
    )
    with pytest.raises(InvalidInputError, match="Its criteria: perception, cognition, action, genuine, share"):
        score_choices.selected_scores(found, criteria=["fluky"])


# ---- in calibration --------------------------------------------------------------------------------------------------
