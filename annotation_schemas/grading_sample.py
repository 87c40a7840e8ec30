"""The plan by which people grade models' answers: what in it contradicts itself, and what the draw is even over."""

from __future__ import annotations

from collections.abc import Sequence

from annotation_schemas import kinds
from annotation_schemas.grammar import Found, among, suggestion
from annotation_schemas.model import Grading, GradingSample, ItemField, Schema
from annotation_schemas.yaml_text import Path
from domain.english import with_noun

DIMENSION, GROUP, MODEL = "dimension", "group", "model"
"""Strata that are no fields."""
_OWN = (DIMENSION, GROUP, MODEL)
_AT: Path = ("stages", "grading", "sample")


def strata_of(plan: GradingSample) -> Sequence[str]:
    """Return the strata of the draw, the outermost first."""
    return (DIMENSION, MODEL) if plan.strata is None else plan.strata


def dimensions_of(grading: Grading, plan: GradingSample) -> Sequence[str] | None:
    """The dimensions that answers are drawn from; None: all of them."""
    return grading.dimensions if plan.dimensions is None else plan.dimensions


def most_wanted(schema: Schema) -> int | None:
    """How many answers the plan's models would have to all items that its dimensions want; None: that is not said."""
    grading = schema.stages.grading
    if grading is None or grading.sample is None or grading.sample.models is None:
        return None
    within = dimensions_of(grading, grading.sample)
    wanted = [dimension.wanted for dimension in schema.dimensions if within is None or dimension.id in within]
    known = [n for n in wanted if n is not None]
    return sum(known) * len(grading.sample.models) if len(known) == len(wanted) else None


def in_words(plan: GradingSample) -> str:
    """What the plan asks for, in a few words.

    >>> in_words(GradingSample(models=("gpt-4v",), outputs=300, strata=("dimension",)))
    '300 answers of gpt-4v, evenly over dimension'
    >>> in_words(GradingSample(items=("a", "b")))
    'all answers to 2 named items'
    """
    of = f" of {', '.join(plan.models)}" if plan.models is not None else ""
    where = f" in {', '.join(plan.dimensions)}" if plan.dimensions is not None else ""
    if plan.items is not None:
        return f"all answers{of} to {with_noun(len(plan.items), 'named item')}"
    if plan.outputs is None:
        return f"all answers{of}{where}"
    over = ", then ".join(strata_of(plan))
    return f"{with_noun(plan.outputs, 'answer')}{of}{where}" + (f", evenly over {over}" if over else "")


def check(schema: Schema) -> Found:
    """Yield the problems of the sample in a schema's grading."""
    grading = schema.stages.grading
    plan = grading.sample if grading is not None else None
    if grading is None or plan is None:
        return
    for key in ("models", "dimensions", "strata", "items"):
        names = getattr(plan, key)
        seen: set[str] = set()
        for at, name in enumerate(names or ()):
            if name in seen:
                yield (*_AT, key, at), f"`{name}` is listed twice; keep only one of these entries"
            seen.add(name)
        if names == () and key != "strata":
            yield (*_AT, key), f"the list is empty; name {key}, or remove `{key}` for no limit"
    if plan.outputs is not None and plan.outputs < 1:
        yield (*_AT, "outputs"), "the number must be at least 1"
    yield from _of_each_other(grading, plan)
    yield from _dimensions(schema, grading, plan)
    for at, name in enumerate(plan.strata or ()):
        yield from _stratum(schema, name, (*_AT, "strata", at))


def _of_each_other(grading: Grading, plan: GradingSample) -> Found:
    """Keys that say two things, or nothing."""
    if grading.outputs is not None:
        yield ("stages", "grading", "outputs"), "this stage has a `sample`; move `outputs` into the sample"
    if plan.items is not None and plan.outputs is not None:
        yield (*_AT, "items"), "a sample either names items or draws answers; remove `items` or `outputs`"
    if plan.items is not None and plan.dimensions is not None:
        yield (*_AT, "dimensions"), "the listed `items` already fix the dimensions; remove `dimensions`"
    for key in ("strata", "seed"):
        if plan.outputs is None and getattr(plan, key) is not None:
            yield (*_AT, key), f"`{key}` has no effect without `outputs`; set `outputs`, or remove `{key}`"
    if grading.order == "fewest_votes":
        message = (
            "`fewest_votes` spreads grades over many answers, but a sample completes one answer at a time; use "
            "another order"
        )
        yield ("stages", "grading", "order"), message


def _dimensions(schema: Schema, grading: Grading, plan: GradingSample) -> Found:
    known = [dimension.id for dimension in schema.dimensions]
    for at, name in enumerate(plan.dimensions or ()):
        if name not in known:
            yield (*_AT, "dimensions", at), f"`{name}` is not a dimension{among(name, known)}"
        elif grading.dimensions is not None and name not in grading.dimensions:
            yield (
                (*_AT, "dimensions", at),
                f"`{name}` is not graded; add the dimension to the `dimensions` of the stage",
            )


def _stratum(schema: Schema, name: str, path: Path) -> Found:
    fields = {field.name: field for field in schema.item.fields}
    if name == GROUP and not any(dimension.group for dimension in schema.dimensions):
        yield path, "no dimension of this schema has a `group`; add groups, or remove `group`"
    elif name not in _OWN and name not in fields:
        known = [*_OWN, *fields]
        yield path, f"`{name}` is not a field of the item{suggestion(name, known)}; you can also use {', '.join(_OWN)}"
    elif name not in _OWN and not _has_one_value(fields[name]):
        yield (
            path,
            f"`{name}` can have several values, but an answer belongs to one stratum; name a field with one value",
        )


def _has_one_value(field: ItemField) -> bool:
    return kinds.of_field(field).sliced != "entries"
