"""Facts about how a release was made: people, hours, agreement and judges.

All facts are JSON, so a release can store them. A point release repeats the facts of the release that it mends.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from agreement.summary import Result
from db import files, items, qualifications, work_pace
from db.engine import Session, Store
from db.records import StoredRun
from domain import extensions
from domain.errors import RatingsError
from domain.qualification import Standing
from domain.states import VERIFICATIONS, Cut, Purpose, Stage
from workflow.access.projects import Access
from workflow.annotate import qualification
from workflow.results import agreement_page, project_losses
from workflow.results.judge_facts import JudgeVerdicts, about_judges, runs_by_judge, without_names
from workflow.results.losses import losses_of_judges
from workflow.results.ratings import Raters, stage_rows

RATED = (*VERIFICATIONS, Stage.ANSWERING, Stage.GRADING, Stage.COMPARISON, Stage.CODING)
"""The stages that the page Agreement has."""
Facts = dict[str, Any]


def facts(store: Store, access: Access) -> Facts:
    """Return the facts about how a project was made. People are only counted, never named.

    The caller checks that the person may see the facts.
    """
    with store.read() as session:
        about = {
            "origin": _origin(session, access),
            "work": _work(session, access),
            "qualification": list(_qualification(session, access)),
        }
        runs = runs_by_judge(session, access=access)
    rated = [stage for stage in RATED if getattr(access.schema.stages, stage) is not None]
    measured = {stage: _agreement(store, access, stage) for stage in rated}
    answers = project_losses.of_models(store, project=access.name)
    return {
        **about,
        **({"answers": {"losses": answers}} if answers else {}),
        "agreement": [agreement for agreement, _ in measured.values()],
        "judges": [
            judge
            for stage, (_, raters) in measured.items()
            if raters is not None and (raters.judges or raters.from_files)
            for judge in _judges(store, access, stage, raters, runs)
        ],
    }


# ---- people ----------------------------------------------------------------------------------------------------------


def _origin(session: Session, access: Access) -> Facts:
    formats = {file.id: file.format for file in files.files(session, project_id=access.project_id)}
    counted: dict[str, int] = defaultdict(int)
    authors: set[int | None] = set()
    for row in items.each_outgoing(session, project_id=access.project_id):
        authors.add(row.author_id)
        counted[formats.get(row.file_id or 0, "") if row.file_id else ""] += 1
    return {
        "files": {name: n for name, n in sorted(counted.items()) if name},
        "written": counted.get("", 0),
        "authors": len(authors - {None}),
    }


def _work(session: Session, access: Access) -> Facts:
    paid = work_pace.paid(session, project_id=access.project_id, since=None, until=None)
    triaged = work_pace.triaged(session, project_id=access.project_id)
    live = [effort for effort in paid if effort.purpose is Purpose.LIVE and effort.stage is not Stage.TRIAGE]
    stages = []
    if triaged:
        stages.append(
            {"stage": Stage.TRIAGE.value, "people": len({who for who, _ in triaged}), "submissions": len(triaged)}
        )
    for stage in Stage:
        own = [effort for effort in live if effort.stage is stage]
        if own:
            stages.append(
                {
                    "stage": stage.value,
                    "people": len({effort.person_id for effort in own}),
                    "submissions": sum(effort.n for effort in own),
                    "seconds": round(sum(effort.seconds for effort in own), 3),
                    "untimed": sum(effort.untimed for effort in own),
                }
            )
    beside = [effort for effort in paid if effort.purpose in (Purpose.QUALIFICATION, Purpose.GOLD)]
    everyone = {effort.person_id for effort in live} | {who for who, _ in triaged}
    return {
        "people": len(everyone),
        "stages": stages,
        "beside": {
            "submissions": sum(effort.n for effort in beside),
            "seconds": round(sum(e.seconds for e in beside), 3),
        },
    }


def _qualification(session: Session, access: Access) -> Iterator[Facts]:
    for stage in Stage:
        asked = getattr(getattr(access.schema.stages, stage, None), "qualification", None)
        if asked is None:
            continue
        tries = qualifications.tries(session, project_id=access.project_id, stage=stage)
        real = [(row, person) for row, person in tries if row.set_id is not None]
        passed = {person.id for row, person in real if qualification.stored_state(session, row) is Standing.PASSED}
        yield {
            "stage": stage.value,
            "items": asked.items,
            "pass_mark": asked.pass_mark,
            "reviewers": asked.reviewers,
            "tried": len({person.id for _, person in real}),
            "passed": len(passed),
            "exempted": len({person.id for row, person in tries if row.set_id is None}),
        }


# ---- agreement -------------------------------------------------------------------------------------------------------


def _agreement(store: Store, access: Access, stage: Stage) -> tuple[Facts, Raters | None]:
    about: Facts = {"stage": stage.value}
    try:
        figures = agreement_page.figures(
            store,
            project=access.name,
            stage=stage,
            by=Cut.WHOLE,
            of_means=False,
            pool_guidelines=False,
            items=None,
        )
    except RatingsError:  # its sentence may name people
        why = "Touchstone cannot compare these ratings. The Agreement page shows the reason."
        return {**about, "people": None, "lines": [], "why": why}, None
    names = {*figures.raters.people, *figures.raters.from_files, *figures.logins}
    lines = [
        _line(line, names)
        for line in figures.lines
        if "pair" not in line.args or (line.n_raters == 2 and len(figures.raters.people) == 2)
    ]
    lost = losses_of_judges(stage_rows(store, person=None, project=access.name, stage=stage), stage=stage)
    losses = {"losses": words} if (words := [loss.unnamed for loss in lost]) else {}
    return {**about, "people": len(figures.raters.people), "lines": lines, **losses}, figures.raters


def _line(found: Result, names: set[str]) -> Facts:
    args = {name: str(found.args[name]) for name in ("guideline", "schema") if name in found.args}
    return {
        "statistic": found.statistic,
        "name": found.name,
        "criterion": found.criterion,
        "value": found.value,
        "low": found.low,
        "high": found.high,
        "method": found.method,
        "n_units": found.n_units,
        "n_raters": found.n_raters,
        "n_left_out": found.n_left_out,
        "reason": None if found.reason is None else without_names(found.reason, names),
        **args,
    }


# ---- judges ----------------------------------------------------------------------------------------------------------


def _judges(
    store: Store, access: Access, stage: Stage, raters: Raters, runs: Mapping[str, Sequence[StoredRun]]
) -> Iterator[Facts]:
    mine = [name for name in raters.judges if name not in raters.metrics]
    ruled = _verdicts(store, access, stage, raters, mine)
    for about in about_judges(store, runs, mine):
        yield {
            "stage": stage.value,
            "judge": about.judge,
            "model": about.model,
            "template": None if about.template is None else f"{about.template}, version {about.template_version}",
            "asked": about.asked_at,
            "verdicts": list(ruled.by_judge.get(about.judge, ())),
            "why_none": ruled.why_none,
            "rule": ruled.rule,
        }
    if raters.metrics:
        yield {"stage": stage.value, "metrics": sorted(raters.metrics)}
    if raters.from_files:
        yield {"stage": stage.value, "from_files": len(raters.from_files)}


def _verdicts(store: Store, access: Access, stage: Stage, raters: Raters, judges: Sequence[str]) -> JudgeVerdicts:
    """Return the verdicts on judges that an extension reaches."""
    for function in extensions.rows("judge_verdicts"):
        verdicts: JudgeVerdicts = function(store, access, stage=stage, raters=raters, judges=judges)
        return verdicts
    return JudgeVerdicts({}, "not calibrated, because the calibration extension is not installed")
