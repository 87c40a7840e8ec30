"""Results: what models' answers are worth, by key, by people, by judges, and by judges corrected by people.

``read`` takes one state of a project into memory; everything else is a function of that. The unit is an answer of a
model to an item; ``workflow.results.leaderboard`` makes numbers of them.
"""

from __future__ import annotations

import math
import threading
from collections import Counter, OrderedDict, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from annotation_schemas import derived, kinds, reporting
from annotation_schemas.asked import GONE, NO_KEY, STRANGE_KEY, asked_of, held_against
from annotation_schemas.derived import ends_of_values
from annotation_schemas.keys import key_field
from annotation_schemas.model import Criterion, Derived, Schema
from db import answers as stored
from db import files, items, judging
from db.engine import Session, Store
from domain.errors import InvalidInput, Problem
from domain.policies import same
from domain.rated_units import unit_of
from domain.reading.answers import ReadOutcome
from domain.records import RULES, AnswerReading, Person
from domain.runs import Outcome
from domain.states import Items, Stage
from workflow.access.counted_items import Counting, counting
from workflow.access.projects import Access, require_lead
from workflow.annotate import answer_readings
from workflow.results import file_raters
from workflow.results.ratings import criteria_of
from workflow.results.slices import Item

Floats = NDArray[np.float64]
Values = tuple[Floats, dict[int, str]]
"""Of each answer a number, nan where there is none; and why there is none, by the answer's place."""
Kind = Literal["key", "human", "judge", "corrected"]
Method = Literal["ppi", "rogan_gladen", "post_stratified"]
Combine = Literal["majority", "mean"]

METHODS: Mapping[Method, str] = {
    "ppi": "PPI++",
    "rogan_gladen": "Rogan-Gladen",
    "post_stratified": "post-stratified by the judge's levels",
}
"""How a judge's mean is corrected by people's grades."""

SILENT = frozenset(each.why_none for each in Outcome if each.silent)
"""Why there is no answer though the model was asked and replied, as with an answer that cannot be read."""

CONVENTIONS: Mapping[str, str] = {
    "wrong": "what cannot be read counts as wrong",
    "left_out": "of the answers that can be read",
}
"""What becomes of answers that cannot be read, by the schema's ``report: unreadable``."""

NOT_ASKED = "not asked yet"
NO_GRADE = "nobody has graded it"
NO_MAJORITY = "no grade has a majority"
NO_RATING = "the judge has not graded it"
NOT_A_NUMBER = "the grade is no value of the scale"


# ---- one read of a project ------------------------------------------------------------------------------------------


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
    """Which items count, and so have a part in everything here; None: nobody has asked."""
    reader: str = RULES
    """Who has read the answers: ``rules``, or ``rules+NAME``, with a second reader for what the rules do not read."""
    readers: Sequence[str] = (RULES,)
    """Whom there is."""
    graders: Mapping[str, Mapping[str, bool]] = field(default_factory=dict)
    """Criterion -> who of the people has graded by it -> whether here, under an account; else in a file."""

    @cached_property
    def models(self) -> tuple[str, ...]:
        """Everybody who answered or was asked, by name."""
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
    that nobody has read are read first.
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
        raise InvalidInput([Problem("reader", f"Nobody has read answers as {reader!r}; there are {there_are}.")])
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


def scored_criteria(schema: Schema) -> list[Criterion]:
    """The criteria of grading whose values are numbers."""
    return [each for each in criteria_of(schema, Stage.GRADING) if ends_of_values(each) is not None]


def named_criteria(schema: Schema) -> list[Criterion]:
    """The criteria of grading that are choices between names: of them there is no mean, but a share of each option."""
    return [
        each
        for each in criteria_of(schema, Stage.GRADING)
        if kinds.of_criterion(each).names and ends_of_values(each) is None
    ]


