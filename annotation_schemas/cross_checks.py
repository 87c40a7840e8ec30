"""Checks that involve several keys of a schema, such as names that must refer to something."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import PurePosixPath
from typing import Any, get_args

from annotation_schemas import (
    derived,
    extension_keys,
    floors,
    grading_sample,
    judge_templates,
    kinds,
    registry,
    rule_checks,
    wording_checks,
)
from annotation_schemas.answer_forms import FORMS
from annotation_schemas.formats import keys_of_source, picked_fields
from annotation_schemas.formats.columns import DIMENSION
from annotation_schemas.grammar import MOST, among, choices, no_name, suggestion, tolerance, unique
from annotation_schemas.keys import key_field, key_fields, keys_of_votes
from annotation_schemas.kinds import refers_to_list
from annotation_schemas.model import (
    AssetSlot,
    Criterion,
    ItemField,
    Judge,
    Keep,
    Qualification,
    Refinement,
    Schema,
    StageName,
    Verification,
)
from annotation_schemas.yaml_text import Document, Path
from domain.policies import KEEP_RULES, MOST_IN_GROUPS, KeepRule, Target, criteria_that_decide, targets
from domain.split_names import RULE, is_split_name
from domain.states import VERIFICATIONS

_SLOTS = frozenset(
    {
        *((stage, "raters") for stage in (*VERIFICATIONS, "grading", "comparison")),
        ("answering", "people"),
    }
)
"""Stages, with the key that gives the number of people for each task."""

Found = Iterator[tuple[Path, str]]
"""Problems as they are found: the path and the message."""


def cross_check(schema: Schema, document: Document) -> None:
    """Report every invalid reference, and every value that contradicts another one."""
    for check in (
        _rows,
        _top,
        _dimensions,
        _item,
        _stages,
        _verifications,
        _answering,
        _grading,
        _comparison,
        _coding,
        _gold,
        _judges,
        _models,
        _rest,
        _derived,
        rule_checks.check,
        floors.check,
        extension_keys.check,
        wording_checks.check,
    ):
        for path, message in check(schema):
            document.add(path, message)


def _rows(schema: Schema) -> Found:
    for name_of_registry, name, path, _ in registry.named(schema):
        if registry.find(name_of_registry, name) is None:
            known = [row.name for row in registry.rows(name_of_registry)]
            noun = name_of_registry.replace("_", " ")
            yield path, f"there is no {noun} `{name}`{suggestion(name, known)}; known: {', '.join(known)}"


def _top(schema: Schema) -> Found:
    yield from _names([(("name",), schema.name)])
    if schema.version < 1:
        yield ("version",), "versions count from 1"
    if not schema.title.strip():
        yield ("title",), "the title is empty; write what people shall read"


def _dimensions(schema: Schema) -> Found:
    if not schema.dimensions:
        yield ("dimensions",), "at least one dimension is needed"
    yield from _names([(("dimensions", index, "id"), each.id) for index, each in enumerate(schema.dimensions)])
    for key in ("folder", "named"):
        yield from unique(
            [
                (("dimensions", index, key), value)
                for index, each in enumerate(schema.dimensions)
                if (value := getattr(each, key)) is not None
            ]
        )
    for index, dimension in enumerate(schema.dimensions):
        if dimension.wanted is not None and dimension.wanted < 1:
            yield ("dimensions", index, "wanted"), "this must be at least 1"
        if dimension.folder is not None:
            folder = PurePosixPath(dimension.folder)
            if folder.is_absolute() or ".." in folder.parts or "\\" in dimension.folder:
                yield ("dimensions", index, "folder"), "this must be a path below the import path, with forward slashes"


def _item(schema: Schema) -> Found:
    assets, fields = schema.item.assets, schema.item.fields
    yield from _names(
        [(("item", "assets", index, "role"), slot.role) for index, slot in enumerate(assets)]
        + [(("item", "fields", index, "name"), field.name) for index, field in enumerate(fields)]
    )
    for index, slot in enumerate(assets):
        if slot.min < 0 or (slot.max is not None and slot.max < max(slot.min, 1)):
            least = "min" if slot.min < 0 else "max"
            why = "`min` is at least 0, and `max` at least 1 and no less than `min`"
            yield ("item", "assets", index, least), f"min and max do not fit together: {why}"
        yield from _alt(schema, slot, ("item", "assets", index, "alt"))
    for index, field in enumerate(fields):
        yield from _field(schema, field, ("item", "fields", index))


def _alt(schema: Schema, slot: AssetSlot, path: Path) -> Found:
    """Check the field with the description of images: a text for a single image, a list for several."""
    if slot.alt is None:
        return
    rows = {each.name: kinds.of_field(each) for each in schema.item.fields}
    fits = {name: row for name, row in rows.items() if row.written or row.is_list}
    if slot.alt not in fits:
        yield path, f"`{slot.alt}` is no field of text or of a list of texts{among(slot.alt, list(fits))}"
    elif slot.max != 1 and not fits[slot.alt].is_list:
        lists = " or ".join(f"`{name}`" for name, row in kinds.FIELDS.items() if row.is_list)
        yield path, f"`{slot.alt}` is one text, and there may be several images; take a {lists}, an entry for each"


def _field(schema: Schema, field: ItemField, path: Path) -> Found:
    row = kinds.of_field(field)
    if field.form is not None or field.forms or field.drawn is not None:
        yield from _formed(schema, field, path)
    elif field.field is not None and not row.chosen:
        yield (*path, "field"), f"a field of kind `{row.name}` refers to no other field"
    if field.role is not None and "role" not in row.keys:
        yield (*path, "role"), f"this is for {_taking('role')}"
    if row.least_options is not None:
        yield from choices(field.options, (*path, "options"), least=row.least_options)
    elif field.options and not field.forms:
        yield (*path, "options"), f"a field of kind `{row.name}` has no options of its own"
    yield from _read_as(schema, field, path)
    for key in ("length", "distinct", "by_dimension", "min", "max", "step", "tolerance", "none", "cover"):
        if getattr(field, key) not in (None, False, {}) and key not in row.keys:
            yield (*path, key), f"this is for fields of kind {_taking(key, quote='`')}"
    bounds = (field.min_length, field.max_length)
    for key in ("length", "min_length", "max_length"):
        if (getattr(field, key) or 0) < 0:
            yield (*path, key), "a length cannot be negative; give 0 or more, or leave it out"
    yield from row.check_schema(schema, field, path)
    source = keys_of_source(schema)
    if field.none is not None and row.chosen and source is not None and source.chosen is not None:
        why = f"files of the format `{source.name}` name the right option by its place, and none of them has none"
        yield (*path, "none"), f"{why}; leave it out, or take another format"
    if bounds[0] is not None and bounds[1] is not None and bounds[0] > bounds[1]:
        yield (*path, "max_length"), "max_length is less than min_length; raise it, or lower min_length"


def _taking(key: str, quote: str = "") -> str:
    """Return the kinds of fields that accept a key."""
    return " and ".join(f"{quote}{row.name}{quote}" for row in kinds.FIELDS.values() if key in row.keys)


def _read_as(schema: Schema, field: ItemField, path: Path) -> Found:
    """Check that only the key defines how models' answers are read."""
    row = kinds.of_field(field)
    counts = row.has_unit or not row.reads_as or field.read_as == "number"
    if field.unit is not None and ("unit" not in row.keys or not counts):
        yield (*path, "unit"), "this is for a field with `read_as: number`"
    if field.tolerance is not None and "tolerance" in row.keys:
        if key_field(schema) != field.name or (row.answer is None and field.read_as != "number"):
            yield (*path, "tolerance"), "models' numbers are compared with the key alone, and this field is not it"
        yield from tolerance(field.tolerance, field.unit, (*path, "tolerance"))
    if field.read_as is None:
        return
    if not row.reads_as:
        yield (*path, "read_as"), f"a field of kind `{row.name}` says by its kind what answers are read as"
    elif field.read_as not in row.reads_as:
        yield (*path, "read_as"), row.refuses_read_as
    elif field.read_as == "form" and not field.forms:
        yield (*path, "read_as"), "the field has no `forms` that would say what answers are read as"
    key = key_field(schema)
    if key != field.name:
        yield (*path, "read_as"), f"answers are held against `{key}`, so nothing is read as this field is"


