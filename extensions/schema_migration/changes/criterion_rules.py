"""Rules of the keys of criteria: what sort of change it is when the value of a key differs."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import zip_longest
from typing import Any

from annotation_schemas import kinds
from annotation_schemas.model import Criterion, ItemField
from domain.policies import criteria_that_decide
from extensions.schema_migration.changes import rows
from extensions.schema_migration.changes.rows import ChangeKind
from extensions.schema_migration.changes.rules import ComparedKey, Found, Rule, differ, in_other_order, spelled


def criterion_kind(at: ComparedKey, old: str, new: str) -> Found:
    """Compare kinds of criteria. Votes stay valid where the new kind accepts every answer to the old one."""
    if old != new:
        fits = _answers_fit(at.old_part, at.new_part)
        yield at.found(rows.CRITERION_KIND_FITS if fits else rows.CRITERION_KIND, old, new)


def _answers_fit(old: Criterion, new: Criterion) -> bool:
    """Whether every answer to a criterion is one to another: those that its schema lists, if it lists them all."""
    was, row = kinds.of_criterion(old), kinds.of_criterion(new)
    listed = was.listed(old)
    return bool(listed) and all(
        row.can_be(new, value) and (not row.typed or row.check(new, value, None, (), {}) is None) for value in listed
    )


def of_kind(rule: Rule) -> Rule:
    """A key that only some kinds take: where the kind is another, the change of the kind says it."""

    def of_both(at: ComparedKey, old: Any, new: Any) -> Found:
        parts = (at.old_part, at.new_part)
        table = kinds.FIELDS if isinstance(at.new_part, ItemField) else kinds.CRITERIA
        lists = isinstance(old, tuple) and not (old and new)
        if parts[0].kind == parts[1].kind or (
            not lists and all(at.steps[-1] in table[part.kind].keys for part in parts)
        ):
            yield from rule(at, old, new)

    return of_both


def asked_in(at: ComparedKey, old: Any, new: Any) -> Found:
    """Compare the dimensions in which a criterion is asked. A new dimension has only items that are moved into it."""
    before = {dimension.id for dimension in at.old_schema.dimensions}
    given = before if old is None else set(old)
    sources = {
        dimension.id: {name for name in before if at.moved.get(name, name) == dimension.id}
        for dimension in at.new_schema.dimensions
    }
    more = any(sources.get(name, set()) - given for name in (sources if new is None else new))
    if differ(old, new) or more:
        yield at.found(rows.ASKED_MORE if more else rows.ASKED_LESS, old, new)


def condition(at: ComparedKey, old: Mapping[str, Any], new: Mapping[str, Any]) -> Found:
    """When a criterion is asked: with every condition of before, and no further value, it is asked less."""
    if differ(old, new):
        narrower = all(name in new and set(map(spelled, new[name])) <= set(map(spelled, old[name])) for name in old)
        yield at.found(rows.ASKED_LESS if narrower else rows.ASKED_MORE, old, new)


def steps_of_scale(at: ComparedKey, old: Any, new: Any) -> Found:
    """Compare the values of a scale: each removed or added value is a change, and so is another order."""
    before, after = ([spelled(value) for value in values] for values in (old, new))
    for name, value in zip(before, old, strict=True):
        if name not in after:
            yield at.under(name).found(rows.REMOVED_OPTION, value, None)
    for name, value in zip(after, new, strict=True):
        if name not in before:
            yield at.under(name).found(rows.ADDED_OPTION, None, value)
    yield from in_other_order(at, before, after, rows.FIGURES)


def labels_of_scale(at: ComparedKey, old: Any, new: Any) -> Found:
    """Compare the labels of the values that both scales have."""
    before, after = (
        dict(zip_longest(map(spelled, part.values), part.labels)) if part.values else {}
        for part in (at.old_part, at.new_part)
    )
    shared = sorted(set(before) & set(after))
    if differ([before[name] for name in shared], [after[name] for name in shared]):
        yield at.found(rows.WORDS, old, new)


def label_of_value(added: ChangeKind, removed: ChangeKind) -> Rule:
    """A value that is there where it has a label."""

    def rule(at: ComparedKey, old: str | None, new: str | None) -> Found:
        if old != new:
            yield at.found(added if old is None else removed if new is None else rows.WORDS, old, new)

    return rule


def tolerance(at: ComparedKey, old: Any, new: Any) -> Found:
    """Compare tolerances. They affect verdicts if the criterion decides, and statistics in any case."""
    if differ(old, new):
        stages = [part for schema in (at.old_schema, at.new_schema) for part in schema.stages.verifications.values()]
        decides = any(at.new_part.name in criteria_that_decide(stage.keep) for stage in stages)
        yield at.found(rows.KEEP_RULE if decides else rows.FIGURES, old, new)
