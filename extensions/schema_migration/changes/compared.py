"""Comparison of two schemas: renamed parts first, then every key, then the decisions."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import yaml
from pydantic import BaseModel

from annotation_schemas import kinds, registry
from annotation_schemas.grammar import suggestion
from annotation_schemas.keys import key_field
from annotation_schemas.model import Criterion, ItemField, Scalar, Schema
from domain.english import with_noun
from domain.errors import InvalidInputError, Problem
from extensions.schema_migration.changes import rows
from extensions.schema_migration.changes.comparison import Change, ChangeDecision, Comparison, Uses
from extensions.schema_migration.changes.decisions import Decision, Decisions
from extensions.schema_migration.changes.grammar_keys import KEYS
from extensions.schema_migration.changes.renames import with_names, with_option
from extensions.schema_migration.changes.rows import DecisionKind
from extensions.schema_migration.changes.rules import ComparedKey, Found, spelled

_SORTS = {
    rows.RENAME_DIMENSION: "dimensions",
    rows.RENAME_ASSET: "assets",
    rows.RENAME_FIELD: "fields",
    rows.RENAME_CRITERION: "criteria",
}
"""The sort of part that each way renames."""


def compare(
    old: Schema,
    new: Schema,
    *,
    old_guideline: str = "",
    new_guideline: str = "",
    decisions: Decisions | None = None,
    uses: Uses | None = None,
) -> Comparison:
    """Return the differences between two schemas, with the decisions that they need and have.

    Parts are matched by names, IDs and values, not by position. ``uses`` gives the stored data that a change affects.
    A change without such data needs no decision. Without ``uses``, all changes count as affecting data.

    Raises
    ------
    InvalidInputError
        Decisions match no change, or name something unknown; a sentence for each.
    """
    decisions = decisions or Decisions()
    renamed, problems, base = _with_renames(old, new, decisions.renames)
    moves = [decision for decision in decisions.made if decision.way is rows.MOVE_ITEMS]
    moved = {move.subject.removeprefix("dimensions."): str(move.target) for move in moves}
    at = ComparedKey(base, new, walk=_walk, moved=moved)
    changes = [*renamed, *_walk(at, base, new), *_key_moved(at)]
    if old_guideline != new_guideline:
        lines = [with_noun(len(text.splitlines()), "line") if text else None for text in (old_guideline, new_guideline)]
        changes.append(Change(("guideline",), rows.GUIDELINE, lines[0], lines[1]))
    if changes and old.version == new.version:
        changes.insert(0, Change(("version",), rows.SAME_VERSION, old.version, new.version))
    comparison = Comparison(base, new, tuple(changes))
    full_changes = [replace(change, hint=change.hint or _hint(comparison, change)) for change in changes]
    if uses is not None:
        full_changes = [replace(change, used=uses.behind(change)) for change in full_changes]
    other_decisions = [decision for decision in decisions.made if not decision.way.renames]
    decided, unfit = _decided(replace(comparison, changes=tuple(full_changes)), other_decisions)
    if problems or unfit:
        raise InvalidInputError([*problems, *unfit])
    return decided


def targets(comparison: Comparison, change: Change, way: DecisionKind) -> tuple[Scalar, ...]:
    """Return the possible targets of a decision. Empty if it needs no target, or accepts any valid one."""
    if way is rows.MAP or way is rows.RENAME_OPTION:
        new = _values(_owner(comparison.new, change.steps))
        was = set(map(spelled, _values(_owner(comparison.old, change.steps))))
        return new if way is rows.MAP else tuple(value for value in new if spelled(value) not in was)
    if way is rows.MOVE_ITEMS:
        return tuple(dimension.id for dimension in comparison.new.dimensions)
    if way in _SORTS:
        before, after = (_names(schema, _SORTS[way]) for schema in (comparison.old, comparison.new))
        return tuple(name for name in after if name not in before)
    return ()


# ---- every key ------------------------------------------------------------------------------------------------------


def _walk(at: ComparedKey, old: BaseModel, new: BaseModel) -> Found:
    for key, rule in KEYS[type(new)].items():
        place = replace(at, old_part=old, new_part=new).under(key)
        yield from rule(place, getattr(old, key), getattr(new, key))


def _key_moved(at: ComparedKey) -> Found:
    """Yield a change of the items' key field that no keep rule names."""
    before, after = key_field(at.old_schema), key_field(at.new_schema)
    stages = [schema.stages.verification for schema in (at.old_schema, at.new_schema)]
    in_rule = all(stage is not None and stage.keep.key is not None for stage in stages)
    if before is not None and after is not None and before != after and not in_rule:
        yield at.under("item", "fields", before).found(rows.KEY_FIELD, before, after)


# ---- names ----------------------------------------------------------------------------------------------------------


