"""Derived ratings: the value of a derived criterion for a unit, after people and judges have settled each part."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence

from agreement.ratings import Scale
from annotation_schemas import derived
from annotation_schemas.model import DerivedCriterion, Schema
from domain.records import Rating
from workflow.results.criterion_values import combined, number_of

MAJORITY = "most of the people"
"""The rater name for all people together, after they have settled a unit."""


def scale_of(rule: DerivedCriterion) -> Scale:
    """Return the scale of a derived criterion: 0 and 1, or numbers."""
    return Scale("ordinal", (0.0, 1.0)) if rule.all_of else Scale("interval")


def settled_ratings(
    schema: Schema,
    rule: DerivedCriterion,
    rows: Sequence[Rating],
    *,
    humans: Collection[str],
    machines: Collection[str],
    unparsed: Collection[str] = (),
) -> list[Rating]:
    """Return the ratings of a derived criterion: one rater ``MAJORITY`` for all people, and one for each machine.

    For every unit, each part is settled from all people's grades, and then the parts are combined. So no person has a
    derived rating. A machine's unreadable reply in one part (a value of ``unparsed``) counts as unreadable. A unit that
    lacks a part has no rating.
    """
    criteria = {part.name: part for part in derived.parts(schema, rule)}
    grading = schema.stages.grading
    raters = min(grading.raters if grading else 1, max(len(humans), 1))
    combine = grading.combine if grading else "majority"
    given: dict[tuple[str, str], dict[str, list[float]]] = {}
    lost: dict[tuple[str, str], str] = {}
    places = {row.unit: row.dimension for row in rows}
    for row in rows:
        if row.criterion not in criteria or not (row.rater in humans or row.rater in machines):
            continue
        key = (row.unit, MAJORITY if row.rater in humans else row.rater)
        if row.rater not in humans and isinstance(row.value, str) and row.value in unparsed:
            lost[key] = row.value
            continue
        value = number_of(criteria[row.criterion], row.value)
        if not math.isnan(value):
            given.setdefault(key, {}).setdefault(row.criterion, []).append(value)
    ratings = [Rating(unit, rater, rule.name, words, places[unit]) for (unit, rater), words in lost.items()]
    for (unit, rater), mine in given.items():
        if (unit, rater) in lost:
            continue
        parts = {
            name: combined(values, combine, raters) if rater == MAJORITY else values[0] for name, values in mine.items()
        }
        whole = derived.value(schema, rule, parts)
        if whole is not None:
            ratings.append(Rating(unit, rater, rule.name, whole, places[unit]))
    return ratings
