"""What a page of Label Studio asks in a stage: its parts in order, the names of their controls, and what it cannot ask.

A control has the name of its criterion or field; what stands beside it (reasons, skips, "nothing to mark") has that
name, a hyphen and more, which no criterion can be called. Options are stored by their values, not by their labels: see
``codes``.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from annotation_schemas import kinds, registry
from annotation_schemas.model import PREDICTION, AssetSlot, Choice, Criterion, ItemField, Schema
from domain.errors import NotAvailable
from domain.policies import same

NOTE = "touchstone-note"
"""The control for what a rater adds in words."""
ABOUT = "about"
"""The text on every page that everything is about which is not drawn or marked on something."""
RESERVED = "touchstone:"
SKIP = f"{RESERVED}skip"
NONE = f"{RESERVED}none"
OTHER = f"{RESERVED}other"
"""Choices beside the options: not to answer, that nothing applies, and a reason in one's own words."""
DECISION, CAUSE, FIELDS = "decision", "cause", "fields"
DECISIONS = (
    Choice(value="accept", label="Accept: the item is kept"),
    Choice(value="reject", label="Reject: the item is dropped"),
    Choice(value="edit", label="Edit: the item is changed and verified again"),
)
MOST_MARKS = 20
"""How many numbers are offered where a schema sets no limit to marks."""
MOST_ENTRIES = 9
"""How many entries of a list can be picked by their place where a schema sets no limit to it."""

STAGES = ("authoring", "verification", "adjudication", "grading")

EDITED = "field-"
"""What the controls of fields begin with that a senior changes."""
STAYS = "Left empty, it stays as it is."


def refusal(schema: Schema, stage: str, dimension: str | None) -> str | None:
    """Why Label Studio cannot show this stage, naming the criterion or field; None if it can."""
    if stage not in STAGES:
        return f"Label Studio cannot show the stage {stage}; its work stays on Touchstone's own pages."
    if getattr(schema.stages, stage) is None:
        return f"This schema has no stage `{stage}`."
    if stage == "authoring":
        asked = [field for field in schema.item.fields if field.authored]
        why = {field.name: _field_refusal(schema, field) for field in asked}
        noun = "field"
    elif stage == "adjudication":
        return None
    else:
        criteria = asked_of(schema, stage, dimension)
        why = {criterion.name: _criterion_refusal(schema, criterion) for criterion in criteria}
        noun = "criterion"
    name = next((name for name, said in why.items() if said), None)
    return None if name is None else f"Label Studio cannot show the {noun} `{name}`: {why[name]}"


def require(schema: Schema, stage: str, dimension: str | None) -> None:
    """Raise ``NotAvailable`` with the sentence of ``refusal`` if there is one."""
    said = refusal(schema, stage, dimension)
    if said is not None:
        raise NotAvailable(said)


def asked_of(schema: Schema, stage: str, dimension: str | None) -> tuple[Criterion, ...]:
    """The criteria of a stage that can be asked about an item of that dimension."""
    asked: list[Criterion] = []
    for criterion in registry.criteria_of(schema, stage, dimension):
        if set(criterion.show_if) <= {each.name for each in asked}:  # else it hangs on what nobody is asked here
            asked.append(criterion)
    return tuple(asked)


def drawn_on(
    schema: Schema, stage: str, fields: Mapping[str, Any], roles: Sequence[str], role: str, image: int
) -> dict[str, Any]:
    """The fixed boxes and marks of an image, for ``media.drawn.draw``; empty if there are none.

    ``roles`` are those of the item's assets in order, ``image`` counts the images of ``role`` from 1.
    """
    pictures = {slot.role for slot in schema.item.assets if slot.kind == "image"}
    first = next((each for each in roles if each in pictures), None)
    found: dict[str, Any] = {}
    for part in schema.item.fields:
        entries = fields.get(part.name)
        row = kinds.of_field(part)
        if not row.drawn or stage in part.secret_in or (part.role or first) != role or not entries:
            continue
        if stage == "authoring" or row.drawing_problem(entries):
            continue
        here = [entry for entry in entries if entry.get("image", 1) == image]
        if here:
            found.setdefault(row.name, []).extend(here)
        if here and "options" in row.keys:
            found.setdefault("labels", {}).update({each.value: each.label for each in part.options})
    return found


# ---- names -----------------------------------------------------------------------------------------------------------


def image_of(role: str) -> str:
    """The name of what shows the images of a role that is drawn on."""
    return f"image-{role}"


def text_of(name: str) -> str:
    """The name of what shows a text in which passages are marked: an item's field, or the model's answer."""
    return f"text-{name}"


