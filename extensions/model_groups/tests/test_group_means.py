"""Models in groups by what is said of them: means by hand, and who is in no group."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from domain.errors import InvalidInputError
from extensions.model_groups.group_means import grouped, parse_grouping
from tests.workflow.test_results import KEY, made
from workflow.results import leaderboard
from workflow.results.project_answers import ProjectAnswers

# who was right on items 0 to 3; 0 and 1 are near, 2 and 3 far
RIGHT = {"a7": (1, 1, 0, 0), "a13": (1, 1, 1, 0), "b7": (0, 1, 0, 0), "b13": (1, 0, 1, 1), "api": (1, 1, 1, 1)}
SAID = {
    "a7": {"family": "A", "size": "7B", "parameters": 6.9},
    "a13": {"family": "A", "size": "13B", "parameters": 13},
    "b7": {"family": "B", "size": "7B", "parameters": 7.1},
    "b13": {"family": "B", "size": "13B", "parameters": 12.2},
}


def found(*, without: tuple[str, int] | None = None) -> ProjectAnswers:
    answers = [
        (item, model, float(right))
        for model, row in RIGHT.items()
        for item, right in enumerate(row)
        if (model, item) != without
    ]
    items = {0: "near", 1: "near", 2: "far", 3: "far"}
    return replace(made(answers, items=items), attributes=SAID)


def test_every_model_of_a_group_counts_alike() -> None:
    read = found()
    board = leaderboard.sliced_scores(read, KEY)
    both = grouped(read, board, parse_grouping(read, "size"))
    assert [(each.label, each.whole.models) for each in both.groups] == [("7B", ("a7", "b7")), ("13B", ("a13", "b13"))]
    # 7B: a7 2/4, b7 1/4 -> 3/8; 13B: 3/4 and 3/4 -> 3/4. Near: 7B (1 + 1/2)/2, far: 0
    assert [each.whole.found.value for each in both.groups] == [0.375, 0.75]
    near, far = board.slicing.labels.index("near"), board.slicing.labels.index("far")
    assert (both.groups[0].cells[near].found.value, both.groups[0].cells[far].found.value) == (0.75, 0.0)
    assert both.groups[0].of_parts is not None
    assert both.groups[0].of_parts.found.value == 0.375
    # item by item 13B less 7B: (1+1)/2 - (1+0)/2 = .5; (1+0)/2 - 1 = -.5; 1 - 0; .5 - 0
    (gap,) = both.gaps
    apart = np.array([0.5, -0.5, 1.0, 0.5])
    assert (gap.group, gap.first, gap.left_out, gap.difference.value) == ("13B", "7B", 0, apart.mean())
    assert gap.difference.se == pytest.approx(apart.std(ddof=1) / math.sqrt(4))
    assert both.notes == ["Models without a group because their size is unknown: api."]


def test_the_interval_is_over_items_which_models_share() -> None:
    read = found()
    whole = grouped(read, leaderboard.sliced_scores(read, KEY), parse_grouping(read, "size")).groups[0].whole.found
    # of each item the two models' deviations from their own means, averaged: items are drawn, models are not
    off = (np.array(RIGHT["a7"]) - 0.5 + np.array(RIGHT["b7"]) - 0.25) / 2
    assert whole.se == pytest.approx(math.sqrt((off**2).sum() / 4 / 3))
    twins = replace(read, attributes={"a7": {"size": 7}, "api": {"size": 7}})
    # a model that is right on everything adds nothing to the spread, but halves that of the other one
    alone = grouped(read, leaderboard.sliced_scores(read, KEY), parse_grouping(read, "family/size"))
    pair = grouped(twins, leaderboard.sliced_scores(twins, KEY), parse_grouping(twins, "size")).groups[0].whole.found
    a7 = np.array(RIGHT["a7"]) - 0.5
    assert pair.se == pytest.approx(math.sqrt((a7**2).sum() / 4 / 3) / 2)
    assert [each.label for each in alone.groups] == ["A · 7B", "A · 13B", "B · 7B", "B · 13B"]
    assert [(each.group, each.first) for each in alone.gaps] == [("A · 13B", "A · 7B"), ("B · 13B", "B · 7B")]
    board = leaderboard.sliced_scores(read, KEY)
    assert alone.groups[0].whole.found == board.whole["a7"].found, "a group of one is that model"


def test_numbers_are_cut_at_limits_and_mistakes_are_named() -> None:
    read = found()
    board = leaderboard.sliced_scores(read, KEY)
    cut = grouped(read, board, parse_grouping(read, "parameters:7, 13"))
    assert [(each.label, each.whole.models) for each in cut.groups] == [
        ("below 7", ("a7",)),
        ("7 to below 13", ("b13", "b7")),  # as on the leaderboard: the higher mean first
        ("13 and more", ("a13",)),
    ]
    assert grouped(read, board, parse_grouping(read, "family:3")).groups == [], "a name is no number"
    with pytest.raises(InvalidInputError, match=r"an attribute 'sise'. Choose one of family, size, parameters"):
        parse_grouping(read, "sise")
    with pytest.raises(InvalidInputError, match=r"'big' is not a valid number. Use a number such as 10 or 10B"):
        parse_grouping(read, "size:big")


def test_a_missing_answer_leaves_its_item_out_of_the_difference_alone() -> None:
    read = found(without=("b7", 0))
    both = grouped(read, leaderboard.sliced_scores(read, KEY), parse_grouping(read, "size"))
    # a7 2/4, b7 1/3 of what it answered; the difference is over items 1 to 3
    assert both.groups[0].whole.found.value == pytest.approx((1 / 2 + 1 / 3) / 2)
    assert (both.gaps[0].difference.n_units, both.gaps[0].left_out) == (3, 1)
    assert both.gaps[0].difference.value == pytest.approx((-0.5 + 1.0 + 0.5) / 3)
