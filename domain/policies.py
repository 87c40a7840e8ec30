"""What the votes on an item come to: pure rules, as rows of a registry that schemas name."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from fractions import Fraction
from itertools import combinations
from typing import Any, Protocol

from domain.errors import NotAvailable
from domain.states import ItemState

LEASE = timedelta(minutes=30)
"""How long a task stays with someone of whom nothing is heard."""


@dataclass(frozen=True)
class Vote:
    """What one rater answered on one revision of an item. A value of None with a reason is a skip."""

    rater: str
    values: Mapping[str, Any]
    reasons: Mapping[str, Any] = field(default_factory=dict)
    weight: float | None = None
    """What it counts where votes are weighed; see ``weighed``."""


@dataclass(frozen=True)
class Verdict:
    """What the votes come to, and why, as a sentence."""

    state: ItemState
    why: str


class KeepSpec(Protocol):
    """A keep rule as the schema states it (``keep:`` in YAML)."""

    @property
    def rule(self) -> str: ...
    @property
    def criterion(self) -> str | None: ...
    @property
    def criteria(self) -> tuple[str, ...]: ...
    @property
    def key(self) -> str | None: ...
    @property
    def value(self) -> Any: ...
    @property
    def values(self) -> Mapping[str, Any]: ...


class SkipsSpec(Protocol):
    """What skips do to an item, as the schema states it (``skips:`` in YAML)."""

    @property
    def after(self) -> int: ...
    @property
    def then(self) -> str: ...


Outcome = str
"""One of "keep", "drop" (agreed on something else), "split"."""

Cast = tuple[Any, Fraction]
"""What a vote says about one criterion, and what it weighs."""


@dataclass(frozen=True)
class KeepRule:
    """A row of the registry."""

    name: str
    meaning: str
    outcome: Callable[[Sequence[Cast], Any], Outcome]
    """The votes on one criterion and the value that keeps the item, to what they come to."""
    needs_key: bool = False
    needs_values: bool = False
    """It asks for `values`: the wanted one of each criterion."""
    weighs: bool = False
    """Votes count by the qualification of who cast them."""


def same(left: Any, right: Any) -> bool:
    """Equal as JSON values: 1 is 1.0, but true is not 1."""
    return isinstance(left, bool) == isinstance(right, bool) and bool(left == right)


def weighed(weight: float | None) -> Fraction:
    """What a stored weight counts, exactly as it is written: 0.1 and 0.2 together weigh as much as 0.3.

    A weight is a rater's share of right answers in the qualification, stored with the vote when it was cast. A vote
    without one (its rater was never scored) counts 1, as every vote does where nothing is weighed; a weight of 0
    counts nothing. Half of the weight or less decides nothing: see ``_weighted``.
    """
    return Fraction(1) if weight is None else Fraction(str(weight))


def _unanimous(cast: Sequence[Cast], wanted: Any) -> Outcome:
    first = cast[0][0]
    if first is None or not all(same(value, first) for value, _ in cast):
        return "split"
    return "keep" if same(first, wanted) else "drop"


def _majority(cast: Sequence[Cast], wanted: Any) -> Outcome:
    return _weighted([(value, Fraction(1)) for value, _ in cast], wanted)


def _weighted(cast: Sequence[Cast], wanted: Any) -> Outcome:
    """More than half of the weight of all votes decides, skips and missing answers weighing against everything.

    A tie (exactly half on one value), a weight spread over several values, and votes that weigh nothing at all are
    splits: no one is outvoted by as much as them.
    """
    whole = sum((weight for _, weight in cast), Fraction(0))
    for value, _ in cast:
        if value is not None and 2 * sum(weight for other, weight in cast if same(value, other)) > whole:
            return "keep" if same(value, wanted) else "drop"
    return "split"


KEEP_RULES: Mapping[str, KeepRule] = {
    row.name: row
    for row in (
        KeepRule("unanimous", "kept if all raters give the value; a skip is no agreement", _unanimous),
        KeepRule(
            "unanimous_and_key",
            "kept if all raters give the value of the item's key field; a skip is no agreement",
            _unanimous,
            needs_key=True,
        ),
        KeepRule("majority", "kept if more than half of the raters give the value", _majority),
        KeepRule(
            "all_of",
            "kept if all raters give each of several criteria the value that `values` names for it",
            _unanimous,
            needs_values=True,
        ),
        KeepRule(
            "weighted",
            "kept if the value has more than half of the weight of all votes; a vote weighs its rater's score in the"
            " qualification when it was cast, or 1 without one, and a tie is no agreement",
            _weighted,
            weighs=True,
        ),
    )
}

SKIP_ACTS: Mapping[str, str] = {
    "retire": "the item is rejected at once, with the reasons told, and no one is asked about it any more",
    "adjudicate": "a senior settles the item at once, and no one else is asked to vote on it",
}
"""What so many skips do."""


ONE_RIGHT, ONE_ROUND = "one_right_answer", "one_round"
REFINEMENT_ENDS: Mapping[str, str] = {
    ONE_RIGHT: "each answer that is shown next to the item is decided, and all decisions say that the annotated answer "
    "is the only right one; an edit has all of them looked at again",
    ONE_ROUND: "each answer is decided once, whatever is decided; after an edit only those are shown that no one had "
    "looked at",
}
"""When the refinement of an item has ended."""


def criteria_that_decide(rule: KeepSpec) -> tuple[str, ...]:
    """The criteria that a keep rule looks at."""
    return rule.criteria or ((rule.criterion,) if rule.criterion is not None else tuple(rule.values))


def is_skip(vote: Vote, criteria: Sequence[str]) -> bool:
    """Whether a vote skips one of these criteria. Answers that were not asked for, or left out, are no skips."""
    return any(vote.values.get(name) is None and vote.reasons.get(name) is not None for name in criteria)


def verdict(
    rule: KeepSpec,
    votes: Sequence[Vote],
    *,
    raters: int,
    item_fields: Mapping[str, Any],
    adjudication: bool,
    skips: SkipsSpec | None = None,
    words: Mapping[Any, str] | None = None,
) -> Verdict:
    """What ``votes`` on one revision come to once all ``raters`` of them are in, or so many of them are ``skips``.

    With several criteria each must come to "keep"; agreement on another value in any of them rejects the item. What
    the votes leave open goes to adjudication if the schema has it, and is rejected otherwise. ``words`` are the
    labels of the reasons of skips.
    """
    row = KEEP_RULES.get(rule.rule)
    if row is None:
        raise NotAvailable(f"The keep rule {rule.rule!r} is not built yet; name one that is in the schema.")
    criteria = criteria_that_decide(rule)
    skipped = [vote for vote in votes if is_skip(vote, criteria)]
    if skips is not None and len(skipped) >= skips.after:
        return _after_skips(skips, skipped, len(votes), criteria, words or {})
    if len(votes) < raters:
        return Verdict(ItemState.IN_VERIFICATION, f"{len(votes)} of {raters} votes are in.")
    outcomes = {
        name: row.outcome(
            [(vote.values.get(name), weighed(vote.weight)) for vote in votes], value_that_keeps(rule, name, item_fields)
        )
        for name in criteria
    }
    dropped = [name for name, outcome in outcomes.items() if outcome == "drop"]
    split = [name for name, outcome in outcomes.items() if outcome == "split"]
    if dropped:
        return Verdict(ItemState.REJECTED, f"The votes agree on another value in {', '.join(dropped)}.")
    if split and adjudication:
        return Verdict(ItemState.IN_ADJUDICATION, f"The votes differ in {', '.join(split)}; a senior decides.")
    if split:
        return Verdict(ItemState.REJECTED, f"The votes differ in {', '.join(split)}, and what differs is dropped.")
    return Verdict(ItemState.KEPT, f"All {len(votes)} votes are in and satisfy the rule {rule.rule}.")


def value_that_keeps(rule: KeepSpec, name: str, item_fields: Mapping[str, Any]) -> Any:
    """The value of a criterion that keeps an item: what its key holds, or what the rule says; None if neither says."""
    if rule.key is not None or KEEP_RULES[rule.rule].needs_key:
        return item_fields.get(rule.key or "")
    return rule.values.get(name, rule.value)


def _after_skips(
    skips: SkipsSpec, skipped: Sequence[Vote], n_votes: int, criteria: Sequence[str], words: Mapping[Any, str]
) -> Verdict:
    reasons = Counter(
        words.get(reason, str(reason))
        for vote in skipped
        for name in criteria
        if vote.values.get(name) is None and (reason := vote.reasons.get(name)) is not None
    )
    told = ", ".join(f"{reason} ({n})" for reason, n in sorted(reasons.items()))
    who = f"{len(skipped)} of {n_votes} {'vote' if n_votes == 1 else 'votes'} skipped it: {told}."
    if skips.then == "adjudicate":
        return Verdict(ItemState.IN_ADJUDICATION, f"{who} A senior decides.")
    return Verdict(ItemState.REJECTED, f"{who} That retires it.")


def is_unanimous(rule: KeepSpec, votes: Sequence[Vote], *, item_fields: Mapping[str, Any] | None = None) -> bool:
    """Whether all votes give the same answer in every criterion that decides, and none of them skips.

    With ``item_fields`` it must also be the answer that keeps the item.
    """
    for name in criteria_that_decide(rule):
        values = [vote.values.get(name) for vote in votes]
        wanted = values[0] if item_fields is None else value_that_keeps(rule, name, item_fields)
        if values[0] is None or not all(same(value, wanted) for value in values):
            return False
    return True


def contest(rule: KeepSpec, votes: Sequence[Vote]) -> float:
    """How contested an item is, from 0 to 1: the share of pairs of votes that differ, in the mean of the criteria.

    A skip agrees with nothing, not even with another skip. One vote alone contests nothing.
    """
    pairs = list(combinations(votes, 2))
    criteria = criteria_that_decide(rule)
    if not pairs or not criteria:
        return 0.0
    differing = sum(
        one.values.get(name) is None or not same(one.values.get(name), other.values.get(name))
        for one, other in pairs
        for name in criteria
    )
    return differing / (len(pairs) * len(criteria))


def decides_one_right(done: Mapping[str, Any], values: Mapping[str, Any]) -> bool:
    """Whether a decision about a model's answer says that the annotated answer is the only right one."""
    return bool(done) and all(same(values.get(name), value) for name, value in done.items())


