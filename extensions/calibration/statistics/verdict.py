"""May this judge be used? Decided by interval limits, under a rule declared before anyone looks."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from agreement.statistic import Statistic
from domain.errors import RatingsError
from extensions.calibration.statistics.alternative import AlternativeTest
from extensions.calibration.statistics.bias_sentences import bias_first, biases_tested
from extensions.calibration.statistics.ceiling import Ceiling
from extensions.calibration.statistics.constant import ConstantComparison
from extensions.calibration.statistics.ranking_bias import RankingBiases
from extensions.calibration.statistics.small_sample import LowerLimit, lower_limit_of

__all__ = ["JudgeVerdict", "Rule", "judge_verdict"]

Outcome = Literal[
    "usable as replacement",
    "usable except to rank",
    "usable with correction",
    "not usable",
    "people agree too little",
    "not enough data",
]
PEOPLE_AGREE = "Agreement among people is"
"""The beginning of the reason that says that people agree well enough."""
ASSOCIATION = "The judge's association with people"
"""The beginning of the reason that decides about a judge that cannot replace a person."""
OPEN = "We can't rule out that"
"""The beginning of a sentence about a limit that more data might show to be met."""
OUTCOMES: tuple[Outcome, ...] = (
    "usable as replacement",
    "usable except to rank",
    "usable with correction",
    "not usable",
    "people agree too little",
    "not enough data",
)
"""Outcomes from best to worst; the last two do not rate the judge: people agree too little, or data are too few."""


@dataclass(frozen=True)
class Rule:
    """Requirements for a judge. Declare them before you see the data, and print them next to the verdict.

    Raises
    ------
    RatingsError
        A number makes no sense: a negative count or margin, or a share outside 0 to 1.
    """

    least_units: int = 30
    """Units that people and the judge share."""
    least_people: int = 3
    """Minimum number of people whose agreement is the standard; machines do not count."""
    least_reliability: float = 0.4
    """Minimum for the lower limit of people's agreement; below it people are no standard for a judge."""
    margin: float = 0.05
    """Margin by which a judge may be worse than a person: minus this is the least lower limit of judge minus people."""
    least_association: float = 0.3
    """What the lower limit of the judge's association with people has to reach for correction to be worth it."""
    beat_constant: bool = True
    """Whether a replacement must clearly agree with people more often than a constant judge does."""
    alternative_test: bool = True
    """Whether a replacement has to pass the alternative annotator test, too."""
    epsilon: float = 0.2
    """Of that test: 0.2 against experts, 0.15 against trained people, 0.1 against a crowd."""

    def __post_init__(self) -> None:
        if self.least_units < 2 or self.least_people < 2:
            raise RatingsError("A rule needs at least two units and two people. Raise the number of units or people.")
        if self.margin < 0:
            raise RatingsError(f"The margin of the rule is {self.margin:g}. Give 0 or more.")
        for name in ("least_reliability", "least_association", "epsilon"):
            value = getattr(self, name)
            if not 0 <= value <= 1:
                raise RatingsError(f"{name} of the rule is {value:g}. Give a number from 0 to 1.")

    @property
    def sentence(self) -> str:
        """The rule in words."""
        base = ", and agrees with people more often than a constant judge" if self.beat_constant else ""
        test = (
            f" and passes the alternative annotator test at epsilon {self.epsilon:g}" if self.alternative_test else ""
        )
        return (
            f"A verdict needs {self.least_units} units, {self.least_people} people, and an agreement among people "
            f"above {self.least_reliability:g} (lower limit). Usable as replacement: the judge is at most "
            f"{self.margin:g} below a person (lower limit of the difference){base}{test}. Usable with correction: the "
            f"judge's association with people is above {self.least_association:g} (lower limit). Not usable: the "
            f"association is below {self.least_association:g} (upper limit), or the judge always gives the same "
            f"value. People agree too little: their agreement is below {self.least_reliability:g} (upper limit). "
            "Otherwise there is not enough data."
        )


@dataclass(frozen=True)
class JudgeVerdict:
    """What the rule makes of the limits."""

    dimension: str | None
    outcome: Outcome
    reasons: tuple[str, ...]
    """Sentences with the limits that decided, in the order in which they were looked at."""
    rule: Rule
    p_replace: float = math.nan
    """The one-sided p value of the claim that the judge can replace a person; nan if untested."""
    p_correct: float = math.nan
    """That of the claim that its scores help to estimate people's."""
    otherwise: tuple[Outcome, str] = ("not enough data", "")
    """The fallback verdict, with its reason, if the first claim fails the correction for several verdicts."""


