"""Checks of the stages of a schema: criteria, keep rules, and what raters see."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import get_args

from annotation_schemas import derived, grading_sample, kinds, registry
from annotation_schemas.check_parts import Found, called, check_names, known_dimensions, no_value
from annotation_schemas.grammar import MOST, among, choices, unique
from annotation_schemas.keys import key_field, key_fields
from annotation_schemas.model import Criterion, Keep, Refinement, Schema, StageName, Verification
from annotation_schemas.yaml_text import Path
from domain.policies import KEEP_RULES, MOST_IN_GROUPS, KeepRule, Target, criteria_that_decide, targets
from domain.states import VERIFICATIONS

_SLOTS = frozenset(
    {
        *((stage, "raters") for stage in (*VERIFICATIONS, "grading", "comparison")),
        ("answering", "people"),
    }
)
"""Stages, with the key that gives the number of people for each task."""


def check_stages(schema: Schema) -> Found:
    stages = schema.stages
    asked: list[tuple[Path, str]] = []
    for stage in (*VERIFICATIONS, "refinement", "answering", "grading", "comparison", "coding"):
        criteria = registry.criteria_of(schema, stage)
        for index, criterion in enumerate(criteria):
            path: Path = ("stages", stage, "criteria", index)
            asked.append(((*path, "name"), criterion.name))
            yield from check_criterion(schema, stage, criteria[:index], criterion, path)
        if getattr(stages, stage) is not None and not criteria and stage != "refinement":
            yield ("stages", stage, "criteria"), "this stage has no criteria; add at least one criterion"
    yield from check_names(asked)
    if stages.adjudication:
        yield from choices(stages.adjudication.reasons, ("stages", "adjudication", "reasons"), least=1)
        if not stages.verification:
            yield (
                ("stages", "adjudication"),
                "adjudication needs a verification stage; add a verification stage, or remove `adjudication`",
            )
    yield from _gold_would_show(schema)
    if stages.refinement:
        yield from _refinement(stages.refinement)
    if stages.triage:
        yield from choices(stages.triage.reasons, ("stages", "triage", "reasons"))
    for stage, key in (
        ("triage", "per_source"),
        ("authoring", "people"),
        ("authoring", "dimensions_per_person"),
        ("authoring", "people_per_dimension"),
        ("authoring", "per_source"),
        *((stage, "raters") for stage in VERIFICATIONS),
        ("answering", "people"),
        ("answering", "per_dimension"),
        ("grading", "raters"),
        ("comparison", "raters"),
        ("comparison", "per_item"),
        ("coding", "raters"),
        ("coding", "outputs"),
    ):
        number = getattr(getattr(stages, stage), key, None)
        if number is not None and number < 1:
            yield ("stages", stage, key), "the number must be at least 1"
        elif number is not None and (stage, key) in _SLOTS and number > MOST:
            yield ("stages", stage, key), f"the number must be at most {MOST:,}"


def _gold_would_show(schema: Schema) -> Found:
    """A gold check has no other answers, so a page that shows others' answers would give it away."""
    for name in (*schema.stages.verifications, "grading"):
        part = getattr(schema.stages, name)
        if part is not None and part.show_others is not None and part.gold is not None:
            why = "people would recognize gold checks, because gold checks show no answers of other people"
            yield ("stages", name, "show_others"), f"{why}; remove `show_others` or `gold`"


def _refinement(stage: Refinement) -> Found:
    path: Path = ("stages", "refinement")
    asked = {criterion.name: criterion for criterion in stage.criteria}
    for name, value in stage.done.items():
        if name not in asked:
            yield (*path, "done", name), f"`{name}` is not a refinement criterion{among(name, list(asked))}"
        elif wrong := no_value(asked[name], value):
            yield (*path, "done", name), wrong
    if stage.until is not None and not stage.done:
        yield path, "`done` is missing; name the criterion and value for “only one right answer is left”"