def value_of(criterion: Criterion, value: Any) -> float:
    """A grade as it is computed with: the number, or the place of the option where values are names; nan if it is
    neither."""
    if ends_of_values(criterion) is not None:
        return number_of(criterion, value)
    return next((float(at) for at, each in enumerate(criterion.options) if same(each.value, value)), math.nan)


def ends_of(schema: Schema, scores: Scores) -> tuple[float | None, float | None]:
    """The lowest and the highest score that there can be; None where the scale has no end."""
    if scores.kind == "key" or scores.option is not None:
        return 0.0, 1.0
    rule = derived.find(schema, scores.criterion)
    if rule is not None:
        return derived.ends(schema, rule)
    named = (each for each in scored_criteria(schema) if each.name == scores.criterion)
    return next((ends_of_values(each) for each in named), None) or (None, None)


def number_of(criterion: Criterion, value: Any) -> float:
    """A grade as a number; nan if it is none of the scale."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return math.nan
    values = criterion.values or tuple(each.value for each in criterion.options)
    return float(value) if not values or any(same(value, each) for each in values) else math.nan


def is_right(schema: Schema, fields: Mapping[str, Any], found: AnswerReading | None) -> tuple[float, str]:
    """Whether an answer to an item is right, and why it is neither (nan) though it was read, or whatever it says: the
    item has no key."""
    asked = asked_of(schema, fields)
    key = fields.get(key_field(schema) or "")
    known = held_against(None, asked, key)[1] if found is None or found.outcome is not ReadOutcome.READ else ""
    if found is None or found.outcome is not ReadOutcome.READ:
        return math.nan, known if known != GONE else ""
    return held_against(found.value, asked, key)


def combine_of(schema: Schema, criterion: Criterion) -> Combine:
    """What becomes of people's grades by a criterion: of names there is no mean, so most of them decide."""
    grading = schema.stages.grading
    return grading.combine if grading is not None and ends_of_values(criterion) is not None else "majority"


def combined(given: Sequence[float], combine: Combine, raters: int = 1) -> float | None:
    """What becomes of people's grades of one answer: their mean, or the value that more than half of them give.

    ``raters`` is how many the schema asks for: with fewer, a majority is more than half of those asked for. None: there
    is no majority.

    >>> combined([1, 0, 1], "majority", 3), combined([1.0], "majority", 3), combined([1, 0.5], "mean", 3)
    (1, None, 0.75)
    """
    if combine == "mean":
        return sum(given) / len(given)
    value, votes = Counter(given).most_common(1)[0]
    return value if 2 * votes > max(len(given), raters) else None


# ---- scores ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Scores:
    """What gives an answer its score."""

    kind: Kind
    criterion: str | None = None
    judge: str | None = None
    method: Method | None = None
    """Of ``corrected``."""
    option: str | None = None
    """Of a criterion whose values are names: the option, as text, whose share of the answers this is."""

    @property
    def title(self) -> str:
        """As people read it."""
        about = f", {self.criterion.replace('_', ' ')}" if self.criterion else ""
        about += f": share of {self.option}" if self.option is not None else ""
        if self.kind == "key":
            return "Accuracy against the key"
        if self.kind == "human":
            return f"People{about}"
        if self.kind == "judge":
            return f"{self.judge}{about}"
        return f"{self.judge}, corrected by people ({METHODS[self.method or 'ppi']}){about}"


def title_of(found: Read, scores: Scores) -> str:
    """What a number is called, with the convention that it follows and who has read the answers."""
    if scores.kind != "key":
        return scores.title
    by = "" if found.reader == RULES else f", read by the {found.reader.replace('+', ' and ')}"
    return f"{scores.title}, {CONVENTIONS[found.schema.report.unreadable]}{by}"


