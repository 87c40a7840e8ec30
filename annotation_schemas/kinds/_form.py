"""Checks of a filled-in form, which the page, the server and the importers share."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from annotation_schemas.answer_forms import FORMS, Form
from annotation_schemas.kinds._between import broken_rules
from annotation_schemas.kinds._table import of_criterion, of_field
from annotation_schemas.model import Choice, Criterion, CrossRule, ItemField, Schema, as_words
from domain.comparison import same
from domain.errors import Problem

# ---- fields of an item ----------------------------------------------------------------------------------------------


def check_fields(schema: Schema, fields: Mapping[str, Any], dimension: str | None = None) -> list[Problem]:
    """Return all problems of an item's content, one sentence each; empty if it is valid.

    ``dimension`` None means that the dimension is unknown.
    """
    problems = [
        Problem(name, f"{name}: this schema has no field with this name; correct the name, or remove the field.")
        for name in fields
        if name not in {field.name for field in schema.item.fields}
    ]
    for field in schema.item.fields:
        message = _check_field(schema, field, fields, dimension)
        if message:
            problems.append(Problem(field.name, f"{title_of(field)}: {message}"))
    return [*problems, *_between_fields(schema, fields, problems)]


def check_read(schema: Schema, fields: Mapping[str, Any], dimension: str | None = None) -> list[Problem]:
    """Return the contradictions in an item from a file, one sentence each.

    Files hold published data, so values that are only long, short or missing are accepted. Impossible values are not,
    such as an answer that is no option, or a segment that ends before it begins.
    """
    problems = []
    for field in schema.item.fields:
        if _is_empty(fields.get(field.name)):
            continue
        if field.forms or of_field(field).in_files:
            message = _check_field(schema, field, fields, dimension)
            if message:
                problems.append(Problem(field.name, f"{title_of(field)}: {message}"))
    return [*problems, *_between_fields(schema, fields, problems)]


def _between_fields(schema: Schema, fields: Mapping[str, Any], wrong: Sequence[Problem]) -> Iterator[Problem]:
    """The item's rules that do not hold, but for those about a field that is wrong by itself."""
    known = {field.name: field for field in schema.item.fields}
    bad = {problem.name for problem in wrong}
    rules = [rule for rule in schema.item.rules if bad.isdisjoint([*rule.of, *rule.when])]
    for name, rule in broken_rules(rules, fields, known, asked=known, is_blank=_is_empty):
        yield Problem(name, f"{title_of(known[name])}: {rule.say}")


def title_of(field: ItemField) -> str:
    """The field's name as a person reads it."""
    return field.title or as_words(field.name)


def fields_in_order(schema: Schema, fields: Mapping[str, Any]) -> dict[str, Any]:
    """An item's content in its normal form, for kinds that have one; chosen options in the spelling of the list."""
    known = {field.name: field for field in schema.item.fields}

    def ordered(name: str, value: Any) -> Any:
        row, field = of_field(known[name]), known[name]
        return row.in_order(field, row.as_offered(field, value, fields))

    return {name: ordered(name, value) if name in known else value for name, value in fields.items()}


def _check_field(schema: Schema, field: ItemField, fields: Mapping[str, Any], dimension: str | None) -> str | None:
    value = fields.get(field.name)
    form = form_of(field, fields)
    owner = text_of_drawn(schema, field)
    drawn = owner is not None and is_drawn(owner, fields)
    if _is_empty(value):
        if drawn:
            return "draw the answer on the image, because this item needs a drawn answer."
        return "fill this in." if field.required or (form is not None and form.demands) else None
    if owner is not None and not drawn:
        return "remove the drawing, because this item needs a text answer."
    row = of_field(field)
    complaint = row.check(field, value, fields) or _check_dimension(schema, field, value, dimension)
    if complaint or form is None:
        return complaint
    offered = [str(entry) for entry in row.offered(field, fields)]
    return form.check(str(value), offered, [str(option.value) for option in field.options])


def _check_dimension(schema: Schema, field: ItemField, value: Any, dimension: str | None) -> str | None:
    allowed = field.by_dimension.get(dimension or "")
    if allowed is None or any(same(value, allowed_value) for allowed_value in allowed):
        return None
    known = {option.value: option.label for option in field.options}
    offered = ", ".join(f"{dimension_id} ({known.get(dimension_id, dimension_id)})" for dimension_id in allowed)
    title = next(
        (offered_dimension.title for offered_dimension in schema.dimensions if offered_dimension.id == dimension),
        dimension,
    )
    return f"{title} allows {offered}, not {value}; choose an allowed value, or another dimension for the item."


def form_of(field: ItemField, fields: Mapping[str, Any]) -> Form | None:
    """The form that this item's text has to keep to; None: any."""
    return FORMS.get(field.forms.get(str(fields.get(field.form)), "")) if field.form is not None else None