def check_criterion(schema: Schema, stage: str, before: Sequence[Criterion], criterion: Criterion, path: Path) -> Found:
    row = kinds.of_criterion(criterion)
    yield from _keys_of_kind(criterion, path)
    yield from row.check_schema(schema, stage, criterion, path)
    if criterion.min is not None and criterion.max is not None and criterion.min > criterion.max:
        yield (*path, "max"), "`max` is less than `min`; raise `max`, or lower `min`"
    if row.counts_entries and (criterion.min or 0) > MOST:
        yield (*path, "min"), f"an answer can have at most {MOST:,} entries; lower `min`"
    if criterion.step is not None and criterion.step <= 0:
        yield (*path, "step"), "`step` must be more than 0; remove `step` to allow any number"
    if criterion.skip:
        yield from choices(criterion.skip.reasons, (*path, "skip", "reasons"))
    yield from known_dimensions(schema, criterion.dimensions, (*path, "dimensions"))
    earlier = {earlier_criterion.name: earlier_criterion for earlier_criterion in before}
    for name, accepted in criterion.show_if.items():
        if name not in earlier:
            yield (*path, "show_if", name), _not_before(schema, stage, criterion, name, list(earlier))
            continue
        for value in accepted:
            if wrong := no_value(earlier[name], value):
                yield (*path, "show_if", name), wrong


def _not_before(schema: Schema, stage: str, criterion: Criterion, name: str, earlier: Sequence[str]) -> str:
    """Return the reason why a criterion cannot depend on a later criterion, a field or an unknown name."""
    complaint = f"the question `{name}` does not come before `{criterion.name}`"
    if name in (asked.name for asked in registry.criteria_of(schema, stage)):
        return f"{complaint}; move the question before `{criterion.name}`"
    if name in (field.name for field in schema.item.fields):
        complaint = f"{complaint}: `{name}` is a field of the item, but conditions use answers"
    return complaint + (among(name, earlier) or f"; `{criterion.name}` is the first question, so remove the condition")


_MISPLACED = {
    "options": "cannot have its own options",
    "field": "does not refer to a field",
}


def _keys_of_kind(criterion: Criterion, path: Path) -> Found:
    takes = kinds.of_criterion(criterion).keys
    for key in sorted({key for row in kinds.CRITERIA.values() for key in row.keys} - set(takes)):
        if getattr(criterion, key) not in (None, (), {}):
            why = _MISPLACED.get(key, f"has no `{key}`")
            own = (
                f"use only these keys: {', '.join(f'`{own_key}`' for own_key in takes)}" if takes else f"remove `{key}`"
            )
            yield (*path, key), f"a criterion of kind `{criterion.kind}` {why}; {own}"


def check_verifications(schema: Schema) -> Found:
    """Check each verification stage, and their order."""
    stages = schema.stages
    titles = {name: stages.title_of(name) for name in get_args(StageName) if getattr(stages, name) is not None}
    for before, after in pairwise(VERIFICATIONS):
        if after in stages.verifications and before not in stages.verifications:
            yield (
                ("stages", after.value),
                f"this stage needs an earlier stage `{before}`; rename this stage to `{before}`",
            )
    for number, (name, part) in enumerate(stages.verifications.items()):
        path: Path = ("stages", name)
        if part.title is not None:
            others = [other for other, title in titles.items() if other != name]
            same_title = next((o for o in others if titles[o].casefold() == part.title.strip().casefold()), None)
            if not part.title.strip() or same_title is not None:
                why = f"`{same_title}` has the same title" if same_title else "the title is empty"
                yield (*path, "title"), f"{why}; people recognize stages by their titles, so write another title"
        if part.again and not number:
            yield (*path, "again"), "no verification stage comes before this stage; remove `again`"
        yield from _verification(schema, name, part)
    if (
        stages.adjudication
        and stages.verifications
        and not any(part.adjudicates for part in stages.verifications.values())
    ):
        yield (
            ("stages", "adjudication"),
            "every verification has `contested: drop`, so no item reaches adjudication; set `adjudication: none`",
        )