def scores_of(found: Read, method: Method = "ppi") -> list[Scores]:
    """Everything that this project's answers can be scored by; what the schema's report names stands first."""
    there: list[Scores] = []
    if any(answer.why != NO_KEY for answer in found.answers):
        there.append(Scores("key"))
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
        options = [str(each.value) for each in criterion.options]
        there += [Scores("human", name, option=each) for each in options] if people else []
        there += [Scores("judge", name, judge, option=each) for judge in judges for each in options]
        if people:
            there += [Scores("corrected", name, judge, method, each) for judge in judges for each in options]
    for rule in found.schema.report.derived:
        people = all(found.grades.get(part) for part in rule.parts)
        rated = [{judge for of, judge in found.judged if of == part} for part in rule.parts]
        judges = sorted(set.intersection(*rated) - found.metrics)
        there += [Scores("human", rule.name)] if people else []
        there += [Scores("judge", rule.name, judge) for judge in judges]
        there += [Scores("corrected", rule.name, judge, method) for judge in judges] if people else []
    return sorted(there, key=lambda each: _place(found.schema, each))


def _place(schema: Schema, scores: Scores) -> int:
    """Where a way of scoring stands: what the schema's ``report: statistics`` name stands first, in their order."""
    mine: Iterable[str] = ()
    if scores.kind == "key":
        mine = (reporting.ACCURACY,)
    elif derived.find(schema, scores.criterion) is not None:
        mine = reporting.DERIVED
    said = schema.report.statistics
    return next((at for at, name in enumerate(said) if name in mine), len(said))


def wanted(
    found: Read, *, kinds: Sequence[str] | None = None, criteria: Sequence[str] | None = None, method: Method = "ppi"
) -> list[Scores]:
    """Those of ``scores_of`` that are asked for; None: all.

    Raises
    ------
    InvalidInput
        There is no such criterion.
    """
    known = [each.name for each in (*scored_criteria(found.schema), *named_criteria(found.schema))]
    known += [rule.name for rule in found.schema.report.derived]
    for name in criteria or ():
        if name not in known:
            raise InvalidInput([Problem("criterion", _no_criterion(found.schema, name))])
    return [
        each
        for each in scores_of(found, method)
        if (kinds is None or each.kind in kinds) and (not criteria or each.criterion in (None, *criteria))
    ]


def _no_criterion(schema: Schema, name: str | None) -> str:
    known = [each.name for each in (*scored_criteria(schema), *named_criteria(schema))]
    names = ", ".join([*known, *(rule.name for rule in schema.report.derived)]) or "none"
    return f"Grading has no criterion {name!r} whose values are numbers or named options; it has {names}."


@dataclass(frozen=True, eq=False)
class Scored:
    """Every answer of a read with its score."""

    scores: Scores
    values: Floats
    """(answers,); nan where there is none. Of ``corrected``: people's."""
    judge: Floats | None
    """Of ``corrected``: the judge's."""
    why: Mapping[int, str]
    """Why an answer has none, by its place."""
    low: float | None
    high: float | None
    """The ends of the scale, where it has some."""
    asked: frozenset[str] | None
    """The dimensions that the score is about; None: all of them."""
    failed: frozenset[int] = frozenset()
    """Answers, by their place, about which a judge was asked whose reply holds no score."""
    lacking: tuple[str, ...] = ()
    """Of ``corrected``: dimensions that the judge has scored and people have not, which the number is not about."""
    unread: Mapping[int, ReadOutcome] = field(default_factory=dict)
    """Against the key: the answers to items with one, by their place, that could not be read."""
    unreadable: Literal["wrong", "left_out"] = "wrong"
    """What becomes of those."""
    reader: str | None = None
    """Who has read them."""

    @property
    def yes_no(self) -> bool:
        """Whether all scores are zeros and ones, so that their mean is a share."""
        return (self.low, self.high) == (0.0, 1.0) and bool(np.isin(self.values[~np.isnan(self.values)], (0, 1)).all())

    @property
    def there(self) -> NDArray[np.bool_]:
        """Which answers have a part in the number."""
        known = ~np.isnan(self.values)
        return known if self.judge is None else known | ~np.isnan(self.judge)


