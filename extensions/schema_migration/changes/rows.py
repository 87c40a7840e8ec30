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


RENAME_DIMENSION = DecisionKind("rename_dimension", "OLD=NEW", "same dimension with another ID")
RENAME_ASSET = DecisionKind("rename_asset", "OLD=NEW", "same image or clip with another role")
RENAME_FIELD = DecisionKind(
    "rename_field", "OLD=NEW", "same field with another name; items keep the values of the field"
)
RENAME_CRITERION = DecisionKind(
    "rename_criterion", "OLD=NEW", "same criterion with another name; Touchstone keeps existing votes"
)
RENAME_OPTION = DecisionKind(
    "rename_option", "CRITERION:OLD=NEW", "same option with another value, in a criterion or field"
)
MOVE_ITEMS = DecisionKind("move_items", "DIMENSION=OTHER", "move the items of this dimension to another dimension")
MAP = DecisionKind("map", "CRITERION:OPTION=OTHER", "votes and item fields with this option get another option")
ASK_AGAIN = DecisionKind(
    "ask_again", "CRITERION[:OPTION]", "these votes stop counting, and people vote on the same items again"
)
ASK_OLD_ITEMS = DecisionKind(
    "ask_old_items", "CRITERION", "people also answer this criterion for items that already have votes"
)
NEW_VOTES_ONLY = DecisionKind(
    "new_votes_only", "CRITERION", "existing votes stay, and only new votes answer this criterion"
)
RECOMPUTE = DecisionKind(
    "recompute", "STAGE", "Touchstone counts existing votes again and lists items with a new result"
)
MORE_VOTES = DecisionKind(
    "more_votes", "STAGE", "decided items with too few votes open again until each item has enough votes"
)
SEND_ON = DecisionKind("send_on", "STAGE", "kept items go to this stage for a new decision")
FILL = DecisionKind("fill", "FIELD=VALUE", "items without a value get this value")
RETIRE = DecisionKind(
    "retire", "NAME", "pages no longer show this name or ask for values; stored values stay with their schema version"
)
LEAVE = DecisionKind("leave", "NAME", "stored values stay, even if the values no longer fit the schema")

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

VERSION = _fits("version", "The schema has another version number.")
WORDS = _fits("words", "A displayed text changes, but its meaning stays.")
WORDING = _fits(
    "wording",
    "Rules for new texts change. Existing items do not change. `touchstone wording check` lists items that "
    "break the rules.",
)
GUIDELINE = _fits("guideline", "The guideline changes. Votes keep their guideline version.")
ORDER_OF_ENTRIES = _fits("order_of_entries", "The entries are the same, but in another order.")
ADDED_DIMENSION = _fits("added_dimension", "The schema adds a dimension, which has no items yet.")
TARGET = _fits("target", "The number of wanted items changes. Stored items do not change.")
ADDED_ASSET = _fits("added_asset", "The schema adds an optional role for images or clips.")
ADDED_FIELD = _fits("added_field", "An optional field.")
WIDER_ITEM = _fits("wider_item", "The item accepts more values than before.")
FIELD_KIND_FITS = _fits("field_kind_fits", "The new kind of the field accepts all existing values.")
ADDED_OPTION = _fits("added_option", "One more answer. Existing votes stay.")
ADDED_REASON = _fits("added_reason", "One more reason. Existing votes stay.")
REMOVED_REASON = _fits("removed_reason", "The schema removes a reason. Existing votes keep the reason as text.")
CRITERION_KIND_FITS = _fits("criterion_kind_fits", "The new kind of the criterion accepts all existing answers.")
WIDER_CRITERION = _fits("wider_criterion", "The criterion accepts more values than before.")
ASKED_LESS = _fits(
    "asked_less",
    "People answer the question for fewer items, or the question is optional now. Touchstone keeps existing answers.",
)
PLAN_RULES = _fits("plan_rules", "The conditions of plan steps change. Touchstone keeps existing votes.")
SHOWN = _fits("shown", "People see other content next to the questions. Votes keep their schema version.")
HANDING_OUT = _fits("handing_out", "Touchstone will assign future work differently. Finished work does not change.")
GATES = _fits(
    "gates",
    "The rules for who may work or settle items change. Admitted people keep their access, and settled items stay "
    "settled.",
)
WHICH_WORK = _fits("which_work", "Touchstone will choose future work differently. Finished work does not change.")
ADDED_STAGE = _fits("added_stage", "The schema adds a stage, which has no work yet.")
FIGURES = _fits("figures", "Touchstone will compute displayed numbers differently from now on.")
READING = _fits("reading", "Touchstone reads models' answers again, with other rules.")
IMPORTS = _fits("imports", "Touchstone will read new files differently. Existing items do not change.")
EXPORTS = _fits("exports", "Touchstone will write new files differently. Existing releases do not change.")
FLOORS_RAISED = _fits("floors_raised", "Releases need more agreement from now on. Existing releases do not change.")
FLOORS_LOWERED = _fits(
    "floors_lowered",
    "Releases need less agreement from now on. Each release records this change and the number of earlier votes.",
)
SHORTCUTS_STRICTER = _fits(
    "shortcuts_stricter", "Releases allow fewer shortcuts from now on. Existing releases do not change."
)
SHORTCUTS_LOOSER = _fits(
    "shortcuts_looser", "Releases allow more shortcuts from now on. Existing releases do not change."
)
SHORTCUTS_OTHERWISE = _fits(
    "shortcuts_otherwise", "The next release has other limits for shortcuts. Existing releases do not change."
)
JUDGES = _fits("judges", "Judges or their input change. Earlier runs keep their input.")
MODELS = _fits("models", "The questions to models change. Earlier runs keep their questions.")

