"""Facts about a project's judges: their runs, a description of each judge, and the verdicts of an extension."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from db import judging, run_attempts
from db import runs as stored
from db.engine import Session, Store
from db.records import StoredRun
from domain.judging import JudgePlan
from domain.replies import JudgeAbout
from domain.run_kinds import RunKind
from workflow.access.projects import Access
from workflow.runs.stored_runs import spec_of_run


@dataclass(frozen=True)
class JudgeVerdicts:
    """Whether judges may stand in for people in a stage: what functions of the register ``judge_verdicts`` return."""

    by_judge: Mapping[str, Sequence[Mapping[str, str]]]
    """The verdicts of each judge, each with its ``criterion`` and its ``words``."""
    why_none: str = ""
    """Why the other judges have no verdict: ``not calibrated: it shares no rating with people``."""
    rule: str | None = None
    """The rule of the verdicts in words; None without a rule."""


def without_names(sentence: str, names: Collection[str]) -> str:
    """Return the sentence, or a neutral one if the sentence names a person."""
    return (
        "This number is not defined for these people." if any(name and name in sentence for name in names) else sentence
    )


def runs_by_judge(session: Session, *, access: Access) -> dict[str, list[StoredRun]]:
    """Return the runs of a project's judges by judge, newest first. Metrics are not included."""
    by_judge: dict[str, list[StoredRun]] = {}
    for row in stored.of_project(session, project_id=access.project_id, kind=RunKind.JUDGE):
        if row.withdrawn_at is None:
            by_judge.setdefault(row.name, []).append(row)
    return by_judge


def about_judges(store: Store, runs_: Mapping[str, Sequence[StoredRun]], names: Sequence[str]) -> list[JudgeAbout]:
    """Return descriptions of judges that ran here or whose replies were imported. All runs of a judge count
    together.
    """
    judges = []
    with store.read() as session:
        for name in dict.fromkeys(names):
            rows = sorted(runs_.get(name, ()), key=lambda row: row.id)
            if not rows:
                continue
            last = rows[-1]
            plan = JudgePlan.of(last.params["plan"])
            sums = [run_attempts.figures(session, run_id=row.id) for row in rows]
            costs = [tally.cost for tally in sums if tally.cost is not None]
            spec = last.params.get("spec") or {}
            price = (spec.get("endpoint") or {}).get("price") or {}
            versions = [version for row in rows for version in judging.parser_versions(session, run_id=row.id)]
            file = last.params.get("file")
            days = sorted({(row.started_at or row.created_at).date().isoformat() for row in rows})
            judges.append(
                JudgeAbout(
                    judge=name,
                    model=f"replies from {file}" if file else f"{spec.get('name')} ({spec.get('model')})",
                    spec_hash=spec_of_run(last).hash if spec else None,
                    template=plan.template,
                    template_version=plan.template_version,
                    template_hash=plan.template_hash,
                    parser=plan.parser,
                    parser_version=max(versions, default=plan.parser_version),
                    asked_at=days[0] if len(days) == 1 else f"{days[0]} to {days[-1]}",
                    state=" and ".join(dict.fromkeys(row.state.value for row in rows)),
                    wanted=sum(row.wanted for row in rows),
                    done=sum(sum(tally.by_outcome.values()) for tally in sums),
                    attempts=sum(tally.attempts for tally in sums),
                    failed_attempts=sum(judging.failed_attempts(session, run_id=row.id) for row in rows),
                    cost=sum(costs) if costs else None,
                    without_cost=sum(tally.without_cost for tally in sums),
                    currency=price.get("currency"),
                    runs=len(rows),
                    repeated=judging.repeated(session, run_ids=[row.id for row in rows]),
                )
            )
    return judges