def _verification(schema: Schema, stage: str, verification: Verification) -> Found:
    path: Path = ("stages", stage, "keep")
    keep, criteria = verification.keep, {criterion.name: criterion for criterion in verification.criteria}
    about = list(criteria_that_decide(keep))
    if not about:
        yield path, "`criterion` is missing; name the criterion that decides which items are kept"
    for index, name in enumerate(about):
        at: Path = (*path, "parts", index, "criterion") if keep.parts else (*path, "criterion")
        if name not in criteria:
            asked_in = (
                arg
                for arg in get_args(StageName)
                if any(name == other.name for other in registry.criteria_of(schema, arg))
            )
            other = next(asked_in, None)
            elsewhere = f"; this name is a criterion of `{other}`" if other else ""
            yield at, f"`{name}` is not a criterion of {called(stage)}{elsewhere}{among(name, list(criteria))}"
        elif criteria[name].tolerance is None and (does := kinds.of_criterion(criteria[name]).never_alike):
            able = kinds.of_criterion(criteria[name]).by_overlap
            how = "add a `tolerance`, such as `{iou: 0.5}`" if able else "name another criterion"
            yield at, f"no two people {does} `{name}` exactly alike, so `{name}` cannot decide about items; {how}"
        elif criteria[name].dimensions is not None:
            yield (
                at,
                f"raters answer `{name}` only in some dimensions, so this criterion cannot decide about items; name "
                "another criterion",
            )
    yield from _skips(schema, stage, verification, [criteria[name] for name in about if name in criteria])
    rule = KEEP_RULES.get(keep.rule)
    if rule is None:
        return
    overlapping = [name for name in about if name in criteria and kinds.of_criterion(criteria[name]).by_overlap]
    if overlapping and rule.in_groups and verification.raters > MOST_IN_GROUPS:
        why = f"`{keep.rule}` can compare the overlap of at most {MOST_IN_GROUPS} votes"
        yield ("stages", stage, "raters"), f"{why}; ask fewer people, or use `unanimous`"
    if overlapping and not keep.parts and keep.key is None:
        yield _keyless(path, overlapping[0])
    elif keep.parts:
        yield from _keep_parts(schema, stage, keep, rule, criteria)
    elif rule.needs_key or (keep.key is not None and not rule.needs_values):
        yield from _keep_key(schema, stage, keep)
    else:
        yield from _keep_values(keep, rule, about, criteria, path)


def _keep_values(
    keep: Keep, rule: KeepRule, about: Sequence[str], criteria: Mapping[str, Criterion], path: Path
) -> Found:
    if keep.key is not None:
        yield (*path, "key"), f"the rule `{keep.rule}` needs `values`, not `key`"
    elif keep.values and keep.value is not None:
        yield (*path, "value"), "`values` already has a value for each criterion; remove `value`"
    elif rule.needs_values and not keep.values:
        yield (
            path,
            f"`values` is missing; give the rule `{keep.rule}` a value for each criterion, or use `parts` with their "
            "own targets",
        )
    elif not keep.values and keep.value is None:
        yield path, "`value` is missing; give the value that keeps an item"
    if keep.values and set(keep.values) != set(about):
        yield (*path, "values"), f"give exactly one value for each of {', '.join(about)}"
    for name in about:
        wanted = keep.values.get(name, keep.value)
        if name in criteria and wanted is not None and (wrong := no_value(criteria[name], wanted)):
            yield (*path, "values" if name in keep.values else "value"), wrong


def _keep_parts(schema: Schema, stage: str, keep: Keep, rule: KeepRule, criteria: Mapping[str, Criterion]) -> Found:
    path: Path = ("stages", stage, "keep")
    for other in ("criterion", "criteria", "key", "value", "values"):
        if getattr(keep, other) not in (None, (), {}):
            yield (*path, other), f"`parts` have their own targets; move `{other}` into one of the parts"
    if rule.needs_key:
        yield (*path, "parts"), f"the rule `{keep.rule}` compares with one `key`; use `all_of` for parts"
    yield from unique([((*path, "parts", at, "criterion"), part.criterion) for at, part in enumerate(keep.parts)])
    for index, (part, target) in enumerate(zip(keep.parts, targets(keep), strict=True)):
        at: Path = (*path, "parts", index)
        given = [name for name, there in (("key", part.key), ("value", part.value)) if there is not None]
        given += ["`at_least` or `at_most`"] if target.limited else []
        if len(given) != 1:
            why = f"this part has {' and '.join(given)}" if given else "this part has no target"
            yield at, f"{why}; give only `key`, only `value`, or only `at_least` and `at_most`"
        elif part.key is not None:
            yield from _key_of_votes(schema, stage, part.key, at)
        elif part.criterion in criteria:
            yield from _target_fits(criteria[part.criterion], target, at)


def _keyless(path: Path, name: str) -> tuple[Path, str]:
    why = f"Touchstone measures the overlap of answers to `{name}` with the item's field"
    return path, f"{why}; name the item's field as `key`, and put other criteria into `parts` of `all_of`"


