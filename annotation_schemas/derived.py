"""Criteria that follow from others: of one answer, each part is settled first, and then they are put together.

So is the Genuine PCA Score of PCA-Bench (Chen et al. 2024, section 2.4): one where perception, cognition and action are
all 1 for one answer, else zero, where each of the three is what most of the experts say (section 4.1). Putting each
expert's own three together and taking the majority or mean of that gives another number: of three experts who each
find a different fault, none calls the answer genuine, yet each part has two votes of three.

A fluke is the other half of the right actions: the action is right, and perception or cognition is not. Of the same
answers, the genuine ones and the flukes add up to the right actions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from annotation_schemas import kinds
from annotation_schemas.model import Criterion, Derived, Schema

Ends = tuple[float | None, float | None]


def ends_of_values(criterion: Criterion) -> Ends | None:
    """The lowest and the highest value of a criterion; None where its values are no numbers."""
    return kinds.of_criterion(criterion).ends(criterion)


def find(schema: Schema, name: str | None) -> Derived | None:
    """The derived criterion of that name, if there is one."""
    return next((each for each in schema.report.derived if each.name == name), None)


def parts(schema: Schema, derived: Derived) -> tuple[Criterion, ...]:
    """The criteria of grading that it follows from, in the order in which it names them."""
    asked = {each.name: each for each in (schema.stages.grading.criteria if schema.stages.grading else ())}
    return tuple(asked[name] for name in derived.parts)


def ends(schema: Schema, derived: Derived) -> Ends:
    """The lowest and the highest value that there can be."""
    if derived.all_of:
        return 0.0, 1.0
    lots = [ends_of_values(each) or (None, None) for each in parts(schema, derived)]
    return _mean([low for low, _ in lots]), _mean([high for _, high in lots])


def dimensions(schema: Schema, derived: Derived) -> frozenset[str] | None:
    """Those in which all of its parts are asked; None: everywhere."""
    lots = [frozenset(each.dimensions) for each in parts(schema, derived) if each.dimensions is not None]
    return frozenset.intersection(*lots) if lots else None


def value(schema: Schema, derived: Derived, settled: Mapping[str, float | None]) -> float | None:
    """What follows from the settled values of one answer's parts; None if one of them is missing.

    A missing part leaves the whole open even where another one is at fault already: an answer that no one could settle
    is left out with its reason, and does not become a zero.
    """
    given = [settled.get(name) for name in derived.parts]
    known = [each for each in given if each is not None]
    if len(known) < len(given):
        return None
    if derived.mean_of:
        return sum(known) / len(known)
    highest = [(ends_of_values(each) or (None, None))[1] for each in parts(schema, derived)]
    at_highest = [one == other for one, other in zip(known, highest, strict=True)]
    wanted, others = at_highest[: len(derived.all_of)], at_highest[len(derived.all_of) :]
    return float(all(wanted) and not (others and all(others)))


def _mean(values: Sequence[float | None]) -> float | None:
    known = [each for each in values if each is not None]
    return sum(known) / len(known) if values and len(known) == len(values) else None
