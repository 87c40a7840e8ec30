"""Strengths of options compared in pairs, with ties: Davidson's model, which is Bradley and Terry's without ties."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final

import numpy as np
from scipy import sparse
from scipy.sparse import csgraph

from agreement.arrays import Bools
from agreement.bootstrap import Bootstrap, bootstrap_intervals
from agreement.ratings import Floats, Ints
from agreement.statistic import Statistic, estimated, undefined
from extensions.preferences.pair_votes import PairVotes

__all__ = ["Strengths", "davidson", "elo"]

MOST_STEPS: Final = 60
LONGEST_STEP: Final = 2.0
_NEAR: Final = 1e-10
"""Of the gradient, for each vote: what counts as found."""

ELO_MEAN: Final = 1000.0
ELO_TENFOLD: Final = 400.0
"""Points on the Elo-like scale for odds of ten to one."""


@dataclass(frozen=True)
class Strengths:
    """How strong each is, on the scale of log odds."""

    of: Mapping[str, Statistic]
    """By name: the log of the strength, zero being the mean over all. A difference of two is the log of the odds that
    the one is preferred to the other, in votes that are no ties."""
    ties: Statistic
    """Davidson's nu: how much is tied. Two equal ones tie with probability nu / (2 + nu)."""
    reason: str | None = None
    """Why the strengths are undefined."""


def elo(strength: float) -> float:
    """A strength on the Elo-like scale: 1000 + 400 / ln(10) times the log strength, so the mean is 1000.

    >>> round(elo(math.log(10)), 9)
    1400.0
    """
    return ELO_MEAN + ELO_TENFOLD / math.log(10) * strength


def davidson(votes: PairVotes, *, confidence: float = 0.95, bootstrap: Bootstrap | None = None) -> Strengths:
    """Estimate the strengths of options compared in pairs, by maximum likelihood.

    Parameters
    ----------
    votes
        Those of :func:`pair_votes`. Their clusters are resampled.

    Returns
    -------
    Strengths
        Undefined, with the reason, without a finite estimate: some options were never compared with others, or never
        lost to them, or only ties link them to the stronger ones.

    Notes
    -----
    With strengths p, P(i preferred to j) : P(tie) : P(j preferred to i) = p_i : nu sqrt(p_i p_j) : p_j [1]_; without
    ties it is the model of [2]_. Log strengths are identified up to a constant: they sum to zero. Newton's method.
    Draw a step from winner to loser and both ways along ties. The estimate is finite if and only if these steps
    connect every option with every other, and some cycle has more wins than ties. This follows from the score
    equations of a log-linear model; without ties it is the condition of [3]_. Limits are of resampled units; draws
    without an estimate are counted. Checked against choix, statsmodels and a published table in tests/agreement.

    References
    ----------
    .. [1] Davidson, R. R. (1970). Journal of the American Statistical Association 65, 317-328.
    .. [2] Bradley, R. A. & Terry, M. E. (1952). Biometrika 39, 324-345.
    .. [3] Ford, L. R. (1957). American Mathematical Monthly 64, 28-33.

    Examples
    --------
    >>> from extensions.preferences.pair_votes import pair_votes
    >>> votes = pair_votes(["x"] * 8, ["y"] * 8, ["first"] * 4 + ["tie"] * 2 + ["second"] * 2)
    >>> strengths = davidson(votes, bootstrap=Bootstrap(draws=0))
    >>> round(math.exp(strengths.of["x"].value - strengths.of["y"].value), 6)  # 4 to 2
    2.0
    """
    if problem := _problem(votes):
        nothing = undefined(problem, n_units=0, n_raters=0, n_left_out=votes.n, confidence=confidence)
        return Strengths({name: nothing for name in votes.names}, nothing, problem)
    model = _Model(len(votes.names), votes.pairs)
    estimates = model.fitted(votes.counts[None])[0]
    limits = bootstrap_intervals(
        lambda drawn: model.fitted(votes.table(drawn)),
        votes.sample,
        bootstrap,
        confidence=confidence,
        width=(len(votes.names) + 1) ** 2 + 9 * len(votes.pairs),
    )
    per_name = votes.counts.sum(axis=1)
    n = [int(per_name[(votes.pairs == at).any(axis=1)].sum()) for at in range(len(votes.names))]
    every = [
        estimated(float(value), interval, n_units=units, n_raters=0, confidence=confidence)
        for value, interval, units in zip(estimates, limits, [*n, votes.n], strict=True)
    ]
    ties = every[-1]
    if not votes.counts[:, 1].any():
        ties = replace(ties, reason="No interval, because no vote is a tie.")
    return Strengths(dict(zip(votes.names, every[:-1], strict=True)), ties)