def text_of_drawn(schema: Schema, field: ItemField) -> ItemField | None:
    """The text whose drawn answers this field holds; None: it is drawn for itself, or not at all."""
    return next((item_field for item_field in schema.item.fields if item_field.drawn == field.name), None)


def is_drawn(field: ItemField, fields: Mapping[str, Any]) -> bool:
    """Whether this item's answer is drawn instead of said in this text."""
    form = form_of(field, fields)
    return form is not None and form.is_drawn


def _is_empty(value: Any) -> bool:
    return value is None or (isinstance(value, str) and not value.strip()) or value in ([], ())


# ---- answers of a rater ---------------------------------------------------------------------------------------------


def options_of(criterion: Criterion, item_fields: Mapping[str, Any]) -> list[Choice]:
    """The choices (or tags, or properties) that a criterion offers for this item, in order; none for text."""
    return of_criterion(criterion).options(criterion, item_fields)


def is_shown(criterion: Criterion, values: Mapping[str, Any]) -> bool:
    """Whether a rater who gave these answers is asked this criterion."""
    return all(
        any(same(values.get(name), wanted) for wanted in accepted) for name, accepted in criterion.show_if.items()
    )


def check_answers(
    criteria: Sequence[Criterion],
    values: Mapping[str, Any],
    reasons: Mapping[str, str],
    item_fields: Mapping[str, Any],
    *,
    rules: Sequence[CrossRule] = (),
) -> list[Problem]:
    """Everything wrong with a rater's submission, one sentence per problem; empty if it fits.

    A skip is a value of None with one of the skip's reasons. ``item_fields`` also holds the model's answer as
    ``prediction``, where there is one. ``rules`` are those of the stage between its answers.
    """
    names = {criterion.name for criterion in criteria}
    problems = [
        Problem(name, f"{name}: this stage has no question with this name; correct the name, or remove the answer.")
        for name in dict.fromkeys([*values, *reasons])
        if name not in names
    ]
    for criterion in criteria:
        message = _check_answer(criterion, values, reasons, item_fields)
        if message:
            problems.append(Problem(criterion.name, f"{criterion.prompt} {message}"))
    return [*problems, *_between_answers(criteria, values, reasons, item_fields, rules, problems)]


def _between_answers(
    criteria: Sequence[Criterion],
    values: Mapping[str, Any],
    reasons: Mapping[str, str],
    item_fields: Mapping[str, Any],
    rules: Sequence[CrossRule],
    wrong: Sequence[Problem],
) -> Iterator[Problem]:
    """Yield the broken rules of the stage, without rules about answers that are wrong in themselves.

    Skipped questions, and questions that earlier answers hide, do not count as missing.
    """
    known = {criterion.name: criterion for criterion in criteria}
    skipped = {name for name in reasons if values.get(name) is None}
    asked = {name for name, criterion in known.items() if is_shown(criterion, values) and name not in skipped}
    bad = {problem.name for problem in wrong}
    whole = [rule for rule in rules if bad.isdisjoint([*rule.of, *rule.when]) and asked.intersection(rule.of)]
    given = {**item_fields, **{name: values.get(name) for name in known}}
    for name, rule in broken_rules(whole, given, known, asked=asked, is_blank=_is_empty):
        yield Problem(name, f"{known[name].prompt} {rule.say}")


def in_order(
    criteria: Sequence[Criterion], values: Mapping[str, Any], item_fields: Mapping[str, Any]
) -> dict[str, Any]:
    """A rater's answers with lists in the item's own order, for kinds whose order says nothing."""
    known = {criterion.name: criterion for criterion in criteria}
    ordered = dict(values)
    for name, value in values.items():
        if name in known:
            row = of_criterion(known[name])
            ordered[name] = row.in_order(value, row.options(known[name], item_fields))
    return ordered


def _check_answer(
    criterion: Criterion, values: Mapping[str, Any], reasons: Mapping[str, str], item_fields: Mapping[str, Any]
) -> str | None:
    value, reason = values.get(criterion.name), reasons.get(criterion.name)
    if not is_shown(criterion, values):
        return None if value is None else "Your earlier answers hide this question, so leave it empty."
    row = of_criterion(criterion)
    if row.is_blank(value):
        return _check_absent(criterion, reason, skipped=criterion.name in values)
    return row.check(criterion, value, reason, options_of(criterion, item_fields), item_fields)


def _check_absent(criterion: Criterion, reason: str | None, *, skipped: bool) -> str | None:
    if criterion.skip and (reason is not None or skipped):
        reasons = criterion.skip.reasons
        if reasons and not any(same(listed_reason.value, reason) for listed_reason in reasons):
            return f"Choose a reason: {', '.join(listed_reason.label for listed_reason in reasons)}."
        return "Give a reason." if _is_empty(reason) else None
    return of_criterion(criterion).missing if criterion.required else None