def scored(found: Read, scores: Scores) -> Scored:
    """Every answer with its score."""
    if scores.kind == "key":
        return _by_key(found, scores)
    rule = derived.find(found.schema, scores.criterion)
    if rule is not None:
        return _derived(found, scores, rule)
    there = scored_criteria(found.schema) if scores.option is None else named_criteria(found.schema)
    criterion = next((each for each in there if each.name == scores.criterion), None)
    if criterion is None:
        raise InvalidInput([Problem("criterion", _no_criterion(found.schema, scores.criterion))])
    if scores.option is not None:
        return _share_of(found, scores, criterion)
    low, high = ends_of_values(criterion) or (None, None)
    people = _by_people(found, criterion) if scores.kind in ("human", "corrected") else None
    judge = _by_judge(found, scores) if scores.kind in ("judge", "corrected") else None
    if scores.kind == "judge" and scores.judge in found.metrics:
        low, high = 0.0, 1.0
    failed = _without_score(found, scores, [criterion.name])
    asked, lacking = _asked_in(found, people, judge, own=criterion.dimensions, failed=failed)
    return _together(scores, people, judge, low=low, high=high, asked=asked, lacking=lacking, failed=failed)


def _share_of(found: Read, scores: Scores, criterion: Criterion) -> Scored:
    """Of each answer 1 where its grade is the option, else 0; people's grade is what most of them give."""
    place = next((float(at) for at, each in enumerate(criterion.options) if str(each.value) == scores.option), None)
    if place is None:
        options = ", ".join(str(each.value) for each in criterion.options)
        message = f"{criterion.name} has no option {scores.option!r}; it has {options}."
        raise InvalidInput([Problem("criterion", message)])

    def shared(of: Values) -> Values:
        return np.where(np.isnan(of[0]), np.nan, (of[0] == place).astype(float)), of[1]

    people = shared(_by_people(found, criterion)) if scores.kind in ("human", "corrected") else None
    judge = shared(_by_judge(found, scores)) if scores.kind in ("judge", "corrected") else None
    failed = _without_score(found, scores, [criterion.name])
    asked, lacking = _asked_in(found, people, judge, own=criterion.dimensions, failed=failed)
    return _together(scores, people, judge, low=0.0, high=1.0, asked=asked, lacking=lacking, failed=failed)


def _by_key(found: Read, scores: Scores) -> Scored:
    values = np.array([answer.right for answer in found.answers], dtype=float)
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
    return Scored(scores, values, None, why, 0.0, 1.0, None, unread=unread, unreadable=convention, reader=found.reader)


def silent(found: Read, model: str) -> dict[int, str]:
    """The items with a key that a model was asked about and said nothing of, with what became of it."""
    lot = found.unanswered.get(model, {})
    return {item: why for item, why in lot.items() if why in SILENT and item not in found.keyless}


def _without_score(found: Read, scores: Scores, criteria: Sequence[str]) -> frozenset[int]:
    """Answers, by their place, about which a judge's reply holds no score on one of these criteria."""
    if scores.kind != "judge":
        return frozenset()
    lost = {id for name in criteria for id in found.unscored.get((name, scores.judge or ""), {})}
    return frozenset(at for at, answer in enumerate(found.answers) if answer.id in lost)


def _together(
    scores: Scores,
    people: Values | None,
    judge: Values | None,
    *,
    low: float | None,
    high: float | None,
    asked: frozenset[str] | None,
    lacking: tuple[str, ...],
    failed: frozenset[int],
) -> Scored:
    first = people or judge
    assert first is not None
    if scores.kind != "corrected":
        return Scored(scores, first[0], None, first[1], low, high, asked, failed & set(first[1]))
    assert judge is not None
    neither = {at: f"{reason}, nor has the judge" for at, reason in first[1].items() if at in judge[1]}
    return Scored(scores, first[0], judge[0], neither, low, high, asked, lacking=lacking)


