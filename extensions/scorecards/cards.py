"""Scorecards of people's work: pace, agreement, skips and drift."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from itertools import combinations

from agreement.limits import wilson
from annotation_schemas import kinds, registry
from db import item_revisions, people, work_pace
from db.engine import Session, Store
from db.work_pace import TimedSubmission
from domain import extensions
from domain.policies import KEEP_RULES, Vote, item_state
from domain.records import Person
from domain.states import VERIFICATIONS, ItemState, Purpose, Stage
from workflow.access.projects import Access, require_lead
from workflow.annotate.qualification import score_of
from workflow.annotate.verdicts import decided_in, rounds_of

WINDOW = 50
"""The number of a person's submissions in a stage that form one window of the drift check."""
SMALL = 10
"""A share over fewer submissions is too uncertain to act on."""
MOST_DAYS = 60
"""The largest number of days with work that are shown one by one, for a person in a stage."""


@dataclass(frozen=True)
class Share:
    """``k`` of ``n``, and 95 % limits by Wilson's score (as if the n were independent); nan where n is 0."""

    k: int = 0
    n: int = 0

    @property
    def value(self) -> float:
        """Between 0 and 1."""
        return self.k / self.n if self.n else math.nan

    @property
    def limits(self) -> tuple[float, float]:
        """95 % limits."""
        interval = wilson(self.value, self.n) if self.n else None
        return (interval.low, interval.high) if interval else (math.nan, math.nan)


@dataclass(frozen=True)
class Score:
    """A person's work in a stage, or in a window of it. Only live work; the latest submission for a task counts."""

    submissions: int
    """Tasks with a submission."""
    corrections: int
    """Submissions that replaced an earlier one."""
    active_minutes: float
    """The active minutes of all submissions, including replaced ones."""
    untimed: int
    """Submissions without a time."""
    per_hour: float
    """The number of tasks per active hour, over tasks with times for all submissions; nan without any."""
    peers: Share
    """Pairs of answers to one criterion about one thing, theirs and another person's, under one version of the
    guideline, that are the same. Skips and texts are left out."""
    settled: Share
    """Votes on items that a senior accepted or rejected, which alone give the same verdict."""
    skips: Share
    """Submissions that skip a criterion."""
    last: datetime | None


@dataclass(frozen=True)
class Period:
    """A person's work in a stage in a day or a week (UTC). A task is in that of its first submission."""

    first: date
    """The day itself, or the Monday."""
    score: Score


@dataclass(frozen=True)
class Card:
    """A person in a stage."""

    login: str
    name: str
    active: bool
    stage: Stage
    score: Score
    qualification: float | None
    """Share of right answers in the qualification, if there was one."""
    gold: Share
    """Answers to hidden gold that are right; skips are left out."""
    windows: Sequence[Score] = field(default_factory=tuple)
    """The same, for each ``WINDOW`` submissions in the order of time; the last may be shorter."""
    drift: Sequence[str] = field(default_factory=tuple)
    """The clear differences between the last ``WINDOW`` submissions and the earlier ones (``drifts``)."""
    days: Sequence[Period] = field(default_factory=tuple)
    """The same, for each of the last ``MOST_DAYS`` days with work, the earliest first."""
    weeks: Sequence[Period] = field(default_factory=tuple)
    """The same, for each week with work, the earliest first."""


def scorecards(store: Store, *, by: Person | None, project: str) -> list[Card]:
    """Return the scorecards of all people who have submitted live work, by stage and login, for leads.

    With ``by`` None, the caller checks that the person may see them.
    """
    with store.read() as session:
        access = require_lead(session, by=by, project=project)
        sent = [
            one for one in work_pace.submissions(session, project_id=access.project_id) if one.purpose is Purpose.LIVE
        ]
        whose: dict[tuple[Stage, int], list[TimedSubmission]] = defaultdict(list)
        for one in sent:
            whose[one.stage, one.person_id].append(one)
        pairs, settled = _pairs(access, sent), _settled(session, access, sent)
        everyone = {row.id: row for row in people.all_people(session)}
        shares = dict(extensions.rows("person_shares")).get("gold", lambda *_, **__: {})
        known = {stage: shares(session, access=access, stage=stage) for stage in {stage for stage, _ in whose}}

        def score(by_task: Sequence[Sequence[TimedSubmission]]) -> Score:
            return _score(by_task, pairs, settled)

        cards = []
        for (stage, person_id), theirs in whose.items():
            row = everyone[person_id]
            ordered = _by_task(theirs)
            cards.append(
                Card(
                    login=row.login,
                    name=row.name,
                    active=row.active,
                    stage=stage,
                    score=score(ordered),
                    qualification=score_of(session, access, person_id, stage),
                    gold=Share(*known[stage].get(person_id, (0, 0))),
                    windows=tuple(score(ordered[at : at + WINDOW]) for at in range(0, len(ordered), WINDOW)),
                    drift=drifts(score(ordered[:-WINDOW]), score(ordered[-WINDOW:])),
                    days=_periods(ordered, score, of=lambda day: day)[-MOST_DAYS:],
                    weeks=_periods(ordered, score, of=lambda day: day - timedelta(days=day.weekday())),
                )
            )
        order = list(Stage)
        return sorted(cards, key=lambda card: (order.index(card.stage), card.login))


