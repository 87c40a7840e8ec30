"""The input of a calibration report: ratings, judges and scales of a project."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import astuple, dataclass, replace
from functools import cached_property
from typing import Any

from agreement.ratings import Scale
from annotation_schemas import derived, reporting
from annotation_schemas.model import DerivedCriterion, Schema
from db import files
from db import items as items_read
from db.engine import Session, Store
from db.records import StoredRun
from domain import extensions
from domain.errors import RatingsError
from domain.rated_units import unit_of
from domain.records import Person, Rating, UnitFacts
from domain.states import VERIFICATIONS, Cut, Items, Stage
from extensions.calibration.derived_ratings import MAJORITY, scale_of, settled_ratings
from extensions.calibration.judge_outcomes import nothing_of, seen_of_judges
from extensions.calibration.kept_rule import stored_rule
from extensions.calibration.report.study import Runs, Study
from extensions.calibration.report.whole import RatingSource
from reports.content import Section
from workflow.access.projects import Access, require_lead
from workflow.annotate.sample_standing import counting_in_stage
from workflow.results.judge_facts import about_judges
from workflow.results.rater_agreement import measurable_ratings, scales_with_metrics
from workflow.results.ratings import Raters, by_guideline, cut_by, raters_of
from workflow.results.reply_counts import ends_of


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
) -> tuple[Study, RatingSource]:
    """Return the ratings of one stage with people and judges separated, and the source that identifies these ratings.

    People are raters with an account here, and imported raters who are marked as people
    (``workflow.results.file_raters``). Any other imported rater is a machine, unless ``vouched`` declares the rater a
    person for this report. A derived criterion compares a judge with the majority of people, who have settled every
    part before (``extensions.calibration.derived_ratings``). ``by`` selects how ratings are cut, and ``statistics`` the
    coefficients in tables (empty for all). None follows the schema's report; without one, ratings are cut by dimension
    and all coefficients are shown.

    Raises
    ------
    RatingsError
        A machine is named among the people or a person among the judges, a named rater has no ratings, or people
        rated under several versions of the guideline that the caller did not pool.
    """
    with store.read() as session:
        access = require_lead(session, by=person, project=project)
    schema, scales = access.schema, scales or {}
    by = by or reporting.cut_first(schema) or Cut.DIMENSION
    rules = _rules(schema, stage, criteria)
    needed = _with_parts(rules, criteria)
    rows, declared = measurable_ratings(
        store, person=person, project=project, stage=stage, criteria=needed, scales=scales, items=items
    )
    with store.read() as session:
        counted = counting_in_stage(session, access=access, items_=items, stage=stage)
        about = _units(session, access)
        seen = seen_of_judges(session, access, stage, judges, counted, needed)
    raters = raters_of(store, person=person, project=project, stage=stage)
    sides = _Sides(tuple(humans), tuple(judges), _asked_again(runs or Runs(), raters, judges), raters)
    lost = frozenset(unparsed) | {str(rating.value) for rating in seen.failed}
    rows = sides.with_settled(schema, rules, [*rows, *seen.failed], lost)
    sides.refuse_mixtures(vouched)
    _refuse_silent(judges, seen.runs, rows, stage)
    used = [row for row in rows if row.rater in sides.everyone]
    _refuse_several_guidelines([row for row in used if row.rater in humans], pooled=pool_guidelines)
    study = Study(
        cut_by(rows, schema, by),
        sides.humans,
        sides.judges,
        scales=_scales(declared, rules, used, metrics=raters.metrics, overruled=scales),
        criteria=tuple(criteria) if criteria else None,
        about=about,
        runs=sides.runs,
        families=families or {},
        unparsed=lost,
        together=MAJORITY if any(row.rater == MAJORITY for row in rows) else None,
        tuned=tuned,
        ends={name: bounds for name, bounds in _ends(schema, stage, rules).items() if name not in scales},
        metrics=raters.metrics,
        attacks=[attack for attack in seen.attacked if criteria is None or attack.criterion in criteria],
        attacked_others=seen.attacked_others,
        by_dimension=by is not Cut.WHOLE,
        statistics=reporting.with_means(reporting.agreement_first(schema) if statistics is None else statistics),
        rule=stored_rule(store, person=person, project=project, judges=judges),
        sections=_sections(store, person=person, project=project, stage=stage, items=items),
        judge_runs=about_judges(store, seen.runs, [*judges, *sides.runs.earlier_names()]),
    )
    return study, RatingSource(f"{access.title}, {stage.value}", _digest(used), "project", counted.whole_sentence)


def _sections(store: Store, **about: Any) -> list[Section]:
    """Return the sections that extensions add to a report about these ratings."""
    made = (section(store, **about) for _, section in extensions.rows("report_sections"))
    return [section for section in made if section is not None]


def models_with_answers(store: Store, *, person: Person | None, project: str) -> list[str]:
    """Return the models whose answers a project has; some may belong to a judge's own family."""
    with store.read() as session:
        access = require_lead(session, by=person, project=project)
        return items_read.models(session, project_id=access.project_id)


