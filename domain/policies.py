"""Pure rules that turn the votes on an item into its state. Schemas name these rules.

The module is longer than others so that the way from votes to a state is read in one place.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from fractions import Fraction
from itertools import combinations
from typing import Any, Protocol

from domain.comparison import AnyOrder, same
from domain.decimals import EXACT, exact
from domain.errors import NotAvailableError
from domain.overlap import Apart, Overlap
from domain.states import VOTED_ON, ItemState, Stage

LEASE = timedelta(minutes=30)
"""How long a task stays with a person who sends no sign of activity."""
RESERVED = timedelta(minutes=5)
"""How long a task waits in a person's browser before others can take it."""


@dataclass(frozen=True)
class Vote:
    """One rater's answers on one revision of an item. A value of None with a reason is a skip."""

    rater: str
    values: Mapping[str, Any]
    reasons: Mapping[str, Any] = field(default_factory=dict)
    weight: float | None = None
    """The weight of the vote, if votes are weighted; see ``weighed``."""


@dataclass(frozen=True)
class Verdict:
    """The state that follows from the votes, with the reason as a sentence."""

    state: ItemState
    why: str
    stage: Stage = Stage.VERIFICATION
    """The verification stage in which the item got this state."""


class PartSpec(Protocol):
    """A part of a keep rule as the schema states it (an entry of ``parts:`` in YAML)."""

    @property
    def criterion(self) -> str: ...
    @property
    def key(self) -> str | None: ...
    @property
    def value(self) -> Any: ...
    @property
    def at_least(self) -> float | None: ...
    @property
    def at_most(self) -> float | None: ...


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
    @property
    def parts(self) -> Sequence[PartSpec]: ...
    @property
    def tolerances(self) -> Mapping[str, Apart]: ...


class SkipsSpec(Protocol):
    """The effect of skips on an item, as the schema states it (``skips:`` in YAML)."""

    @property
    def after(self) -> int: ...
    @property
    def then(self) -> str: ...


VoteOutcome = str
""""keep", "drop" (agreed on another value) or "split"."""

Cast = tuple[Any, Fraction]
"""A vote's value for one criterion, and the vote's weight."""


@dataclass(frozen=True)
class Target:
    """The answers to one criterion that keep an item: a value, or numbers within limits."""

    criterion: str
    value: Any = None
    """The value that keeps the item if there are no limits; None keeps no item."""
    key: str | None = None
    """The item's field that holds the value; see ``of``."""
    at_least: float | None = None
    at_most: float | None = None
    tolerance: Apart | None = None
    """The largest difference at which two answers still agree; None means that they must be equal."""

    @property
    def limited(self) -> bool:
        """Whether limits define the answers that keep an item, so that several answers may do so."""
        return self.at_least is not None or self.at_most is not None

    def of(self, item_fields: Mapping[str, Any]) -> Target:
        """Return the target for an item with these fields."""
        if self.key is None:
            return self
        value = item_fields.get(self.key)
        return Target(self.criterion, value, self.key, self.at_least, self.at_most, self.tolerance)

    def met_by(self, value: Any) -> bool:
        """Whether an answer keeps the item. A missing answer does not."""
        if value is None:
            return False
        if not self.limited:
            return self._same(value, self.value)
        if isinstance(value, bool) or not isinstance(value, int | float):
            return False
        return (self.at_least is None or value >= self.at_least) and (self.at_most is None or value <= self.at_most)

    def alike(self, one: Any, other: Any) -> bool:
        """Whether two answers agree: they have the same value, or they lie on the same side of the limits."""
        if one is None or other is None:
            return False
        return self.met_by(one) == self.met_by(other) if self.limited else self._same(one, other)

    def _same(self, one: Any, other: Any) -> bool:
        """Tell whether two values are equal.

        Numbers are compared within the tolerance, spans and boxes by overlap, sets in any order. A key may be a
        number stored as text.
        """
        if isinstance(self.tolerance, Overlap | AnyOrder):
            return self.tolerance.holds(one, other)
        if same(one, other) or isinstance(one, str):
            return same(one, other)
        number, wanted = exact(one), exact(other)
        if number is None or wanted is None:
            return False
        return (self.tolerance or EXACT).holds(number, wanted, right=exact(self.value) or Fraction(0))

    def in_words(self) -> str:
        """Return the condition in words, such as ``at most 3``."""
        if self.limited:
            limits = (("at least", self.at_least), ("at most", self.at_most))
            return " and ".join(f"{word} {limit}" for word, limit in limits if limit is not None)
        return str(self.value) if self.key is None else f"the item's {self.key}"