def _formed(schema: Schema, field: ItemField, path: Path) -> Found:
    """Check a text whose form another field names: that field, a form for each of its values, and the needs of these
    forms.
    """
    if not kinds.of_field(field).written:
        yield (*path, "forms"), f"a field of kind `{field.kind}` has no form; `form` and `forms` are for text"
        return
    names = {each.name: each for each in schema.item.fields if kinds.of_field(each).of_options}
    if field.form not in names:
        said = f"`{field.form}` is no choice field of the item" if field.form else "`form` is missing"
        yield (
            path if field.form is None else (*path, "form"),
            f"{said}; it names the field that says the form{among(field.form or '', list(names))}",
        )
        return
    values = [str(option.value) for option in names[field.form].options]
    for value in field.forms:
        if value not in values:
            yield (*path, "forms", value), f"`{value}` is no value of `{field.form}`{among(value, values)}"
    lacking = [value for value in values if value not in field.forms]
    if lacking:
        yield (
            (*path, "forms"),
            f"nothing is said about {', '.join(f'`{value}`' for value in lacking)} of `{field.form}`",
        )
    rows = [FORMS[name] for name in field.forms.values() if name in FORMS]
    if any(row.needs_list for row in rows):
        yield from refers_to_list(schema, field.field, path)
    elif field.field is not None:
        yield (*path, "field"), "none of the forms takes entries of a list"
    if any(row.needs_words for row in rows):
        yield from choices(field.options, (*path, "options"), least=1)
    elif field.options:
        yield (*path, "options"), "none of the forms takes words"
    yield from _drawn(schema, field, any(row.is_drawn for row in rows), path)


def _drawn(schema: Schema, field: ItemField, needed: bool, path: Path) -> Found:
    """Check the field for drawn answers, which must be optional and serve no other purpose."""
    names = {each.name: each for each in schema.item.fields if kinds.of_field(each).drawn}
    if not needed:
        if field.drawn is not None:
            yield (*path, "drawn"), "none of the forms is `drawn`"
    elif field.drawn is None:
        yield path, f"`drawn` is missing; it names the field that is drawn{among('', list(names))}"
    elif field.drawn not in names:
        said = f"`{field.drawn}` is no field with boxes or marks{among(field.drawn, list(names))}"
        yield (*path, "drawn"), said
    elif names[field.drawn].required:
        yield (*path, "drawn"), f"`{field.drawn}` needs `required: false`: items of other forms have none"
    elif [each.drawn for each in schema.item.fields].count(field.drawn) > 1:
        yield (*path, "drawn"), f"`{field.drawn}` holds the answers of another field already"


