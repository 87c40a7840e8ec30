"""Ways to fill in a form, and votes that bring an item into a state.

The made-up content of previews is made of them, and checks of a protocol play them.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

from annotation_schemas import kinds, registry
from annotation_schemas.model import Criterion, CrossRule, ItemField, Schema, Verification
from domain.comparison import same
from domain.decimals import exact
from domain.policies import Target, Vote, item_state
from domain.states import VERIFICATIONS, ItemState

MOST_BALLOTS = 3_000
"""More ways to fill in a form are not tried."""
MOST_KINDS = 12
"""The maximum number of different ballots that are combined into votes."""


@dataclass(frozen=True)
class Ballot:
    """One way to fill in a form."""

    values: Mapping[str, Any]
    reasons: Mapping[str, Any]

    def vote(self) -> Vote:
        """As the policy reads it."""
        return Vote("somebody", self.values, self.reasons)


def some_item(schema: Schema) -> dict[str, Any]:
    """Fields of an item that fits the schema, as far as its kinds say; lists also hold what conditions ask for."""
    fields: dict[str, Any] = {}
    for field in sorted(schema.item.fields, key=lambda field: field.field is not None):
        fields[field.name] = some_value(schema, field, fields)
    return fields


def some_value(schema: Schema, field: ItemField, fields: Mapping[str, Any]) -> Any:
    """A value of a field, next to those that the item has already."""
    entries = list(fields.get(field.field or "") or ())
    return kinds.of_field(field).some(field, entries, _conditions_on(schema, field.name))


def _conditions_on(schema: Schema, field: str) -> list[Any]:
    """Return the values that conditions of criteria accept from criteria with options of that field."""
    values: list[Any] = []
    for stage in (*VERIFICATIONS, "refinement", "answering", "grading", "comparison", "coding"):
        criteria = {criterion.name: criterion for criterion in registry.criteria_of(schema, stage)}
        for criterion in criteria.values():
            for name, accepted in criterion.show_if.items():
                if name in criteria and criteria[name].field == field:
                    values += [value for value in accepted if value not in values]
    return values


def answers_to(criterion: Criterion, fields: Mapping[str, Any], also: Sequence[Any]) -> list[tuple[Any, Any]]:
    """A few answers to a criterion, with the reason that each needs; ``also`` where they can be given at all.

    ``(None, reason)`` is a skip, ``(None, None)`` no answer.
    """
    options = kinds.options_of(criterion, fields)
    candidates = [*also, *kinds.of_criterion(criterion).tries(criterion, [option.value for option in options])]
    answers: list[tuple[Any, Any]] = []
    for value in candidates:
        reason = next(
            (option.reasons[0].value for option in options if option.reasons and same(option.value, value)),
            None,
        )
        if not any(same(value, known) for known, _ in answers) and _can_be_given(criterion, value, reason, fields):
            answers.append((value, reason))
    if criterion.skip:
        answers.append((None, criterion.skip.reasons[0].value if criterion.skip.reasons else "words"))
    if not criterion.required:
        answers.append((None, None))
    return answers


def _can_be_given(criterion: Criterion, value: Any, reason: Any, fields: Mapping[str, Any]) -> bool:
    alone = criterion.model_copy(update={"show_if": {}})
    reasons = {} if reason is None else {criterion.name: reason}
    return not kinds.check_answers(
        [alone], {criterion.name: value}, reasons, {"prediction": "words in a row", **fields}
    )


def ballots(
    criteria: Sequence[Criterion],
    fields: Mapping[str, Any],
    *,
    wanted: Mapping[str, Sequence[Any]],
    deciding: Sequence[str],
    rules: Sequence[CrossRule] = (),
) -> list[Ballot]:
    """Ways to fill in a form, as many as tell something: criteria that neither decide nor show others have one answer.
    Answers that are ``wanted`` are among them where they can be given.

    Every ballot is one that the server would take. Where there are too many, those that differ only in what no later
    criterion asks about stand for one another, and each answer is still in one of them.
    """
    conditions: dict[str, list[Any]] = {}
    for criterion in criteria:
        for name, accepted in criterion.show_if.items():
            conditions.setdefault(name, []).extend(accepted)
    rules = _played_rules(rules, criteria)
    ruled = {name for rule in rules for name in (*rule.of, *rule.when)}
    tell = {*deciding, *conditions, *ruled}
    grown: list[Ballot] = [Ballot({}, {})]
    for index, criterion in enumerate(criteria):
        also = wanted.get(criterion.name, ())
        answers = answers_to(criterion, fields, [*also, *conditions.get(criterion.name, ())])
        if criterion.name not in tell:
            answers = answers[:1]
        longer: list[Ballot] = []
        for ballot in grown:
            if not kinds.is_shown(criterion, ballot.values):
                longer.append(ballot)
                continue
            for value, reason in answers:
                values = dict(ballot.values) if value is None and reason is None else {
                    **ballot.values, criterion.name: value
                }  # fmt: skip
                reasons = dict(ballot.reasons) if reason is None else {**ballot.reasons, criterion.name: reason}
                longer.append(Ballot(values, reasons))
        ahead = {name for later in criteria[index + 1 :] for name in later.show_if} | ruled
        grown = longer if len(longer) <= MOST_BALLOTS else _thinned(longer, {*deciding, *ahead})
    texts = {"prediction": "words in a row", **fields}
    return [
        replace(ballot, values=kinds.in_order(criteria, ballot.values, fields))
        for ballot in grown
        if not kinds.check_answers(criteria, ballot.values, dict(ballot.reasons), texts, rules=rules)
    ]


def _played_rules(rules: Sequence[CrossRule], criteria: Sequence[Criterion]) -> list[CrossRule]:
    """Return the rules between chosen answers. Typed answers may have any value, so they are not tried."""
    chosen = {criterion.name for criterion in criteria if not kinds.of_criterion(criterion).typed}
    return [rule for rule in rules if chosen.issuperset((*rule.of, *rule.when))]


def _thinned(forms: Sequence[Ballot], names: AbstractSet[str]) -> list[Ballot]:
    """One ballot for each way to answer those criteria, and one for each answer to any other."""
    kept: dict[int, Ballot] = {}
    seen: set[Any] = set()
    for place, ballot in enumerate(forms):
        answered = {name: repr((value, ballot.reasons.get(name))) for name, value in ballot.values.items()}
        skipped = {name: repr(reason) for name, reason in ballot.reasons.items() if name not in answered}
        answers_given = {**answered, **skipped}
        ways = [tuple(sorted((name, words) for name, words in answers_given.items() if name in names))]
        if not seen.issuperset(ways_of_ballot := [*ways, *answers_given.items()]):
            seen.update(ways_of_ballot)
            kept[place] = ballot
    spread = list(kept.values())
    return spread[:: -(-len(spread) // MOST_BALLOTS)] if len(spread) > MOST_BALLOTS else spread


def tried(target: Target, criterion: Criterion) -> list[Any]:
    """Answers that may meet a target: its value, or numbers at its limits and the nearest steps within."""
    begins, step = criterion.min or 0, criterion.step or 1
    if not target.limited:
        number = exact(target.value) if kinds.of_criterion(criterion).typed else None
        near = [] if number is None else [float(number), begins + round((float(number) - begins) / step) * step]
        return [target.value, *near]
    numbers: list[Any] = []
    for limit, towards in ((target.at_least, math.ceil), (target.at_most, math.floor)):
        if limit is not None:
            numbers += [limit, begins + towards((limit - begins) / step) * step]
    return numbers


def right_ballot(forms: Sequence[Ballot], goals: Sequence[Target]) -> Ballot | None:
    """Return a ballot that meets all targets; None: no one can fill in the form like that."""
    return next((form for form in forms if all(goal.met_by(form.values.get(goal.criterion)) for goal in goals)), None)


def verdict_on(stage: Verification, schema: Schema, forms: Sequence[Ballot], item: Mapping[str, Any]) -> ItemState:
    """Return the policy's verdict on these votes."""
    return item_state(
        stage.keep,
        [form.vote() for form in forms],
        raters=stage.raters,
        item_fields=item,
        adjudication=stage.adjudicates and schema.stages.adjudication is not None,
        skips=stage.skips,
    ).state


