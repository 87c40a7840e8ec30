"""The agreement of a project's raters."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from agreement.ratings import Scale
from agreement.summary import Result, summarise
from annotation_schemas import kinds
from annotation_schemas.model import Criterion, Schema, tolerances_of
from db import answers, comment_threads, events, files, item_revisions, judging
from db.engine import Store
from domain.decimals import Tolerance
from domain.errors import RatingsError
from domain.records import Person, Rating
from domain.states import Cut, Items, Stage
from workflow.access.counted_items import Counting
from workflow.access.projects import require_lead
from workflow.annotate.sample_standing import counting_of_stage
from workflow.results.answer_places import ratings_by_place
from workflow.results.confusions import Confusion, confusions
from workflow.results.ratings import by_guideline, criteria_of, cut_by, raters_of, ratings_of
from workflow.results.schema_versions import of_schema, saying_schemas, version_words


def agreement_of(
    store: Store,
    *,
    person: Person | None,
    project: str,
    stage: Stage,
    by: Cut = Cut.WHOLE,
    criteria: Sequence[str] | None = None,
    raters: Sequence[str] | None = None,
    scales: Mapping[str, Scale] | None = None,
    pool_guidelines: bool = False,
    cross_check: bool = False,
    items: Items | str | None = None,
    statistics: Collection[str] = (),
    called: Mapping[str, str] | None = None,
    schema_version: int | None = None,
) -> list[Result]:
    """Return all statistics about the ratings of one stage. ``scales`` overrides the scales that the schema declares.

    Ratings under different versions of the guideline are measured separately, and ``args["guideline"]`` of a result
    names the version if several exist. ``pool_guidelines`` measures them together, and ``args`` records that. Ratings
    under different versions of the schema are measured together, in the words of the present version.
    ``args["schema"]`` gives the number of ratings under each version. ``schema_version`` measures one version only
    (``schema_words``). Machines' ratings have no version, and are included if ``raters`` names the machine.

    Options that differ from item to item are compared by their places: "the second one" is a category, but its text is
    not. Without this rule, no two items would share a category, and chance agreement would be zero. Lists and orders
    are compared as a whole, also by places, and count as different unless they are equal. Each property of a list is
    its own criterion.

    A machine never counts as a person. Imported raters who are not marked as people (``workflow.results.file_raters``)
    are measured only if ``raters`` names them, or if no person has rated. Compared with a reference metric, a criterion
    has an interval scale (``scales_with_metrics``). ``statistics`` selects some of ``domain.statistics.summarised``;
    empty for all that apply.

    Grades count only for items that count (``items``, see ``workflow.access.counted_items``). All votes of verification
    count.

    ``called`` replaces the names of raters in results and their sentences.

    ``person`` None is a command on the machine itself. A project without ratings gives an empty list.
    """
    return comparable_ratings(
        store,
        person=person,
        project=project,
        stage=stage,
        by=by,
        criteria=criteria,
        raters=raters,
        scales=scales,
        pool_guidelines=pool_guidelines,
        items=items,
        called=called,
        schema_version=schema_version,
    ).results(cross_check=cross_check, statistics=statistics)


@dataclass(frozen=True)
class ComparedRatings:
    """The ratings to compare, with their scales, in lots that are measured separately."""

    lots: Sequence[tuple[str | None, list[Rating]]]
    """Each lot with the guideline in ``args`` of its results; None if only one version exists."""
    scales: Mapping[str, Scale]
    by: Cut
    raters: Sequence[str] | None
    counted: Counting
    numbers: Collection[int]
    """The numbers of the schema's versions."""
    schema_version: int | None

    def results(self, *, cross_check: bool = False, statistics: Collection[str] = ()) -> list[Result]:
        """Return the results of ``agreement_of`` for these ratings."""
        asked = _StatisticsRequest(self.scales, self.by is not Cut.WHOLE, self.raters, cross_check, statistics)
        whole = len(self.lots) == 1
        results = [
            result if words is None else _of_version(result, words)
            for words, rows in self.lots
            for result in (asked.of_all(rows) if whole else asked.of_part(rows))
        ]
        everything = [row for _, rows in self.lots for row in rows]
        with_schemas = saying_schemas(results, everything, self.numbers, only=self.schema_version)
        return [of_items(result, self.counted) for result in with_schemas]

    def confusions(self) -> list[Confusion]:
        """Return the confusion matrices of these ratings."""
        of_raters = [
            (words, [row for row in rows if self.raters is None or row.rater in self.raters])
            for words, rows in self.lots
        ]
        return confusions(of_raters, self.scales, by_dimension=self.by is not Cut.WHOLE)


