"""Renaming in a schema: a part gets its new name everywhere the schema refers to it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel

from annotation_schemas.model import Choice, Criterion, ItemField, Keep, KeepPart, Refinement, Scalar, Schema
from domain.comparison import same
from domain.policies import criteria_that_decide

Names = Mapping[str, Mapping[str, str]]
"""New names by the old ones, of each sort: dimensions, assets, fields, criteria."""

_REFERS: Mapping[tuple[str, str], tuple[str, ...]] = {
    ("Dimension", "id"): ("dimensions",),
    ("AssetSlot", "role"): ("assets",),
    ("AssetSlot", "alt"): ("fields",),
    ("ItemField", "name"): ("fields",),
    ("ItemField", "field"): ("fields",),
    ("ItemField", "form"): ("fields",),
    ("ItemField", "drawn"): ("fields",),
    ("ItemField", "role"): ("assets",),
    ("ItemField", "by_dimension"): ("dimensions",),
    ("Wording", "not_in"): ("fields",),
    ("Criterion", "name"): ("criteria",),
    ("Criterion", "field"): ("fields",),
    ("Criterion", "of"): ("fields",),
    ("Criterion", "role"): ("assets",),
    ("Criterion", "dimensions"): ("dimensions",),
    ("Criterion", "show_if"): ("criteria",),
    ("Keep", "criterion"): ("criteria",),
    ("Keep", "criteria"): ("criteria",),
    ("Keep", "key"): ("fields",),
    ("Keep", "values"): ("criteria",),
    ("KeepPart", "criterion"): ("criteria",),
    ("CrossRule", "of"): ("criteria", "fields"),
    ("CrossRule", "when"): ("criteria", "fields"),
    ("KeepPart", "key"): ("fields",),
    ("Refinement", "done"): ("criteria",),
    ("GradingSample", "dimensions"): ("dimensions",),
    ("GradingSample", "strata"): ("fields",),
    ("Answering", "dimensions"): ("dimensions",),
    ("Answering", "shows"): ("fields",),
    ("Grading", "dimensions"): ("dimensions",),
    ("Grading", "shows"): ("fields",),
    ("Comparison", "dimensions"): ("dimensions",),
    ("Comparison", "shows"): ("fields",),
    ("CodedAnswers", "criterion"): ("criteria",),
    ("Coding", "dimensions"): ("dimensions",),
    ("Judge", "criteria"): ("criteria",),
    ("Judge", "dimensions"): ("dimensions",),
    ("Judge", "sees"): ("fields", "assets"),
    ("Source", "fields"): ("fields", "assets"),
    ("DerivedCriterion", "all_of"): ("criteria",),
    ("DerivedCriterion", "not_all_of"): ("criteria",),
    ("DerivedCriterion", "mean_of"): ("criteria",),
    ("Pairs", "pair"): ("fields",),
    ("Pairs", "variant"): ("fields",),
    ("SuccessRegression", "success"): ("criteria",),
    ("SuccessRegression", "task"): ("fields",),
    ("Report", "scales"): ("criteria",),
    ("Export", "public_without"): ("fields",),
    ("Floor", "criterion"): ("criteria",),
}
"""Keys that name something: as their value, the entries of a list, or the keys of a mapping."""
_REFERS_BY_VALUE: Mapping[tuple[str, str], tuple[str, ...]] = {
    ("Judge", "fills"): ("fields", "assets"),
    ("Models", "variants"): ("dimensions",),
}
"""Mappings whose values are names of parts."""


def with_names(schema: Schema, names: Names) -> Schema:
    """The schema with other names."""
    renamed: Schema = _renamed(schema, names)
    return renamed


def _renamed(part: Any, names: Names) -> Any:
    if isinstance(part, tuple):
        return tuple(_renamed(member, names) for member in part)
    if not isinstance(part, BaseModel):
        return part
    updates: dict[str, Any] = {}
    for key in type(part).model_fields:
        place, value = (type(part).__name__, key), getattr(part, key)
        if place in _REFERS:
            updates[key] = _named(value, names, _REFERS[place])
        elif place in _REFERS_BY_VALUE:
            updates[key] = {name: _named(member, names, _REFERS_BY_VALUE[place]) for name, member in value.items()}
        else:
            updates[key] = _renamed(value, names)
    return part.model_copy(update=updates)


def _named(value: Any, names: Names, sorts: tuple[str, ...]) -> Any:
    if isinstance(value, Mapping):
        return {_named(name, names, sorts): member for name, member in value.items()}
    if isinstance(value, tuple):
        return tuple(_named(member, names, sorts) for member in value)
    return next((names[sort][value] for sort in sorts if value in names.get(sort, {})), value)


def with_option(schema: Schema, owner: Criterion | ItemField, old: Scalar, new: Scalar) -> Schema:
    """The schema in which an option of a criterion or of a field has another value."""
    valued: Schema = _valued(schema, owner, old, new)
    return valued


def _valued(part: Any, owner: Criterion | ItemField, old: Scalar, new: Scalar) -> Any:
    if isinstance(part, tuple):
        return tuple(_valued(member, owner, old, new) for member in part)
    if not isinstance(part, BaseModel):
        return part

    def value(given: Any) -> Any:
        return new if given is not None and same(given, old) else given

    def values(given: Mapping[str, Any]) -> dict[str, Any]:
        return {
            name: tuple(map(value, member)) if isinstance(member, tuple) else value(member)
            for name, member in given.items()
        }

    def of_owner(given: Mapping[str, Any]) -> dict[str, Any]:
        return {name: values({name: member})[name] if name == owner.name else member for name, member in given.items()}

    updates = {key: _valued(getattr(part, key), owner, old, new) for key in type(part).model_fields}
    if part is owner:
        updates["options"] = tuple(_option(option, value) for option in owner.options)
        if isinstance(owner, Criterion):
            updates["values"] = tuple(map(value, owner.values))
        else:
            updates["by_dimension"] = values(owner.by_dimension)
    elif isinstance(owner, ItemField):
        if isinstance(part, ItemField) and part.form == owner.name:
            updates["forms"] = {str(value(name)): form for name, form in part.forms.items()}
    elif isinstance(part, Criterion):
        updates["show_if"] = of_owner(part.show_if)
    elif isinstance(part, Refinement):
        updates["done"] = of_owner(part.done)
    elif isinstance(part, KeepPart):
        updates["value"] = value(part.value) if part.criterion == owner.name else part.value
    elif isinstance(part, Keep):
        updates["values"] = of_owner(part.values)
        if owner.name in criteria_that_decide(part):
            updates["value"] = value(part.value)
    return part.model_copy(update=updates)


def _option(option: Choice, value: Any) -> Choice:
    return option.model_copy(update={"value": value(option.value)})
