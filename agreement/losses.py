"""Count unreadable answers and replies, test whether they depend on a property, and give bounds of the mean.

One record, ``Losses``, stands next to every number about replies of judges and answers of models. Every page, command
and file prints this record, and no other code computes a share of losses.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from scipy import special

from agreement.holm import holm
from domain.replies import WARNING, counted_reasons

MOST_LOST = 0.02
"""A larger share of losses is shown as a warning."""
LEVEL = 0.05
"""Losses depend on something where the adjusted p value is smaller."""
PEOPLES_GRADE = "people's grade"
"""The name of the groups by value if people have graded the same answers."""
VALUE_IN_TEXT = "value in the text"
"""The name of these groups if few people have graded: the value in the text of a reply."""
MOST_GROUPS = 40
"""The test leaves out a property with more groups, such as a key that is a free text."""
_DRAWS = 9_999
_LEAST_EXPECTED = 5

By = Literal["model", "dimension", "value"]
BY: tuple[By, ...] = ("model", "dimension", "value")


@dataclass(frozen=True)
class ScoreCount:
    """The answers behind a score, and the answers that the score leaves out."""

    right: float
    """The sum of the scores: of zeros and ones, how many are right."""
    counted: int
    """Number of scores behind the mean (the denominator)."""
    unread: int = 0
    """Answers that could not be read, and items that a model refused or answered with nothing."""
    failed: int = 0
    """Replies of a judge without a score."""
    missing: int = 0
    """Items without an answer, whatever the reason."""
    empty: int = 0
    """Number of missing items that the model refused or answered with an empty text."""
    left_out: int = 0
    """Everything that is not counted."""
    counts_as: Literal["wrong", "left_out"] | None = None
    """Treatment of unread answers; None if this score reads no answers."""
    lowest: float | None = None
    highest: float | None = None
    """The mean if everything unknown had the lowest or the highest score; None: nothing is unknown."""

    @property
    def value(self) -> float | None:
        """Return the mean, or None where nothing is counted."""
        return self.right / self.counted if self.counted else None


@dataclass(frozen=True)
class LossCell:
    """Counts of one group: a model, a dimension and a value."""

    asked: int
    lost: Mapping[str, int] = field(default_factory=dict)
    """Number of losses, by reason."""
    model: str | None = None
    dimension: str | None = None
    value: str | None = None
    """The expected value of the answer or reply, if known: the key, or the majority of people."""
    total: float = 0.0
    """The sum of the scores that could be counted."""
    is_in_mean: bool = True
    """Whether the mean and its bounds include them; False: nothing could give them a score, as without a key."""


@dataclass(frozen=True)
class LossGroup:
    """The losses of one model, dimension or value."""

    name: str
    asked: int
    lost: int
    value: float | None = None
    """The mean over the counted scores."""
    lowest: float | None = None
    highest: float | None = None
    """The mean if everything lost had the lowest or the highest score."""

    @property
    def share(self) -> float:
        """Return the share that was lost."""
        return self.lost / self.asked if self.asked else 0.0


@dataclass(frozen=True)
class LossTest:
    """A test of whether losses depend on one property."""

    by: By
    p_value: float
    p_adjusted: float
    """After Holm, over the tests of one record."""
    worst: LossGroup
    """The group that lost the largest share."""
    others: LossGroup
    """All other groups together."""

    @property
    def depends(self) -> bool:
        """Return whether losses depend on the property."""
        return self.p_adjusted < LEVEL


@dataclass(frozen=True)
class Losses:
    """A record of the requested answers or replies that could not be counted."""

    subject: str
    """Whose replies or answers these are, and by which criterion."""
    unit: str
    """"replies" or "answers"."""
    asked: int
    lost: int
    reasons: Mapping[str, int]
    """The most frequent first."""
    groups: Mapping[By, tuple[LossGroup, ...]]
    tests: tuple[LossTest, ...] = ()
    mean: LossGroup | None = None
    """Everything together, with its bounds; None: the scale has no ends."""
    value_is: str = "value"
    """The name of the groups by value: "key", "people's grade", "value in the text"."""
    counts_as: str = "are left out"
    """Treatment of the losses."""
    mean_of: str = ""
    """Unit of the mean, if it is not one value for each answer or reply."""

    @property
    def share(self) -> float:
        """Return the share that was lost."""
        return self.lost / self.asked if self.asked else 0.0

    @property
    def p_value(self) -> float | None:
        """Return the smallest adjusted p value, or None without a test."""
        return min((test.p_adjusted for test in self.tests), default=None)

    @property
    def warns(self) -> bool:
        """Return whether a reader must not miss the losses: there are many, or they depend on something."""
        return self.lost > 0 and (self.lost > MOST_LOST * self.asked or any(test.depends for test in self.tests))

    @property
    def count(self) -> str:
        """Return the counts as a sentence."""
        name = f"{self.subject}: " if self.subject else ""
        if not self.lost:
            return f"{name}0 of {self.asked:,} {self.unit} could not be read."
        why = counted_reasons(self.reasons)
        return f"{name}{self.lost:,} of {self.asked:,} {self.unit} could not be read ({_percent(self.share)}): {why}."

    @property
    def bounds(self) -> str:
        """Return where the mean lies whatever the losses would have been, as a sentence; empty without losses."""
        at = self.mean
        if not self.lost or at is None or at.lowest is None or at.highest is None:
            return ""
        known = "" if at.value is None else f" Excluding losses, the mean is {at.value:.3f}."
        return f"{mean_bounds(at.lowest, at.highest, self.mean_of)}{known}"

    @property
    def warning(self) -> str:
        """Return the warning as sentences; empty without a warning."""
        return self._warning(named=True)

    @property
    def unnamed(self) -> str:
        """Return the warning, or the counts, for texts that everyone may read: no model is named, no key counted."""
        return self._warning(named=False) or self.count

    @property
    def alarm(self) -> str:
        """Return the warning without the bounds of all together, for a row that has bounds of its own."""
        return self._alarm(named=True)

    def _warning(self, *, named: bool) -> str:
        return " ".join(filter(None, (self._alarm(named=named), self.bounds))) if self.warns else ""

    def _alarm(self, *, named: bool) -> str:
        if not self.warns:
            return ""
        return " ".join((f"{WARNING}{self.count}", f"They {self.counts_as}.", *self._dependences(named=named)))

    @property
    def lost_share(self) -> str:
        """Return the count without reasons, as a sentence."""
        return f"{self.lost:,} of {self.asked:,} {self.unit} could not be read ({_percent(self.share)})."

    @property
    def dependence(self) -> str:
        """Return what losses depend on, as sentences after a space; empty if they depend on nothing."""
        return "".join(f" {sentence}" for sentence in self._dependences(named=True))

    def _dependences(self, *, named: bool) -> list[str]:
        parts = []
        for test in self.tests:
            if test.depends:
                name = self.value_is if test.by == "value" else test.by
                name = name if name == PEOPLES_GRADE else f"the {name}"
                worst, others = test.worst, test.others
                if not named and name == "the key":
                    parts.append(f"Losses depend on {name} ({_p(test.p_adjusted)}).")
                    continue
                which = worst.name if named or test.by != "model" else "one model"
                parts.append(
                    f"Losses depend on {name} ({_p(test.p_adjusted)}): {which} lost {worst.lost:,} of {worst.asked:,}, "
                    f"all others {others.lost:,} of {others.asked:,}."
                )
        return parts

    @property
    def by_model(self) -> str:
        """Return the losses of each model with its bounds, as a sentence; empty without losses."""
        parts = []
        for group in self.groups.get("model", ()):
            if group.lost:
                known = group.lowest is not None and group.highest is not None
                bounds = f" (mean {group.lowest:.3f} to {group.highest:.3f})" if known else ""
                parts.append(f"{group.name} {group.lost:,} of {group.asked:,}{bounds}")
        return f"Losses by model: {'; '.join(parts)}." if parts else ""

    @property
    def sentence(self) -> str:
        """Return the warning, or the counts where nothing warns."""
        return self.warning or self.count

    def rows(self) -> list[dict[str, Any]]:
        """Return the record as rows of a table: everything together, then each model, dimension and value."""
        p_values = {loss_test.by: loss_test for loss_test in self.tests}

        def row(by: str, at: LossGroup, test: LossTest | None) -> dict[str, Any]:
            return {
                "about": self.subject,
                "by": by,
                "group": at.name,
                "asked": at.asked,
                "not_readable": at.lost,
                "share": at.share,
                "mean_of_readable": at.value,
                "if_all_lowest": at.lowest,
                "if_all_highest": at.highest,
                "p_value": None if test is None else test.p_value,
                "p_adjusted": None if test is None else test.p_adjusted,
                "warning": self.warning if by == "all" else "",
            }

        whole = self.mean or LossGroup("all", self.asked, self.lost)
        lines = [row("all", whole, None)]
        for by in BY:
            lines += [
                row(self.value_is if by == "value" else by, group, p_values.get(by))
                for group in self.groups.get(by, ())
            ]
        return lines


ROW = tuple(Losses("", "", 0, 0, {}, {}).rows()[0])
"""The columns of ``Losses.rows``."""


def mean_bounds(lowest: float, highest: float, of: str = "") -> str:
    """Return where a mean lies whatever the losses would have been, as a sentence.

    >>> mean_bounds(0.5, 0.6, "m")
    'The mean of m lies between 0.500 (worst case) and 0.600 (best case).'
    """
    about = f" of {of}" if of else ""
    return f"The mean{about} lies between {lowest:.3f} (worst case) and {highest:.3f} (best case)."


def losses_of(
    cells: Iterable[LossCell],
    *,
    subject: str = "",
    unit: str = "replies",
    low: float | None = None,
    high: float | None = None,
    value_is: str = "value",
    counts_as: str = "are left out",
    mean_of: str = "",
) -> Losses:
    """Return the losses in these cells, with tests of whether they depend on model, dimension or value.

    Parameters
    ----------
    low, high
        The ends of the scale, for bounds; None: there are no bounds.

    Notes
    -----
    Each test compares the share of losses between groups. Two groups get Fisher's exact test. More groups get Pearson's
    chi-square if each expects at least five losses, otherwise the same statistic over 9,999 draws with fixed margins
    and a fixed seed. Holm adjusts the p values of one record [1]_. Checked by worked arithmetic in tests/agreement.

    .. [1] Holm, S. (1979). Scandinavian Journal of Statistics 6, 65-70.

    Examples
    --------
    >>> found = losses_of([LossCell(200, model="a"), LossCell(200, {"empty": 8}, model="b")])
    >>> found.lost, found.asked, found.warns, round(found.tests[0].p_value, 4)
    (8, 400, True, 0.0073)
    """
    cells = list(cells)
    reasons: Counter[str] = Counter()
    for cell in cells:
        reasons.update(cell.lost)
    lost = reasons.total()
    groups = {by: _groups(cells, by, low, high) for by in BY}
    tested = [(by, parts) for by, parts in groups.items() if lost and 1 < len(parts) <= MOST_GROUPS]
    p_values = [independence([(part.asked, part.lost) for part in parts]) for _, parts in tested]
    known = [(by, parts, p) for (by, parts), p in zip(tested, p_values, strict=True) if not math.isnan(p)]
    tests = tuple(
        LossTest(by, p, adjusted, *_worst(parts))
        for (by, parts, p), adjusted in zip(known, holm([p for _, _, p in known]), strict=True)
    )
    mean = _group("all", cells, low, high) if low is not None and high is not None else None
    ordered = dict(sorted(reasons.items(), key=lambda pair: (-pair[1], pair[0])))
    return Losses(
        subject,
        unit,
        sum(cell.asked for cell in cells),
        lost,
        ordered,
        {by: parts for by, parts in groups.items() if parts},
        tests,
        mean,
        value_is,
        counts_as,
        mean_of,
    )


def _groups(cells: Sequence[LossCell], by: By, low: float | None, high: float | None) -> tuple[LossGroup, ...]:
    """Return the cells added up by a property; cells without it are left out."""
    lots: dict[str, list[LossCell]] = {}
    for cell in cells:
        name = getattr(cell, by)
        if name is not None:
            lots.setdefault(name, []).append(cell)
    return tuple(_group(name, lot, low, high) for name, lot in sorted(lots.items()))


def _group(name: str, cells: Sequence[LossCell], low: float | None, high: float | None) -> LossGroup:
    asked, lost = sum(cell.asked for cell in cells), sum(sum(cell.lost.values()) for cell in cells)
    total = math.fsum(cell.total for cell in cells)
    scored = [cell for cell in cells if cell.is_in_mean]
    n, unknown = sum(cell.asked for cell in scored), sum(sum(cell.lost.values()) for cell in scored)
    if low is None or high is None or not n:
        return LossGroup(name, asked, lost)
    value = total / (n - unknown) if n > unknown else None
    return LossGroup(name, asked, lost, value, (total + unknown * low) / n, (total + unknown * high) / n)


def _worst(groups: Sequence[LossGroup]) -> tuple[LossGroup, LossGroup]:
    worst = max(groups, key=lambda group: (group.share, group.lost))
    rest = [group for group in groups if group is not worst]
    return worst, LossGroup("others", sum(group.asked for group in rest), sum(group.lost for group in rest))


def independence(groups: Sequence[tuple[int, int]]) -> float:
    """Return the p value that all groups, given as (asked, lost), lose the same share; nan where nothing can be tested.

    >>> round(independence([(10, 0), (10, 5)]), 4)  # Fisher: 2 * C(10,5)C(10,0)/C(20,5)
    0.0325
    """
    groups = [group for group in groups if group[0]]
    asked = np.array([n for n, _ in groups], dtype=np.int64)
    lost = np.array([k for _, k in groups], dtype=np.int64)
    n, k = int(asked.sum()), int(lost.sum())
    if len(groups) < 2 or not 0 < k < n:
        return math.nan
    if len(groups) == 2:
        return _fisher(int(asked[0]), int(asked[1]), int(lost[0]), k)
    expected = asked * (k / n)

    def statistic(drawn: Any) -> Any:
        return ((drawn - expected) ** 2 / (expected * (1 - k / n))).sum(axis=-1)

    observed = float(statistic(lost))
    if float(np.minimum(expected, asked - expected).min()) >= _LEAST_EXPECTED:
        return float(special.chdtrc(len(groups) - 1, observed))
    drawn = np.random.default_rng(0).multivariate_hypergeometric(asked, k, size=_DRAWS, method="marginals")
    return float((1 + (statistic(drawn) >= observed - 1e-9).sum()) / (1 + _DRAWS))


def _fisher(first: int, second: int, lost_first: int, lost: int) -> float:
    """Return Fisher's exact two-sided p value: all tables that are not likelier than the one found."""
    at = np.arange(max(0, lost - second), min(first, lost) + 1)

    def log_choose(n: Any, k: Any) -> Any:
        return special.gammaln(n + 1) - special.gammaln(k + 1) - special.gammaln(n - k + 1)

    chances = np.exp(log_choose(first, at) + log_choose(second, lost - at) - log_choose(first + second, lost))
    chance = chances[lost_first - at[0]]
    return float(min(1.0, chances[chances <= chance * (1 + 1e-7)].sum()))


def _percent(share: float) -> str:
    """Return a share in percent, never rounded to the other side of the limit or to nothing.

    >>> _percent(0.019), _percent(0.0204), _percent(0.00004), _percent(0.02004)
    ('1.9 %', '2.04 %', '0.004 %', '2.004 %')
    """
    for digits in range(1, 7):
        text = f"{100 * share:.{digits}f}"
        if (
            float(text)
            and (float(text) > 100 * MOST_LOST) == (share > MOST_LOST)
            and (abs(float(text) / 100 - share) <= 0.01 * share or digits > 1)
        ):
            return f"{text} %"
    return f"{100 * share:g} %"


def _p(p: float) -> str:
    return "p < 0.001" if p < 0.001 else f"p = {p:.3f}"
