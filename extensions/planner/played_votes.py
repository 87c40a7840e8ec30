"""Keep rules played with made-up votes: a right, unanimous item is kept, and every verdict can be reached."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from annotation_schemas import kinds, registry
from annotation_schemas.ballots import (
    Ballot,
    answers_to,
    ballots,
    distinct_ballots,
    elections,
    right_ballot,
    some_item,
    tried,
    verdict_on,
)
from annotation_schemas.model import Criterion, ItemField, Keep, Schema, Verification
from annotation_schemas.protocol_checks import Finding
from annotation_schemas.yaml_text import ERROR, WARNING, Path
from domain.policies import Target, criteria_that_decide, is_skip, targets
from domain.states import ItemState

_STATES = {
    ItemState.KEPT: "kept",
    ItemState.REJECTED: "rejected",
    ItemState.IN_ADJUDICATION: "sent to adjudication",
    ItemState.IN_VERIFICATION: "left in verification",
}


def check_verdicts(schema: Schema) -> Iterator[Finding]:
    """Yield what keeps right items from being kept, and outcomes that no votes reach."""
    contested: dict[str, bool] = {}
    for name, stage in schema.stages.verifications.items():
        deciding = criteria_that_decide(stage.keep)
        by_name = {criterion.name: criterion for criterion in stage.criteria}
        if any(by_name[criterion].dimensions is not None for criterion in deciding):
            continue  # told by the checks of names
        played: set[tuple[str, ...]] = set()
        for dimension in schema.dimensions:
            criteria = registry.criteria_of(schema, name, dimension.id)
            names = tuple(criterion.name for criterion in criteria)
            if names in played:
                continue
            played.add(names)
            findings = list(_played(schema, _SimulatedStage(name, stage, contested), criteria))
            yield from findings
            if findings:
                break  # another dimension would say the same again
    if schema.stages.adjudication is not None and contested and not any(contested.values()):
        raters = [stage.raters for stage in schema.stages.verifications.values()]
        why = "a single vote cannot disagree" if raters == [1] else "the rule settles every combination of votes"
        yield Finding(
            ERROR,
            ("stages", "adjudication"),
            f"no item ever needs adjudication, because {why}; set `adjudication: none`"
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
    asked = {criterion.name: criterion for criterion in criteria}
    fields = some_item(schema)
    places = [_place_of(keep, path, index) for index in range(len(deciding))]
    unfit = list(_keys_fit(schema, keep, [asked[name] for name in deciding], places))
    yield from unfit
    if any(finding.level == ERROR for finding in unfit):
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
            if not any(goal.met_by(answer) for answer, _ in answers_to(criterion, item, wanted[target.criterion])):
                yield Finding(ERROR, at, _unanswerable(goal, criterion))
                return
        if _always_met(target, criterion):
            yield Finding(
                WARNING,
                at,
                f"every answer to `{criterion.name}` is {target.in_words()}, so this condition has no effect; narrow "
                "the target, or remove the condition",
            )
    goals = [target.of(item) for target in targets(keep)]
    forms = ballots(criteria, item, wanted=wanted, deciding=deciding, rules=stage.rules)
    right = right_ballot(forms, goals)
    if right is None:
        behind = next((name for name in deciding if asked[name].show_if), deciding[0])
        answers = ", ".join(f"{goal.criterion}: {goal.value if goal.key else goal.in_words()}" for goal in goals)
        yield Finding(
            ERROR,
            (*path, "parts" if keep.parts else "criterion"),
            f"no item can be kept: the required answers ({answers}) cannot occur together, "
            + (
                f"because `{behind}` is not shown after the other answers; use a criterion that is always shown"
                if asked[behind].show_if
                else "because `rules` forbid this combination; change `keep` or `rules`"
            ),
        )
        return
    yield from _single_votes(one, schema, criteria, forms, item, goals)
    yield from _outcomes(one, schema, deciding, forms, right, item)


def _place_of(keep: Keep, path: Path, index: int) -> Path:
    """Where a schema says what the criterion at that place is wanted to be."""
    if keep.parts:
        return (*path, "parts", index)
    return (*path, "key" if keep.key is not None else "values" if keep.values else "value")


def _always_met(target: Target, criterion: Criterion) -> bool:
    """Whether no answer lies outside of a target's limits."""
    low, high = kinds.of_criterion(criterion).ends(criterion) or (None, None)
    return target.limited and all(
        limit is None or (end is not None and target.met_by(end))
        for limit, end in ((target.at_least, low), (target.at_most, high))
    )


def _unanswerable(target: Target, criterion: Criterion) -> str:
    limits = kinds.of_criterion(criterion).limits(criterion)
    kind_words = f"{criterion.kind} {limits}".rstrip()
    source = f"the item's `{target.key}`" if target.key is not None else f"`{target.in_words()}`"
    return (
        f"no item can be kept: `{criterion.name}` is a {kind_words}, so no answer equals "
        f"{source}{f' (for instance `{target.value}`)' if target.key is not None else ''}; use a "
        "criterion with this answer, or change `keep`"
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
            (
                f"an item is kept only if raters answer `{criterion.name}` (a {criterion.kind}) with exactly "
                f"`{target.value}`, and this value is the same for all items; compare with the item's answer "
                "(`key`), or use a `choice` criterion"
            ),
        )


