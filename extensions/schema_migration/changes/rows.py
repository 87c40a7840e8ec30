"""The kinds of changes that a schema can go through, and the ways to decide about them: a row for each."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Status(StrEnum):
    """The effect of a change on a project that takes the new schema."""

    COMPATIBLE = "compatible"
    DECISION = "compatible with a decision"
    INCOMPATIBLE = "incompatible"


@dataclass(frozen=True)
class DecisionKind:
    """One way to decide about a change: a row of ``WAYS``."""

    name: str
    """The stored name; with dashes for underscores, the option of a command."""
    takes: str
    """The value of the option, as help shows it: ``CRITERION:OPTION=OTHER``."""
    meaning: str
    """The consequence, in half a sentence."""

    @staticmethod
    def row_called(name: str) -> DecisionKind:
        """Return the row itself for ``typed_json``: rows are compared by ``is``."""
        return way_called(name)

    @property
    def option(self) -> str:
        """The option of a command: ``--ask-again``."""
        return f"--{self.name.replace('_', '-')}"

    @property
    def has_target(self) -> bool:
        """Whether the decision needs a target in addition to its subject."""
        return "=" in self.takes

    @property
    def renames(self) -> bool:
        """Whether it says that something that is gone and something that is new are the same."""
        return self.name.startswith("rename_")


RENAME_DIMENSION = DecisionKind("rename_dimension", "OLD=NEW", "it is the same dimension under another id")
RENAME_ASSET = DecisionKind("rename_asset", "OLD=NEW", "it is the same image or clip under another role")
RENAME_FIELD = DecisionKind("rename_field", "OLD=NEW", "it is the same field under another name, and keeps its values")
RENAME_CRITERION = DecisionKind(
    "rename_criterion", "OLD=NEW", "it is the same criterion under another name, and keeps its votes"
)
RENAME_OPTION = DecisionKind(
    "rename_option", "CRITERION:OLD=NEW", "it is the same option (of a criterion or field) under another value"
)
MOVE_ITEMS = DecisionKind("move_items", "DIMENSION=OTHER", "its items go to another dimension")
MAP = DecisionKind(
    "map", "CRITERION:OPTION=OTHER", "what held it (a vote, or the field of an item) counts as another option"
)
ASK_AGAIN = DecisionKind(
    "ask_again", "CRITERION[:OPTION]", "those votes no longer count, and their items are voted on again"
)
ASK_OLD_ITEMS = DecisionKind("ask_old_items", "CRITERION", "items with votes are asked about it as well")
NEW_VOTES_ONLY = DecisionKind("new_votes_only", "CRITERION", "existing votes stay; only new votes include it")
RECOMPUTE = DecisionKind("recompute", "STAGE", "existing votes are counted again; items with a new result are listed")
MORE_VOTES = DecisionKind("more_votes", "STAGE", "decided items with fewer votes are open again until they have them")
SEND_ON = DecisionKind("send_on", "STAGE", "kept items go to this stage, which decides about them")
FILL = DecisionKind("fill", "FIELD=VALUE", "items without it get this value")
RETIRE = DecisionKind("retire", "NAME", "it is no longer asked or shown; stored values stay with their version")
LEAVE = DecisionKind("leave", "NAME", "stored values stay, even if they no longer fit")

WAYS = {
    row.name: row
    for row in (
        RENAME_DIMENSION,
        RENAME_ASSET,
        RENAME_FIELD,
        RENAME_CRITERION,
        RENAME_OPTION,
        MOVE_ITEMS,
        MAP,
        ASK_AGAIN,
        ASK_OLD_ITEMS,
        NEW_VOTES_ONLY,
        RECOMPUTE,
        MORE_VOTES,
        SEND_ON,
        FILL,
        RETIRE,
        LEAVE,
    )
}
"""The ways by their names, in the order in which they are listed."""


def way_called(name: str) -> DecisionKind:
    """The row of ``WAYS`` of this name."""
    return WAYS[name]


@dataclass(frozen=True)
class ChangeKind:
    """One kind of change: a row of ``CHANGE_KINDS``."""

    name: str
    status: Status
    meaning: str
    """The change and its effect on a project, as a sentence. For an incompatible change, also the alternative."""
    decisions: tuple[DecisionKind, ...] = ()
    """The possible decisions, one of which must be chosen."""
    whatever_use: bool = False
    """It does not become compatible where nothing is stored that hangs on it."""

    @staticmethod
    def row_called(name: str) -> ChangeKind:
        """Return the row itself for ``typed_json``."""
        return kind_called(name)


def _fits(name: str, meaning: str) -> ChangeKind:
    return ChangeKind(name, Status.COMPATIBLE, meaning)


def _asks(name: str, meaning: str, *decisions: DecisionKind) -> ChangeKind:
    return ChangeKind(name, Status.DECISION, meaning, decisions)


def _refused(name: str, meaning: str, *decisions: DecisionKind, whatever_use: bool = False) -> ChangeKind:
    return ChangeKind(name, Status.INCOMPATIBLE, meaning, decisions, whatever_use)


# ---- compatible -----------------------------------------------------------------------------------------------------

VERSION = _fits("version", "Another version of the schema.")
WORDS = _fits("words", "A text that people read. Its meaning is the same.")
WORDING = _fits(
    "wording",
    "How texts are to be written from now on; items that are in stay, and are listed by `touchstone wording check`.",
)
GUIDELINE = _fits("guideline", "Instructions for people. Votes keep their guideline.")
ORDER_OF_ENTRIES = _fits("order_of_entries", "The same entries in another order.")
ADDED_DIMENSION = _fits("added_dimension", "A dimension without items yet.")
TARGET = _fits("target", "How many items are wanted; nothing that is stored changes.")
ADDED_ASSET = _fits("added_asset", "A place for images or clips that items may leave empty.")
ADDED_FIELD = _fits("added_field", "A field that items may leave empty.")
WIDER_ITEM = _fits("wider_item", "Items may have more values than before.")
FIELD_KIND_FITS = _fits("field_kind_fits", "The field has another kind, which takes every value of the one before.")
ADDED_OPTION = _fits("added_option", "One more answer. Existing votes stay.")
ADDED_REASON = _fits("added_reason", "One more reason to choose from.")
REMOVED_REASON = _fits("removed_reason", "A reason less; votes that gave it keep it as a typed one.")
CRITERION_KIND_FITS = _fits(
    "criterion_kind_fits", "The criterion has another kind, which takes every answer of before."
)
WIDER_CRITERION = _fits("wider_criterion", "The criterion accepts more values than before.")
ASKED_LESS = _fits(
    "asked_less", "It is asked about the same or fewer items, or need not be answered; answers that are in stay."
)
PLAN_RULES = _fits("plan_rules", "Conditions of plan steps. Existing votes stay.")
SHOWN = _fits("shown", "Content next to the questions. Votes keep their version.")
HANDING_OUT = _fits("handing_out", "The distribution of future work. Finished work stays.")
GATES = _fits("gates", "Who may work or settle from now on; who was let in stays in, and settled items stay settled.")
WHICH_WORK = _fits("which_work", "The choice of future work. Finished work stays.")
ADDED_STAGE = _fits("added_stage", "A further step; it begins without work.")
FIGURES = _fits("figures", "The computation of numbers. They are computed again when shown.")
READING = _fits("reading", "The reading of models' answers. Results are read again.")
IMPORTS = _fits("imports", "How files are read from now on; items that are in stay.")
EXPORTS = _fits("exports", "How files are written from now on; releases that were made stay.")
FLOORS_RAISED = _fits("floors_raised", "Raters have to agree further before a release; releases that were made stay.")
FLOORS_LOWERED = _fits(
    "floors_lowered",
    "Raters have to agree less far before a release; each release says that it was changed, and after how many votes.",
)
SHORTCUTS_STRICTER = _fits(
    "shortcuts_stricter", "Fewer shortcuts may be left in a release; releases that were made stay."
)
SHORTCUTS_LOOSER = _fits("shortcuts_looser", "More shortcuts may be left in a release; releases that were made stay.")
SHORTCUTS_OTHERWISE = _fits(
    "shortcuts_otherwise", "Other limits for shortcuts hold from the next release on; releases that were made stay."
)
JUDGES = _fits("judges", "Judges and their input. Earlier runs keep their input.")
MODELS = _fits("models", "The questions to models. Earlier runs keep their questions.")

# ---- compatible with a decision -------------------------------------------------------------------------------------

RENAMED = _asks("renamed", "The same under another name, as was decided.")
REMOVED_DIMENSION = _asks(
    "removed_dimension", "Items of this dimension would belong to none.", RENAME_DIMENSION, MOVE_ITEMS
)
ASSET_LIMITS = _asks(
    "asset_limits",
    "Items may have more images or clips than fit, or fewer than are needed: no one is asked about these until they"
    " have them.",
    LEAVE,
)
REMOVED_FIELD = _asks("removed_field", "Items hold values in this field.", RENAME_FIELD, RETIRE)
FIELD_NEEDED = _asks("field_needed", "Items without a value in this field no longer fit.", FILL, LEAVE)
FIELD_LIMITS = _asks("field_limits", "Values of items may be outside the new limits.", LEAVE)
REMOVED_VALUE = _asks("removed_value", "Items may hold a value that is no longer listed.", MAP, RENAME_OPTION, LEAVE)
UNIT_OF_FIELD = _asks("unit_of_field", "The numbers that are stored would be in another unit.", LEAVE)
ADDED_CRITERION = _asks("added_criterion", "Votes that are in say nothing about it.", NEW_VOTES_ONLY, ASK_OLD_ITEMS)
REMOVED_CRITERION = _asks("removed_criterion", "Votes that are in answer it.", RENAME_CRITERION, RETIRE)
ASKED_MORE = _asks(
    "asked_more", "It is asked in more cases, or is required. Existing votes lack it.",
    NEW_VOTES_ONLY, ASK_OLD_ITEMS,
)  # fmt: skip
REMOVED_OPTION = _asks(
    "removed_option", "Votes may give an answer that is no longer offered.", MAP, RENAME_OPTION, ASK_AGAIN
)
CRITERION_LIMITS = _asks("criterion_limits", "Answers may be outside the new limits.", LEAVE, ASK_AGAIN)
UNIT = _asks("unit", "The numbers that were typed would be in another unit.", LEAVE, ASK_AGAIN)
REMOVED_SKIP = _asks("removed_skip", "Votes may skip what can no longer be skipped.", LEAVE, ASK_AGAIN)
RATERS_RAISED = _asks("raters_raised", "Decided items have fewer votes than are now asked for.", MORE_VOTES, LEAVE)
RATERS_LOWERED = _asks(
    "raters_lowered", "Items that wait for further votes may be decided by those that are in.", RECOMPUTE
)
KEEP_RULE = _asks("keep_rule", "The votes may come to other verdicts.", RECOMPUTE)
SKIPS = _asks("skips", "Skips act differently, so verdicts may change.", RECOMPUTE)
SETTLING = _asks("settling", "Who settles disagreements. Open items may get other results.", RECOMPUTE)
REFINEMENT_END = _asks("refinement_end", "Items may be refined that were not, or the other way round.", RECOMPUTE)
ADDED_VERIFICATION = _asks("added_verification", "Items that are in have no votes.", ASK_OLD_ITEMS)
ADDED_ROUND = _asks("added_round", "Items that are kept so far were not voted on in this stage.", SEND_ON, LEAVE)

# ---- incompatible ---------------------------------------------------------------------------------------------------

_ELSE = "Keep it, or start a new project with the transferable parts (`touchstone project clone`)."

OTHER_SCHEMA = _refused(
    "other_schema",
    "The name identifies the benchmark. Keep the name; for another benchmark begin a new project.",
    whatever_use=True,
)
SAME_VERSION = _refused(
    "same_version",
    "Votes keep the version they were given under, so no two schemas may have the same. Raise `version`.",
    whatever_use=True,
)
REMOVED_ASSET = _refused(
    "removed_asset",
    "Items have images or clips in this place, which would belong to nothing. Leave it, with `min: 0` where new items"
    " need none; where it only has another name, say so.",
    RENAME_ASSET,
)
ASSET_KIND = _refused(
    "asset_kind", "An image is no clip. Leave it, and add a place with another role for the other kind."
)
FIELD_KIND = _refused(
    "field_kind",
    "Values of items do not fit the new kind. Give the new field another name: the old one is then retired.",
)
TAKEN_FROM = _refused(
    "taken_from",
    "Its answers or values are entries, passages or places of something else, and say nothing about another. Give the"
    " new one another name: the old one is then retired.",
)
KEY_FIELD = _refused(
    "key_field", f"Votes and answers were held against the field that was the key, and not against another. {_ELSE}"
)
CRITERION_KIND = _refused(
    "criterion_kind",
    "Answers to it do not fit the new kind. Give the new criterion another name: the old one is then retired.",
)
REMOVED_STAGE = _refused(
    "removed_stage",
    f"Work was done in this step, which would belong to none. {_ELSE}",
)
GRADING_SAMPLE = _refused(
    "grading_sample",
    f"The graded answers were chosen before grading, so that results cannot influence the choice. {_ELSE}",
)

CHANGE_KINDS = {row.name: row for row in list(vars().values()) if isinstance(row, ChangeKind)}
"""The rows by name: compatible changes first, then those that need a decision, then incompatible ones."""


def kind_called(name: str) -> ChangeKind:
    """The row of ``CHANGE_KINDS`` of this name."""
    return CHANGE_KINDS[name]
