"""One read of a project: its items, models' answers and everything that was said of them, of which all numbers come."""

from __future__ import annotations

import threading
from collections import OrderedDict, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from annotation_schemas.asked import NO_KEY, STRANGE_KEY, asked_of, held_against
from annotation_schemas.keys import key_field
from annotation_schemas.model import Schema
from db import answers as stored
from db import files, items, judging
from db.engine import Session, Store
from domain.errors import InvalidInput, Problem
from domain.rated_units import unit_of
from domain.reading.answers import ReadOutcome
from domain.records import RULES, Person
from domain.runs import Outcome
from domain.states import Items
from workflow.access.counted_items import Counting, counting
from workflow.access.projects import Access, require_lead
from workflow.annotate import answer_readings
from workflow.results import file_raters
from workflow.results.criterion_values import is_right, named_criteria, scored_criteria, value_of
from workflow.results.slices import Item

NOT_ASKED = "not asked yet"


@dataclass(frozen=True, slots=True)
class Answer:
    """A model's answer that counts: its last one to the item."""

    id: int
    item: int
    model: str
    right: float
    """1 if what was read of it is the key, else 0; nan where the item has none, or where nothing could be read."""
    read: ReadOutcome = ReadOutcome.READ
    """What reading it came to."""
    why: str = ""
    """Why it is neither right nor wrong, though something may have been read."""
    old: bool = False
    """The item was edited after it."""


@dataclass(frozen=True, eq=False)
class Read:
    """What results are made of: one state of a project."""

    project: str
    title: str
    schema: Schema
    mark: tuple[int, ...]
    """Stays the same as long as nothing is new; see ``mark``."""
    items: Mapping[int, Item]
    answers: Sequence[Answer]
    unanswered: Mapping[str, Mapping[int, str]]
    """Model -> item -> why there is no answer, of everything that it was asked."""
    grades: Mapping[str, Mapping[int, Sequence[float]]]
    """Criterion -> answer -> people's grades; nan for one that is no value of the scale. Of a criterion whose values
    are names (``named_criteria``): the places of the options."""
    judged: Mapping[tuple[str, str], Mapping[int, float]]
    """(criterion, judge) -> answer -> grade, as ``grades``."""
    unscored: Mapping[tuple[str, str], Mapping[int, str]] = field(default_factory=dict)
    """(criterion, judge) -> answer -> why the judge's reply holds no grade."""
    metrics: frozenset[str] = frozenset()
    """Those of the judges that are reference metrics, whose numbers go from 0 to 1 whatever people's scale is."""
    replaced: int = 0
    """Earlier answers of a model to an item that it answered again."""
    unknown: int = 0
    """Grades from files that are about no answer that counts."""
    counting: Counting | None = None
    """Which items count, and so have a part in everything here; None: no one has asked."""
    reader: str = RULES
    """Who has read the answers: ``rules``, or ``rules+NAME``, with a second reader for what the rules do not read."""
    readers: Sequence[str] = (RULES,)
    """Whom there is."""
    graders: Mapping[str, Mapping[str, bool]] = field(default_factory=dict)
    """Criterion -> who of the people has graded by it -> whether here, under an account; else in a file."""

    @cached_property
    def models(self) -> tuple[str, ...]:
        """Everyone who answered or was asked, by name."""
        return tuple(sorted({answer.model for answer in self.answers} | set(self.unanswered)))

    @cached_property
    def of_model(self) -> Mapping[str, NDArray[np.int64]]:
        """The places of a model's answers."""
        found: dict[str, list[int]] = {model: [] for model in self.models}
        for at, answer in enumerate(self.answers):
            found[answer.model].append(at)
        return {model: np.array(places, dtype=np.int64) for model, places in found.items()}

    @cached_property
    def keyless(self) -> Mapping[int, str]:
        """Of the items that some model has not answered those without a key that an answer could be held against, and
        why."""
        key = key_field(self.schema) or ""
        found = {}
        for item in {item for lot in self.unanswered.values() for item in lot} & self.items.keys():
            fields = self.items[item].fields
            why = held_against(None, asked_of(self.schema, fields), fields.get(key))[1]
            if why in (NO_KEY, STRANGE_KEY):
                found[item] = why
        return found

    @cached_property
    def common(self) -> frozenset[int]:
        """The items that every model has answered."""
        lots = [{self.answers[at].item for at in places} for places in self.of_model.values()]
        return frozenset(set.intersection(*lots)) if lots else frozenset()


