"""Agreement over the means of dimensions, as ETP-Bench compares people, a judge and a reference metric (Table 7)."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import replace

from agreement.ratings import Scale
from agreement.summary import Result, summarise
from annotation_schemas.model import Schema
from db.engine import Store
from domain.errors import RatingsError
from domain.rated_units import BETWEEN
from domain.records import Person, Rating
from domain.states import Items, Stage
from workflow.access.projects import require_lead
from workflow.annotate.sample_standing import counting_of_stage
from workflow.results.criterion_values import combined, number_of, scored_criteria
from workflow.results.rater_agreement import of_items
from workflow.results.ratings import Raters, by_guideline, raters_of, ratings_of

PEOPLE = "the people"
"""What people are called together: their grades of an answer are made one before means are taken."""


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
    statistics: Collection[str] = (),
) -> list[Result]:
    """Statistics whose units are the means of a model's answers in a dimension.

    People among ``raters`` are one column, in which each answer has the grade that the schema makes of several
    (``combine``); every judge, metric and rater out of a file is a column of its own. A mean is over the answers that
    all columns have, whose number is ``args["answers"]``. Without ``raters``, everyone who has graded. ``statistics``
    leaves only these; none: all that fit.

    Raises
    ------
    RatingsError
        No one is called so, a criterion has no numbers, people graded under several versions of the guideline and
        no one said to pool them, or no answer has a grade in all columns.
    """
    with store.read() as session:
        schema = require_lead(session, by=person, project=project).schema
    there = raters_of(store, person=person, project=project, stage=Stage.GRADING)
    rows = ratings_of(store, project=project, stage=Stage.GRADING, by=person, items=items)
    known = [*there.people, *there.machines]
    for name in raters or ():
        if name not in {*known, *(row.rater for row in rows)}:
            raise RatingsError(f"There is no rater {name!r} among these ratings; there are: {', '.join(known)}.")
    chosen = list(raters if raters is not None else known)
    versions = by_guideline([row for row in rows if row.rater in chosen and row.rater in there.people])
    if len(versions) > 1 and not pool_guidelines:
        raise RatingsError(
            "People graded under several versions of the guideline, which are not compared unless you say so with "
            "--pool-guidelines."
        )
    scored = {each.name for each in scored_criteria(schema)}
    for name in criteria or ():
        if name not in scored:
            raise RatingsError(f"There are no means of {name!r}; grading has numbers of {', '.join(scored) or 'none'}.")
    found: list[Result] = []
    for name in [each.name for each in scored_criteria(schema) if criteria is None or each.name in criteria]:
        columns = _columns(schema, name, rows, chosen=chosen, there=there)
        if len(columns) < 2 and criteria is None:
            continue
        found += _of_columns(name, columns, rows, cross_check=cross_check, statistics=statistics)
    counted = counting_of_stage(store, person=person, project=project, items_=items, stage=Stage.GRADING)
    found = [of_items(each, counted) for each in found]
    if not found and rows:
        raise RatingsError(
            "No criterion has grades of two of these raters; people together count as one. Compare each answer instead "
            "(--unit prediction), or let a judge rate, too."
        )
    return found


def _columns(
    schema: Schema, name: str, rows: Sequence[Rating], *, chosen: Sequence[str], there: Raters
) -> dict[str, dict[str, float]]:
    """Of each rater, people together as one, a number for every answer."""
    criterion = next(each for each in scored_criteria(schema) if each.name == name)
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
    return columns


def _of_columns(
    criterion: str,
    columns: dict[str, dict[str, float]],
    rows: Sequence[Rating],
    *,
    cross_check: bool,
    statistics: Collection[str],
) -> list[Result]:
    shared = set.intersection(*(set(column) for column in columns.values())) if columns else set()
    if not shared:
        raise RatingsError(f"No answer has a grade for {criterion} of all of {', '.join(columns) or 'these raters'}.")
    dimensions = {row.unit: row.dimension or "no dimension" for row in rows}
    means = []
    for rater, column in columns.items():
        lots: dict[str, list[float]] = {}
        for unit in sorted(shared):
            model = unit.rpartition(BETWEEN)[2]
            lots.setdefault(f"{dimensions[unit]}{BETWEEN}{model}", []).append(column[unit])
        means += [Rating(unit, rater, criterion, math.fsum(values) / len(values)) for unit, values in lots.items()]
    results = summarise(
        means,
        scales={criterion: Scale("interval")},
        raters=list(columns),
        cross_check=cross_check,
        statistics=statistics,
    )
    told = {"unit": "dimension", "answers": len(shared)}
    return [replace(each, args={**each.args, **told}) for each in results]