def code(value: Any) -> str:
    """The text that stands for one of the schema's own values.

    No comma, as conditions there list choices with commas between; neither "true" nor "false", which become truth
    values on the way.
    """
    text = value if isinstance(value, str) else json.dumps(value)
    text = "".join(" " if ord(letter) < ord(" ") else letter for letter in text).replace(",", ";")
    return f"={text}" if text in ("true", "false") or text.startswith(RESERVED) else text


def codes(options: Sequence[Choice], *, own: bool) -> list[str]:
    """The texts that stand for options, all different. ``own``: they are the schema's, not the item's."""
    found: list[str] = []
    for option in options:
        text = code(option.value) if own else str(option.value)
        if text.startswith(RESERVED):
            text = f"={text}"
        tried, number = text, 1
        while tried in found:
            number += 1
            tried = f"{text} ({number})"
        found.append(tried)
    return found


def rank_codes(options: Sequence[Choice], *, own: bool) -> list[str]:
    """As ``codes``, for things to be put in order: whole numbers by themselves would be sorted by the browser."""
    made = codes(options, own=own)
    marked = [f"#{text}" if text.isdecimal() else text for text in made]
    return marked if len(set(marked)) == len(marked) else [f"{at}. {text}" for at, text in enumerate(made, 1)]


def distinct(options: Sequence[Choice]) -> list[Choice]:
    """Options without those whose value was there before: they would be the same answer."""
    found: list[Choice] = []
    for option in options:
        if not any(same(option.value, other.value) for other in found):
            found.append(option)
    return found


# ---- what stands on a page -------------------------------------------------------------------------------------------


def list_of(name: str) -> str:
    """The name of the list that an ordering puts in order."""
    return f"{name}-list"


@dataclass(frozen=True)
class Part:
    """A criterion or field as it stands on a page there."""

    criterion: Criterion
    type: str
    """The type of its results."""
    to: str = ABOUT
    """What on the page it is about."""
    shown_when: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """Controls with the choices of which one has to be made before this is asked."""
    told: tuple[str, ...] = ()
    """Conditions that cannot be shown as such, as sentences; whoever does not meet them leaves it out."""
    several: bool = False
    """It is drawn on a place with several images."""
    field: ItemField | None = None
    """The field of the item that is filled in; None: it is a criterion."""
    after: str | None = None
    """The part for a list, one of whose entries is meant by its place."""

    @property
    def name(self) -> str:
        """Its control, and its name among the values."""
        return self.criterion.name

    @property
    def row(self) -> kinds.CriterionKind:
        """The row of its kind."""
        return kinds.of_criterion(self.criterion)

    @property
    def role(self) -> str:
        """The role of the images that it is drawn on."""
        return self.to.removeprefix(image_of(""))

    @property
    def own(self) -> bool:
        """Its options are the schema's, not the item's."""
        return self.criterion.field is None

    @property
    def may_be_none(self) -> bool:
        """That nothing applies is an answer, and has a choice of its own."""
        return self.row.none_is_answer and self.field is None and not self.criterion.min

    def options(self, texts: Mapping[str, Any]) -> list[Choice]:
        """What is offered for this item."""
        found = kinds.options_of(self.criterion, texts)
        return found if self.type == "ranker" else distinct(found)

    def side(self, what: str, place: int | None = None) -> str:
        """The name of a control beside its own."""
        return f"{self.name}-{what}" if place is None else f"{self.name}-{what}-{place}"

    def own_reasons(self) -> list[tuple[int, Choice]]:
        """The options that ask for a reason, with their places."""
        asks = self.row.asks_reasons
        return [(at, option) for at, option in enumerate(self.criterion.options, 1) if asks and option.reasons]

    def controls(self) -> dict[str, str]:
        """All controls of it with the types of their results."""
        found = {self.name: self.type}
        if self.type == "property_list":
            found = {self.side("is", at): "choices" for at, _ in enumerate(self.criterion.options, 1)}
        if self.criterion.skip:
            found |= {self.side("skip"): "choices", self.side("skip-words"): "textarea"}
        for at, _ in self.own_reasons():
            found |= {self.side("reason", at): "choices", self.side("words", at): "textarea"}
        if self.may_be_none and self.type != "choices":
            found[self.side("none")] = "choices"
        return found


