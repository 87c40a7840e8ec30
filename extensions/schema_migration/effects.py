"""The effect of a schema change on a project's data, from the differences and the decisions about them.

Votes stay stored unchanged, with the version of the schema under which they were given. Renamed names and options are
translated when votes are read (``domain.rewording``). So a change takes effect at one moment for all people, no vote is
rewritten, and undoing it is exact. Only votes that are asked again get a new row.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Any

from annotation_schemas import kinds
from annotation_schemas.model import Scalar, Schema
from annotation_schemas.registry import criteria_of
from db.records import StoredAnnotation
from domain.comparison import same
from domain.rewording import Step, options_in
from domain.states import VERIFICATIONS, Stage
from extensions.schema_migration.changes import Change, Comparison, DecisionKind
from extensions.schema_migration.changes import rows as sorts
from workflow.files.project_check import people_asked

BESIDES = (Stage.ANSWERING, Stage.GRADING, Stage.COMPARISON, Stage.CODING)
"""Stages other than verification in which several people are asked about the same unit."""
ASKED_AGAIN = (*VERIFICATIONS, Stage.GRADING, Stage.COMPARISON, Stage.CODING)
"""Stages whose votes can be asked again, because only their own slots depend on them."""


class Votes(Enum):
    """The votes on a criterion that are asked again."""

    WITH_VALUE = "with_value"
    """Votes for a removed option."""
    ANSWERED = "answered"
    SKIPPED = "skipped"
    UNFIT = "unfit"
    """Votes whose value is no longer valid."""
    SILENT = "silent"
    """Votes without a value for the criterion."""


@dataclass(frozen=True)
class RepeatedVotes:
    """Votes of before that are asked again."""

    stage: Stage
    criterion: str
    """The criterion's name in the new schema."""
    which: Votes
    value: Scalar | None = None

    def concerns(self, stage: Stage) -> bool:
        """Return whether it applies to a stage. Arbitration follows coding."""
        return self.stage is (Stage.CODING if stage is Stage.ARBITRATION else stage)


_QUIET = frozenset(
    {
        sorts.VERSION,
        sorts.WORDS,
        sorts.GUIDELINE,
        sorts.ORDER_OF_ENTRIES,
        sorts.ADDED_DIMENSION,
        sorts.TARGET,
        sorts.ADDED_FIELD,
        sorts.ADDED_ASSET,
        sorts.WIDER_ITEM,
        sorts.FIELD_KIND_FITS,
        sorts.ADDED_OPTION,
        sorts.ADDED_REASON,
        sorts.REMOVED_REASON,
        sorts.CRITERION_KIND_FITS,
        sorts.WIDER_CRITERION,
        sorts.ASKED_LESS,
        sorts.PLAN_RULES,
        sorts.SHOWN,
        sorts.FIGURES,
        sorts.READING,
        sorts.IMPORTS,
        sorts.EXPORTS,
        sorts.JUDGES,
        sorts.MODELS,
    }
)
"""Changes after which every verdict and every slot is as before, whatever was voted."""


