"""Votes on pairs: rates by hand, strengths as others have them, and where there are none."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import optimize, stats

from agreement import Bootstrap
from domain.errors import RatingsError
from extensions.preferences.pair_votes import PairVotes, left_preferred, pair_votes, win_rates
from extensions.preferences.strengths import davidson, elo

PEERS: dict[str, Any] = json.loads(Path(__file__).with_name("pair_peers.json").read_text())
SIGNS = {">": "first", "=": "tie", "<": "second", "?": None}
NONE = Bootstrap(draws=0)


def votes_of(text: str) -> PairVotes:
    """``xy> xy=``: x was preferred to y once, and tied with it once."""
    rows = text.split()
    return pair_votes([row[0] for row in rows], [row[1] for row in rows], [SIGNS[row[2]] for row in rows])


def of_counts(counts: Sequence[Sequence[Any]]) -> PairVotes:
    rows = [
        (one, other, winner)
        for one, other, *times in counts
        for winner, n in zip(("first", "tie", "second"), times, strict=True)
        for _ in range(n)
    ]
    return pair_votes(*zip(*rows, strict=True))


def strengths(votes: PairVotes) -> dict[str, float]:
    return {name: each.value for name, each in davidson(votes, bootstrap=NONE).of.items()}


def test_rates_by_hand() -> None:
    """x to y: 2 won, 1 even, 1 lost; x to z: 1 won. One vote says nothing; y is named first in two."""
    votes = votes_of("xy> xy> yx= yx> xz> yz?")
    found = {(each.name, each.against): each for each in win_rates(votes, bootstrap=NONE)}
    assert {key: (each.wins, each.ties, each.losses) for key, each in found.items()} == {
        ("x", None): (3, 1, 1),
        ("x", "y"): (2, 1, 1),
        ("x", "z"): (1, 0, 0),
        ("y", None): (1, 1, 2),
        ("y", "x"): (1, 1, 2),
        ("z", None): (0, 0, 1),
        ("z", "x"): (0, 0, 1),
    }
    assert [found[key].rate.value for key in (("x", None), ("x", "y"), ("y", "x"), ("z", "x"))] == [
        3.5 / 5,
        2.5 / 4,
        1.5 / 4,
        0.0,
    ]
    assert (votes.n, votes.n_left_out) == (5, 1)
    assert found["x", "y"].rate.n_units == 4


def test_limits_hold_whole_items() -> None:
    """30 items of which all three votes say the same: as one vote for each item, and wider than for 90 votes."""
    random = np.random.default_rng(1)
    said = np.where(random.random(30) < 0.6, "first", "second").tolist()
    three = [each for each in said for _ in range(3)]
    items = [item for item in range(30) for _ in range(3)]
    limits = []
    for winner, clusters in ((said, None), (three, items), (three, None)):
        n = len(winner)
        rate = win_rates(pair_votes(["x"] * n, ["y"] * n, winner, clusters=clusters))[1].rate
        limits.append(rate.high - rate.low)
    assert limits[1] == pytest.approx(limits[0], rel=0.1)
    assert limits[2] < 0.7 * limits[1]
    # all the same: Wilson's with as many units as there are items, 30 (scipy), not votes
    same = win_rates(pair_votes(["x"] * 90, ["y"] * 90, ["first"] * 90, clusters=items))[1].rate
    peer = stats.binomtest(30, 30).proportion_ci(method="wilson")
    assert (same.value, same.low, same.high) == (1.0, pytest.approx(peer.low), 1.0)
    assert "30 clusters" in same.method


def test_strengths_are_those_of_others() -> None:
    votes = of_counts(PEERS["counts"])
    found = davidson(votes, bootstrap=NONE)
    assert {**strengths(votes), "nu": found.ties.value} == pytest.approx(PEERS["davidson"], abs=1e-7)
    decided = of_counts([[one, other, more, 0, less] for one, other, more, _, less in PEERS["counts"]])
    assert strengths(decided) == pytest.approx(PEERS["bradley_terry"], abs=1e-7)
    assert davidson(decided, bootstrap=NONE).ties.value == 0
    assert sum(strengths(votes).values()) == pytest.approx(0, abs=1e-12)
    assert elo(math.log(10)) - elo(0) == pytest.approx(400)


BASEBALL = {
    "Milwaukee": (0, 7, 9, 7, 7, 9, 11),
    "Detroit": (6, 0, 7, 5, 11, 9, 9),
    "Toronto": (4, 6, 0, 7, 7, 8, 12),
    "New York": (6, 8, 6, 0, 6, 7, 10),
    "Boston": (6, 2, 6, 7, 0, 7, 12),
    "Cleveland": (4, 4, 5, 6, 6, 0, 6),
    "Baltimore": (2, 4, 1, 3, 1, 7, 0),
}
"""Wins of each over each, in this order: American League, East, 1987 (Agresti 2002, Categorical Data Analysis)."""


def test_the_published_table() -> None:
    """Agresti's Table 10.11: log strengths less that of Baltimore."""
    teams = list(BASEBALL)
    rows = [
        (one, other, BASEBALL[one][at], 0, BASEBALL[other][teams.index(one)])
        for one in teams
        for at, other in enumerate(teams)
        if teams.index(one) < at
    ]
    found = strengths(of_counts(rows))
    less = {team: round(found[team] - found["Baltimore"], 2) for team in teams[:-1]}
    assert less == {
        "Milwaukee": 1.58,
        "Detroit": 1.44,
        "Toronto": 1.29,
        "New York": 1.25,
        "Boston": 1.11,
        "Cleveland": 0.68,
    }


