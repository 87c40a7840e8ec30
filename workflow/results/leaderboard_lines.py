"""A line of a leaderboard: one number with its interval, its counts and its losses."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from agreement.corrected import clustered_mean, post_stratified_mean, ppi_mean, rogan_gladen
from agreement.losses import Losses, ScoreCount, mean_bounds
from agreement.means import share
from agreement.statistic import Statistic, undefined
from annotation_schemas.expected_answers import GONE, KEYLESS
from domain.english import with_noun
from domain.errors import RatingsError
from domain.reading.answers import ReadOutcome
from domain.replies import counted_reasons
from domain.runs import Outcome
from workflow.results.answer_ways import NOT_KNOWN, AnswerMethod
from workflow.results.project_answers import ProjectAnswers
from workflow.results.score_choices import METHODS, Scores
from workflow.results.scores import SILENT, ScoredAnswers, silent

_REFUSED = frozenset({ReadOutcome.REFUSED.words, Outcome.REFUSED.why_none})


def _finite(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None


@dataclass(frozen=True)
class LeaderboardLine:
    """One number with its interval, its counts and its losses."""

    scores: Scores
    model: str
    part: str | None
    """The slice; None for all of them."""
    over: Literal["answers", "parts"]
    """The unit of the mean: answers, or the means of the parts, which have equal weights."""
    found: Statistic
    asked: int
    """Items that the model was asked, as far as that is known: answers from files are all that is."""
    answered: int
    left_out: Mapping[str, int]
    """The units that the number leaves out, by reason: items without an answer, and answers without a score. Their
    counts and ``found.n_units`` add up to ``asked``.
    """
    missing: Mapping[str, int] = field(default_factory=dict)
    """The unanswered items among those left out, by reason. Their counts and ``answered`` add up to ``asked``."""
    lowest: float | None = None
    highest: float | None = None
    """The number if all missing answers and all unscored judge replies had the lowest or the highest score. None if the
    number has no such bounds.
    """
    valid_if: str = ""
    """The assumption of a corrected number."""
    people: int = 0
    """The number of answers that people graded, for a corrected number."""
    failed: int = 0
    """The number of answers whose judge reply holds no score, for a judge's number."""
    unread: Mapping[str, int] = field(default_factory=dict)
    """The outcomes of unreadable answers and silent items, for a number against the key. By the schema's convention
    they count as wrong or are left out.
    """
    unreadable: Literal["wrong", "left_out"] | None = None
    """Against the key: that convention."""
    reader: str | None = None
    """The reader of the answers, for a number against the key."""
    measure: str | None = None
    """The measure, if the key is spans of time; otherwise the number is an accuracy."""
    respondents: int = 0
    """The number of people who answered, for a row of all people together (its unit is an item); otherwise 0."""
    given: int = 0
    """The number of answers that these people gave."""
    grouped_by: str = ""
    """The attribute that groups models, for a group."""
    models: tuple[str, ...] = ()
    """The models of a group. Each has the same weight, whatever its number of answers."""
    way: AnswerMethod = NOT_KNOWN
    """How the model's answers were made."""
    losses: Losses | None = field(default=None, compare=False)
    """Losses of this line's board, over all its models."""

    @property
    def refused(self) -> int:
        """Return the number of answers that are refusals or count as one."""
        return sum((self.unread if self.unreadable else self.missing).get(why, 0) for why in _REFUSED)

    @property
    def count(self) -> ScoreCount:
        """Return the denominator of the number and the answers that it leaves out, as every table prints them."""
        at = self.found
        n = at.n_units
        return ScoreCount(
            right=at.value * n if at.defined and self.over == "answers" else math.nan,
            counted=n,
            unread=sum(self.unread.values()),
            failed=self.failed,
            missing=sum(self.missing.values()),
            empty=sum(n for why, n in self.missing.items() if why in SILENT),
            left_out=sum(self.left_out.values()),
            counts_as=self.unreadable,
            lowest=self.lowest,
            highest=self.highest,
        )

    @property
    def loss_warning(self) -> str:
        """Return the warning of the line's board with the bounds of this line alone; empty without a warning."""
        if self.losses is None or not self.losses.warns:
            return ""
        where = f"{self.model} in {self.part}" if self.part else self.model
        lowest, highest, lost = self.lowest, self.highest, self.failed
        if self.scores.kind == "corrected":
            where = f"{self.model} before correction"
            for group in self.losses.groups.get("model", ()):
                if group.name == self.model:
                    lowest, highest, lost = group.lowest, group.highest, group.lost
        elif lowest is not None:
            lost = max(lost, 1)
        if not lost:
            return f"{self.losses.alarm} {where} has no losses."
        if lowest is None or highest is None:
            return f"{self.losses.alarm} {where} has {lost:,} {'loss' if lost == 1 else 'losses'}."
        return f"{self.losses.alarm} {mean_bounds(lowest, highest, where)}"

    def as_row(self) -> dict[str, Any]:
        """Return the line as a row of a table; None for undefined values.

        A row of all people or of a group of models also has their number. A row against spans of time also has its
        measure.
        """
        at = self.found
        people = {"respondents": self.respondents, "answers_of_respondents": self.given} if self.respondents else {}
        group = {"grouped_by": self.grouped_by, "models": len(self.models)} if self.grouped_by else {}
        measure = {"measure": self.measure} if self.measure else {}
        return {
            "scores": self.scores.kind,
            "criterion": self.scores.criterion,
            "option": self.scores.option,
            "judge": self.scores.judge,
            "method": METHODS[self.scores.method] if self.scores.method else None,
            "model": self.model,
            "answers_by": self.way.how or None,
            "frames": self.way.frames or None,
            "part": self.part,
            "mean_over": self.over,
            "value": _finite(at.value),
            "low": _finite(at.low),
            "high": _finite(at.high),
            "interval": at.method,
            "unit": "item" if self.respondents else "answer",
            "n": at.n_units,
            "n_people": self.people if self.scores.kind == "corrected" else None,
            "asked": self.asked,
            "answered": self.answered,
            "left_out": sum(self.left_out.values()),
            "left_out_why": counted_reasons(self.left_out),
            "unread": sum(self.unread.values()) if self.unreadable else None,
            "unread_why": counted_reasons(self.unread) if self.unreadable else None,
            "unread_counts_as": self.unreadable,
            "refused": self.refused,
            "reader": self.reader,
            "judge_asked": at.n_units + self.failed if self.scores.kind == "judge" else None,
            "judge_scored": at.n_units if self.scores.kind == "judge" else None,
            "if_rest_lowest": self.lowest,
            "if_rest_highest": self.highest,
            "reason": at.reason,
            "valid_if": self.valid_if or None,
            "loss_warning": self.loss_warning or None,
            **people,
            **group,
            **measure,
        }