def distinct_ballots(forms: Sequence[Ballot], deciding: Sequence[str], right: Ballot) -> list[Ballot]:
    """One ballot for each way to answer what decides, skips included; enough of them to differ.

    Where there are too many, those come first that differ from the right one in one answer, then each further answer
    to any of the criteria.
    """
    by_ways: dict[tuple[str, ...], Ballot] = {}
    for form in sorted(forms, key=lambda form: sum(_way(form, name) != _way(right, name) for name in deciding)):
        by_ways.setdefault(tuple(_way(form, name) for name in deciding), form)
    new: list[Ballot] = []
    rest: list[Ballot] = []
    seen: set[tuple[str, str]] = set()
    for ways, form in by_ways.items():
        pairs = set(zip(deciding, ways, strict=True))
        (rest if pairs <= seen else new).append(form)
        seen |= pairs
    return [*new, *rest][:MOST_KINDS]


def _way(form: Ballot, name: str) -> str:
    """Return a ballot's answer to a criterion as text, or the reason for having none."""
    value = form.values.get(name)
    return repr(value) if value is not None else f"none: {form.reasons.get(name)!r}"


def elections(forms: Sequence[Ballot], raters: int) -> Iterator[list[Ballot]]:
    """Votes of all raters: two kinds of ballots in any numbers, three kinds, and as many kinds as there are."""
    counts = sorted({count for count in (0, 1, 2, raters // 2, raters // 2 + 1, raters - 1) if 0 <= count < raters})
    for one in forms:
        for other in forms:
            for count in counts:
                yield [one] * count + [other] * (raters - count)
    if raters >= 3:
        for three in combinations(forms, 3):
            yield [three[number % 3] for number in range(raters)]
    if len(forms) >= 3:
        yield [forms[number % len(forms)] for number in range(raters)]