def comparable_ratings(
    store: Store,
    *,
    person: Person | None,
    project: str,
    stage: Stage,
    by: Cut = Cut.WHOLE,
    criteria: Sequence[str] | None = None,
    raters: Sequence[str] | None = None,
    scales: Mapping[str, Scale] | None = None,
    pool_guidelines: bool = False,
    items: Items | str | None = None,
    called: Mapping[str, str] | None = None,
    schema_version: int | None = None,
) -> ComparedRatings:
    """Return the ratings that ``agreement_of`` measures. The arguments are the same."""
    rows, declared = measurable_ratings(
        store,
        person=person,
        project=project,
        stage=stage,
        criteria=criteria,
        scales=scales,
        items=items,
        overlap=True,
    )
    with store.read() as session:
        access = require_lead(session, by=person, project=project)
    there = raters_of(store, person=person, project=project, stage=stage)
    rows = of_schema(access, rows, schema_version, machines=there.machines if raters is not None else ())
    rows = cut_by(rows, access.schema, by)
    declared = {name: scale for name, scale in declared.items() if name in {row.criterion for row in rows}}
    counted = counting_of_stage(store, person=person, project=project, items_=items, stage=stage)
    if raters is None:
        rows = [row for row in rows if not there.people or row.rater in there.people]
        declared = {name: scale for name, scale in declared.items() if name in {row.criterion for row in rows}}
    used = [row for row in rows if raters is None or row.rater in raters]
    declared = scales_with_metrics(declared, used, metrics=there.metrics, overruled=scales or {})
    del used  # or all of them would be there twice
    if called:
        rows = _called(rows, called)
        raters = [called.get(name, name) for name in raters] if raters is not None else None
    by_version = by_guideline(rows)
    lots: list[tuple[str | None, list[Rating]]] = [(version_words(number), part) for number, part in by_version]
    if len(by_version) <= 1:
        lots = [(None, rows)]
    elif pool_guidelines:
        lots = [(f"{' and '.join(version_words(number) for number, _ in by_version)}, pooled", rows)]
    return ComparedRatings(lots, declared, by, raters, counted, access.reading.numbers.values(), schema_version)


def _called(rows: list[Rating], called: Mapping[str, str]) -> list[Rating]:
    """Return the ratings with new names of raters. The list is emptied on the way to save memory."""
    ratings = []
    rows.reverse()
    while rows:
        row = rows.pop()
        name = called.get(row.rater, row.rater)
        ratings.append(row if name == row.rater else replace(row, rater=name))
    return ratings


@dataclass(frozen=True)
class _StatisticsRequest:
    """The statistics to compute, for ratings under any version of the guideline."""

    scales: Mapping[str, Scale]
    by_dimension: bool
    raters: Sequence[str] | None
    cross_check: bool
    statistics: Collection[str]

    def of_all(self, rows: Sequence[Rating]) -> list[Result]:
        """Return the statistics of all ratings together."""
        return summarise(
            rows,
            scales=self.scales,
            by_dimension=self.by_dimension and bool(rows),
            raters=self.raters if rows else None,
            cross_check=self.cross_check,
            statistics=self.statistics,
        )

    def of_part(self, rows: Sequence[Rating]) -> list[Result]:
        """Return the statistics of ratings under one version, in which some raters may have no rating."""
        rated, there = {row.criterion for row in rows}, {row.rater for row in rows}
        mine = None if self.raters is None else [rater for rater in self.raters if rater in there]
        if mine == []:
            return []
        scales = {name: scale for name, scale in self.scales.items() if name in rated}
        return replace(self, scales=scales, raters=mine).of_all(rows)


def measurable_ratings(
    store: Store,
    *,
    person: Person | None,
    project: str,
    stage: Stage,
    criteria: Sequence[str] | None = None,
    scales: Mapping[str, Scale] | None = None,
    items: Items | str | None = None,
    overlap: bool = False,
) -> tuple[list[Rating], dict[str, Scale]]:
    """Return the measurable ratings of a stage, and their scales.

    With ``overlap``, values that are compared by their overlap (spans of time and boxes) are included.
    """
    with store.read() as session:
        schema = require_lead(session, by=person, project=project).schema
    rows = ratings_of(store, project=project, stage=stage, by=person, items=items)
    by_name = {criterion.name: criterion for criterion in criteria_of(schema, stage)}
    drawn = {
        part.name: name for name, criterion in by_name.items() for part in _measured(schema, criterion) if part.shape
    }
    asked = [
        name
        for name, criterion in by_name.items()
        if not kinds.of_criterion(criterion).not_measured or (overlap and name in drawn.values())
    ]
    for criterion in criteria or ():
        if criterion in by_name and criterion not in asked:
            why = kinds.of_criterion(by_name[criterion]).not_measured
            raise RatingsError(f"{criterion!r} has no statistic: {why}. Choose another criterion.")
        if criterion not in asked:
            there = ", ".join(asked)
            raise RatingsError(f"{stage.value} has no criterion {criterion!r} to compare. Its criteria: {there}.")
    rows = [row for row in rows if row.criterion in (criteria or asked)]
    rows = [part for row in rows for part in _taken_apart(row, by_name[row.criterion])]
    rows = [row for row in rows if overlap or row.criterion not in drawn]
    by_place = [
        criterion
        for criterion in criteria_of(schema, stage)
        if kinds.of_criterion(criterion).by_place and criterion.name not in (scales or {})
    ]
    if by_place and rows:
        rows = ratings_by_place(rows, by_place, _fields(store, person=person, project=project))
    rated = {row.criterion for row in rows}
    return rows, {
        name: scale for name, scale in {**scales_of(schema, stage), **(scales or {})}.items() if name in rated
    }


