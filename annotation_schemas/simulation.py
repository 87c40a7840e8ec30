"""Simulation of a protocol: made-up answers go through the checks and the policy of real ones.

A valid schema may still reject every item, never ask a question, or show raters the answer they should find. Each
finding names the place, the consequence and the fix. It is an *error* if the protocol cannot work, and a *warning* if
it may be intended.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

from annotation_schemas import grading_sample, kinds, registry
from annotation_schemas.formats import keys_of_source
from annotation_schemas.keys import key_fields, keys_of_votes, options_field
from annotation_schemas.model import Criterion, CrossRule, ItemField, Keep, Schema, Verification
from annotation_schemas.prompts import load_prompt_set
from annotation_schemas.yaml_text import ERROR, WARNING, Path
from domain.comparison import same
from domain.decimals import exact
from domain.errors import SchemaError
from domain.policies import (
    REFINEMENT_ENDS,
    Target,
    Vote,
    criteria_that_decide,
    is_skip,
    item_state,
    targets,
)
from domain.states import VERIFICATIONS, ItemState

MOST_BALLOTS = 3_000
"""More ways to fill in a form are not tried."""
MOST_KINDS = 12
"""The maximum number of different ballots that are combined into votes."""
CLIPS = ("recent_segments", "frames_per_segment", "observation_frames")
"""The keys for turning clips into frames."""
_TELLS = re.compile(
    r"(^|_)(answer|answers|gold|golden|key|correct|solution|truth|reason|rationale|explanation|hint)(_|$)"
)
"""Names of fields that speak of the right answer."""
_STATES = {
    ItemState.KEPT: "kept",
    ItemState.REJECTED: "rejected",
    ItemState.IN_ADJUDICATION: "sent to adjudication",
    ItemState.IN_VERIFICATION: "left in verification",
}


@dataclass(frozen=True)
class Finding:
    """One thing that playing the protocol has shown."""

    level: str
    """``error`` or ``warning``."""
    path: Path
    message: str


@dataclass(frozen=True)
class Ballot:
    """One way to fill in a form."""

    values: Mapping[str, Any]
    reasons: Mapping[str, Any]

    def vote(self) -> Vote:
        """As the policy reads it."""
        return Vote("somebody", self.values, self.reasons)


def findings(schema: Schema) -> Iterator[Finding]:
    """Everything that playing the protocol shows. The schema has passed ``cross_check``."""
    yield from _asked(schema)
    yield from _writers(schema)
    yield from _verdicts(schema)
    yield from _refinement(schema)
    yield from _grading(schema)
    yield from _shuffles(schema)
    yield from _gates(schema)
    yield from _shown_answers(schema)
    yield from _judges(schema)
    yield from _models(schema)


# ---- a simulated item and the answers to it -------------------------------------------------------------------------


def some_item(schema: Schema) -> dict[str, Any]:
    """Fields of an item that fits the schema, as far as its kinds say; lists also hold what conditions ask for."""
    found: dict[str, Any] = {}
    for field in sorted(schema.item.fields, key=lambda field: field.field is not None):
        found[field.name] = some_value(schema, field, found)
    return found


def some_value(schema: Schema, field: ItemField, fields: Mapping[str, Any]) -> Any:
    """A value of a field, next to those that the item has already."""
    entries = list(fields.get(field.field or "") or ())
    return kinds.of_field(field).some(field, entries, _conditions_on(schema, field.name))


def _conditions_on(schema: Schema, field: str) -> list[Any]:
    """Return the values that conditions of criteria accept from criteria with options of that field."""
    found: list[Any] = []
    for stage in (*VERIFICATIONS, "refinement", "answering", "grading", "comparison", "coding"):
        criteria = {each.name: each for each in registry.criteria_of(schema, stage)}
        for criterion in criteria.values():
            for name, accepted in criterion.show_if.items():
                if name in criteria and criteria[name].field == field:
                    found += [value for value in accepted if value not in found]
    return found


def _answers_to(criterion: Criterion, fields: Mapping[str, Any], also: Sequence[Any]) -> list[tuple[Any, Any]]:
    """A few answers to a criterion, with the reason that each needs; ``also`` where they can be given at all.

    ``(None, reason)`` is a skip, ``(None, None)`` no answer.
    """
    options = kinds.options_of(criterion, fields)
    candidates = [*also, *kinds.of_criterion(criterion).tries(criterion, [option.value for option in options])]
    found: list[tuple[Any, Any]] = []
    for value in candidates:
        reason = next(
            (each.reasons[0].value for each in options if each.reasons and same(each.value, value)),
            None,
        )
        if not any(same(value, known) for known, _ in found) and _can_be_given(criterion, value, reason, fields):
            found.append((value, reason))
    if criterion.skip:
        found.append((None, criterion.skip.reasons[0].value if criterion.skip.reasons else "words"))
    if not criterion.required:
        found.append((None, None))
    return found


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
        told = _answers_to(criterion, fields, [*also, *conditions.get(criterion.name, ())])
        if criterion.name not in tell:
            told = told[:1]
        longer: list[Ballot] = []
        for ballot in grown:
            if not kinds.is_shown(criterion, ballot.values):
                longer.append(ballot)
                continue
            for value, reason in told:
                values = dict(ballot.values) if value is None and reason is None else {
                    **ballot.values, criterion.name: value
                }  # fmt: skip
                reasons = dict(ballot.reasons) if reason is None else {**ballot.reasons, criterion.name: reason}
                longer.append(Ballot(values, reasons))
        ahead = {name for later in criteria[index + 1 :] for name in later.show_if} | ruled
        grown = longer if len(longer) <= MOST_BALLOTS else _thinned(longer, {*deciding, *ahead})
    texts = {"prediction": "words in a row", **fields}
    return [
        replace(each, values=kinds.in_order(criteria, each.values, fields))
        for each in grown
        if not kinds.check_answers(criteria, each.values, dict(each.reasons), texts, rules=rules)
    ]


def _played_rules(rules: Sequence[CrossRule], criteria: Sequence[Criterion]) -> list[CrossRule]:
    """Return the rules between chosen answers. Typed answers may have any value, so they are not tried."""
    chosen = {each.name for each in criteria if not kinds.of_criterion(each).typed}
    return [rule for rule in rules if chosen.issuperset((*rule.of, *rule.when))]


def _thinned(forms: Sequence[Ballot], names: AbstractSet[str]) -> list[Ballot]:
    """One ballot for each way to answer those criteria, and one for each answer to any other."""
    found: dict[int, Ballot] = {}
    seen: set[Any] = set()
    for place, ballot in enumerate(forms):
        said = {name: repr((value, ballot.reasons.get(name))) for name, value in ballot.values.items()}
        skipped = {name: repr(reason) for name, reason in ballot.reasons.items() if name not in said}
        answers_given = {**said, **skipped}
        ways = [tuple(sorted((name, words) for name, words in answers_given.items() if name in names))]
        if not seen.issuperset(told := [*ways, *answers_given.items()]):
            seen.update(told)
            found[place] = ballot
    spread = list(found.values())
    return spread[:: -(-len(spread) // MOST_BALLOTS)] if len(spread) > MOST_BALLOTS else spread


# ---- what is asked --------------------------------------------------------------------------------------------------


def _asked(schema: Schema) -> Iterator[Finding]:
    """Check that each criterion reaches a rater, and that no rater gets an empty form."""
    for stage in (*VERIFICATIONS, "refinement", "answering", "grading", "comparison", "coding"):
        criteria = registry.criteria_of(schema, stage)
        part = getattr(schema.stages, stage)
        in_stage = getattr(part, "dimensions", None)
        dimensions = [each.id for each in schema.dimensions if in_stage is None or each.id in in_stage]
        asked: set[str] = set()
        seen: dict[tuple[str, ...], set[str]] = {}
        empty: list[str] = []
        for dimension in dimensions:
            there = registry.criteria_of(schema, stage, dimension)
            names = tuple(each.name for each in there)
            if names not in seen:
                rules = registry.rules_of(schema, stage)
                forms = ballots(there, some_item(schema), wanted={}, deciding=(), rules=rules)
                if not forms and rules and ballots(there, some_item(schema), wanted={}, deciding=()):
                    why = f"no answers about {dimension} keep to all of these; take one away, or narrow it by `when`"
                    yield Finding(ERROR, ("stages", stage, "rules"), why)
                    return
                shown = {each.name for each in there for form in forms if kinds.is_shown(each, form.values)}
                seen[names] = shown
            asked |= seen[names]
            if criteria and not seen[names]:
                empty.append(dimension)
        for index, criterion in enumerate(criteria):
            path: Path = ("stages", stage, "criteria", index)
            if criterion.name not in asked:
                yield Finding(ERROR, *_never(schema, stage, criterion, path, dimensions))
            yield from _limits(criterion, path)
            for name, accepted in criterion.show_if.items():
                yield from _condition(criteria, name, accepted, (*path, "show_if", name))
        if empty:
            yield Finding(
                ERROR,
                ("stages", stage, "criteria"),
                f"nothing is asked about {', '.join(empty)}, so people would get an empty form; "
                f"let a criterion be about {'it' if len(empty) == 1 else 'them'}"
                + (
                    ", or leave them out of the stage's `dimensions`"
                    if stage in ("grading", "comparison", "coding")
                    else ""
                ),
            )


def _never(schema: Schema, stage: str, criterion: Criterion, path: Path, dimensions: Sequence[str]) -> tuple[Path, str]:
    if criterion.dimensions is not None and not set(criterion.dimensions) & set(dimensions):
        return (*path, "dimensions"), (
            f"`{criterion.name}` is never asked: the stage is about {', '.join(dimensions)} only; "
            "name one of these, or widen the stage's `dimensions`"
        )
    if not criterion.show_if:
        return path, (
            f"no answer to `{criterion.name}` can be given, so no one can fill in the form; "
            "make its limits fit what is offered"
        )
    words = " and ".join(
        f"`{name}` is one of {', '.join(f'`{value}`' for value in accepted) or 'nothing'}"
        for name, accepted in criterion.show_if.items()
    )
    return (*path, "show_if"), (
        f"`{criterion.name}` is never asked: no answers make {words}; "
        "name values that can be given together, or take `show_if` away"
    )


def _limits(criterion: Criterion, path: Path) -> Iterator[Finding]:
    """More may be chosen than there is."""
    offered = len(criterion.options)
    several = kinds.of_criterion(criterion).picks_several
    if several and offered and criterion.field is None and (criterion.max or 0) > offered:
        yield Finding(
            WARNING,
            (*path, "max"),
            f"{offered} answers are offered, so this limits nothing; lower it, or leave it out",
        )


def _condition(criteria: Sequence[Criterion], name: str, accepted: Sequence[Any], path: Path) -> Iterator[Finding]:
    on = next((each for each in criteria if each.name == name), None)
    if on is None or not accepted:
        return
    shown = ", ".join(f"`{value}`" for value in accepted)
    if kinds.of_criterion(on).in_words:
        yield Finding(
            ERROR,
            path,
            f"this is asked only of a rater who types exactly {shown} under `{name}`, which no one is told to; "
            "ask a `choice` before it, or take `show_if` away",
        )
    elif on.field is not None:
        yield Finding(
            WARNING,
            path,
            f"this is asked only about items whose `{on.field}` has exactly {shown}, after a rater has chosen it; "
            "if it shall always be asked, take `show_if` away",
        )


def _writers(schema: Schema) -> Iterator[Finding]:
    """The people who write are enough for the dimensions."""
    stage = schema.stages.authoring
    if stage is None or stage.people is None or stage.dimensions_per_person is None:
        return
    each, of_each, n = stage.dimensions_per_person, stage.people_per_dimension or 1, len(schema.dimensions)
    places, needed = stage.people * each, n * of_each
    if places < needed:
        yield Finding(
            WARNING,
            ("stages", "authoring", "people"),
            f"{stage.people} people with {each} dimensions each are {places} parts, and {n} dimensions with {of_each} "
            f"each need {needed}, so some have no one to write for them; name more people, or more dimensions for each",
        )


# ---- verdicts -------------------------------------------------------------------------------------------------------


def _verdicts(schema: Schema) -> Iterator[Finding]:
    """A right, unanimous item is kept, and every outcome of each stage of verification can be reached."""
    contested: dict[str, bool] = {}
    for name, stage in schema.stages.verifications.items():
        deciding = criteria_that_decide(stage.keep)
        by_name = {each.name: each for each in stage.criteria}
        if any(by_name[each].dimensions is not None for each in deciding):
            continue  # told by the checks of names
        played: set[tuple[str, ...]] = set()
        for dimension in schema.dimensions:
            criteria = registry.criteria_of(schema, name, dimension.id)
            names = tuple(each.name for each in criteria)
            if names in played:
                continue
            played.add(names)
            found = list(_played(schema, _SimulatedStage(name, stage, contested), criteria))
            yield from found
            if found:
                break  # another dimension would say the same again
    if schema.stages.adjudication is not None and contested and not any(contested.values()):
        raters = [stage.raters for stage in schema.stages.verifications.values()]
        why = (
            "one vote differs from no other"
            if raters == [1]
            else "all that the votes can come to is settled by the rule"
        )
        yield Finding(
            ERROR,
            ("stages", "adjudication"),
            f"nothing ever comes to adjudication, because {why}; say `adjudication: none`"
            + (", or let more than one person vote" if raters == [1] else ""),
        )


@dataclass(frozen=True)
class _SimulatedStage:
    """A stage of verification that is played."""

    name: str
    part: Verification
    contested: dict[str, bool]
    """Of the stages so far: whether anything can go to adjudication."""


def _played(schema: Schema, one: _SimulatedStage, criteria: Sequence[Criterion]) -> Iterator[Finding]:
    stage = one.part
    keep, path = stage.keep, ("stages", one.name, "keep")
    deciding = criteria_that_decide(keep)
    asked = {each.name: each for each in criteria}
    fields = some_item(schema)
    places = [_place_of(keep, path, index) for index in range(len(deciding))]
    unfit = list(_keys_fit(schema, keep, [asked[name] for name in deciding], places))
    yield from unfit
    if any(each.level == ERROR for each in unfit):
        return
    wanted: dict[str, Sequence[Any]] = {}
    item = dict(fields)
    for target, at in zip(targets(keep), places, strict=True):
        criterion = asked[target.criterion]
        values = _key_values(schema, target.key, criterion, fields) if target.key else [target.value]
        for value in reversed(values):  # the first stays
            item |= {target.key: value} if target.key else {}
            goal = target.of(item)
            wanted[target.criterion] = tried(goal, criterion)
            if not any(goal.met_by(answer) for answer, _ in _answers_to(criterion, item, wanted[target.criterion])):
                yield Finding(ERROR, at, _unanswerable(goal, criterion))
                return
        if _always_met(target, criterion):
            yield Finding(
                WARNING,
                at,
                f"every answer to `{criterion.name}` is {target.in_words()}, so this decides nothing; "
                "narrow it, or take the part away",
            )
    goals = [each.of(item) for each in targets(keep)]
    forms = ballots(criteria, item, wanted=wanted, deciding=deciding, rules=stage.rules)
    right = next((form for form in forms if all(each.met_by(form.values.get(each.criterion)) for each in goals)), None)
    if right is None:
        behind = next((name for name in deciding if asked[name].show_if), deciding[0])
        told = ", ".join(f"{each.criterion}: {each.value if each.key else each.in_words()}" for each in goals)
        yield Finding(
            ERROR,
            (*path, "parts" if keep.parts else "criterion"),
            f"no item can be kept: the answers that keep one ({told}) cannot be given together, "
            + (
                f"because `{behind}` is not asked after the others; let the criterion that is always asked decide"
                if asked[behind].show_if
                else "because of `rules`; change what keeps an item, or the rule"
            ),
        )
        return
    yield from _single_votes(one, schema, criteria, forms, item, goals)
    yield from _outcomes(one, schema, deciding, forms, right, item)


def _told_values(values: Mapping[str, Any]) -> str:
    return ", ".join(f"{name}: {value}" for name, value in values.items())


def _place_of(keep: Keep, path: Path, index: int) -> Path:
    """Where a schema says what the criterion at that place is wanted to be."""
    if keep.parts:
        return (*path, "parts", index)
    return (*path, "key" if keep.key is not None else "values" if keep.values else "value")


def tried(target: Target, criterion: Criterion) -> list[Any]:
    """Answers that may meet a target: its value, or numbers at its limits and the nearest steps within."""
    begins, step = criterion.min or 0, criterion.step or 1
    if not target.limited:
        number = exact(target.value) if kinds.of_criterion(criterion).typed else None
        near = [] if number is None else [float(number), begins + round((float(number) - begins) / step) * step]
        return [target.value, *near]
    found: list[Any] = []
    for limit, towards in ((target.at_least, math.ceil), (target.at_most, math.floor)):
        if limit is not None:
            found += [limit, begins + towards((limit - begins) / step) * step]
    return found


def _always_met(target: Target, criterion: Criterion) -> bool:
    """Whether no answer lies outside of a target's limits."""
    low, high = kinds.of_criterion(criterion).ends(criterion) or (None, None)
    return target.limited and all(
        limit is None or (end is not None and target.met_by(end))
        for limit, end in ((target.at_least, low), (target.at_most, high))
    )