def _stages(schema: Schema) -> Found:
    stages = schema.stages
    asked: list[tuple[Path, str]] = []
    for stage in (*VERIFICATIONS, "refinement", "answering", "grading", "comparison", "coding"):
        criteria = registry.criteria_of(schema, stage)
        for index, criterion in enumerate(criteria):
            path: Path = ("stages", stage, "criteria", index)
            asked.append(((*path, "name"), criterion.name))
            yield from _criterion(schema, stage, criteria[:index], criterion, path)
        if getattr(stages, stage) is not None and not criteria and stage != "refinement":
            yield ("stages", stage, "criteria"), "at least one criterion is needed"
    yield from _names(asked)
    if stages.adjudication:
        yield from choices(stages.adjudication.reasons, ("stages", "adjudication", "reasons"), least=1)
        if not stages.verification:
            yield ("stages", "adjudication"), "there is nothing to adjudicate without a verification stage"
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
            yield ("stages", stage, key), "this must be at least 1"
        elif number is not None and (stage, key) in _SLOTS and number > MOST:
            yield ("stages", stage, key), f"this may be at most {MOST:,}"


def _refinement(stage: Refinement) -> Found:
    path: Path = ("stages", "refinement")
    asked = {criterion.name: criterion for criterion in stage.criteria}
    for name, value in stage.done.items():
        if name not in asked:
            yield (*path, "done", name), f"`{name}` is no criterion of the refinement{among(name, list(asked))}"
        elif wrong := _no_value(asked[name], value):
            yield (*path, "done", name), wrong
    if stage.until is not None and not stage.done:
        yield path, "`done` is missing; it names the value of a criterion that says that one right answer is left"


def _criterion(schema: Schema, stage: str, before: Sequence[Criterion], criterion: Criterion, path: Path) -> Found:
    row = kinds.of_criterion(criterion)
    yield from _keys_of_kind(criterion, path)
    yield from row.check_schema(schema, stage, criterion, path)
    if criterion.min is not None and criterion.max is not None and criterion.min > criterion.max:
        yield (*path, "max"), "max is less than min; raise it, or lower min"
    if row.counts_entries and (criterion.min or 0) > MOST:
        yield (*path, "min"), f"an answer of at most {MOST:,} entries may be asked for"
    if criterion.step is not None and criterion.step <= 0:
        yield (*path, "step"), "a step is more than 0; leave it out where any number will do"
    if criterion.skip:
        yield from choices(criterion.skip.reasons, (*path, "skip", "reasons"))
    yield from _known_dimensions(schema, criterion.dimensions, (*path, "dimensions"))
    earlier = {each.name: each for each in before}
    for name, accepted in criterion.show_if.items():
        if name not in earlier:
            yield (*path, "show_if", name), _not_before(schema, stage, criterion, name, list(earlier))
            continue
        for value in accepted:
            if wrong := _no_value(earlier[name], value):
                yield (*path, "show_if", name), wrong


def _not_before(schema: Schema, stage: str, criterion: Criterion, name: str, earlier: Sequence[str]) -> str:
    """Return the reason why a criterion cannot depend on a later criterion, a field or an unknown name."""
    said = f"`{name}` is not asked before `{criterion.name}`"
    if name in (each.name for each in registry.criteria_of(schema, stage)):
        return f"{said}; let it come first"
    if name in (field.name for field in schema.item.fields):
        said = f"{said}: it is a field of the item, and conditions are about answers"
    return said + (among(name, earlier) or "; nothing is asked before it, so leave the condition out")


_MISPLACED = {
    "options": "has no options of its own",
    "field": "refers to no field",
}


def _keys_of_kind(criterion: Criterion, path: Path) -> Found:
    takes = kinds.of_criterion(criterion).keys
    for key in sorted({key for row in kinds.CRITERIA.values() for key in row.keys} - set(takes)):
        if getattr(criterion, key) not in (None, (), {}):
            why = _MISPLACED.get(key, f"has no `{key}`")
            own = f"its own keys are {', '.join(f'`{each}`' for each in takes)}" if takes else "leave it out"
            yield (*path, key), f"a criterion of kind `{criterion.kind}` {why}; {own}"


def _verifications(schema: Schema) -> Found:
    """Check each verification stage, and their order."""
    stages = schema.stages
    titles = {name: stages.title_of(name) for name in get_args(StageName) if getattr(stages, name) is not None}
    for before, after in pairwise(VERIFICATIONS):
        if after in stages.verifications and before not in stages.verifications:
            yield ("stages", after.value), f"nothing comes here without a stage `{before}`; call this one `{before}`"
    for number, (name, part) in enumerate(stages.verifications.items()):
        path: Path = ("stages", name)
        if part.title is not None:
            others = [other for other, title in titles.items() if other != name]
            same_title = next((o for o in others if titles[o].casefold() == part.title.strip().casefold()), None)
            if not part.title.strip() or same_title is not None:
                why = f"`{same_title}` is called so" if same_title else "it is empty"
                yield (*path, "title"), f"{why}, and people tell stages by their titles; give it another"
        if part.again and not number:
            yield (*path, "again"), "no stage of verification comes before this one; leave it out"
        yield from _verification(schema, name, part)
    if (
        stages.adjudication
        and stages.verifications
        and not any(part.adjudicates for part in stages.verifications.values())
    ):
        yield (
            ("stages", "adjudication"),
            "every verification says `contested: drop`, so nothing comes here; say `none`",
        )


