"""Cases for leads who are not asked about them blind: an item with its key, all answers and all grades.

The list of cases follows from one read of the project (``workflow.results.project_answers``). The content of a page is
read on demand.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

import numpy as np

from annotation_schemas import derived
from annotation_schemas.keys import key_field
from db import item_revisions, items
from db.engine import Store
from db.records import StoredAsset, StoredItem, StoredItemAsset, StoredMediaObject
from domain.exposure import Route
from domain.reading.answers import ReadOutcome
from domain.records import RULES, AssetView, Fields, Person
from domain.states import Items
from extensions.cases import failures, queries
from extensions.cases.case_content import CaseAnswer, answers_of, in_words, told_by
from extensions.cases.failures import Failures
from workflow.access import exposure
from workflow.access.counted_items import Counting
from workflow.access.projects import Access, require_lead
from workflow.access.visibility import Visibility, visibility_of
from workflow.annotate.task_views import asset_view
from workflow.results.criterion_values import combined, scored_criteria
from workflow.results.project_answers import ProjectAnswers, current
from workflow.results.score_choices import Scores, scores_of, title_of
from workflow.results.scores import score_answers, silent
from workflow.results.slices import BINS, Bins, sliced

HALF_RIGHT = 0.5
"""An answer that is less right is not the key: it is 0 or 1, and of spans of time the temporal IoU."""


class Show(StrEnum):
    """A filter for cases."""

    ALL = "all"
    DIFFER = "differ"
    """A judge gave an answer another grade than most people."""
    LOW = "low"
    """Most people gave an answer the lowest grade."""
    WRONG = "wrong"
    """The reading of an answer is not the key."""
    UNREAD = "unread"
    """An answer could not be read, for any reason."""
    UNANSWERED = "unanswered"
    """A model was asked and has not answered."""


@dataclass(frozen=True)
class CaseFilter:
    """The filters for cases. A case has to match all of them."""

    model: str | None = None
    dimension: str | None = None
    show: Show = Show.ALL
    outcome: str | None = None
    """A filter for unreadable answers with this outcome, one of the words that ``LeaderboardLine.unread`` counts by."""
    scores: Scores | None = None
    """Only answers that have a part in this number."""
    by: str | None = None
    part: str | None = None
    """Only items of this slice, of the way of cutting ``by``."""
    bins: Bins = BINS
    common: bool = False
    """Only items that every model has answered."""
    ids: frozenset[int] | None = None
    """Only these items."""


def matching_cases(found: ProjectAnswers, wanted: CaseFilter) -> list[int]:
    """Return the ids of the matching items, in the order in which the items came."""
    chosen = _of_answers(found, wanted)
    if wanted.by is not None and wanted.part is not None:
        concerned = {answer.item for answer in found.answers} | {id for lot in found.unanswered.values() for id in lot}
        about = score_answers(found, wanted.scores).asked if wanted.scores is not None else None
        cut = sliced(
            found.schema,
            {
                id: item
                for id, item in found.items.items()
                if id in concerned
                and (about is None or item.dimension in about)
                and (not wanted.common or id in found.common)
            },
            wanted.by,
            bins=wanted.bins,
        )
        at = cut.labels.index(wanted.part) if wanted.part in cut.labels else -1
        chosen = {id for id in chosen if cut.of_item.get(id, -2) == at}
    return [
        id
        for id, item in found.items.items()
        if id in chosen
        and (wanted.dimension is None or item.dimension == wanted.dimension)
        and (wanted.ids is None or id in wanted.ids)
        and (not wanted.common or id in found.common)
    ]


def _of_answers(found: ProjectAnswers, wanted: CaseFilter) -> set[int]:
    """Return the items with a matching answer or a matching missing answer."""
    if wanted.show is Show.UNANSWERED:
        lots = [lot for model, lot in found.unanswered.items() if wanted.model in (None, model)]
        return {item for lot in lots for item in lot}
    places: Iterable[int] = range(len(found.answers))
    if wanted.model is not None:
        places = found.of_model.get(wanted.model, np.array([], dtype=np.int64)).tolist()
    if wanted.scores is not None:
        of = score_answers(found, wanted.scores)
        there = of.there
        places = [at for at in places if there[at] and (of.asked is None or _dimension(found, at) in of.asked)]
    if wanted.show is Show.WRONG:
        places = [at for at in places if found.answers[at].right < HALF_RIGHT]
    elif wanted.show is Show.UNREAD:
        places = [at for at in places if _unread(found, at) is not None]
    elif wanted.show is Show.LOW:
        places = [at for at in places if _low(found, at)]
    elif wanted.show is Show.DIFFER:
        places = [at for at in places if _differs(found, at, wanted.scores)]
    if wanted.outcome is not None:
        places = [at for at in places if _unread(found, at) == wanted.outcome]
    chosen = {found.answers[at].item for at in places} | _silent(found, wanted)
    if wanted.show is Show.ALL and wanted.scores is None and wanted.outcome is None:
        lots = [lot for model, lot in found.unanswered.items() if wanted.model in (None, model)]
        chosen |= {item for lot in lots for item in lot}
    return chosen


def _unread(found: ProjectAnswers, at: int) -> str | None:
    answer = found.answers[at]
    return None if answer.read is ReadOutcome.READ or answer.why else answer.read.words


def _silent(found: ProjectAnswers, wanted: CaseFilter) -> set[int]:
    """Return the items without an answer that belong to the selected number, or that count as unreadable."""
    behind = wanted.scores is not None and wanted.scores.kind == "key" and found.schema.report.unreadable == "wrong"
    counted = wanted.show is Show.UNREAD or wanted.outcome is not None
    fits = behind or (counted and wanted.scores is None)
    if not fits or wanted.show not in (Show.ALL, Show.UNREAD, Show.WRONG):
        return set()
    models = found.models if wanted.model is None else (wanted.model,)
    lots = [silent(found, model) for model in models]
    return {item for lot in lots for item, why in lot.items() if wanted.outcome in (None, why)}


def unread_words(found: ProjectAnswers) -> list[str]:
    """Return the outcomes of unreadable and missing answers, the most frequent first."""
    counts = Counter(words for at in range(len(found.answers)) if (words := _unread(found, at)) is not None)
    for model in found.models:
        counts.update(silent(found, model).values())
    return [words for words, _ in counts.most_common()]


def _dimension(found: ProjectAnswers, at: int) -> str:
    return found.items[found.answers[at].item].dimension


def majority_grade(given: Sequence[float]) -> float | None:
    """Return the grade that more than half of an answer's graders gave."""
    known = [grade for grade in given if not math.isnan(grade)]
    return combined(known, "majority") if known else None


