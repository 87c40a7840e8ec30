"""The one rule that decides which items count, for everything that rates, judges or scores.

As soon as a project has verdicts, its kept items count. Rejected items are no part of the benchmark, and unsettled
items are not part of it yet. A caller can ask for all items instead. Every number is shown with the number of
items left out, so that readers know its basis.

Agreement about verification votes is different: it covers every item with votes, because leaving out disputed items
would inflate agreement.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from db import items
from db.engine import Session, Store
from domain.english import with_noun
from domain.errors import InvalidInputError, Problem
from domain.item_counts import COUNTS, ItemCounts
from domain.records import Person
from domain.states import VERIFICATIONS, Items, ItemState, Stage
from workflow.access.item_counts import count_project
from workflow.access.projects import Access, require_lead

VERDICTS = (ItemState.KEPT, ItemState.REJECTED)


@dataclass(frozen=True)
class CountedItems:
    """The items of a project that count, in numbers and words."""

    which: Items
    by_state: Mapping[ItemState, int]
    """Number of the project's items in each state."""
    why_all: str = ""
    """Why all items count although nobody asked for all."""
    sample: str = ""
    """Sentence on the planned sample of people's grades, where the schema plans one."""

    @property
    def kept(self) -> int:
        """Number of kept items."""
        return ItemCounts(self.by_state).kept

    @property
    def rejected(self) -> int:
        """Number of rejected items."""
        return ItemCounts(self.by_state).rejected

    @property
    def open(self) -> int:
        """Number of items without a verdict."""
        return COUNTS["open"].number(ItemCounts(self.by_state))

    @property
    def verdicts(self) -> bool:
        """Whether the project has any verdict, so that callers can choose."""
        return bool(self.kept or self.rejected)

    @property
    def whole_sentence(self) -> str:
        """``sentence``, followed by ``sample``."""
        return " ".join(part for part in (self.sentence, self.sample) if part)

    @property
    def sentence(self) -> str:
        """Counted items in words, to show next to a number.

        >>> states = {ItemState.KEPT: 412, ItemState.REJECTED: 88, ItemState.IN_VERIFICATION: 12}
        >>> CountedItems(Items.KEPT, states).sentence
        '412 kept items; 88 rejected, 12 open left out.'
        >>> CountedItems(Items.ALL, states).sentence
        'All 512 items: 412 kept, 88 rejected, 12 open.'
        >>> CountedItems(Items.ALL, {ItemState.UNVERIFIED: 30}, "the schema has no verification").sentence
        'All 30 items: the schema has no verification.'
        """
        every = sum(self.by_state.values())
        rest = [f"{n:,} {word}" for n, word in ((self.rejected, "rejected"), (self.open, "open")) if n]
        if self.which is Items.KEPT:
            left = f"; {', '.join(rest)} left out" if rest else ", none left out"
            return f"{with_noun(self.kept, 'kept item')}{left}."
        what = "The only item" if every == 1 else f"All {every:,} items"
        if self.why_all:
            return f"{what}: {self.why_all}."
        return f"{what}: {', '.join([f'{self.kept:,} kept', *rest])}."


@dataclass(frozen=True)
class Counting(CountedItems):
    """The items of a project that count, with their ids."""

    ids: frozenset[int] | None = None
    """Ids of the items that count; None means every item."""

    def counts(self, item_id: int | None) -> bool:
        """Return whether an item counts."""
        return self.ids is None or item_id in self.ids


def counting(
    session: Session, *, access: Access, items_: Items | str | None = None, stage: Stage = Stage.GRADING
) -> Counting:
    """Return which items of a project count in figures from a stage's ratings.

    Parameters
    ----------
    items_
        The caller's choice. None means kept items once there are verdicts, and all items before; for votes of
        verification, None means all items.
    stage
        The stage whose ratings are counted.

    Raises
    ------
    InvalidInputError
        The caller asks for kept items, but no item has a verdict.
    """
    counted = _counted(session, access, items_, stage)
    kept = None
    if counted.which is Items.KEPT:
        kept = frozenset(items.in_state(session, project_id=access.project_id, state=ItemState.KEPT))
    return Counting(counted.which, counted.by_state, counted.why_all, ids=kept)


def _counted(session: Session, access: Access, items_: Items | str | None, stage: Stage) -> CountedItems:
    by_state = count_project(session, access=access).states
    verdicts = any(by_state.get(state) for state in VERDICTS)
    without = (
        "the schema has no verification stage"
        if access.schema.stages.verification is None
        else "no item has a verdict yet"
    )
    if items_ is not None and Items(items_) is Items.KEPT and not verdicts:
        message = f"{access.title} has no kept items: {without}. Choose all items."
        raise InvalidInputError([Problem("items", message)])
    if items_ is None and stage in VERIFICATIONS:
        return CountedItems(Items.ALL, by_state, "with or without a verdict")
    if items_ is None and not verdicts:
        return CountedItems(Items.ALL, by_state, without)
    if items_ is not None and Items(items_) is Items.ALL:
        return CountedItems(Items.ALL, by_state)
    return CountedItems(Items.KEPT, by_state)


def counting_of(
    store: Store,
    *,
    person: Person | None,
    project: str,
    items_: Items | str | None = None,
    stage: Stage = Stage.GRADING,
) -> CountedItems:
    """Return ``counting`` without item ids, for leads; fast enough for every page."""
    with store.read() as session:
        return _counted(session, require_lead(session, by=person, project=project), items_, stage)


def of_names(names: Iterable[tuple[int, str]], found: Counting) -> frozenset[str]:
    """Return the names, from (id, name) pairs, of the items that do not count."""
    return frozenset(name for id, name in names if not found.counts(id))
