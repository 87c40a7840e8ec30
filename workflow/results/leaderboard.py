"""What results say: a number for each model, over all its answers and in every slice, each with what it rests on."""

from __future__ import annotations

import io
import math
from collections import Counter
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from agreement.corrected import clustered_mean, post_stratified_mean, ppi_mean, rogan_gladen
from agreement.judge_bias import holm
from agreement.limits import normal_quantile
from agreement.means import beside_the_rest, mean_of_parts, share
from agreement.statistic import Interval, Statistic, estimated, undefined
from annotation_schemas import derived
from annotation_schemas.asked import GONE, NO_KEY, STRANGE_KEY, asked_of, held_against, plain
from annotation_schemas.keys import key_field
from annotation_schemas.model import Derived
from db import answers as stored
from db.engine import Store
from domain import csv_text
from domain.errors import InvalidInput, Problem, RatingsError
from domain.records import Person
from workflow.access.counted_items import Counting
from workflow.access.projects import require_lead
from workflow.results.scores import METHODS, SILENT, Read, Scored, Scores, scored, silent, title_of
from workflow.results.slices import DIMENSION, GROUP, Slicing, sliced

STATISTICS = ("accuracy", "derived", "genuine_pca")
"""What of the registry of statistics is computed here, beside those of agreement."""


# ---- numbers --------------------------------------------------------------------------------------------------------