def _verification(schema: Schema, stage: str, verification: Verification) -> Found:
    path: Path = ("stages", stage, "keep")
    keep, criteria = verification.keep, {criterion.name: criterion for criterion in verification.criteria}
    about = list(criteria_that_decide(keep))
    if not about:
        yield path, "`criterion` is missing; it names the criterion that decides"
    for index, name in enumerate(about):
        at: Path = (*path, "parts", index, "criterion") if keep.parts else (*path, "criterion")
        if name not in criteria:
            asked_in = (
                each
                for each in get_args(StageName)
                if any(name == other.name for other in registry.criteria_of(schema, each))
            )
            other = next(asked_in, None)
            elsewhere = f"; it is asked in `{other}`, whose votes count there" if other else ""
            yield at, f"`{name}` is no criterion of {_called(stage)}{elsewhere}{among(name, list(criteria))}"
        elif criteria[name].tolerance is None and (does := kinds.of_criterion(criteria[name]).never_alike):
            able = kinds.of_criterion(criteria[name]).by_overlap
            how = "give it a `tolerance`, such as `{iou: 0.5}`" if able else "let another criterion decide"
            yield at, f"no two people {does} `{name}` alike, so it cannot decide about items; {how}"
        elif criteria[name].dimensions is not None:
            yield at, f"`{name}` is asked in some dimensions only, so it cannot decide about all items"
    yield from _skips(schema, stage, verification, [criteria[name] for name in about if name in criteria])
    rule = KEEP_RULES.get(keep.rule)
    if rule is None:
        return
    overlapping = [name for name in about if name in criteria and kinds.of_criterion(criteria[name]).by_overlap]
    if overlapping and rule.in_groups and verification.raters > MOST_IN_GROUPS:
        why = f"`{keep.rule}` looks for groups of votes that overlap among at most {MOST_IN_GROUPS}"
        yield ("stages", stage, "raters"), f"{why}; ask fewer people, or say `unanimous`"
    if overlapping and not keep.parts and keep.key is None:
        yield _keyless(path, overlapping[0])
    elif keep.parts:
        yield from _keep_parts(schema, stage, keep, rule, criteria)
    elif rule.needs_key or (keep.key is not None and not rule.needs_values):
        yield from _keep_key(schema, stage, keep)
    else:
        yield from _keep_values(keep, rule, about, criteria, path)
    if verification.qualification:
        yield from _qualification(verification.qualification, stage)
        if verification.qualification.against in ("key", "both") and not keys_of_votes(schema, stage):
            at = ("stages", stage, "qualification", "against")
            yield at, "the keep rule has no `key` to compare with; use `seniors`"


def _qualification(gate: Qualification, stage: str) -> Found:
    at: Path = ("stages", stage, "qualification")
    if gate.items < 1 or gate.reviewers < 1:
        yield at, "items and reviewers must be at least 1"
    if not 0 <= gate.pass_mark <= 1:
        yield (*at, "pass_mark"), f"the pass mark is a share between 0 and 1{_of_percent(gate.pass_mark)}"
    if gate.retry_after_hours < 0 or (gate.attempts is not None and gate.attempts < 1):
        yield at, "retry_after_hours cannot be negative, and attempts must be at least 1"


def _gold(schema: Schema) -> Found:
    for name in (*VERIFICATIONS, "grading"):
        gold = getattr(getattr(schema.stages, name), "gold", None)
        if gold is None:
            continue
        path: Path = ("stages", name, "gold")
        if not 0.01 <= gold.rate <= 0.5:
            yield (*path, "rate"), f"the share of gold is between 0.01 and 0.5{_of_percent(gold.rate)}"
        if gold.after < 1:
            yield (*path, "after"), "this must be at least 1"
        for key in ("warn_below", "stop_below"):
            value = getattr(gold, key)
            if value is not None and not 0 < value <= 1:
                yield (*path, key), f"this is a share of right answers, above 0 and up to 1{_of_percent(value)}"
        if gold.warn_below is not None and gold.stop_below is not None and gold.stop_below > gold.warn_below:
            yield (*path, "stop_below"), "anyone who is stopped has to be warned first: it cannot be above `warn_below`"


def _keep_values(
    keep: Keep, rule: KeepRule, about: Sequence[str], criteria: Mapping[str, Criterion], path: Path
) -> Found:
    if keep.key is not None:
        yield (*path, "key"), f"the rule `{keep.rule}` asks for `values`, not for `key`"
    elif keep.values and keep.value is not None:
        yield (*path, "value"), "there is `values` already, with a value for each criterion"
    elif rule.needs_values and not keep.values:
        yield (
            path,
            f"`values` is missing; the rule `{keep.rule}` asks for the wanted value of each criterion"
            " (or for `parts`, each with its own target)",
        )
    elif not keep.values and keep.value is None:
        yield path, "`value` is missing; it is the value that keeps an item"
    if keep.values and set(keep.values) != set(about):
        yield (*path, "values"), f"it needs one value for each of {', '.join(about)}, and no other"
    for name in about:
        wanted = keep.values.get(name, keep.value)
        if name in criteria and wanted is not None and (wrong := _no_value(criteria[name], wanted)):
            yield (*path, "values" if name in keep.values else "value"), wrong


