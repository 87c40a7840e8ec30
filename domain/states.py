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
    """Votes on what the verification before it has kept."""
    VERIFICATION_3 = "verification_3"
    ADJUDICATION = "adjudication"
    REFINEMENT = "refinement"
    ANSWERING = "answering"
    GRADING = "grading"
    COMPARISON = "comparison"
    """Saying which of two models' answers to an item is better."""
    CODING = "coding"
    ARBITRATION = "arbitration"
    """Settling what is wrong with an answer about which those who coded it differ."""


VERIFICATIONS = (Stage.VERIFICATION, Stage.VERIFICATION_2, Stage.VERIFICATION_3)
"""The stages in which people vote on items, in the order in which an item goes through those that a schema has."""

BLIND = frozenset({*VERIFICATIONS, Stage.ANSWERING, Stage.GRADING, Stage.COMPARISON, Stage.CODING, Stage.ARBITRATION})
"""Stages whose raters must not learn what others said, nor what became of an item: a verdict tells both."""

ONLY_HERE = frozenset({Stage.TRIAGE, Stage.ANSWERING, Stage.COMPARISON, *VERIFICATIONS[1:]})
"""Stages that only our own pages ask: their work does not go out to Label Studio."""


class Purpose(StrEnum):
    """What a submission is for. Only ``LIVE`` ones count in verdicts, ratings, agreement and releases."""

    LIVE = "live"
    QUALIFICATION = "qualification"
    """Shows whether a person may enter a stage."""
    GOLD = "gold"
    """An item whose answer is known, mixed into live work; its page is that of a live one."""
    ASKED_AGAIN = "asked_again"
    """What someone submitted before the schema changed in such a way that it is asked again: kept, and counted no
    more. No task has this purpose."""


class TaskState(StrEnum):
    """Where one slot of work stands. An ``OPEN`` task waits; ``WITHDRAWN`` ones are no longer wanted."""

    OPEN = "open"
    CLAIMED = "claimed"
    DONE = "done"
    WITHDRAWN = "withdrawn"


class TriageState(StrEnum):
    """What has become of a candidate image."""

    WAITING = "waiting"
    KEPT = "kept"
    DROPPED = "dropped"


class ItemState(StrEnum):
    """What the policy makes of an item's votes so far (a cache: it can be recomputed from the votes)."""

    label: str
    """As pages call it."""

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
"""The state of an item whose votes in a stage are not all in."""

UNSETTLED = (*VOTED_ON.values(), ItemState.IN_ADJUDICATION)
"""States in which someone still has to look at the item."""


class RatersAre(StrEnum):
    """Who the raters of an imported file are."""

    PEOPLE = "people"
    MACHINES = "machines"


class Cut(StrEnum):
    """How ratings are cut into sets, each of which is measured by itself."""

    WHOLE = "whole"
    """One set of all."""
    DIMENSION = "dimension"
    """One for each dimension."""
    GROUP = "group"
    """One for each group of dimensions."""


class Items(StrEnum):
    """Which items count where something is scored."""

    KEPT = "kept"
    """Those that verification has kept."""
    ALL = "all"