def judge_verdict(
    *,
    people: Statistic,
    ceiling: Ceiling,
    association: Statistic,
    alternative: AlternativeTest | None = None,
    rule: Rule | None = None,
    dimension: str | None = None,
    humans: Sequence[str] | None = None,
    machines: Sequence[str] = (),
    held_out: bool = True,
    constant: ConstantComparison | None = None,
    constant_says: str | None = None,
    constant_test: AlternativeTest | None = None,
    biases: RankingBiases | None = None,
    people_low: LowerLimit | None = None,
    n_clusters: int | None = None,
) -> JudgeVerdict:
    """Decide whether a judge can replace people, is usable with correction, or is not usable.

    Parameters
    ----------
    people
        How well people agree with each other beyond chance, as alpha of the people alone.
    ceiling
        Judge and people on the same footing (:func:`human_ceiling`).
    association
        How much the judge's scores say about people's, as Pearson's r, kappa or sensitivity + specificity - 1.
    alternative
        The alternative annotator test at the epsilon of the rule, if that asks for it.
    rule
        Declared beforehand; None takes the defaults.
    dimension
        What the verdict is about.
    humans, machines
        Names of the people behind ``people``, and of the machines.
    held_out
        False if the judge's prompt was tuned on these units.
    constant
        The judge compared with one that always says the same, on these units (:func:`compare_with_constant`); None: not
        looked at.
    constant_says
        What that one always says, in words; None: its number.
    constant_test
        The alternative annotator test of that one, at the same epsilon.
    biases
        Biases that could change a ranking or all scores (:func:`find_ranking_biases`); None means untested. A
        blocking bias allows at most correction, and so does leniency if 5 points are not ruled out. A qualifying
        bias, or another one without 5 points ruled out, allows everything except rankings.
    people_low
        The one-sided limit of ``people`` for few questions; None takes the interval's.
    n_clusters
        How many questions are behind the units; None: every unit is its own cluster.

    Returns
    -------
    Verdict
        "not enough data" where a limit that the rule asks for is missing, whatever the estimates are. "not usable" of a
        judge that always says the same where people do not: however often it is right, it tells no unit from another.

    Raises
    ------
    RatingsError
        A machine is counted among the people, or the test was made at another epsilon than the rule's.

    Notes
    -----
    Only limits decide, never estimates: a judge that looks perfect on twelve units gets no verdict. The thresholds
    are a convention; declare them beforehand. Checked over a grid of limits in tests/agreement.

    Examples
    --------
    >>> from agreement import alternative_test, human_ceiling, krippendorff_alpha, Ratings
    >>> import numpy as np
    >>> graded = np.tile([[1, 1, 1], [0, 0, 0], [1, 1, 0]], (60, 1))
    >>> judge = np.tile([1, 0, 1], 60)
    >>> verdict = judge_verdict(
    ...     people=krippendorff_alpha(Ratings.from_array(graded)),
    ...     ceiling=human_ceiling(graded, judge),
    ...     association=human_ceiling(graded, judge, measure="kappa").judge,
    ...     alternative=alternative_test(graded, judge),
    ... )
    >>> verdict.outcome
    'usable as replacement'
    """
    rule = rule or Rule()
    _refuse_mixtures(humans, machines, alternative, rule)
    n_people = people.n_raters if humans is None else len(set(humans))
    base_rate = [] if constant is None else _base_rate(constant, constant_says)
    problems = _design(ceiling, n_people, rule, held_out)
    if constant is not None and not problems and constant.is_constant:
        why = (
            f"The judge gives the same value to all {constant.judge.n_units:,} units, but people do not. Therefore, "
            "the judge cannot tell units apart."
        )
        return JudgeVerdict(dimension, "not usable", (why, *base_rate, *_as_well(alternative, constant_test)), rule)
    if constant is not None:
        n = n_clusters or constant.judge.n_units
        people, ceiling, association = _all_alike(people, ceiling, association, constant, n)
        constant = replace(constant, difference=_with_low(constant.difference, constant.difference_low))
    people = _with_low(people, people_low)
    if association is ceiling.judge or association == ceiling.judge:
        association = _with_low(association, ceiling.judge_low)
    first = bias_first(biases) if biases is not None else ()
    shown = first if biases is not None and biases.gravest else ()
    surely_little = not problems and people.high < rule.least_reliability
    if n_people > 1:
        problems += _people_agree(people, rule)
    if problems:
        outcome: Outcome = "people agree too little" if surely_little else "not enough data"
        return JudgeVerdict(dimension, outcome, (*shown, *problems, *base_rate), rule)
    reasons = [f"{PEOPLE_AGREE} {_limits(people)}, above {rule.least_reliability:g}.", *base_rate]
    replaces, sentences = _replaces(ceiling.difference, alternative, rule)
    reasons.extend(sentences)
    if alternative is not None and alternative.passed:
        reasons.extend(_as_well(alternative, constant_test))
    if constant is not None and rule.beat_constant and not constant.difference.low > 0:
        replaces = False
        reasons.append(f"{OPEN} a judge that always gives the same answer agrees with people as often as this judge.")
    df = math.inf if n_clusters is None else n_clusters - 1
    p_people = _p(people_low, people, rule.least_reliability, df)
    p_replace = max(
        p_people,
        _p(ceiling.difference_low, ceiling.difference, -rule.margin, df),
        _p(constant.difference_low, constant.difference, 0.0, df) if constant and rule.beat_constant else 0.0,
        _p_of_test(alternative) if rule.alternative_test else 0.0,
    )
    p_correct = max(p_people, _p(ceiling.judge_low, association, rule.least_association, df))
    otherwise, why = _corrects(association, rule)
    if otherwise == "usable with correction" and constant is not None and constant.difference.high <= 0:
        why += " Without correction, a constant judge is right more often than this judge."
    if biases is not None:
        reasons.append(biases_tested(biases))
    outcome = "usable as replacement" if replaces else otherwise
    if replaces and first:
        outcome = otherwise if biases is not None and biases.bars else "usable except to rank"
    if outcome == otherwise:
        reasons.append(why)
        p_replace = 1.0  # this verdict makes no further claim
    reasons[:0] = first if replaces else shown
    return JudgeVerdict(dimension, outcome, tuple(reasons), rule, p_replace, p_correct, (otherwise, why))