def drifts(before: Score, lately: Score) -> tuple[str, ...]:
    """Return the clear differences of recent work from earlier work, in words.

    A share differs if the two confidence intervals do not overlap, which is stricter than a test at 5 %. The pace
    differs if it is half as fast again or more, or two thirds as fast or less. With fewer than ``WINDOW`` submissions
    on either side, the result is empty.
    """
    if min(before.submissions, lately.submissions) < WINDOW:
        return ()
    sentences = []
    for name, one, other in (
        ("as peers", before.peers, lately.peers),
        ("as seniors settled", before.settled, lately.settled),
        ("skips", before.skips, lately.skips),
    ):
        if min(one.n, other.n) and (one.limits[1] < other.limits[0] or other.limits[1] < one.limits[0]):
            sentences.append(f"{name} {one.value:.2f} earlier, {other.value:.2f} recently")
    if lately.per_hour >= before.per_hour * 1.5 or lately.per_hour <= before.per_hour / 1.5:  # nan is neither
        sentences.append(f"tasks per active hour {before.per_hour:.0f} earlier, {lately.per_hour:.0f} recently")
    return tuple(sentences)


# ---- one person ------------------------------------------------------------------------------------------------------


def _by_task(sent: Sequence[TimedSubmission]) -> list[list[TimedSubmission]]:
    """Return a person's submissions by task, in the order of the first submission of each task."""
    timed_submissions: dict[int, list[TimedSubmission]] = defaultdict(list)
    for one in sent:
        timed_submissions[one.task_id].append(one)
    return list(timed_submissions.values())


def _score(
    by_task: Sequence[Sequence[TimedSubmission]],
    pairs: Mapping[int, tuple[int, int]],
    settled: Mapping[int, bool],
) -> Score:
    latest = [sent[-1] for sent in by_task]
    everything = [one for sent in by_task for one in sent]
    timed = [sent for sent in by_task if all(one.seconds is not None for one in sent)]
    hours = sum(one.seconds or 0 for sent in timed for one in sent) / 3600
    mine = [pairs.get(one.id, (0, 0)) for one in latest]
    decided = [settled[one.id] for one in latest if one.id in settled]
    skipped = sum(any(one.answers.get(name) is None for name in one.reasons) for one in latest)
    return Score(
        submissions=len(latest),
        corrections=len(everything) - len(latest),
        active_minutes=sum(one.seconds or 0 for one in everything) / 60,
        untimed=sum(one.seconds is None for one in everything),
        per_hour=len(timed) / hours if hours else math.nan,
        peers=Share(sum(k for k, _ in mine), sum(n for _, n in mine)),
        settled=Share(sum(decided), len(decided)),
        skips=Share(skipped, len(latest)),
        last=max((one.at for one in everything), default=None),
    )


def _periods(
    by_task: Sequence[Sequence[TimedSubmission]],
    score: Callable[[Sequence[Sequence[TimedSubmission]]], Score],
    *,
    of: Callable[[date], date],
) -> tuple[Period, ...]:
    """Return a score for each period. ``of`` returns the first day of a day's period."""
    by_period: dict[date, list[Sequence[TimedSubmission]]] = defaultdict(list)
    for sent in by_task:
        by_period[of(sent[0].at.astimezone(UTC).date())].append(sent)
    return tuple(Period(first, score(by_period[first])) for first in sorted(by_period))


def _pairs(access: Access, sent: Sequence[TimedSubmission]) -> dict[int, tuple[int, int]]:
    """Return, for each counting submission, how many answers of other people to the same question are equal, and their
    total.
    """
    replaced = {one.supersedes_id for one in sent}
    groups: dict[tuple[object, ...], list[TimedSubmission]] = defaultdict(list)
    for one in sent:
        if one.id not in replaced and one.stage in (*VERIFICATIONS, Stage.GRADING):
            groups[one.stage, one.item_id, one.revision, one.prediction_id, one.guideline].append(one)
    asked = {
        stage: [
            criterion
            for criterion in registry.criteria_of(access.schema, stage.value)
            if not kinds.of_criterion(criterion).not_measured
        ]
        for stage in {one.stage for one in sent} & {*VERIFICATIONS, Stage.GRADING}
    }
    agreements: dict[int, tuple[int, int]] = {}
    for group in groups.values():
        for one, other in combinations(group, 2):
            both = [
                kinds.of_criterion(criterion).agree(
                    criterion, one.answers[criterion.name], other.answers[criterion.name]
                )
                for criterion in asked[one.stage]
                if one.answers.get(criterion.name) is not None and other.answers.get(criterion.name) is not None
            ]
            for submission in (one, other):
                k, n = agreements.get(submission.id, (0, 0))
                agreements[submission.id] = (k + sum(both), n + len(both))
    return agreements


def _settled(session: Session, access: Access, sent: Sequence[TimedSubmission]) -> dict[int, bool]:
    """Return, for each counting vote on an item that a senior settled, whether the vote alone gives the same
    verdict.
    """
    parts = {stage: part for stage, part in rounds_of(access.schema).items() if part.keep.rule in KEEP_RULES}
    decided = {
        (one.item_id, one.revision, decided_in(one.answers)): one.answers.get("decision")
        for one in sent
        if one.stage is Stage.ADJUDICATION and one.answers.get("decision") in ("accept", "reject")
    }
    replaced = {one.supersedes_id for one in sent}
    fields = item_revisions.contents(session, ids=[item_id for item_id, _, _ in decided])
    by_submission = {}
    for one in sent:
        where = (one.item_id, one.revision, one.stage)
        part = parts.get(one.stage)
        if part is None or one.id in replaced or where not in decided:
            continue
        if any(one.answers.get(name) is None for name in one.reasons):
            continue  # a skip takes no side
        alone = item_state(
            part.keep,
            [Vote("", one.answers, one.reasons, one.weight)],
            raters=1,
            item_fields=fields[where[:2]],
            adjudication=False,
        )
        by_submission[one.id] = (alone.state is ItemState.KEPT) == (decided[where] == "accept")
    return by_submission