def stage_first(store: Store, *, person: Person | None, project: str) -> Stage:
    """Return the default stage of a report.

    The default is the stage of the schema's report unit if a machine has rated there, then grading, then verification.
    """
    with store.read() as session:
        schema = require_lead(session, by=person, project=project).schema
    there = [stage for stage in (Stage.GRADING, *VERIFICATIONS) if getattr(schema.stages, stage.value) is not None]
    first = reporting.stage_first(schema)
    if first in there and raters_of(store, person=person, project=project, stage=first).machines:
        return first
    return there[0] if there else Stage.GRADING


def with_names(study: Study, called: Mapping[str, str]) -> Study:
    """Return the study with people's display names in place of their logins."""
    rows = [replace(row, rater=called.get(row.rater, row.rater)) for row in study.rows]
    return replace(study, rows=rows, humans=tuple(called.get(name, name) for name in study.humans))


def with_titles(study: Study, titles: Mapping[str, str]) -> Study:
    """Return the study, cut by dimension, with titles in place of the dimensions' ids. No two titles may be equal."""
    rows = [
        replace(row, dimension=titles.get(row.dimension, row.dimension)) if row.dimension else row for row in study.rows
    ]
    return replace(study, rows=rows)


def _rules(schema: Schema, stage: Stage, criteria: Sequence[str] | None) -> dict[str, DerivedCriterion]:
    """Return the selected derived criteria, by name."""
    if stage is not Stage.GRADING:
        return {}
    return {rule.name: rule for rule in schema.report.derived if criteria is None or rule.name in criteria}


def _with_parts(rules: Mapping[str, DerivedCriterion], criteria: Sequence[str] | None) -> list[str] | None:
    """Return the criteria whose ratings are needed. The parts of a derived criterion take its place."""
    if criteria is None:
        return None
    plain = [name for name in criteria if name not in rules]
    return list(dict.fromkeys([*plain, *(part for rule in rules.values() for part in rule.parts)]))


def _units(session: Session, access: Access) -> dict[str, UnitFacts]:
    """Return the content of each unit: an item, or a model's answer to an item with its length."""
    external = {id: name for id, name, _ in files.item_ids(session, project_id=access.project_id)}
    return {name: UnitFacts(item=name) for name in external.values()} | {
        unit_of(external[row.item_id], row.model): UnitFacts(external[row.item_id], row.model, float(len(row.text)))
        for row in files.predictions(session, project_id=access.project_id)
        if row.item_id in external
    }


def _scales(
    declared: Mapping[str, Scale],
    rules: Mapping[str, DerivedCriterion],
    rows: Sequence[Rating],
    *,
    metrics: Collection[str],
    overruled: Mapping[str, Scale],
) -> dict[str, Scale]:
    """Return the scale of each rated criterion, derived criteria included."""
    known = {**declared, **{name: overruled.get(name, scale_of(rule)) for name, rule in rules.items()}}
    rated = {row.criterion for row in rows}
    known = scales_with_metrics(known, rows, metrics=metrics, overruled=overruled)
    return {name: scale for name, scale in known.items() if name in rated}