COLUMNS = tuple(
    LeaderboardLine(
        Scores("key"), "", None, "answers", undefined("", n_units=0, n_raters=0), asked=0, answered=0, left_out={}
    ).as_row()
)
"""The columns of the table of numbers."""

EVERYTHING = "none: people graded every answer that the judge graded, so the mean is the mean of people's grades"
"""The assumption of a correction with nothing to correct."""

ONLY_PEOPLE = "graded by people, but not by the judge"

NOTHING_TO_CORRECT_BY = "scored, but without people's grades for a correction"


@dataclass(frozen=True, eq=False)
class SliceAnswers:
    """A model's answers in a slice, and its items there without one."""

    places: NDArray[np.int64]
    missing: Sequence[str]
    """The reason of each missing answer."""
    together: Sequence[str] = ()
    """The cluster of each item; empty if every item is its own cluster."""
    keyless: Sequence[str] = ()
    """Why each item has no usable key, for a number against the key; empty if it has one."""

    @property
    def out(self) -> Sequence[str]:
        """Return why each item is in no number. A missing key is named first, because no answer could count then."""
        return [lacks or why for why, lacks in zip(self.missing, self.keyless, strict=True)]


def line_of(
    of: ScoredAnswers,
    lot: SliceAnswers,
    clusters: Sequence[str] | None,
    *,
    model: str,
    part: str | None,
    known: str = "",
) -> LeaderboardLine:
    """Return the mean over the answers of a lot."""
    scores = of.scores
    places = lot.places
    unread = Counter(of.unread[at].words for at in places.tolist() if at in of.unread)
    if scores.kind == "key":
        unread += Counter(why for why in lot.out if why in SILENT)
    as_wrong = [at for at, why in enumerate(lot.out) if _counts_as_wrong(of, why)]
    out = [why for why in lot.out if not _counts_as_wrong(of, why)]
    left_out = Counter(of.why[at] for at in places.tolist() if at in of.why) + Counter(out)
    valid, people = "", 0
    if len(places) + len(as_wrong) == 0:
        reason = known or ("The model did not answer any items in this group." if lot.missing else "No answers here.")
        statistic = undefined(reason, n_units=0, n_raters=1)
    elif scores.kind == "corrected":
        statistic, valid, people = _corrected(of, places, clusters)
        rest = len(places) - statistic.n_units - sum(at in of.why for at in places.tolist())
        if rest:
            left_out[ONLY_PEOPLE if statistic.defined else NOTHING_TO_CORRECT_BY] += rest
    else:
        statistic = _mean(of, places, clusters, wrong=[lot.together[at] if lot.together else "" for at in as_wrong])
        if not statistic.defined:
            statistic = replace(statistic, reason=_no_score_reason(left_out))
    statistic = clipped(replace(statistic, n_left_out=sum(left_out.values())), of.low, of.high)
    failed = sum(at in of.failed for at in places.tolist())
    if scores.kind == "key":
        unanswered = len(as_wrong) + sum(why not in KEYLESS for why in out)
        lowest, highest = _bounds_of_key(of, places, statistic, unanswered=unanswered)
    elif scores.kind == "judge":
        whole = statistic.n_units + failed == len(places)  # a sample does not show which answers are missing
        lowest, highest = _bounds(statistic, statistic.n_units, failed + (len(lot.missing) if whole else 0), of)
    else:
        lowest, highest = _bounds(statistic, len(places), len(lot.missing), of)
    return LeaderboardLine(
        scores,
        model,
        part,
        "answers",
        statistic,
        asked=len(places) + len(lot.missing),
        answered=len(places),
        left_out=dict(left_out),
        missing=dict(Counter(lot.missing)),
        lowest=lowest,
        highest=highest,
        valid_if=valid,
        people=people,
        failed=failed,
        unread=dict(unread),
        unreadable=of.unreadable if scores.kind == "key" else None,
        reader=of.reader,
        measure=of.measure,
    )


