"""Measure how far raters of a project agree."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from agreement.ratings import Scale
from agreement.summary import Result, summarise
from annotation_schemas.model import Schema
from db.engine import Store
from domain.errors import RatingsError
from domain.records import Person
from domain.states import Stage
from workflow.projects import require_lead
from workflow.ratings import criteria_of, ratings_of


def agreement_of(
    store: Store,
    *,
    person: Person | None,
    project: str,
    stage: Stage,
    by_dimension: bool = False,
    criteria: Sequence[str] | None = None,
    raters: Sequence[str] | None = None,
    scales: Mapping[str, Scale] | None = None,
) -> list[Result]:
    """All statistics about the ratings of one stage; the schema declares the scales, and ``scales`` overrules it.

    ``person`` None is the command on the machine itself. A project in which nobody has rated anything gives an empty
    list.
    """
    with store.read() as session:
        schema = require_lead(session, by=person, project=project).schema
    rows = ratings_of(store, project=project, stage=stage, by=person)
    asked = [criterion.name for criterion in criteria_of(schema, stage) if criterion.kind != "text"]
    for criterion in criteria or ():
        if criterion not in asked:
            there = ", ".join(asked)
            raise RatingsError(f"{stage.value} has no criterion {criterion!r} that can be compared; it has {there}.")
    rows = [row for row in rows if row.criterion in (criteria or asked)]
    rated = {row.criterion for row in rows}
    declared = {name: scale for name, scale in {**scales_of(schema, stage), **(scales or {})}.items() if name in rated}
    return summarise(rows, scales=declared, by_dimension=by_dimension and bool(rows), raters=raters if rows else None)


def scales_of(schema: Schema, stage: Stage) -> dict[str, Scale]:
    """The scale of each criterion of a stage, as the schema declares it.

    Choices are names; a scale is ordinal unless the report plan says interval. The options of an item are names too,
    but differ from item to item, so they have no common list of categories.
    """
    scales: dict[str, Scale] = {}
    for criterion in criteria_of(schema, stage):
        if criterion.kind == "choice":
            scales[criterion.name] = Scale("nominal", tuple(option.value for option in criterion.options))
        elif criterion.kind == "option_of":
            scales[criterion.name] = Scale("nominal")
        elif criterion.kind == "scale":
            level = schema.report.scales.get(criterion.name, "ordinal")
            scales[criterion.name] = Scale(
                "interval" if level in ("interval", "ratio") else "ordinal", criterion.values
            )
    return scales
