"""The offline scoring of a file of answers against the key file of a release.

Answers are read by the rules for models' answers, and compared with the key as in results. Numbers have their
tolerance, spans are compared by temporal IoU, and texts by their words. Missing, superfluous and unreadable answers are
counted and reported.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from agreement.corrected import clustered_mean
from agreement.means import mean_of_parts, share
from agreement.statistic import Statistic
from annotation_schemas.answer_forms import places_of
from annotation_schemas.expected_answers import held_against
from domain.errors import InvalidFileError
from domain.reading.answers import AnswerKind, ExpectedAnswer, Reading, ReadOutcome, read_answer
from exporters.release_keys import KeyItem, Keys, read_keys
from extensions.scoring.submission import SubmissionFile, read_submission
from workflow.results.score_choices import IOUS

MISSING = "missing"
WITHOUT_KEY = "without a key"
_SHOWN = 5
_WORDS: Mapping[str, str] = {outcome.value: outcome.words for outcome in ReadOutcome}


@dataclass(frozen=True)
class ItemScore:
    """The score and the outcome of an item."""

    id: str
    dimension: str
    group: str
    score: float
    """The score; nan for a missing score."""
    outcome: str
    """``read``, ``missing``, ``without a key``, or why the answer could not be read."""
    spans: bool = False


@dataclass(frozen=True)
class ScoreFigure:
    """A number of the card."""

    measure: str
    of: str
    """``all``, ``mean of dimensions``, or the id of a dimension."""
    statistic: Statistic
    lowest: float
    highest: float
    """The score if all missing or unreadable answers were right."""


@dataclass(frozen=True)
class Scoring:
    """The scores of a submission against a key file."""

    keys: Keys
    submission: SubmissionFile
    items: Sequence[ItemScore]
    """In the order of the key file."""
    extra: Sequence[str]
    """Ids of the submission that the key file does not have. They do not count."""
    figures: Sequence[ScoreFigure]

    @property
    def outcomes(self) -> Mapping[str, int]:
        """Return the number of items with each outcome."""
        return Counter(item.outcome for item in self.items)

    @property
    def sentences(self) -> list[str]:
        """Return the counts as sentences."""
        counted, convention = dict(self.outcomes), self.keys.head.unreadable
        read = counted.pop(ReadOutcome.READ.value, 0)
        sentences = [f"Items with a readable answer: {read:,} of {len(self.items):,}."]
        become = "counted as wrong" if convention == "wrong" else "left out"
        if lacking := counted.pop(MISSING, 0):
            sentences.append(f"Items without an answer, {become}: {lacking:,} ({_few(self._of(MISSING))}).")
        if keyless := counted.pop(WITHOUT_KEY, 0):
            sentences.append(f"Items without a key, excluded: {keyless:,}.")
        for outcome, n in sorted(counted.items()):
            words = _WORDS[outcome]
            sentences.append(f"Unreadable answers ({words}), {become}: {n:,} ({_few(self._of(outcome))}).")
        if self.extra:
            n = len(self.extra)
            sentences.append(f"Answers that match no item of this split, ignored: {n:,} ({_few(self.extra)}).")
        return sentences

    def _of(self, outcome: str) -> list[str]:
        return [item.id for item in self.items if item.outcome == outcome]


def _few(names: Sequence[str]) -> str:
    return ", ".join(names[:_SHOWN]) + (", ..." if len(names) > _SHOWN else "")


def score_files(keys: Path, submission: Path, *, confidence: float = 0.95) -> Scoring:
    """Return the score of a submission file against a key file.

    Raises ``InvalidFileError`` if a file cannot be read.
    """
    return score(read_keys(keys), read_submission(submission), confidence=confidence)


def score(keys: Keys, submission: SubmissionFile, *, confidence: float = 0.95) -> Scoring:
    """Return the score of a submission against a key file.

    Raises
    ------
    InvalidFileError
        None of the submission's ids is in the key file.
    """
    extra = [id for id in submission.answers if id not in keys.items]
    if len(extra) == len(submission.answers):
        known = next(iter(keys.items), "none")
        raise InvalidFileError(
            f"{submission.name} has no answer to any item of {keys.head.benchmark} {keys.head.release}, "
            f"split {keys.head.split}. The first ID in the file is {extra[0]!r}, but IDs in the key file "
            f"look like {known!r}. Use the IDs from the key file."
        )
    items = [_scored(item, submission.answers, keys.head.unreadable) for item in keys.items.values()]
    return Scoring(keys, submission, items, extra, _figures(keys, items, confidence))


# ---- one item -------------------------------------------------------------------------------------------------------


def _scored(item: KeyItem, answers: Mapping[str, Any], convention: str) -> ItemScore:
    group = item.group if item.group is not None else f"item:{item.id}"
    about = ItemScore(item.id, item.dimension, group, math.nan, WITHOUT_KEY, item.asked.kind is AnswerKind.SPANS)
    if not _has_key(item):
        return about
    none = 0.0 if convention == "wrong" else math.nan
    value = answers.get(item.id)
    if value is None:
        return replace(about, score=none, outcome=MISSING)
    reading = read_value(value, item.asked)
    if reading.outcome is not ReadOutcome.READ:
        return replace(about, score=none, outcome=reading.outcome.value)
    score, why = held_against(reading.value, item.asked, item.key)
    if why:
        return replace(about, score=none, outcome=ReadOutcome.UNREADABLE.value)
    return replace(about, score=score, outcome=ReadOutcome.READ.value)


def _has_key(item: KeyItem) -> bool:
    """Return whether the item has a key that scoring can use. The key given as an answer must count as right."""
    asked, key = item.asked, item.key
    if asked.judged or key is None or (isinstance(key, str | list) and not key):
        return False
    if asked.kind is AnswerKind.SPANS:
        return isinstance(key, list) and all(isinstance(span, Mapping) for span in key)
    if asked.kind in (AnswerKind.NUMBER, AnswerKind.TEXT, AnswerKind.YES_NO):
        return not math.isnan(held_against({AnswerKind.NUMBER: 0.0}.get(asked.kind, ""), asked, key)[0])
    return not math.isnan(held_against([asked.options[0]] if asked.options else "", asked, key)[0])


def read_value(value: Any, asked: ExpectedAnswer) -> Reading:
    """Return the reading of a submitted answer.

    A text is read as a model's answer. Numbers, truth values and lists are taken unchanged if the item asks for them.

    >>> asked = ExpectedAnswer(AnswerKind.MULTI, ("cup", "plate", "fork"))
    >>> read_value(["C", "cup"], asked).value, read_value("A and C", asked).value
    (('fork', 'cup'), ('cup', 'fork'))
    """
    if isinstance(value, str):
        return read_answer(value, asked)
    if isinstance(value, bool):
        return _read("yes" if value else "no") if asked.kind is AnswerKind.YES_NO else _odd("a truth value")
    if isinstance(value, int | float):
        return _read(float(value)) if asked.kind is AnswerKind.NUMBER else read_answer(f"{value}", asked)
    if isinstance(value, list):
        return _of_list(value, asked)
    return _odd("an object")


def _of_list(entries: list[Any], asked: ExpectedAnswer) -> Reading:
    if asked.kind is AnswerKind.SPANS:
        spans = [_span(entry) for entry in (entries if _nested(entries) else [entries])]
        if not spans or None in spans or (len(spans) > 1 and not asked.several):
            return _odd("not a list of spans, or several spans instead of one span")
        return _read(tuple(sorted(span for span in spans if span is not None)))
    if asked.kind not in (AnswerKind.MULTI, AnswerKind.ORDER) or not all(isinstance(entry, str) for entry in entries):
        return _odd("a list")
    places = [
        places_of(entry.replace(",", "\uff0c"), [option.replace(",", "\uff0c") for option in asked.options])
        for entry in entries
    ]
    chosen = [place[0] for place in places if place is not None and len(place) == 1]
    if len(chosen) != len(entries) or len(set(chosen)) != len(chosen):
        return _odd("a list with an unknown or repeated option")
    if asked.kind is AnswerKind.ORDER and len(chosen) != len(asked.options):
        return _odd("an order that lacks some options")
    return _read(tuple(asked.options[place] for place in chosen))


def _nested(entries: list[Any]) -> bool:
    return any(isinstance(entry, list | dict) for entry in entries)


def _span(entry: Any) -> tuple[float, float] | None:
    ends = [*entry.values()] if isinstance(entry, dict) and len(entry) == 2 else entry
    names = tuple(entry) if isinstance(entry, dict) else ("start", "end")
    if names not in (("start", "end"), ("first", "last")) or not isinstance(ends, list) or len(ends) != 2:
        return None
    if any(isinstance(end, bool) or not isinstance(end, int | float) for end in ends) or ends[0] > ends[1]:
        return None
    return float(ends[0]), float(ends[1])


def _read(value: Any) -> Reading:
    return Reading(ReadOutcome.READ, value, rule="as it is")


def _odd(what: str) -> Reading:
    return Reading(ReadOutcome.UNREADABLE, why=f"It is {what}.")


# ---- figures --------------------------------------------------------------------------------------------------------


def _figures(keys: Keys, items: Sequence[ItemScore], confidence: float) -> list[ScoreFigure]:
    """Return accuracy, or for spans the mean IoU and the share at each threshold.

    Each figure is given over all items, as the mean of dimensions, and for each dimension.
    """
    kept = [item for item in items if item.outcome != WITHOUT_KEY]
    spans = [score for score in kept if score.spans]
    if not spans:
        return _of_measure("accuracy", keys, kept, confidence)
    whole = "mean temporal IoU" if len(spans) == len(kept) else "mean score"
    figures = _of_measure(whole, keys, kept, confidence)
    for iou in IOUS:
        reached = [span if math.isnan(span.score) else replace(span, score=float(span.score >= iou)) for span in spans]
        figures += _of_measure(f"R@1, IoU from {iou:g}", keys, reached, confidence)
    return figures


def _of_measure(measure: str, keys: Keys, items: Sequence[ItemScore], confidence: float) -> list[ScoreFigure]:
    figures = [_figure(measure, "all", items, confidence)]
    parts = {name: [item for item in items if item.dimension == name] for name in keys.head.dimensions}
    there = {name: part for name, part in parts.items() if part}
    if len(there) > 1:
        every = [item for part in there.values() for item in part]
        figures.append(_figure(measure, "mean of dimensions", every, confidence, parts=True))
        figures += [_figure(measure, name, part, confidence) for name, part in there.items()]
    return figures


def _figure(
    measure: str, of: str, items: Sequence[ItemScore], confidence: float, *, parts: bool = False
) -> ScoreFigure:
    values = [item.score for item in items]
    clusters = _clusters(items)
    dimensions = [item.dimension for item in items]
    if parts:
        statistic = mean_of_parts(values, dimensions, clusters=clusters, confidence=confidence)
    elif all(math.isnan(value) or value in (0.0, 1.0) for value in values):
        statistic = share(values, clusters=clusters, confidence=confidence)
    else:
        statistic = clustered_mean(values, clusters=clusters, confidence=confidence)
    ends = []
    for assumed in (0.0, 1.0):
        then = [item.score if item.outcome == ReadOutcome.READ else assumed for item in items]
        mean = mean_of_parts(then, dimensions) if parts else clustered_mean(then)
        ends.append(mean.value)
    return ScoreFigure(measure, of, statistic, ends[0], ends[1])


def _clusters(items: Sequence[ItemScore]) -> list[str] | None:
    """Return the group of every item; None if every group has one item."""
    groups = [item.group for item in items]
    return None if len(set(groups)) == len(groups) else groups