def _names(schema: Schema, sort: str) -> dict[str, tuple[str, ...]]:
    """Return the parts of one sort, by name, with their paths."""
    if sort == "criteria":
        stages = [stage for stage in type(schema.stages).model_fields if registry.criteria_of(schema, stage)]
        return {
            criterion.name: ("stages", stage, "criteria", criterion.name)
            for stage in stages
            for criterion in registry.criteria_of(schema, stage)
        }
    if sort == "dimensions":
        return {dimension.id: ("dimensions", dimension.id) for dimension in schema.dimensions}
    if sort == "assets":
        return {asset.role: ("item", "assets", asset.role) for asset in schema.item.assets}
    return {field.name: ("item", "fields", field.name) for field in schema.item.fields}


def _with_renames(old: Schema, new: Schema, renames: Sequence[Decision]) -> tuple[list[Change], list[Problem], Schema]:
    """Return the changes by renaming, their problems, and the old schema with the new names."""
    changes: list[Change] = []
    problems: list[Problem] = []
    names: dict[str, dict[str, str]] = {sort: {} for sort in _SORTS.values()}
    for rename in renames:
        if rename.way is rows.RENAME_OPTION:
            continue
        sort, target = _SORTS[rename.way], rename.target or ""
        before, after = _names(old, sort), _names(new, sort)
        wrong = _no_rename(rename, rename.subject, target, list(before), list(after))
        if wrong is None and target in names[sort].values():
            wrong = f"{rename}: the name `{target}` is already in use. Choose another name."
            if rename.way is rows.RENAME_DIMENSION:
                wrong += f" To merge dimensions, use {rows.MOVE_ITEMS.option} {rename.subject}={target}."
        if wrong is not None:
            problems.append(Problem(rename.way.name, wrong))
            continue
        names[sort][rename.subject] = target
        in_files = rename.way in (rows.RENAME_FIELD, rows.RENAME_ASSET)
        hint = _in_files(old, new, rename.subject, target) if in_files else ""
        decided = ChangeDecision(rename.way, target)
        changes.append(Change(before[rename.subject], rows.RENAMED, rename.subject, target, hint, decided=decided))
    base = with_names(old, names)
    for rename in renames:
        if rename.way is rows.RENAME_OPTION:
            renamed = _rename_option(base, new, names["criteria"], rename)
            if isinstance(renamed, Problem):
                problems.append(renamed)
            else:
                base, change = renamed
                changes.append(change)
    return changes, problems, base


def _in_files(old: Schema, new: Schema, name: str, now: str) -> str:
    """Return a sentence about the name of a renamed field or role in files, if it changes."""
    if old.source is None or new.source is None:
        return ""
    before, after = old.source.fields.get(name, name), new.source.fields.get(now, now)
    if before == after:
        return ""
    return (
        f"Files would also use the new name `{after}`. To keep `{before}` in files, add `{now}: {before}` "
        "to `source: fields` of the new schema."
    )


def _rename_option(
    base: Schema, new: Schema, criteria: Mapping[str, str], decision: Decision
) -> tuple[Schema, Change] | Problem:
    name, _, value = decision.subject.partition(":")
    places = [
        place for sort in ("criteria", "fields") for known, place in _names(base, sort).items()
        if known in (name, criteria.get(name)) and _owner(new, place) is not None
    ]  # fmt: skip
    for place in places:
        owner, after = _owner(base, place), _owner(new, place)
        before, now = ({spelled(value): value for value in _values(part)} for part in (owner, after))
        wrong = _no_rename(decision, value, decision.target or "", list(before), list(now))
        if wrong is None and owner is not None:
            key = "options" if owner.options else "values"
            target = now[decision.target or ""]
            decided = ChangeDecision(decision.way, target)
            change = Change((*place, key, value), rows.RENAMED, before[value], target, decided=decided)
            return with_option(base, owner, before[value], target), change
        if place == places[-1]:
            return Problem(decision.way.name, wrong or "")
    return Problem(decision.way.name, f"{decision}: no criterion or field `{name}` is in both schemas. Check the name.")


def _no_rename(decision: Decision, old: str, new: str, before: Sequence[str], after: Sequence[str]) -> str | None:
    """Return the reason why a rename is impossible, as a sentence, or None."""
    if old not in before:
        return f"{decision}: the old schema has no `{old}`{suggestion(old, before) or '.'} Check the name."
    if old in after:
        return (
            f"{decision}: the new schema still has `{old}`. Remove this decision, or remove the old name from the "
            "new schema."
        )
    if new not in after:
        return f"{decision}: the new schema has no `{new}`{suggestion(new, after) or '.'} Check the name."
    return (
        f"{decision}: the old schema also has `{new}`. Remove this decision, or choose another new name."
        if new in before
        else None
    )