def _low(found: ProjectAnswers, at: int) -> bool:
    for criterion in scored_criteria(found.schema):
        lowest = _lowest(criterion.values or tuple(option.value for option in criterion.options) or (criterion.min,))
        if (
            lowest is not None
            and majority_grade(found.grades.get(criterion.name, {}).get(found.answers[at].id, ())) == lowest
        ):
            return True
    return False


def _lowest(values: Sequence[Any]) -> float | None:
    known = [float(value) for value in values if isinstance(value, int | float)]
    return min(known) if known else None


def _differs(found: ProjectAnswers, at: int, scores: Scores | None) -> bool:
    id = found.answers[at].id
    about: Sequence[str] | None = None
    if scores is not None and scores.criterion is not None:
        rule = derived.find(found.schema, scores.criterion)
        about = rule.parts if rule else (scores.criterion,)
    for (criterion, judge), given in found.judged.items():
        if about is not None and criterion not in about:
            continue
        if scores is not None and scores.judge is not None and scores.judge != judge:
            continue
        if judge in found.metrics:
            continue  # on a scale of its own
        people = majority_grade(found.grades.get(criterion, {}).get(id, ()))
        grade = given.get(id, math.nan)
        if people is not None and not math.isnan(grade) and grade != people:
            return True
    return False