def _ends(schema: Schema, stage: Stage, rules: Mapping[str, DerivedCriterion]) -> dict[str, Sequence[Any]]:
    """Return the values of each criterion, or at least the lowest and the highest. Derived criteria need both ends."""
    followed = {name: derived.ends(schema, rule) for name, rule in rules.items()}
    return {**ends_of(schema, stage), **{name: bounds for name, bounds in followed.items() if None not in bounds}}


# ---- who is a person and who a judge ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Sides:
    """The two sides of a comparison: people, and judges with their repeated and swapped runs."""

    humans: tuple[str, ...]
    judges: tuple[str, ...]
    runs: Runs
    raters: Raters
    """All raters, by group."""

    @cached_property
    def everyone(self) -> frozenset[str]:
        """The names of both sides."""
        return frozenset({*self.humans, *self.judges, *self.runs.names()})

    def with_settled(
        self, schema: Schema, rules: Mapping[str, DerivedCriterion], rows: Sequence[Rating], lost: frozenset[str]
    ) -> list[Rating]:
        """Return the ratings with the derived ratings that follow from them. ``lost`` are values of unreadable
        replies.
        """
        machines = {*self.judges, *self.runs.names()} - self.raters.metrics
        ratings = list(rows)
        for rule in rules.values():
            ratings += settled_ratings(schema, rule, ratings, humans=self.humans, machines=machines, unparsed=lost)
        return ratings

    def refuse_mixtures(self, vouched: Sequence[str]) -> None:
        """Raise ``RatingsError`` where a machine is named among the people, or a person among the judges."""
        for name in self.humans:
            if name in self.raters.judges:
                raise RatingsError(
                    f"{name} is a judge that ran in this project. Name this rater as a judge, not as a person."
                )
            if name in self.raters.from_files and name not in vouched:
                raise RatingsError(
                    f"{name} has no account on this server, because these ratings came from a file. If "
                    f"{name} is a person, use --vouch {name}. You can also mark {name} as a person on the "
                    "Add items page or with `touchstone rater list`."
                )
        for name in self.judges:
            if name in self.raters.people_from_files:
                raise RatingsError(
                    f"{name} is marked as a person in this project. If {name} is a machine, mark this "
                    "rater as a machine on the Add items page or with `touchstone rater list`."
                )
            if name in self.raters.people:
                raise RatingsError(
                    f"{name} gave ratings with an account on this server, so {name} is a person. Name {name} as "
                    "a person."
                )


def _refuse_silent(
    judges: Sequence[str], runs_: Mapping[str, Sequence[StoredRun]], rows: Sequence[Rating], stage: Stage
) -> None:
    """Raise ``RatingsError`` where a judge that was run here has no rating at all."""
    rated = {row.rater for row in rows}
    for name in judges:
        if name in runs_ and name not in rated:
            raise RatingsError(nothing_of(runs_[name], stage))


def _refuse_several_guidelines(rows: Sequence[Rating], *, pooled: bool) -> None:
    """Raise ``RatingsError`` where people's ratings were made under several versions of the guideline, unless these
    are ``pooled``."""
    versions = [number for number, _ in by_guideline(rows)]
    if len(versions) > 1 and not pooled:
        numbers = " and ".join("that of files" if number is None else str(number) for number in versions)
        raise RatingsError(
            f"People used versions {numbers} of the guideline. To combine these ratings, use --pool-guidelines."
        )


def _asked_again(runs: Runs, raters: Raters, judges: Sequence[str]) -> Runs:
    """Return the runs with known repeats and swapped runs of judges that ran here."""

    def with_known(given: Mapping[str, Sequence[str]], known: Mapping[str, Sequence[str]]) -> dict[str, Sequence[str]]:
        return {**{name: known[name] for name in judges if known.get(name)}, **given}

    return replace(
        runs, repeats=with_known(runs.repeats, raters.repeats), swapped=with_known(runs.swapped, raters.swapped)
    )


def _digest(rows: Sequence[Rating]) -> str:
    """Return the SHA-256 of the ratings as sorted JSON lines. Equal ratings give equal digests."""
    lines = sorted(json.dumps(astuple(row), ensure_ascii=False, default=str) for row in rows)
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()
