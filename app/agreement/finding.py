"""The sentences that the page *Agreement* opens with: how far raters agree in one stage, and what that is worth."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from agreement.summary import Result
from app import markup
from app.agreement.tables import UNITS, is_headline, raters_in_pairs
from app.charts.dot_plot import interval_words
from domain.states import VERIFICATIONS, Stage
from domain.statistics import OVERLAP, STATISTICS
from workflow.results import schema_versions
from workflow.results.confusions import Confusion

RATERS: Mapping[Stage, tuple[str, str]] = {
    **dict.fromkeys(VERIFICATIONS, ("verifiers", "vote")),
    Stage.GRADING: ("graders", "grade"),
    Stage.COMPARISON: ("people", "choice"),
    Stage.CODING: ("coders", "code"),
    Stage.ANSWERING: ("people", "answer"),
}
"""The raters of each stage, and one rating."""
FEW = 10
"""With fewer units, a sentence gives counts and no percentage."""
RELIABLE, TENTATIVE = 0.80, 0.67
"""Krippendorff's limits: reliable enough to build on, and the least for tentative conclusions."""
LOPSIDED = 0.8
"""A share of one value from which a sentence warns that much of the agreement may be chance."""
ALPHA = "krippendorff_alpha"
SHARE = "percent_agreement"


@dataclass(frozen=True)
class Finding:
    """The agreement of raters on one criterion, in words."""

    subject: str
    """The first words: who agrees."""
    share: str
    """How often they agree. Empty if nothing can be said."""
    rest: str
    """The coefficient with its interval, or why it is undefined."""
    notes: Sequence[str]
    """What the numbers rest on, and what the interval means."""
    n_units: int
    line: Result | None
    """The line with the coefficient."""


def has_several_raters(lines: Sequence[Result]) -> bool:
    """Tell whether more than two raters are compared."""
    return len(raters_in_pairs(lines)) > 2


def coefficient_of(lines: Sequence[Result], named: Sequence[str] = ()) -> Result | None:
    """Return the line that stands for a group: Krippendorff's alpha, or else the first coefficient of the report.

    ``lines`` are about one criterion and one dimension. ``named`` are the statistics of the schema's report. Without
    alpha among them, the line is the first one that fits the scale.
    """
    several = has_several_raters(lines)
    short = [line for line in lines if is_headline(line, several=several, named=named) and line.statistic != SHARE]
    first = [ALPHA] if ALPHA in named else []
    order = {name: at for at, name in enumerate(dict.fromkeys([*first, *named, ALPHA]))}
    return min(short, key=lambda line: order.get(line.statistic, len(order)), default=None)


def share_of(lines: Sequence[Result]) -> Result | None:
    """Return the line with the percent agreement of everyone."""
    several = has_several_raters(lines)
    own = (line for line in lines if line.statistic == SHARE and not ("pair" in line.args and several))
    return next(own, None)


def finding(
    lines: Sequence[Result],
    stage: Stage,
    *,
    named: Sequence[str] = (),
    confusion: Confusion | None = None,
    labels: Mapping[object, str] | None = None,
    people: bool = True,
    of_means: bool = False,
) -> Finding:
    """Return the finding of one criterion.

    Parameters
    ----------
    lines
        All lines of the criterion, over all dimensions.
    named
        The statistics of the schema's report.
    confusion
        The counts of the same ratings.
    labels
        The labels of values.
    people
        Whether the raters are people.
    of_means
        Whether the lines compare means of models.
    """
    raters, vote = RATERS[stage] if people else ("raters", RATERS[stage][1])
    unit = "mean" if of_means else UNITS[stage]
    line, share = coefficient_of(lines, named), None if of_means else share_of(lines)
    base = share if share is not None else line
    if base is None or not base.n_units:
        why = f"No {unit} has {vote}s from two {raters} yet." if base is not None else f"There are no {vote}s yet."
        return Finding(why, "", "", (), 0, line)
    notes = [_basis(base, unit, vote)]
    schemas = str(base.args.get("schema", ""))
    if schemas:
        notes.append(f"Ratings {schema_versions.schema_words(schemas)}.")
    subject, words = f"Two {raters} agree", ""
    if share is not None and share.value is not None:
        words = _share_words(share, unit, vote, confusion)
    elif line is not None and line.value is not None:
        subject = f"{STATISTICS[line.statistic].title} is {markup.decimal(line.value)}"
        subject += f" {interval_words(line.low, line.high)}".rstrip() + "."
        return Finding(subject, "", "", [*notes, *_meaning(line, vote)], base.n_units, line)
    rest = ""
    if line is not None:
        same = share is not None and share.value == 1
        rest = _coefficient_words(line, everyone_equal=same and _values_used(confusion) == 1)
        notes += _meaning(line, vote)
    notes += _lopsided(confusion, labels or {}, vote, same=share is not None and share.value == 1)
    return Finding(subject, words, rest, notes, base.n_units, line)