@dataclass(frozen=True)
class KeepRule:
    """A row of the registry of keep rules."""

    name: str
    meaning: str
    outcome: Callable[[Sequence[Cast], Target], VoteOutcome]
    """A function from the votes on one criterion and the target to the outcome."""
    needs_key: bool = False
    needs_values: bool = False
    """Whether the rule requires `values` (the wanted value of each criterion) or `parts`."""
    weighs: bool = False
    """Whether a vote counts by its rater's score in the qualification."""
    in_groups: bool = False
    """Whether the rule looks for a group of agreeing votes, and not only at all votes together."""


def weighed(weight: float | None) -> Fraction:
    """Return the exact value of a stored weight, so that 0.1 and 0.2 together weigh as much as 0.3.

    A weight is a rater's share of right answers in the qualification, stored with the vote when it was cast. A vote
    without a weight (its rater was never scored) counts 1, as every vote does under rules without weights. A weight
    of 0 counts nothing. Half of the total weight is not enough for a decision: see ``_weighted``.
    """
    return Fraction(1) if weight is None else Fraction(str(weight))


def _unanimous(cast: Sequence[Cast], target: Target) -> VoteOutcome:
    values = [value for value, _ in cast]
    met = [target.met_by(value) for value in values]
    if all(met):
        return "keep"
    if any(met) or None in values:
        return "split"
    return "drop" if all(target.alike(one, other) for one, other in combinations(values, 2)) else "split"


def _majority(cast: Sequence[Cast], target: Target) -> VoteOutcome:
    return _weighted([(value, Fraction(1)) for value, _ in cast], target)


def _weighted(cast: Sequence[Cast], target: Target) -> VoteOutcome:
    """Decide by more than half of the total weight. Skips and missing answers count against every value.

    The outcome is "split" for a tie (exactly half on one value), for weight spread over several values, and for votes
    without any weight.
    """
    whole = sum((weight for _, weight in cast), Fraction(0))
    if 2 * sum(weight for value, weight in cast if target.met_by(value)) > whole:
        return "keep"
    others = [(value, weight) for value, weight in cast if not target.met_by(value)]
    if isinstance(target.tolerance, Overlap):
        return "drop" if 2 * _heaviest(others, target) > whole else "split"
    for lowest, _ in others:  # numbers within a tolerance: a group in which every two agree
        alike = (weight for value, weight in others if target.alike(lowest, value) and not _less(value, lowest))
        if 2 * sum(alike) > whole:
            return "drop"
    return "split"


MOST_IN_GROUPS = 25
"""The largest number of raters in schemas whose rule looks for groups in which every two votes agree."""


def _heaviest(cast: Sequence[Cast], target: Target) -> Fraction:
    """Return the weight of the heaviest group in which every two votes agree.

    Agreeing numbers are neighbors when sorted, but overlapping spans have no order, so every group is checked.
    """
    near = [{to for to, (other, _) in enumerate(cast) if target.alike(value, other)} for value, _ in cast]

    def heaviest(left: list[int]) -> Fraction:
        if not left:
            return Fraction(0)
        first, *rest = left
        fitting = [at for at in rest if at in near[first]]
        taken = cast[first][1] + heaviest(fitting)
        return taken if len(fitting) == len(rest) else max(taken, heaviest(rest))

    return heaviest([at for at, (value, _) in enumerate(cast) if value is not None])


def _less(one: Any, other: Any) -> bool:
    number, than = exact(one), exact(other)
    return number is not None and than is not None and number < than


KEEP_RULES: Mapping[str, KeepRule] = {
    row.name: row
    for row in (
        KeepRule("unanimous", "kept if all raters give the required value; a skip counts as disagreement", _unanimous),
        KeepRule(
            "unanimous_and_key",
            "kept if all raters give the value of the item's key field; a skip counts as disagreement",
            _unanimous,
            needs_key=True,
        ),
        KeepRule("majority", "kept if more than half of the raters give the required value", _majority, in_groups=True),
        KeepRule(
            "all_of",
            "kept if all raters give every criterion its value in `values`, or if their answers meet all targets in"
            " `parts`",
            _unanimous,
            needs_values=True,
        ),
        KeepRule(
            "weighted",
            (
                "kept if the required value has more than half of the total weight; a vote's weight is "
                "the rater's qualification score at the time of the vote, or 1 if the rater has no score"
            ),
            _weighted,
            weighs=True,
            in_groups=True,
        ),
    )
}

