"""Whole items that a model proposes for an image: the question to the model, and the checks of its reply.

Both follow from the schema's authoring stage. PCA-Bench has a language model write examples for training and filters
impossible ones (2.6, Embodied Instruction Evolution). Here a person edits the proposal, and owns the item.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from annotation_schemas import kinds
from annotation_schemas.model import ItemField, Schema, Wording
from annotation_schemas.shown import shown_fields
from domain import json_text
from domain.states import Stage
from domain.strict_json import Fault, formless, read_object

OURS = Path(__file__).with_name("proposal_prompt.txt")
PLACES = ("fields", "form", "dimension", "situation", "guideline")
"""Placeholders in braces that are filled in; other braces stay. The first one is required."""
TOLD = 20
"""The maximum number of faults that are reported for a reply."""

PROPOSAL, WHY_NOT = "proposal", "why_not"

NO_OPTION, SAME_OPTION, RULE = (
    "an answer is not among the options",
    "an option appears twice",
    "the fields contradict a rule of the schema",
)
UNFIT, WORDING = ("a field does not fit the schema", "the schema refuses the wording")
NEITHER, BOTH = (
    "the reply has no proposal and no reason against a proposal",
    "the reply has a proposal and also a reason against a proposal",
)

_TYPES: Mapping[str, tuple[str, Mapping[str, Any]]] = {
    "text": ("a text", {"type": "string"}),
    "decimal": ('a number as a text, such as "0.5"', {"type": "string"}),
    "texts": ("a list of texts", {"type": "array", "items": {"type": "string"}}),
    "whole number": ("a whole number", {"type": "integer"}),
}
"""By what a kind of field holds: in words, and as JSON Schema."""

_PLACE = re.compile(r"\{([A-Za-z_]+)\}")


@dataclass(frozen=True)
class ProposalReply:
    """The result of reading a reply: an item's fields, or the reason for having none. With a fault, both
    are missing.
    """

    fields: Mapping[str, Any] = field(default_factory=dict)
    why_not: str = ""
    """The model's reason why the image does not allow an item."""
    faults: tuple[Fault, ...] = ()


def asked_fields(schema: Schema) -> list[ItemField]:
    """Return the fields of the authoring form that a model can write: texts, lists of texts, numbers, options."""
    return [field for field in shown_fields(schema, Stage.AUTHORING) if _typed(field) is not None]


def left_fields(schema: Schema) -> list[ItemField]:
    """Return the fields that the person must fill in: drawn, timed or complex ones."""
    return [field for field in shown_fields(schema, Stage.AUTHORING) if _typed(field) is None]


def _typed(field: ItemField) -> tuple[str, Mapping[str, Any]] | None:
    row = kinds.of_field(field)
    if row.drawn or row.timed:
        return None
    if row.of_options:
        return "one of the values below", {"enum": [choice.value for choice in field.options]}
    return _TYPES.get(row.holds)


# ---- asking ---------------------------------------------------------------------------------------------------------


def lacking(prompt: str) -> str | None:
    """Return the problem of a prompt, as the end of a sentence, or None."""
    named = set(_PLACE.findall(prompt))
    if PLACES[0] not in named:
        return f"has no {{{PLACES[0]}}}, the placeholder for the fields of an item. Add the placeholder"
    if odd := sorted(named - set(PLACES)):
        there = ", ".join(f"{{{name}}}" for name in PLACES)
        return f"has the unknown placeholder {{{odd[0]}}}. Use only these placeholders: {there}"
    return None


def question(prompt: str, schema: Schema, dimension: str, *, situation: str = "", guideline: str = "") -> str:
    """Return the question to a model about an image. Values are inserted unchanged, including their braces."""
    about = next(candidate for candidate in schema.dimensions if candidate.id == dimension)
    values = {
        "fields": "\n".join(_explained(field, dimension) for field in asked_fields(schema)),
        "form": form(schema),
        "dimension": f"{about.title}. {about.definition or ''}".strip(),
        "situation": situation or "Choose a situation that the image itself shows.",
        "guideline": guideline,
    }
    return _PLACE.sub(lambda place: values[place[1]], prompt)