def _keep_parts(schema: Schema, stage: str, keep: Keep, rule: KeepRule, criteria: Mapping[str, Criterion]) -> Found:
    path: Path = ("stages", stage, "keep")
    for other in ("criterion", "criteria", "key", "value", "values"):
        if getattr(keep, other) not in (None, (), {}):
            yield (*path, other), "there is `parts` already, each with its own target; move it into one of them"
    if rule.needs_key:
        yield (*path, "parts"), f"the rule `{keep.rule}` compares with one `key`; for parts say `all_of`"
    yield from unique([((*path, "parts", at, "criterion"), part.criterion) for at, part in enumerate(keep.parts)])
    for index, (part, target) in enumerate(zip(keep.parts, targets(keep), strict=True)):
        at: Path = (*path, "parts", index)
        said = [name for name, there in (("key", part.key), ("value", part.value)) if there is not None]
        said += ["at_least or at_most"] if target.limited else []
        if len(said) != 1:
            why = f"this has {' and '.join(said)}" if said else "nothing says which answers keep an item"
            yield at, f"{why}; give `key`, `value`, or `at_least` and `at_most`"
        elif part.key is not None:
            yield from _key_of_votes(schema, stage, part.key, at)
        elif part.criterion in criteria:
            yield from _target_fits(criteria[part.criterion], target, at)


def _keyless(path: Path, name: str) -> tuple[Path, str]:
    why = f"answers to `{name}` are held against what each item has by how far they overlap"
    return path, f"{why}; name the field as `key`, with other criteria in `parts` of `all_of`"


def _target_fits(criterion: Criterion, target: Target, at: Path) -> Found:
    """Check that raters can give the answer that a part wants, as far as the kind defines it."""
    if kinds.of_criterion(criterion).by_overlap:
        yield _keyless(at, criterion.name)
        return
    if not target.limited:
        if wrong := _no_value(criterion, target.value):
            yield (*at, "value"), wrong
        return
    key = "at_least" if target.at_least is not None else "at_most"
    if kinds.of_criterion(criterion).ends(criterion) is None:
        yield (*at, key), f"the values of `{criterion.name}` are no numbers; give `value`, or numbers as its values"
    elif target.at_least is not None and target.at_most is not None and target.at_least > target.at_most:
        yield (*at, "at_most"), "at_most is less than at_least"


def _skips(schema: Schema, stage: str, verification: Verification, deciding: Sequence[Criterion]) -> Found:
    if verification.skips is None:
        return
    path: Path = ("stages", stage, "skips")
    skips = verification.skips
    if not 1 <= skips.after <= verification.raters:
        yield (*path, "after"), f"this must be at least 1, and at most the {verification.raters} votes of an item"
    if not any(criterion.skip for criterion in deciding):
        yield path, "no criterion of `keep` can be skipped; give it a `skip`"
    if skips.then == "adjudicate" and schema.stages.adjudication is None:
        yield (*path, "then"), "this schema has no adjudication; let skips `retire` an item, or add the stage"
    elif skips.then == "adjudicate" and not verification.adjudicates:
        yield (*path, "then"), "here nothing goes to adjudication (`contested: drop`); let skips `retire` an item"


def _keep_key(schema: Schema, stage: str, keep: Keep) -> Found:
    path: Path = ("stages", stage, "keep")
    if keep.value is not None or keep.values:
        yield (
            (*path, "value" if keep.value is not None else "values"),
            f"the rule `{keep.rule}` compares with `key`, not with `value`",
        )
    if keep.key is None:
        yield path, "`key` is missing; it names the field that holds the right answer"
    else:
        yield from _key_of_votes(schema, stage, keep.key, path)


def _key_of_votes(schema: Schema, stage: str, key: str, path: Path) -> Found:
    """Check that the field that votes are compared with exists and is hidden from voters."""
    fields = {field.name: field for field in schema.item.fields}
    if key not in fields:
        yield (*path, "key"), f"`{key}` is no field of the item{among(key, list(fields))}"
    elif stage not in fields[key].secret_in:
        yield (*path, "key"), f"`{key}` must be hidden from raters: give the field `secret_in: [{stage}]`"


def _answering(schema: Schema) -> Found:
    stage = schema.stages.answering
    if stage is None:
        return
    path: Path = ("stages", "answering")
    yield from _known_dimensions(schema, stage.dimensions, (*path, "dimensions"))
    if len(stage.criteria) > 1:
        yield (*path, "criteria"), "an item is answered by one criterion, and this has several"
    for criterion in stage.criteria[:1]:
        if not kinds.of_criterion(criterion).answers_items:
            can = ", ".join(name for name, row in kinds.CRITERIA.items() if row.answers_items)
            yield (*path, "criteria", 0, "kind"), f"no item is answered by it as models do; these can: {can}"
        if criterion.skip or criterion.cannot_tell or not criterion.required or criterion.dimensions is not None:
            yield (
                (*path, "criteria", 0),
                "as a model, a person answers every item: without `skip`, `required`, `dimensions`",
            )
    fields = {field.name: field for field in schema.item.fields}
    told = key_fields(schema)
    for index, name in enumerate(stage.shows or ()):
        if name not in fields:
            yield (*path, "shows", index), f"`{name}` is no field of the item{among(name, list(fields))}"
        elif name in told:
            yield (*path, "shows", index), f"`{name}` tells the right answer, which no one who answers may see"
        elif "answering" in fields[name].secret_in:
            yield (*path, "shows", index), f"`{name}` is secret in answering"
    if key_field(schema) is None and schema.stages.grading is None:
        yield path, "nothing would score the answers: items have no key, and the schema has no `grading`"