SKIP_ACTS: Mapping[str, str] = {
    "retire": "the item is rejected immediately, with the reasons for the skips",
    "adjudicate": "a senior annotator settles the item without further votes",
}
"""The possible effects of reaching the limit of skips."""


ONE_RIGHT, ONE_ROUND = "one_right_answer", "one_round"
REFINEMENT_ENDS: Mapping[str, str] = {
    ONE_RIGHT: "people have checked every shown answer and decided that only the annotated answer is right; after "
    "an edit, people check all answers again",
    ONE_ROUND: "people have checked each answer once, with any decision; after an edit, people check only "
    "the answers that nobody has checked",
}
"""The conditions under which the refinement of an item ends."""


def criteria_that_decide(rule: KeepSpec) -> tuple[str, ...]:
    """Return the criteria that a keep rule uses."""
    if rule.parts:
        return tuple(part.criterion for part in rule.parts)
    return rule.criteria or ((rule.criterion,) if rule.criterion is not None else tuple(rule.values))


def targets(rule: KeepSpec) -> tuple[Target, ...]:
    """Return the target for each criterion that a keep rule uses. ``Target.of`` fills in the key."""
    within = rule.tolerances.get
    if rule.parts:
        return tuple(
            Target(part.criterion, part.value, part.key, part.at_least, part.at_most, within(part.criterion))
            for part in rule.parts
        )
    keyed = rule.key is not None or KEEP_RULES[rule.rule].needs_key
    return tuple(
        Target(name, None, rule.key or "", tolerance=within(name))
        if keyed
        else Target(name, rule.values.get(name, rule.value), tolerance=within(name))
        for name in criteria_that_decide(rule)
    )


def is_skip(vote: Vote, criteria: Sequence[str]) -> bool:
    """Whether a vote skips one of these criteria. An answer that was not requested or was left out is no skip."""
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
    """Return the state of an item from the ``votes`` on one revision.

    The votes decide once all ``raters`` have voted, or as soon as enough votes are skips (``skips``). With several
    criteria, every criterion must come to "keep"; agreement on another value in any of them rejects the item. If the
    votes split, the item goes to adjudication if the schema has it, and is rejected otherwise. ``words`` holds the
    labels of the reasons for skips.
    """
    row = KEEP_RULES.get(rule.rule)
    if row is None:
        raise NotAvailableError(f"The keep rule {rule.rule!r} is not available. Choose another rule in the schema.")
    criteria = criteria_that_decide(rule)
    skipped = [vote for vote in votes if is_skip(vote, criteria)]
    if skips is not None and len(skipped) >= skips.after:
        return _after_skips(skips, skipped, len(votes), criteria, words or {})
    if len(votes) < raters:
        return Verdict(ItemState.IN_VERIFICATION, f"Votes so far: {len(votes)} of {raters}.")
    outcomes: dict[str, list[str]] = {"keep": [], "drop": [], "split": []}
    for target in targets(rule):
        cast = [(vote.values.get(target.criterion), weighed(vote.weight)) for vote in votes]
        label = f"{target.criterion} (wanted: {target.in_words()})" if rule.parts else target.criterion
        outcomes[row.outcome(cast, target.of(item_fields))].append(label)
    dropped, split = outcomes["drop"], outcomes["split"]
    if dropped:
        return Verdict(
            ItemState.REJECTED, f"For {', '.join(dropped)}, the votes agree on a value that does not keep the item."
        )
    if split and adjudication:
        return Verdict(
            ItemState.IN_ADJUDICATION, f"The votes differ on {', '.join(split)}, so a senior annotator decides."
        )
    if split:
        return Verdict(ItemState.REJECTED, f"The votes differ on {', '.join(split)}, so the item is rejected.")
    return Verdict(ItemState.KEPT, f"The item has all votes, and the votes satisfy the rule {rule.rule}.")