def _share_words(share: Result, unit: str, vote: str, confusion: Confusion | None) -> str:
    assert share.value is not None
    if share.n_units >= FEW:
        return f"{markup.percent(share.value)} of {unit}s"
    if share.n_raters <= 2 or "pair" in share.args:
        return f"{round(share.value * share.n_units)} of {markup.count(share.n_units, unit)}"
    pairs = sum(map(sum, confusion.everyone)) // 2 if confusion is not None else 0
    if not pairs or confusion is None:
        return f"some of {markup.count(share.n_units, unit)}, too few for a percentage"
    same = sum(confusion.everyone[at][at] for at in range(len(confusion.everyone))) // 2
    return f"{same} of {markup.count(pairs, 'pair')} of {vote}s, on {markup.count(share.n_units, unit)}"


def _basis(base: Result, unit: str, vote: str) -> str:
    if unit == "mean":
        return f"Based on {markup.count(base.n_units, 'mean')}, each of one model in one dimension."
    left = base.n_left_out
    words = f"Based on {markup.count(base.n_units, unit)} with at least two {vote}s"
    if not left:
        return f"{words}."
    return f"{words}; {left:,} with fewer than two {'is' if left == 1 else 'are'} not included."


def _coefficient_words(line: Result, *, everyone_equal: bool) -> str:
    title = STATISTICS[line.statistic].title
    if line.value is not None:
        return f"{title} is {markup.decimal(line.value)} {interval_words(line.low, line.high)}".rstrip() + "."
    return f"{title} cannot be computed. {why_undefined(line, everyone_equal=everyone_equal)}"


def why_undefined(line: Result, *, everyone_equal: bool) -> str:
    """Return the reason why a line has no value, as one or more sentences."""
    if everyone_equal:
        return "Everyone gave the same answer."
    reason = (line.reason or "The method gives no value").rstrip(".")
    return f"{reason[:1].upper()}{reason[1:]}."


def _meaning(line: Result, vote: str) -> list[str]:
    """Return what the interval of a coefficient is worth, by Krippendorff's limits."""
    if line.value is None or STATISTICS[line.statistic].needs in OVERLAP:
        return []
    if line.low is None or line.high is None:
        return [f"There is no interval yet. Collect more {vote}s."]
    if not line.statistic.endswith(("_alpha", "_kappa")):
        return []
    if line.low >= RELIABLE:
        return ["The agreement is high enough to rely on."]
    if line.low >= TENTATIVE:
        return ["The agreement is high enough for tentative conclusions."]
    if line.high < TENTATIVE:
        return ["The agreement is too low to rely on. See where raters differ, and make the guideline clearer."]
    just = "just " if markup.decimal(line.low) == markup.decimal(TENTATIVE) else ""
    return [
        f"The interval reaches {just}below {TENTATIVE}, the usual minimum. More {vote}s make the interval narrower."
    ]


def _values_used(confusion: Confusion | None) -> int:
    return sum(any(row) for row in confusion.everyone) if confusion is not None else 0


def _lopsided(confusion: Confusion | None, labels: Mapping[object, str], vote: str, *, same: bool) -> list[str]:
    rows = [sum(row) for row in confusion.everyone] if confusion is not None else []
    if confusion is None or sum(rows) < 2 * FEW or same:
        return []
    most = max(range(len(rows)), key=rows.__getitem__)
    share = rows[most] / sum(rows)
    if share < LOPSIDED:
        return []
    value = labels.get(confusion.values[most], str(confusion.values[most]))
    return [f"{markup.percent(share)} of these {vote}s are “{value}”, which raises chance agreement."]
