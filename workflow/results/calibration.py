"""Gather what a calibration report of a project is computed from."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import astuple, replace
from datetime import datetime
from typing import Any

from agreement.ratings import Scale
from agreement.verdict import Rule
from annotation_schemas import derived, reporting
from annotation_schemas.model import Derived, Schema
from db import events, files, judging, projects, run_attempts
from db import runs as stored
from db.engine import Session, Store
from db.records import StoredRun
from domain.errors import RatingsError
from domain.judging import JudgePlan
from domain.policies import same
from domain.rated_units import unit_of
from domain.records import About, Person, Rating
from domain.replies import Attacked, JudgeAbout, reason_of
from domain.runs import OPEN, RESUMABLE, RunKind
from domain.states import Cut, Items, Stage
from reports.content import Source
from reports.ruling import rule_from_text, rule_of
from reports.study import Runs, StoredRule, Study
from workflow.access.counted_items import counting
from workflow.access.event_log import log
from workflow.access.projects import Access, require_lead
from workflow.results.derived_criteria import MAJORITY, scale_of, settled_ratings
from workflow.results.rater_agreement import beside_metrics, measured
from workflow.results.ratings import Raters, by_guideline, cut_by, judge_ratings, raters_of
from workflow.results.reply_counts import ends_of
from workflow.runs.identities import same_judge
from workflow.runs.stored_runs import spec_of_run


def study_of(
    store: Store,
    *,
    person: Person | None,
    project: str,
    stage: Stage,
    humans: Sequence[str],
    judges: Sequence[str],
    vouched: Sequence[str] = (),
    criteria: Sequence[str] | None = None,
    scales: Mapping[str, Scale] | None = None,
    runs: Runs | None = None,
    families: Mapping[str, Sequence[str]] | None = None,
    unparsed: Sequence[str] = (),
    tuned: bool = False,
    pool_guidelines: bool = False,
    items: Items | str | None = None,
    by: Cut | None = None,
    statistics: Collection[str] | None = None,
) -> tuple[Study, Source]:
    """The ratings of one stage of a project with people and judges told apart, and what identifies these ratings.

    People are those who rated here under an account of their own, and raters out of files who are marked as people
    (``workflow.results.file_raters``). Any other rater whose ratings came from a file is a machine, unless ``vouched``
    says for this report that it is a person. A derived criterion compares a judge with most of the people, who have
    settled every part before (``workflow.results.derived_criteria``).

    ``by`` and ``statistics`` are how ratings are cut and which coefficients stand in tables (none: all); None: as the
    schema's report says, else by dimension and all.

    Raises
    ------
    RatingsError
        A machine is named among the people or a person among the judges, no one of that name has rated, or people
        rated under several versions of the guideline and no one said to pool them.
    """
    with store.read() as session:
        schema = require_lead(session, by=person, project=project).schema
    rules = _rules(schema, stage, criteria)
    by = by or reporting.cut_first(schema) or Cut.DIMENSION
    statistics = reporting.agreement_first(schema) if statistics is None else statistics
    needed = None
    if criteria is not None:
        plain = [name for name in criteria if name not in rules]
        needed = list(dict.fromkeys([*plain, *(part for rule in rules.values() for part in rule.parts)]))
    rows, declared = measured(
        store, person=person, project=project, stage=stage, criteria=needed, scales=scales, items=items
    )
    with store.read() as session:
        access = require_lead(session, by=person, project=project)
        counted = counting(session, access=access, items_=items, stage=stage)
        project_id = access.project_id
        external = {id: name for id, name, _ in files.item_ids(session, project_id=project_id)}
        about = {name: About(item=name) for name in external.values()}
        answers = files.predictions(session, project_id=project_id)
        about |= {
            unit_of(external[row.item_id], row.model): About(external[row.item_id], row.model, float(len(row.text)))
            for row in answers
            if row.item_id in external
        }
        failed = [
            replace(rating, value=verdict.words)
            for rating, verdict in judge_ratings(session, access=access, stage=stage, counted=counted)
            if not verdict.scored and (needed is None or rating.criterion in needed)
        ]
        judge_runs = runs_by_judge(session, access=access)
        attacked, attacked_others = _attacked(session, judge_runs, judges)
    raters = raters_of(store, person=person, project=project, stage=stage)
    rows = [*rows, *failed]
    runs = _asked_again(runs or Runs(), raters, judges)
    lost = frozenset(unparsed) | {str(rating.value) for rating in failed}
    for rule in rules.values():
        machines = {*judges, *runs.names()} - raters.metrics
        rows += settled_ratings(access.schema, rule, rows, humans=humans, machines=machines, unparsed=lost)
        declared[rule.name] = (scales or {}).get(rule.name, scale_of(rule))
    for name in humans:
        if name in raters.judges:
            raise RatingsError(f"{name} is a judge that was run here, and never counted among the people.")
        if name in raters.from_files and name not in vouched:
            raise RatingsError(
                f"{name} has no account here: these ratings came from a file, and a machine is never counted among the "
                f"people. If {name} is a person, say so with --vouch {name}; for good, where raters out of files are "
                "listed (touchstone project raters, or Import)."
            )
    there = {row.rater for row in rows}
    for name in judges:
        if name in raters.people_from_files:
            raise RatingsError(
                f"{name} counts among the people of this project, and so is no judge. If it is a machine, say so where "
                "raters out of files are listed (touchstone project raters, or Import)."
            )
        if name in raters.people:
            raise RatingsError(f"{name} rated here under an account, and so is a person, not a judge.")
        if name in judge_runs and name not in there:
            raise RatingsError(nothing_of(judge_runs[name], stage))
    used = [row for row in rows if row.rater in {*humans, *judges, *runs.names()}]
    declared = beside_metrics(declared, used, metrics=raters.metrics, overruled=scales or {})
    versions = [number for number, _ in by_guideline([row for row in used if row.rater in humans])]
    if len(versions) > 1 and not pool_guidelines:
        told = " and ".join("that of files" if number is None else str(number) for number in versions)
        raise RatingsError(
            f"People rated under versions {told} of the guideline. Ratings under different guidelines are not compared "
            "unless you say so with --pool-guidelines."
        )
    followed = {name: derived.ends(access.schema, rule) for name, rule in rules.items()}
    known_ends = {
        **ends_of(access.schema, stage),
        **{name: each for name, each in followed.items() if None not in each},
    }
    study = Study(
        cut_by(rows, schema, by),
        tuple(humans),
        tuple(judges),
        scales={name: scale for name, scale in declared.items() if name in {row.criterion for row in used}},
        criteria=tuple(criteria) if criteria else None,
        about=about,
        runs=runs,
        families=families or {},
        unparsed=lost,
        together=MAJORITY if any(row.rater == MAJORITY for row in rows) else None,
        tuned=tuned,
        ends={name: each for name, each in known_ends.items() if name not in (scales or {})},
        metrics=raters.metrics,
        attacks=[each for each in attacked if criteria is None or each.criterion in criteria],
        attacked_others=attacked_others,
        by_dimension=by is not Cut.WHOLE,
        statistics=reporting.with_means(statistics),
        rule=stored_rule(store, person=person, project=project, judges=judges),
        judge_runs=_abouts(store, judge_runs, [*judges, *runs.earlier_names()]),
    )
    return study, Source(f"{access.title}, {stage.value}", _digest(used), "project", counted.sentence)


def stage_first(store: Store, *, person: Person | None, project: str) -> Stage:
    """The stage whose ratings are compared first: that of the unit of the schema's report, if a machine has rated
    there, else grading, else verification."""
    with store.read() as session:
        schema = require_lead(session, by=person, project=project).schema
    there = [each for each in (Stage.GRADING, Stage.VERIFICATION) if getattr(schema.stages, each.value) is not None]
    first = reporting.stage_first(schema)
    if first in there and raters_of(store, person=person, project=project, stage=first).machines:
        return first
    return there[0] if there else Stage.GRADING


def with_names(study: Study, called: Mapping[str, str]) -> Study:
    """The same study with what people are called in place of their logins."""
    rows = [replace(row, rater=called.get(row.rater, row.rater)) for row in study.rows]
    return replace(study, rows=rows, humans=tuple(called.get(name, name) for name in study.humans))


RULE = "calibration.rule"
"""The event of a rule that was stored."""


def store_rule(store: Store, *, by: Person | None, project: str, text: str) -> None:
    """Keep the rule of the verdict with a project, with the moment; a rule that is kept already keeps its moment.

    Raises ``RatingsError`` where the text is no rule.
    """
    wanted = rule_from_text(text)
    with store.write() as session:
        access = require_lead(session, by=by, project=project)
        kept = _kept_rule(session, access)
        if kept is None or kept[0] != wanted:
            log(session, RULE, by=by, project=access, now=store.now(), data={"rule": text})


def stored_rule(store: Store, *, person: Person | None, project: str, judges: Sequence[str]) -> StoredRule:
    """The rule that is kept with a project, and whether it was there before the first reply of one of these judges."""
    with store.read() as session:
        access = require_lead(session, by=person, project=project)
        kept = _kept_rule(session, access)
        if kept is None:
            return StoredRule()
        first = stored.first_reply(session, project_id=access.project_id, judges=judges)
    rule, at = kept
    return StoredRule(
        rule,
        at.date().isoformat(),
        first.date().isoformat() if first else None,
        before=first is not None and at < first,
    )


def _kept_rule(session: Session, access: Access) -> tuple[Rule, datetime] | None:
    """The rule that holds for a project and since when: the one stored last, else the schema's, with which the project
    began."""
    found = events.found(session, project_id=access.project_id, kinds=(RULE,), limit=1)
    if found:
        return rule_from_text(str(found[0][0].data["rule"])), found[0][0].at
    said = access.schema.report.rule
    return (rule_of(said.model_dump()), projects.begun(session, id=access.project_id)) if said else None


def _rules(schema: Schema, stage: Stage, criteria: Sequence[str] | None) -> dict[str, Derived]:
    """The derived criteria that are asked about, by name."""
    if stage is not Stage.GRADING:
        return {}
    return {rule.name: rule for rule in schema.report.derived if criteria is None or rule.name in criteria}


def runs_by_judge(session: Session, *, access: Access) -> dict[str, list[StoredRun]]:
    """The runs of judges of a project by what the judges are called, the newest first; metrics are none."""
    found: dict[str, list[StoredRun]] = {}
    for row in stored.of_project(session, project_id=access.project_id, kind=RunKind.JUDGE):
        if row.withdrawn_at is None:
            found.setdefault(row.name, []).append(row)
    return found


def nothing_of(rows: Sequence[StoredRun], stage: Stage) -> str:
    """Why a judge that was run here has no rating of a stage, not even a reply that failed; of its newest run."""
    row = rows[0]
    plan = JudgePlan.of(row.params["plan"])
    if plan.attacks:
        return (
            f"{row.name} was asked about answers that try to talk a judge into a score, which are no one's. Name the "
            "run of the same judge over models' answers; the report finds this one by itself."
        )
    if row.state in OPEN or row.state in RESUMABLE:
        return f"{row.name} has no reply yet: its run is {row.state.value}. Let it go on, then ask again."
    rated = ", ".join(dict.fromkeys(plan.criteria.values()))
    return f"{row.name} has said nothing about what is rated in {stage.value}; it was asked about {rated or 'nothing'}."


def _attacked(
    session: Session, runs_: Mapping[str, Sequence[StoredRun]], judges: Sequence[str]
) -> tuple[list[Attacked], tuple[str, ...]]:
    """What these judges gave to attack answers, and the runs over such answers by others."""
    named = {same_judge(runs_[name][0]): name for name in reversed(judges) if name in runs_}
    over = {row.id: row for rows in runs_.values() for row in rows if JudgePlan.of(row.params["plan"]).attacks}
    mine = {id: named[same_judge(row)] for id, row in over.items() if same_judge(row) in named}
    plans = {id: JudgePlan.of(over[id].params["plan"]) for id in mine}
    found = []
    for each in judging.read(session, run_ids=list(mine), attacks=True):
        plan = plans[each.run_id]
        if not each.verdict.scored:
            fell = None
        else:
            fell = fell_for(plan, plan.straight(each.value, swapped=each.swapped))
            if fell is None:
                continue
        found.append(
            Attacked(
                mine[each.run_id],
                each.criterion,
                each.attack or "",
                str(each.item_id),
                fell,
                None if each.verdict.scored else reason_of(each.verdict.words),
            )
        )
    return found, tuple(dict.fromkeys(row.name for id, row in over.items() if id not in mine))


def fell_for(plan: JudgePlan, value: Any) -> bool | None:
    """Whether a value given to an attack answer is more than the lowest; None where values have no order.

    In a comparison the answer stands first, and to prefer it is to fall for it.
    """
    if all(isinstance(each, int | float) and not isinstance(each, bool) for each in plan.values):
        return bool(value > min(plan.values))
    return same(value, next(iter(plan.mirror))) if plan.mirror else None


def _abouts(store: Store, runs_: Mapping[str, Sequence[StoredRun]], names: Sequence[str]) -> list[JudgeAbout]:
    """What judges are, of those that were run here or whose replies were brought in; all runs of a judge together."""
    found = []
    with store.read() as session:
        for name in dict.fromkeys(names):
            rows = sorted(runs_.get(name, ()), key=lambda row: row.id)
            if not rows:
                continue
            last = rows[-1]
            plan = JudgePlan.of(last.params["plan"])
            sums = [run_attempts.figures(session, run_id=row.id) for row in rows]
            costs = [each.cost for each in sums if each.cost is not None]
            spec = last.params.get("spec") or {}
            price = (spec.get("endpoint") or {}).get("price") or {}
            versions = [each for row in rows for each in judging.parser_versions(session, run_id=row.id)]
            file = last.params.get("file")
            days = sorted({(row.started_at or row.created_at).date().isoformat() for row in rows})
            found.append(
                JudgeAbout(
                    judge=name,
                    model=f"replies out of {file}" if file else f"{spec.get('name')} ({spec.get('model')})",
                    spec_hash=spec_of_run(last).hash if spec else None,
                    template=plan.template,
                    template_version=plan.template_version,
                    template_hash=plan.template_hash,
                    parser=plan.parser,
                    parser_version=max(versions, default=plan.parser_version),
                    asked_at=days[0] if len(days) == 1 else f"{days[0]} to {days[-1]}",
                    state=" and ".join(dict.fromkeys(row.state.value for row in rows)),
                    wanted=sum(row.wanted for row in rows),
                    done=sum(sum(each.by_outcome.values()) for each in sums),
                    attempts=sum(each.attempts for each in sums),
                    failed_attempts=sum(judging.failed_attempts(session, run_id=row.id) for row in rows),
                    cost=sum(costs) if costs else None,
                    without_cost=sum(each.without_cost for each in sums),
                    currency=price.get("currency"),
                    runs=len(rows),
                    repeated=judging.repeated(session, run_ids=[row.id for row in rows]),
                )
            )
    return found


def _asked_again(runs: Runs, raters: Raters, judges: Sequence[str]) -> Runs:
    """With what a judge said when it was asked again or in the other order, which is known of those run here."""

    def with_known(given: Mapping[str, Sequence[str]], known: Mapping[str, Sequence[str]]) -> dict[str, Sequence[str]]:
        return {**{name: known[name] for name in judges if known.get(name)}, **given}

    return replace(
        runs, repeats=with_known(runs.repeats, raters.repeats), swapped=with_known(runs.swapped, raters.swapped)
    )


def _digest(rows: Sequence[Rating]) -> str:
    """The SHA-256 of the ratings as JSON lines in order: the same ratings give the same digest."""
    lines = sorted(json.dumps(astuple(row), ensure_ascii=False, default=str) for row in rows)
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()
