"""Judges that are nearly the same judge under another name: they count as one."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from agreement.arrays import Bools, numbers, same_length
from agreement.ratings import Floats

SAME = 0.98
"""Share of replies of two copies that are the same."""
SHARED_ERRORS, MOST_SHARED_ERRORS = 0.5, 0.8
"""Share of errors that two copies have in common: next to that share of replies, or whatever the replies are."""
_BY_CHANCE = 0.001
"""Two judges that err independently share as many errors as rarely as this."""


@dataclass(frozen=True)
class JudgePair:
    """Two judges over the replies that both gave."""

    first: str
    second: str
    n_units: int
    same: float
    """Share of replies that are the same."""
    n_errors: int
    """Units on which all people (two or more) agree and at least one of the judges differs from them."""
    n_shared: int
    """Number of these units on which both judges give the same value."""
    is_copy: bool
    correlation: float = math.nan
    """Correlation (phi) of their errors over the units on which all people agree; nan if a judge makes no error."""


def compare_judges(humans: ArrayLike, judges: Mapping[str, ArrayLike]) -> tuple[JudgePair, ...]:
    """Compare each two judges: how often they say the same, and whether they make the same errors.

    Parameters
    ----------
    humans
        (units, people) numbers or codes, nan where one did not rate.
    judges
        Name -> (units,) values, nan where it gave none.

    Returns
    -------
    tuple of JudgePair
        Every two judges that share a unit, in the order in which they are named.

    Notes
    -----
    Good judges agree because they are right; copies also err together. An *error* is a reply other than what two people
    or more all say. Two judges are near-copies in two cases: at least 98 % of their replies are the same and they share
    half of their errors, or they share 80 % of their errors. In both cases, independent judges must share as many
    errors in less than one of 1,000 studies (Poisson's tail at e1 e2 / n). Independent judges with 5 % errors share 3 %
    of them, with errors correlated at 0.5 a third. The data cannot tell two judges without errors apart, so they are
    not called copies.

    Examples
    --------
    >>> people = [[1, 1], [0, 0]] * 50
    >>> one = [1, 0] * 40 + [0, 1] * 10
    >>> compare_judges(people, {"a": one, "b": one, "c": [1, 0] * 50})[0].is_copy
    True
    """
    table = numbers(humans, "humans", axes=2)
    given = {name: numbers(values, name) for name, values in judges.items()}
    same_length(humans=table, **given)
    rated = ~np.isnan(table)
    least = np.where(rated, table, math.inf).min(axis=1, initial=math.inf)
    most = np.where(rated, table, -math.inf).max(axis=1, initial=-math.inf)
    agreed = np.where((rated.sum(axis=1) >= 2) & (least == most), least, np.nan)
    return tuple(
        _pair(first, second, given[first], given[second], agreed)
        for first, second in combinations(given, 2)
        if (~np.isnan(given[first]) & ~np.isnan(given[second])).any()
    )


def _pair(first: str, second: str, one: Floats, two: Floats, said: Floats) -> JudgePair:
    both = ~np.isnan(one) & ~np.isnan(two)
    known = both & ~np.isnan(said)
    same = one == two
    wrong_one, wrong_two = known & (one != said), known & (two != said)
    errors, shared = int((wrong_one | wrong_two).sum()), int((wrong_one & wrong_two & same).sum())
    share = float(same[both].mean())
    by_chance = float(wrong_one.sum() * wrong_two.sum()) / max(int(known.sum()), 1)
    rare = shared > 0 and float(special.gammainc(shared, by_chance)) < _BY_CHANCE
    part = shared / errors if errors else 0.0
    is_copy = rare and (part >= MOST_SHARED_ERRORS or (share >= SAME and part >= SHARED_ERRORS))
    return JudgePair(
        first, second, int(both.sum()), share, errors, shared, is_copy, _phi(wrong_one[known], wrong_two[known])
    )


def _phi(one: Bools, two: Bools) -> float:
    if not one.any() or not two.any() or one.all() or two.all():
        return math.nan
    return float(np.corrcoef(one, two)[0, 1])


def group_copies(names: Sequence[str], pairs: Sequence[JudgePair]) -> tuple[tuple[str, ...], ...]:
    """Return the judges in groups of near-copies, the one named first at the head of each.

    >>> pair = JudgePair("a", "c", 100, 1.0, 10, 10, True)
    >>> group_copies(["a", "b", "c"], [pair])
    (('a', 'c'), ('b',))
    """
    head = {name: name for name in names}
    for pair in pairs:
        if pair.is_copy:
            kept, gone = head[pair.first], head[pair.second]
            if names.index(gone) < names.index(kept):
                kept, gone = gone, kept
            head = {name: kept if at == gone else at for name, at in head.items()}
    return tuple(tuple(name for name in names if head[name] == first) for first in names if head[first] == first)


def effective_number(judges: int, correlation: float) -> float:
    """Return how many independent judges a panel is worth: m / (1 + (m - 1) r), r the correlation of their errors.

    Kish, L. (1965). Survey Sampling. Wiley. Nan where r is at most -1 / (m - 1).

    >>> effective_number(9, 0.4375), effective_number(1, 0.0)
    (2.0, 1.0)
    """
    below = 1 + (judges - 1) * correlation
    return judges / below if below > 0 else math.nan
