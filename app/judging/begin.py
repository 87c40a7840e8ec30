"""Beginning a run of a judge: template, judge, which answers, what will happen, and the one button that starts it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import streamlit as st

from annotation_schemas import judge_templates, registry
from annotation_schemas.model import Schema
from app import items_switch, markup, shell
from app.judging import templates
from app.markup import Markup
from app.running import begin, description, shown
from app.services import Services
from domain.errors import InvalidInput, TouchstoneError
from domain.judging import JudgePlan
from domain.records import ProjectView
from inference.judges.parsers import PARSERS
from inference.spec import ModelSpec
from workflow.results import judge_replies
from workflow.runs import identities, judge_plans, judge_runs, preview_run
from workflow.runs.judge_templates import TemplateView
from workflow.runs.run_views import RunView

ALL, GRADED, EACH, ATTACKS = "all", "graded", "stratified", "attacks"
SAMPLES: Mapping[str, str] = {
    ALL: "All answers",
    GRADED: "Only those that people have graded",
    EACH: "So many of each dimension",
    ATTACKS: "Attack answers",
}

BOX = "judges.text"
"""The box with the judge's description."""

SHOWN = 2
"""So many prompts are shown as they will be sent."""

ESTIMATED_FROM = 20
"""Tokens are worked out from so many prompts."""


def form(services: Services, view: ProjectView) -> None:
    """Template, judge and sample; what will happen; Start."""
    template = templates.choose(services, view)
    spec = description.choose(services, box=BOX, title="Judge", source=description.ENDPOINT, without=("file",))
    if spec is None:
        return
    try:
        plan = _plan(services, view, spec, template)
    except TouchstoneError as error:
        shell.tell(error)
        return
    token = token_of(view, spec, plan)
    if st.button("Preview run", key="judges.see"):
        st.session_state.pop("judges.seen", None)
        with st.spinner("Reading answers and writing the first prompts"):
            st.session_state["judges.seen"] = (token, see(services, view, spec, plan))
    seen = st.session_state.get("judges.seen")
    if seen is None:
        return
    if seen[0] != token:
        shell.show(
            markup.paragraph("Template, judge or sample were changed: see again what will happen.", style="ts ts-quiet")
        )
        return
    shell.show(*told(seen[1], spec, plan))
    if seen[1].can:
        _start(services, view, spec, plan, n=seen[1].can, token=token)
    first = prompts(seen[1])
    if first:
        shell.show(*first)


def _start(services: Services, view: ProjectView, spec: ModelSpec, plan: JudgePlan, *, n: int, token: str) -> None:
    if not st.button(f"Start: {markup.count(n, 'request')}", type="primary", key=f"judges.start.{token}"):
        return
    run = judge_runs.start(
        services.store, by=services.person, project=view.name, spec=spec, plan=plan, settings=services.settings
    )
    st.session_state.pop("judges.seen", None)
    st.session_state.pop("judges.part", None)
    st.query_params.from_dict({"project": view.name, "run": run})
    st.rerun()


def token_of(view: ProjectView, spec: ModelSpec, plan: JudgePlan) -> str:
    """Of a judge with a plan in a project."""
    said = json.dumps([view.name, view.schema.hash, spec.hash, plan.dump()], sort_keys=True)
    return hashlib.sha256(said.encode("utf-8", "surrogatepass")).hexdigest()[:16]


# ---- the sample ------------------------------------------------------------------------------------------------------