def _unanswerable(target: Target, criterion: Criterion) -> str:
    limits = kinds.of_criterion(criterion).limits(criterion)
    said = f"{criterion.kind} {limits}".rstrip()
    source = f"the item's `{target.key}`" if target.key is not None else f"`{target.in_words()}`"
    return (
        f"no item can be kept: `{criterion.name}` is a {said} and can never be answered "
        f"with {source}{f' (for instance `{target.value}`)' if target.key is not None else ''}, so votes that are all "
        "right reject it; let a criterion decide that has this answer, or change what keeps an item"
    )


def _keys_fit(schema: Schema, keep: Keep, deciding: Sequence[Criterion], places: Sequence[Path]) -> Iterator[Finding]:
    """Whether what keeps an item and the criteria that look for it speak of the same things."""
    by_key: dict[str, list[int]] = {}
    for index, target in enumerate(targets(keep)):
        if target.key is not None:
            by_key.setdefault(target.key, []).append(index)
        elif not target.limited:
            yield from _value_fits(target, deciding[index], places[index])
    for key, indexes in by_key.items():
        compared = [deciding[index] for index in indexes]
        if len(compared) > 1:
            yield _one_key_for(key, compared, places[indexes[-1]])
        for index in indexes:
            yield from _key_fits(schema, key, deciding[index], places[index])