def mark(store: Store, *, person: Person | None, project: str) -> tuple[int, ...]:
    """What stays the same as long as nothing is new of what results are made of."""
    with store.read() as session:
        return stored.mark(session, project_id=require_lead(session, by=person, project=project).project_id)


def read(
    store: Store,
    *,
    person: Person | None,
    project: str,
    items: Items | str | None = None,
    reader: str = RULES,
) -> Read:
    """One state of a project, for its leads; ``person`` None is the command on the machine itself.

    ``items`` says which of them count (``workflow.access.counted_items``); what is about others is not in it. Answers
    that no one has read are read first.
    """
    with store.read() as session:
        require_lead(session, by=person, project=project)
    answer_readings.fill_up(store, project=project)
    with store.read() as session:
        access = require_lead(session, by=person, project=project)
        return _read(session, access, counting(session, access=access, items_=items), reader)


def _read(session: Session, access: Access, of: Counting, reader: str) -> Read:
    project_id = access.project_id
    every = _items(session, access)
    there = {id: item for id, item in every.items() if of.counts(id)}
    answers = stored.answers(session, project_id=project_id)
    found = [each for each in answers if of.counts(each.item_id)]
    last = {(each.item_id, each.model): each for each in found}
    readers = answer_readings.readers(session, project_id=project_id)
    if reader not in readers:
        there_are = ", ".join(readers)
        raise InvalidInput([Problem("reader", f"No one has read answers as {reader!r}; there are {there_are}.")])
    states = answer_readings.counting(session, project_id=project_id, reader=reader)
    edited = items.edited(session, project_id=project_id)
    counted = []
    for each in last.values():
        fields = there[each.item_id].fields if each.item_id in there else {}
        found_out = states.get(each.id)
        right, why = is_right(access.schema, fields, found_out)
        old = each.item_id in edited and edited[each.item_id] > each.created_at
        outcome = found_out.outcome if found_out else ReadOutcome.UNREADABLE
        counted.append(Answer(each.id, each.item_id, each.model, right, outcome, why, old))
    by_unit: dict[str, list[stored.AnswerPart]] = defaultdict(list)
    for each in answers:
        by_unit[unit_of(every[each.item_id].name, each.model)].append(each)
    current_ids = {each.id for each in last.values()}
    outside = file_raters.people(session, project_id=project_id)
    criteria = [*scored_criteria(access.schema), *named_criteria(access.schema)]
    grades: dict[str, dict[int, list[float]]] = {}
    graders: dict[str, dict[str, bool]] = {}
    own: set[tuple[int, str, str]] = set()
    for id, login, given in stored.all_grades(session, project_id=project_id):
        if id not in current_ids:
            continue
        for criterion in criteria:
            if (value := given.get(criterion.name)) is not None:
                grades.setdefault(criterion.name, {}).setdefault(id, []).append(value_of(criterion, value))
                graders.setdefault(criterion.name, {})[login] = True
                if login in outside:
                    own.add((id, login, criterion.name))
    judged: dict[tuple[str, str], dict[int, float]] = {}
    unknown = 0
    named = {criterion.name: criterion for criterion in criteria}
    for unit, rater, name, value, at in stored.all_ratings(session, project_id=project_id):
        if name not in named:
            continue
        about = answer_of(by_unit.get(unit, ()), at)
        if about is not None and not of.counts(about.item_id):
            continue
        if about is None or about.id not in current_ids:
            unknown += 1
            continue
        if rater in outside:
            if (about.id, rater, name) not in own:  # what a person has submitted here counts, not the file
                grades.setdefault(name, {}).setdefault(about.id, []).append(value_of(named[name], value))
                graders.setdefault(name, {}).setdefault(rater, False)
            continue
        judged.setdefault((name, rater), {})[about.id] = value_of(named[name], value)
    unscored: dict[tuple[str, str], dict[int, str]] = {}
    metrics: set[str] = set()
    for score in judging.scores(session, project_id=project_id):
        if score.prediction_id not in current_ids or score.criterion not in named or score.sample:
            continue
        place = (score.criterion, score.run)
        if score.metric:
            metrics.add(score.run)
        if score.verdict.scored:
            value = float(score.value) if score.metric else value_of(named[score.criterion], score.value)
            judged.setdefault(place, {})[score.prediction_id] = value
        else:
            judged.setdefault(place, {})
            why = "the metric has no number for it" if score.metric else f"the judge gave {score.verdict.words}"
            unscored.setdefault(place, {})[score.prediction_id] = why
    return Read(
        access.name,
        access.title,
        access.schema,
        stored.mark(session, project_id=project_id),
        there,
        counted,
        _unanswered(session, project_id, {(item, model) for item, model in last}, of),
        grades,
        judged,
        replaced=len(found) - len(last),
        unknown=unknown,
        graders=graders,
        unscored=unscored,
        metrics=frozenset(metrics),
        counting=of,
        reader=reader,
        readers=readers,
    )


