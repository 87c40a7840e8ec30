"""Runs of judges over models' answers: additions to a judge's description, and a preview of the questions.

A judge run works like a model run and is shared by the same workers. Its units are answers, pairs of answers, or attack
answers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from annotation_schemas import judge_templates, registry
from annotation_schemas.model import Schema
from db.engine import Store
from db.records import StoredJudgeUnit
from domain.batches import why_no_batches
from domain.errors import ModelError, NotAvailableError
from domain.judging import JudgePlan
from domain.run_kinds import RunKind
from domain.runs import Answerer, Preview
from inference.spec import ModelPermissions, ModelSpec
from workflow.access.projects import Access
from workflow.runs import judge_units
from workflow.runs.judge_questions import JudgeAsker, asker_of
from workflow.runs.judge_readings import KeepReadings
from workflow.runs.run_kinds import RunFunctions

if TYPE_CHECKING:
    from pathlib import Path

    from media.store import MediaStore


def check_plan(spec: ModelSpec, plan: JudgePlan) -> None:
    """Raise an error with a sentence for a plan that no worker could execute."""
    registry.require_row("parser", plan.parser)
    if plan.batch and (away := why_no_batches()):
        raise NotAvailableError(away)
    if plan.batch and spec.endpoint is None:
        raise ModelError(
            f"{spec.name} is not an endpoint. Batch files and shards need an endpoint. Choose another model."
        )


def described(schema: Schema, spec: ModelSpec, plan: JudgePlan) -> ModelSpec:
    """Return the judge's description with the settings of the schema and the template."""
    return with_reply_form(as_schema_says(schema, plan.template, spec), plan)


def as_schema_says(schema: Schema, template: str, spec: ModelSpec) -> ModelSpec:
    """Return the description with the schema's temperature and longest reply for this judge, if it has none itself.

    Of the schema's judges with that template, the one with the same model is used, or the first one.
    """
    judges = [judge for judge in schema.judges if judge.template == template]
    judge = next((judge for judge in judges if judge.model == spec.model), judges[0] if judges else None)
    if judge is None:
        return spec
    return spec.with_defaults(
        temperature=judge.temperature,
        max_tokens=judge.max_tokens,
        extra_body=judge.extra_body,
        headers=judge.headers,
    )


def with_reply_form(spec: ModelSpec, plan: JudgePlan) -> ModelSpec:
    """Return the judge's description with the response format that the template requests, if any."""
    head = judge_templates.parse_template(plan.template_text, name=plan.template).head
    if not head.response_format:
        return spec
    form = {"response_format": dict(head.response_format)}
    return spec.model_copy(update={"generation": spec.generation.model_copy(update=form)})


def label_of(spec: ModelSpec, plan: JudgePlan) -> str:
    """Return the name of a judge in tables: model, template, and the template's version."""
    attacked = ", attacked" if plan.attacks else ""
    return f"{spec.name} by {plan.template} {plan.template_version}{attacked}"


def preview(
    store: Store,
    media: MediaStore,
    *,
    access: Access,
    units: Sequence[Mapping[str, Any]],
    spec: ModelSpec,
    plan: JudgePlan,
    cache: Path,
    first: int,
    most: int,
) -> Preview:
    """Return a preview of asking a judge about these units.

    The ``first`` questions are made with their pictures. Up to ``most`` are checked for missing texts.
    """
    asker = asker_of(store, media, schema=access.schema, spec=spec, plan=plan, cache=cache)
    looked_at = [StoredJudgeUnit(id=number, run_id=0, **row) for number, row in enumerate(units[: max(first, most)], 1)]
    questions = asker.ask_about(looked_at[:first])
    rest = JudgeAsker(store, schema=access.schema, plan=plan).ask_about(looked_at[first:])
    cannot = Counter(question.cannot for question in (*questions, *rest) if question.cannot)
    return Preview(
        wanted=len(units),
        about=len({(row["item_id"], row["prediction_id"], row["attack"]) for row in units}),
        looked_at=len(looked_at),
        questions=tuple(question for question in questions if not question.cannot),
        cannot=dict(cannot.most_common()),
    )


def _opened(spec: ModelSpec, plan: JudgePlan, allowed: ModelPermissions) -> Answerer:
    from inference.opening import open_answerer

    return open_answerer(spec, strategy="generate", allowed=allowed)


ASKING = RunFunctions(
    kind=RunKind.JUDGE,
    check=check_plan,
    counted=judge_units.counted_in,
    units=judge_units.units_of,
    store_units=judge_units.store_units,
    items_of=judge_units.items_of,
    described=described,
    label=label_of,
    open=_opened,
    ask=lambda store, media, schema, spec, plan, cache: asker_of(
        store, media, schema=schema, spec=spec, plan=plan, cache=cache
    ),
    keep=KeepReadings,
    preview=preview,
)