def _owner(schema: Schema, steps: Sequence[str]) -> Criterion | ItemField | None:
    """Return the criterion or field at a path, or the one that contains it."""
    match tuple(steps):
        case ("stages", stage, "criteria", name, *_):
            return next(
                (criterion for criterion in registry.criteria_of(schema, stage) if criterion.name == name), None
            )
        case ("item", "fields", name, *_):
            return next((field for field in schema.item.fields if field.name == name), None)
    return None


def _values(owner: Criterion | ItemField | None) -> tuple[Scalar, ...]:
    if owner is None:
        return ()
    return (*(option.value for option in owner.options), *(owner.values if isinstance(owner, Criterion) else ()))


def _hint(comparison: Comparison, change: Change) -> str:
    """Return a hint about a possible rename: a new part has a similar name, or is the only new one."""
    way = next((decision for decision in change.row.decisions if decision.renames), None)
    known = [spelled(target) for target in targets(comparison, change, way)] if way is not None else []
    if way is None or not known:
        return ""
    near = difflib.get_close_matches(change.steps[-1], known, n=1) or (known if len(known) == 1 else [])
    return f"If the new name is `{near[0]}`, use `{way.option} {change.short}={near[0]}`." if near else ""


# ---- decisions ------------------------------------------------------------------------------------------------------


def _decided(comparison: Comparison, decisions: Sequence[Decision]) -> tuple[Comparison, list[Problem]]:
    changes = list(comparison.changes)
    problems = []
    for decision in decisions:
        about = [place for place, change in enumerate(changes) if _fits(decision, change)]
        value: Any = None
        wrong = _unfit(decision, [changes[place] for place in about], comparison)
        if wrong is None and decision.way.has_target:
            wrong, value = _target(comparison, changes[about[0]], decision)
        if wrong is not None:
            problems.append(Problem(decision.way.name, wrong))
            continue
        for place in about:
            changes[place] = replace(changes[place], decided=ChangeDecision(decision.way, value))
    return replace(comparison, changes=tuple(changes)), problems


def _fits(decision: Decision, change: Change) -> bool:
    names = (change.path, change.short) if decision.way.has_target else (
        change.path, change.short, change.short.partition(":")[0]
    )  # fmt: skip
    return decision.way in change.row.decisions and decision.subject in names


def _unfit(decision: Decision, about: Sequence[Change], comparison: Comparison) -> str | None:
    """Return the reason why a decision matches no change, or several parts, as a sentence, or None."""
    if not about:
        names = [change.short for change in comparison.changes if decision.way in change.row.decisions]
        known = (
            f" You can use this option for {', '.join(dict.fromkeys(names))}."
            if names
            else " No change needs this decision. Remove the decision."
        )
        return f"{decision} matches no change{suggestion(decision.subject, names) or '.'}{known}"
    things = dict.fromkeys(_thing(change) for change in about)
    if len(things) > 1:
        return f"{decision} matches several changes. Use a longer name: {', '.join(change.path for change in about)}."
    if any(change.decided is not None for change in about):
        return f"{decision}: this change already has another decision. Remove one of the decisions."
    return None


def _thing(change: Change) -> tuple[str, ...]:
    """Return the part that a change belongs to: a criterion, a field, an image, a dimension, a stage."""
    return change.steps[: 4 if "criteria" in change.steps[2:3] else 3 if change.steps[0] == "item" else 2]


def _target(comparison: Comparison, change: Change, decision: Decision) -> tuple[str | None, Any]:
    """Return the problem with a decision's target as a sentence, or None, and the value of the target."""
    if decision.way is rows.FILL:
        return _filling(_owner(comparison.new, change.steps), decision)
    known = {spelled(target): target for target in targets(comparison, change, decision.way)}
    target = decision.target or ""
    if target not in known:
        return f"{decision}: `{target}` does not exist; {_are(list(known))}.", None
    return None, known[target]


def _are(names: Sequence[str]) -> str:
    return f"the only choice is {names[0]}" if len(names) == 1 else f"the choices are {', '.join(names)}"


def _filling(field: Criterion | ItemField | None, decision: Decision) -> tuple[str | None, Any]:
    """Return the value that items get: the text itself, or its reading as YAML."""
    if not isinstance(field, ItemField):
        return f"{decision}: `{decision.subject}` is not a field. Name a field.", None
    row, text = kinds.of_field(field), decision.target or ""
    wrong: str | None = None
    for value in _readings(text):
        wrong = None if row.chosen else row.check(field, value, {})
        if wrong is None:
            return None, value
    return f"{decision}: {wrong}", None


def _readings(text: str) -> Iterator[Any]:
    yield text
    try:
        yield yaml.safe_load(text)
    except yaml.YAMLError:
        return