def _items(session: Session, access: Access) -> dict[int, Item]:
    contents = items.current_content(session, project_id=access.project_id)
    sources = {
        item_id: next((source for _, _, source, _ in assets if source), None)
        for item_id, assets in files.asset_names(session, project_id=access.project_id).items()
    }
    return {
        row_id: Item(public, name, dimension, sources.get(row_id), contents.get(row_id, {}))
        for row_id, public, name, dimension in items.names(session, project_id=access.project_id)
    }


def _unanswered(
    session: Session, project_id: int, answered: set[tuple[int, str]], of: Counting
) -> dict[str, dict[int, str]]:
    """Why what was asked has no answer, by model and item; of several runs of a model the last one says."""
    runs = stored.runs(session, project_id=project_id)
    ids = [run.id for run in runs]
    asked = stored.asked(session, run_ids=ids)
    ended: dict[int, dict[int, Outcome]] = defaultdict(dict)
    for (run_id, item), outcome in stored.outcomes(session, run_ids=ids).items():
        ended[run_id][item] = outcome
    found: dict[str, dict[int, str]] = defaultdict(dict)
    for run in runs:
        outcomes = ended[run.id]
        for item in dict.fromkeys([*asked.get(run.id, ()), *outcomes]):
            if (item, run.name) in answered or not of.counts(item):
                continue
            if item in outcomes:
                found[run.name][item] = outcomes[item].why_none or str(outcomes[item])
            else:
                found[run.name].setdefault(item, NOT_ASKED)
    return dict(found)


def answer_of(about: Sequence[stored.AnswerPart], at: Any) -> stored.AnswerPart | None:
    """The answer that a grade from a file is about: the newest that was there when it came, else the first."""
    before = [each for each in about if each.created_at <= at]
    return before[-1] if before else next(iter(about), None)


# ---- what is kept between pages --------------------------------------------------------------------------------------

_MOST_KEPT = 4
_kept: OrderedDict[tuple[str, ...], Read] = OrderedDict()
_kept_guard = threading.Lock()


def current(
    store: Store,
    *,
    person: Person | None,
    project: str,
    items: Items | str | None = None,
    reader: str = RULES,
) -> Read:
    """As ``read``, but what has been read is taken again as long as nothing is new: pages ask for it at every click."""
    with store.read() as session:
        access = require_lead(session, by=person, project=project)
        now = stored.mark(session, project_id=access.project_id)
    place = (str(store.engine.url), access.name, str(access.seed), access.loaded.hash, str(items or ""), reader)
    with _kept_guard:
        known = _kept.get(place)
    if known is None or known.mark != now:
        known = read(store, person=person, project=project, items=items, reader=reader)
    with _kept_guard:
        _kept[place] = known
        _kept.move_to_end(place)
        while len(_kept) > _MOST_KEPT:
            _kept.popitem(last=False)
    return known