@dataclass(frozen=True)
class _Model:
    """Davidson's model of these pairs, for many tables of counts at once."""

    n_names: int
    pairs: Ints

    def fitted(self, tables: Floats) -> Floats:
        """(draws, pairs, 3) counts -> (draws, names + 1): log strengths, and nu; nan where there is no estimate."""
        estimates = np.full((len(tables), self.n_names + 1), np.nan)
        finite = np.flatnonzero(_finite(self.n_names, self.pairs, tables))
        tables = tables[finite]
        tied = tables[:, :, 1].sum(axis=1)
        total = tables.sum(axis=(1, 2))
        at = np.zeros((len(tables), self.n_names + 1))
        with np.errstate(divide="ignore"):
            at[:, -1] = np.log(2 * tied / (total - tied))  # -inf without ties: it stays there, and nu is 0
        for _ in range(MOST_STEPS):
            step, gradient = self._step(at, tables, tied > 0)
            if not len(step) or (np.abs(gradient).max(axis=1) <= _NEAR * total).all():
                break
            longest = np.abs(step).max(axis=1, keepdims=True)
            at += step * np.minimum(1.0, LONGEST_STEP / np.maximum(longest, 1e-300))
        else:
            at[np.abs(gradient).max(axis=1) > _NEAR * total] = np.nan
        at[:, -1] = np.exp(at[:, -1])
        estimates[finite] = at
        return estimates

    def _step(self, at: Floats, tables: Floats, ties: Bools) -> tuple[Floats, Floats]:
        """Newton's step and the gradient of the log likelihood, which is concave."""
        one, other = at[:, self.pairs[:, 0]], at[:, self.pairs[:, 1]]
        odds = np.stack([one, (one + other) / 2 + at[:, -1:], other], axis=2)
        odds = np.exp(odds - odds.max(axis=2, keepdims=True))
        share = odds / odds.sum(axis=2, keepdims=True)
        total = tables.sum(axis=2)
        gradient = ((tables - total[:, :, None] * share) @ _FEATURES).reshape(len(tables), -1) @ self._places
        mean = share @ _FEATURES
        squares = np.einsum("dpo,ox,oy->dpxy", share, _FEATURES, _FEATURES) - mean[:, :, :, None] * mean[:, :, None]
        information = (total[:, :, None, None] * squares).reshape(len(tables), -1) @ self._squares
        information = information.reshape(len(tables), self.n_names + 1, self.n_names + 1)
        information[:, :-1, :-1] += 1.0  # votes say nothing in this direction; the gradient is 0 there
        information[~ties, -1, -1] = 1.0
        gradient[~ties, -1] = 0.0
        return np.linalg.solve(information, gradient[:, :, None])[:, :, 0], gradient

    @cached_property
    def _local(self) -> Ints:
        """(pairs, 3): where the two of each pair, and what ties have, stand among all that is estimated."""
        return np.column_stack([self.pairs, np.full(len(self.pairs), self.n_names)])

    @cached_property
    def _places(self) -> sparse.csr_array:
        rows = np.arange(self._local.size)
        return sparse.csr_array((np.ones(len(rows)), (rows, self._local.ravel())), (len(rows), self.n_names + 1))

    @cached_property
    def _squares(self) -> sparse.csr_array:
        columns = self._local[:, :, None] * (self.n_names + 1) + self._local[:, None]
        rows = np.arange(columns.size)
        return sparse.csr_array((np.ones(len(rows)), (rows, columns.ravel())), (len(rows), (self.n_names + 1) ** 2))