def _target_fits(criterion: Criterion, target: Target, at: Path) -> Found:
    """Check that raters can give the answer that a part wants, as far as the kind defines it."""
    if kinds.of_criterion(criterion).by_overlap:
        yield _keyless(at, criterion.name)
        return
    if not target.limited:
        if wrong := no_value(criterion, target.value):
            yield (*at, "value"), wrong
        return
    key = "at_least" if target.at_least is not None else "at_most"
    if kinds.of_criterion(criterion).ends(criterion) is None:
        yield (*at, key), f"the values of `{criterion.name}` are not numbers; give `value`, or use numbers as values"
    elif target.at_least is not None and target.at_most is not None and target.at_least > target.at_most:
        yield (*at, "at_most"), "`at_most` is less than `at_least`; raise `at_most`, or lower `at_least`"


def _skips(schema: Schema, stage: str, verification: Verification, deciding: Sequence[Criterion]) -> Found:
    if verification.skips is None:
        return
    path: Path = ("stages", stage, "skips")
    skips = verification.skips
    if not 1 <= skips.after <= verification.raters:
        yield (
            (*path, "after"),
            f"the number must be at least 1, and at most the number of raters ({verification.raters})",
        )
    if not any(criterion.skip for criterion in deciding):
        yield path, "raters cannot skip any criterion of `keep`; add `skip` to one of these criteria"
    if skips.then == "adjudicate" and schema.stages.adjudication is None:
        yield (*path, "then"), "this schema has no adjudication; let skips `retire` an item, or add the stage"
    elif skips.then == "adjudicate" and not verification.adjudicates:
        yield (*path, "then"), "no item goes to adjudication with `contested: drop`; let skips `retire` an item"


def _keep_key(schema: Schema, stage: str, keep: Keep) -> Found:
    path: Path = ("stages", stage, "keep")
    if keep.value is not None or keep.values:
        yield (
            (*path, "value" if keep.value is not None else "values"),
            f"the rule `{keep.rule}` compares with `key`; use `key` instead of `value`",
        )
    if keep.key is None:
        yield path, "`key` is missing; name the field that contains the right answer"
    else:
        yield from _key_of_votes(schema, stage, keep.key, path)


def _key_of_votes(schema: Schema, stage: str, key: str, path: Path) -> Found:
    """Check that the field that votes are compared with exists and is hidden from voters."""
    fields = {field.name: field for field in schema.item.fields}
    if key not in fields:
        yield (*path, "key"), f"`{key}` is not a field of the item{among(key, list(fields))}"
    elif stage not in fields[key].secret_in:
        yield (*path, "key"), f"`{key}` must be hidden from raters; give the field `secret_in: [{stage}]`"


def check_answering(schema: Schema) -> Found:
    stage = schema.stages.answering
    if stage is None:
        return
    path: Path = ("stages", "answering")
    yield from known_dimensions(schema, stage.dimensions, (*path, "dimensions"))
    if len(stage.criteria) > 1:
        yield (
            (*path, "criteria"),
            "answering needs exactly one criterion, but this stage has several criteria; delete the other criteria",
        )
    for criterion in stage.criteria[:1]:
        if not kinds.of_criterion(criterion).answers_items:
            can = ", ".join(name for name, row in kinds.CRITERIA.items() if row.answers_items)
            yield (
                (*path, "criteria", 0, "kind"),
                f"answers of this kind cannot be compared with models' answers; use one of these kinds: {can}",
            )
        if criterion.skip or criterion.cannot_tell or not criterion.required or criterion.dimensions is not None:
            yield (
                (*path, "criteria", 0),
                "people answer every item, as models do; remove `skip`, `cannot_tell`, `required` and `dimensions`",
            )
    fields = {field.name: field for field in schema.item.fields}
    keys = key_fields(schema)
    for index, name in enumerate(stage.shows or ()):
        if name not in fields:
            yield (*path, "shows", index), f"`{name}` is not a field of the item{among(name, list(fields))}"
        elif name in keys:
            yield (
                (*path, "shows", index),
                f"`{name}` reveals the right answer, which respondents must not see; remove this field from `shows`",
            )
        elif "answering" in fields[name].secret_in:
            yield (*path, "shows", index), f"`{name}` is secret in answering; remove `{name}` from `shows`"
    if key_field(schema) is None and schema.stages.grading is None:
        yield (
            path,
            (
                "answers would get no scores, because items have no key and the schema has no `grading`; add a key or "
                "grading"
            ),
        )


