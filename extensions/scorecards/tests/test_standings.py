"""Who is named as below the team: limits held against statsmodels, and the sentence that the page opens with."""

from __future__ import annotations

import pytest

from domain.states import Stage
from extensions.scorecards.cards import Card, Score, Share
from extensions.scorecards.pages.scorecard import answer
from extensions.scorecards.standings import Standings, standings
from testkit.factories import make_schema
from tests.app.screens import text

STAGES = make_schema().schema_.stages


def said(found: Standings) -> str:
    return text(answer(found, STAGES, lambda one: f"/items?voter={one.card.login}"))


def card(name: str, k: int, n: int, stage: Stage = Stage.VERIFICATION) -> Card:
    """Someone with k of n equal answers."""
    score = Score(n, 0, 1.0, 0, 1.0, Share(k, n), Share(), Share(), None)
    return Card(name.lower(), name, True, stage, score, None, Share())


def test_limits_are_those_of_statsmodels_at_the_corrected_level() -> None:
    proportion = pytest.importorskip("statsmodels.stats.proportion")
    cards = [card("Ann", 45, 50), card("Bob", 40, 50), card("Cy", 25, 50), card("Dee", 30, 40, Stage.GRADING)]
    found = standings(cards)
    assert found.compared == 4
    for team in found.stages:
        for one in team.people:
            peer = proportion.proportion_confint(one.share.k, one.share.n, alpha=0.05 / 4, method="wilson")
            assert (one.low, one.high) == pytest.approx(peer, abs=1e-12)


def test_only_who_is_below_the_median_with_the_whole_interval_is_named() -> None:
    cards = [card("Ann", 45, 50), card("Bob", 40, 50), card("Cy", 25, 50), card("Dee", 3, 9)]
    found = standings(cards)
    (team,) = found.stages
    assert [one.card.name for one in team.people] == ["Cy", "Bob", "Ann"]
    assert team.median == 0.8
    # Wilson, z = 2.394 for 0.05 / 3: 25 of 50 is 0.341 to 0.659
    assert said(found) == (
        "Cy agrees with others on 50 % of 50 shared answers [34, 66] in Verification, below the team's median of 80 %."
        " 1 person has fewer than 10 shared answers, too few to compare."
    )
    close = standings([card("Ann", 45, 50), card("Bob", 40, 50), card("Cy", 36, 50)])
    assert said(close) == ("Nobody stands out. Cy agrees least in Verification: 36 of 50 shared answers are the same.")
    assert said(standings([card("Dee", 3, 9)])).startswith("You cannot compare people yet.")


def test_more_people_make_each_interval_wider() -> None:
    few = standings([card(f"P{n}", 40, 50) for n in range(2)] + [card("Low", 31, 50)])
    many = standings([card(f"P{n}", 40, 50) for n in range(60)] + [card("Low", 31, 50)])
    assert [one.card.name for _, one in few.below] == ["Low"]
    assert not many.below
