"""The ways to score a project's answers: by criterion, key or derived score, and by the grades of people or judges."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from annotation_schemas import derived, kinds, reporting
from annotation_schemas.derived import ends_of_values
from annotation_schemas.expected_answers import JUDGED, NO_KEY
from annotation_schemas.keys import key_field
from annotation_schemas.model import Schema
from domain.errors import InvalidInputError, Problem
from domain.reading.answers import AnswerKind
from domain.records import RULES
from workflow.results.criterion_values import named_criteria, scored_criteria
from workflow.results.project_answers import ProjectAnswers

Kind = Literal["key", "human", "judge", "corrected"]


Method = Literal["ppi", "rogan_gladen", "post_stratified"]

METHODS: Mapping[Method, str] = {
    "ppi": "PPI++",
    "rogan_gladen": "Rogan-Gladen",
    "post_stratified": "post-stratified by the judge's levels",
}
"""The methods that correct a judge's mean by people's grades."""


CONVENTIONS: Mapping[str, str] = {
    "wrong": "unreadable answers count as wrong",
    "left_out": "only readable answers count",
}
"""The conventions for unreadable answers, by the schema's ``report: unreadable``."""


IOUS = (0.3, 0.5, 0.7)
"""The temporal IoU from which on an answer counts in the recall that is reported of spans of time."""


def iou_in_words(iou: float) -> str:
    """Return an IoU with at least two decimals, and enough to show that it is below a threshold or below 1.

    >>> [iou_in_words(each) for each in (0.5, 0.4996, 0.299999, 0.699, 0.996, 1.0)]
    ['0.50', '0.4996', '0.299999', '0.699', '0.996', '1.00']
    """
    written = (f"{iou:.{decimals}f}" for decimals in range(2, 9))
    fits = (
        text for text in written if all((float(text) >= threshold) == (iou >= threshold) for threshold in (*IOUS, 1.0))
    )
    return next(fits, f"{iou:.9f}")


def ends_of(schema: Schema, scores: Scores) -> tuple[float | None, float | None]:
    """Return the lowest and the highest possible score; None if the scale has no end."""
    if scores.kind == "key" or scores.option is not None:
        return 0.0, 1.0
    rule = derived.find(schema, scores.criterion)
    if rule is not None:
        return derived.ends(schema, rule)
    named = (criterion for criterion in scored_criteria(schema) if criterion.name == scores.criterion)
    return next((ends_of_values(values) for values in named), None) or (None, None)


@dataclass(frozen=True)
class Scores:
    """A way to score answers."""

    kind: Kind
    criterion: str | None = None
    judge: str | None = None
    method: Method | None = None
    """The method of ``corrected`` scores."""
    option: str | None = None
    """The option whose share is the score, as text, if the criterion's values are names."""
    iou: float | None = None
    """Against a key of spans of time: the share of answers with at least this temporal IoU; None for the mean IoU."""

    @property
    def title(self) -> str:
        """Return the title of the score."""
        about = f", {self.criterion.replace('_', ' ')}" if self.criterion else ""
        about += f": share of {self.option}" if self.option is not None else ""
        if self.kind == "key":
            return "Accuracy against the key" if self.iou is None else f"R@1, IoU from {self.iou:g}, against the key"
        if self.kind == "human":
            return f"People{about}"
        if self.kind == "judge":
            return f"{self.judge}{about}"
        return f"{self.judge}, corrected by people ({METHODS[self.method or 'ppi']}){about}"


def title_of(found: ProjectAnswers, scores: Scores) -> str:
    """Return the title of a number, with its convention for unreadable answers and its reader."""
    if scores.kind != "key":
        return scores.title
    title = scores.title if scores.iou is not None or not of_spans(found.schema) else MEAN_IOU
    by = "" if found.reader == RULES else f", read by the {found.reader.replace('+', ' and ')}"
    return f"{title}, {CONVENTIONS[found.schema.report.unreadable]}{by}"


MEAN_IOU = "Mean temporal IoU with the key"


