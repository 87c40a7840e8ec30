"""What a filled-in form must satisfy: pure checks that the form, the server and the importers share."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from annotation_schemas import answers, marks
from annotation_schemas.answer_forms import FORMS, Form
from annotation_schemas.model import Choice, Criterion, ItemField, Schema, as_words
from domain.errors import Problem
from domain.policies import same

# ---- fields of an item ----------------------------------------------------------------------------------------------


def check_fields(schema: Schema, fields: Mapping[str, Any]) -> list[Problem]:
    """Everything wrong with an item's content, one sentence per problem; empty if it fits."""
    problems = [
        Problem(name, f"{name}: this schema has no such field.")
        for name in fields
        if name not in {field.name for field in schema.item.fields}
    ]
    for field in schema.item.fields:
        message = _check_field(field, fields)
        if message:
            problems.append(Problem(field.name, f"{title_of(field)}: {message}"))
    return problems


def check_read(schema: Schema, fields: Mapping[str, Any]) -> list[Problem]:
    """What contradicts itself in an item that is read from a file, one sentence per problem.

    Files hold what their authors published, so what is only long, short or absent is taken as it stands; what cannot
    be true (an answer that is no option, a segment that ends before it begins) is not.
    """
    found = []
    for field in schema.item.fields:
        if _is_empty(fields.get(field.name)):
            continue
        if field.forms or field.kind in ("choice", "segments", *_CHOSEN):
            message = _check_field(field, fields)
            if message:
                found.append(Problem(field.name, f"{title_of(field)}: {message}"))
    return found


_CHOSEN = ("option_of", "options_of", "order_of")


def title_of(field: ItemField) -> str:
    """The field's name as a person reads it."""
    return field.title or as_words(field.name)


def _check_field(field: ItemField, fields: Mapping[str, Any]) -> str | None:
    value = fields.get(field.name)
    form = _form_of(field, fields)
    if _is_empty(value):
        return "fill this in." if field.required or (form is not None and form.demands) else None
    return _FIELD_CHECKS[field.kind](field, value, fields) or (
        form.check(
            str(value), [str(entry) for entry in _options(field, fields)], [str(each.value) for each in field.options]
        )
        if form is not None
        else None
    )


def _form_of(field: ItemField, fields: Mapping[str, Any]) -> Form | None:
    """The form that this item's text has to keep to; None: any."""
    return FORMS.get(field.forms.get(str(fields.get(field.form)), "")) if field.form is not None else None


def _is_empty(value: Any) -> bool:
    return value is None or (isinstance(value, str) and not value.strip()) or value in ([], ())


def _text(field: ItemField, value: Any, fields: Mapping[str, Any]) -> str | None:
    if not isinstance(value, str):
        return "this must be text."
    if field.min_length is not None and len(value.strip()) < field.min_length:
        return f"write at least {field.min_length} characters."
    if field.max_length is not None and len(value) > field.max_length:
        return f"write at most {field.max_length} characters ({len(value)} now)."
    return None


def _integer(field: ItemField, value: Any, fields: Mapping[str, Any]) -> str | None:
    return None if isinstance(value, int) and not isinstance(value, bool) else "this must be a whole number."


def _choice(field: ItemField, value: Any, fields: Mapping[str, Any]) -> str | None:
    if any(same(value, option.value) for option in field.options):
        return None
    return f"choose one of {', '.join(str(option.value) for option in field.options)}."


def _text_list(field: ItemField, value: Any, fields: Mapping[str, Any]) -> str | None:
    if not _is_list(value) or not all(isinstance(entry, str) for entry in value):
        return "this must be a list of texts."
    if any(not entry.strip() for entry in value):
        return "no entry may be empty."
    if field.length is not None and len(value) != field.length:
        return f"give exactly {field.length} entries ({len(value)} now)."
    if field.min_length is not None and len(value) < field.min_length:
        return f"give at least {field.min_length} entries ({len(value)} now)."
    if field.max_length is not None and len(value) > field.max_length:
        return f"give at most {field.max_length} entries ({len(value)} now)."
    if field.distinct and len({entry.strip().casefold() for entry in value}) < len(value):
        return "no entry may be there twice."
    return None


def _option_of(field: ItemField, value: Any, fields: Mapping[str, Any]) -> str | None:
    return None if value in _options(field, fields) else f"this must be one of the entries of {field.field}."


def _options_of(field: ItemField, value: Any, fields: Mapping[str, Any]) -> str | None:
    options = _options(field, fields)
    if not _is_list(value) or not all(entry in options for entry in value):
        return f"every entry must be one of the entries of {field.field}."
    return "no entry may be there twice." if len(set(map(str, value))) < len(value) else None


def _order_of(field: ItemField, value: Any, fields: Mapping[str, Any]) -> str | None:
    options = _options(field, fields)
    if not _is_list(value) or sorted(map(str, value)) != sorted(map(str, options)):
        return f"this must be all entries of {field.field}, each once, in order."
    return None


SPANS = (("start", "end"), ("start_frame", "stop_frame"))
"""Under which keys segments say where they begin and end: in seconds of the clip, or in frames of its source."""