def scales_with_metrics(
    declared: Mapping[str, Scale], rows: Iterable[Rating], *, metrics: Collection[str], overruled: Collection[str] = ()
) -> dict[str, Scale]:
    """Return the scales for ratings of which some are numbers of reference metrics.

    A criterion that one of ``metrics`` has rated becomes interval for all of its raters. A scale that the caller
    declared (``overruled``) stays unchanged.
    """
    measured = {row.criterion for row in rows if row.rater in metrics} - set(overruled)
    return {name: Scale("interval") if name in measured else scale for name, scale in declared.items()}


def mark(
    store: Store, *, person: Person | None, project: str, stage: Stage, asking: bool = False
) -> tuple[int | str, ...]:
    """Return a state that changes whenever the figures of a stage may change.

    The state covers ratings, imports, judge replies, schema, items and their states, runs and rules. With ``asking``,
    it also covers every question to a model or a judge, which reports on judges count.
    """
    with store.read() as session:
        access = require_lead(session, by=person, project=project)
        id = access.project_id
        asked = answers.mark(session, project_id=id) if asking else ()
        rated = comment_threads.newest(session, project_id=id, stage=stage)
        judged = judging.newest(session, project_id=id)
        return (access.began, access.loaded.hash, *rated, judged, events.newest(session, project_id=id), *asked)


def size(store: Store, *, person: Person | None, project: str, stage: Stage) -> int:
    """Return the approximate number of ratings of a stage. Superseded ratings and other judge replies are included."""
    with store.read() as session:
        access = require_lead(session, by=person, project=project)
        return files.n_ratings(session, project_id=access.project_id, stage=stage)


def of_items(result: Result, counted: Counting) -> Result:
    """Return a result that names the counted items, if there was a choice, and the graded sample, if one is planned."""
    basis = {
        **({"items": counted.sentence} if counted.verdicts else {}),
        **({"sample": counted.sample} if counted.sample else {}),
    }
    return replace(result, args={**result.args, **basis}) if basis else result


def _of_version(result: Result, words: str) -> Result:
    return replace(result, args={**result.args, "guideline": words})


def scales_of(schema: Schema, stage: Stage) -> dict[str, Scale]:
    """Return the scale of each criterion of a stage, as the schema declares it.

    Choices are nominal, and so are the options of an item. A scale is ordinal unless the report plan declares another
    level.
    """
    scales: dict[str, Scale] = {}
    declared = tolerances_of(criteria_of(schema, stage))
    tolerances = {name: tolerance for name, tolerance in declared.items() if isinstance(tolerance, Tolerance)}
    for criterion in criteria_of(schema, stage):
        scales |= {
            part.name: Scale(part.level, part.values, tolerance=tolerances.get(part.name), shape=part.shape)
            for part in _measured(schema, criterion)
        }
    return scales


def _measured(schema: Schema, criterion: Criterion) -> list[kinds.RatedVariable]:
    """Return the measured parts of a criterion, by its kind and the report plan."""
    row = kinds.of_criterion(criterion)
    return row.measured(criterion, schema.report.scales.get(criterion.name, row.level))


def _taken_apart(row: Rating, criterion: Criterion) -> list[Rating]:
    """Return one rating for each part of a composite value. Other ratings stay unchanged."""
    parts = kinds.of_criterion(criterion).taken_apart(criterion, row.value)
    if parts == [(row.criterion, row.value)]:
        return [row]
    return [replace(row, criterion=name, value=value) for name, value in parts]


def _fields(store: Store, *, person: Person | None, project: str) -> dict[str, Mapping[str, Any]]:
    """Return the present fields of all items, by external id."""
    with store.read() as session:
        access = require_lead(session, by=person, project=project)
        content = item_revisions.current_content(session, project_id=access.project_id)
        named = files.item_ids(session, project_id=access.project_id)
    return {name: content[id] for id, name, _ in named if id in content}