def _value_fits(target: Target, criterion: Criterion, at: Path) -> Iterator[Finding]:
    row = kinds.of_criterion(criterion)
    if not row.compared:
        yield Finding(
            WARNING if row.typed else ERROR,
            at,
            f"an item is kept only if raters answer `{criterion.name}` (a {criterion.kind}) with exactly "
            f"`{target.value}`, whatever the item is about; compare with the item's own answer (`key`), or let a "
            "choice decide",
        )


def _one_key_for(key: str, deciding: Sequence[Criterion], at: Path) -> Finding:
    names = ", ".join(f"`{each.name}`" for each in deciding)
    alike = len({(each.kind, each.field, each.options, each.values) for each in deciding}) == 1
    return Finding(
        WARNING if alike else ERROR,
        at,
        f"{names} are all compared with `{key}`, so an item is rejected although its votes are right and "
        "unanimous, unless the same answer is right for each; let one criterion decide by the key",
    )


def _key_fits(schema: Schema, name: str, criterion: Criterion, at: Path) -> Iterator[Finding]:
    """Whether the field that holds the right answer and the criterion that looks for it speak of the same things."""
    field = schema.item.field(name)
    key = kinds.of_field(field)
    row = kinds.of_criterion(criterion)
    if row.by_overlap or key.by_overlap:
        yield from _overlap_fits(schema, field, criterion, at)
    elif criterion.field is not None and key.chosen and field.field != criterion.field:
        yield Finding(
            ERROR,
            at,
            f"no item can be kept: `{name}` is chosen from `{field.field}` and `{criterion.name}` from "
            f"`{criterion.field}`; let both name the same list",
        )
    elif key.picks_several and row.is_set:
        return  # compared as sets
    elif not key.votes_equal:
        yield Finding(
            ERROR,
            at,
            f"no item can be kept: no vote equals {field.kind}, which `{name}` holds; name another field",
        )
    elif not key.limited and row.compared:
        yield Finding(
            WARNING,
            at,
            f"nothing makes sure that `{name}` (of kind `{field.kind}`) is one of the answers to "
            f"`{criterion.name}`, and an item where it is not is always rejected; give the field the kind "
            f"`{'option_of' if criterion.field else 'choice'}`",
        )
    elif row.typed and key.written:
        level, why = (WARNING, "equal letter for letter") if row.in_words else (ERROR, "never equal")
        yield Finding(
            level,
            at,
            f"what raters type under `{criterion.name}` and the text of `{name}` are {why}"
            f"{', so nearly no item is kept' if level == WARNING else ', so no item can be kept'}; "
            + ("offer options instead" if level == WARNING else "give the field the kind `integer`"),
        )