def _refuse_mixtures(
    humans: Sequence[str] | None, machines: Sequence[str], alternative: AlternativeTest | None, rule: Rule
) -> None:
    """Refuse machines among the people, and a test at another epsilon than the rule's."""
    among = set(humans or ()) & set(machines)
    if among:
        raise RatingsError(f"You named these machines as people: {', '.join(sorted(among))}. Name only people.")
    if alternative is not None and alternative.epsilon != rule.epsilon:
        raise RatingsError(
            f"The alternative annotator test has epsilon {alternative.epsilon:g}, but the rule has {rule.epsilon:g}. "
            "Use the same epsilon for the test and the rule."
        )


def _p_of_test(alternative: AlternativeTest | None) -> float:
    """Return the one-sided p value, so that 0.025 is the authors' 5 %; 1 without a result."""
    return 1.0 if alternative is None or math.isnan(alternative.p_value) else alternative.p_value / 2


def _with_low(found: Statistic, low: LowerLimit | None) -> Statistic:
    """Return a statistic whose lower limit is at most the limit for few questions."""
    if low is None or not low.defined or math.isnan(found.low):
        return found
    return replace(found, low=min(found.low, low.at()))


def _p(low: LowerLimit | None, found: Statistic, bound: float, df: float) -> float:
    """The one-sided p value of "not above the bound", from the limit for few questions, or from the interval without
    such a limit.
    """
    if low is None or not low.defined:
        low = lower_limit_of(found, df=df)
    p = low.p_value(bound)
    return 1.0 if math.isnan(p) else p


def _value(constant: ConstantComparison, says: str | None) -> str:
    return f"{constant.value:g}" if says is None else says


def _base_rate(constant: ConstantComparison, says: str | None) -> list[str]:
    """The base rate, and the judge compared with one that always gives the most frequent value."""
    if not constant.judge.defined:
        return []
    value = _value(constant, says)
    gap = constant.difference
    limits = f" [{gap.low:.3f}, {gap.high:.3f}]" if not math.isnan(gap.low) else ""
    return [
        f"{constant.base_rate:.1%} of people's ratings are {value}. A constant judge that always says {value} agrees "
        f"with a person on {constant.constant.value:.1%} of the units, and this judge agrees on "
        f"{constant.judge.value:.1%}. The difference is {gap.value:.3f}{limits}."
    ]


def _as_well(alternative: AlternativeTest | None, constant_test: AlternativeTest | None) -> list[str]:
    """Return a sentence on the constant in the alternative annotator test, where the judge's result could mislead."""
    if alternative is None or constant_test is None or not constant_test.winning_rate.defined:
        return []
    rejected = sum(person.rejected for person in constant_test.people)
    k = constant_test.winning_rate.n_raters
    passes = "also passes this test" if constant_test.passed else "does not pass this test"
    return [f"A constant judge {passes} (it can replace {rejected} of {k} people)."]


