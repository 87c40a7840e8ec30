"""Agreement with people as one rater: answer by answer, or over the means of dimensions, as ETP-Bench compares people,
a judge and a reference metric (Table 7)."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from agreement.ratings import Scale
from agreement.summary import Result, summarise
from annotation_schemas.model import Schema
from db.engine import Store
from domain.errors import RatingsError
from domain.rated_units import BETWEEN
from domain.records import Person, Rating
from domain.states import Items, Stage
from domain.statistics import Needs, summarised
from workflow.access.projects import require_lead
from workflow.annotate.sample_standing import counting_of_stage
from workflow.results.criterion_values import combine_of, combined, number_of, scored_criteria
from workflow.results.rater_agreement import of_items, scales_of
from workflow.results.ratings import Raters, by_guideline, raters_of, ratings_of
from workflow.results.schema_versions import of_schema, saying_schema

PEOPLE = "the people"
"""The rater name for all people together. Their grades of an answer are combined before any comparison."""


Over = Literal["dimension", "model"]
"""The answers in each mean: a model's answers in one dimension, or all answers of a model."""

LEVELS: Mapping[str, str] = {
    "answer": "answer by answer",
    "dimension": "means of a model in a dimension",
    "model": "means of a model",
}
"""The levels at which a judge is compared with people. The levels can differ: means of many answers may agree well even
if single answers hardly do.
"""
_OF_MEANS = (Needs.ORDER, Needs.NUMBERS, Needs.RATIO)
"""The requirements of statistics that apply to means."""
OF_LEVELS = ("percent_agreement", "cohen_kappa", "pearson", "spearman")
"""The default statistics at each level. For means, only statistics of numbers or ranks apply."""


@dataclass(frozen=True)
class Columns:
    """Everyone's grades by one criterion, people as one rater."""

    criterion: str
    of: Mapping[str, Mapping[str, float]]
    """Rater -> answer (as a unit of ratings) -> number."""
    dimensions: Mapping[str, str]
    """The dimension of each answer."""
    scale: Scale
    """The scale of single answers: the criterion's scale, or interval if people's grades are means or a metric has
    rated.
    """

    def only(self, raters: Collection[str], *, answers: Collection[str] | None = None) -> Columns:
        """Return the columns of these raters, and of these answers only; None for all answers."""
        kept = {
            rater: {unit: value for unit, value in column.items() if answers is None or unit in answers}
            for rater, column in self.of.items()
            if rater in raters
        }
        return replace(self, of=kept)


def agreement_of_means(
    store: Store,
    *,
    person: Person | None,
    project: str,
    raters: Sequence[str] | None = None,
    criteria: Sequence[str] | None = None,
    pool_guidelines: bool = False,
    cross_check: bool = False,
    items: Items | str | None = None,
    schema_version: int | None = None,
    statistics: Collection[str] = (),
    over: Over = "dimension",
) -> list[Result]:
    """Return statistics whose units are means of a model's answers, in one dimension or over all answers.

    All people among ``raters`` are one column, in which each answer has the combined grade of the schema (``combine``).
    Every judge, metric and imported rater has its own column. A mean is over the answers that all columns have; their
    number is ``args["answers"]``. Without ``raters``, all graders are included. ``statistics`` selects some statistics;
    empty for all that apply.

    Raises
    ------
    RatingsError
        A rater is unknown, a criterion has no numbers, people graded under several versions of the guideline that
        the caller did not pool, or no answer has a grade in all columns.
    """
    about: dict[str, Any] = {"person": person, "project": project, "items": items, "schema_version": schema_version}
    there = columns_of(store, raters=raters, criteria=criteria, pool_guidelines=pool_guidelines, **about)
    asked: dict[str, Any] = {"over": over, "cross_check": cross_check, "statistics": statistics}
    results = [result for columns in there for result in of_means(columns, **asked)]
    return _counted(store, results, **about)


