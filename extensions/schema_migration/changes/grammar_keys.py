"""Every key of the grammar, with what sort of change it is when its value differs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import BaseModel

from annotation_schemas import kinds, model
from annotation_schemas.model import AssetSlot, CrossRule, ItemField
from domain.states import VERIFICATIONS
from extensions.schema_migration.changes import rows
from extensions.schema_migration.changes.criterion_rules import (
    asked_in,
    condition,
    criterion_kind,
    label_of_value,
    labels_of_scale,
    of_kind,
    steps_of_scale,
    tolerance,
)
from extensions.schema_migration.changes.rows import ChangeKind
from extensions.schema_migration.changes.rules import (
    ComparedKey,
    Found,
    Rule,
    always_there,
    as_is,
    differ,
    entries,
    least,
    most,
    one_of_two,
    part,
    spelled,
    switched,
)

_BOUNDS = ("low", "value", "high")
"""The numbers that may be compared with a limit (``export: shortcuts: bound``), from the least strict on."""


def _named_by(at: ComparedKey, old: Any, new: Any) -> Found:
    """The name by which two parts were found to be the same: whatever differs in it is a rename, told elsewhere."""
    yield from ()


# ---- items ----------------------------------------------------------------------------------------------------------


def _field_kind(at: ComparedKey, old: str, new: str) -> Found:
    if old != new:
        yield at.found(rows.FIELD_KIND_FITS if _values_fit(at.old_part, at.new_part) else rows.FIELD_KIND, old, new)


def _values_fit(old: ItemField, new: ItemField) -> bool:
    """Whether every value of a field is one of another, whatever items hold: what no schema limits does not tell."""
    was, row = kinds.of_field(old), kinds.of_field(new)
    if was.of_options:
        return all(row.check(new, option.value, {}) is None for option in old.options)
    return was.written and row.written and row.several_rows


def _allowed_by_dimension(at: ComparedKey, old: Mapping[str, Any], new: Mapping[str, Any]) -> Found:
    fits = all(to not in new or _wider(old, name, new[to]) for name, to in at.moved.items())
    if differ(old, new) or not fits:
        wider = fits and all(_wider(old, name, now) for name, now in new.items())
        yield at.found(rows.WIDER_ITEM if wider else rows.FIELD_LIMITS, old, new)


def _wider(old: Mapping[str, Any], name: str, now: Any) -> bool:
    return name in old and set(map(spelled, old[name])) <= set(map(spelled, now))


def _added_asset(at: ComparedKey, slot: AssetSlot) -> ChangeKind:
    return rows.ADDED_ASSET if slot.min == 0 else rows.ASSET_LIMITS


def _added_field(at: ComparedKey, field: ItemField) -> ChangeKind:
    return rows.FIELD_NEEDED if field.required else rows.ADDED_FIELD


# ---- stages ---------------------------------------------------------------------------------------------------------


def _key_of_votes(at: ComparedKey, old: str | None, new: str | None) -> Found:
    if old != new:
        yield at.found(rows.KEEP_RULE if old is None or new is None else rows.KEY_FIELD, old, new)


def _settling(at: ComparedKey, old: Any, new: Any) -> Found:
    """Compare whether people settle items with split votes. Without votes, there are no such items."""
    was = at.old_schema.stages.verification is not None
    yield from part(rows.SETTLING if was else rows.ADDED_STAGE, rows.SETTLING)(at, old, new)


def _fewer_rules(old: Sequence[CrossRule], new: Sequence[CrossRule]) -> bool:
    """Whether whatever held before holds now; another sentence is no other rule."""
    old_rules = [rule.model_copy(update={"say": ""}) for rule in old]
    return all(rule.model_copy(update={"say": ""}) in old_rules for rule in new)


def _whatever(row: ChangeKind) -> Rule:
    """Return the rule for a part whose keys all cause the same kind of change, even when the part is
    added or removed.
    """
    return part(row, row)


_STAGE = part(rows.ADDED_STAGE, rows.REMOVED_STAGE)
_REASONS = entries("value", added=rows.ADDED_REASON, removed=rows.REMOVED_REASON)
_CRITERIA = entries("name", added=rows.ADDED_CRITERION, removed=rows.REMOVED_CRITERION)
_RULES = one_of_two(rows.WIDER_CRITERION, rows.CRITERION_LIMITS, _fewer_rules)
_RATERS = one_of_two(rows.RATERS_RAISED, rows.RATERS_LOWERED, lambda old, new: new > old)
_ASKED = one_of_two(rows.ASKED_MORE, rows.ASKED_LESS, lambda old, new: bool(new))
_CRITERION_LEAST = of_kind(least(rows.CRITERION_LIMITS, rows.WIDER_CRITERION))
_CRITERION_MOST = of_kind(most(rows.CRITERION_LIMITS, rows.WIDER_CRITERION))
_STEP = of_kind(one_of_two(rows.WIDER_CRITERION, rows.CRITERION_LIMITS, lambda old, new: new is None))
_LENGTH = of_kind(one_of_two(rows.WIDER_ITEM, rows.FIELD_LIMITS, lambda old, new: new is None))
_TAKEN_FROM = of_kind(as_is(rows.TAKEN_FROM))


def _all(row: ChangeKind, *keys: str) -> dict[str, Rule]:
    return dict.fromkeys(keys, as_is(row))


KEYS: Mapping[type[BaseModel], Mapping[str, Rule]] = {
    model.Schema: {
        "name": as_is(rows.OTHER_SCHEMA),
        "version": as_is(rows.VERSION),
        "title": as_is(rows.WORDS),
        "guideline": as_is(rows.WORDS),
        "source": _whatever(rows.IMPORTS),
        "dimensions": entries("id", added=rows.ADDED_DIMENSION, removed=rows.REMOVED_DIMENSION),
        "item": always_there,
        "stages": always_there,
        "judges": entries(
            lambda judge: f"{judge.name}@{judge.model}" if judge.model else judge.name,
            added=rows.JUDGES,
            removed=rows.JUDGES,
        ),
        "models": _whatever(rows.MODELS),
        "translations": as_is(rows.WORDS),
        "report": always_there,
        "export": always_there,
    },
    model.Source: _all(rows.IMPORTS, "format", "id", "fields", "separator", "places", "media"),
    model.Dimension: {
        "id": _named_by,
        **_all(rows.WORDS, "title", "definition"),
        **_all(rows.FIGURES, "group"),
        **_all(rows.TARGET, "wanted"),
        **_all(rows.EXPORTS, "folder", "named"),
    },
    model.Item: {
        "assets": entries("role", added=_added_asset, removed=rows.REMOVED_ASSET),
        "fields": entries("name", added=_added_field, removed=rows.REMOVED_FIELD),
        "rules": one_of_two(rows.WIDER_ITEM, rows.FIELD_LIMITS, _fewer_rules),
    },
    model.AssetSlot: {
        "role": _named_by,
        "kind": as_is(rows.ASSET_KIND),
        "min": least(rows.ASSET_LIMITS, rows.WIDER_ITEM),
        "max": most(rows.ASSET_LIMITS, rows.WIDER_ITEM),
        **_all(rows.WORDS, "alt"),
    },
    model.Choice: {"value": _named_by, **_all(rows.WORDS, "label", "help"), "reasons": _REASONS},
    model.ItemField: {
        "name": _named_by,
        "kind": _field_kind,
        **_all(rows.WORDS, "title", "help"),
        "required": switched(rows.FIELD_NEEDED, rows.WIDER_ITEM),
        "options": of_kind(entries("value", added=rows.WIDER_ITEM, removed=rows.REMOVED_VALUE)),
        "field": _TAKEN_FROM,
        **dict.fromkeys(("form", "forms"), of_kind(as_is(rows.FIELD_LIMITS))),
        "drawn": _TAKEN_FROM,
        "by_dimension": of_kind(_allowed_by_dimension),
        "length": _LENGTH,
        "min_length": of_kind(least(rows.FIELD_LIMITS, rows.WIDER_ITEM)),
        "max_length": of_kind(most(rows.FIELD_LIMITS, rows.WIDER_ITEM)),
        "role": _TAKEN_FROM,
        "cover": of_kind(as_is(rows.SHOWN)),
        "distinct": of_kind(switched(rows.FIELD_LIMITS, rows.WIDER_ITEM)),
        "authored": as_is(rows.HANDING_OUT),
        "secret_in": as_is(rows.SHOWN),
        "read_as": of_kind(as_is(rows.READING)),
        "unit": of_kind(as_is(rows.UNIT_OF_FIELD)),
        "min": of_kind(least(rows.FIELD_LIMITS, rows.WIDER_ITEM)),
        "max": of_kind(most(rows.FIELD_LIMITS, rows.WIDER_ITEM)),
        "step": _LENGTH,
        "tolerance": of_kind(as_is(rows.FIGURES)),
        "none": of_kind(label_of_value(rows.WIDER_ITEM, rows.REMOVED_VALUE)),
        "language": as_is(rows.WORDS),
        "wording": _whatever(rows.WORDING),
    },
    model.WordLimits: _all(rows.WORDING, "least", "most"),
    model.Wording: {
        **_all(
            rows.WORDING, "person", "forbidden", "ends_with", "not_in", "alike_length", "no_rewording", "stops"
        ),
        "words": _whatever(rows.WORDING),
    },
    model.Skip: {**_all(rows.WORDS, "label"), "reasons": _REASONS},
    model.Aspect: {"name": _named_by, **_all(rows.WORDS, "title", "definition")},
    model.PlanAction: {
        "name": _named_by,
        **_all(rows.WORDS, "help"),
        **_all(rows.PLAN_RULES, "objects", "needs", "makes", "ends", "turns", "states"),
    },
    model.Criterion: {
        "name": _named_by,
        "kind": criterion_kind,
        **_all(rows.WORDS, "prompt", "help"),
        "options": of_kind(entries("value", added=rows.ADDED_OPTION, removed=rows.REMOVED_OPTION)),
        "field": _TAKEN_FROM,
        "values": of_kind(steps_of_scale),
        "min": _CRITERION_LEAST,
        "max": _CRITERION_MOST,
        "step": _STEP,
        "unit": of_kind(as_is(rows.UNIT)),
        "tolerance": of_kind(tolerance),
        **dict.fromkeys(("none", "cannot_tell"), of_kind(label_of_value(rows.WIDER_CRITERION, rows.REMOVED_OPTION))),
        "of": _TAKEN_FROM,
        "actions": of_kind(entries("name", added=rows.PLAN_RULES, removed=rows.PLAN_RULES)),
        **dict.fromkeys(("begins", "says", "follows"), of_kind(as_is(rows.PLAN_RULES))),
        "labels": of_kind(labels_of_scale),
        "role": _TAKEN_FROM,
        "aspects": entries("name", added=rows.WORDS, removed=rows.WORDS),
        "dimensions": asked_in,
        "required": _ASKED,
        "show_if": condition,
        "skip": part(rows.WIDER_CRITERION, rows.REMOVED_SKIP),
    },
    model.CrossRule: _all(rows.CRITERION_LIMITS, "rule", "of", "when", "say"),
    model.Keep: {
        **_all(rows.KEEP_RULE, "rule", "criterion", "criteria", "value", "values"),
        "key": _key_of_votes,
        "parts": entries("criterion", added=rows.KEEP_RULE, removed=rows.KEEP_RULE),
    },
    model.KeepPart: {
        "criterion": _named_by,
        **_all(rows.KEEP_RULE, "value", "at_least", "at_most"),
        "key": _key_of_votes,
    },
    model.Tolerance: _all(rows.FIGURES, "absolute", "relative", "within", "iou"),
    model.Skips: _all(rows.SKIPS, "after", "then"),
    model.Qualification: _all(
        rows.GATES, "items", "reviewers", "pass_mark", "against", "retry_after_hours", "attempts"
    ),
    model.Gold: _all(rows.GATES, "rate", "after", "warn_below", "stop_below"),
    model.Triage: {**_all(rows.HANDING_OUT, "per_source"), "reasons": _REASONS},
    model.Authoring: _all(
        rows.HANDING_OUT, "people", "dimensions_per_person", "people_per_dimension", "per_source"
    ),
    model.Verification: {
        **_all(rows.WORDS, "title"),
        "raters": _RATERS,
        **_all(rows.GATES, "by", "again"),
        **_all(rows.SETTLING, "contested"),
        **_all(rows.HANDING_OUT, "shuffle", "order"),
        **_all(rows.SHOWN, "show_others"),
        "criteria": _CRITERIA,
        "rules": _RULES,
        "keep": always_there,
        "skips": _whatever(rows.SKIPS),
        **dict.fromkeys(("qualification", "gold"), _whatever(rows.GATES)),
    },
    model.Adjudication: {**_all(rows.GATES, "by"), "reasons": _REASONS, **_all(rows.HANDING_OUT, "edit")},
    model.Refinement: {"criteria": _CRITERIA, "rules": _RULES, **_all(rows.REFINEMENT_END, "until", "done")},
    model.GradingSample: _all(
        rows.GRADING_SAMPLE, "models", "dimensions", "outputs", "strata", "seed", "items"
    ),
    model.Answering: {
        "people": _RATERS,
        "criteria": _CRITERIA,
        **_all(rows.WHICH_WORK, "items", "dimensions", "per_dimension"),
        **_all(rows.SHOWN, "shows"),
        **_all(rows.HANDING_OUT, "order"),
    },
    model.Grading: {
        "raters": _RATERS,
        **_all(rows.HANDING_OUT, "shuffle", "order"),
        **_all(rows.SHOWN, "show_others"),
        "criteria": _CRITERIA,
        "rules": _RULES,
        **_all(rows.WHICH_WORK, "outputs", "dimensions"),
        "sample": _whatever(rows.GRADING_SAMPLE),
        **_all(rows.FIGURES, "combine"),
        **_all(rows.SHOWN, "shows"),
        **dict.fromkeys(("qualification", "gold"), _whatever(rows.GATES)),
    },
    model.Comparison: {
        "raters": _RATERS,
        **_all(rows.SHOWN, "show_others"),
        "criteria": _CRITERIA,
        "rules": _RULES,
        **_all(rows.WHICH_WORK, "models", "per_item", "dimensions"),
        **_all(rows.SHOWN, "shows"),
    },
    model.CodedAnswers: _all(rows.WHICH_WORK, "score", "criterion", "judge", "below", "items"),
    model.Coding: {
        "raters": _RATERS,
        "criteria": _CRITERIA,
        "rules": _RULES,
        "of": always_there,
        **_all(rows.WHICH_WORK, "outputs", "dimensions"),
        **_all(rows.SETTLING, "arbitration"),
    },
    model.Stages: {
        **dict.fromkeys(
            ("triage", "authoring", "refinement", "answering", "grading", "comparison", "coding"), _STAGE
        ),
        "verification": part(rows.ADDED_VERIFICATION, rows.REMOVED_STAGE),
        **dict.fromkeys(VERIFICATIONS[1:], part(rows.ADDED_ROUND, rows.REMOVED_STAGE)),
        "adjudication": _settling,
    },
    model.Judge: _all(
        rows.JUDGES, "name", "criteria", "dimensions", "template", "parser", "sees", "fills", "values", "model",
        "temperature", "max_tokens", "extra_body", "headers",
    ),
    model.Models: _all(
        rows.MODELS, "strategy", "prompts", "variants", "prompt_seed", "score", "temperature", "max_tokens", "clips",
        "extra_body", "headers",
    ),
    model.DerivedCriterion: {"name": _named_by, **_all(rows.FIGURES, "all_of", "not_all_of", "mean_of")},
    model.VerdictRule: _all(
        rows.FIGURES, "units", "people", "reliability", "margin", "association", "constant", "test", "epsilon"
    ),
    model.Pairs: _all(rows.FIGURES, "pair", "variant"),
    model.SuccessRegression: _all(rows.FIGURES, "success", "task"),
    model.Report: {
        **_all(rows.FIGURES, "unit", "by", "statistics", "scales", "unreadable"),
        "derived": entries("name", added=rows.FIGURES, removed=rows.FIGURES),
        **dict.fromkeys(("rule", "regression", "pairs"), _whatever(rows.FIGURES)),
    },
    model.Floor: {
        **dict.fromkeys(("criterion", "statistic", "variant"), _named_by),
        "at_least": least(rows.FLOORS_RAISED, rows.FLOORS_LOWERED),
        "bound": one_of_two(rows.FLOORS_RAISED, rows.FLOORS_LOWERED, lambda old, new: new == "low"),
    },
    model.Export: {
        **_all(rows.EXPORTS, "formats", "public_without", "private_splits"),
        "floors": entries("name", added=rows.FLOORS_RAISED, removed=rows.FLOORS_LOWERED),
        "shortcuts": part(rows.SHORTCUTS_STRICTER, rows.SHORTCUTS_LOOSER),
    },
    model.Shortcuts: {
        **dict.fromkeys(
            ("above_chance", "flagged", "without_images"), most(rows.SHORTCUTS_STRICTER, rows.SHORTCUTS_LOOSER)
        ),
        **_all(rows.SHORTCUTS_OTHERWISE, "at_most", "score", "orders", "models"),
        "bound": one_of_two(
            rows.SHORTCUTS_STRICTER, rows.SHORTCUTS_LOOSER, lambda old, new: _BOUNDS.index(new) > _BOUNDS.index(old)
        ),
    },
}  # fmt: skip
"""Every key of the grammar by the part that has it."""