def _all_alike(
    people: Statistic, ceiling: Ceiling, association: Statistic, constant: ConstantComparison, n: int
) -> tuple[Statistic, Ceiling, Statistic]:
    """With limits where everyone says the same on every unit, so that resampling gives none.

    With n questions (or units that stand for themselves) and none of them otherwise, at most u = 1 - 0.025^(1/n) are,
    by the exact limit of a share. Beyond chance that is u over the share on which two people would differ by chance
    alone, at least 2 b (1 - b).
    """
    u = 1 - 0.025 ** (1 / max(n, 1))
    by_chance = 2 * constant.base_rate * (1 - constant.base_rate)

    def least(found: Statistic) -> Statistic:
        if found.value != 1.0 or not math.isnan(found.low) or by_chance <= 0:
            return found
        return replace(found, low=1 - u / by_chance, high=1.0, method="exact limit of a share", reason=None)

    gap = ceiling.difference
    if ceiling.judge.value == 1.0 and ceiling.people.value == 1.0 and math.isnan(gap.low):
        gap = replace(gap, low=-u, high=0.0, method="exact limit of a share", reason=None)
    return least(people), replace(ceiling, difference=gap), least(association)


def _design(ceiling: Ceiling, n_people: int, rule: Rule, held_out: bool) -> list[str]:
    """What of the study itself keeps it from a verdict; nothing if none does."""
    problems = []
    if not held_out:
        problems.append("The judge was tuned on these units. Use other units for a verdict.")
    if n_people < rule.least_people:
        graders = {0: "Nobody", 1: "One person"}.get(n_people, f"{n_people} people")
        problems.append(f"{graders} graded, but the rule needs {rule.least_people} people.")
    if n_people < 2:  # nothing below is defined
        return problems
    n = ceiling.judge.n_units
    if n < rule.least_units:
        problems.append(f"The judge and at least two people share {n} units, but the rule needs {rule.least_units}.")
    return problems


def _people_agree(people: Statistic, rule: Rule) -> list[str]:
    """Why people's own agreement is no measure of a judge; nothing if it is."""
    problems = []
    if math.isnan(people.low):
        problems.append(f"Agreement among people has no interval: {people.reason or 'it was not computed.'}")
    elif people.high < rule.least_reliability:
        problems.append(
            f"Agreement among people is {_limits(people)}, below {rule.least_reliability:g}. This agreement is too "
            "low to test a judge. Improve the guideline first."
        )
    elif people.low < rule.least_reliability:
        problems.append(
            f"Agreement among people is {_limits(people)}. The true agreement may be below {rule.least_reliability:g}"
            ". Add units to narrow the interval."
        )
    return problems


def _replaces(difference: Statistic, alternative: AlternativeTest | None, rule: Rule) -> tuple[bool, list[str]]:
    sentences = []
    if math.isnan(difference.low):
        close = False
        sentences.append(
            f"The difference between judge and people has no interval: {difference.reason or 'it was not computed.'}"
        )
    else:
        close = difference.low >= -rule.margin
        start = "The judge is at most" if close else f"{OPEN} the judge is more than"
        sentences.append(f"{start} {rule.margin:g} below a person. The difference is {_limits(difference)}.")
    if not rule.alternative_test:
        return close, sentences
    if alternative is None or not alternative.winning_rate.defined:
        reason = alternative.winning_rate.reason if alternative else "it was not computed."
        sentences.append(f"The alternative annotator test has no result: {reason}")
        return False, sentences
    rejected = sum(person.rejected for person in alternative.people)
    k = alternative.winning_rate.n_raters
    passes = "passes" if alternative.passed else "does not pass"
    sentences.append(
        f"The judge {passes} the alternative annotator test at epsilon {rule.epsilon:g}. In this test, the judge can "
        f"replace {rejected} of {k} people."
    )
    return close and alternative.passed, sentences


def _corrects(association: Statistic, rule: Rule) -> tuple[Outcome, str]:
    bound = rule.least_association
    if math.isnan(association.low):
        reason = association.reason or "it was not computed."
        return "not enough data", f"{ASSOCIATION} has no interval: {reason}"
    limits = _limits(association)
    if association.low >= bound:
        return (
            "usable with correction",
            f"{ASSOCIATION} is {limits}, at least {bound:g}. The judge's scores help to estimate people's scores, "
            "but cannot replace people's scores.",
        )
    if association.high < bound:
        return "not usable", f"{ASSOCIATION} is {limits}, below {bound:g}."
    return (
        "not enough data",
        f"{ASSOCIATION} is {limits}. The true association may be below or above {bound:g}.",
    )


def _limits(statistic: Statistic) -> str:
    return f"{statistic.value:.3f} [{statistic.low:.3f}, {statistic.high:.3f}]"
