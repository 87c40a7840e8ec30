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
    """Votes on the items that the previous round of verification kept."""
    VERIFICATION_3 = "verification_3"
    VERIFICATION_4 = "verification_4"
    VERIFICATION_5 = "verification_5"
    VERIFICATION_6 = "verification_6"
    VERIFICATION_7 = "verification_7"
    VERIFICATION_8 = "verification_8"
    VERIFICATION_9 = "verification_9"
    ADJUDICATION = "adjudication"
    REFINEMENT = "refinement"
    ANSWERING = "answering"
    GRADING = "grading"
    COMPARISON = "comparison"
    """Choosing the better of two models' answers to an item."""
    CODING = "coding"
    ARBITRATION = "arbitration"
    """Settling the codes of an answer if its coders disagree."""


VERIFICATIONS = tuple(stage for stage in Stage if stage.startswith(Stage.VERIFICATION))
"""The rounds of verification, in which people vote on items, in order. A schema has as many of them as it names."""

BLIND = frozenset({*VERIFICATIONS, Stage.ANSWERING, Stage.GRADING, Stage.COMPARISON, Stage.CODING, Stage.ARBITRATION})
"""Stages whose raters must not learn other people's answers or the item's state, because a verdict reveals both."""

ONLY_HERE = frozenset({Stage.TRIAGE, Stage.ANSWERING, Stage.COMPARISON, *VERIFICATIONS[1:]})
"""Stages that only our own pages support, so that their tasks are not sent to Label Studio."""


WITHOUT_TASKS = frozenset({Stage.TRIAGE})
"""Stages whose work is no task of an item: the extension that has the stage hands it out and counts it."""


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
    IN_VERIFICATION_4 = "in_verification_4", "in verification 4"
    IN_VERIFICATION_5 = "in_verification_5", "in verification 5"
    IN_VERIFICATION_6 = "in_verification_6", "in verification 6"
    IN_VERIFICATION_7 = "in_verification_7", "in verification 7"
    IN_VERIFICATION_8 = "in_verification_8", "in verification 8"
    IN_VERIFICATION_9 = "in_verification_9", "in verification 9"
    IN_ADJUDICATION = "in_adjudication", "in adjudication"
    KEPT = "kept", "kept"
    REJECTED = "rejected", "rejected"
    UNVERIFIED = "unverified", "without a verdict"
    """The schema has no verification stage, so no verdict can be reached."""


VOTED_ON: Mapping[Stage, ItemState] = {stage: ItemState(f"in_{stage}") for stage in VERIFICATIONS}
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
