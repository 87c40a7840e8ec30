"""How judges that ran here did, next to their ratings: failed replies, and scores for attack answers."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from db import judging
from db.engine import Session
from db.records import StoredRun
from domain.comparison import same
from domain.judging import JudgePlan
from domain.records import Rating
from domain.replies import AttackResult, reason_of
from domain.rewording import Rewording
from domain.runs import OPEN, RESUMABLE
from domain.states import Stage
from workflow.access.counted_items import Counting
from workflow.access.projects import Access
from workflow.results.judge_facts import runs_by_judge
from workflow.results.ratings import judge_ratings
from workflow.runs import stored_runs
from workflow.runs.identities import same_judge

ONE_VERDICT = (
    "A judge that compares pairs gives one verdict for each pair, not a verdict for each criterion. `touchstone "
    "preference show` compares the judge with the majority of people."
)


@dataclass(frozen=True)
class SeenOfJudges:
    """The runs and failures of judges that ran here, next to the ratings that they gave."""

    runs: Mapping[str, Sequence[StoredRun]]
    """The runs of each judge, newest first."""
    failed: Sequence[Rating]
    """The replies without a value for a criterion, each as a rating with the reason."""
    attacked: Sequence[AttackResult]
    """The scores that the study's judges gave to attack answers."""
    attacked_others: tuple[str, ...]
    """The runs over attack answers by others."""


def seen_of_judges(
    session: Session,
    access: Access,
    stage: Stage,
    judges: Sequence[str],
    counted: Counting,
    criteria: Collection[str] | None,
) -> SeenOfJudges:
    """Return the facts about all judges that ran here, and the named judges' scores for attack answers.

    ``criteria`` selects the criteria of failed replies; None for all.
    """
    runs = runs_by_judge(session, access=access)
    failed = [
        replace(rating, value=verdict.words)
        for rating, verdict in judge_ratings(session, access=access, stage=stage, counted=counted)
        if not verdict.scored and (criteria is None or rating.criterion in criteria)
    ]
    return SeenOfJudges(runs, failed, *_attacked(session, runs, judges, access.reading))


def nothing_of(rows: Sequence[StoredRun], stage: Stage) -> str:
    """Return why a judge that ran here has no rating of a stage, not even a failed reply. The newest run decides."""
    row = rows[0]
    plan = JudgePlan.of(row.params["plan"])
    if plan.attacks:
        return (
            f"{row.name} rated only attack answers, which belong to no model. Name the run in which the same judge "
            "rated models' answers. The report finds the run with attack answers automatically."
        )
    if row.state in OPEN or row.state in RESUMABLE:
        return (
            f"{row.name} has not replied yet, because its run is {row.state.value}. Continue the run, then create "
            "the report again."
        )
    rated = ", ".join(dict.fromkeys(plan.criteria.values()))
    pairs = f" {ONE_VERDICT}" if stage is Stage.COMPARISON else ""
    return (
        f"{row.name} has no ratings for the stage {stage.value}. The judge rated {rated or 'no criterion'}. Choose "
        f"another judge or another stage.{pairs}"
    )


def _attacked(
    session: Session, runs_: Mapping[str, Sequence[StoredRun]], judges: Sequence[str], reading: Rewording
) -> tuple[list[AttackResult], tuple[str, ...]]:
    """Return these judges' scores for attack answers, and the runs over attack answers by other judges."""
    named = {same_judge(runs_[name][0]): name for name in reversed(judges) if name in runs_}
    over = {row.id: row for rows in runs_.values() for row in rows if JudgePlan.of(row.params["plan"]).attacks}
    mine = {id: named[same_judge(row)] for id, row in over.items() if same_judge(row) in named}
    plans = {id: stored_runs.judge_plan_now(over[id], reading) for id in mine}
    attack_results = []
    for result in judging.results_of_runs(session, run_ids=list(mine), attacks=True):
        plan = plans[result.run_id]
        if not result.verdict.scored:
            fell = None
        else:
            fell = fell_for(plan, plan.straight(result.value, swapped=result.swapped))
            if fell is None:
                continue
        attack_results.append(
            AttackResult(
                mine[result.run_id],
                result.criterion,
                result.attack or "",
                str(result.item_id),
                fell,
                None if result.verdict.scored else reason_of(result.verdict.words),
            )
        )
    return attack_results, tuple(dict.fromkeys(row.name for id, row in over.items() if id not in mine))


def fell_for(plan: JudgePlan, value: Any) -> bool | None:
    """Return whether a value for an attack answer is above the lowest value; None if values have no order.

    In a comparison the attack answer is the first, so a judge that prefers it has fallen for it.
    """
    if all(isinstance(score, int | float) and not isinstance(score, bool) for score in plan.values):
        return bool(value > min(plan.values))
    return same(value, next(iter(plan.mirror))) if plan.mirror else None
