"""One read of a project: its items, models' answers and all grades. All figures are computed from this read."""

from __future__ import annotations

import threading
from collections import OrderedDict, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from annotation_schemas.expected_answers import KEYLESS, asked_of, held_against
from annotation_schemas.keys import key_field
from annotation_schemas.model import Schema
from db import answers as stored
from db import files, item_revisions, items, judging, respondents
from db.engine import Session, Store
from db.records import StoredRun
from domain.errors import InvalidInputError, Problem
from domain.records import RULES, Person
from domain.runs import Outcome
from domain.states import Items, Stage
from workflow.access.counted_items import Counting
from workflow.access.projects import Access, require_lead
from workflow.access.schema_changes import version_id
from workflow.annotate import answer_readings
from workflow.annotate.sample_standing import counting_in_stage
from workflow.results import answer_ways, attributes, file_raters
from workflow.results.answer_ways import AnswerMethod
from workflow.results.counting_answers import CountingAnswers
from workflow.results.criterion_values import named_criteria, scored_criteria
from workflow.results.graded_answers import Answer, GradeIntake, PooledAnswers, last_answers
from workflow.results.reply_mentions import mentions
from workflow.results.slices import Item

NOT_ASKED = "not asked yet"


@dataclass(frozen=True, eq=False)
class ProjectAnswers:
    """One state of a project, from which results are computed."""

    project: str
    title: str
    schema: Schema
    mark: tuple[int, ...]
    """A state that changes with any new data; see ``mark``."""
    items: Mapping[int, Item]
    answers: Sequence[Answer]
    unanswered: Mapping[str, Mapping[int, str]]
    """Model -> item -> why there is no answer, of everything that it was asked."""
    grades: Mapping[str, Mapping[int, Sequence[float]]]
    """Criterion -> answer -> people's grades; nan for a value outside the scale. For a criterion with names as values
    (``named_criteria``), the places of the options.
    """
    judged: Mapping[tuple[str, str], Mapping[int, float]]
    """(criterion, judge) -> answer -> grade, as ``grades``."""
    unscored: Mapping[tuple[str, str], Mapping[int, str]] = field(default_factory=dict)
    """(criterion, judge) -> answer -> why the judge's reply holds no grade."""
    metrics: frozenset[str] = frozenset()
    """The judges that are reference metrics. Their numbers range from 0 to 1, whatever scale people use."""
    replaced: int = 0
    """Earlier answers of a model to an item that it answered again."""
    unknown: int = 0
    """Grades from files that are about no answer that counts."""
    left_out_grades: int = 0
    """Number of these grades whose answers are empty, missing or replaced."""
    mentions: Mapping[str, Mapping[int, str]] = field(default_factory=dict)
    """Judge -> answer -> the value that the text of its reply mentions; only of judges whose replies lack scores."""
    counting: Counting | None = None
    """Which items count and are included here; None if the caller did not choose."""
    reader: str = RULES
    """The reader of the answers: ``rules``, or ``rules+NAME`` with a second reader for answers that the rules cannot
    read.
    """
    readers: Sequence[str] = (RULES,)
    """Whom there is."""
    respondents: frozenset[str] = frozenset()
    """The models that are people who answered the items themselves."""
    pooled: Mapping[str, PooledAnswers] = field(default_factory=dict)
    """The rows of all people together (``workflow.results.people_rows``), where they are among the answers."""
    graders: Mapping[str, Mapping[str, bool]] = field(default_factory=dict)
    """The people who graded by each criterion. True for grades under an account here, False for imported grades."""
    ways: Mapping[str, AnswerMethod] = field(default_factory=dict)
    """How each model's answers were made."""
    attributes: attributes.Said = field(default_factory=dict)
    """The attributes of models, such as size and base model."""
    schema_version: int | None = None
    """The version of the schema under which people's grades were given; None for any version."""

    @cached_property
    def models(self) -> tuple[str, ...]:
        """Everyone who answered or was asked, by name."""
        return tuple(sorted({answer.model for answer in self.answers} | set(self.unanswered)))

    @cached_property
    def of_model(self) -> Mapping[str, NDArray[np.int64]]:
        """The places of a model's answers."""
        by_model: dict[str, list[int]] = {model: [] for model in self.models}
        for at, answer in enumerate(self.answers):
            by_model[answer.model].append(at)
        return {model: np.array(places, dtype=np.int64) for model, places in by_model.items()}

    @cached_property
    def keyless(self) -> Mapping[int, str]:
        """Return the unanswered items that have no usable key, with the reason."""
        key = key_field(self.schema) or ""
        reasons = {}
        for item in {item for lot in self.unanswered.values() for item in lot} & self.items.keys():
            fields = self.items[item].fields
            why = held_against(None, asked_of(self.schema, fields), fields.get(key))[1]
            if why in KEYLESS:
                reasons[item] = why
        return reasons

    @cached_property
    def common(self) -> frozenset[int]:
        """The items that every model has answered, whatever people have."""
        people = self.respondents | self.pooled.keys()
        of_models = {model: places for model, places in self.of_model.items() if model not in people} or self.of_model
        lots = [{self.answers[at].item for at in places} for places in of_models.values()]
        return frozenset(set.intersection(*lots)) if lots else frozenset()