def test_known_strengths_come_back() -> None:
    """3,000 items with two votes each, which go together, on pairs of four models; and the rates of a plain count."""
    truth, nu = {"w": 0.9, "x": 0.3, "y": -0.2, "z": -1.0}, 0.5
    random = np.random.default_rng(2)
    rows = []
    for item in range(3000):
        one, other = random.choice(list(truth), 2, replace=False).tolist()
        odds = np.exp([truth[one], math.log(nu) + (truth[one] + truth[other]) / 2, truth[other]])
        first, second = (random.choice(["first", "tie", "second"], p=odds / odds.sum()) for _ in range(2))
        rows += [(one, other, first, item), (one, other, first if random.random() < 0.5 else second, item)]
    firsts, seconds, winners, items = zip(*rows, strict=True)
    votes = pair_votes(firsts, seconds, winners, clusters=items)
    found = davidson(votes, bootstrap=Bootstrap(draws=400))
    for name, each in found.of.items():
        assert each.low < truth[name] < each.high
        assert each.high - each.low < 0.2
    assert found.ties.low < nu < found.ties.high
    for each in win_rates(votes, bootstrap=NONE):
        worth = [
            {"tie": 0.5}.get(winner, float((winner == "first") == (one == each.name)))
            for one, other, winner, _ in rows
            if each.name in (one, other) and each.against in (one, other, None)
        ]
        assert each.rate.value == pytest.approx(sum(worth) / len(worth))


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "No vote states a preference or a tie."),
        ("xy?", "No vote states a preference or a tie."),
        ("xy= yz=", "All votes are ties"),
        ("xy> xy>", "x won every vote against all other models, so the estimate is infinite."),
        ("xy> yz> zy>", "x won every vote against all other models, so the estimate is infinite."),
        ("xy> yx> xz> yz=  zv> wx> vx>", "w won every vote against all other models, so the estimate is infinite."),
        ("xy> yz>", "x won every vote against all other models, and z lost every vote against all other models"),
        ("xy> xy=", "x won or tied every vote"),
        ("xy> yx> zw> wz>", "No vote compares w and z with x and y"),
    ],
)
def test_where_there_is_no_estimate(text: str, reason: str) -> None:
    found = davidson(votes_of(text))
    assert (found.reason or "").startswith(reason)
    assert all(not each.defined and each.reason == found.reason for each in [*found.of.values(), found.ties])


def test_an_estimate_is_finite_where_the_likelihood_has_a_top() -> None:
    """Tables of three models with at most one win each way and one tie for each pair, against linear programming: there
    is a top unless some direction makes nothing that was seen less likely, and something more."""
    what = [(a, b) for a, b in ((0, 1), (0, 2), (1, 2))]
    wrong = []
    for seen in list(product(product((0, 1), repeat=3), repeat=3))[::6]:
        if any(not any(each) for each in seen[:2]) or not any(any((each[0], each[2])) for each in seen):
            continue
        ties = any(each[1] for each in seen)
        better = []
        for (a, b), each in zip(what, seen, strict=True):
            outcomes = [np.eye(4)[a], (np.eye(4)[a] + np.eye(4)[b]) / 2 + np.eye(4)[3], np.eye(4)[b]]
            there = [one for one, said in zip(outcomes, each, strict=True) if said]
            others = outcomes if ties else [outcomes[0], outcomes[2]]
            better += [one - other for one in there for other in others if one is not other]
        rows = np.array(better)
        bounds = [(0, 0), (-1, 1), (-1, 1), (-1, 1) if ties else (0, 0)]
        found = optimize.linprog(-rows.sum(axis=0), A_ub=-rows, b_ub=np.zeros(len(rows)), bounds=bounds)
        counts = [["xyz"[a], "xyz"[b], *each] for (a, b), each in zip(what, seen, strict=True) if any(each)]
        reason = davidson(of_counts(counts), bootstrap=NONE).reason
        if (found.fun < -1e-9) != (reason is not None):
            wrong.append((seen, reason))
    assert wrong == []


def test_the_left_place() -> None:
    found, peer = left_preferred(63, 40), stats.binomtest(63, 103)
    limits = peer.proportion_ci(method="exact")
    assert (found.value, found.low, found.high) == (63 / 103, pytest.approx(limits.low), pytest.approx(limits.high))
    assert found.test is not None
    assert found.test.p_value == pytest.approx(peer.pvalue)
    assert (left_preferred(5, 0).low, left_preferred(5, 0).high) == (pytest.approx(0.025 ** (1 / 5)), 1.0)
    assert left_preferred(0, 0).reason == "No vote prefers either answer."


def test_what_is_no_vote_on_a_pair() -> None:
    with pytest.raises(RatingsError, match='"first", "second" or "tie", not \'left\''):
        pair_votes(["x"], ["y"], ["left"])
    with pytest.raises(RatingsError, match="'x' is compared with itself"):
        pair_votes(["x"], ["x"], ["tie"])
    with pytest.raises(RatingsError, match="first has 1, second has 2"):
        pair_votes(["x"], ["y", "z"], ["tie"])