def agreement_of_levels(
    store: Store,
    *,
    person: Person | None,
    project: str,
    raters: Sequence[str] | None = None,
    criteria: Sequence[str] | None = None,
    pool_guidelines: bool = False,
    cross_check: bool = False,
    items: Items | str | None = None,
    schema_version: int | None = None,
    statistics: Collection[str] = (),
) -> list[Result]:
    """Return each judge's agreement with people at each of the ``LEVELS``, over the answers that both have graded.

    The level is ``args["unit"]``, the judge ``args["judge"]``. All three levels use the same answers, whose number is
    ``args["answers"]``. Raises the same errors as ``agreement_of_means``, and one if no person or no judge has graded.
    """
    about: dict[str, Any] = {"person": person, "project": project, "items": items, "schema_version": schema_version}
    results: list[Result] = []
    for columns in columns_of(store, raters=raters, criteria=criteria, pool_guidelines=pool_guidelines, **about):
        judges = [rater for rater in columns.of if rater != PEOPLE]
        if PEOPLE not in columns.of or not judges:
            who = "judge" if PEOPLE in columns.of else "person"
            raise RatingsError(
                f"No {who} has graded models' answers for {columns.criterion}. The comparison needs judges and people."
            )
        for judge in judges:
            results += at_levels(columns, judge, cross_check=cross_check, statistics=statistics or OF_LEVELS)
    return _counted(store, results, **about)


def at_levels(
    columns: Columns, judge: str, *, cross_check: bool = False, statistics: Collection[str] = OF_LEVELS
) -> list[Result]:
    """Return a judge's agreement with people over single answers, over means of dimensions, and over means of
    models.
    """
    shared = columns.of[PEOPLE].keys() & columns.of[judge].keys()
    two = columns.only([PEOPLE, judge], answers=shared)
    of_numbers = [name for name in statistics if summarised()[name].needs in _OF_MEANS]
    results = of_answers(two, cross_check=cross_check, statistics=statistics) if shared else []
    for over in ("dimension", "model") if shared and of_numbers else ():
        results += of_means(two, over=over, cross_check=cross_check, statistics=of_numbers)
    plain = "none" if two.scale.level == "nominal" else "quadratic"
    return [
        replace(result, args={**result.args, "judge": judge, "answers": len(shared)})
        for result in results
        if result.args.get("weights", plain) == plain
    ]


def agreement_of_answers(
    store: Store,
    *,
    person: Person | None,
    project: str,
    raters: Sequence[str] | None = None,
    criteria: Sequence[str] | None = None,
    by_dimension: bool = False,
    pool_guidelines: bool = False,
    cross_check: bool = False,
    items: Items | str | None = None,
    schema_version: int | None = None,
    statistics: Collection[str] = (),
) -> list[Result]:
    """Return statistics whose units are answers, with people as one rater, such as the kappa of a judge and the
    majority.

    Arguments and errors are those of ``agreement_of_means``. An answer need not have a grade in all columns.
    """
    about: dict[str, Any] = {"person": person, "project": project, "items": items, "schema_version": schema_version}
    there = columns_of(store, raters=raters, criteria=criteria, pool_guidelines=pool_guidelines, **about)
    results = [
        result
        for columns in there
        for result in of_answers(columns, by_dimension=by_dimension, cross_check=cross_check, statistics=statistics)
    ]
    return _counted(store, results, **about)


def _counted(
    store: Store,
    found: Sequence[Result],
    *,
    person: Person | None,
    project: str,
    items: Items | str | None,
    schema_version: int | None,
) -> list[Result]:
    counted = counting_of_stage(store, person=person, project=project, items_=items, stage=Stage.GRADING)
    return [of_items(saying_schema(result, schema_version), counted) for result in found]


def columns_of(
    store: Store,
    *,
    person: Person | None,
    project: str,
    raters: Sequence[str] | None = None,
    criteria: Sequence[str] | None = None,
    pool_guidelines: bool = False,
    items: Items | str | None = None,
    schema_version: int | None = None,
) -> list[Columns]:
    """Return all raters' grades of models' answers, with people as one rater, one object for each criterion.

    A criterion with fewer than two raters is left out unless ``criteria`` names it. Raises the same errors as
    ``agreement_of_means``. With ``schema_version``, only people's grades under that version of the schema count, and
    ``RatingsError`` is raised if none exist. Ratings of machines have no version and always count.
    """
    with store.read() as session:
        access = require_lead(session, by=person, project=project)
    schema = access.schema
    there = raters_of(store, person=person, project=project, stage=Stage.GRADING)
    rows = ratings_of(store, project=project, stage=Stage.GRADING, by=person, items=items)
    rows = of_schema(access, rows, schema_version, machines=there.machines)
    if schema_version is not None and not any(row.rater in there.people for row in rows):
        raise RatingsError(
            f"No person has graded models' answers under version {schema_version} of the schema. Choose another "
            "version."
        )
    known = [*there.people, *there.machines]
    for name in raters or ():
        if name not in {*known, *(row.rater for row in rows)}:
            raise RatingsError(f"There is no rater {name!r} among these ratings. Raters: {', '.join(known)}.")
    chosen = list(raters if raters is not None else known)
    versions = by_guideline([row for row in rows if row.rater in chosen and row.rater in there.people])
    if len(versions) > 1 and not pool_guidelines:
        raise RatingsError(
            "People graded under several versions of the guideline. To compare these grades, use --pool-guidelines."
        )
    scored = {criterion.name for criterion in scored_criteria(schema)}
    for name in criteria or ():
        if name not in scored:
            raise RatingsError(
                f"{name!r} is not a criterion with numbers. Criteria with numbers: {', '.join(scored) or 'none'}."
            )
    by_criterion = []
    for name in [
        criterion.name for criterion in scored_criteria(schema) if criteria is None or criterion.name in criteria
    ]:
        columns = _columns(schema, name, rows, chosen=chosen, there=there)
        if len(columns.of) > 1 or criteria is not None:
            by_criterion.append(columns)
    if not by_criterion and rows:
        raise RatingsError(
            "No criterion has grades from two of these raters. All people count as one rater. Compare single "
            "answers (--unit prediction), or add a judge."
        )
    return by_criterion


