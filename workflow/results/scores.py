"""The scores of models' answers: by key, by people, by judges, and by judges corrected by people.

``project_answers.read_project`` takes one state of a project into memory, and every score is a function of it. The
unit is a model's answer to an item. ``workflow.results.leaderboard`` computes figures from the scores.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from annotation_schemas import derived
from annotation_schemas.derived import ends_of_values
from annotation_schemas.expected_answers import NO_KEY
from annotation_schemas.model import Criterion, DerivedCriterion
from domain.errors import InvalidInputError, Problem
from domain.reading.answers import ReadOutcome
from domain.runs import Outcome
from workflow.results.criterion_values import named_criteria, scored_criteria
from workflow.results.project_answers import ProjectAnswers
from workflow.results.score_choices import Scores, no_criterion, of_spans
from workflow.results.settled_grades import Floats, Values, by_judge, by_people

SILENT = frozenset(outcome.why_none for outcome in Outcome if outcome.silent)
"""The outcomes in which a model was asked and gave an empty reply. They count like unreadable answers."""


@dataclass(frozen=True, eq=False)
class ScoredAnswers:
    """Every answer of a read with its score."""

    scores: Scores
    values: Floats
    """The scores, shape (answers,), with nan for missing ones. For ``corrected``, people's scores."""
    judge: Floats | None
    """The judge's scores, for ``corrected``."""
    why: Mapping[int, str]
    """Why an answer has no score, by the answer's place."""
    low: float | None
    high: float | None
    """The ends of the scale, where it has some."""
    asked: frozenset[str] | None
    """The dimensions that the score is about; None for all of them."""
    failed: frozenset[int] = frozenset()
    """Answers, by their place, about which a judge was asked whose reply holds no score."""
    lacking: tuple[str, ...] = ()
    """The dimensions that the judge has scored and people have not, for ``corrected``. The number leaves them out."""
    unread: Mapping[int, ReadOutcome] = field(default_factory=dict)
    """Against the key: the answers to items with one, by their place, that could not be read."""
    unreadable: Literal["wrong", "left_out"] = "wrong"
    """How unreadable answers count."""
    reader: str | None = None
    """The reader of the answers."""
    measure: str | None = None
    """The measure, if the key is spans of time."""
    shares: bool | None = None
    """``yes_no`` of the answers of models and persons, where rows of all people were added."""

    @property
    def yes_no(self) -> bool:
        """Whether all scores are zeros and ones, so that their mean is a share."""
        if self.shares is not None:
            return self.shares
        return (self.low, self.high) == (0.0, 1.0) and bool(np.isin(self.values[~np.isnan(self.values)], (0, 1)).all())

    @property
    def there(self) -> NDArray[np.bool_]:
        """Return which answers the number includes."""
        known = ~np.isnan(self.values)
        return known if self.judge is None else known | ~np.isnan(self.judge)


def score_answers(found: ProjectAnswers, scores: Scores) -> ScoredAnswers:
    """Return every answer with its score."""
    if scores.kind == "key":
        return _by_key(found, scores)
    rule = derived.find(found.schema, scores.criterion)
    if rule is not None:
        return _derived(found, scores, rule)
    there = scored_criteria(found.schema) if scores.option is None else named_criteria(found.schema)
    criterion = next((criterion for criterion in there if criterion.name == scores.criterion), None)
    if criterion is None:
        raise InvalidInputError([Problem("criterion", no_criterion(found.schema, scores.criterion))])
    if scores.option is not None:
        return _share_of(found, scores, criterion)
    low, high = ends_of_values(criterion) or (None, None)
    people = by_people(found, criterion) if scores.kind in ("human", "corrected") else None
    judge = by_judge(found, scores.criterion, scores.judge) if scores.kind in ("judge", "corrected") else None
    if scores.kind == "judge" and scores.judge in found.metrics:
        low, high = 0.0, 1.0
    failed = _without_score(found, scores, [criterion.name])
    asked, lacking = _asked_in(found, people, judge, own=criterion.dimensions, failed=failed)
    return _corrected_score(scores, people, judge, low=low, high=high, asked=asked, lacking=lacking, failed=failed)


def _share_of(found: ProjectAnswers, scores: Scores, criterion: Criterion) -> ScoredAnswers:
    """Return 1 for each answer whose grade is the option, otherwise 0. People's grade is the majority."""
    place = next((float(at) for at, option in enumerate(criterion.options) if str(option.value) == scores.option), None)
    if place is None:
        options = ", ".join(str(option.value) for option in criterion.options)
        message = f"{criterion.name} has no option {scores.option!r}. Its options: {options}."
        raise InvalidInputError([Problem("criterion", message)])

    def shared(of: Values) -> Values:
        return np.where(np.isnan(of[0]), np.nan, (of[0] == place).astype(float)), of[1]

    people = shared(by_people(found, criterion)) if scores.kind in ("human", "corrected") else None
    judge = shared(by_judge(found, scores.criterion, scores.judge)) if scores.kind in ("judge", "corrected") else None
    failed = _without_score(found, scores, [criterion.name])
    asked, lacking = _asked_in(found, people, judge, own=criterion.dimensions, failed=failed)
    return _corrected_score(scores, people, judge, low=0.0, high=1.0, asked=asked, lacking=lacking, failed=failed)