def of_spans(schema: Schema) -> bool:
    """Return whether the key is spans of time, so that an answer can be partly right."""
    key = next((field for field in schema.item.fields if field.name == key_field(schema)), None)
    return key is not None and kinds.of_field(key).answer is AnswerKind.SPANS


def scores_of(found: ProjectAnswers, method: Method = "ppi") -> list[Scores]:
    """Return all ways to score this project's answers. Those that the schema's report names are first."""
    there: list[Scores] = []
    if any(answer.why not in (NO_KEY, JUDGED) for answer in found.answers):
        there.append(Scores("key"))
        there += [Scores("key", iou=iou) for iou in IOUS] if of_spans(found.schema) else []
    for criterion in scored_criteria(found.schema):
        name = criterion.name
        people = bool(found.grades.get(name))
        judges = sorted(judge for of, judge in found.judged if of == name)
        there += [Scores("human", name)] if people else []
        there += [Scores("judge", name, judge) for judge in judges]
        there += [Scores("corrected", name, judge, method) for judge in judges] if people else []
    for criterion in named_criteria(found.schema):
        name = criterion.name
        people = bool(found.grades.get(name))
        judges = sorted({judge for of, judge in found.judged if of == name} - found.metrics)
        options = [str(option.value) for option in criterion.options]
        there += [Scores("human", name, option=option) for option in options] if people else []
        there += [Scores("judge", name, judge, option=option) for judge in judges for option in options]
        if people:
            there += [Scores("corrected", name, judge, method, option) for judge in judges for option in options]
    for rule in found.schema.report.derived:
        people = all(found.grades.get(part) for part in rule.parts)
        rated = [{judge for of, judge in found.judged if of == part} for part in rule.parts]
        judges = sorted(set.intersection(*rated) - found.metrics)
        there += [Scores("human", rule.name)] if people else []
        there += [Scores("judge", rule.name, judge) for judge in judges]
        there += [Scores("corrected", rule.name, judge, method) for judge in judges] if people else []
    return sorted(there, key=lambda scores: place_of(found.schema, scores))


def place_of(schema: Schema, scores: Scores) -> int:
    """Return the position of a way to score: those in the schema's ``report: statistics`` are first, in order."""
    mine: Iterable[str] = ()
    if scores.kind == "key":
        mine = (reporting.ACCURACY,)
    elif derived.find(schema, scores.criterion) is not None:
        mine = reporting.DERIVED
    declared = schema.report.statistics
    return next((at for at, name in enumerate(declared) if name in mine), len(declared))


def judges_called(schema: Schema, name: str, there: Sequence[str]) -> list[str]:
    """Return the judges with ratings that a name may mean: a judge with that name, or runs of the schema's judge."""
    if name in there:
        return [name]
    models = {name, *(judge.model for judge in schema.judges if judge.name == name and judge.model)}
    return [judge for judge in there if judge in models or judge.partition(" by ")[0] in models]


def selected_scores(
    found: ProjectAnswers,
    *,
    kinds: Sequence[str] | None = None,
    criteria: Sequence[str] | None = None,
    method: Method = "ppi",
) -> list[Scores]:
    """Return the selected ways of ``scores_of``; None for all.

    Raises
    ------
    InvalidInputError
        A criterion is unknown.
    """
    known = [criterion.name for criterion in (*scored_criteria(found.schema), *named_criteria(found.schema))]
    known += [rule.name for rule in found.schema.report.derived]
    for name in criteria or ():
        if name not in known:
            raise InvalidInputError([Problem("criterion", no_criterion(found.schema, name))])
    return [
        score
        for score in scores_of(found, method)
        if (kinds is None or score.kind in kinds) and (not criteria or score.criterion in (None, *criteria))
    ]


def no_criterion(schema: Schema, name: str | None) -> str:
    known = [criterion.name for criterion in (*scored_criteria(schema), *named_criteria(schema))]
    names = ", ".join([*known, *(rule.name for rule in schema.report.derived)]) or "none"
    return f"Grading has no criterion {name!r} with numbers or named options. Its criteria: {names}."