_FEATURES = np.array([[1.0, 0.0, 0.0], [0.5, 0.5, 1.0], [0.0, 1.0, 0.0]])
"""Share of the first strength, of the second strength, and of the tie parameter in each outcome."""


def _finite(n_names: int, pairs: Ints, tables: Floats) -> Bools:
    """(draws, pairs, 3) counts -> (draws,): whether there is a finite estimate.

    A way costs -1 for each win that it follows and 1 for each tie: from each to each, and one way round that is worth
    more than nothing.
    """
    cost = np.full((len(tables), n_names, n_names), np.inf)
    one, other = pairs.T
    wins, ties, losses = (tables[:, :, outcome] > 0 for outcome in range(3))
    cost[:, one, other] = np.where(wins, -1.0, np.where(ties, 1.0, np.inf))
    cost[:, other, one] = np.where(losses, -1.0, np.where(ties, 1.0, np.inf))
    for by in range(n_names):
        cost = np.minimum(cost, cost[:, :, by, None] + cost[:, None, by, :])
        np.maximum(cost, -n_names - 1.0, out=cost)
    everywhere = np.isfinite(cost).all(axis=(1, 2))
    gains = (np.diagonal(cost, axis1=1, axis2=2) < 0).any(axis=1)
    finite: Bools = everywhere & gains
    return finite


def _problem(votes: PairVotes) -> str | None:
    """Why there is no finite estimate, and for whom; None where there is one."""
    if not votes.n:
        return "No vote states a preference or a tie."
    if not (votes.counts[:, 0] + votes.counts[:, 2]).any():
        return "All votes are ties. The votes do not separate the models, and the share of ties has no finite estimate."
    if _finite(len(votes.names), votes.pairs, votes.counts[None])[0]:
        return None
    one, other = votes.pairs.T
    beats, loses = votes.counts[:, 0] > 0, votes.counts[:, 2] > 0
    ties = votes.counts[:, 1] > 0
    parts, part = _parts(votes, np.ones(len(one), dtype=bool), np.ones(len(one), dtype=bool))
    if parts > 1:
        names = [_named(votes, part == component) for component in range(parts)]
        return (
            f"No vote compares {names[0]} with {' or '.join(names[1:])}. Strengths need votes that connect all models."
        )
    parts, part = _parts(votes, beats | ties, loses | ties)
    if parts == 1:
        lost = np.r_[other[beats], one[loses]]
        never = np.setdiff1d(np.r_[one[beats], other[loses]], lost)
        names = [_named(votes, np.isin(np.arange(len(votes.names)), never))]
        return f"{names[0]} won or tied every vote, so the estimate is infinite."
    over, under = np.r_[one[beats | ties], other[loses | ties]], np.r_[other[beats | ties], one[loses | ties]]
    apart = part[over] != part[under]
    top = np.setdiff1d(part, part[under[apart]])
    bottom = np.setdiff1d(part, part[over[apart]])
    outcomes = [f"{_named(votes, part == component)} won every vote against all other models" for component in top]
    outcomes += [
        f"{_named(votes, part == component)} lost every vote against all other models" for component in bottom
    ] * (parts > 2)
    return f"{', and '.join(outcomes)}, so the estimate is infinite."


def _parts(votes: PairVotes, down: Bools, up: Bools) -> tuple[int, Ints]:
    """Within which parts one gets from each to each, going down some pairs and up some."""
    one, other = votes.pairs.T
    start, end = np.r_[one[down], other[up]], np.r_[other[down], one[up]]
    n = len(votes.names)
    ways = sparse.csr_array((np.ones(len(start)), (start, end)), (n, n))
    components: tuple[int, Ints] = csgraph.connected_components(ways, connection="strong")
    return components


def _named(votes: PairVotes, which: Bools) -> str:
    names = [name for name, wanted in zip(votes.names, which, strict=True) if wanted]
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
