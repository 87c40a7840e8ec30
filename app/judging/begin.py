"""Begin a run of a judge: choose template, judge and answers, preview the run, and start it with one button."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from annotation_schemas import judge_templates, registry
from annotation_schemas.model import Schema
from app import markup, shell
from app.judging import templates
from app.markup import Markup
from app.running import begin, description, shown
from app.services import Services
from app.widgets import items_switch
from domain.batches import why_no_batches
from domain.errors import InvalidInputError
from domain.judging import COMPARED, JudgePlan
from domain.records import ProjectView
from domain.run_kinds import RunKind
from domain.states import VERIFICATIONS, Stage
from workflow.results import judge_replies
from workflow.results.ratings import raters_of
from workflow.runs import identities, judge_plans
from workflow.runs.judge_templates import TemplateView
from workflow.runs.model_descriptions import ModelSpec
from workflow.runs.run_views import RunView

ALL, GRADED, EACH, ATTACKS = "all", "graded", "stratified", "attacks"
SAMPLES: Mapping[str, str] = {
    ALL: "All answers",
    GRADED: "Answers graded by people",
    EACH: "Some answers per dimension",
    COMPARED: "Pairs that people compare",
    ATTACKS: "Attack answers",
}

BOX = "judges.text"
"""The key of the input with the judge's description."""


def _choose(services: Services, view: ProjectView) -> tuple[ModelSpec, JudgePlan] | None:
    template = templates.choose(services, view)
    spec = description.choose(services, box=BOX, title="Judge", source=description.ENDPOINT, without=("file",))
    return None if spec is None else (spec, _plan(services, view, spec, template))


# ---- the sample ------------------------------------------------------------------------------------------------------


def _plan(services: Services, view: ProjectView, spec: ModelSpec, template: TemplateView) -> JudgePlan:
    """Draw the inputs and return the plan. Inputs that do not go together raise an error with a sentence."""
    shell.section("Answers")
    schema, head = view.schema.schema_, template.template.head
    there = judge_replies.answered_by(services.store, by=services.person, project=view.name)
    titles = {known.id: known.title for known in schema.dimensions}
    left, right = st.columns(2)
    with left:
        pairs = head.pair and schema.stages.comparison is not None
        graded = bool(_people_who_graded(services, view))
        possible = {COMPARED: pairs, GRADED: graded}
        sample = st.selectbox(
            "Sample",
            [name for name in SAMPLES if possible.get(name, True)],
            format_func=lambda name: SAMPLES[name],
            key=f"judges.sample{'.pairs' if pairs else ''}{'' if graded else '.ungraded'}",
            help=None if graded else f"“{SAMPLES[GRADED]}” appears in this list after people have graded answers.",
        )
        per_dimension = None
        if sample == EACH:
            per_dimension = st.number_input("Answers per dimension", 1, None, 50, key="judges.each")
        if head.pair and sample not in (ATTACKS, COMPARED):
            baseline = st.selectbox(
                "Compare with model",
                there,
                index=None,
                placeholder="Choose a model",
                key=f"judges.baseline.{view.name}",
            )
        else:
            baseline = None
        models = (
            []
            if sample == COMPARED
            else st.multiselect("Models", there, placeholder="All models", key=f"judges.models.{view.name}")
        )
        items = items_switch.switch(services, view, key="judges.items")
        dimensions = st.multiselect(
            "Dimensions",
            list(titles),
            format_func=lambda name: titles.get(name, name),
            placeholder="All dimensions",
            key=f"judges.dimensions.{view.name}",
        )
    with right:
        first, second, third = st.columns(3)
        with first:
            repeats = st.number_input(
                "Repeats",
                1,
                20,
                1,
                key="judges.repeats",
                help=(
                    "How many times the judge grades each answer. Choose 2 or more to check whether the "
                    "judge is consistent."
                ),
            )
        with second:
            limit = st.number_input("Maximum answers", 1, None, None, placeholder="All", key="judges.limit")
        with third:
            seed = st.number_input("Seed", 0, 2**31, 0, key="judges.seed", help="The same seed gives the same sample.")
        pictures = st.toggle(
            "Send pictures",
            head.pictures == "item",
            key=f"judges.pictures.{template.hash[:12]}",
        )
        batch = (
            spec.endpoint is not None
            and not why_no_batches()
            and st.toggle(
                "Use batch files",
                key="judges.batch",
                help="Batch files often cost half as much, but take hours. You submit and fetch the files with "
                "commands.",
            )
        )
    chosen: dict[str, Any] = {
        "chosen": sample if sample in (GRADED, EACH, COMPARED) else ALL,
        "per_dimension": int(per_dimension) if per_dimension else None,
        "attacks": sample == ATTACKS,
        "baseline": baseline,
        "models": tuple(models) or None,
        "samples": int(repeats),
        "items": items.value if items else None,
        "limit": int(limit) if limit else None,
        "seed": int(seed),
        "pictures": pictures,
        "batch": batch,
        **({"dimensions": tuple(dimensions)} if dimensions else {}),
    }
    usual = _usual(schema, template, chosen)
    fills = _fills(schema, template, usual)
    criteria = _criteria(schema, template, usual)
    return judge_plans.plan_for(schema, template.template, **{**chosen, "fills": fills, "criteria": criteria})