def _grading(schema: Schema) -> Found:
    grading = schema.stages.grading
    if grading is None:
        return
    yield from _known_dimensions(schema, grading.dimensions, ("stages", "grading", "dimensions"))
    named = [
        each.name
        for each in grading.criteria
        if kinds.of_criterion(each).names and derived.ends_of_values(each) is None
    ]
    if grading.combine == "mean" and named:
        names = " and ".join(f"`{name}`" for name in named)
        yield (
            ("stages", "grading", "combine"),
            f"there is no `mean` of names, which the options of {names} are: say `majority`, or give the options"
            " numbers as their values",
        )
    if grading.qualification:
        yield from _qualification(grading.qualification, "grading")
        if grading.qualification.against in ("key", "both"):
            at = ("stages", "grading", "qualification", "against")
            yield at, "models' answers have no key; only `seniors` say what is right"
        asked = registry.criteria_of(schema, "grading")
        if not any(kinds.of_criterion(each).compared and each.required for each in asked):
            yield ("stages", "grading", "qualification"), "no criterion that is always answered can be compared"
    if grading.outputs is not None and grading.outputs < 1:
        yield ("stages", "grading", "outputs"), "this must be at least 1"
    yield from grading_sample.check(schema)
    yield from _shown(schema, grading.shows, "grading")


def _shown(schema: Schema, shows: Sequence[str] | None, stage: StageName) -> Found:
    """Check that the fields that a stage shows exist and are not secret in it."""
    fields = {field.name: field for field in schema.item.fields}
    for index, name in enumerate(shows or ()):
        path: Path = ("stages", stage, "shows", index)
        if name not in fields:
            yield path, f"`{name}` is no field of the item{among(name, list(fields))}"
        elif stage in fields[name].secret_in:
            yield path, f"`{name}` is secret in {stage}"


def _comparison(schema: Schema) -> Found:
    stage = schema.stages.comparison
    if stage is None:
        return
    at: Path = ("stages", "comparison")
    yield from _known_dimensions(schema, stage.dimensions, (*at, "dimensions"))
    yield from _shown(schema, stage.shows, "comparison")
    yield from unique([((*at, "models", index), name) for index, name in enumerate(stage.models or ())])
    if stage.models is not None and len(stage.models) < 2:
        yield (*at, "models"), "two models at least are compared; name another one, or leave `models` out for all"
    if stage.criteria and not any(kinds.of_criterion(each).compares_answers for each in stage.criteria):
        yield (*at, "criteria"), "none of them says whose answer is better; add one of kind `preference`"


def _coding(schema: Schema) -> Found:
    coding = schema.stages.coding
    if coding is None:
        return
    at: Path = ("stages", "coding")
    yield from _known_dimensions(schema, coding.dimensions, (*at, "dimensions"))
    if coding.criteria and not any(each.options for each in coding.criteria):
        yield (*at, "criteria"), "no criterion has `options`, and these are the codes that are counted"
    of = coding.of
    if of.score is None and not of.items:
        yield (*at, "of"), "`score` is missing; it says what makes an answer wrong (or name `items`)"
    yield from unique([((*at, "of", "items", index), name) for index, name in enumerate(of.items)])
    rated = [each.name for each in registry.criteria_of(schema, "grading") if derived.ends_of_values(each) is not None]
    rated += [each.name for each in schema.report.derived]
    if of.score in ("human", "judge"):
        if of.criterion is None:
            yield (*at, "of"), f"`criterion` is missing; it names what the {of.score} score is of"
        elif of.criterion not in rated:
            words = "no criterion of grading whose values are numbers"
            yield (*at, "of", "criterion"), f"`{of.criterion}` is {words}{among(of.criterion, rated)}"
        elif of.below is None and _highest(schema, of.criterion) is None:
            yield (*at, "of"), f"`below` is missing, as `{of.criterion}` has no highest value; give one of the two"
    elif of.criterion is not None:
        yield (*at, "of", "criterion"), "only scores of people and judges are of a criterion"
    if of.judge is not None and of.score != "judge":
        yield (*at, "of", "judge"), "this needs `score: judge`"
    if of.below is not None and of.score is None:
        yield (*at, "of", "below"), "there is no `score` that could be lower"


def _highest(schema: Schema, name: str) -> float | None:
    """Return the highest value of a grading criterion, or of a derived criterion."""
    rule = derived.find(schema, name)
    if rule is not None:
        graded = {each.name for each in registry.criteria_of(schema, "grading")}
        return derived.ends(schema, rule)[1] if graded.issuperset(rule.parts) else None
    own = next(each for each in registry.criteria_of(schema, "grading") if each.name == name)
    return (derived.ends_of_values(own) or (None, None))[1]


def _judges(schema: Schema) -> Found:
    yield from _names([(("judges", index, "name"), judge.name) for index, judge in enumerate(schema.judges)])
    criteria = {
        criterion.name: criterion
        for stage in (*VERIFICATIONS, "grading")
        for criterion in registry.criteria_of(schema, stage)
    }
    for index, judge in enumerate(schema.judges):
        path: Path = ("judges", index)
        for name in judge.criteria:
            if name not in criteria:
                yield (*path, "criteria"), f"`{name}` is no criterion{among(name, list(criteria))}"
        yield from _known_dimensions(schema, judge.dimensions, (*path, "dimensions"))
        yield from _sees(schema, judge, path)
        for value in judge.values:
            rated = (_no_value(criteria[name], value) for name in judge.criteria if name in criteria)
            if wrong := next(filter(None, rated), None):
                yield (*path, "values"), wrong


