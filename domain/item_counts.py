"""Define every count of a project's items: its meaning, its computation, and the items that it lists.

Pages, commands and releases take their numbers from here, so that one word means one number everywhere.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from domain.item_filter import ItemFilter, Range
from domain.language import marked
from domain.states import UNSETTLED, VOTED_ON, ItemState


@dataclass(frozen=True)
class ItemCounts:
    """The counts of a dimension, of a project, or of several projects.

    >>> colors = ItemCounts.of_dimension({ItemState.KEPT: 5, ItemState.REJECTED: 2}, wanted=10, in_progress=1)
    >>> colors.written, colors.left, colors.to_begin
    (7, 5, 4)
    """

    states: Mapping[ItemState, int]
    """The number of items in each state. Every item is in exactly one."""
    wanted: int | None = None
    """The number of items wanted; None means that the schema sets no number, so no item is left to write."""
    in_progress: int = 0
    """Items that authors have started and not submitted."""
    left: int = 0
    """Items left to write: those wanted, less the written ones that are not rejected, and never below zero."""
    hidden: int = 0
    """Items that the lists of one reader leave out. The other counts include them."""
    without_media: int = 0
    """Items with a missing image or clip. The other counts include them."""

    @classmethod
    def of_dimension(
        cls,
        states: Mapping[ItemState, int],
        *,
        wanted: int | None = None,
        in_progress: int = 0,
        without_media: int = 0,
    ) -> ItemCounts:
        """Return the counts of one dimension."""
        counts = cls(states, wanted, in_progress)
        left = 0 if wanted is None else max(wanted - (counts.written - counts.rejected), 0)
        return cls(states, wanted, in_progress, left, without_media=without_media)

    @classmethod
    def total(cls, parts: Iterable[ItemCounts]) -> ItemCounts:
        """Return the sum of the counts of several dimensions. Extra items of one dimension do not fill another."""
        every = list(parts)
        states: Counter[ItemState] = Counter()
        for counts in every:
            states.update(counts.states)
        wanted = [counts.wanted for counts in every if counts.wanted is not None]
        return cls(
            states,
            sum(wanted) if wanted else None,
            sum(counts.in_progress for counts in every),
            sum(counts.left for counts in every),
            sum(counts.hidden for counts in every),
            sum(counts.without_media for counts in every),
        )

    def in_state(self, *states: ItemState) -> int:
        """Return the number of items in any of these states."""
        return sum(self.states.get(state, 0) for state in states)

    @property
    def written(self) -> int:
        """The number of all items, including rejected ones."""
        return sum(self.states.values())

    @property
    def kept(self) -> int:
        """The number of items that verification kept."""
        return self.in_state(ItemState.KEPT)

    @property
    def rejected(self) -> int:
        """The number of items that verification rejected."""
        return self.in_state(ItemState.REJECTED)

    @property
    def to_begin(self) -> int:
        """The number of items left to write in one dimension that no author has started."""
        return max(self.left - self.in_progress, 0)


@dataclass(frozen=True)
class CountDefinition:
    """A count, its words and its items."""

    label: str
    """The words after the number."""
    about: str
    """The meaning of the number, in one sentence."""
    of: Callable[[ItemCounts], int] | None = None
    """Computes the number. None: it depends on the reader or on votes, so a query counts it."""
    items: ItemFilter | None = None
    """The filter of the page Items that lists exactly these items. None: the page Items does not list them."""

    def number(self, counts: ItemCounts) -> int:
        """Return the number of a count that follows from the states of items."""
        if self.of is None:
            raise ValueError(f"{self.label} needs a query")
        return self.of(counts)


def of_states(label: str, about: str, *states: ItemState) -> CountDefinition:
    """Return the count of the items in any of these states."""
    return CountDefinition(label, about, lambda counts: counts.in_state(*states), ItemFilter(state=states))


_OF_STATES: Mapping[ItemState, str] = {
    ItemState.KEPT: "Items that verification or a senior accepted. Releases contain only these items.",
    ItemState.REJECTED: "Items that verification or a senior rejected. Releases do not contain these items.",
    ItemState.IN_ADJUDICATION: "Items on which the votes differ. A senior must settle these items.",
    ItemState.UNVERIFIED: "Items without a verdict, because the schema has no verification.",
    **dict.fromkeys(VOTED_ON.values(), "Items that still need votes."),
}

STATE_COUNTS: Mapping[ItemState, CountDefinition] = MappingProxyType(
    {state: of_states(state.label, about, state) for state, about in _OF_STATES.items()}
)
"""The count of each state. A stage of verification may have a title of its own."""

COUNTS: Mapping[str, CountDefinition] = MappingProxyType(
    {
        "written": CountDefinition(
            "written",
            "All items of the project in any state, including rejected items.",
            lambda counts: counts.written,
            ItemFilter(),
        ),
        "kept": STATE_COUNTS[ItemState.KEPT],
        "rejected": STATE_COUNTS[ItemState.REJECTED],
        "in_verification": of_states("in verification", "Items that still need votes.", *VOTED_ON.values()),
        "in_adjudication": STATE_COUNTS[ItemState.IN_ADJUDICATION],
        "open": of_states(
            "without a verdict", "Items that are not kept or rejected yet.", *UNSETTLED, ItemState.UNVERIFIED
        ),
        "wanted": CountDefinition(
            "wanted", "The number of items that the schema asks for.", lambda counts: counts.wanted or 0
        ),
        "left": CountDefinition(
            "left to write",
            "The number of wanted items minus the number of written items that are not rejected.",
            lambda counts: counts.left,
        ),
        "in_progress": CountDefinition(
            "in progress",
            (
                "Items that an author has started but not submitted. If the schema asks for a number of "
                "items, the count “left to write” includes started items."
            ),
            lambda counts: counts.in_progress,
        ),
        "hidden": CountDefinition(
            "hidden from you",
            "Items that you may be asked to vote on without knowing other votes. Your lists and searches hide these "
            "items until everyone has voted. Counts of the whole project include these items.",
            lambda counts: counts.hidden,
        ),
        "without_media": CountDefinition(
            "with missing media",
            "Items with a missing image or clip. Nobody gets an item before its required files are imported.",
            lambda counts: counts.without_media,
            ItemFilter(missing=True),
        ),
        "unopened": CountDefinition(
            "not opened",
            (
                "Items that you may be asked to review without knowing other answers. The Cases page "
                "shows the other answers only after you open the case. You are not asked to review an "
                "opened case."
            ),
        ),
        "votes": CountDefinition(
            "votes",
            "The newest verification vote of each person on the current revision of an item.",
            items=ItemFilter(votes=Range(low=1)),
        ),
        "waiting": CountDefinition(marked("waiting"), marked("Tasks of a stage that you can do now.")),
        "done": CountDefinition(marked("done by you"), marked("Tasks of a stage that you have submitted.")),
        "submissions": CountDefinition(
            "submissions",
            "First submissions of tasks, in all stages. Corrections and qualification tests do not count.",
        ),
    }
)
"""All counts by name. Votes are no items: their filter lists the items that have any."""
