"""The sentences that the page Agreement opens with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import krippendorff
import pytest

from agreement.ratings import Scale
from agreement.summary import summarise
from app.agreement.finding import Finding, finding
from domain.records import Rating
from domain.states import Stage
from workflow.results.confusions import confusions

NOMINAL = {"fits": Scale("nominal", ("yes", "no"))}


def of(votes: Mapping[str, Sequence[str | None]]) -> Finding:
    """The finding of these votes: by rater, one for each item."""
    rows = [
        Rating(str(at), rater, "fits", value)
        for rater, given in votes.items()
        for at, value in enumerate(given)
        if value is not None
    ]
    (matrix,) = confusions([(None, rows)], NOMINAL, by_dimension=False)
    return finding(summarise(rows, scales=NOMINAL), Stage.VERIFICATION, confusion=matrix, labels={"yes": "Fits"})


def test_few_items_are_counted_and_ten_have_a_percentage() -> None:
    ann, bo = ["yes", "no"] * 5, ["yes", "no"] * 4 + ["no", "yes"]
    alpha = krippendorff.alpha([ann, bo], level_of_measurement="nominal", value_domain=["yes", "no"])
    whole = of({"ann": ann, "bo": bo})
    assert (whole.subject, whole.share) == ("Two verifiers agree", "80 % of items")
    assert whole.rest.startswith(f"Krippendorff's alpha is {alpha:.2f} [")
    few = of({"ann": ann[1:], "bo": bo[1:]})
    assert few.share == "7 of 9 items"
    assert few.notes[0] == "Based on 9 items with at least two votes."


def test_of_three_people_the_pairs_of_votes_are_counted() -> None:
    """Item 1: all equal, 3 of 3 pairs. Item 2: two against one, 1 of 3. Item 3 has one vote."""
    found = of({"ann": ["yes", "yes", "yes"], "bo": ["yes", "yes", None], "cy": ["yes", "no", None]})
    assert found.share == "4 of 6 pairs of votes, on 2 items"
    assert found.notes[0] == "Based on 2 items with at least two votes; 1 with fewer than two is not included."


@pytest.mark.parametrize(
    ("same", "differ", "meaning"),
    [
        (400, 0, "Everyone gave the same answer"),
        (395, 5, "The agreement is high enough to rely on."),
        (20, 20, "The agreement is too low to rely on. See where raters differ, and make the guideline clearer."),
        (16, 2, "The interval reaches below 0.67, the usual minimum. More votes make the interval narrower."),
    ],
)
def test_the_interval_says_what_the_number_is_worth(same: int, differ: int, meaning: str) -> None:
    """Half of the equal votes are no, but in the first case all are yes. At n = 40, half equal, kappa is 0."""
    other = "no" if differ else "yes"
    ann = [value for _ in range(same // 2) for value in ("yes", other)] + ["yes", "no"] * (differ // 2)
    bo = [value for _ in range(same // 2) for value in ("yes", other)] + ["no", "yes"] * (differ // 2)
    found = of({"ann": ann, "bo": bo})
    assert meaning in [*found.notes, found.rest.rpartition("computed. ")[2].rstrip(".")]


def test_a_value_that_most_votes_have_is_named() -> None:
    found = of({"ann": ["yes"] * 11 + ["no"], "bo": ["yes"] * 10 + ["no"] * 2})
    assert found.notes[-1] == "88 % of these votes are “Fits”, which raises chance agreement."  # 21 of 24