def _one_key_for(key: str, deciding: Sequence[Criterion], at: Path) -> Finding:
    names = ", ".join(f"`{criterion.name}`" for criterion in deciding)
    alike = len({(criterion.kind, criterion.field, criterion.options, criterion.values) for criterion in deciding}) == 1
    return Finding(
        WARNING if alike else ERROR,
        at,
        f"{names} are all compared with `{key}`; if these criteria have different right answers, even right votes "
        "reject the item; compare only one criterion with the key",
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
            (
                f"no item can be kept: the value of `{name}` comes from `{field.field}`, but raters choose "
                f"`{criterion.name}` from `{criterion.field}`; use the same list for both"
            ),
        )
    elif key.picks_several and row.is_set:
        return  # compared as sets
    elif not key.votes_equal:
        yield Finding(
            ERROR,
            at,
            f"no item can be kept: `{name}` has the kind {field.kind}, which no vote can equal; name another field",
        )
    elif not key.limited and row.compared:
        yield Finding(
            WARNING,
            at,
            f"`{name}` (of kind `{field.kind}`) can contain a value that is not an answer to `{criterion.name}`, and "
            "an item with this value is always rejected; give the field the kind `"
            f"{'option_of' if criterion.field else 'choice'}`",
        )
    elif row.typed and key.written:
        level, why = (WARNING, "letter for letter") if row.in_words else (ERROR, "but never does")
        yield Finding(
            level,
            at,
            f"the text that raters type under `{criterion.name}` must equal the text of `{name}`, {why}"
            f"{', so nearly no item is kept' if level == WARNING else ', so no item can be kept'}; "
            + ("offer options instead" if level == WARNING else "give the field the kind `integer`"),
        )


def _overlap_fits(schema: Schema, field: ItemField, criterion: Criterion, at: Path) -> Iterator[Finding]:
    """Check that values that are compared by overlap have the same kind and subject."""
    kind = criterion.kind if kinds.of_criterion(criterion).by_overlap else field.kind
    if criterion.kind != field.kind:
        why = (
            f"`{criterion.name}` is a {criterion.kind} and `{field.name}` is a {field.kind}; use the "
            f"kind `{kind}` for both"
        )
    else:
        why = kinds.of_criterion(criterion).unlike_key(schema, criterion, field) or ""
    if why:
        yield Finding(ERROR, at, f"no item can be kept: {why}")


def _key_values(schema: Schema, key: str, criterion: Criterion, fields: Mapping[str, Any]) -> list[Any]:
    """Right answers that items can have: every one of a choice, some of an item's own options."""
    field = schema.item.field(key)
    entries = list(fields.get(field.field or "") or ())
    free = [value for value, _ in answers_to(criterion, fields, []) if value is not None]
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
        criterion = next(criterion for criterion in criteria if criterion.name == name)
        index = list(stage.criteria).index(criterion)
        for form in forms:
            without = form.values.get(name) is None and not is_skip(form.vote(), (name,))
            given = [(goal, answer) for goal in goals if (answer := form.values.get(goal.criterion)) is not None]
            if not without or not all(goal.met_by(answer) for goal, answer in given):
                continue
            state = verdict_on(stage, schema, [form] * stage.raters, item)
            hidden = not kinds.is_shown(criterion, form.values)
            key = "show_if" if hidden else "required"
            how = "is shown only after some answers" if hidden else "is optional"
            yield Finding(
                WARNING,
                ("stages", one.name, "criteria", index, key),
                (
                    f"`{name}` decides, but {how}: if all raters leave this criterion empty, they agree, but "
                    f"the item is {_STATES[state]} as if their votes differed; use a criterion that is always "
                    "answered"
                ),
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
    unanimous = verdict_on(stage, schema, [right] * stage.raters, item)
    if unanimous is not ItemState.KEPT:
        yield Finding(ERROR, path, f"an item with only right votes is {_STATES[unanimous]}; change `keep`")
        return
    kinds_of_votes = distinct_ballots(forms, deciding, right)
    votes = list(elections(kinds_of_votes, stage.raters))
    reached = {verdict_on(stage, schema, vote, item) for vote in votes}
    if ItemState.REJECTED not in reached:
        yield Finding(ERROR, path, "no votes can reject an item, so verification has no effect; check `keep`")
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
            "votes are weighted by the raters' qualification, but this stage has no qualification, so all votes "
            "have the same weight; add a `qualification`, or use `majority`",
        )
        return
    if stage.keep.rule == "weighted":
        return
    other = stage.model_copy(update={"keep": stage.keep.model_copy(update={"rule": "unanimous"})})
    if stage.raters > 1 and all(
        verdict_on(stage, schema, vote, item) is verdict_on(other, schema, vote, item) for vote in votes
    ):
        yield Finding(
            WARNING,
            path,
            f"a majority of {stage.raters} raters means all of them, so the rule is the same as `unanimous`; use "
            "`unanimous`, or ask 3 raters",
        )