# ---- compatible with a decision -------------------------------------------------------------------------------------

RENAMED = _asks("renamed", "Renamed, as decided.")
REMOVED_DIMENSION = _asks(
    "removed_dimension", "Items of the removed dimension would have no dimension.", RENAME_DIMENSION, MOVE_ITEMS
)
ASSET_LIMITS = _asks(
    "asset_limits",
    "Items may have too many or too few images or clips. Nobody can work on these items until the number is right.",
    LEAVE,
)
REMOVED_FIELD = _asks("removed_field", "Items have values in the removed field.", RENAME_FIELD, RETIRE)
FIELD_NEEDED = _asks("field_needed", "Items without a value in this field no longer fit the schema.", FILL, LEAVE)
FIELD_LIMITS = _asks("field_limits", "Values of items may be outside the new limits.", LEAVE)
REMOVED_VALUE = _asks("removed_value", "Items may have a value that is no longer listed.", MAP, RENAME_OPTION, LEAVE)
UNIT_OF_FIELD = _asks("unit_of_field", "Stored numbers would get another unit.", LEAVE)
ADDED_CRITERION = _asks(
    "added_criterion", "Existing votes do not answer the new criterion.", NEW_VOTES_ONLY, ASK_OLD_ITEMS
)
REMOVED_CRITERION = _asks("removed_criterion", "Existing votes answer the removed criterion.", RENAME_CRITERION, RETIRE)
ASKED_MORE = _asks(
    "asked_more", "People answer the question for more items, or the question is required now. Existing votes "
    "lack an answer.",
    NEW_VOTES_ONLY, ASK_OLD_ITEMS,
)  # fmt: skip
REMOVED_OPTION = _asks(
    "removed_option", "Votes may give an answer that is no longer offered.", MAP, RENAME_OPTION, ASK_AGAIN
)
CRITERION_LIMITS = _asks("criterion_limits", "Existing answers may be outside the new limits.", LEAVE, ASK_AGAIN)
UNIT = _asks("unit", "Existing answers would get another unit.", LEAVE, ASK_AGAIN)
REMOVED_SKIP = _asks("removed_skip", "Existing votes may skip a question that is required now.", LEAVE, ASK_AGAIN)
RATERS_RAISED = _asks(
    "raters_raised", "Decided items have fewer votes than the schema now requires.", MORE_VOTES, LEAVE
)
RATERS_LOWERED = _asks("raters_lowered", "Existing votes may now decide items that still wait for votes.", RECOMPUTE)
KEEP_RULE = _asks("keep_rule", "Verdicts may change.", RECOMPUTE)
SKIPS = _asks("skips", "Skips now have another effect, so verdicts may change.", RECOMPUTE)
SETTLING = _asks(
    "settling", "The rule for settling disagreements changes. Open items may get other results.", RECOMPUTE
)
REFINEMENT_END = _asks("refinement_end", "Refinement may now end earlier or later for some items.", RECOMPUTE)
ADDED_VERIFICATION = _asks(
    "added_verification", "Existing items have no votes in the new verification stage.", ASK_OLD_ITEMS
)
ADDED_ROUND = _asks("added_round", "Kept items have no votes in the new stage.", SEND_ON, LEAVE)

# ---- incompatible ---------------------------------------------------------------------------------------------------

_ELSE = "Keep the earlier definition, or create a new project with the reusable parts (`touchstone project clone`)."

OTHER_SCHEMA = _refused(
    "other_schema",
    "The name identifies the benchmark. Keep the name, or create a new project for another benchmark.",
    whatever_use=True,
)
SAME_VERSION = _refused(
    "same_version",
    "Votes store their schema version, so two schemas cannot have the same version. Increase `version`.",
    whatever_use=True,
)
REMOVED_ASSET = _refused(
    "removed_asset",
    "Items have images or clips with this role. Keep the role. If new items do not need the role, set its `min: 0`. If "
    "only the name changed, choose the decision to rename the role.",
    RENAME_ASSET,
)
ASSET_KIND = _refused(
    "asset_kind",
    "Stored images cannot become clips, and stored clips cannot become images. Keep this role, and add another role.",
)
FIELD_KIND = _refused(
    "field_kind",
    "Values of items do not fit the new kind of the field. Give the new field another name, and retire the old field.",
)
TAKEN_FROM = _refused(
    "taken_from",
    "The stored values refer to another list, text or image, so the values have no meaning in the new schema. Give "
    "the new field or criterion another name, and retire the old field or criterion.",
)
KEY_FIELD = _refused("key_field", f"Votes and answers were compared with the old key. {_ELSE}")
CRITERION_KIND = _refused(
    "criterion_kind",
    "Existing answers do not fit the new kind of the criterion. Give the new criterion another name, and retire "
    "the old criterion.",
)
REMOVED_STAGE = _refused(
    "removed_stage",
    f"People have already worked in this stage. {_ELSE}",
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