def _overlap_fits(schema: Schema, field: ItemField, criterion: Criterion, at: Path) -> Iterator[Finding]:
    """Check that values that are compared by overlap have the same kind and subject."""
    kind = criterion.kind if kinds.of_criterion(criterion).by_overlap else field.kind
    if criterion.kind != field.kind:
        why = f"`{criterion.name}` is a {criterion.kind} and `{field.name}` a {field.kind}; let both be a `{kind}`"
    else:
        why = kinds.of_criterion(criterion).unlike_key(schema, criterion, field) or ""
    if why:
        yield Finding(ERROR, at, f"no item can be kept: {why}")


def _key_values(schema: Schema, key: str, criterion: Criterion, fields: Mapping[str, Any]) -> list[Any]:
    """Right answers that items can have: every one of a choice, some of an item's own options."""
    field = schema.item.field(key)
    entries = list(fields.get(field.field or "") or ())
    free = [value for value, _ in _answers_to(criterion, fields, []) if value is not None]
    fitting = [value for value in free if not isinstance(value, float) or value == int(value)]
    some = fields[field.name]
    return list(kinds.of_field(field).key_values(field, entries, some, fitting)) or [some]


def _single_votes(
    one: _SimulatedStage,
    schema: Schema,
    criteria: Sequence[Criterion],
    forms: Sequence[Ballot],
    item: Mapping[str, Any],
    goals: Sequence[Target],
) -> Iterator[Finding]:
    """Votes without an answer that decides: all raters may say the same, and it counts as if they differed.

    Where another answer of theirs keeps no item anyway, it is that answer which decides.
    """
    stage = one.part
    for name in criteria_that_decide(stage.keep):
        criterion = next(each for each in criteria if each.name == name)
        index = list(stage.criteria).index(criterion)
        for form in forms:
            without = form.values.get(name) is None and not is_skip(form.vote(), (name,))
            given = [(each, answer) for each in goals if (answer := form.values.get(each.criterion)) is not None]
            if not without or not all(each.met_by(answer) for each, answer in given):
                continue
            state = _state(stage, schema, [form] * stage.raters, item)
            hidden = not kinds.is_shown(criterion, form.values)
            key = "show_if" if hidden else "required"
            how = "is asked only after some answers" if hidden else "may be left out"
            yield Finding(
                WARNING,
                ("stages", one.name, "criteria", index, key),
                f"`{name}` decides and {how}: where all raters leave it, they agree, and the item is {_STATES[state]} "
                "as if their votes differed; let a criterion decide that is always answered",
            )
            break