def _sees(schema: Schema, judge: Judge, path: Path) -> Found:
    for index, name in enumerate(judge.sees):
        sources = _sources(schema)
        if name not in sources:
            yield (*path, "sees", index), f"`{name}` is no field or asset of the item{among(name, sources)}"
    template = judge_templates.shipped().get(judge.template)
    if template is None:
        return
    for placeholder in judge.fills:
        if placeholder not in template.prompt.placeholders:
            known = ", ".join(template.prompt.placeholders)
            message = f"the template `{judge.template}` has no such placeholder; it has {known}"
            yield (*path, "fills", placeholder), message
    for placeholder, source in template.sources(judge.fills).items():
        named = {source, judge.fills.get(placeholder, placeholder)}
        if named.intersection(_sources(schema)) and not named.intersection(judge.sees):
            where = (*path, "fills", placeholder) if placeholder in judge.fills else path
            message = f"the template's placeholder `{placeholder}` is filled by `{source}`, which is not in `sees`"
            yield where, f"{message}; add it there"


def _sources(schema: Schema) -> list[str]:
    """Return the names of the fields and assets that a judge can see."""
    own = [*(field.name for field in schema.item.fields), *(slot.role for slot in schema.item.assets)]
    return [*own, judge_templates.PREDICTION, judge_templates.DIMENSION]


def shown_to_judges(schema: Schema) -> Found:
    """Yield the problems of judges that would not see the answer they grade, or not the fields in the schema.

    The check applies while a schema is written. A stored schema can be opened, but its judges cannot start.
    """
    for index, field in enumerate(schema.item.fields):
        if schema.judges and field.name == judge_templates.PREDICTION:
            message = f"`{field.name}` is what judges call the answer that they grade; give the field another name"
            yield ("item", "fields", index, "name"), message
    fields, roles = ([each.name for each in schema.item.fields], [slot.role for slot in schema.item.assets])
    graded = {each.name for each in registry.criteria_of(schema, "grading")}
    voted = {each.name for stage in VERIFICATIONS for each in registry.criteria_of(schema, stage)}
    for index, judge in enumerate(schema.judges):
        template = judge_templates.shipped().get(judge.template)
        if template is None:
            continue
        path: Path = ("judges", index)
        found = template.troubles(
            judge.fills,
            [*_sources(schema), *judge.fills.values()],
            answers=bool(graded.intersection(judge.criteria)),
            items=bool(voted.intersection(judge.criteria)),
        )
        unmirrored = template.unmirrored(judge.values or template.head.values)
        if unmirrored is not None:
            yield path, unmirrored
        for about, sentence in found:
            if about not in judge.fills or about in template.prompt.placeholders:
                yield (*path, "fills", about) if about in judge.fills else path, sentence
        filled = {
            name for name, source in template.sources(judge.fills).items() if source == judge_templates.PREDICTION
        }
        if filled and judge_templates.PREDICTION not in judge.sees and filled.intersection(judge.sees):
            names = ", ".join(f"`{name}`" for name in sorted(filled))
            message = (
                f"the template `{judge.template}` puts the model's answer into {names}; add `prediction` to `sees`"
            )
            yield path, message
        shown = template.sources(judge.fills).values()
        pictured = template.head.pictures == "item"
        for number, name in enumerate(judge.sees):
            if name in roles and name not in fields:
                if not pictured:
                    message = f"`{name}` is in `sees`, but the template `{judge.template}` shows no pictures"
                    yield (*path, "sees", number), f"{message}; leave it out, or take a template that does"
            elif name in _sources(schema) and name not in shown:
                message = f"`{name}` is in `sees`, but the template `{judge.template}` has no placeholder for it"
                yield (*path, "sees", number), f"{message}; say under `fills` which one it fills, or leave it out"
        if pictured and roles and not set(roles).intersection(judge.sees):
            message = f"the template `{judge.template}` shows the item's pictures, and `sees` has none of them"
            yield (*path, "sees") if judge.sees else path, f"{message}; add {', '.join(roles)}"


def _models(schema: Schema) -> Found:
    variants = schema.models.variants if schema.models else {}
    for variant, dimensions in variants.items():
        yield from _known_dimensions(schema, dimensions, ("models", "variants", variant))
    yield from unique(
        [
            (("models", "variants", variant, index), name)
            for variant, dimensions in variants.items()
            for index, name in enumerate(dimensions)
        ]
    )