def form(schema: Schema) -> str:
    """Return the form of a reply in words, for prompts."""
    example = {field.name: _example(field) for field in asked_fields(schema)}
    taken = json.dumps({PROPOSAL: example, WHY_NOT: ""}, ensure_ascii=False)
    return f'{taken}\nor, if the image does not allow such an item, {{"{PROPOSAL}": null, "{WHY_NOT}": "..."}}'


def json_schema(schema: Schema) -> dict[str, Any]:
    """Return the form as JSON Schema, for servers that enforce one."""
    asked = asked_fields(schema)
    parts: dict[str, Any] = {}
    for item_field in asked:
        typed = _typed(item_field)
        assert typed is not None
        parts[item_field.name] = (
            dict(typed[1]) if item_field.required else {"anyOf": [dict(typed[1]), {"type": "null"}]}
        )
    item = {"type": "object", "properties": parts, "required": list(parts), "additionalProperties": False}
    whole = {PROPOSAL: {"anyOf": [item, {"type": "null"}]}, WHY_NOT: {"type": "string"}}
    return {"type": "object", "properties": whole, "required": list(whole), "additionalProperties": False}


def _example(field: ItemField) -> Any:
    row = kinds.of_field(field)
    if row.of_options:
        return field.options[0].value if field.options else ""
    return {"texts": ["...", "..."], "whole number": 1, "decimal": "0.5"}.get(row.holds, "...")


def _explained(field: ItemField, dimension: str) -> str:
    """Return the description of a field for the model."""
    typed = _typed(field)
    assert typed is not None
    parts = [f'- "{field.name}" ({kinds.title_of(field)}): {typed[0]}']
    if field.field is not None:
        parts.append(f'taken word for word from "{field.field}"')
    unit = "entries" if kinds.of_field(field).holds == "texts" else "characters"
    if field.length is not None:
        parts.append(f"exactly {field.length:,} {unit}")
    parts += [f"at least {field.min_length:,} {unit}"] if field.min_length is not None else []
    parts += [f"at most {field.max_length:,} {unit}"] if field.max_length is not None else []
    parts += ["none twice"] if field.distinct else []
    parts += [f"from {field.min:g}"] if field.min is not None else []
    parts += [f"to {field.max:g}"] if field.max is not None else []
    parts += [f"in {field.unit}"] if field.unit is not None else []
    parts += ["null if it does not apply"] if not field.required else []
    line = f"{', '.join(parts)}. {field.help or ''}".rstrip()
    allowed = field.by_dimension.get(dimension)
    offered = [option for option in field.options if allowed is None or option.value in allowed]
    values = [f"  - {json.dumps(option.value, ensure_ascii=False)}: {option.label}" for option in offered]
    rules = field.wording.rules if field.wording is not None else ()
    wording = [f"  - {_RULES[name](field.wording)}" for name in rules] if field.wording is not None else []
    return "\n".join([line, *values, *wording])


def _words(wording: Wording) -> str:
    limits = wording.words
    ends = ((limits.least, "at least"), (limits.most, "at most")) if limits is not None else ()
    return ", ".join(f"{end} {n:,} words" for n, end in ends if n is not None)


_RULES: Mapping[str, Callable[[Wording], str]] = {
    "person": lambda wording: (
        "in neither the first nor the second person" if wording.person == "third" else f"in the {wording.person} person"
    ),
    "words": _words,
    "forbidden": lambda wording: f"without {', '.join(map(json.dumps, wording.forbidden))}",
    "ends_with": lambda wording: f"ends with {json.dumps(wording.ends_with)}",
    "not_in": lambda wording: f"its text stands in none of {', '.join(wording.not_in)}",
    "alike_length": lambda wording: (
        f"the longest has at most {wording.alike_length:g} times the characters of the shortest"
    ),
    "no_rewording": lambda wording: "no two say the same in other words",
}
"""The rules of wording, as phrases for a model."""


# ---- what comes back ------------------------------------------------------------------------------------------------