def _outcomes(
    one: _SimulatedStage,
    schema: Schema,
    deciding: Sequence[str],
    forms: Sequence[Ballot],
    right: Ballot,
    item: Mapping[str, Any],
) -> Iterator[Finding]:
    stage = one.part
    path: Path = ("stages", one.name, "keep")
    unanimous = _state(stage, schema, [right] * stage.raters, item)
    if unanimous is not ItemState.KEPT:
        yield Finding(
            ERROR, path, f"an item whose votes are all right is {_STATES[unanimous]}; change what keeps an item"
        )
        return
    kinds_of_votes = _distinct(forms, deciding, right)
    votes = list(_elections(kinds_of_votes, stage.raters))
    reached = {_state(stage, schema, each, item) for each in votes}
    if ItemState.REJECTED not in reached:
        yield Finding(ERROR, path, "no votes can reject an item, so verification changes nothing; check what keeps one")
    one.contested[one.name] = one.contested.get(one.name, False) or ItemState.IN_ADJUDICATION in reached
    if stage.keep.rule in ("majority", "weighted"):
        yield from _like_another_rule(one, schema, votes, item)


def _like_another_rule(
    one: _SimulatedStage, schema: Schema, votes: Sequence[Sequence[Ballot]], item: Mapping[str, Any]
) -> Iterator[Finding]:
    stage = one.part
    path: Path = ("stages", one.name, "keep", "rule")
    if stage.keep.rule == "weighted" and stage.qualification is None:
        yield Finding(
            WARNING,
            path,
            "votes weigh what their raters reached in the qualification, and there is none, so every vote weighs 1; "
            "add a `qualification`, or say `majority`",
        )
        return
    if stage.keep.rule == "weighted":
        return
    other = stage.model_copy(update={"keep": stage.keep.model_copy(update={"rule": "unanimous"})})
    if stage.raters > 1 and all(
        _state(stage, schema, each, item) is _state(other, schema, each, item) for each in votes
    ):
        yield Finding(
            WARNING,
            path,
            f"with {stage.raters} raters a majority is all of them, so this is `unanimous`; say that, or ask 3",
        )