def _people_who_graded(services: Services, view: ProjectView) -> Sequence[str]:
    """Return the people with grades of answers."""
    if view.schema.schema_.stages.grading is None:
        return ()
    return raters_of(services.store, person=services.person, project=view.name, stage=Stage.GRADING).people


def plan_of_replies(services: Services, view: ProjectView) -> JudgePlan:
    """Draw and return the plan of a judge whose replies come from a file: its template and its criteria.

    Raises
    ------
    InvalidInputError
        A part of the replies has no criterion yet.
    """
    template = templates.choose(services, view, pairs=False)
    schema = view.schema.schema_
    usual = _usual(schema, template, {"asked_here": False})
    criteria = _criteria(schema, template, usual)
    return judge_plans.plan_for(schema, template.template, asked_here=False, criteria=criteria)


def _usual(schema: Schema, template: TemplateView, chosen: Mapping[str, Any]) -> JudgePlan | None:
    """Return the plan with the schema's own fields and criteria. None if the schema leaves them open."""
    try:
        return judge_plans.plan_for(schema, template.template, **chosen)
    except InvalidInputError as error:
        if {problem.name for problem in error.problems} - {"criteria", "fills"}:
            raise
        return None


def _fills(schema: Schema, template: TemplateView, usual: JudgePlan | None) -> dict[str, str]:
    """Draw the field for each placeholder, with the schema's choice as default. Return all of them."""
    fields = [field.name for field in schema.item.fields]
    sources = {
        judge_templates.PREDICTION: "Graded answer",
        **{name: f"Item: {name}" for name in fields},
        **({} if judge_templates.DIMENSION in fields else {judge_templates.DIMENSION: "Title of the dimension"}),
    }
    judge = judge_plans.judge_of(schema, template.name)
    before = template.template.sources(usual.fills if usual else judge.fills if judge else {})
    asked = [
        name
        for name in template.template.prompt.placeholders
        if not (template.template.head.pair and name in (judge_plans.ANSWER_A, judge_plans.ANSWER_B))
    ]
    fills = {}
    for start in range(0, len(asked), 4):
        for column, name in zip(st.columns(4), asked[start : start + 4], strict=False):
            source = before[name]
            with column:
                picked = st.selectbox(
                    f"Fill {{{name}}} with",
                    list(sources),
                    index=list(sources).index(source) if source in sources else None,
                    format_func=lambda each: sources.get(each, each),
                    placeholder="Choose a field",
                    key=f"judges.fills.{template.hash[:12]}.{name}",
                )
            if picked:
                fills[name] = picked
    return fills