def check_grading(schema: Schema) -> Found:
    grading = schema.stages.grading
    if grading is None:
        return
    yield from known_dimensions(schema, grading.dimensions, ("stages", "grading", "dimensions"))
    named = [
        criterion.name
        for criterion in grading.criteria
        if kinds.of_criterion(criterion).names and derived.ends_of_values(criterion) is None
    ]
    if grading.combine == "mean" and named:
        names = " and ".join(f"`{name}`" for name in named)
        yield (
            ("stages", "grading", "combine"),
            f"the options of {names} are not numbers, so `mean` cannot combine grades; use `majority`, or give the "
            "options numbers as their values",
        )
    if grading.outputs is not None and grading.outputs < 1:
        yield ("stages", "grading", "outputs"), "the number must be at least 1"
    yield from grading_sample.check(schema)
    yield from check_shown(schema, grading.shows, "grading")


def check_shown(schema: Schema, shows: Sequence[str] | None, stage: StageName) -> Found:
    """Check that the fields that a stage shows exist and are not secret in it."""
    fields = {field.name: field for field in schema.item.fields}
    for index, name in enumerate(shows or ()):
        path: Path = ("stages", stage, "shows", index)
        if name not in fields:
            yield path, f"`{name}` is not a field of the item{among(name, list(fields))}"
        elif stage in fields[name].secret_in:
            yield path, f"`{name}` is secret in {stage}; remove `{name}` from `shows`"


def check_comparison(schema: Schema) -> Found:
    stage = schema.stages.comparison
    if stage is None:
        return
    at: Path = ("stages", "comparison")
    yield from known_dimensions(schema, stage.dimensions, (*at, "dimensions"))
    yield from check_shown(schema, stage.shows, "comparison")
    yield from unique([((*at, "models", index), name) for index, name in enumerate(stage.models or ())])
    if stage.models is not None and len(stage.models) < 2:
        yield (*at, "models"), "a comparison needs at least two models; name another model, or remove `models`"
    if stage.criteria and not any(kinds.of_criterion(criterion).compares_answers for criterion in stage.criteria):
        yield (*at, "criteria"), "no criterion asks which answer is better; add a criterion of kind `preference`"


def check_coding(schema: Schema) -> Found:
    coding = schema.stages.coding
    if coding is None:
        return
    at: Path = ("stages", "coding")
    yield from known_dimensions(schema, coding.dimensions, (*at, "dimensions"))
    if coding.criteria and not any(criterion.options for criterion in coding.criteria):
        yield (*at, "criteria"), "no criterion has `options` to use as codes; add options to a criterion"
    of = coding.of
    if of.score is None and not of.items:
        yield (*at, "of"), "`score` is missing; choose the score that identifies wrong answers, or add `items`"
    yield from unique([((*at, "of", "items", index), name) for index, name in enumerate(of.items)])
    rated = [
        criterion.name
        for criterion in registry.criteria_of(schema, "grading")
        if derived.ends_of_values(criterion) is not None
    ]
    rated += [criterion.name for criterion in schema.report.derived]
    if of.score in ("human", "judge"):
        if of.criterion is None:
            yield (*at, "of"), f"`criterion` is missing; name the criterion of the {of.score} score"
        elif of.criterion not in rated:
            words = "not a grading criterion with numbers"
            yield (*at, "of", "criterion"), f"`{of.criterion}` is {words}{among(of.criterion, rated)}"
        elif of.below is None and highest_score(schema, of.criterion) is None:
            yield (*at, "of"), f"`{of.criterion}` has no highest value; add `below`, or give the criterion a `max`"
    elif of.criterion is not None:
        yield (*at, "of", "criterion"), "only scores of people and judges have a criterion; remove `criterion`"
    if of.judge is not None and of.score != "judge":
        yield (*at, "of", "judge"), "`judge` works only with `score: judge`; add `score: judge`, or remove `judge`"
    if of.below is not None and of.score is None:
        yield (*at, "of", "below"), "`below` works only with `score`; add `score`, or remove `below`"


def highest_score(schema: Schema, name: str) -> float | None:
    """Return the highest value of a grading criterion, or of a derived criterion."""
    rule = derived.find(schema, name)
    if rule is not None:
        graded = {criterion.name for criterion in registry.criteria_of(schema, "grading")}
        return derived.ends(schema, rule)[1] if graded.issuperset(rule.parts) else None
    own = next(criterion for criterion in registry.criteria_of(schema, "grading") if criterion.name == name)
    return (derived.ends_of_values(own) or (None, None))[1]
