"""Gather what a calibration report of a project is computed from."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import astuple, replace

from agreement.ratings import Scale
from db import files
from db.engine import Store
from domain.errors import RatingsError
from domain.records import About, Person, Rating
from domain.states import Stage
from reports.content import Source
from reports.study import Runs, Study
from workflow.measure import beside_metrics, measured
from workflow.projects import require_lead
from workflow.ratings import Raters, by_guideline, judge_ratings, raters_of, unit_of


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
) -> tuple[Study, Source]:
    """The ratings of one stage of a project with people and judges told apart, and what identifies these ratings.

    People are those who rated here under an account of their own. A rater whose ratings came from a file is a machine,
    unless ``vouched`` says that it is a person.

    Raises
    ------
    RatingsError
        A machine is named among the people or a person among the judges, nobody of that name has rated, or people
        rated under several versions of the guideline and nobody said to pool them.
    """
    rows, declared = measured(store, person=person, project=project, stage=stage, criteria=criteria, scales=scales)
    with store.read() as session:
        access = require_lead(session, by=person, project=project)
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
            for rating, verdict in judge_ratings(session, access=access, stage=stage)
            if not verdict.scored and (criteria is None or rating.criterion in criteria)
        ]
    raters = raters_of(store, person=person, project=project, stage=stage)
    rows = [*rows, *failed]
    runs = _asked_again(runs or Runs(), raters, judges)
    for name in humans:
        if name in raters.judges:
            raise RatingsError(f"{name} is a judge that was run here, and never counted among the people.")
        if name in raters.from_files and name not in vouched:
            raise RatingsError(
                f"{name} has no account here: these ratings came from a file, and a machine is never counted among the "
                f"people. If {name} is a person, say so with --vouch {name}."
            )
    for name in judges:
        if name in raters.people:
            raise RatingsError(f"{name} rated here under an account, and so is a person, not a judge.")
    used = [row for row in rows if row.rater in {*humans, *judges, *runs.names()}]
    declared = beside_metrics(declared, used, metrics=raters.metrics, overruled=scales or {})
    versions = [number for number, _ in by_guideline([row for row in used if row.rater in humans])]
    if len(versions) > 1 and not pool_guidelines:
        told = " and ".join("that of files" if number is None else str(number) for number in versions)
        raise RatingsError(
            f"People rated under versions {told} of the guideline. Ratings under different guidelines are not compared "
            "unless you say so with --pool-guidelines."
        )
    study = Study(
        rows,
        tuple(humans),
        tuple(judges),
        scales={name: scale for name, scale in declared.items() if name in {row.criterion for row in used}},
        criteria=tuple(criteria) if criteria else None,
        about=about,
        runs=runs,
        families=families or {},
        unparsed=frozenset(unparsed) | {str(rating.value) for rating in failed},
        tuned=tuned,
    )
    return study, Source(f"{access.title}, {stage.value}", _digest(used), "project")


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
