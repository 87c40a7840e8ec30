"""The stages an item passes through, and the states it can be in."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum


class Stage(StrEnum):
    """A step of a protocol in which people work on items."""

    TRIAGE = "triage"
    AUTHORING = "authoring"
    VERIFICATION = "verification"
    VERIFICATION_2 = "verification_2"
    """Votes on the items that the previous verification stage kept."""
    VERIFICATION_3 = "verification_3"
    ADJUDICATION = "adjudication"
    REFINEMENT = "refinement"
    ANSWERING = "answering"
    GRADING = "grading"
    COMPARISON = "comparison"
    """Choosing the better of two models' answers to an item."""
    CODING = "coding"
    ARBITRATION = "arbitration"
    """Settling the codes of an answer if its coders disagree."""


VERIFICATIONS = (Stage.VERIFICATION, Stage.VERIFICATION_2, Stage.VERIFICATION_3)
"""The stages in which people vote on items, in order."""

BLIND = frozenset({*VERIFICATIONS, Stage.ANSWERING, Stage.GRADING, Stage.COMPARISON, Stage.CODING, Stage.ARBITRATION})
"""Stages whose raters must not learn other people's answers or the item's state, because a verdict reveals both."""

ONLY_HERE = frozenset({Stage.TRIAGE, Stage.ANSWERING, Stage.COMPARISON, *VERIFICATIONS[1:]})
"""Stages that only our own pages support, so that their tasks are not sent to Label Studio."""


class Purpose(StrEnum):
    """The purpose of a submission. Only ``LIVE`` ones count in verdicts, ratings, agreement and releases."""

    LIVE = "live"
    QUALIFICATION = "qualification"
    """A test of whether a person may enter a stage."""
    GOLD = "gold"
    """An item with a known answer, mixed into live work; its page looks the same."""
    ASKED_AGAIN = "asked_again"
    """A submission that no longer counts, because a schema change made the question necessary again. It is kept, and
    no task has this purpose.
    """


class TaskState(StrEnum):
    """The state of one slot of work. An ``OPEN`` task waits; ``WITHDRAWN`` ones are no longer needed."""

    OPEN = "open"
    CLAIMED = "claimed"
    DONE = "done"
    WITHDRAWN = "withdrawn"


class TriageState(StrEnum):
    """The state of a candidate image."""

    WAITING = "waiting"
    KEPT = "kept"
    DROPPED = "dropped"


class ItemState(StrEnum):
    """The state that the policy derives from an item's votes so far (a cache: it can be recomputed from the votes)."""

    label: str
    """The name on pages."""

    def __new__(cls, *row: str) -> ItemState:
        made = str.__new__(cls, row[0])
        made._value_, made.label = row
        return made

    IN_VERIFICATION = "in_verification", "in verification"
    IN_VERIFICATION_2 = "in_verification_2", "in verification 2"
    IN_VERIFICATION_3 = "in_verification_3", "in verification 3"
    IN_ADJUDICATION = "in_adjudication", "in adjudication"
    KEPT = "kept", "kept"
    REJECTED = "rejected", "rejected"
    UNVERIFIED = "unverified", "without a verdict"
    """The schema has no verification stage, so no verdict can be reached."""


VOTED_ON: Mapping[Stage, ItemState] = {
    Stage.VERIFICATION: ItemState.IN_VERIFICATION,
    Stage.VERIFICATION_2: ItemState.IN_VERIFICATION_2,
    Stage.VERIFICATION_3: ItemState.IN_VERIFICATION_3,
}
"""The state of an item whose votes in a stage are incomplete."""

UNSETTLED = (*VOTED_ON.values(), ItemState.IN_ADJUDICATION)
"""States in which an item still needs a person's decision."""


class RatersAre(StrEnum):
    """The type of the raters in an imported file."""

    PEOPLE = "people"
    MACHINES = "machines"


class Cut(StrEnum):
    """The division of ratings into sets that are measured separately."""

    WHOLE = "whole"
    """One set with all ratings."""
    DIMENSION = "dimension"
    """A set for each dimension."""
    GROUP = "group"
    """A set for each group of dimensions."""


class Items(StrEnum):
    """The choice of items that count in scores."""

    KEPT = "kept"
    """Items that verification kept."""
    ALL = "all"