def _columns(schema: Schema, name: str, rows: Sequence[Rating], *, chosen: Sequence[str], there: Raters) -> Columns:
    """Return each rater's number for every answer, with people as one rater."""
    criterion = next(criterion for criterion in scored_criteria(schema) if criterion.name == name)
    people: dict[str, list[float]] = {}
    columns: dict[str, dict[str, float]] = {}
    for row in rows:
        if row.criterion != name or row.rater not in chosen or row.value is None:
            continue
        value = float(row.value) if row.rater in there.metrics else number_of(criterion, row.value)
        if math.isnan(value):
            continue
        if row.rater in there.people:
            people.setdefault(row.unit, []).append(value)
        else:
            columns.setdefault(row.rater, {})[row.unit] = value
    grading = schema.stages.grading
    if people and grading is not None:
        asked = min(grading.raters, sum(rater in there.people for rater in chosen))
        together = {unit: combined(given, grading.combine, asked) for unit, given in people.items()}
        columns = {PEOPLE: {unit: value for unit, value in together.items() if value is not None}, **columns}
    on_scale = combine_of(schema, criterion) == "majority" or PEOPLE not in columns
    plain = on_scale and not there.metrics & columns.keys()
    scale = scales_of(schema, Stage.GRADING)[name] if plain else Scale("interval")
    return Columns(name, columns, {row.unit: row.dimension or "no dimension" for row in rows}, scale)


def of_means(
    columns: Columns, *, over: Over = "dimension", cross_check: bool = False, statistics: Collection[str] = ()
) -> list[Result]:
    """Return statistics of the means of models' answers, by dimension or over all, over the answers in all columns."""
    shared = set.intersection(*(set(column) for column in columns.of.values())) if columns.of else set()
    if not shared:
        names = ", ".join(columns.of) or "these raters"
        raise RatingsError(f"No answer has a grade for {columns.criterion} from all of {names}. Choose fewer raters.")
    means = []
    for rater, column in columns.of.items():
        lots: dict[str, list[float]] = {}
        for unit in sorted(shared):
            model = unit.rpartition(BETWEEN)[2]
            lot = model if over == "model" else f"{columns.dimensions[unit]}{BETWEEN}{model}"
            lots.setdefault(lot, []).append(column[unit])
        means += [
            Rating(unit, rater, columns.criterion, math.fsum(values) / len(values)) for unit, values in lots.items()
        ]
    results = summarise(
        means,
        scales={columns.criterion: Scale("interval")},
        raters=list(columns.of),
        cross_check=cross_check,
        statistics=statistics,
    )
    basis = {"unit": over, "answers": len(shared)}
    return [replace(result, args={**result.args, **basis}) for result in results]


def of_answers(
    columns: Columns, *, by_dimension: bool = False, cross_check: bool = False, statistics: Collection[str] = ()
) -> list[Result]:
    """Return statistics of the grades of answers, together or in each dimension."""
    rows = [
        Rating(unit, rater, columns.criterion, value, columns.dimensions[unit])
        for rater, column in columns.of.items()
        for unit, value in column.items()
    ]
    results = summarise(
        rows,
        scales={columns.criterion: columns.scale} if rows else {},
        by_dimension=by_dimension and bool(rows),
        raters=list(columns.of) if rows else None,
        cross_check=cross_check,
        statistics=statistics,
    )
    return [replace(result, args={**result.args, "unit": "answer"}) for result in results]
