"""Made-up items of a schema, with votes and models' answers, for trying its forms before real items exist.

They follow from the schema alone, so the same schema shows the same items. None of the answers is right or wrong.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, product
from typing import Any

from annotation_schemas import ballots, kinds, registry
from annotation_schemas.ballots import Ballot
from annotation_schemas.keys import key_fields
from annotation_schemas.model import AssetSlot, ItemField, Schema
from domain.policies import criteria_that_decide, targets
from domain.states import ItemState

A_BOX = {"x": 0.3, "y": 0.3, "w": 0.25, "h": 0.3}
FEW = 2
"""The number of images for a role that accepts several."""


@dataclass(frozen=True)
class Item:
    """A made-up item of a dimension."""

    dimension: str
    fields: Mapping[str, Any]
    problems: tuple[str, ...] = ()
    """Why it does not fit, where nothing that was tried does: rules that made-up values do not meet."""


def item(schema: Schema, dimension: str, number: int = 1) -> Item:
    """Return a made-up item of a dimension by number (from 1). Texts name their purpose; other values match their
    kind.
    """
    fields: dict[str, Any] = {}
    offered: dict[str, list[Any]] = {}
    for field in sorted(schema.item.fields, key=lambda field: field.field is not None or bool(field.forms)):
        offered[field.name] = _values(schema, field, fields, dimension, number)
        fields[field.name] = offered[field.name][0]
    wrong = kinds.check_fields(schema, fields, dimension)
    if wrong:
        fields = _mended(schema, dimension, fields, offered)
        wrong = kinds.check_fields(schema, fields, dimension)
    order = [field.name for field in schema.item.fields]
    filled = {name: fields[name] for name in order if fields[name] is not None}
    return Item(dimension, filled, tuple(problem.message for problem in wrong))


def _mended(
    schema: Schema, dimension: str, fields: Mapping[str, Any], offered: Mapping[str, Sequence[Any]]
) -> dict[str, Any]:
    """Other values, a field at a time and then two together, as long as that leaves fewer problems."""
    best = dict(fields)
    least = len(kinds.check_fields(schema, best, dimension))
    several = [name for name, values in offered.items() if len(values) > 1]
    for names in (*((name,) for name in several), *combinations(several, 2)):
        for values in product(*(offered[name] for name in names)):
            tried = {**best, **dict(zip(names, values, strict=True))}
            n = len(kinds.check_fields(schema, tried, dimension)) if least else least
            if n < least:
                best, least = tried, n
    return best


def _values(schema: Schema, field: ItemField, fields: Mapping[str, Any], dimension: str, number: int) -> list[Any]:
    """Values that a field may have, the likeliest first; None, where it may be left out, last."""
    row = kinds.of_field(field)
    some = ballots.some_value(schema, field, fields)
    values: list[Any] = [some]
    if row.written:
        values = list(_texts(field, fields, number))
    elif row.drawn:
        values = [_drawn(field)]
    elif field.options and not field.field:
        allowed = field.by_dimension.get(dimension)
        values = list(allowed) if allowed else [choice.value for choice in field.options]
    elif row.holds in ("whole number", "decimal"):
        values = [some, *(type(some)(amount) for amount in (number, number + 1, number + 2, number + 10))]
    return values if field.required else [*values, None]


def _texts(field: ItemField, fields: Mapping[str, Any], number: int) -> Iterator[str]:
    title = kinds.title_of(field)
    entries = [str(entry) for entry in fields.get(field.field or "") or ()]
    read_as = {"yes_no": "yes", "number": str(number)}.get(field.read_as or "")
    if read_as:
        yield read_as
    plain = f"{title} {number}, made up"
    if field.min_length:
        plain = plain.ljust(field.min_length, ".")
    yield plain[: field.max_length]
    if field.forms:
        yield from entries[:1]
        yield ", ".join(entries[:2])
        yield ", ".join(entries)
        yield from (str(choice.value) for choice in field.options[:1])


def _spread(n: int) -> list[float]:
    return [round(0.05 + 0.7 * place / n, 6) for place in range(n)]


def _drawn(field: ItemField) -> list[dict[str, Any]]:
    """Boxes, points, arrows or masks: one is enough to see how they look, unless more are asked for."""
    n = max(field.min_length or 0, 1)
    label = {"label": field.options[0].value} if field.options else {}
    tries: list[list[dict[str, Any]]] = [
        [{**label, **A_BOX, "x": round(0.05 + 0.9 * place / (n + 1), 6)} for place in range(n)],
        [{"number": place + 1, "x": round(0.1 + 0.8 * place / n, 6), "y": 0.5} for place in range(n)],
        [{"x": round(0.1 + 0.7 * place / n, 6), "y": 0.8, "to_x": 0.5, "to_y": 0.2} for place in range(n)],
        [{"rings": [[[x, 0.7], [round(x + 0.2, 6), 0.7], [round(x + 0.1, 6), 0.3]]]} for x in _spread(n)],
    ]
    row = kinds.of_field(field)
    return next((attempt for attempt in tries if row.check(field, attempt, {}) is None), tries[0])


# ---- media ----------------------------------------------------------------------------------------------------------


def media(schema: Schema) -> list[tuple[AssetSlot, int]]:
    """Return the number of images or clips for each role, including optional roles."""
    return [(slot, _how_many(slot)) for slot in schema.item.assets]


def _how_many(slot: AssetSlot) -> int:
    several = slot.max is None or slot.max > 1
    wanted = FEW if several and slot.kind == "image" else 1
    return max(slot.min, wanted if slot.max is None else min(wanted, slot.max))


# ---- what people and models say of it -------------------------------------------------------------------------------


def model_answers(schema: Schema, fields: Mapping[str, Any]) -> list[str]:
    """Return the answers of two made-up models: one equals the key, the other does not."""
    plans = [
        criterion
        for stage in ("grading", "coding")
        for criterion in registry.criteria_of(schema, stage)
        if criterion.actions
    ]
    if plans:
        steps = [f"{action.name}({', '.join(['cup', 'table'][: action.objects])})" for action in plans[0].actions[:3]]
        lines = [f"{place}. {step}" for place, step in enumerate(steps, 1)]
        return ["\n".join(lines), "\n".join([*lines[::-1], "Then everything is done."])]
    key = next((fields[name] for name in key_fields(schema) if fields.get(name) not in (None, "", [])), None)
    if isinstance(key, list):
        text = ", ".join((isinstance(part, dict) and kinds.in_words(part)) or str(part) for part in key)
    else:
        text = str(key) if key is not None else "A made-up answer."
    return [text, "A different answer with a reason (made up)."]


def votes(schema: Schema, item: Item, state: ItemState, name: str = "verification") -> list[Ballot] | None:
    """Votes of all raters of a stage of verification after which it has brought an item into this state; None: no votes
    that were tried bring it there."""
    stage = schema.stages.verifications.get(name)
    if stage is None:
        return None
    criteria = registry.criteria_of(schema, name, item.dimension)
    deciding = criteria_that_decide(stage.keep)
    asked = {criterion.name: criterion for criterion in criteria}
    goals = [target.of(item.fields) for target in targets(stage.keep)]
    if any(goal.criterion not in asked for goal in goals):
        return None
    wanted = {goal.criterion: ballots.tried(goal, asked[goal.criterion]) for goal in goals}
    forms = ballots.ballots(criteria, item.fields, wanted=wanted, deciding=deciding, rules=stage.rules)
    right = ballots.right_ballot(forms, goals)
    if right is None:
        return None
    played = ballots.elections(ballots.distinct_ballots(forms, deciding, right), stage.raters)
    return next((votes for votes in played if ballots.verdict_on(stage, schema, votes, item.fields) is state), None)


def forms(schema: Schema, stage: str, item: Item, prediction: str | None = None) -> list[Ballot]:
    """Ways to fill in the form of a stage about an item, or about a model's answer to it."""
    criteria = registry.criteria_of(schema, stage, item.dimension)
    texts = {**item.fields, **({} if prediction is None else {"prediction": prediction})}
    rules = registry.rules_of(schema, stage)
    names = [criterion.name for criterion in criteria]
    return ballots.ballots(criteria, texts, wanted={}, deciding=names, rules=rules)


def differing(schema: Schema, stage: str, item: Item, prediction: str | None) -> list[Ballot]:
    """Two forms about the same that do not say the same; one where there is no other."""
    ballots = forms(schema, stage, item, prediction)
    return [*ballots[:1], *ballots[-1:]] if len(ballots) > 1 else ballots