def _after_skips(
    skips: SkipsSpec, skipped: Sequence[Vote], n_votes: int, criteria: Sequence[str], words: Mapping[Any, str]
) -> Verdict:
    reasons = Counter(
        words.get(reason, str(reason))
        for vote in skipped
        for name in criteria
        if vote.values.get(name) is None and (reason := vote.reasons.get(name)) is not None
    )
    reasons_given = ", ".join(f"{reason} ({n})" for reason, n in sorted(reasons.items()))
    who = f"{len(skipped)} of {n_votes} {'vote' if n_votes == 1 else 'votes'} skipped the item: {reasons_given}."
    if skips.then == "adjudicate":
        return Verdict(ItemState.IN_ADJUDICATION, f"{who} A senior annotator decides.")
    return Verdict(ItemState.REJECTED, f"{who} Therefore, the item is rejected.")


def is_unanimous(rule: KeepSpec, votes: Sequence[Vote], *, item_fields: Mapping[str, Any], wanted: bool) -> bool:
    """Whether all votes agree in every deciding criterion without skips. With ``wanted``, the value must also keep the
    item.
    """
    for target in targets(rule):
        values, target = [vote.values.get(target.criterion) for vote in votes], target.of(item_fields)
        agreed = bool(values) and all(map(target.met_by, values))
        if not wanted and not agreed:
            agreed = None not in values and all(target.alike(one, other) for one, other in combinations(values, 2))
        if not agreed:
            return False
    return True


def contest(rule: KeepSpec, votes: Sequence[Vote], *, item_fields: Mapping[str, Any]) -> float:
    """Return how contested an item is, from 0 to 1: the share of differing pairs of votes, averaged over the criteria.

    A skip agrees with no vote, not even with another skip. A single vote gives 0.
    """
    pairs = list(combinations(votes, 2))
    wanted = [target.of(item_fields) for target in targets(rule)]
    if not pairs or not wanted:
        return 0.0
    differing = sum(
        not target.alike(one.values.get(target.criterion), other.values.get(target.criterion))
        for one, other in pairs
        for target in wanted
    )
    return differing / (len(pairs) * len(wanted))


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
    """Return the state of an item.

    The state follows from the votes on its current revision, the senior's decision and the policy alone. ``rule``
    None means that the schema has no verification. ``decision`` is a senior's decision about the current revision.
    """
    if decision == "accept":
        return Verdict(ItemState.KEPT, "A senior annotator accepted the item.")
    if decision == "reject":
        return Verdict(ItemState.REJECTED, "A senior annotator rejected the item.")
    if rule is None:
        return Verdict(ItemState.UNVERIFIED, "The schema has no verification stage.")
    return verdict(
        rule, votes, raters=raters, item_fields=item_fields, adjudication=adjudication, skips=skips, words=words
    )


@dataclass(frozen=True, kw_only=True)
class Round:
    """One verification stage, with the votes and the decision that an item got in it."""

    stage: Stage
    title: str
    keep: KeepSpec
    raters: int
    adjudication: bool
    skips: SkipsSpec | None
    words: Mapping[Any, str]
    votes: Sequence[Vote]
    decision: str | None
    """A senior's decision about the votes of this stage."""


def state_after(rounds: Sequence[Round], *, item_fields: Mapping[str, Any]) -> Verdict:
    """Return the state of an item that goes through several verification stages in order.

    The first stage that rejects the item decides, and the last stage keeps it. While an earlier stage is open again,
    votes of later stages wait.
    """
    if not rounds:
        return Verdict(ItemState.UNVERIFIED, "The schema has no verification stage.")
    several, came = len(rounds) > 1, ""
    for number, voting_round in enumerate(rounds, 1):
        verdict = item_state(
            voting_round.keep,
            voting_round.votes,
            raters=voting_round.raters,
            item_fields=item_fields,
            adjudication=voting_round.adjudication,
            decision=voting_round.decision,
            skips=voting_round.skips,
            words=voting_round.words,
        )
        if verdict.state is ItemState.KEPT and number < len(rounds):
            came = f"{voting_round.title}: {verdict.why} "
            continue
        state = VOTED_ON[voting_round.stage] if verdict.state is ItemState.IN_VERIFICATION else verdict.state
        why = f"{voting_round.title}: {verdict.why}" if several else verdict.why
        begins = verdict.state is ItemState.IN_VERIFICATION and not voting_round.votes
        return replace(verdict, state=state, why=f"{came}{why}" if begins else why, stage=voting_round.stage)
    raise AssertionError("the last stage decides")