def _derived(found: Read, scores: Scores, rule: Derived) -> Scored:
    """Of each answer the parts as they are settled, by people or by the judge, put together."""
    criteria = derived.parts(found.schema, rule)
    people = judge = None
    if scores.kind in ("human", "corrected"):
        people = _of_parts(found, rule, [_by_people(found, part) for part in criteria])
    if scores.kind in ("judge", "corrected"):
        own = [_by_judge(found, Scores("judge", part.name, scores.judge)) for part in criteria]
        judge = _of_parts(found, rule, own)
    low, high = derived.ends(found.schema, rule)
    failed = _without_score(found, scores, rule.parts)
    within = derived.dimensions(found.schema, rule)
    asked, lacking = _asked_in(found, people, judge, own=within, failed=failed)
    return _together(scores, people, judge, low=low, high=high, asked=asked, lacking=lacking, failed=failed)


def _of_parts(found: Read, rule: Derived, settled: Sequence[Values]) -> Values:
    values = np.full(len(found.answers), np.nan)
    why: dict[int, str] = {}
    for at in range(len(found.answers)):
        given = {name: float(part[at]) for name, (part, _) in zip(rule.parts, settled, strict=True)}
        known = derived.value(
            found.schema, rule, {name: None if math.isnan(each) else each for name, each in given.items()}
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
    found: Read,
    people: Values | None,
    judge: Values | None,
    *,
    own: Iterable[str] | None,
    failed: frozenset[int],
) -> tuple[frozenset[str] | None, tuple[str, ...]]:
    """The dimensions that a score is about (None: all of them), and of a correction those that people lack.

    ``own`` are the criterion's. The dimensions of the stage are those that people grade: a judge or a metric scores
    what it was asked about, and whoever has scored an answer is shown with it. How far a judge is off is known only
    where people have graded what it has scored, so a correction is about these dimensions alone.
    """
    grading = found.schema.stages.grading
    of_people = _both(_set(own), _set(grading.dimensions if grading else None))
    of_judge = _set(own)
    graded = _there(people)
    scored_ = _there(judge) | failed
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
        return _both(of_people, of_judge), ()
    return about, tuple(each.id for each in found.schema.dimensions if each.id in judged - about)


def _set(names: Iterable[str] | None) -> frozenset[str] | None:
    return None if names is None else frozenset(names)


def _both(one: frozenset[str] | None, other: frozenset[str] | None) -> frozenset[str] | None:
    return other if one is None else one if other is None else one & other


def _there(values: Values | None) -> frozenset[int]:
    return frozenset() if values is None else frozenset(np.flatnonzero(~np.isnan(values[0])).tolist())


def _dimensions_of(found: Read, places: Iterable[int]) -> frozenset[str]:
    return frozenset(found.items[found.answers[at].item].dimension for at in places)


def _by_people(found: Read, criterion: Criterion) -> Values:
    grading = found.schema.stages.grading
    combine = combine_of(found.schema, criterion)
    raters = grading.raters if grading else 1
    given = found.grades.get(criterion.name, {})
    values = np.full(len(found.answers), np.nan)
    why: dict[int, str] = {}
    for at, answer in enumerate(found.answers):
        mine = [each for each in given.get(answer.id, ()) if not math.isnan(each)]
        value = combined(mine, combine, raters) if mine else None
        if value is None:
            why[at] = NO_MAJORITY if mine else NOT_A_NUMBER if given.get(answer.id) else NO_GRADE
        else:
            values[at] = value
    return values, why


def _by_judge(found: Read, scores: Scores) -> Values:
    given = found.judged.get((scores.criterion or "", scores.judge or ""), {})
    values = np.array([given.get(answer.id, math.nan) for answer in found.answers], dtype=float)
    failed = found.unscored.get((scores.criterion or "", scores.judge or ""), {})
    why: dict[int, str] = {}
    for at in np.flatnonzero(np.isnan(values)).tolist():
        id = found.answers[at].id
        why[at] = NOT_A_NUMBER if id in given else failed.get(id, NO_RATING)
    return values, why


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