def _by_key(found: ProjectAnswers, scores: Scores) -> ScoredAnswers:
    values = np.array([answer.right for answer in found.answers], dtype=float)
    measure = None
    if of_spans(found.schema):
        measure = "mean temporal IoU" if scores.iou is None else f"R@1, IoU from {scores.iou:g}"
    if scores.iou is not None:
        values = np.where(np.isnan(values), np.nan, (values >= scores.iou).astype(float))
    unread = {
        at: answer.read
        for at, answer in enumerate(found.answers)
        if answer.read is not ReadOutcome.READ and not answer.why
    }
    convention = found.schema.report.unreadable
    if convention == "wrong":
        values[list(unread)] = 0.0
    why = {
        at: unread[at].words if at in unread else found.answers[at].why or NO_KEY
        for at in np.flatnonzero(np.isnan(values)).tolist()
    }
    made = ScoredAnswers(
        scores, values, None, why, 0.0, 1.0, None, unread=unread, unreadable=convention, reader=found.reader
    )
    return replace(made, measure=measure)


def silent(found: ProjectAnswers, model: str) -> dict[int, str]:
    """Return the items with a key to which a model gave an empty reply, with the outcome."""
    lot = found.unanswered.get(model, {})
    return {item: why for item, why in lot.items() if why in SILENT and item not in found.keyless}


def _without_score(found: ProjectAnswers, scores: Scores, criteria: Sequence[str]) -> frozenset[int]:
    """Return the places of answers whose judge reply holds no score on one of these criteria."""
    if scores.kind != "judge":
        return frozenset()
    lost = {id for name in criteria for id in found.unscored.get((name, scores.judge or ""), {})}
    return frozenset(at for at, answer in enumerate(found.answers) if answer.id in lost)


def _corrected_score(
    scores: Scores,
    people: Values | None,
    judge: Values | None,
    *,
    low: float | None,
    high: float | None,
    asked: frozenset[str] | None,
    lacking: tuple[str, ...],
    failed: frozenset[int],
) -> ScoredAnswers:
    first = people or judge
    assert first is not None
    if scores.kind != "corrected":
        return ScoredAnswers(scores, first[0], None, first[1], low, high, asked, failed & set(first[1]))
    assert judge is not None
    neither = {at: f"{reason}, and without a score from the judge" for at, reason in first[1].items() if at in judge[1]}
    return ScoredAnswers(scores, first[0], judge[0], neither, low, high, asked, lacking=lacking)


def _derived(found: ProjectAnswers, scores: Scores, rule: DerivedCriterion) -> ScoredAnswers:
    """Return the derived score of each answer, from parts that people or the judge have settled."""
    criteria = derived.parts(found.schema, rule)
    people = judge = None
    if scores.kind in ("human", "corrected"):
        people = _of_parts(found, rule, [by_people(found, part) for part in criteria])
    if scores.kind in ("judge", "corrected"):
        own = [by_judge(found, part.name, scores.judge) for part in criteria]
        judge = _of_parts(found, rule, own)
    low, high = derived.ends(found.schema, rule)
    failed = _without_score(found, scores, rule.parts)
    within = derived.dimensions(found.schema, rule)
    asked, lacking = _asked_in(found, people, judge, own=within, failed=failed)
    return _corrected_score(scores, people, judge, low=low, high=high, asked=asked, lacking=lacking, failed=failed)


def _of_parts(found: ProjectAnswers, rule: DerivedCriterion, settled: Sequence[Values]) -> Values:
    values = np.full(len(found.answers), np.nan)
    why: dict[int, str] = {}
    for at in range(len(found.answers)):
        given = {name: float(part[at]) for name, (part, _) in zip(rule.parts, settled, strict=True)}
        known = derived.value(
            found.schema, rule, {name: None if math.isnan(number) else number for name, number in given.items()}
        )
        if known is not None:
            values[at] = known
            continue
        lacking: dict[str, list[str]] = {}
        for name, (_, reasons) in zip(rule.parts, settled, strict=True):
            if at in reasons:
                lacking.setdefault(reasons[at], []).append(name)
        why[at] = "; ".join(
            reason if len(names) == len(rule.parts) else f"{' and '.join(names)}: {reason}"
            for reason, names in lacking.items()
        )
    return values, why


def _asked_in(
    found: ProjectAnswers,
    people: Values | None,
    judge: Values | None,
    *,
    own: Iterable[str] | None,
    failed: frozenset[int],
) -> tuple[frozenset[str] | None, tuple[str, ...]]:
    """Return the dimensions that a score covers (None for all), and the dimensions without people's grades.

    ``own`` are the criterion's dimensions. The stage's dimensions limit people only: a judge or a metric scores
    whatever it was asked about. The error of a judge is known only in dimensions that people have graded too, so a
    correction covers only these.
    """
    grading = found.schema.stages.grading
    of_people = _both_scored(_set(own), _set(grading.dimensions if grading else None))
    of_judge = _set(own)
    graded = _present(people)
    scored_ = _present(judge) | failed
    if of_people is not None:
        of_people |= _dimensions_of(found, graded)
    if of_judge is not None:
        of_judge |= _dimensions_of(found, scored_)
    if judge is None:
        return of_people, ()
    if people is None:
        return of_judge, ()
    about, judged = _dimensions_of(found, graded & scored_), _dimensions_of(found, scored_)
    if not about or judged <= about:
        return _both_scored(of_people, of_judge), ()
    return about, tuple(dimension.id for dimension in found.schema.dimensions if dimension.id in judged - about)


def _set(names: Iterable[str] | None) -> frozenset[str] | None:
    return None if names is None else frozenset(names)


def _both_scored(one: frozenset[str] | None, other: frozenset[str] | None) -> frozenset[str] | None:
    return other if one is None else one if other is None else one & other


def _present(values: Values | None) -> frozenset[int]:
    return frozenset() if values is None else frozenset(np.flatnonzero(~np.isnan(values[0])).tolist())


def _dimensions_of(found: ProjectAnswers, places: Iterable[int]) -> frozenset[str]:
    return frozenset(found.items[found.answers[at].item].dimension for at in places)