def mark(store: Store, *, person: Person | None, project: str) -> tuple[int, ...]:
    """Return a state that changes whenever results may change."""
    with store.read() as session:
        return stored.mark(session, project_id=require_lead(session, by=person, project=project).project_id)


def read_project(
    store: Store,
    *,
    person: Person | None,
    project: str,
    items: Items | str | None = None,
    reader: str = RULES,
    schema_version: int | None = None,
) -> ProjectAnswers:
    """Return one state of a project, for its leads. ``person`` None is a command on the machine itself.

    ``items`` selects which items count (``workflow.access.counted_items``); data about other items is left out. Answers
    without a reading are read first. With ``schema_version``, only people's grades under that version of the schema
    count. Keys, judges and files have no version. Raises ``NotFoundError`` if the project never had the version.
    """
    with store.read() as session:
        require_lead(session, by=person, project=project)
    answer_readings.fill_up(store, project=project)
    with store.read() as session:
        access = require_lead(session, by=person, project=project)
        counted = counting_in_stage(session, access=access, items_=items, stage=Stage.GRADING)
        return _read(session, access, counted, reader, schema_version)


def _read(session: Session, access: Access, of: Counting, reader: str, schema_version: int | None) -> ProjectAnswers:
    project_id, under = access.project_id, version_id(access, schema_version)
    every = _items(session, access)
    there = {id: item for id, item in every.items() if of.counts(id)}
    answers = stored.answers(session, project_id=project_id)
    own_answers = [answer for answer in answers if of.counts(answer.item_id)]
    last = {(answer.item_id, answer.model): answer for answer in own_answers}
    readers = answer_readings.readers(session, project_id=project_id)
    if reader not in readers:
        there_are = ", ".join(readers)
        raise InvalidInputError([Problem("reader", f"There is no reader {reader!r}. Readers of answers: {there_are}.")])
    people = respondents.names(session, project_id=project_id)
    states = answer_readings.counting(session, project_id=project_id, reader=reader)
    counted = last_answers(session, access, last.values(), there, states, people)
    runs = stored.runs(session, project_id=project_id)
    asked = {run.name for run in runs}
    graded = CountingAnswers.of(answers, {id: item.name for id, item in every.items()}, asked=asked)
    intake = GradeIntake(
        {criterion.name: criterion for criterion in [*scored_criteria(access.schema), *named_criteria(access.schema)]},
        {answer.id for answer in last.values()},
        file_raters.people(session, project_id=project_id),
    )
    intake.take_grades(stored.all_grades(session, project_id=project_id, schema_version_id=under))
    intake.take_ratings(stored.all_ratings(session, project_id=project_id), graded, of)
    intake.take_scores(judging.scores(session, project_id=project_id))
    unanswered = _unanswered(session, runs, {(item, model) for item, model in last}, of)
    models = {*unanswered, *(answer.model for answer in counted)}
    described = attributes.of_models(session, project_id=project_id, runs=runs)
    return ProjectAnswers(
        access.name,
        access.title,
        access.schema,
        stored.mark(session, project_id=project_id),
        there,
        counted,
        unanswered,
        intake.grades,
        intake.judged,
        replaced=len(own_answers) - len(last),
        unknown=intake.unknown,
        left_out_grades=intake.left_out,
        mentions=mentions(session, access, {judge for _, judge in intake.unscored}),
        respondents=frozenset(answer.model for answer in counted) & people,
        graders=intake.graders,
        attributes={model: own for model, own in described.items() if model in models},
        unscored=intake.unscored,
        metrics=frozenset(intake.metrics),
        counting=of,
        reader=reader,
        readers=readers,
        ways=answer_ways.ways(access.schema, runs, last.values(), states, people),
        schema_version=schema_version,
    )