def _state(stage: Verification, schema: Schema, forms: Sequence[Ballot], item: Mapping[str, Any]) -> ItemState:
    """Return the policy's verdict on these votes."""
    return item_state(
        stage.keep,
        [form.vote() for form in forms],
        raters=stage.raters,
        item_fields=item,
        adjudication=stage.adjudicates and schema.stages.adjudication is not None,
        skips=stage.skips,
    ).state


def _distinct(forms: Sequence[Ballot], deciding: Sequence[str], right: Ballot) -> list[Ballot]:
    """One ballot for each way to answer what decides, skips included; enough of them to differ.

    Where there are too many, those come first that differ from the right one in one answer, then each further answer
    to any of the criteria.
    """
    found: dict[tuple[str, ...], Ballot] = {}
    for form in sorted(forms, key=lambda form: sum(_way(form, name) != _way(right, name) for name in deciding)):
        found.setdefault(tuple(_way(form, name) for name in deciding), form)
    new: list[Ballot] = []
    rest: list[Ballot] = []
    seen: set[tuple[str, str]] = set()
    for ways, form in found.items():
        told = set(zip(deciding, ways, strict=True))
        (rest if told <= seen else new).append(form)
        seen |= told
    return [*new, *rest][:MOST_KINDS]


def _way(form: Ballot, name: str) -> str:
    """Return a ballot's answer to a criterion as text, or the reason for having none."""
    value = form.values.get(name)
    return repr(value) if value is not None else f"none: {form.reasons.get(name)!r}"