def _plan(services: Services, view: ProjectView, spec: ModelSpec, template: TemplateView) -> JudgePlan:
    """The plan as the boxes say it; what does not go together raises a sentence."""
    shell.section("What is judged")
    schema, head = view.schema.schema_, template.template.head
    there = judge_replies.answered_by(services.store, by=services.person, project=view.name)
    titles = {known.id: known.title for known in schema.dimensions}
    left, right = st.columns(2)
    with left:
        sample = st.selectbox("Sample", list(SAMPLES), format_func=lambda name: SAMPLES[name], key="judges.sample")
        each = None
        if sample == EACH:
            each = st.number_input("Answers of each dimension", 1, None, 50, key="judges.each")
        if head.pair and sample != ATTACKS:
            baseline = st.selectbox(
                "Each answer is compared with that of",
                there,
                index=None,
                placeholder="Pick a model",
                key=f"judges.baseline.{view.name}",
            )
        else:
            baseline = None
        models = st.multiselect("Answers of", there, placeholder="all models", key=f"judges.models.{view.name}")
        items = items_switch.switch(services, view, key="judges.items")
        dimensions = st.multiselect(
            "Dimensions",
            list(titles),
            format_func=lambda name: titles.get(name, name),
            placeholder="all of them",
            key=f"judges.dimensions.{view.name}",
        )
    with right:
        first, second, third = st.columns(3)
        with first:
            repeats = st.number_input(
                "Times each is asked",
                1,
                20,
                1,
                key="judges.repeats",
                help="More than once shows how far the judge agrees with itself.",
            )
        with second:
            limit = st.number_input("At most so many", 1, None, None, placeholder="all", key="judges.limit")
        with third:
            seed = st.number_input("Seed", 0, 2**31, 0, key="judges.seed", help="The sample follows from it.")
        pictures = st.toggle(
            "The item's pictures come with the text",
            head.pictures == "item",
            key=f"judges.pictures.{template.hash[:12]}",
        )
        batch = spec.endpoint is not None and st.toggle(
            "Through batch files",
            key="judges.batch",
            help="Handed in and fetched at the command line, hours later and often at half the price.",
        )
    chosen: dict[str, Any] = {
        "chosen": sample if sample in (GRADED, EACH) else ALL,
        "per_dimension": int(each) if each else None,
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


def _usual(schema: Schema, template: TemplateView, chosen: Mapping[str, Any]) -> JudgePlan | None:
    """What the schema itself says of fields and criteria; None where it says too little."""
    try:
        return judge_plans.plan_for(schema, template.template, **chosen)
    except InvalidInput as error:
        if {problem.name for problem in error.problems} - {"criteria", "fills"}:
            raise
        return None


def _fills(schema: Schema, template: TemplateView, usual: JudgePlan | None) -> dict[str, str]:
    """What each placeholder is filled with, all of them: the schema's way at first."""
    fields = [field.name for field in schema.item.fields]
    sources = {
        judge_templates.PREDICTION: "the answer that is judged",
        **{name: f"the item's {name}" for name in fields},
        **({} if judge_templates.DIMENSION in fields else {judge_templates.DIMENSION: "the title of its dimension"}),
    }
    judge = judge_plans.judge_of(schema, template.name)
    before = template.template.sources(usual.fills if usual else judge.fills if judge else {})
    asked = [
        name
        for name in template.template.prompt.placeholders
        if not (template.template.head.pair and name in (judge_plans.ANSWER_A, judge_plans.ANSWER_B))
    ]
    found = {}
    for start in range(0, len(asked), 4):
        for column, name in zip(st.columns(4), asked[start : start + 4], strict=False):
            source = before[name]
            with column:
                picked = st.selectbox(
                    f"{{{name}}} is",
                    list(sources),
                    index=list(sources).index(source) if source in sources else None,
                    format_func=lambda each: sources.get(each, each),
                    placeholder="Pick a field",
                    key=f"judges.fills.{template.hash[:12]}.{name}",
                )
            if picked:
                found[name] = picked
    return found


def _criteria(schema: Schema, template: TemplateView, usual: JudgePlan | None) -> dict[str, str]:
    """Which criterion each part of a reply rates."""
    if template.template.head.pair:
        return dict(usual.criteria) if usual else {}
    parser = PARSERS.get(template.template.head.parser)
    parts = parser.parts if parser else ()
    names = list(
        dict.fromkeys(
            each.name for stage in ("grading", "verification") for each in registry.criteria_of(schema, stage)
        )
    )
    before = dict(usual.criteria) if usual else {part: part for part in parts}
    found = {}
    for column, part in zip(st.columns(max(4, len(parts))), parts, strict=False):
        with column:
            picked = st.selectbox(
                f"The reply's {markup.label(part)} rates",
                names,
                index=names.index(before[part]) if before.get(part) in names else None,
                placeholder="Pick a criterion",
                key=f"judges.criteria.{template.hash[:12]}.{part}",
            )
        if picked:
            found[part] = picked
    return found


# ---- what will happen ------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Seen:
    """What will happen, as the page shows it."""

    foreseen: judge_runs.Foreseen
    pictures: Mapping[str, str]
    place: str = ""
    fits: bool = True
    needs: Sequence[str] = ()
    estimate: Sequence[tuple[str, str]] = ()
    rule: str = ""

    @property
    def cannot(self) -> int:
        """How many cannot be asked, of those looked at."""
        return sum(self.foreseen.cannot.values())

    @property
    def can(self) -> int:
        """How many requests there will be, as far as is known."""
        return self.foreseen.n_units - self.cannot


def see(services: Services, view: ProjectView, spec: ModelSpec, plan: JudgePlan) -> Seen:
    """Look at what a run would do."""
    found = judge_runs.foreseen(
        services.store,
        services.media,
        by=services.person,
        project=view.name,
        spec=spec,
        plan=plan,
        cache=preview_run.cache_of(services.settings),
        first=ESTIMATED_FROM,
    )
    pictures = {
        str(picture.path): begin.address_of(picture.path)
        for question in found.questions[:SHOWN]
        for picture in question.pictures[: begin.PICTURES]
    }
    if spec.endpoint is None:
        place, fits, needs = begin.place_of(services, spec)
        return Seen(found, pictures, place=place, fits=fits, needs=needs)
    seen = Seen(found, pictures)
    estimate, rule = begin.estimated(found.questions, seen.can, spec)
    return replace(seen, estimate=estimate, rule=rule)


def told(seen: Seen, spec: ModelSpec, plan: JudgePlan) -> list[Markup]:
    """What will happen, as markup."""
    parts = [
        _section("What will happen"),
        markup.tag("p", markup.text(sentence(seen, spec, plan)), style="ts", data_part="foreseen"),
    ]
    if seen.place:
        parts.append(markup.notice(" ".join([seen.place, *seen.needs]), style="" if seen.fits else "bad"))
    if seen.estimate:
        parts += [shown.figures(seen.estimate), markup.tag("p", markup.quiet(seen.rule), style="ts ts-small")]
    if seen.foreseen.cannot:
        rows = [[shown.line(why, most=600), markup.text(f"{n:,}")] for why, n in seen.foreseen.cannot.items()]
        parts.append(markup.table([("Cannot be asked, because", ""), ("Requests", "number")], rows))
    return parts


def sentence(seen: Seen, spec: ModelSpec, plan: JudgePlan) -> str:
    """What will happen, in words."""
    found = seen.foreseen
    one = "attack answer" if plan.attacks else "answer" if judge_plans.of_answers(plan) else "item"
    looked = "" if found.looked_at == found.n_units else f" The first {found.looked_at:,} of them were looked at."
    words = [
        f"{spec.name} will be asked {markup.count(seen.can, 'time')} about {markup.count(found.n_answers, one)}, by"
        f" {plan.template}, version {plan.template_version}.{looked}"
    ]
    if seen.cannot:
        words.append(f"{markup.count(seen.cannot, 'request')} cannot be made and will be listed, with the reason.")
    if plan.swap:
        words.append("Every pair is asked in both orders.")
    if plan.batch:
        words.append("The questions go in batch files, which you hand in at the command line.")
    if plan.samples > 1:
        words.append(f"Each is asked {plan.samples} times.")
    words.append(judge_plans.graded_in_words(plan))
    if one == "item":
        words.append("It is shown all of the items, as people who vote are.")
    words.append("Nothing has been asked yet.")
    return " ".join(words)


def prompts(seen: Seen) -> list[Markup]:
    """The first prompts, as they will be sent."""
    if not seen.foreseen.questions:
        return []
    asked = [begin.asked(question, seen.pictures) for question in seen.foreseen.questions[:SHOWN]]
    return [_section("The first prompts, as they will be sent"), *asked]


def _section(title: str) -> Markup:
    return markup.tag("div", markup.text(title), style="ts-section", role="heading", aria_level="2")


# ---- afterwards ------------------------------------------------------------------------------------------------------


def kept(view: ProjectView, run: RunView) -> None:
    """Template, plan and description of a run, as they were when it was started."""
    if isinstance(run.plan, JudgePlan):
        shell.section("Plan")
        shell.show(facts(run.plan, view))
        shell.section("Template")
        st.code(run.plan.template_text, language=None, wrap_lines=True)
    begin.description_of(run)


def facts(plan: JudgePlan, view: ProjectView) -> Markup:
    """A plan as a table."""
    titles = {known.id: known.title for known in view.schema.schema_.dimensions}
    dimensions = ", ".join(titles.get(name, name) for name in plan.dimensions or ())
    sample = SAMPLES[ATTACKS if plan.attacks else plan.chosen]
    pairs: list[tuple[str, Any]] = [
        ("Template", f"{plan.template}, version {plan.template_version}"),
        ("Hash of the template", plan.template_hash),
        ("Replies are read by", f"{plan.parser}, version {plan.parser_version} at the start"),
        ("A judge may say", ", ".join(map(str, plan.values))),
        ("What is rated", ", ".join(f"{part}: {criterion}" for part, criterion in plan.criteria.items())),
        ("What is graded", judge_plans.graded_in_words(plan)),
        ("Placeholders", ", ".join(f"{name}: {field}" for name, field in identities.filled(plan).items())),
        ("Sample", sample + (f": {plan.per_dimension}" if plan.per_dimension else "")),
        ("Answers of", ", ".join(plan.models) if plan.models else "all models"),
        ("Compared with", plan.baseline),
        ("Dimensions", dimensions or "all"),
        ("Items", plan.items),
        ("Times each is asked", plan.samples),
        ("At most", plan.limit),
        ("Seed", str(plan.seed)),
        ("Pictures", "come with the text" if plan.pictures else "left out"),
    ]
    return markup.table(
        [("Plan", "name"), ("", "")],
        [[markup.text(name), shown.said(str(said))] for name, said in pairs if said],
    )
