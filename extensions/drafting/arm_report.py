"""The effect of drafting: items whose authors were shown a proposal, compared with items of other authors.

Chance assigned each image to an arm, so the arms may be compared. An item counts for the arm of its image, whether its
author used the proposal or not. The report also has the changes to the proposals and the time at each field. It is for
leads only.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from agreement.statistic import Statistic
from annotation_schemas import kinds, registry
from annotation_schemas.model import Criterion, Schema
from db import events, item_revisions, items
from db.engine import Session, Store
from db.records import StoredAnnotation
from domain.comparison import same
from domain.records import Person
from domain.states import ItemState, Stage
from extensions.drafting import queries
from extensions.drafting.arms import Arm, Proposal
from extensions.drafting.author_form import BEGUN, TIMED
from extensions.drafting.edit_distance import share_changed
from extensions.drafting.proposal_import import IMPORTED
from extensions.drafting.two_arms import arm_difference, arm_size, by_chance
from workflow.access.projects import Access, require_lead
from workflow.releases.set_items import Roles, roles_of
from workflow.releases.text_rules import Choice, longest, most_shared, options_of

MOST_BY_CHANCE = 0.05
"""Differences with a larger p-value of the randomization test are not reported."""
PLANNED = 0.1
"""The difference of two shares for which the report gives the number of items that a study needs."""
NO_ARM = (
    "Touchstone cannot compare two arms, because {which}. Import proposals that only some authors see. "
    "Then let authors write items about images in both arms."
)


_NONE = {Arm.WITH: "no item was written with a proposal", Arm.WITHOUT: "no item was written without a proposal"}


@dataclass(frozen=True)
class WrittenItem:
    """An item that was written in one of the arms."""

    arm: Arm
    source: Hashable
    """The source of its image. An image without a recorded source is its own source."""
    verdict: bool | None
    """True if the item was kept, False if it was rejected, None if neither."""
    votes: tuple[Any, ...] = ()
    """The blind votes of the first verifiers; None is a skip."""
    agree: Callable[[Any, Any], bool] = same
    key: Any = None
    """The right answer, if verifiers are asked for it."""
    choice: Choice | None = None
    """The texts of its options; None if it has no options or more than one right one."""
    seconds: float | None = None
    """Seconds that the author took, corrections included."""
    changed: Mapping[str, float] | None = None
    """The change of each field from the proposal, shown or not, as a fraction of the longer text."""
    at_fields: Mapping[str, float] | None = None
    """Seconds of the author at each field, corrections included. A missing field means 0 seconds; None is unknown."""


@dataclass(frozen=True)
class ArmOutcome:
    """A property of items that may differ between the arms."""

    name: str
    meaning: str
    of: Callable[[WrittenItem], float]
    """Returns the value for an item; nan if the item has none."""
    share: bool = True
    """Whether the value is a fraction from 0 to 1."""


def _kept(item: WrittenItem) -> float:
    return math.nan if item.verdict is None else float(item.verdict)


def _agreement(item: WrittenItem) -> float:
    pairs = [item.agree(one, other) for one, other in combinations(item.votes, 2)]
    return sum(pairs) / len(pairs) if pairs else math.nan


def _key_chosen(item: WrittenItem) -> float:
    if item.key is None or not item.votes:
        return math.nan
    return sum(item.agree(vote, item.key) for vote in item.votes) / len(item.votes)


def _idle(item: WrittenItem) -> float:
    if item.choice is None or not item.votes:
        return math.nan
    wrong = [text for at, text in enumerate(item.choice.options) if at != item.choice.key]
    return sum(text not in item.votes for text in wrong) / len(wrong) if wrong else math.nan


def _longest(item: WrittenItem) -> float:
    return math.nan if item.choice is None else float(longest(item.choice.options) == item.choice.key)


def _overlap(item: WrittenItem) -> float:
    if item.choice is None or not item.choice.question:
        return math.nan
    return float(most_shared(item.choice.options, item.choice.question) == item.choice.key)


def _seconds(item: WrittenItem) -> float:
    return math.nan if item.seconds is None else item.seconds


OUTCOMES = (
    ArmOutcome("kept", "kept items among items with a verdict", _kept),
    ArmOutcome("agreement", "pairs of verifiers who agree", _agreement),
    ArmOutcome("key chosen", "verifiers who choose the key", _key_chosen),
    ArmOutcome("idle distractors", "wrong options that no verifier chose", _idle),
    ArmOutcome("longest option", "items in which the longest option is the key (a shortcut)", _longest),
    ArmOutcome(
        "most words of the question",
        "items in which the key shares the most words with the question (a shortcut)",
        _overlap,
    ),
    ArmOutcome("seconds", "seconds that the author spent", _seconds, share=False),
)
"""Studies are planned for the first outcome."""


@dataclass(frozen=True)
class OutcomeComparison:
    """One outcome in both arms."""

    outcome: ArmOutcome
    means: Mapping[Arm, float]
    n: Mapping[Arm, int]
    difference: Statistic
    """The mean with proposals minus the mean without."""
    by_chance: float
    """The p-value of the randomization test. Assignments with an equal difference count half."""

    @property
    def claim(self) -> str:
        """Return the conclusion as a word: ``higher`` or ``lower`` with proposals, ``not shown`` or ``unknown``.

        A difference counts only if both methods find it: the confidence limits by source, and the randomization test.
        In small arms, the limits alone may exclude 0 by chance.
        """
        if math.isnan(self.difference.low):
            return "unknown"
        if self.by_chance > MOST_BY_CHANCE:
            return "not shown"
        return "higher" if self.difference.low > 0 else "lower" if self.difference.high < 0 else "not shown"


@dataclass(frozen=True)
class FieldEdits:
    """The changes of one field from the proposal, and the time that people spent at it."""

    field: str
    n: Mapping[Arm, int]
    """Number of items with a proposal for the field."""
    changed: Mapping[Arm, float]
    """The mean fraction of changed characters. Without proposals, the difference from the hidden proposal."""
    untouched: Mapping[Arm, float]
    """The fraction of items in which the field equals the proposal."""
    n_timed: Mapping[Arm, int]
    """Number of items with a known time at each field."""
    seconds: Mapping[Arm, float]
    """The mean seconds, items without time at the field included."""


@dataclass(frozen=True)
class DraftingReport:
    """The drafting report of a project."""

    models: tuple[str, ...]
    assigned: Mapping[Arm, int]
    """Number of images with a proposal."""
    begun: Mapping[Arm, int]
    written: Mapping[Arm, int]
    n_sources: int
    refusal: str
    """Why the report has no comparison; empty if it has one."""
    compared: tuple[OutcomeComparison, ...]
    edited: tuple[FieldEdits, ...]
    needed: int | None
    """Number of items with a verdict that each arm needs to find a keep rate ten points away (power 80 %)."""


def report(store: Store, *, by: Person | None, project: str) -> DraftingReport:
    """Return the drafting report of a project; for leads."""
    with store.read() as session:
        access = require_lead(session, by=by, project=project)
        begun, items = _written(session, access)
        came = [event for event, _ in events.of_kinds(session, project_id=access.project_id, kinds=(IMPORTED,))]
    assigned = {arm: sum(int(event.data.get(arm.value, 0)) for event in came) for arm in Arm}
    models = tuple(dict.fromkeys(str(event.data.get("model")) for event in came))
    names = [field.name for field in access.schema.item.fields]
    return figures(items, models=models, assigned=assigned, begun=begun, fields=names)


def of_project(store: Store, *, project: str) -> DraftingReport:
    """Return the drafting report for a person whose role was checked before."""
    return report(store, by=None, project=project)


def figures(
    found: Sequence[WrittenItem],
    *,
    models: Sequence[str] = (),
    assigned: Mapping[Arm, int],
    begun: Mapping[Arm, int],
    fields: Sequence[str] = (),
) -> DraftingReport:
    """Return the report about these items."""
    written = Counter(item.arm for item in found)
    lacking = [arm for arm in Arm if not written[arm]]
    refusal = ""
    if lacking:
        which = _NONE[lacking[0]] if len(lacking) == 1 else "no item was written in either arm"
        no_image = ", and the arm has no images" if not assigned.get(lacking[0]) else ""
        refusal = NO_ARM.format(which=which + (no_image if len(lacking) == 1 else ""))
    compared = () if refusal else tuple(_compared(outcome, found) for outcome in OUTCOMES)
    rate = compared[0].means[Arm.WITHOUT] if compared else math.nan
    return DraftingReport(
        models=tuple(models),
        assigned={arm: assigned.get(arm, 0) for arm in Arm},
        begun={arm: begun.get(arm, 0) for arm in Arm},
        written={arm: written[arm] for arm in Arm},
        n_sources=len({item.source for item in found}),
        refusal=refusal,
        compared=tuple(comparison for comparison in compared if sum(comparison.n.values())),
        edited=tuple(edits for name in fields if (edits := _edited(name, found)) is not None),
        needed=arm_size(rate=rate, difference=PLANNED).n if 0 < rate < 1 else None,
    )


def _compared(outcome: ArmOutcome, found: Sequence[WrittenItem]) -> OutcomeComparison:
    values, shown = [outcome.of(item) for item in found], [item.arm is Arm.WITH for item in found]
    difference = arm_difference(values, shown, clusters=[item.source for item in found])
    of_arm = {
        arm: [value for value, item in zip(values, found, strict=True) if item.arm is arm and not math.isnan(value)]
        for arm in Arm
    }
    means = {arm: _mean(own) for arm, own in of_arm.items()}
    n = {arm: len(own) for arm, own in of_arm.items()}
    return OutcomeComparison(outcome, means, n, difference, by_chance(values, shown))


def _edited(name: str, found: Sequence[WrittenItem]) -> FieldEdits | None:
    of_arm: dict[Arm, list[float]] = {
        arm: [item.changed[name] for item in found if item.arm is arm and item.changed and name in item.changed]
        for arm in Arm
    }
    timed = {
        arm: [item.at_fields.get(name, 0.0) for item in found if item.arm is arm and item.at_fields is not None]
        for arm in Arm
    }
    if not any(of_arm.values()) and not any(map(any, timed.values())):
        return None
    return FieldEdits(
        name,
        n={arm: len(own) for arm, own in of_arm.items()},
        changed={arm: _mean(own) for arm, own in of_arm.items()},
        untouched={arm: _mean([distance == 0 for distance in own]) for arm, own in of_arm.items()},
        n_timed={arm: len(own) for arm, own in timed.items()},
        seconds={arm: _mean(own) for arm, own in timed.items()},
    )


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else math.nan


# ---- out of the database --------------------------------------------------------------------------------------------


def _written(session: Session, access: Access) -> tuple[Counter[Arm], list[WrittenItem]]:
    """Return the number of tasks started in each arm, and the items written in them."""
    begun: dict[int, tuple[Arm, str]] = {}
    at_fields: dict[int, Counter[str]] = {}
    for event, _ in events.of_kinds(session, project_id=access.project_id, kinds=(BEGUN, TIMED)):
        if event.task_id is not None and event.kind == BEGUN:
            begun[event.task_id] = (Arm(event.data["arm"]), str(event.data["asset"]))
        elif event.task_id is not None:
            at_fields.setdefault(event.task_id, Counter()).update(event.data["seconds"])
    stored_annotations: dict[int, list[StoredAnnotation]] = {}
    for row in queries.of_stage(session, project_id=access.project_id, stage=Stage.AUTHORING, task_ids=begun):
        stored_annotations.setdefault(row.task_id, []).append(row)
    known = queries.by_public_ids(
        session, project_id=access.project_id, public_ids=[asset for _, asset in begun.values()]
    )
    source_of = queries.sources(session, asset_ids=[row.id for row in known.values()])
    ids = [rows[-1].item_id for rows in stored_annotations.values()]
    votes, contents = _first_votes(session, access, ids), item_revisions.contents(session, ids=ids)
    states, roles = items.by_ids(session, ids=ids), roles_of(access.schema)
    written_items = []
    for task_id, rows in stored_annotations.items():
        arm, public_id = begun[task_id]
        last, asset = rows[-1], known[public_id]
        revision, cast = votes.get(last.item_id, (last.revision, []))
        criterion = decides(access.schema, last.dimension)
        item = states[last.item_id]
        seconds = [row.seconds for row in rows if row.seconds is not None]
        fields = contents[last.item_id, revision]
        written_items.append(
            WrittenItem(
                arm=arm,
                source=source_of.get(asset.id, (asset.id,)),
                verdict=_VERDICT.get(item.state),
                votes=tuple(vote.answers.get(criterion.name) for vote in cast) if criterion is not None else (),
                agree=_agree(criterion),
                key=_key(access.schema, criterion, fields),
                choice=_choice(fields, roles),
                seconds=sum(seconds) if seconds else None,
                changed=_changed(Proposal.of(asset.proposal), last.answers),
                at_fields=at_fields.get(task_id),
            )
        )
    return Counter(arm for arm, _ in begun.values()), written_items


_VERDICT = {ItemState.KEPT: True, ItemState.REJECTED: False}


def _first_votes(session: Session, access: Access, ids: Sequence[int]) -> dict[int, tuple[int, list[StoredAnnotation]]]:
    """Return the first revision of each item with a vote, and its votes that count."""
    rows = queries.of_stage(session, project_id=access.project_id, stage=Stage.VERIFICATION, item_ids=ids)
    replaced = {row.supersedes_id for row in rows}
    votes_by_item: dict[int, tuple[int, list[StoredAnnotation]]] = {}
    for row in rows:
        if row.id in replaced:
            continue
        revision, cast = votes_by_item.get(row.item_id, (row.revision, []))
        if row.revision < revision:
            revision, cast = row.revision, []
        if row.revision == revision:
            votes_by_item[row.item_id] = (revision, [*cast, row])
    return votes_by_item


def decides(schema: Schema, dimension: str) -> Criterion | None:
    """Return the first criterion by which verifiers decide about items of a dimension."""
    if schema.stages.verification is None:
        return None
    keep = schema.stages.verification.keep
    named = [name for name in (keep.criterion, *keep.criteria, *keep.values, *(part.criterion for part in keep.parts))]
    asked = {
        criterion.name: criterion for criterion in registry.criteria_of(schema, Stage.VERIFICATION.value, dimension)
    }
    return next((asked[name] for name in named if name in asked), None)


def _agree(criterion: Criterion | None) -> Callable[[Any, Any], bool]:
    if criterion is None:
        return same
    row = kinds.of_criterion(criterion)

    def agree(one: Any, other: Any) -> bool:
        if one is None or other is None:  # skipped
            return one is None and other is None
        return row.agree(criterion, one, other)

    return agree


def _key(schema: Schema, criterion: Criterion | None, fields: Mapping[str, Any]) -> Any:
    """Return the right answer to the criterion; None if verifiers answer another question."""
    keep = schema.stages.verification.keep if schema.stages.verification is not None else None
    if keep is None or criterion is None:
        return None
    named = next((part.key for part in keep.parts if part.criterion == criterion.name), keep.key)
    return fields.get(named) if named is not None else None


def _choice(fields: Mapping[str, Any], roles: Roles) -> Choice | None:
    options = options_of(fields, options=roles.options, answer=roles.answer)
    if options is None:
        return None
    question = fields.get(roles.question or "")
    return Choice(tuple(options[0]), options[1], question=question if isinstance(question, str) else "")


def _changed(proposal: Proposal | None, answers: Mapping[str, Any]) -> dict[str, float]:
    """Return the change of each field from the proposal."""
    if proposal is None:
        return {}
    return {name: share_changed(_text(value), _text(answers.get(name))) for name, value in proposal.fields.items()}


def _text(value: Any) -> str:
    if isinstance(value, list | tuple):
        return "\n".join(map(_text, value))
    return "" if value is None else str(value)
