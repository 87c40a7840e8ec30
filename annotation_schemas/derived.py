"""Criteria that are computed from others. Each part of an answer is settled first, then the parts are combined.

The Genuine PCA Score of PCA-Bench is one (Chen et al. 2024, section 2.4). It is 1 if perception, cognition and action
are all 1 for an answer, otherwise 0. Each part is the majority of the experts (section 4.1). Combining each expert's
own three parts first would give another number. If three experts each find a different fault, no expert calls the
answer genuine, yet each part has two of three votes.

A fluke is a right action without right perception and cognition. Among the same answers, genuine answers and flukes
together are the right actions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from annotation_schemas import kinds
from annotation_schemas.model import Criterion, DerivedCriterion, Schema

Ends = tuple[float | None, float | None]


def ends_of_values(criterion: Criterion) -> Ends | None:
    """The lowest and the highest value of a criterion; None where its values are no numbers."""
    return kinds.of_criterion(criterion).ends(criterion)


def find(schema: Schema, name: str | None) -> DerivedCriterion | None:
    """The derived criterion of that name, if there is one."""
    return next((criterion for criterion in schema.report.derived if criterion.name == name), None)


def parts(schema: Schema, derived: DerivedCriterion) -> tuple[Criterion, ...]:
    """The criteria of grading that it follows from, in the order in which it names them."""
    asked = {
        criterion.name: criterion for criterion in (schema.stages.grading.criteria if schema.stages.grading else ())
    }
    return tuple(asked[name] for name in derived.parts)


def ends(schema: Schema, derived: DerivedCriterion) -> Ends:
    """The lowest and the highest value that there can be."""
    if derived.all_of:
        return 0.0, 1.0
    lots = [ends_of_values(part) or (None, None) for part in parts(schema, derived)]
    return _mean([low for low, _ in lots]), _mean([high for _, high in lots])


def dimensions(schema: Schema, derived: DerivedCriterion) -> frozenset[str] | None:
    """Those in which all of its parts are asked; None: everywhere."""
    lots = [frozenset(part.dimensions) for part in parts(schema, derived) if part.dimensions is not None]
    return frozenset.intersection(*lots) if lots else None


def value(schema: Schema, derived: DerivedCriterion, settled: Mapping[str, float | None]) -> float | None:
    """Return the value for an answer from the settled values of its parts, or None if a part is missing.

    A missing part leaves the value open, even if another part is already wrong. An answer that people could not
    settle is left out with its reason, and never counts as zero.
    """
    given = [settled.get(name) for name in derived.parts]
    known = [number for number in given if number is not None]
    if len(known) < len(given):
        return None
    if derived.mean_of:
        return sum(known) / len(known)
    highest = [(ends_of_values(part) or (None, None))[1] for part in parts(schema, derived)]
    at_highest = [one == other for one, other in zip(known, highest, strict=True)]
    wanted, others = at_highest[: len(derived.all_of)], at_highest[len(derived.all_of) :]
    return float(all(wanted) and not (others and all(others)))


def _mean(values: Sequence[float | None]) -> float | None:
    known = [number for number in values if number is not None]
    return sum(known) / len(known) if values and len(known) == len(values) else None
