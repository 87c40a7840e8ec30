"""Criteria that no rater is ever asked, and refinements that never end."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from annotation_schemas import kinds, registry
from annotation_schemas.ballots import ballots, some_item
from annotation_schemas.model import Criterion, Schema
from annotation_schemas.protocol_checks import Finding
from annotation_schemas.yaml_text import ERROR, WARNING, Path
from domain.comparison import same
from domain.states import VERIFICATIONS


def check_criteria(schema: Schema) -> Iterator[Finding]:
    """Yield criteria that reach no rater, and forms that are empty."""
    for stage in (*VERIFICATIONS, "refinement", "answering", "grading", "comparison", "coding"):
        criteria = registry.criteria_of(schema, stage)
        part = getattr(schema.stages, stage)
        in_stage = getattr(part, "dimensions", None)
        dimensions = [dimension.id for dimension in schema.dimensions if in_stage is None or dimension.id in in_stage]
        asked: set[str] = set()
        seen: dict[tuple[str, ...], set[str]] = {}
        empty: list[str] = []
        for dimension in dimensions:
            there = registry.criteria_of(schema, stage, dimension)
            names = tuple(criterion.name for criterion in there)
            if names not in seen:
                rules = registry.rules_of(schema, stage)
                forms = ballots(there, some_item(schema), wanted={}, deciding=(), rules=rules)
                if not forms and rules and ballots(there, some_item(schema), wanted={}, deciding=()):
                    why = f"no answers about {dimension} satisfy all of these rules; remove or narrow a rule (`when`)"
                    yield Finding(ERROR, ("stages", stage, "rules"), why)
                    return
                shown = {
                    criterion.name for criterion in there for form in forms if kinds.is_shown(criterion, form.values)
                }
                seen[names] = shown
            asked |= seen[names]
            if criteria and not seen[names]:
                empty.append(dimension)
        for index, criterion in enumerate(criteria):
            path: Path = ("stages", stage, "criteria", index)
            if criterion.name not in asked:
                yield Finding(ERROR, *_never(schema, stage, criterion, path, dimensions))
            yield from _limits(criterion, path)
            for name, accepted in criterion.show_if.items():
                yield from _condition(criteria, name, accepted, (*path, "show_if", name))
        if empty:
            yield Finding(
                ERROR,
                ("stages", stage, "criteria"),
                f"no criterion is about {', '.join(empty)}, so people would get an empty form; "
                f"add a criterion about {'this dimension' if len(empty) == 1 else 'these dimensions'}"
                + (
                    f", or leave {'it' if len(empty) == 1 else 'them'} out of the stage's `dimensions`"
                    if stage in ("grading", "comparison", "coding")
                    else ""
                ),
            )


def _never(schema: Schema, stage: str, criterion: Criterion, path: Path, dimensions: Sequence[str]) -> tuple[Path, str]:
    if criterion.dimensions is not None and not set(criterion.dimensions) & set(dimensions):
        return (*path, "dimensions"), (
            f"`{criterion.name}` is never asked, because the stage is only about {', '.join(dimensions)}; name one "
            "of these dimensions, or extend the stage's `dimensions`"
        )
    if not criterion.show_if:
        return path, (
            f"`{criterion.name}` has no possible answer, so nobody can fill in the form; "
            "make the limits fit the offered answers"
        )
    words = " and ".join(
        f"`{name}` is one of {', '.join(f'`{value}`' for value in accepted) or 'nothing'}"
        for name, accepted in criterion.show_if.items()
    )
    return (*path, "show_if"), (
        f"`{criterion.name}` is never asked, because no answers satisfy {words}; name values that can occur "
        "together, or remove `show_if`"
    )


def _limits(criterion: Criterion, path: Path) -> Iterator[Finding]:
    """More may be chosen than there is."""
    offered = len(criterion.options)
    several = kinds.of_criterion(criterion).picks_several
    if several and offered and criterion.field is None and (criterion.max or 0) > offered:
        yield Finding(
            WARNING,
            (*path, "max"),
            f"this limit has no effect, because only {offered} answers are offered; lower or remove the limit",
        )


def _condition(criteria: Sequence[Criterion], name: str, accepted: Sequence[Any], path: Path) -> Iterator[Finding]:
    on = next((criterion for criterion in criteria if criterion.name == name), None)
    if on is None or not accepted:
        return
    shown = ", ".join(f"`{value}`" for value in accepted)
    if kinds.of_criterion(on).in_words:
        yield Finding(
            ERROR,
            path,
            f"raters see this criterion only if they type exactly {shown} under `{name}`, but raters do not know "
            "this condition; make the earlier criterion a `choice`, or remove `show_if`",
        )
    elif on.field is not None:
        yield Finding(
            WARNING,
            path,
            f"raters see this criterion only if an item's `{on.field}` has exactly {shown} and they choose this "
            "entry; to show the criterion always, remove `show_if`",
        )


def check_refinement(schema: Schema) -> Iterator[Finding]:
    """Yield a finding if no answers make an item done."""
    stage = schema.stages.refinement
    if stage is None or not stage.done:
        return
    for dimension in schema.dimensions:
        criteria = registry.criteria_of(schema, "refinement", dimension.id)
        wanted = {name: [value] for name, value in stage.done.items()}
        forms = ballots(criteria, some_item(schema), wanted=wanted, deciding=tuple(stage.done), rules=stage.rules)
        if not any(all(same(form.values.get(name), value) for name, value in stage.done.items()) for form in forms):
            answers = ", ".join(f"{name}: {value}" for name, value in stage.done.items())
            yield Finding(
                ERROR,
                ("stages", "refinement", "done"),
                f"no item of {dimension.id} is ever done, because the answers {answers} cannot occur together; name "
                "answers of criteria that are asked together",
            )
            return
