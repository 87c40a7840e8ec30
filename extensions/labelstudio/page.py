"""The parts of a Label Studio page for a stage, in order, and the parts that Label Studio cannot show."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from annotation_schemas import kinds, registry
from annotation_schemas.model import PREDICTION, AssetSlot, Choice, Criterion, ItemField, Schema
from domain.errors import NotAvailableError
from extensions.labelstudio import ways
from extensions.labelstudio.codes import ABOUT, EDITED, codes, image_of, text_of
from extensions.labelstudio.parts import FormPart

DECISION, REASON, FIELDS = "decision", "cause", "fields"
DECISIONS = (
    Choice(value="accept", label="Accept: keep the item"),
    Choice(value="reject", label="Reject: remove the item from the benchmark"),
    Choice(value="edit", label="Edit: change the item, then verify the item again"),
)
MOST_ENTRIES = 9
"""Number of list entries that can be picked by position, if the schema sets no limit."""

STAGES = ("authoring", "verification", "adjudication", "grading")

STAYS = "Leave the field empty to keep the current value."


def refusal(schema: Schema, stage: str, dimension: str | None) -> str | None:
    """Return why Label Studio cannot show this stage, with the name of the criterion or field. None if it can."""
    if stage not in STAGES:
        return f"Label Studio cannot show the stage {stage}. Use Touchstone's pages for this stage."
    if getattr(schema.stages, stage) is None:
        return f"This schema has no stage `{stage}`. Choose another stage."
    if stage == "authoring":
        asked = [field for field in schema.item.fields if field.authored]
        why = {field.name: ways.field_refusal(schema, field) for field in asked}
        noun = "field"
    elif stage == "adjudication":
        return None
    else:
        criteria = asked_of(schema, stage, dimension)
        why = {criterion.name: ways.criterion_refusal(schema, criterion) for criterion in criteria}
        noun = "criterion"
    name = next((name for name, reason in why.items() if reason), None)
    return (
        None
        if name is None
        else f"Label Studio cannot show the {noun} `{name}`: {why[name]} Use Touchstone's pages for this stage."
    )


def require(schema: Schema, stage: str, dimension: str | None) -> None:
    """Raise ``NotAvailableError`` with the sentence of ``refusal`` if there is one."""
    reason = refusal(schema, stage, dimension)
    if reason is not None:
        raise NotAvailableError(reason)


def asked_of(schema: Schema, stage: str, dimension: str | None) -> tuple[Criterion, ...]:
    """Return the criteria of a stage that can be asked about an item of this dimension."""
    asked: list[Criterion] = []
    for criterion in registry.criteria_of(schema, stage, dimension):
        if set(criterion.show_if) <= {other.name for other in asked}:  # depends only on criteria asked here
            asked.append(criterion)
    return tuple(asked)


def drawn_on(
    schema: Schema, stage: str, fields: Mapping[str, Any], roles: Sequence[str], role: str, image: int
) -> dict[str, Any]:
    """Return the fixed boxes and marks of an image, for ``media.drawn.draw``. Empty if there are none.

    ``roles`` are the roles of the item's assets in order. ``image`` counts the images of ``role`` from 1.
    """
    pictures = {slot.role for slot in schema.item.assets if slot.kind == "image"}
    first = next((slot_role for slot_role in roles if slot_role in pictures), None)
    drawings: dict[str, Any] = {}
    for part in schema.item.fields:
        entries = fields.get(part.name)
        row = kinds.of_field(part)
        if not row.drawn or stage in part.secret_in or (part.role or first) != role or not entries:
            continue
        if stage == "authoring" or row.drawing_problem(entries):
            continue
        here = [entry for entry in entries if entry.get("image", 1) == image]
        if here:
            drawings.setdefault(row.name, []).extend(row.shapes(part, here))
        if here and "options" in row.keys:
            drawings.setdefault("labels", {}).update({option.value: option.label for option in part.options})
    return drawings


# ---- parts of a page -------------------------------------------------------------------------------------------------


def parts(schema: Schema, stage: str, dimension: str | None) -> list[FormPart]:
    """Return the parts of the stage's page, in order.

    Raise ``NotAvailableError`` if Label Studio cannot show a part.
    """
    require(schema, stage, dimension)
    if stage == "authoring":
        return _field_parts(schema, [field for field in schema.item.fields if field.authored], prefix="")
    if stage == "adjudication":
        return _adjudication_parts(schema)
    criteria = asked_of(schema, stage, dimension)
    return [_part(schema, criterion, criteria) for criterion in criteria]


def _part(schema: Schema, criterion: Criterion, criteria: Sequence[Criterion]) -> FormPart:
    shown, conditions = _conditions(criterion, criteria)
    to, several = ABOUT, False
    row = kinds.of_criterion(criterion)
    if row.is_about == "image":
        slot = _slot(schema, criterion.role)
        to, several = image_of(slot.role), slot.max != 1
    elif row.is_about == "text":
        to = text_of(criterion.of or PREDICTION)
    return FormPart(criterion, row, _type(criterion, criteria), to, shown, conditions, several)


def _type(criterion: Criterion, criteria: Sequence[Criterion]) -> str:
    depended_on = any(criterion.name in dependent.show_if for dependent in criteria)
    way = ways.way_of_criterion(kinds.of_criterion(criterion))
    assert way is not None, "every part of a page can be asked"
    return way.type_of(criterion, depended_on=depended_on)


def _conditions(
    criterion: Criterion, criteria: Sequence[Criterion]
) -> tuple[tuple[tuple[str, tuple[str, ...]], ...], tuple[str, ...]]:
    known = {sibling.name: sibling for sibling in criteria}
    shown: list[tuple[str, tuple[str, ...]]] = []
    sentences: list[str] = []
    for name, accepted in criterion.show_if.items():
        other = known[name]
        if other.field is not None:
            wanted = [str(value) for value in accepted]
        else:
            options = kinds.options_of(other, {})
            at = dict(zip([_key(option.value) for option in options], codes(options, own=True), strict=True))
            wanted = [at[_key(value)] for value in accepted if _key(value) in at]
        able = kinds.of_criterion(other).compared and not any("," in text for text in wanted)
        if able and wanted:
            shown.append((name, tuple(wanted)))
        else:
            sentences.append(
                f"Answer only if the answer to “{other.prompt}” is {' or '.join(str(value) for value in accepted)}."
            )
    return tuple(shown), tuple(sentences)


def _key(value: Any) -> tuple[bool, Any]:
    """Return a key that is equal for equal values."""
    return isinstance(value, bool), value


def _field_parts(schema: Schema, fields: Sequence[ItemField], *, prefix: str) -> list[FormPart]:
    lists = {field.name: field for field in schema.item.fields if kinds.of_field(field).is_list}
    form_parts: list[FormPart] = []
    for field in fields:
        made = _asked(field, prefix, lists)
        row, asked = kinds.of_field(field), kinds.of_criterion(made)
        if row.drawn:
            slot = _slot(schema, field.role)
            form_parts.append(
                FormPart(made, asked, _type(made, ()), image_of(slot.role), (), (), slot.max != 1, field, row)
            )
        else:
            after = prefix + (field.field or "") if row.picked_by_place else None
            form_parts.append(FormPart(made, asked, _type(made, ()), field=field, field_row=row, after=after))
    return form_parts


def _asked(each: ItemField, prefix: str, lists: Mapping[str, ItemField]) -> Criterion:
    """Return a field as a criterion that fills it in."""
    common: dict[str, Any] = {
        "name": prefix + each.name,
        "prompt": kinds.title_of(each),
        "help": each.help,
        "required": each.required and not prefix,
        "role": each.role,
    }
    entries = lists.get(each.field or "")
    most = (entries.length or entries.max_length or MOST_ENTRIES) if entries is not None else 0
    places = [Choice(value=str(number), label=f"Entry {number}") for number in range(1, most + 1)]
    return Criterion(**common, **kinds.of_field(each).as_criterion(each, places))


def _adjudication_parts(schema: Schema) -> list[FormPart]:
    stage = schema.stages.adjudication
    if stage is None:
        return []
    decisions = DECISIONS if stage.edit else DECISIONS[:2]
    decision = Criterion(name=DECISION, kind="choice", prompt="Decision", options=decisions)
    parts = [FormPart(decision, kinds.of_criterion(decision), "choices")]
    if stage.reasons:
        reason = Criterion(
            name=REASON, kind="choice", prompt="Why did this item need adjudication?", options=stage.reasons
        )
        parts.append(FormPart(reason, kinds.of_criterion(reason), "choices"))
    if stage.edit:
        able = [
            field
            for field in schema.item.fields
            if field.authored and "adjudication" not in field.secret_in and ways.field_refusal(schema, field) is None
        ]
        when = ((DECISION, ("edit",)),)
        parts += [
            replace(part, shown_when=when, told=(STAYS,))
            for part in _field_parts(schema, able, prefix=EDITED)
            if part.row.is_about == "item"
        ]
    return parts


# ---- refusals --------------------------------------------------------------------------------------------------------


def _slot(schema: Schema, role: str | None) -> AssetSlot:
    return next(slot for slot in schema.item.assets if slot.kind == "image" and role in (None, slot.role))
