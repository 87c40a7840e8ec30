"""Runs of judges over models' answers: how they are written down, and what they will ask.

A run of a judge is a run like that of a model, shared by the same workers. Its units are answers, or pairs of them, or
attack answers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from annotation_schemas import judge_templates, registry
from annotation_schemas.model import Schema
from db import judging
from db.engine import Store
from db.records import StoredJudgeUnit
from domain.errors import ModelRefused
from domain.judging import JudgePlan
from domain.records import Person
from domain.runs import Question, RunKind
from domain.settings import Settings
from inference.spec import ModelSpec
from workflow.access.projects import require_lead
from workflow.runs import run_start
from workflow.runs.identities import filled as filled

if TYPE_CHECKING:
    from pathlib import Path

    from media.store import MediaStore
from workflow.runs.judge_questions import JudgeAsker, asker_of
from workflow.runs.judge_units import counted_in, units_of


def start(
    store: Store,
    *,
    by: Person | None,
    project: str,
    spec: ModelSpec,
    plan: JudgePlan,
    settings: Settings | None = None,
) -> str:
    """Write down a run of a judge, so that workers can take it; its public id.

    The template is kept with the project as the version that it is. ``by`` None is the command on the machine itself;
    with ``settings`` a waiting worker is woken at once.

    Raises
    ------
    NotAvailable
        The template or its parser is not built.
    ModelRefused
        Batch files are wanted of a model that is no endpoint.
    InvalidInput
        There is nothing to judge.
    """
    registry.require_row("parser", plan.parser)
    if plan.batch and spec.endpoint is None:
        raise ModelRefused(f"{spec.name} is no endpoint, and batch files are for endpoints only.")
    with store.write() as session:
        access = require_lead(session, by=by, project=project)
        counted = counted_in(session, access, plan)
        if counted.verdicts:
            plan = replace(plan, items=counted.which.value)
        rows = units_of(session, access, plan)
        spec = as_schema_says(access.schema, plan.template, spec)
        run = run_start.write_down(
            session,
            store,
            access,
            by=by,
            kind=RunKind.JUDGE,
            label=label_of(spec, plan),
            spec=kept_to(run_start.at_home(spec, settings, by=by), plan),
            plan=plan,
            n_units=len(rows),
        )
        ids = judging.add_units(session, rows=[{"run_id": run.id, **row} for row in rows])
        run_start.add_chunks(session, run, ids)
    if not plan.batch:
        run_start.wake(settings, run.public_id)
    return run.public_id


def as_schema_says(schema: Schema, template: str, spec: ModelSpec) -> ModelSpec:
    """The description with the temperature and longest reply that the schema has for this judge, where it says none
    itself: of the schema's judges with that template the one with that model, else the first."""
    judges = [each for each in schema.judges if each.template == template]
    judge = next((each for each in judges if each.model == spec.model), judges[0] if judges else None)
    if judge is None:
        return spec
    return spec.with_defaults(temperature=judge.temperature, max_tokens=judge.max_tokens)


def kept_to(spec: ModelSpec, plan: JudgePlan) -> ModelSpec:
    """The judge's description with the form of replies that the template asks the endpoint for, if it does."""
    head = judge_templates.parse_template(plan.template_text, name=plan.template).head
    if not head.response_format:
        return spec
    form = {"response_format": dict(head.response_format)}
    return spec.model_copy(update={"generation": spec.generation.model_copy(update=form)})


def label_of(spec: ModelSpec, plan: JudgePlan) -> str:
    """What tables call a judge who is asked in this way: model, template, and the template's version."""
    attacked = ", attacked" if plan.attacks else ""
    return f"{spec.name} by {plan.template} {plan.template_version}{attacked}"


@dataclass(frozen=True)
class Foreseen:
    """What will happen, before anything is asked."""

    n_units: int
    """How often the judge is asked, attempts that fail not counted."""
    n_answers: int
    questions: tuple[Question, ...]
    """The first ones, as they will be asked."""
    cannot: Mapping[str, int]
    """How many of those looked at cannot be asked, by the reason."""
    looked_at: int


LOOKED_AT = 2_000
"""So many requests are looked at before a run is started, so that the page of a large project answers at once."""


def foreseen(
    store: Store,
    media: MediaStore,
    *,
    by: Person | None,
    project: str,
    spec: ModelSpec,
    plan: JudgePlan,
    cache: Path,
    first: int = 20,
    most: int = LOOKED_AT,
) -> Foreseen:
    """What a run with this plan would ask. Nothing is written down.

    The ``first`` questions are made with their pictures; up to ``most`` are looked at for what their texts lack.

    Raises
    ------
    InvalidInput
        There is nothing to judge.
    """
    with store.read() as session:
        access = require_lead(session, by=by, project=project)
        rows = units_of(session, access, plan)
    asker = asker_of(store, media, schema=access.schema, spec=spec, plan=plan, cache=cache)
    units = [StoredJudgeUnit(id=number, run_id=0, **row) for number, row in enumerate(rows[: max(first, most)], 1)]
    questions = asker.ask_about(units[:first])
    rest = JudgeAsker(store, schema=access.schema, plan=plan).ask_about(units[first:])
    cannot = Counter(question.cannot for question in (*questions, *rest) if question.cannot)
    return Foreseen(
        n_units=len(rows),
        n_answers=len({(row["item_id"], row["prediction_id"], row["attack"]) for row in rows}),
        questions=tuple(question for question in questions if not question.cannot),
        cannot=dict(cannot.most_common()),
        looked_at=len(units),
    )