def _rest(schema: Schema) -> Found:
    fields = [field.name for field in schema.item.fields]
    for index, name in enumerate(schema.export.public_without):
        if name not in fields:
            yield ("export", "public_without", index), f"`{name}` is no field of the item{among(name, fields)}"
    yield from unique(
        [(("export", "private_splits", at), name) for at, name in enumerate(schema.export.private_splits)]
    )
    for at, name in enumerate(schema.export.private_splits):
        if not is_split_name(name):
            yield ("export", "private_splits", at), f"no split can be called `{name}`: {RULE}"
    if schema.export.private_splits and not schema.export.public_without:
        yield ("export", "private_splits"), "nothing is kept back from them; say which fields under `public_without`"
    if schema.source:
        targets = [*fields, *(slot.role for slot in schema.item.assets)]
        keys = keys_of_source(schema)
        if keys is not None and keys.open:
            targets.append(DIMENSION)
        if schema.source.separator is not None and not (keys is not None and keys.table):
            yield ("source", "separator"), f"`separator` is for tables; files of `{schema.source.format}` hold lists"
        for name in schema.source.places:
            if keys is None or not keys.open:
                yield (
                    ("source", "places", name),
                    f"files of `{schema.source.format}` say themselves how they name options; `places` is for csv and"
                    " jsonl",
                )
            elif name not in picked_fields(schema):
                what = f"`{name}` is no field of the kind option_of"
                yield ("source", "places", name), f"{what}{among(name, picked_fields(schema))}"
        for name in schema.source.fields:
            if name not in targets:
                yield ("source", "fields", name), f"`{name}` is no field or asset{among(name, targets)}"
    rated = (*VERIFICATIONS, "grading", "comparison", "coding")
    asked = [each.name for stage in rated for each in registry.criteria_of(schema, stage)]
    for name in schema.report.scales:
        if name not in asked:
            yield ("report", "scales", name), f"`{name}` is no criterion{among(name, asked)}"
    if schema.report.by == "group" and not any(dimension.group for dimension in schema.dimensions):
        yield ("report", "by"), "no dimension has a `group`; give them one, or say `dimension`"
    if "derived" in schema.report.statistics and not schema.report.derived:
        yield ("report", "statistics"), "`derived` needs criteria under `report: derived`"


def _derived(schema: Schema) -> Found:
    stages = (*VERIFICATIONS, "refinement", "grading", "comparison", "coding")
    asked = [each.name for stage in stages for each in registry.criteria_of(schema, stage)]
    graded = {each.name: each for each in registry.criteria_of(schema, "grading")}
    yield from _names([(("report", "derived", at, "name"), each.name) for at, each in enumerate(schema.report.derived)])
    for at, each in enumerate(schema.report.derived):
        path: Path = ("report", "derived", at)
        if each.name in asked:
            yield (*path, "name"), f"there is a criterion `{each.name}` already, which raters are asked"
        if bool(each.all_of) == bool(each.mean_of):
            yield path, "it follows either from `all_of` or from `mean_of`; give one of them"
            continue
        if each.not_all_of and not each.all_of:
            yield (*path, "not_all_of"), "`not_all_of` goes with `all_of`"
            continue
        key = "all_of" if each.all_of else "mean_of"
        keyed = [(name_of, getattr(each, name_of)) for name_of in ("all_of", "not_all_of", "mean_of")]
        placed = [((*path, of, number), name) for of, names in keyed for number, name in enumerate(names)]
        yield from unique(placed)
        for here, name in placed:
            if name not in graded:
                yield here, f"`{name}` is no criterion of grading{among(name, list(graded))}"
                continue
            found = derived.ends_of_values(graded[name])
            if found is None:
                yield here, f"the values of `{name}` are no numbers"
            elif each.all_of and found[1] is None:
                yield here, f"`{name}` has no highest value; give it a `max`"
        if all(name in graded for name in each.parts) and derived.dimensions(schema, each) == frozenset():
            yield (*path, key), "there is no dimension in which all of them are asked"
        if each.all_of and schema.stages.grading and schema.stages.grading.combine != "majority":
            yield (*path, key), "`all_of` is about settled values; it needs `combine: majority` in grading"


def _known_dimensions(schema: Schema, names: Sequence[str] | None, path: Path) -> Found:
    known = [dimension.id for dimension in schema.dimensions]
    for index, name in enumerate(names or ()):
        if name not in known:
            yield (*path, index), f"`{name}` is no dimension{among(name, known)}"


# ---- small questions ------------------------------------------------------------------------------------------------


def _names(named: Sequence[tuple[Path, str]]) -> Found:
    for path, name in named:
        if wrong := no_name(name):
            yield path, wrong
    yield from unique(named)


def _no_value(criterion: Criterion, value: Any) -> str | None:
    """Return the reason why a rater cannot give this answer, with the possible answers, or None.

    Values that depend on the item count as possible. So do all values if there are no options, which is another
    problem.
    """
    row = kinds.of_criterion(criterion)
    listed = row.listed(criterion)
    if row.can_be(criterion, value) or (not listed and {"options", "values"}.intersection(row.keys)):
        return None
    said = f"`{value}` is no value of `{criterion.name}`"
    labelled = dict(zip(criterion.labels, criterion.values, strict=False))
    labelled |= {option.label: option.value for option in criterion.options}
    if value in labelled:
        return f"{said}; it is the label of `{labelled[value]}`, and the value is wanted"
    alike = next((each for each in listed if str(each) == str(value)), None)
    if alike is not None:
        return f"{said}; {'leave its quotes out' if isinstance(value, str) else 'put it in quotes'}"
    return f"{said}{among(str(value), [str(each) for each in listed]) or f'; an answer is {row.meaning}'}"


def _of_percent(share: float) -> str:
    """Return the share for a number that looks like a percentage, as the end of a sentence."""
    return f"; {share:g} % is {share / 100:g}" if 1 < share <= 100 else ""


def _called(stage: str) -> str:
    """Return the name of a stage in messages."""
    return stage if stage == VERIFICATIONS[0] else f"`{stage}`"