def _counts_as_wrong(of: ScoredAnswers, why: str) -> bool:
    """Return whether an unanswered item counts as wrong because the model was asked and stayed silent."""
    return of.scores.kind == "key" and of.unreadable == "wrong" and why in SILENT


def counted_as_wrong(found: ProjectAnswers, of: ScoredAnswers, model: str, *, common: bool) -> list[int]:
    """Return a model's unanswered items that count as wrong in its accuracy."""
    lot = silent(found, model)
    return [item for item, why in lot.items() if _counts_as_wrong(of, why) and (not common or item in found.common)]


def values_of(found: ProjectAnswers, of: ScoredAnswers, model: str, *, common: bool) -> dict[int, float]:
    """Return a model's scores by item, in the number's dimensions. An unanswered item that counts as wrong has a 0."""
    known = {
        found.answers[at].item: float(of.values[at])
        for at in found.of_model[model].tolist()
        if not math.isnan(of.values[at])
        and (of.asked is None or found.items[found.answers[at].item].dimension in of.asked)
        and (not common or found.answers[at].item in found.common)
    }
    return known | dict.fromkeys(counted_as_wrong(found, of, model, common=common), 0.0)


def _bounds_of_key(
    of: ScoredAnswers, places: NDArray[np.int64], found: Statistic, *, unanswered: int
) -> tuple[float | None, float | None]:
    """Return the accuracy if all unreadable answers were wrong, and if all were right; None without unreadable answers.

    Unreadable are answers that could not be read, answers that name an option the item no longer offers, and
    ``unanswered`` items with a key. Both bounds are over all answers and items with a key, whatever the convention is.
    """
    unread = sum(at in of.unread or of.why.get(at) == GONE for at in places.tolist())
    unknown = unread + unanswered
    total = unknown + sum(at not in of.unread and at not in of.why for at in places.tolist())
    if not unknown or (found.n_units and not found.defined):
        return None, None
    right = found.value * found.n_units if found.n_units else 0
    right = round(right) if of.yes_no else right
    return right / total, (right + unknown) / total