def _elections(forms: Sequence[Ballot], raters: int) -> Iterator[list[Ballot]]:
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


def votes_for(
    schema: Schema,
    forms: Sequence[Ballot],
    deciding: Sequence[str],
    goals: Sequence[Target],
    item: Mapping[str, Any],
    state: ItemState,
    name: str,
) -> list[Ballot] | None:
    """Votes of all raters of a stage of verification after which an item of that content is in this state; None: none
    that were played."""
    stage = schema.stages.verifications.get(name)
    right = next((form for form in forms if all(each.met_by(form.values.get(each.criterion)) for each in goals)), None)
    if stage is None or right is None:
        return None
    played = _elections(_distinct(forms, deciding, right), stage.raters)
    return next((votes for votes in played if _state(stage, schema, votes, item) is state), None)


# ---- the other stages -----------------------------------------------------------------------------------------------


def _refinement(schema: Schema) -> Iterator[Finding]:
    stage = schema.stages.refinement
    if stage is None:
        return
    path: Path = ("stages", "refinement", "until")
    if stage.until is not None and stage.until not in REFINEMENT_ENDS:
        there = ", ".join(REFINEMENT_ENDS)
        yield Finding(ERROR, path, f"refinement never ends by `{stage.until}`; there are {there}")
    if not stage.done:
        return
    for dimension in schema.dimensions:
        criteria = registry.criteria_of(schema, "refinement", dimension.id)
        wanted = {name: [value] for name, value in stage.done.items()}
        forms = ballots(criteria, some_item(schema), wanted=wanted, deciding=tuple(stage.done), rules=stage.rules)
        if not any(all(same(form.values.get(name), value) for name, value in stage.done.items()) for form in forms):
            yield Finding(
                ERROR,
                ("stages", "refinement", "done"),
                f"no item of {dimension.id} is ever done: the answers {_told_values(stage.done)} cannot be given "
                "together; name answers of criteria that are asked together",
            )
            return


def _grading(schema: Schema) -> Iterator[Finding]:
    stage = schema.stages.grading
    if stage is not None and stage.raters == 2 and stage.combine == "majority":
        yield Finding(
            WARNING,
            ("stages", "grading", "raters"),
            "a majority of two is both of them, so an answer on which they differ gets no grade; "
            "ask 3, or say `combine: mean`",
        )
    most = grading_sample.most_wanted(schema)
    plan = stage.sample if stage is not None else None
    if plan is not None and plan.outputs is not None and most is not None and plan.outputs > most:
        yield Finding(
            WARNING,
            ("stages", "grading", "sample", "outputs"),
            f"the items that its dimensions want have {most:,} answers of its models, so the sample would be short; "
            "ask for fewer, or name more models or dimensions",
        )


def _shuffles(schema: Schema) -> Iterator[Finding]:
    for name in (*VERIFICATIONS, "grading"):
        shuffle = getattr(getattr(schema.stages, name), "shuffle", ())
        if "options" in shuffle and not any(each.field for each in registry.criteria_of(schema, name)):
            yield Finding(
                WARNING,
                ("stages", name, "shuffle"),
                "no criterion of this stage offers an item's own options (`field`), so nothing is shuffled; "
                "take `options` away",
            )


def _gates(schema: Schema) -> Iterator[Finding]:
    for name in (*VERIFICATIONS, "grading"):
        gate = getattr(getattr(schema.stages, name), "qualification", None)
        if gate is not None and gate.pass_mark == 0:
            yield Finding(
                WARNING,
                ("stages", name, "qualification", "pass_mark"),
                "everyone passes, whatever they answer; give a share above 0, or take the qualification away",
            )


# ---- what raters are told -------------------------------------------------------------------------------------------