def _finite(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None


@dataclass(frozen=True)
class Line:
    """One number with everything that it needs to be believed."""

    scores: Scores
    model: str
    part: str | None
    """The slice; None: all of them."""
    over: Literal["answers", "parts"]
    """What the mean is over: answers, or the means of the parts, each of which counts alike."""
    found: Statistic
    asked: int
    """Items that the model was asked, as far as that is known: answers from files are all that is."""
    answered: int
    left_out: Mapping[str, int]
    """What is not in the number, by reason: items without an answer, answers without a score. With the answers that
    are in it (``found.n_units``) it adds up to ``asked``."""
    missing: Mapping[str, int] = field(default_factory=dict)
    """Of what is left out, the items without an answer, by reason: ``answered`` and these add up to ``asked``."""
    lowest: float | None = None
    highest: float | None = None
    """If everything without an answer, and every reply of a judge without a score, had the lowest or the highest score;
    None where there is no such thing."""
    valid_if: str = ""
    """What a corrected number takes for granted."""
    people: int = 0
    """Of a corrected number: the answers that people graded."""
    failed: int = 0
    """Of a judge's number: the answers that it was asked about and whose replies hold no score."""
    unread: Mapping[str, int] = field(default_factory=dict)
    """Against the key: answers that could not be read, and items that the model gave none to, by what became of them.
    By the convention they are in the number, as wrong, or among what is left out."""
    unreadable: str | None = None
    """Against the key: that convention."""
    reader: str | None = None
    """Against the key: who has read the answers."""

    def as_row(self) -> dict[str, Any]:
        """As one row of a table; None where undefined."""
        at = self.found
        return {
            "scores": self.scores.kind,
            "criterion": self.scores.criterion,
            "option": self.scores.option,
            "judge": self.scores.judge,
            "method": METHODS[self.scores.method] if self.scores.method else None,
            "model": self.model,
            "part": self.part,
            "mean_over": self.over,
            "value": _finite(at.value),
            "low": _finite(at.low),
            "high": _finite(at.high),
            "interval": at.method,
            "unit": "answer",
            "n": at.n_units,
            "n_people": self.people if self.scores.kind == "corrected" else None,
            "asked": self.asked,
            "answered": self.answered,
            "left_out": sum(self.left_out.values()),
            "left_out_why": told(self.left_out),
            "unread": sum(self.unread.values()) if self.unreadable else None,
            "unread_why": told(self.unread) if self.unreadable else None,
            "unread_counts_as": self.unreadable,
            "reader": self.reader,
            "judge_asked": at.n_units + self.failed if self.scores.kind == "judge" else None,
            "judge_scored": at.n_units if self.scores.kind == "judge" else None,
            "if_rest_lowest": self.lowest,
            "if_rest_highest": self.highest,
            "reason": at.reason,
            "valid_if": self.valid_if or None,
        }


def told(left_out: Mapping[str, int]) -> str:
    """What was left out, in words: the most frequent first."""
    return "; ".join(f"{n} {why}" for why, n in sorted(left_out.items(), key=lambda pair: (-pair[1], pair[0])))


COLUMNS = tuple(
    Line(
        Scores("key"), "", None, "answers", undefined("", n_units=0, n_raters=0), asked=0, answered=0, left_out={}
    ).as_row()
)
"""Of the table of numbers."""


EVERYTHING = "nothing: people graded every answer that the judge graded, so this is their own mean"
"""What a correction takes for granted where there is nothing to correct."""

ONLY_PEOPLE = "graded by people, but not by the judge"
_KEYLESS = (NO_KEY, STRANGE_KEY)
NOTHING_TO_CORRECT_BY = "scored, but there is nothing to correct it by"


@dataclass(frozen=True, eq=False)
class _Lot:
    """A model's answers in a slice, and its items there without one."""

    places: NDArray[np.int64]
    missing: Sequence[str]
    """Why, of each."""
    together: Sequence[str] = ()
    """Of each: what it belongs to; empty where every item stands for itself."""
    keyless: Sequence[str] = ()
    """Of each, against the key: why nothing could be held against its item; empty where something could."""

    @property
    def out(self) -> Sequence[str]:
        """Why each is in no number: an item without a key would be in none, whatever the model had said."""
        return [lacks or why for why, lacks in zip(self.missing, self.keyless, strict=True)]


def _line(
    of: Scored, lot: _Lot, clusters: Sequence[str] | None, *, model: str, part: str | None, known: str = ""
) -> Line:
    """The mean over a lot's answers."""
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
        reason = known or ("None of the items that it was asked has an answer." if lot.missing else "No answers here.")
        found = undefined(reason, n_units=0, n_raters=1)
    elif scores.kind == "corrected":
        found, valid, people = _corrected(of, places, clusters)
        rest = len(places) - found.n_units - sum(at in of.why for at in places.tolist())
        if rest:
            left_out[ONLY_PEOPLE if found.defined else NOTHING_TO_CORRECT_BY] += rest
    else:
        found = _mean(of, places, clusters, wrong=[lot.together[at] if lot.together else "" for at in as_wrong])
        if not found.defined:
            found = replace(found, reason=_why_none(left_out))
    found = _within(replace(found, n_left_out=sum(left_out.values())), of.low, of.high)
    failed = sum(at in of.failed for at in places.tolist())
    if scores.kind == "key":
        unanswered = len(as_wrong) + sum(why not in _KEYLESS for why in out)
        lowest, highest = _bounds_of_key(of, places, found, unanswered=unanswered)
    elif scores.kind == "judge":
        whole = found.n_units + failed == len(places)  # else it is a sample, which says nothing of missing answers
        lowest, highest = _bounds(found, found.n_units, failed + (len(lot.missing) if whole else 0), of)
    else:
        lowest, highest = _bounds(found, len(places), len(lot.missing), of)
    return Line(
        scores,
        model,
        part,
        "answers",
        found,
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
    )


def _counts_as_wrong(of: Scored, why: str) -> bool:
    """Whether an item without an answer is in the accuracy: the model was asked and said nothing."""
    return of.scores.kind == "key" and of.unreadable == "wrong" and why in SILENT


def _as_wrong(found: Read, of: Scored, model: str, *, common: bool) -> list[int]:
    """The items without an answer of a model that are in its accuracy, as wrong."""
    lot = silent(found, model)
    return [item for item, why in lot.items() if _counts_as_wrong(of, why) and (not common or item in found.common)]


def _bounds_of_key(
    of: Scored, places: NDArray[np.int64], found: Statistic, *, unanswered: int
) -> tuple[float | None, float | None]:
    """The accuracy if all of which nobody knows what they say were wrong, and if all of them were right: answers that
    could not be read, or chose what the item no longer offers, and ``unanswered`` items with a key. None where there
    are none.

    Both are over all answers and items that have a key, whatever the convention is.
    """
    unread = sum(at in of.unread or of.why.get(at) == GONE for at in places.tolist())
    unknown = unread + unanswered
    total = unknown + sum(at not in of.unread and at not in of.why for at in places.tolist())
    if not unknown or (found.n_units and not found.defined):
        return None, None
    right = round(found.value * found.n_units) if found.n_units else 0
    return right / total, (right + unknown) / total


def _why_none(left_out: Mapping[str, int]) -> str:
    return f"No answer here has a score: {told(left_out)}."


def _mean(
    of: Scored, places: NDArray[np.int64], clusters: Sequence[str] | None, *, wrong: Sequence[str] = ()
) -> Statistic:
    """``wrong``: what else belongs to the mean as a 0, each by its cluster."""
    values = np.concatenate([of.values[places], np.zeros(len(wrong))])
    together = None if clusters is None else [*(clusters[at] for at in places.tolist()), *wrong]
    return share(values, clusters=together) if of.yes_no else clustered_mean(values, clusters=together)


def _corrected(of: Scored, places: NDArray[np.int64], clusters: Sequence[str] | None) -> tuple[Statistic, str, int]:
    assert of.judge is not None
    people, judge = of.values[places], of.judge[places]
    graded = ~np.isnan(people)
    n_people = int((graded & ~np.isnan(judge)).sum())
    if not n_people:
        reason = "No answer here was graded by people and by the judge, so nothing says how far the judge is off."
        return undefined(reason, n_units=0, n_raters=2), "", 0
    rest = judge[~graded]
    if np.isnan(rest).all():
        return _mean(of, places, clusters), EVERYTHING, n_people
    together = None if clusters is None else np.array([clusters[at] for at in places.tolist()], dtype=object)
    try:
        if of.scores.method == "rogan_gladen":
            found = rogan_gladen(people[graded], judge[graded], judge)
        elif of.scores.method == "post_stratified":
            found = post_stratified_mean(people[graded], judge[graded], rest)
        else:
            found = ppi_mean(
                people[graded],
                judge[graded],
                rest,
                clusters=None if together is None else list(together[graded]),
                clusters_unlabelled=None if together is None else list(together[~graded]),
            )
    except RatingsError as error:
        return undefined(str(error), n_units=0, n_raters=2), "", n_people
    n = int((~np.isnan(judge)).sum()) if found.mean.defined else 0
    return replace(found.mean, n_units=n), found.valid_if, n_people


def _within(found: Statistic, low: float | None, high: float | None) -> Statistic:
    """Limits inside the scale: no mean can be outside of it."""
    if math.isnan(found.low) or math.isnan(found.high):
        return found
    return replace(
        found,
        low=found.low if low is None else max(low, found.low),
        high=found.high if high is None else min(high, found.high),
    )


def _of_failures(line: Line) -> str:
    """How much of what a judge was asked about a model's answers it has scored, and what the rest may hide."""
    asked = line.found.n_units + line.failed
    sentence = f"{line.scores.judge} has scored {line.found.n_units} of {asked} answers of {line.model}."
    if line.lowest is None or line.highest is None:
        return sentence
    lost = line.asked - line.answered if asked == line.answered else 0
    rest = f"the rest and the {lost} items without an answer" if lost else "the rest"
    return (
        f"{sentence} If {rest} had the lowest score, the mean would be {line.lowest:.3f}; with the highest, "
        f"{line.highest:.3f}."
    )


def _bounds(found: Statistic, answered: int, missing: int, of: Scored) -> tuple[float | None, float | None]:
    """What the mean would be if everything without an answer, or without a score, had the lowest, or the highest."""
    if not missing or of.low is None or of.high is None or (answered and not found.defined):
        return None, None
    total = found.value * answered if answered else 0.0
    n = answered + missing
    return (total + missing * of.low) / n, (total + missing * of.high) / n


# ---- clusters -------------------------------------------------------------------------------------------------------

ALONE = "none"
"""Every item stands for itself."""


def clusters_of(found: Read, by: str | None = None) -> tuple[str, list[str] | None]:
    """What belongs together, and each answer's cluster: by ``source`` or by a field; None: by source where items share
    one. The second is None where every item stands for itself."""
    fields = [field.name for field in found.schema.item.fields]
    if by is None:
        there = [found.items[answer.item].source for answer in found.answers if answer.item in found.items]
        of_items = {answer.item: found.items[answer.item].source for answer in found.answers}
        several = Counter(source for source in of_items.values() if source)
        by = "source" if there and several and max(several.values()) > 1 else ALONE
    if by == ALONE:
        return ALONE, None
    if by != "source" and by not in fields:
        message = f"Items are not put together by {by!r}; there are {', '.join([ALONE, 'source', *fields])}."
        raise InvalidInput([Problem("cluster", message)])
    return by, [cluster_of(found, by, answer.item) for answer in found.answers]


def cluster_of(found: Read, by: str, item: int) -> str:
    """What an item belongs to, of ``clusters_of``."""
    if by == ALONE:
        return f"item {item}"
    value = found.items[item].source if by == "source" else found.items[item].fields.get(by)
    return f"item {item}" if value in (None, "") else f"{by} {value}"


# ---- the leaderboard ------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Board:
    """Models in slices of the items."""

    scores: Scores
    slicing: Slicing
    cells: Mapping[tuple[str, int], Line]
    """By model and slice."""
    whole: Mapping[str, Line]
    """Each model's mean over all answers."""
    of_parts: Mapping[str, Line]
    """Each model's mean over the slices' means, where the slices are dimensions or groups of them; else empty."""
    together: str
    """What items belong together by, for the intervals."""
    notes: Sequence[str]
    """What a reader has to know, in sentences."""
    yes_no: bool
    low: float | None
    high: float | None
    common: bool = False
    """Only items that every model has answered."""
    title: str = ""
    """What the numbers are, with the convention that they follow."""

    @property
    def models(self) -> Sequence[str]:
        """In the order of their means, the highest first; without a mean at the end."""

        def place(model: str) -> tuple[bool, float, str]:
            line = self.whole[model]
            return not line.found.defined, -line.found.value if line.found.defined else 0.0, model

        return sorted(self.whole, key=place)

    def lines(self) -> list[Line]:
        """All numbers, model by model."""
        found = []
        for model in self.models:
            found.append(self.whole[model])
            found += [self.of_parts[model]] if model in self.of_parts else []
            found += [self.cells[model, at] for at in range(len(self.slicing.labels))]
        return found


def board(
    found: Read,
    scores: Scores,
    *,
    by: str = DIMENSION.name,
    together: str | None = None,
    common: bool = False,
    bins: int = 4,
) -> Board:
    """Every model in every slice; ``common`` leaves only the items that every model has answered."""
    of = scored(found, scores)
    asked = {
        id: item
        for id, item in found.items.items()
        if (of.asked is None or item.dimension in of.asked) and (not common or id in found.common)
    }
    concerned = {answer.item for answer in found.answers} | {id for lot in found.unanswered.values() for id in lot}
    slicing = sliced(found.schema, {id: item for id, item in asked.items() if id in concerned}, by, bins=bins)
    named, clusters = clusters_of(found, together)
    part_of = np.array([slicing.of_item.get(answer.item, -1) for answer in found.answers], dtype=np.int64)
    inside = np.array([answer.item in asked for answer in found.answers], dtype=bool)
    cells: dict[tuple[str, int], Line] = {}
    whole: dict[str, Line] = {}
    of_parts: dict[str, Line] = {}
    for model in found.models:
        mine = found.of_model[model]
        mine = mine[inside[mine]]
        gone = {item: why for item, why in found.unanswered.get(model, {}).items() if item in asked}
        whole[model] = _line(of, _lot(found, of, mine, gone, named), clusters, model=model, part=None)
        for at, label in enumerate(slicing.labels):
            missing = {item: why for item, why in gone.items() if slicing.of_item.get(item) == at}
            lot = _lot(found, of, mine[part_of[mine] == at], missing, named)
            cells[model, at] = _line(of, lot, clusters, model=model, part=label)
        if slicing.way in (DIMENSION, GROUP) and len(slicing.labels) > 1:
            own = [cells[model, at] for at in range(len(slicing.labels))]
            wrong = [
                (slicing.of_item[item], cluster_of(found, named, item))
                for item in _as_wrong(found, of, model, common=common)
                if item in slicing.of_item
            ]
            of_parts[model] = _over_parts(of, mine, part_of, clusters, own, whole[model], slicing, wrong)
    return Board(
        scores,
        slicing,
        cells,
        whole,
        of_parts,
        named,
        _notes(found, of, whole, asked.keys(), common=common),
        of.yes_no,
        of.low,
        of.high,
        common,
        title_of(found, scores),
    )


def _lot(found: Read, of: Scored, places: NDArray[np.int64], gone: Mapping[int, str], by: str) -> _Lot:
    keyless = found.keyless if of.scores.kind == "key" else {}
    return _Lot(
        places,
        list(gone.values()),
        [cluster_of(found, by, item) for item in gone],
        [keyless.get(item, "") for item in gone],
    )


def _over_parts(
    of: Scored,
    mine: NDArray[np.int64],
    part_of: NDArray[np.int64],
    clusters: Sequence[str] | None,
    own: Sequence[Line],
    whole: Line,
    slicing: Slicing,
    wrong: Sequence[tuple[int, str]],
) -> Line:
    """``wrong``: slice and cluster of the items without an answer that count as wrong."""
    lacking = [slicing.title(at) for at, line in enumerate(own) if not line.found.defined]
    n = sum(line.found.n_units for line in own)
    left_out = sum(whole.left_out.values())
    if lacking:
        reason = f"No number in {', '.join(lacking)}, and a mean over the others would be of something else."
        found = undefined(reason, n_units=n, n_raters=1, n_left_out=left_out)
    elif of.scores.kind == "corrected":
        found = _over_corrected([line.found for line in own], left_out)
    else:
        places = mine[(part_of[mine] >= 0) & ~np.isnan(of.values[mine])]
        values = np.concatenate([of.values[places], np.zeros(len(wrong))])
        parts = [*part_of[places].tolist(), *(part for part, _ in wrong)]
        together = None if clusters is None else [*(clusters[at] for at in places.tolist()), *(by for _, by in wrong)]
        found = mean_of_parts(values, parts, clusters=together)
        found = replace(found, n_left_out=left_out)
    return replace(
        whole, over="parts", found=_within(found, of.low, of.high), lowest=None, highest=None, people=whole.people
    )


def _over_corrected(own: Sequence[Statistic], left_out: int) -> Statistic:
    value = math.fsum(each.value for each in own) / len(own)
    n = sum(each.n_units for each in own)
    errors = [each.se for each in own]
    if any(math.isnan(each) for each in errors):
        interval = Interval(math.nan, math.nan, "none", "No interval: a part has none.")
    else:
        se = math.sqrt(math.fsum(each**2 for each in errors)) / len(own)
        half = normal_quantile(0.95) * se
        interval = Interval(value - half, value + half, "normal, parts independent and weigh alike", se=se)
    return estimated(value, interval, n_units=n, n_raters=2, n_left_out=left_out)


def _notes(found: Read, of: Scored, whole: Mapping[str, Line], asked: Container[int], *, common: bool) -> list[str]:
    """What is not plain from the numbers; everything in it is over the items ``asked``, as the numbers are."""
    notes: list[str] = []
    answers = [answer for answer in found.answers if answer.item in asked]
    counts = {model: line.answered for model, line in whole.items() if line.answered}
    lots: dict[str, set[int]] = {}
    for answer in answers:
        lots.setdefault(answer.model, set()).add(answer.item)
    if of.lacking:
        names = ", ".join(found.schema.dimension(id).title for id in of.lacking)
        notes.append(
            f"People have graded nothing that the judge has scored in {names}, so nothing says how far it is off "
            "there: these numbers are about the other dimensions."
        )
    if not common and len(lots) > 1 and len({frozenset(lot) for lot in lots.values()}) > 1:
        told_counts = ", ".join(f"{model} {n}" for model, n in sorted(counts.items()))
        notes.append(
            f"The models did not answer the same items ({told_counts} answers), so part of a difference may be the "
            f"items; {len(set.intersection(*lots.values()))} items were answered by all of them."
        )
    if found.counting is not None and found.counting.verdicts and not common:
        there = sum(of.asked is None or item.dimension in of.asked for item in found.items.values())
        short = {model: there - line.asked for model, line in whole.items() if there > line.asked}
        if short:
            each = ", ".join(f"{model} about {n}" for model, n in sorted(short.items()))
            notes.append(f"Of the {there} items that count, models were never asked about some: {each}.")
    for model, line in whole.items():
        lost = line.asked - line.answered
        if lost:
            bounds = ""
            if not line.failed and not line.unread and line.lowest is not None and line.highest is not None:
                bounds = (
                    f" If all of these had the lowest score, its mean would be {line.lowest:.3f}; with the highest, "
                    f"{line.highest:.3f}."
                )
            notes.append(f"{model} has answered {line.answered} of {line.asked} items: {told(line.missing)}.{bounds}")
        if line.failed:
            notes.append(_of_failures(line))
    if of.scores.kind == "key":
        notes += _about_reading(found, of, whole)
    rule = derived.find(found.schema, of.scores.criterion)
    if rule is not None:
        notes.append(_about_derived(rule))
    if of.scores.kind in ("human", "corrected"):
        notes += _about_people(found, of, {answer.id for answer in answers})
    if found.replaced:
        notes.append(
            f"{found.replaced} earlier answers are left out: a model's last answer to an item counts, with the grades "
            "of that answer."
        )
    if found.unknown and of.scores.kind in ("judge", "corrected"):
        notes.append(f"{found.unknown} grades out of files are about no answer that counts, and are left out.")
    old = sum(answer.old for answer in answers)
    if old:
        notes.append(f"{old} answers were given before their item was edited; they are counted as they are.")
    return notes


def _about_reading(found: Read, of: Scored, whole: Mapping[str, Line]) -> list[str]:
    """By which convention the accuracy is computed, and what could not be read, by model."""
    then = "count as wrong" if of.unreadable == "wrong" else "are left out"
    by = found.reader.replace("+", " and where these read nothing by ")
    notes = [
        f"Answers are read by {by}; answers that cannot be read, and items that a model refused or answered with "
        f"nothing, {then} (report: unreadable: {of.unreadable})."
    ]
    for model, line in whole.items():
        if not line.unread:
            continue
        bounds = ""
        if line.lowest is not None and line.highest is not None:
            bounds = f" Accuracy lies between {line.lowest:.3f} (all wrong) and {line.highest:.3f} (all right)."
        n = sum(line.unread.values())
        notes.append(f"{model}: {n} of {line.asked} could not be read and {then}: {told(line.unread)}.{bounds}")
    return notes


def _about_derived(rule: Derived) -> str:
    *first, last = (name.replace("_", " ") for name in rule.parts)
    names = f"{', '.join(first)} and {last}" if first else last
    what = f"the mean of {names}" if rule.mean_of else f"1 where {names} are all at their highest, else 0"
    title = rule.name.replace("_", " ").capitalize()
    return (
        f"{title} is {what}. Of an answer each of these is settled first, and then they are put together; an answer "
        "that lacks one of them is left out."
    )


MOST_NAMED = 12
"""As many people out of files are named in a note."""


def _about_people(found: Read, of: Scored, answers: Container[int]) -> list[str]:
    grading = found.schema.stages.grading
    if grading is None:
        return []
    given = {id: each for id, each in found.grades.get(of.scores.criterion or "", {}).items() if id in answers}
    few = sum(len(each) < grading.raters for each in given.values())
    mean = "the mean of people's grades"
    words = (
        mean
        if grading.combine == "mean" and of.scores.option is None
        else "the one that more than half of the people asked for give"
    )
    notes = [f"The grade of an answer is {words}. The intervals say what other items would give, with these people."]
    rule = derived.find(found.schema, of.scores.criterion)
    graders = [found.graders.get(part, {}) for part in (rule.parts if rule else [of.scores.criterion or ""])]
    people = {who for each in graders for who in each}
    outside = sorted(people - {who for each in graders for who, here in each.items() if here})
    if outside:
        more = f" and {len(outside) - MOST_NAMED} more" if len(outside) > MOST_NAMED else ""
        named = ", ".join(outside[:MOST_NAMED])
        notes.append(f"{len(people)} people have graded, of whom {len(outside)} in files: {named}{more}.")
    if grading.outputs is not None and len(found.schema.dimensions) > 1:
        notes.append(
            "People grade a planned sample, drawn evenly over the dimensions: the mean over dimensions is what it "
            "stands for; in the mean over answers a dimension weighs as much as the sample has of it."
        )
    if few:
        notes.append(
            f"{few} of {len(given)} graded answers have fewer grades than the {grading.raters} that are asked for."
        )
    return notes


# ---- models beside each other ----------------------------------------------------------------------------------------


def overview(
    found: Read, by: Sequence[Scores], *, together: str | None = None, common: bool = False
) -> dict[tuple[str, Scores], Line]:
    """Each model's mean over all answers, by every way of scoring."""
    named, clusters = clusters_of(found, together)
    lines = {}
    for scores in by:
        of = scored(found, scores)
        asked = {
            id
            for id, item in found.items.items()
            if (of.asked is None or item.dimension in of.asked) and (not common or id in found.common)
        }
        inside = np.array([answer.item in asked for answer in found.answers], dtype=bool)
        for model in found.models:
            mine = found.of_model[model]
            missing = {item: why for item, why in found.unanswered.get(model, {}).items() if item in asked}
            lot = _lot(found, of, mine[inside[mine]], missing, named)
            lines[model, scores] = _line(of, lot, clusters, model=model, part=None)
    return lines


@dataclass(frozen=True)
class Gap:
    """How far a model stays behind the first one, on the items on which both have a score."""

    model: str
    first: str
    difference: Statistic
    """The mean of the model's score less the first one's, item by item. An item that the table counts as wrong though
    it has no answer is a 0 here, too."""


def gaps(found: Read, cut: Board) -> list[Gap]:
    """Every model beside the first of the board, in pairs of answers to one item.

    Pairs tell more than two intervals do: what makes an item hard for all models falls out of the difference.
    """
    if cut.scores.kind == "corrected":
        return []
    of = scored(found, cut.scores)
    ordered = [model for model in cut.models if cut.whole[model].found.defined]
    if len(ordered) < 2:
        return []
    of_item: dict[str, dict[int, float]] = {
        model: {
            found.answers[at].item: float(of.values[at])
            for at in found.of_model[model].tolist()
            if not math.isnan(of.values[at])
            and (of.asked is None or found.items[found.answers[at].item].dimension in of.asked)
            and (not cut.common or found.answers[at].item in found.common)
        }
        | dict.fromkeys(_as_wrong(found, of, model, common=cut.common), 0.0)
        for model in ordered
    }
    first = ordered[0]
    lines = []
    for model in ordered[1:]:
        both = [item for item in of_item[model] if item in of_item[first]]
        values = [of_item[model][item] - of_item[first][item] for item in both]
        together = None if cut.together == ALONE else [cluster_of(found, cut.together, item) for item in both]
        lines.append(Gap(model, first, clustered_mean(values, clusters=together)))
    return lines


# ---- slices ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Contrast:
    """A slice beside the other ones, for one model."""

    model: str
    at: int
    difference: Statistic
    """The slice's mean less that of the other answers."""
    p_adjusted: float
    """Holm's, over all slices of all models; nan where there is no test."""


def contrasts(found: Read, cut: Board) -> list[Contrast]:
    """Does a slice differ from the others? Each against the rest of the model's answers, all together, with the items
    that the table counts as wrong though they have no answer."""
    if cut.scores.kind == "corrected" or len(cut.slicing.labels) < 2:
        return []
    of = scored(found, cut.scores)
    tested: list[tuple[str, int, Statistic]] = []
    for model in cut.models:
        known = [
            (found.answers[at].item, float(of.values[at]))
            for at in found.of_model[model].tolist()
            if not math.isnan(of.values[at]) and (not cut.common or found.answers[at].item in found.common)
        ]
        known += [(item, 0.0) for item in _as_wrong(found, of, model, common=cut.common)]
        known = [(item, value) for item, value in known if item in cut.slicing.of_item]
        values = [value for _, value in known]
        groups = np.array([cut.slicing.of_item[item] for item, _ in known], dtype=np.int64)
        together = None if cut.together == ALONE else [cluster_of(found, cut.together, item) for item, _ in known]
        for at in range(len(cut.slicing.labels)):
            beside = beside_the_rest(values, groups == at, clusters=together)
            if beside.defined:
                tested.append((model, at, beside))
    adjusted = holm([each.test.p_value if each.test else math.nan for _, _, each in tested])
    return [Contrast(model, at, each, p) for (model, at, each), p in zip(tested, adjusted, strict=True)]


def on_chance(tests: Sequence[Contrast]) -> str:
    """What one has to know about many comparisons, in a sentence."""
    n = sum(not math.isnan(each.p_adjusted) for each in tests)
    if not n:
        return "No slice can be held against the others here."
    beyond = sum(each.p_adjusted < 0.05 for each in tests)
    found = {0: "none of them does", 1: "one of them does"}.get(beyond, f"{beyond} of them do")
    return (
        f"{n} slices are each held against the model's other answers. By chance alone about {0.05 * n:.1f} of them "
        f"would differ at 5 %; with Holm's correction for all of them together {found}. Whoever looks through many "
        "ways of cutting finds something: say which ones you looked at."
    )


# ---- ranked options -------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Ranked:
    """Models that ranked the options of items, under every score that their likelihoods give."""

    by_score: Mapping[tuple[str, str], Line]
    """(model, score) -> accuracy against the key, on the items that have all of the model's scores."""
    scores: Sequence[str]
    used: Mapping[str, str]
    """Model -> the score that named its answers."""
    depends: Mapping[str, tuple[int, int]]
    """Model -> on how many items the winner depends on the score, of how many."""
    warnings: Sequence[str]


def ranked(store: Store, found: Read, *, person: Person | None, together: str | None = None) -> Ranked | None:
    """What the models that ranked options would have reached under the other scores; None if none did."""
    with store.read() as session:
        access = require_lead(session, by=person, project=found.project)
        runs = {
            run.id: run
            for run in stored.runs(session, project_id=access.project_id)
            if dict(run.params.get("plan") or {}).get("strategy") == "rank_options"
        }
        if not runs:
            return None
        kept: dict[tuple[str, int], Mapping[str, Any]] = {}
        for run_id, item, detail in stored.details(session, run_ids=runs):
            if (
                item in found.items
                and isinstance(detail.get("winners"), Mapping)
                and isinstance(detail.get("options"), list)
            ):
                kept[runs[run_id].name, item] = _winners(detail)
    return under_each_score(found, kept, together=together)


def _winners(detail: Mapping[str, Any]) -> dict[str, Any]:
    """Score -> the text that won, and the score that counted."""
    texts = [str(option.get("text", "")) for option in detail["options"]]
    won = {name: texts[place] for name, place in detail["winners"].items() if 0 <= place < len(texts)}
    return {"won": won, "score": detail.get("score", "")}


def under_each_score(
    found: Read, kept: Mapping[tuple[str, int], Mapping[str, Any]], *, together: str | None = None
) -> Ranked | None:
    """``kept`` has, for a model and an item, the winning text under every score, and the score that counted."""
    key = key_field(found.schema)
    clusters = clusters_of(found, together)[1]
    of_item = {answer.item: clusters[at] for at, answer in enumerate(found.answers)} if clusters is not None else None
    models = sorted({model for model, _ in kept})
    scores = list(dict.fromkeys(name for each in kept.values() for name in each["won"]))
    if not scores:
        return None
    lines: dict[tuple[str, str], Line] = {}
    depends: dict[str, tuple[int, int]] = {}
    used: dict[str, str] = {}
    for model in models:
        mine = {item: each for (of, item), each in kept.items() if of == model}
        there = [name for name in scores if all(name in each["won"] for each in mine.values())]
        depends[model] = (
            sum(len({plain(text) for text in each["won"].values()}) > 1 for each in mine.values()),
            len(mine),
        )
        used[model] = Counter(str(each["score"]) for each in mine.values()).most_common(1)[0][0]
        for name in there:
            hits = np.array([_right(found, item, each["won"][name], key) for item, each in mine.items()], dtype=float)
            groups = None if of_item is None else [of_item.get(item, f"item {item}") for item in mine]
            value = share(hits, clusters=groups)
            no_key = int(np.isnan(hits).sum())
            lines[model, name] = Line(
                Scores("key"),
                model,
                name,
                "answers",
                value,
                asked=len(mine),
                answered=len(mine),
                left_out={NO_KEY: no_key} if no_key else {},
            )
    return Ranked(lines, scores, used, depends, _on_scores(lines, models, scores, depends))


def _right(found: Read, item: int, text: str, key: str | None) -> float:
    fields = found.items[item].fields
    return held_against(text, asked_of(found.schema, fields), fields.get(key or ""))[0]


def _on_scores(
    lines: Mapping[tuple[str, str], Line],
    models: Sequence[str],
    scores: Sequence[str],
    depends: Mapping[str, tuple[int, int]],
) -> list[str]:
    warnings = []
    orders: dict[tuple[str, ...], list[str]] = {}
    for name in scores:
        if len(models) > 1 and all((model, name) in lines and lines[model, name].found.defined for model in models):
            order = tuple(sorted(models, key=lambda model: (-lines[model, name].found.value, model)))
            orders.setdefault(order, []).append(name)
    if len(orders) > 1:
        said = "; ".join(f"{' > '.join(order)} by {', '.join(names)}" for order, names in orders.items())
        warnings.append(f"The order of the models depends on the score: {said}.")
    for model in models:
        n, of = depends[model]
        if n:
            values = [lines[model, name].found.value for name in scores if (model, name) in lines]
            known = [value for value in values if not math.isnan(value)]
            span = f", and its accuracy lies between {min(known):.3f} and {max(known):.3f}" if known else ""
            warnings.append(f"{model}: the winner depends on the score on {n} of {of} items{span}.")
    return warnings


# ---- files ----------------------------------------------------------------------------------------------------------


def as_csv(lines: Iterable[Line]) -> str:
    """The numbers as a CSV file, one a row; nothing is rounded, and undefined is empty with a reason."""
    out = io.StringIO()
    writer = csv_text.DictWriter(out, COLUMNS)
    writer.writeheader()
    for line in lines:
        writer.writedict(line.as_row())
    return out.getvalue()


class Told(Protocol):
    """Whose numbers they are: a read of a project, or what was made of one."""

    @property
    def project(self) -> str: ...

    @property
    def title(self) -> str: ...

    @property
    def counting(self) -> Counting | None: ...

    @property
    def reader(self) -> str: ...


def as_json(found: Told, boards: Sequence[Board]) -> dict[str, Any]:
    """The numbers as JSON values, with what holds for all of them."""
    return {
        "project": found.project,
        "title": found.title,
        "unit": "answer",
        "items": found.counting.which.value if found.counting else None,
        "counted": found.counting.sentence if found.counting else None,
        "reader": found.reader,
        "boards": [
            {
                "scores": each.title or each.scores.title,
                "by": each.slicing.way.name,
                "measured": each.slicing.way.about or None,
                "items_together_by": each.together,
                "notes": list(each.notes),
                "lines": [line.as_row() for line in each.lines()],
            }
            for each in boards
        ],
    }
