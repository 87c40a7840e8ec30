"""Say which votes keep an item, by playing votes through the keep rule itself."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from typing import Any

from annotation_schemas.model import Criterion, Schema, Verification
from domain import policies
from domain.overlap import Overlap
from domain.policies import Target, Vote
from domain.states import ItemState

MOST_PLAYED = 25
"""Most people whose votes are played. For more people, the rule's own words are shown."""
WANTED, OTHER = "wanted", "other"
ENDS = {ItemState.IN_ADJUDICATION: "goes to a senior", ItemState.REJECTED: "is rejected"}


@dataclass(frozen=True)
class _PlainRule:
    """A keep rule on one criterion with plain answers, so that only the number of votes matters."""

    rule: str
    criterion: str | None = "asked"
    criteria: tuple[str, ...] = ()
    key: str | None = None
    value: Any = WANTED
    values: Mapping[str, Any] = field(default_factory=dict)
    parts: tuple[policies.PartSpec, ...] = ()
    tolerances: Mapping[str, Any] = field(default_factory=dict)


def keep_sentence(schema: Schema, stage: str) -> str:
    """Return which votes keep an item in a stage of verification, and what becomes of other items."""
    part = schema.stages.verifications[stage]
    if part.raters > MOST_PLAYED:
        return f"An item is {policies.KEEP_RULES[part.keep.rule].meaning}."
    kept, ends = _outcomes(schema, part)
    answers = " and ".join(_answer(target, part) for target in policies.targets(part.keep))
    later = list(schema.stages.verifications)[-1] != stage
    first = f"An item {'passes this stage' if later else 'is kept'} if {_people(kept, part)} {answers}."
    return " ".join([first, _rest(ends), *_skips(part)])


def _skips(part: Verification) -> Iterator[str]:
    if part.skips is not None:
        end = "goes to a senior" if part.skips.then == "adjudicate" else "is rejected"
        n = part.skips.after
        yield f"An item {end} after {n} {'skip' if n == 1 else 'skips'}."


def _people(kept: Sequence[int], part: Verification) -> str:
    n = part.raters
    if policies.KEEP_RULES[part.keep.rule].weighs:
        return "people with more than half of the total qualification score"
    if not kept:
        return "people (impossible with these settings)"
    least = min(kept)
    if n == 1:
        return "people (one vote per item)"
    if least == n:
        return "both people" if n == 2 else f"all {n} people"
    return f"at least {least} of {n} people"


def _rest(ends: Set[ItemState]) -> str:
    if len(ends) == 1:
        return f"Every other item {ENDS[next(iter(ends))]}."
    return "An item is rejected if people agree on another answer. Every other item goes to a senior."


def _answer(target: Target, part: Verification) -> str:
    criterion = next((each for each in part.criteria if each.name == target.criterion), None)
    about = f" for “{_short(criterion.prompt)}”" if criterion is not None and _several(part) else ""
    if target.limited:
        limits = (("at least", target.at_least), ("at most", target.at_most))
        return "answer " + " and ".join(f"{word} {limit:g}" for word, limit in limits if limit is not None) + about
    if target.key is not None:
        near = " close to" if isinstance(target.tolerance, Overlap) or target.tolerance else ""
        return f"give an answer{near or ' equal to'} the item's “{target.key}”{about}"
    return f"say “{_label(criterion, target.value)}”{about}"


def _several(part: Verification) -> bool:
    return len(policies.criteria_that_decide(part.keep)) > 1


def _short(prompt: str) -> str:
    return prompt if len(prompt) <= 60 else f"{prompt[:57]}…"


def _label(criterion: Criterion | None, value: Any) -> str:
    for option in criterion.options if criterion is not None else ():
        if option.value == value:
            return option.label
    if criterion is not None and value in criterion.values and criterion.labels:
        return criterion.labels[criterion.values.index(value)]
    return str(value)


def _outcomes(schema: Schema, part: Verification) -> tuple[list[int], set[ItemState]]:
    """Return how many wanted answers always keep an item, and the other states that votes can lead to."""
    adjudication = schema.stages.adjudication is not None and part.adjudicates
    plain = _PlainRule("unanimous" if part.keep.rule in ("all_of", "unanimous_and_key") else part.keep.rule)
    kept: list[int] = []
    ends: set[ItemState] = set()
    for n in range(part.raters + 1):
        states: set[ItemState] = set()
        for others in _others(part.raters - n):
            votes = [Vote(str(at), {"asked": value}) for at, value in enumerate([*[WANTED] * n, *others])]
            verdict = policies.verdict(
                plain, votes, raters=part.raters, item_fields={}, adjudication=adjudication, skips=None
            )
            states.add(verdict.state)
        if states == {ItemState.KEPT}:
            kept.append(n)
        ends |= states - {ItemState.KEPT}
    return kept, ends


def _others(n: int) -> Iterator[list[Any]]:
    """Yield what the other people may say: the same, different things, or nothing."""
    yield [OTHER] * n
    if n:
        yield [f"{OTHER} {at}" for at in range(n)]
        yield [None] * n