def with_text(store: Store, *, person: Person | None, project: str, text: str) -> frozenset[int]:
    """Return the items whose id, content or answers contain a text."""
    with store.read() as session:
        access = require_lead(session, by=person, project=project)
        return frozenset(queries.with_text(session, project_id=access.project_id, text=text))


@dataclass(frozen=True, eq=False)
class Listing:
    """The matching cases in one state of a project, and the available filters."""

    project: str
    counting: Counting | None
    models: Sequence[str]
    """Everyone who answered or was asked."""
    dimensions: frozenset[str]
    """The dimensions of the items that count."""
    unread: Sequence[str]
    """``unread_words``."""
    scores: Scores | None
    """The number whose answers are looked for, if there is such a number."""
    title: str
    """The title of the number."""
    ids: Sequence[int]
    """``matching_cases``."""
    publics: Sequence[str]
    """The same items by their ids on pages."""

    def without(self, hidden: Collection[int]) -> Listing:
        """Return the listing without these items."""
        kept = [(id, public) for id, public in zip(self.ids, self.publics, strict=True) if id not in hidden]
        return replace(self, ids=[id for id, _ in kept], publics=[public for _, public in kept])


def listing(
    store: Store,
    *,
    project: str,
    items: Items | None = None,
    reader: str = RULES,
    wanted: CaseFilter = CaseFilter(),
    scores: tuple[str | None, str | None, str | None, str | None] = (None, None, None, None),
    text: str = "",
    code: tuple[str, str] | None = None,
) -> Listing:
    """Return the matching cases from one read of the project.

    The caller checks that the person may see the cases.

    Parameters
    ----------
    wanted
        The filters, without ``scores`` and ``ids``.
    scores
        Kind, criterion, judge and option of the number whose cases are listed. An unknown number filters
        nothing.
    text
        A text that the item or its answers must contain.
    code
        A criterion of coding and a code that an answer has; an empty code for answers without one.
    """
    answers = current(store, person=None, project=project, items=items, reader=reader)
    about = number_like(answers, *scores)
    ids = with_text(store, person=None, project=project, text=text) if text else None
    if code is not None:
        coded = items_with_code(failures.of_read(store, answers, person=None), *code, model=wanted.model)
        ids = coded if ids is None else ids & coded
    those = matching_cases(answers, replace(wanted, scores=about, ids=ids))
    return Listing(
        answers.project,
        answers.counting,
        answers.models,
        frozenset(item.dimension for item in answers.items.values()),
        unread_words(answers),
        about,
        title_of(answers, about) if about is not None else "",
        those,
        [answers.items[id].public for id in those],
    )


def items_with_code(found: Failures, criterion: str, code: str, *, model: str | None = None) -> frozenset[int]:
    """Return the ids of items with an answer that has this code, for one model or all. An empty code means no code."""
    return frozenset(
        answer.item
        for answer in found.answers
        if (model is None or answer.model == model)
        and criterion in answer.values
        and (code or None) in failures.codes_in(answer.values[criterion])
    )


def number_like(
    found: ProjectAnswers, kind: str | None, criterion: str | None, judge: str | None, option: str | None
) -> Scores | None:
    """Return the number that an address names; None if the project has no such number."""
    asked = (kind, criterion, judge)
    if option is not None:
        there = (score for score in scores_of(found) if score.option == option)
        return next((scores for scores in there if (scores.kind, scores.criterion, scores.judge) == asked), None)
    if kind == "key":
        return Scores("key")
    if kind == "human" and criterion in found.grades:
        return Scores("human", criterion)
    if criterion and judge and (criterion, judge) in found.judged:
        return Scores("corrected" if kind == "corrected" else "judge", criterion, judge)
    followed = (score for score in scores_of(found) if derived.find(found.schema, score.criterion))
    return next(
        (scores for scores in followed if (scores.kind, scores.criterion, scores.judge) == (kind, criterion, judge)),
        None,
    )