def read_reply(text: str, schema: Schema, dimension: str) -> ProposalReply:
    """Read a reply and return the proposal for an item of this dimension."""
    value, fault = read_object(text)
    if fault is None and (not isinstance(value, dict) or set(value) != {PROPOSAL, WHY_NOT}):
        fault = formless((), f"it is one object with the keys {PROPOSAL} and {WHY_NOT}, and no others")
    if fault is None and not isinstance(value[WHY_NOT], str):
        fault = formless((WHY_NOT,), "this is a text")
    if fault is not None:
        return ProposalReply(faults=(fault,))
    fields, why_not = value[PROPOSAL], json_text.showable(value[WHY_NOT]).strip()
    if fields is None:
        none = Fault(NEITHER, f"{PROPOSAL} is null, so say in {WHY_NOT} why the image does not allow such an item.")
        return ProposalReply(why_not=why_not) if why_not else ProposalReply(faults=(none,))
    if why_not:
        return ProposalReply(
            faults=(Fault(BOTH, f"With a proposal {WHY_NOT} is empty; with {WHY_NOT} there is none."),)
        )
    return read_fields(fields, schema, dimension)


def read_fields(said: Any, schema: Schema, dimension: str) -> ProposalReply:
    """Return the proposal in an object with an item's fields. It must have all requested fields and no others."""
    faults = tuple(_formless(said, schema))[:TOLD]
    if faults:
        return ProposalReply(faults=faults)
    fields = {name: entry for name, entry in said.items() if entry is not None}
    faults = tuple(_contradictions(fields, schema, dimension))[:TOLD]
    return ProposalReply(faults=faults) if faults else ProposalReply(fields)


def _formless(said: Any, schema: Schema) -> Iterator[Fault]:
    asked = {field.name: field for field in asked_fields(schema)}
    if not isinstance(said, dict):
        yield formless((PROPOSAL,), "this is an object with the fields of an item, or null")
        return
    for name in said:
        if name not in asked:
            yield formless((PROPOSAL, name), "this was not asked for")
    for name, item_field in asked.items():
        if name not in said:
            yield formless((PROPOSAL, name), "this is missing")
        elif problem := _type_problem(item_field, said[name]):
            yield formless((PROPOSAL, name), problem)


def _type_problem(field: ItemField, value: Any) -> str | None:
    """Return the problem with a value's type or characters, as half a sentence, or None."""
    if value is None:
        return None if not field.required else "this is needed and null"
    row = kinds.of_field(field)
    typed = _typed(field)
    assert typed is not None
    if row.of_options:
        fits = any(type(value) is type(option.value) for option in field.options)
    elif row.holds == "texts":
        fits = isinstance(value, list) and all(isinstance(entry, str) for entry in value)
    elif row.holds == "whole number":
        fits = isinstance(value, int) and not isinstance(value, bool)
    else:
        fits = isinstance(value, str)
    if not fits:
        return f"this is to be {typed[0]}"
    return None if json_text.showable(value) == value else "this has characters that stand for none"


def _contradictions(fields: Mapping[str, Any], schema: Schema, dimension: str) -> Iterator[Fault]:
    """Yield the contradictions in a proposal of the right form. Fields for the person are ignored."""
    asked = {field.name: field for field in asked_fields(schema)}
    twice = {name for name, field in asked.items() if kinds.of_field(field).is_list and _twice(fields.get(name, ()))}
    for name in sorted(twice):
        yield Fault(SAME_OPTION, f"{kinds.title_of(asked[name])}: no entry may be there twice.")
    rules = {f"{kinds.title_of(field)}: {rule.say}" for field in asked.values() for rule in schema.item.rules}
    for problem in kinds.check_fields(schema, fields, dimension):
        if problem.name not in asked or problem.name in twice:
            continue
        about = asked[problem.name]
        kind = RULE if problem.message in rules else NO_OPTION if _picks(about) and fields.get(about.name) else UNFIT
        yield Fault(kind, problem.message)
    for problem in kinds.refused_wording(schema, fields):
        if problem.name in asked:
            yield Fault(WORDING, problem.message)


def _picks(field: ItemField) -> bool:
    """Whether a value is taken from a list in the item or in the schema."""
    row = kinds.of_field(field)
    return row.chosen or row.of_options


def _twice(entries: Sequence[str]) -> bool:
    plain = [" ".join(entry.split()).casefold() for entry in entries]
    return len(set(plain)) < len(plain)