def refined(
    done: Mapping[str, Any], *, n_answers: int, decisions: Sequence[Mapping[str, Any]], until: str | None = None
) -> bool:
    """Whether an item is refined (``until``: ``REFINEMENT_ENDS``; None: ``one_right_answer``).

    Each of the ``n_answers`` answers in refinement has a decision, on the current revision or, with ``one_round``,
    on any; and unless one round is enough, all ``decisions`` say that the annotated answer is the only right one. An
    item without such answers is not refined.
    """
    if not 0 < n_answers <= len(decisions):
        return False
    return until == ONE_ROUND or all(decides_one_right(done, values) for values in decisions)


def differs_from_key(answer: str, key: str) -> bool:
    """Whether the text of a model's answer does not contain the text of the annotated one, whatever their case."""
    return key.strip().casefold() not in answer.casefold()


def item_state(
    rule: KeepSpec | None,
    votes: Sequence[Vote],
    *,
    raters: int,
    item_fields: Mapping[str, Any],
    adjudication: bool,
    decision: str | None = None,
    skips: SkipsSpec | None = None,
    words: Mapping[Any, str] | None = None,
) -> Verdict:
    """Where an item stands: a pure function of the votes on its current revision, the senior's decision, and the
    policy.

    ``rule`` None means that the schema has no verification. ``decision`` is what a senior settled about the current
    revision.
    """
    if decision == "accept":
        return Verdict(ItemState.KEPT, "A senior accepted it.")
    if decision == "reject":
        return Verdict(ItemState.REJECTED, "A senior rejected it.")
    if rule is None:
        return Verdict(ItemState.UNVERIFIED, "The schema has no verification.")
    return verdict(
        rule, votes, raters=raters, item_fields=item_fields, adjudication=adjudication, skips=skips, words=words
    )