def parts(schema: Schema, stage: str, dimension: str | None) -> list[Part]:
    """What a page of the stage asks, in order; raises ``NotAvailable`` where Label Studio cannot ask it."""
    require(schema, stage, dimension)
    if stage == "authoring":
        return _field_parts(schema, [field for field in schema.item.fields if field.authored], prefix="")
    if stage == "adjudication":
        return _adjudication_parts(schema)
    criteria = asked_of(schema, stage, dimension)
    return [_part(schema, criterion, criteria) for criterion in criteria]


def _part(schema: Schema, criterion: Criterion, criteria: Sequence[Criterion]) -> Part:
    shown, told = _conditions(criterion, criteria)
    to, several = ABOUT, False
    row = kinds.of_criterion(criterion)
    if row.is_about == "image":
        slot = _slot(schema, criterion.role)
        to, several = image_of(slot.role), slot.max != 1
    elif row.is_about == "text":
        to = text_of(criterion.of or PREDICTION)
    return Part(criterion, _type(criterion, criteria), to, shown, told, several)


def _type(criterion: Criterion, criteria: Sequence[Criterion]) -> str:
    depended_on = any(criterion.name in each.show_if for each in criteria)
    return kinds.of_criterion(criterion).label_studio_type(criterion, depended_on=depended_on)


def _conditions(
    criterion: Criterion, criteria: Sequence[Criterion]
) -> tuple[tuple[tuple[str, tuple[str, ...]], ...], tuple[str, ...]]:
    known = {each.name: each for each in criteria}
    shown: list[tuple[str, tuple[str, ...]]] = []
    told: list[str] = []
    for name, accepted in criterion.show_if.items():
        other = known[name]
        if other.field is not None:
            wanted = [str(value) for value in accepted]
        else:
            options = kinds.options_of(other, {})
            at = dict(zip([_key(option.value) for option in options], codes(options, own=True), strict=True))
            wanted = [at[_key(value)] for value in accepted if _key(value) in at]
        able = kinds.of_criterion(other).compared and not any("," in each for each in wanted)
        if able and wanted:
            shown.append((name, tuple(wanted)))
        else:
            told.append(f"Only if “{other.prompt}” is {' or '.join(str(value) for value in accepted)}.")
    return tuple(shown), tuple(told)


def _key(value: Any) -> tuple[bool, Any]:
    """Equal for values that are the same."""
    return isinstance(value, bool), value


def _field_parts(schema: Schema, fields: Sequence[ItemField], *, prefix: str) -> list[Part]:
    lists = {each.name: each for each in schema.item.fields if kinds.of_field(each).is_list}
    found: list[Part] = []
    for each in fields:
        made = _asked(each, prefix, lists)
        row = kinds.of_field(each)
        if row.drawn:
            slot = _slot(schema, each.role)
            found.append(Part(made, _type(made, ()), image_of(slot.role), (), (), slot.max != 1, each))
        else:
            after = prefix + (each.field or "") if row.picked_by_place else None
            found.append(Part(made, _type(made, ()), field=each, after=after))
    return found


def _asked(each: ItemField, prefix: str, lists: Mapping[str, ItemField]) -> Criterion:
    """A field as a criterion that fills it in."""
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


def _adjudication_parts(schema: Schema) -> list[Part]:
    stage = schema.stages.adjudication
    if stage is None:
        return []
    decisions = DECISIONS if stage.edit else DECISIONS[:2]
    decision = Criterion(name=DECISION, kind="choice", prompt="Decision", options=decisions)
    found = [Part(decision, "choices")]
    if stage.causes:
        cause = Criterion(name=CAUSE, kind="choice", prompt="Why was it contested?", options=stage.causes)
        found.append(Part(cause, "choices"))
    if stage.edit:
        able = [
            each
            for each in schema.item.fields
            if each.authored and "adjudication" not in each.secret_in and _field_refusal(schema, each) is None
        ]
        when = ((DECISION, ("edit",)),)
        found += [
            Part(each.criterion, each.type, each.to, when, (STAYS,), each.several, each.field, each.after)
            for each in _field_parts(schema, able, prefix=EDITED)
            if each.row.is_about == "item"
        ]
    return found


# ---- what cannot be shown --------------------------------------------------------------------------------------------


def _slot(schema: Schema, role: str | None) -> AssetSlot:
    return next(slot for slot in schema.item.assets if slot.kind == "image" and role in (None, slot.role))


def _criterion_refusal(schema: Schema, criterion: Criterion) -> str | None:
    return kinds.of_criterion(criterion).label_studio_refusal(criterion, schema)


def _field_refusal(schema: Schema, field: ItemField) -> str | None:
    return kinds.of_field(field).label_studio_refusal(schema, field)


# ---- what was given --------------------------------------------------------------------------------------------------