def _segments(field: ItemField, value: Any, fields: Mapping[str, Any]) -> str | None:
    if not _is_list(value) or not all(isinstance(entry, Mapping) for entry in value):
        return "this must be a list of segments."
    wrong = []
    for number, entry in enumerate(value, 1):
        for begin, end in SPANS:
            first, last = entry.get(begin), entry.get(end)
            if not all(each is None or _is_moment(each) for each in (first, last)):
                wrong.append(f"{begin} and {end} of segment {number} must be numbers from 0 on")
            elif first is not None and last is not None and last < first:
                wrong.append(f"segment {number} ends ({last:g}) before it begins ({first:g})")
    return f"{'; '.join(wrong)}." if wrong else None


def _is_moment(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value) and value >= 0


def _drawn(field: ItemField, value: Any, fields: Mapping[str, Any]) -> str | None:
    labels = [option.value for option in field.options]
    said = marks.problem(field.kind, value, labels=labels, least=field.min_length, most=field.max_length)
    return said and said[:1].lower() + said[1:]


def _any(field: ItemField, value: Any, fields: Mapping[str, Any]) -> str | None:
    return None


def _is_list(value: Any) -> bool:
    return isinstance(value, list | tuple)


def _options(field: ItemField, fields: Mapping[str, Any]) -> Sequence[Any]:
    options = fields.get(field.field or "")
    return options if isinstance(options, list | tuple) else ()


_FIELD_CHECKS: dict[str, Callable[[ItemField, Any, Mapping[str, Any]], str | None]] = {
    "text": _text,
    "long_text": _text,
    "integer": _integer,
    "choice": _choice,
    "text_list": _text_list,
    "option_of": _option_of,
    "options_of": _options_of,
    "order_of": _order_of,
    "segments": _segments,
    "json": _any,
    "boxes": _drawn,
    "marks": _drawn,
}

# ---- answers of a rater ---------------------------------------------------------------------------------------------


def options_of(criterion: Criterion, item_fields: Mapping[str, Any]) -> list[Choice]:
    """The choices (or tags, or properties) that a criterion offers for this item, in order; none for text."""
    if criterion.field is None and criterion.options:
        return list(criterion.options)
    if criterion.field is not None:
        entries = item_fields.get(criterion.field or "")
        if not isinstance(entries, list | tuple):
            return []
        return [Choice(value=entry, label=entry) for entry in entries if isinstance(entry, str)]
    if criterion.kind == "scale":
        labels = criterion.labels or tuple(str(value) for value in criterion.values)
        return [Choice(value=value, label=label) for value, label in zip(criterion.values, labels, strict=True)]
    return []


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
) -> list[Problem]:
    """Everything wrong with a rater's submission, one sentence per problem; empty if it fits.

    A skip is a value of None with one of the skip's reasons. ``item_fields`` also holds the model's answer as
    ``prediction``, where there is one.
    """
    names = {criterion.name for criterion in criteria}
    problems = [
        Problem(name, f"{name}: this stage does not ask that.")
        for name in dict.fromkeys([*values, *reasons])
        if name not in names
    ]
    for criterion in criteria:
        message = _check_answer(criterion, values, reasons, item_fields)
        if message:
            problems.append(Problem(criterion.name, f"{criterion.prompt} {message}"))
    return problems


def in_order(
    criteria: Sequence[Criterion], values: Mapping[str, Any], item_fields: Mapping[str, Any]
) -> dict[str, Any]:
    """A rater's answers with lists in the item's own order, for kinds whose order says nothing."""
    known = {criterion.name: criterion for criterion in criteria}
    return {
        name: answers.in_order(known[name], value, options_of(known[name], item_fields)) if name in known else value
        for name, value in values.items()
    }


def _check_answer(
    criterion: Criterion, values: Mapping[str, Any], reasons: Mapping[str, str], item_fields: Mapping[str, Any]
) -> str | None:
    value, reason = values.get(criterion.name), reasons.get(criterion.name)
    if not is_shown(criterion, values):
        return None if value is None else "This is not asked after the answers before it."
    if value is None or (criterion.kind == "text" and _is_empty(value)):
        return _check_absent(criterion, reason, skipped=criterion.name in values)
    if criterion.kind == "text":
        return None if isinstance(value, str) else "This must be text."
    check = answers.CHECKS.get(criterion.kind)
    if check is not None:
        return check(criterion, value, options_of(criterion, item_fields), item_fields)
    for option in options_of(criterion, item_fields):
        if same(option.value, value):
            return _check_reason(option, reason)
    return "Choose one of the answers that are offered."


def _check_absent(criterion: Criterion, reason: str | None, *, skipped: bool) -> str | None:
    if criterion.skip and (reason is not None or skipped):
        reasons = criterion.skip.reasons
        if reasons and not any(same(each.value, reason) for each in reasons):
            return f"Say why: {', '.join(each.label for each in reasons)}."
        return "Say why." if _is_empty(reason) else None
    if criterion.required and criterion.kind in marks.KINDS:
        return "Draw what is asked, or say that there is nothing to mark."
    return (
        "Choose an answer."
        if criterion.required and criterion.kind != "text"
        else ("Write an answer." if criterion.required else None)
    )


def _check_reason(option: Choice, reason: str | None) -> str | None:
    if option.reasons and (_is_empty(reason) or not isinstance(reason, str | int | float)):
        return f"Say why: {', '.join(each.label for each in option.reasons)}."
    return None