def _no_score_reason(left_out: Mapping[str, int]) -> str:
    return f"No answer in this group has a score: {counted_reasons(left_out)}."


def _mean(
    of: ScoredAnswers, places: NDArray[np.int64], clusters: Sequence[str] | None, *, wrong: Sequence[str] = ()
) -> Statistic:
    """Return the mean with its limits. ``wrong`` are the clusters of units that enter the mean as a 0."""
    values = np.concatenate([of.values[places], np.zeros(len(wrong))])
    together = None if clusters is None else [*(clusters[at] for at in places.tolist()), *wrong]
    zeros_and_ones = of.yes_no and bool(np.isin(values[~np.isnan(values)], (0, 1)).all())  # a mean of people is neither
    return share(values, clusters=together) if zeros_and_ones else clustered_mean(values, clusters=together)


def _corrected(
    of: ScoredAnswers, places: NDArray[np.int64], clusters: Sequence[str] | None
) -> tuple[Statistic, str, int]:
    assert of.judge is not None
    people, judge = of.values[places], of.judge[places]
    graded = ~np.isnan(people)
    n_people = int((graded & ~np.isnan(judge)).sum())
    if not n_people:
        reason = "No answer in this group was graded both by people and by the judge, so the judge's error is unknown."
        return undefined(reason, n_units=0, n_raters=2), "", 0
    rest = judge[~graded]
    if np.isnan(rest).all():
        return _mean(of, places, clusters), EVERYTHING, n_people
    together = None if clusters is None else np.array([clusters[at] for at in places.tolist()], dtype=object)
    try:
        if of.scores.method == "rogan_gladen":
            correction = rogan_gladen(people[graded], judge[graded], judge)
        elif of.scores.method == "post_stratified":
            correction = post_stratified_mean(people[graded], judge[graded], rest)
        else:
            correction = ppi_mean(
                people[graded],
                judge[graded],
                rest,
                clusters=None if together is None else list(together[graded]),
                clusters_unlabelled=None if together is None else list(together[~graded]),
            )
    except RatingsError as error:
        return undefined(str(error), n_units=0, n_raters=2), "", n_people
    n = int((~np.isnan(judge)).sum()) if correction.mean.defined else 0
    return replace(correction.mean, n_units=n), correction.valid_if, n_people


def clipped(found: Statistic, low: float | None, high: float | None) -> Statistic:
    """Return the statistic with limits clipped to the scale, because no mean can be outside it."""
    if math.isnan(found.low) or math.isnan(found.high):
        return found
    return replace(
        found,
        low=found.low if low is None else max(low, found.low),
        high=found.high if high is None else min(high, found.high),
    )


def of_failures(line: LeaderboardLine) -> str:
    """Return how many of a model's answers a judge has scored, and the possible effect of the rest."""
    asked = line.found.n_units + line.failed
    sentence = (
        f"{line.scores.judge} has scored {line.found.n_units:,} of {with_noun(asked, 'answer')} from {line.model}."
    )
    if line.lowest is None or line.highest is None:
        return sentence
    lost = line.asked - line.answered if asked == line.answered else 0
    rest = f"the other answers and {with_noun(lost, 'item')} without an answer" if lost else "the rest"
    means = f"the mean would be {line.lowest:.3f}; with the highest score, {line.highest:.3f}"
    return f"{sentence} If {rest} had the lowest score, {means}."


def _bounds(found: Statistic, answered: int, missing: int, of: ScoredAnswers) -> tuple[float | None, float | None]:
    """Return the mean if all missing scores were the lowest, and if they were the highest."""
    if not missing or of.low is None or of.high is None or (answered and not found.defined):
        return None, None
    total, n = (found.value * answered if answered else 0.0), answered + missing
    return (total + missing * of.low) / n, (total + missing * of.high) / n