def _shown_answers(schema: Schema) -> Iterator[Finding]:
    """Fields that are shown where raters should find the answer by themselves."""
    seen: dict[str, str] = {}
    for name, part in schema.stages.verifications.items():
        yield from _shown_to_voters(schema, name, part)
        for field in schema.item.fields:
            if part.again and name in field.secret_in and field.name in seen:
                yield Finding(
                    WARNING,
                    ("stages", name, "again"),
                    f"people who vote here may have seen `{field.name}` in `{seen[field.name]}`, and it is secret "
                    "here; leave `again` out, or hide the field there, too",
                )
            elif name not in field.secret_in:
                seen.setdefault(field.name, name)


def _shown_to_voters(schema: Schema, name: str, stage: Verification) -> Iterator[Finding]:
    lists = {each.field for each in stage.criteria if each.field is not None}
    known = key_fields(schema)
    keyed, called = keys_of_votes(schema, name), name.replace("_", " ")
    places = _places_of_key(schema) if keyed else ()
    for index, field in enumerate(schema.item.fields):
        if name in field.secret_in:
            continue
        path: Path = ("item", "fields", index)
        todo = f"give it `secret_in: [{name}]`"
        if field.name in places:
            yield Finding(
                ERROR,
                path,
                f"`{field.name}` says where the right answer stands, and raters of {called} see it; {todo}",
            )
        elif keyed and (field.name in known or _TELLS.search(field.name)):
            yield Finding(
                WARNING,
                path,
                f"`{field.name}` may give away the right answer to raters of {called}, who should find it; {todo}",
            )
        elif kinds.of_field(field).chosen and field.field in lists:
            yield Finding(
                WARNING,
                path,
                f"raters of {called} choose from `{field.field}` while they see `{field.name}`, which was chosen "
                f"from it; {todo}",
            )


def _places_of_key(schema: Schema) -> set[str]:
    """Return the fields that hold the right option's position in the file's format."""
    row = keys_of_source(schema)
    if row is None or row.chosen is None:
        return set()
    names = schema.source.fields if schema.source else {}
    keys = {key for key in row.chosen[:3] if key}
    votes = keys_of_votes(schema)
    return {
        field.name
        for field in schema.item.fields
        if names.get(field.name, field.name) in keys and field.name not in votes and not kinds.of_field(field).chosen
    }


# ---- judges and models ----------------------------------------------------------------------------------------------


def _judges(schema: Schema) -> Iterator[Finding]:
    for index, judge in enumerate(schema.judges):
        row = registry.find("template", judge.template)
        if isinstance(row, registry.Template) and judge.parser not in (None, row.parser):
            yield Finding(
                ERROR,
                ("judges", index, "parser"),
                f"the template `{row.name}` asks for replies that `{row.parser}` reads, and they are read by it; "
                "leave this out, or name that one",
            )


def _models(schema: Schema) -> Iterator[Finding]:
    models = schema.models
    if models is None:
        return
    if models.score is not None and models.strategy != "rank_options":
        yield Finding(
            WARNING,
            ("models", "score"),
            f"only `rank_options` scores options; with `{models.strategy}` this does nothing; take it away",
        )
    if models.strategy == "rank_options" and options_field(schema) is None:
        yield Finding(
            WARNING,
            ("models", "strategy"),
            "`rank_options` ranks an item's options, and no field lists any, so no model could be asked;"
            " say `generate`, or give items a `text_list`",
        )
    for name, value in models.clips.items():
        if name not in CLIPS:
            why = f"of clips one cannot say `{name}`, and no model could be asked; there are {', '.join(CLIPS)}"
            yield Finding(ERROR, ("models", "clips", name), why)
        elif isinstance(value, bool) or not isinstance(value, int) or value < 0:
            why = f"`{value}` is no number of frames, and no model could be asked; give a whole number, 0 or more"
            yield Finding(ERROR, ("models", "clips", name), why)
    if models.clips and not any(slot.kind == "clip" for slot in schema.item.assets):
        yield Finding(WARNING, ("models", "clips"), "the item has no clip, so this does nothing; take it away")
    try:
        prompts = load_prompt_set(models.prompts) if models.prompts else None
    except (KeyError, SchemaError):
        return
    there = {variant for family in prompts.families.values() for variant in family} if prompts else {"general"}
    for variant in models.variants:
        if variant not in there:
            where = f"the prompts `{models.prompts}` have" if prompts else "without `prompts` there is"
            yield Finding(
                ERROR,
                ("models", "variants", variant),
                f"{where} no variant `{variant}`, so its dimensions would silently get `general`; "
                f"there {'is' if len(there) == 1 else 'are'} {', '.join(sorted(there))}",
            )