def _criteria(schema: Schema, template: TemplateView, usual: JudgePlan | None) -> dict[str, str]:
    """Draw the criterion for each part of a reply, and return the choices."""
    if template.template.head.pair:
        return dict(usual.criteria) if usual else {}
    parts = judge_plans.parts_of(template.template.head.parser)
    names = list(
        dict.fromkeys(
            criterion.name for stage in ("grading", *VERIFICATIONS) for criterion in registry.criteria_of(schema, stage)
        )
    )
    before = dict(usual.criteria) if usual else {part: part for part in parts}
    criteria = {}
    for column, part in zip(st.columns(max(4, len(parts))), parts, strict=False):
        with column:
            picked = st.selectbox(
                f"Criterion for {markup.label(part)}",
                names,
                index=names.index(before[part]) if before.get(part) in names else None,
                placeholder="Choose a criterion",
                key=f"judges.criteria.{template.hash[:12]}.{part}",
            )
        if picked:
            criteria[part] = picked
    return criteria


# ---- preview ---------------------------------------------------------------------------------------------------------


def sentence(seen: begin.PagePreview, spec: ModelSpec, plan: JudgePlan) -> str:
    """Return in words what the run will do."""
    preview = seen.preview
    subject = judge_plans.about_in_words(plan, about=preview.about, wanted=preview.wanted)
    looked = (
        "" if preview.looked_at == preview.wanted else f" This preview covers the first {preview.looked_at:,} requests."
    )
    words = [
        f"{spec.name} will get {markup.count(preview.can, 'request')} about {subject}, with the template"
        f" {plan.template}, version {plan.template_version}.{looked}"
    ]
    if preview.cannot:
        words.append(
            f"Touchstone cannot send {markup.count(preview.n_cannot, 'request')}. The table below lists the reasons."
        )
    if plan.swap:
        words.append("The judge sees every pair in both orders.")
    if plan.batch:
        words.append("Touchstone writes the requests to batch files, which you submit with a command.")
    if plan.samples > 1:
        words.append(f"The judge grades each answer {plan.samples} times.")
    words.append(judge_plans.graded_in_words(plan))
    if not plan.attacks and not judge_plans.of_answers(plan):
        words.append("The judge sees the whole item, as verifiers do.")
    words.append("No request has been sent yet.")
    return " ".join(words)


BEGINNING = begin.Beginning(
    kind=RunKind.JUDGE,
    choose=_choose,
    reading="Reading answers and writing the first prompts",
    changed="Template, judge or sample",
    sentence=sentence,
    shown=2,
)


# ---- after the start -------------------------------------------------------------------------------------------------


def frozen_parts(services: Services, view: ProjectView, run: RunView) -> None:
    """Draw the template, plan and description of a run at its start."""
    if isinstance(run.plan, JudgePlan):
        shell.section("Plan")
        shell.show(facts(run.plan, view))
        shell.section("Template")
        st.code(run.plan.template_text, language=None, wrap_lines=True)
    begin.description_of(run)


def facts(plan: JudgePlan, view: ProjectView) -> Markup:
    """Return a plan as a table."""
    titles = {known.id: known.title for known in view.schema.schema_.dimensions}
    dimensions = ", ".join(titles.get(name, name) for name in plan.dimensions or ())
    sample = SAMPLES[ATTACKS if plan.attacks else plan.chosen]
    pairs: list[tuple[str, Any]] = [
        ("Template", f"{plan.template}, version {plan.template_version}"),
        ("Template hash", plan.template_hash),
        ("Parser of replies", f"{plan.parser}, version {plan.parser_version} when the run started"),
        ("Possible values", ", ".join(map(str, plan.values))),
        ("Criteria", ", ".join(f"{part}: {criterion}" for part, criterion in plan.criteria.items())),
        ("Graded text", judge_plans.graded_in_words(plan)),
        ("Placeholders", ", ".join(f"{name}: {field}" for name, field in identities.filled(plan).items())),
        ("Sample", sample + (f": {plan.per_dimension}" if plan.per_dimension else "")),
        ("Models", ", ".join(plan.models) if plan.models else "all"),
        ("Compared with", plan.baseline),
        ("Dimensions", dimensions or "all"),
        ("Items", plan.items),
        ("Repeats", plan.samples),
        ("Maximum answers", plan.limit),
        ("Seed", str(plan.seed)),
        ("Pictures", "sent" if plan.pictures else "not sent"),
    ]
    return markup.table(
        [("Plan", "name"), ("", "")],
        [[markup.text(name), shown.text_block(str(value))] for name, value in pairs if value],
    )
