"""On how many items votes differ, by dimension, and the reasons that people give."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import combinations
from typing import Any

from agreement.limits import wilson
from annotation_schemas import kinds, registry
from annotation_schemas.kinds import options_of
from annotation_schemas.model import Criterion
from db import files
from db.engine import Store
from domain.records import Person
from domain.states import VERIFICATIONS, Stage
from extensions.adjudication_reasons import queries, reason_lists
from extensions.adjudication_reasons import reasons as adjudication_reasons
from workflow.access.projects import Access, require_lead


class ReasonSource(StrEnum):
    """The kind of submission that gives a reason."""

    VOTE = "with a vote"
    SKIP = "for a skip"
    SENIOR = "by a senior"


@dataclass(frozen=True)
class DisagreementCount:
    """The items of a dimension on which two or more votes of one stage count."""

    dimension: str
    items: int
    differ: int
    """The number of these items on which votes differ, apart from free texts and by more than the schema tolerates. A
    skip differs from an answer.
    """

    @property
    def limits(self) -> tuple[float, float]:
        """95 % limits of the share, by Wilson's score."""
        interval = wilson(self.differ / self.items, self.items)
        return interval.low, interval.high


@dataclass(frozen=True)
class Reason:
    """A reason, and how often it is given."""

    label: str
    given: ReasonSource
    n: int


@dataclass(frozen=True)
class Disagreement:
    """The items on which people disagree, and the reasons for rejections and skips."""

    dimensions: Sequence[DisagreementCount]
    """The dimensions with items that have two or more votes, in the order of the schema."""
    reasons: Sequence[Reason]
    """The most frequent first."""


def overview(store: Store, *, by: Person | None, project: str) -> Disagreement:
    """Return disagreements and reasons. With ``by`` None, the caller checks that the person may see them.

    Each item is looked at with the newest content that has a vote. Reasons come from counting votes and from all
    decisions of seniors.
    """
    with store.read() as session:
        access = require_lead(session, by=by, project=project)
        where: dict[int, str] = {}
        differ: dict[int, bool] = {}
        for stage in access.schema.stages.verifications:
            asked = [
                criterion
                for criterion in registry.criteria_of(access.schema, stage)
                if not kinds.of_criterion(criterion).not_measured
            ]
            newest: dict[int, tuple[int, list[list[Any]]]] = {}
            for vote in files.counting_votes(session, project_id=access.project_id, stage=Stage(stage)):
                where[vote.item_id] = vote.dimension
                revision, votes_of_item = newest.get(vote.item_id, (vote.revision, []))
                if vote.revision > revision:
                    revision, votes_of_item = vote.revision, []
                if vote.revision == revision:
                    newest[vote.item_id] = (
                        revision,
                        [*votes_of_item, [vote.answers.get(criterion.name) for criterion in asked]],
                    )
            for item, (_, votes_of_item) in newest.items():
                if len(votes_of_item) > 1:
                    differ[item] = differ.get(item, False) or any(
                        not _alike(criterion, *answers)
                        for one, other in combinations(votes_of_item, 2)
                        for criterion, *answers in zip(asked, one, other, strict=True)
                    )
        with_votes = _with_votes(access, queries.votes_with_reasons(session, project_id=access.project_id))
    counts: dict[str, list[bool]] = defaultdict(list)
    for item, apart in differ.items():
        counts[where[item]].append(apart)
    for line in adjudication_reasons.reasons(store, by=by, project=project):
        with_votes[line.label, ReasonSource.SENIOR] += len(line.cases)
    for skip in reason_lists.skips(store, by=by, project=project):
        with_votes[skip.label, ReasonSource.SKIP] += len(skip.items)
    return Disagreement(
        [
            DisagreementCount(dimension.id, len(counts[dimension.id]), sum(counts[dimension.id]))
            for dimension in access.schema.dimensions
            if dimension.id in counts
        ],
        [Reason(label, given, n) for (label, given), n in with_votes.most_common()],
    )


def _alike(criterion: Criterion, one: Any, other: Any) -> bool:
    """Return whether two votes have the same value, or are both skips."""
    if one is None or other is None:
        return one is other
    return kinds.of_criterion(criterion).agree(criterion, one, other)


def mark(store: Store, *, by: Person | None, project: str) -> tuple[int | str, ...]:
    """Return a state that changes whenever the disagreements may change."""
    return reason_lists.mark(store, by=by, project=project)


def size(store: Store, *, by: Person | None, project: str) -> int:
    """Return the number of counted votes and decisions."""
    with store.read() as session:
        access = require_lead(session, by=by, project=project)
        return sum(
            files.n_ratings(session, project_id=access.project_id, stage=stage)
            for stage in (*VERIFICATIONS, Stage.ADJUDICATION)
        )


def _with_votes(access: Access, votes: Sequence[queries.ReasonVote]) -> Counter[tuple[str, ReasonSource]]:
    """Return how often votes give the reasons of an option."""
    asked = [criterion for stage in VERIFICATIONS for criterion in registry.criteria_of(access.schema, stage)]
    labels = {
        (criterion.name, str(reason.value)): reason.label
        for criterion in asked
        for option in options_of(criterion, {})
        for reason in option.reasons
    }
    counts: Counter[tuple[str, ReasonSource]] = Counter()
    for vote in votes:
        for criterion, reason in vote.reasons.items():
            if vote.answers.get(criterion) is not None and reason is not None:
                counts[labels.get((criterion, str(reason)), str(reason)), ReasonSource.VOTE] += 1
    return counts