def _items(session: Session, access: Access) -> dict[int, Item]:
    contents = item_revisions.current_content(session, project_id=access.project_id)
    labels = attributes.of_items(session, project_id=access.project_id)
    sources = {
        item_id: next((source for _, _, source, _ in assets if source), None)
        for item_id, assets in files.asset_names(session, project_id=access.project_id).items()
    }
    return {
        row_id: Item(public, name, dimension, sources.get(row_id), contents.get(row_id, {}), labels.get(name, {}))
        for row_id, public, name, dimension in items.names(session, project_id=access.project_id)
    }


def _unanswered(
    session: Session, runs: Sequence[StoredRun], answered: set[tuple[int, str]], of: Counting
) -> dict[str, dict[int, str]]:
    """Return why each asked item has no answer, by model and item. The last run of a model decides."""
    ids = [run.id for run in runs]
    asked = stored.asked_items(session, run_ids=ids)
    ended: dict[int, dict[int, Outcome]] = defaultdict(dict)
    for (run_id, item), outcome in stored.outcomes(session, run_ids=ids).items():
        ended[run_id][item] = outcome
    by_model: dict[str, dict[int, str]] = defaultdict(dict)
    for run in runs:
        outcomes = ended[run.id]
        for item in dict.fromkeys([*asked.get(run.id, ()), *outcomes]):
            if (item, run.name) in answered or not of.counts(item):
                continue
            if item in outcomes:
                by_model[run.name][item] = outcomes[item].why_none or str(outcomes[item])
            else:
                by_model[run.name].setdefault(item, NOT_ASKED)
    return dict(by_model)


# ---- what is kept between pages --------------------------------------------------------------------------------------

_MOST_KEPT = 4
_kept: OrderedDict[tuple[str, ...], ProjectAnswers] = OrderedDict()
_kept_guard = threading.Lock()


def current(
    store: Store,
    *,
    person: Person | None,
    project: str,
    items: Items | str | None = None,
    reader: str = RULES,
    schema_version: int | None = None,
) -> ProjectAnswers:
    """Return the same as ``read_project``, from a cache while nothing has changed. Pages call it at every click."""
    with store.read() as session:
        access = require_lead(session, by=person, project=project)
        now = stored.mark(session, project_id=access.project_id)
    place = (
        str(store.engine.url),
        access.name,
        access.began,
        access.loaded.hash,
        str(items or ""),
        reader,
        str(schema_version),
    )
    with _kept_guard:
        known = _kept.get(place)
    if known is None or known.mark != now:
        known = read_project(
            store, person=person, project=project, items=items, reader=reader, schema_version=schema_version
        )
    with _kept_guard:
        _kept[place] = known
        _kept.move_to_end(place)
        while len(_kept) > _MOST_KEPT:
            _kept.popitem(last=False)
    return known