@dataclass(frozen=True)
class Effect:
    """The effect of a change."""

    schema: Schema
    """The new one."""
    step: Step
    step_back: Step = field(default_factory=Step)
    """The translation of later data if the change is undone."""
    again: tuple[RepeatedVotes, ...] = ()
    stays_complete: tuple[Stage, ...] = ()
    """Stages in which complete units need no further votes, although the schema now asks more people."""
    raised: tuple[Stage, ...] = ()
    """Stages in which the schema asks more people now."""
    through: tuple[Stage, ...] = ()
    """Stages other than verification whose answers and pairs must be checked."""
    stays_kept: tuple[str, ...] = ()
    """Further stages of verification to which items that were kept before do not come."""
    looks: bool = True
    """Whether items have to be looked at."""
    reorders: bool = False
    """Whether slots may change their place in the order, or may have to wait for an image or clip."""
    answers_begin: bool = False
    """The stage answering is new."""
    only_of: frozenset[int] | None = None
    """If set, only votes given under these versions (ids) that do not fit the new form are asked again. None leaves the
    choice to ``again``. A vote that answers more than the new form asks fits.
    """

    def asks_again(self, vote: StoredAnnotation, fields: Mapping[str, Any], *, now: int) -> bool:
        """Return whether a vote, in present words, is asked again. ``now`` is the version (id) in force."""
        if vote.schema_version_id == now:
            return False
        criteria = criteria_of(self.schema, vote.stage.value, self._dimension_of(vote))
        if not criteria:  # a stage that the schema has no more
            return False
        asked = {criterion.name for criterion in criteria}
        if self.only_of is not None:
            answers, why = (
                {name: given[name] for name in given if name in asked} for given in (vote.answers, vote.reasons)
            )
            return vote.schema_version_id in self.only_of and bool(kinds.check_answers(criteria, answers, why, fields))
        return any(
            rule.concerns(vote.stage) and rule.criterion in asked and self._meets(rule, vote, fields)
            for rule in self.again
        )

    def placed(self, items: Mapping[str, int]) -> dict[str, tuple[int, int]]:
        """Return the number of items in each dimension before and after; empty if no item changes its dimension.

        Dimensions of the new schema come first.
        """
        if not self.step.dimensions:
            return {}
        after: Counter[str] = Counter()
        for name, n in items.items():
            after[self.step.dimensions.get(name, name)] += n
        names = dict.fromkeys([*(dimension.id for dimension in self.schema.dimensions), *items])
        return {name: (items.get(name, 0), after[name]) for name in names}

    def _dimension_of(self, vote: StoredAnnotation) -> str:
        """Return the new name of a vote's dimension, for votes before and after the change."""
        return self.step.dimensions.get(vote.dimension, vote.dimension)

    def _meets(self, again: RepeatedVotes, vote: StoredAnnotation, fields: Mapping[str, Any]) -> bool:
        value, reason = vote.answers.get(again.criterion), vote.reasons.get(again.criterion)
        match again.which:
            case Votes.WITH_VALUE:
                return any(same(option, again.value) for option in options_in(value))
            case Votes.ANSWERED:
                return value is not None
            case Votes.SKIPPED:
                return value is None and reason is not None
            case Votes.SILENT:
                return value is None and reason is None
            case Votes.UNFIT:
                criteria = criteria_of(self.schema, vote.stage.value, self._dimension_of(vote))
                wrong = kinds.check_answers(criteria, vote.answers, vote.reasons, fields)
                return value is not None and any(problem.name == again.criterion for problem in wrong)


def effect_of(comparison: Comparison) -> Effect:
    """Return the effect of a schema change with its decisions."""
    step = _step(comparison)
    again = tuple(rule for change in comparison.changes for rule in _asked_again(change))
    raised = more_people(comparison.old, comparison.new)
    stages = {rule.stage for rule in again} | {*raised} | {*more_people(comparison.new, comparison.old)}
    stages |= {Stage.CODING for change in comparison.changes if change.path == "stages.coding.arbitration"}
    return Effect(
        comparison.new,
        step,
        _step_back(comparison, step),
        again=again,
        stays_complete=tuple(
            Stage(change.steps[1])
            for change in comparison.changes
            if change.row is sorts.RATERS_RAISED and way_of(change) is not sorts.MORE_VOTES
        ),
        raised=raised,
        through=tuple(stage for stage in BESIDES if stage in stages),
        stays_kept=tuple(
            change.steps[1]
            for change in comparison.changes
            if change.row is sorts.ADDED_ROUND and way_of(change) is sorts.LEAVE
        ),
        looks=any(change.row not in _QUIET for change in comparison.changes),
        reorders=set(comparison.old.item.needed_roles) != set(comparison.new.item.needed_roles)
        or any(change.row is sorts.HANDING_OUT for change in comparison.changes),
        answers_begin=any(
            change.row is sorts.ADDED_STAGE and change.steps[-1] == "answering" for change in comparison.changes
        ),
    )


def more_people(before: Schema, now: Schema) -> tuple[Stage, ...]:
    """Return the stages of both schemas in which the second one asks more people."""
    one, other = people_asked(before), people_asked(now)
    return tuple(stage for stage in (*VERIFICATIONS, *BESIDES) if 0 < one[stage] < other[stage])


def way_of(change: Change) -> DecisionKind | None:
    return change.decided.way if change.decided is not None else None


_AGAIN = {
    sorts.CRITERION_LIMITS: (sorts.ASK_AGAIN, Votes.UNFIT),
    sorts.UNIT: (sorts.ASK_AGAIN, Votes.ANSWERED),
    sorts.REMOVED_SKIP: (sorts.ASK_AGAIN, Votes.SKIPPED),
    sorts.ADDED_CRITERION: (sorts.ASK_OLD_ITEMS, Votes.SILENT),
    sorts.ASKED_MORE: (sorts.ASK_OLD_ITEMS, Votes.SILENT),
}