# ---- a page of the list ----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class CaseLine:
    """A case in the list."""

    id: int
    item: str
    """The item's id on pages."""
    name: str
    title: str
    dimension: str
    fields: Sequence[str] = ()
    """The names of the item's fields that are shown."""
    picture: AssetView | None = None
    """The item's first picture."""
    key: str = ""
    """The right answer. Empty if it is not shown."""
    closed: str = ""
    """Why the person may not see the case now; empty if the person may."""
    asked: bool = False
    """The person may still be asked about the item blind, so only its title and picture are shown."""
    open: bool = False
    """Someone may still answer about the item, so grades are shown only in the case itself."""
    answers: Sequence[CaseAnswer] = ()
    """The answers that count."""


def page(store: Store, *, person: Person, project: str, ids: Sequence[int], reader: str = RULES) -> list[CaseLine]:
    """Return a few cases for the list, in order. Cases that a person may be asked about blind show only their title.

    Grades are shown once nobody answers about the item any more. The caller records what it shows (``record_page``).
    """
    with store.read() as session:
        access = require_lead(session, by=person, project=project)
        rows = {id: row for id, row in items.by_ids(session, ids=ids).items() if row.project_id == access.project_id}
        contents = item_revisions.contents(session, ids=rows)
        fields = {id: contents[id, row.current_revision] for id, row in rows.items()}
        seen = {id: visibility_of(session, access=access, person=person, item=row) for id, row in rows.items()}
        there = [row for id, row in rows.items() if not seen[id].blind and not seen[id].asked]
        answers = answers_of(session, access, there, fields, reader)
        pictures = items.assets_of(session, ids=[id for id in rows if not seen[id].blind])
        lines = {
            id: _line(access, row, fields[id], seen[id], pictures.get(id, ()), answers.get(id, ()))
            for id, row in rows.items()
        }
        return [lines[id] for id in ids if id in lines]


def record_page(store: Store, *, person: Person, project: str, lines: Sequence[CaseLine]) -> None:
    """Record that a person is shown the keys, answers and grades of these cases."""
    told = [line for line in lines if line.key or line.answers]
    if not told:
        return
    with store.write(archived_too=True) as session:
        access = require_lead(session, by=person, project=project)
        answers = [answer for line in told for answer in line.answers]
        fields = dict.fromkeys((name for line in told for name in line.fields), True)
        exposure.record_look(
            session,
            access=access,
            person=person,
            item_ids=[line.id for line in told],
            route=Route.CASES,
            record=told,
            told=told_by(answers, fields, person),
            now=store.now(),
        )


def _line(
    access: Access,
    row: StoredItem,
    fields: Fields,
    seen: Visibility,
    pictures: Sequence[tuple[StoredItemAsset, StoredAsset, StoredMediaObject | None]],
    answers: Sequence[CaseAnswer],
) -> CaseLine:
    if seen.blind:
        return CaseLine(row.id, row.public_id, row.external_id, "", row.dimension, closed=seen.blind)
    title, words = _title(access, fields)
    key = None if seen.asked else key_field(access.schema)
    latest = [answer for answer in answers if answer.latest]
    link, asset, media = pictures[0] if pictures else (None, None, None)
    return CaseLine(
        row.id,
        row.public_id,
        row.external_id,
        words,
        row.dimension,
        fields=[name for name in (title, key) if name],
        picture=asset_view(asset, media, link.role) if link is not None and asset is not None else None,
        key="" if key is None else in_words(fields.get(key)) or "",
        asked=bool(seen.asked),
        open=seen.open,
        answers=[replace(answer, grades=(), combined={}) for answer in latest] if seen.open else latest,
    )


def _title(access: Access, fields: Fields) -> tuple[str, str]:
    """Return the name of the field that stands for an item, and its value."""
    named = ((field.name, fields[field.name]) for field in access.schema.item.fields if field.name in fields)
    return next(((name, value) for name, value in named if isinstance(value, str) and value.strip()), ("", "An item"))
