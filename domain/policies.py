"""What the votes on an item come to: pure rules, as rows of a registry that schemas name."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, Protocol

from domain.errors import NotAvailable
from domain.states import ItemState

LEASE = timedelta(minutes=30)
"""How long a task stays with somebody of whom nothing is heard."""


@dataclass(frozen=True)
class Vote:
    """What one rater answered on one revision of an item. A value of None is a skip."""

    rater: str
    values: Mapping[str, Any]
    reasons: Mapping[str, Any] = field(default_factory=dict)


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


Outcome = str
"""One of "keep", "drop" (agreed on something else), "split"."""


@dataclass(frozen=True)
class KeepRule:
    """A row of the registry."""

    name: str
    meaning: str
    outcome: Callable[[Sequence[Any], Any], Outcome] | None
    """The votes on one criterion and the value that keeps the item, to what they come to; None if not built yet."""
    needs_key: bool = False

    @property
    def available(self) -> bool:
        """Whether a stage with this rule can be started."""
        return self.outcome is not None


def same(left: Any, right: Any) -> bool:
    """Equal as JSON values: 1 is 1.0, but true is not 1."""
    return isinstance(left, bool) == isinstance(right, bool) and bool(left == right)


def _unanimous(values: Sequence[Any], wanted: Any) -> Outcome:
    first = values[0]
    if first is None or not all(same(value, first) for value in values):
        return "split"
    return "keep" if same(first, wanted) else "drop"


def _majority(values: Sequence[Any], wanted: Any) -> Outcome:
    for value in values:
        if value is not None and 2 * sum(same(value, other) for other in values) > len(values):
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
        KeepRule("weighted", "as majority, each vote weighted by its rater's qualification", None),
    )
}


def verdict(
    rule: KeepSpec, votes: Sequence[Vote], *, raters: int, item_fields: Mapping[str, Any], adjudication: bool
) -> Verdict:
    """What ``votes`` on one revision come to once all ``raters`` of them are in.

    With several criteria each must come to "keep"; agreement on another value in any of them rejects the item. What
    the votes leave open goes to adjudication if the schema has it, and is rejected otherwise.
    """
    if len(votes) < raters:
        return Verdict(ItemState.IN_VERIFICATION, f"{len(votes)} of {raters} votes are in.")
    row = KEEP_RULES.get(rule.rule)
    if row is None or row.outcome is None:
        raise NotAvailable(f"The keep rule {rule.rule!r} is not built yet; name one that is in the schema.")
    criteria = rule.criteria or ((rule.criterion,) if rule.criterion is not None else ())
    wanted = item_fields.get(rule.key) if row.needs_key and rule.key is not None else rule.value
    outcomes = {name: row.outcome([vote.values.get(name) for vote in votes], wanted) for name in criteria}
    dropped = [name for name, outcome in outcomes.items() if outcome == "drop"]
    split = [name for name, outcome in outcomes.items() if outcome == "split"]
    if dropped:
        return Verdict(ItemState.REJECTED, f"The votes agree on another value in {', '.join(dropped)}.")
    if split and adjudication:
        return Verdict(ItemState.IN_ADJUDICATION, f"The votes differ in {', '.join(split)}; a senior decides.")
    if split:
        return Verdict(ItemState.REJECTED, f"The votes differ in {', '.join(split)}, and what differs is dropped.")
    return Verdict(ItemState.KEPT, f"All {len(votes)} votes are in and satisfy the rule {rule.rule}.")


def item_state(
    rule: KeepSpec | None,
    votes: Sequence[Vote],
    *,
    raters: int,
    item_fields: Mapping[str, Any],
    adjudication: bool,
    decision: str | None = None,
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
    return verdict(rule, votes, raters=raters, item_fields=item_fields, adjudication=adjudication)
