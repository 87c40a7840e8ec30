"""Votes on pairs: how often the one is preferred to the other, and whether the left place is.

A vote names two of several things, as two models' answers, and which of them is preferred, or that neither is.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import sparse, special

from agreement.arrays import Bools, label_list, same_length
from agreement.bootstrap import Bootstrap, Patterns, bootstrap_intervals, patterns
from agreement.limits import exact_binomial, wilson
from agreement.ratings import Floats, Ints
from agreement.statistic import Interval, Statistic, Test, estimated, undefined
from domain.errors import RatingsError

__all__ = ["PairVotes", "WinRate", "left_preferred", "pair_votes", "win_rates"]

WINNERS = ("first", "tie", "second")
"""What a vote may say; None where it says nothing."""
_WORTH = np.array([1.0, 0.5, 0.0])
"""Of each of these, to the first."""


@dataclass(frozen=True, eq=False)
class PairVotes:
    """Votes on pairs, in a form that can be resampled. Make one with :func:`pair_votes`."""

    names: tuple[str, ...]
    """Everything that was compared, sorted."""
    pairs: Ints
    """(pairs, 2): the places of the two among ``names``, the lower one first."""
    sample: Patterns
    """The winner of each row (pair, winner) as a position in ``WINNERS``, seen from the first of ``pairs``."""
    n_left_out: int
    """Votes that say nothing."""

    @property
    def unit(self) -> str:
        """Unit of a draw: a vote, or the group that votes belong to."""
        return "vote" if self.sample.clusters is None else "cluster"

    def clusters_with(self, cells: Bools) -> int:
        """In how many clusters there is a vote of these cells of the counts, (pairs * 3,)."""
        assert self.sample.clusters is not None
        return int(np.count_nonzero(self.sample.clusters @ cells[self._cells].astype(float)))

    def table(self, counts: Floats) -> Floats:
        """(draws, patterns) counts -> (draws, pairs, 3): how often each pair has each winner."""
        flat = np.zeros((len(counts), len(self.pairs) * 3))
        flat[:, self._cells] = counts
        table: Floats = flat.reshape(len(counts), len(self.pairs), 3)
        return table

    @property
    def n(self) -> int:
        """Votes that say something."""
        return int(self.sample.counts.sum())

    @cached_property
    def counts(self) -> Floats:
        """(pairs, 3): how often each pair has each winner, of all votes."""
        whole: Floats = self.table(self.sample.counts[None])[0]
        return whole

    @cached_property
    def _cells(self) -> Ints:
        return self.sample.rows[:, 0] * 3 + self.sample.rows[:, 1]


def pair_votes(
    first: Sequence[str],
    second: Sequence[str],
    winner: Sequence[str | None],
    *,
    clusters: Sequence[Hashable] | None = None,
) -> PairVotes:
    """Votes on pairs, one entry per vote.

    Parameters
    ----------
    first, second
        Names of the compared options, in either order.
    winner
        "first", "second", "tie", or None where the vote says nothing: such votes are counted and left out.
    clusters
        What votes belong to, as an item: the votes of a cluster are drawn together.

    Raises
    ------
    RatingsError
        The arguments are not equally long, a winner is another word, or something is compared with itself.

    Examples
    --------
    >>> pair_votes(["x", "y", "x"], ["y", "x", "y"], ["first", "tie", None]).counts.tolist()
    [[1.0, 1.0, 0.0]]
    """
    ones, others = label_list(first, "first"), label_list(second, "second")
    winners = label_list(winner, "winner")
    n = same_length(first=ones, second=others, winner=winners, clusters=clusters)
    for outcome in winners:
        if outcome is not None and outcome not in WINNERS:
            raise RatingsError(f'The winner must be "first", "second" or "tie", not {outcome!r}.')
    same = next((one for one, other in zip(ones, others, strict=True) if one == other), None)
    if same is not None:
        raise RatingsError(f"{same!r} is compared with itself. A pair needs two different models.")
    names = tuple(sorted({*ones, *others}))
    place = {name: at for at, name in enumerate(names)}
    kept = [at for at in range(n) if winners[at] is not None]
    a = np.array([place[ones[at]] for at in kept], dtype=np.int64)
    b = np.array([place[others[at]] for at in kept], dtype=np.int64)
    code = np.array([WINNERS.index(winners[at]) for at in kept], dtype=np.int64)
    keys, of_vote = np.unique(np.minimum(a, b) * max(1, len(names)) + np.maximum(a, b), return_inverse=True)
    rows = np.stack([of_vote.ravel(), np.where(a < b, code, 2 - code)], axis=1)
    together = None if clusters is None else [clusters[at] for at in kept]
    return PairVotes(
        names,
        np.stack([keys // max(1, len(names)), keys % max(1, len(names))], axis=1),
        patterns(rows, together),
        n - len(kept),
    )


@dataclass(frozen=True)
class WinRate:
    """How often one is preferred: to another, or to all that it was compared with."""

    name: str
    against: str | None
    """None: all others together."""
    wins: int
    ties: int
    losses: int
    rate: Statistic
    """Wins and half of the ties, of all three."""


def win_rates(votes: PairVotes, *, confidence: float = 0.95, bootstrap: Bootstrap | None = None) -> tuple[WinRate, ...]:
    """Compute how often each option is preferred, ties as half: first to all others, then to each of them.

    Parameters
    ----------
    votes
        Those of :func:`pair_votes`. Their clusters are resampled.

    Returns
    -------
    tuple of WinRate
        In the order of the names. A pair without votes has none. ``n_units`` of a rate are votes; where all of them say
        the same, the limits are Wilson's over as many units as there are clusters.

    Notes
    -----
    (wins + ties / 2) / n. A rate over all others depends on whom one was compared with; strengths
    (:func:`agreement.davidson`) do not. Checked by worked arithmetic and against another count in tests/agreement.

    Examples
    --------
    >>> found = win_rates(pair_votes(["x", "x"], ["y", "y"], ["first", "tie"]), bootstrap=Bootstrap(draws=0))
    >>> [(each.name, each.against, each.rate.value) for each in found]
    [('x', None, 0.75), ('x', 'y', 0.75), ('y', None, 0.25), ('y', 'x', 0.25)]
    """
    if not votes.n:
        return ()
    about = [(name, name) for name in range(len(votes.names))]
    about += [(int(one), int(other)) for pair in votes.pairs for one, other in (pair, pair[::-1])]
    about.sort(key=lambda each: (each[0], each[0] != each[1], each[1]))
    of_rate = np.array(
        [_outcomes(votes, one, other) for one, other in about]
    )  # (rates, wins to losses, pairs, winners)
    of_rate = of_rate.reshape(len(about), 3, -1)
    cells: Bools = np.any(of_rate, axis=1).T
    worth, all_votes = (sparse.csr_array(table) for table in (np.einsum("rop,o->pr", of_rate, _WORTH), cells * 1.0))

    def rates(counts: Floats) -> Floats:
        table = votes.table(counts).reshape(len(counts), -1)
        with np.errstate(invalid="ignore"):
            shares: Floats = (table @ worth) / (table @ all_votes)
        return shares

    limits = bootstrap_intervals(rates, votes.sample, bootstrap, confidence=confidence, width=max(cells.shape))
    counted = (of_rate @ votes.counts.ravel()).astype(int).tolist()
    return tuple(
        WinRate(
            votes.names[one],
            None if other == one else votes.names[other],
            outcomes[0],
            outcomes[1],
            outcomes[2],
            _rate(votes, cells[:, at], outcomes, limits[at], confidence),
        )
        for at, ((one, other), outcomes) in enumerate(zip(about, counted, strict=True))
    )


def _outcomes(votes: PairVotes, one: int, other: int) -> Floats:
    """(3, pairs, 3): which cells of the counts are wins, ties and losses of the one to the other (itself: all)."""
    outcomes = np.zeros((3, len(votes.pairs), 3))
    for at, pair in enumerate(votes.pairs.tolist()):
        if one in pair and (other == one or other in pair):
            outcomes[:, at] = np.eye(3) if pair[0] == one else np.eye(3)[::-1]
    return outcomes


def _rate(votes: PairVotes, cells: Bools, outcomes: Sequence[int], limits: Interval, confidence: float) -> Statistic:
    """A rate of these outcomes; where all are the same, nothing can be resampled."""
    n = sum(outcomes)
    value = float(np.dot(outcomes, _WORTH)) / n
    if n in outcomes:
        groups = n if votes.sample.clusters is None else votes.clusters_with(cells)
        interval = wilson(value, groups, confidence)
        limits = Interval(interval.low, interval.high, f"Wilson score, {groups} {votes.unit}s that all agree")
    return estimated(value, limits, n_units=n, n_raters=0, confidence=confidence)


def left_preferred(left: int, right: int, *, confidence: float = 0.95) -> Statistic:
    """Compute how often the left option was preferred, and test it against a half.

    Parameters
    ----------
    left, right
        Votes for the one on the left and for the one on the right; ties and votes that say nothing are no part of it.

    Returns
    -------
    Statistic
        The share of left with exact limits; its ``test`` is the exact two-sided binomial one ("binomial", the smaller
        number of the two).

    Notes
    -----
    If sides are drawn at random for each vote, a rater who ignores sides chooses left with probability a half in each
    vote, however votes are related. Then the test is exact, even for votes on the same item. Limits by Clopper and
    Pearson [1]_. Checked against scipy's ``binomtest`` in tests/agreement.

    References
    ----------
    .. [1] Clopper, C. J. & Pearson, E. S. (1934). Biometrika 26, 404-413.

    Examples
    --------
    >>> found = left_preferred(8, 2)
    >>> found.value, round(found.low, 3), round(found.test.p_value, 4)
    (0.8, 0.444, 0.1094)
    """
    n = left + right
    if not n:
        return undefined("No vote prefers either answer.", n_units=0, n_raters=0, confidence=confidence)
    p_value = min(1.0, 2 * float(special.bdtr(min(left, right), n, 0.5)))
    test = Test("binomial", min(left, right), (n,), p_value)
    limits = exact_binomial(left, n, confidence)
    return estimated(left / n, limits, n_units=n, n_raters=0, confidence=confidence, test=test)