def _asked_again(change: Change) -> list[RepeatedVotes]:
    match change.steps:
        case ("stages", stage, "criteria", name, *_) if stage in ASKED_AGAIN:
            about = Stage(stage)
        case _:
            return []
    if change.row is sorts.REMOVED_OPTION:
        # an unused option may still be chosen between the decision and the change
        gone = change.old["value"] if isinstance(change.old, dict) else change.old
        return [RepeatedVotes(about, name, Votes.WITH_VALUE, gone)] if way_of(change) in (None, sorts.ASK_AGAIN) else []
    way, which = _AGAIN.get(change.row, (None, Votes.UNFIT))
    return [RepeatedVotes(about, name, which)] if way is not None and way_of(change) is way else []


def _step(comparison: Comparison) -> Step:
    """Return the translation of names and values, by their earlier names."""
    renamed: dict[str, dict[str, str]] = {"criteria": {}, "fields": {}}
    for change in comparison.changes:
        if way_of(change) is sorts.RENAME_CRITERION:
            renamed["criteria"][str(change.old)] = str(change.new)
        if way_of(change) is sorts.RENAME_FIELD:
            renamed["fields"][str(change.old)] = str(change.new)
    before = {sort: {now: was for was, now in names.items()} for sort, names in renamed.items()}
    values: dict[str, dict[str, list[tuple[Any, Any]]]] = {"criteria": {}, "fields": {}}
    filled: dict[str, Any] = {}
    for change in comparison.changes:
        way = way_of(change)
        if change.decided is None or way not in (sorts.MAP, sorts.RENAME_OPTION, sorts.FILL):
            continue
        sort, name = ("fields", change.steps[2]) if change.steps[0] == "item" else ("criteria", change.steps[3])
        if way is sorts.FILL:
            filled[name] = change.decided.value
            continue
        gone = change.old["value"] if isinstance(change.old, dict) else change.old
        values[sort].setdefault(before[sort].get(name, name), []).append((gone, change.decided.value))
    anew = tuple(
        change.steps[3]
        for change in comparison.changes
        if change.row is sorts.UNIT and way_of(change) is sorts.ASK_AGAIN and len(change.steps) > 3
    )
    return Step(
        renamed["criteria"],
        values["criteria"],
        renamed["fields"],
        values["fields"],
        filled,
        anew,
        dimensions=_places(comparison, sorts.RENAME_DIMENSION, sorts.MOVE_ITEMS),
        assets=_places(comparison, sorts.RENAME_ASSET),
    )


def _places(comparison: Comparison, *ways: DecisionKind) -> dict[str, str]:
    """Return the dimensions or roles with one of these decisions, and their new names."""
    values = {}
    for change in comparison.changes:
        if change.decided is not None and change.decided.way in ways:
            values[change.steps[-1]] = str(change.decided.value)
    return values


def _places_back(comparison: Comparison) -> dict[str, str]:
    """Return the translation of dimensions for an undo.

    A dimension that existed before and took the items of others keeps the later items. A dimension that came with the
    change gives them to the first dimension whose items it took.
    """
    back = {now: was for was, now in _places(comparison, sorts.RENAME_DIMENSION).items()}
    there = {dimension.id for dimension in comparison.old.dimensions}
    for was, now in _places(comparison, sorts.MOVE_ITEMS).items():
        back.setdefault(now, now if now in there else was)
    return back


def _step_back(comparison: Comparison, step: Step) -> Step:
    """Return the translation for an undo. A renamed option gets its old name back, because no other option has the new
    one.
    """
    values: dict[str, dict[str, list[tuple[Any, Any]]]] = {"criteria": {}, "fields": {}}
    for change in comparison.changes:
        if way_of(change) is sorts.RENAME_OPTION:
            sort, name = ("fields", change.steps[2]) if change.steps[0] == "item" else ("criteria", change.steps[3])
            values[sort].setdefault(name, []).append((change.new, change.old))
    return replace(
        step.backwards(),
        values=values["criteria"],
        field_values=values["fields"],
        dimensions=_places_back(comparison),
        assets={now: was for was, now in step.assets.items()},
    )
