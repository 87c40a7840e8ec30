"""Choose the plan of a run: items, prompts, and the strategy for answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import streamlit as st

from annotation_schemas import registry, yaml_text
from annotation_schemas.keys import key_fields
from annotation_schemas.prompts import PromptSet
from app import markup, shell
from app.running import description, shown
from app.services import Services
from app.widgets import items_switch
from domain.errors import ModelError
from domain.records import ProjectView
from domain.runs import RunPlan
from domain.states import ItemState
from domain.strategies import added_strategy
from workflow.runs import model_plans
from workflow.runs.model_descriptions import ModelSpec

MY_PROMPTS = "My own file"

STRATEGIES = {
    "generate": "write an answer",
    "rank_options": "rank the item's options by likelihood",
    "two_steps": "answer a first question, then the item's question with the first answer added",
}


def choose(services: Services, view: ProjectView, spec: ModelSpec) -> RunPlan:
    """Draw the inputs and return the plan. Inputs that do not go together raise an error with a sentence."""
    shell.section("Plan")
    schema = view.schema.schema_
    of_schema = model_plans.plan_for(schema, spec)
    left, right = st.columns(2)
    with left:
        dimensions, states, limit = _items(view)
        items = None if states else items_switch.switch(services, view, key="models.items")
        strategy, score, without_image = _strategy(of_schema)
        tools = _tools(services, strategy)
    with right:
        above = st.container()
        text_only = st.toggle(
            "Text only",
            key="models.text_only",
            help="The model gets no pictures. The answers and the run's name record this setting.",
        )
        _batch_size(spec)
    with above:  # the last to be drawn, as a file of prompts that does not fit ends the page here
        prompts, plan = _prompts(of_schema)
        family = _family(prompts, spec)
        seed = _seed(prompts, of_schema)
        injections = _injections(prompts)
    plan = replace(
        plan,
        dimensions=dimensions,
        states=states,
        items=items.value if items else None,
        limit=limit,
        strategy=strategy,
        score=score,
        without_image=without_image,
        family=family,
        injections=injections,
        prompt_seed=seed,
        text_only=text_only,
    )
    _fits(plan)
    plan = model_plans.with_tools(plan, tools)
    for line in model_plans.tools_in_words(plan):
        shell.show(markup.paragraph(line, style="ts ts-small"))
    return model_plans.with_prompts(replace(plan, fills=_fills(view, plan)))


def _fits(plan: RunPlan) -> None:
    """Raise ``ModelError`` if the plan ranks by a score that its other settings do not provide."""
    if plan.strategy != "rank_options" or not (plan.without_image or plan.score == "pmi_logprob"):
        return
    if plan.text_only:
        raise ModelError(
            "A run without pictures cannot measure the effect of pictures. Either turn off “Text only”, or choose "
            "another score and turn off “Also without pictures”."
        )
    if not plan.without_image:
        raise ModelError("To rank by the effect of pictures, turn on “Also without pictures”.")


def _fills(view: ProjectView, plan: RunPlan) -> dict[str, str]:
    """Draw a choice of the field for each placeholder without a field of its name, and return the choices."""
    schema = view.schema.schema_
    wanted = model_plans.unfilled(schema, replace(plan, fills={}))
    if not wanted:
        return {}
    fields = [field.name for field in schema.item.fields if field.name not in key_fields(schema)]
    shell.show(
        markup.paragraph(
            "The prompts have placeholders without a matching field. Choose a field for each placeholder.", style="ts"
        )
    )
    fills = {}
    for column, placeholder in zip(st.columns(max(len(wanted), 3)), wanted, strict=False):
        with column:
            chosen = st.selectbox(
                f"{{{placeholder}}}", fields, index=None, placeholder="Pick a field", key=f"models.fills.{placeholder}"
            )
        if chosen:
            fills[placeholder] = chosen
    return fills


def _items(view: ProjectView) -> tuple[tuple[str, ...] | None, tuple[str, ...] | None, int | None]:
    titles = {known.id: known.title for known in view.schema.schema_.dimensions}
    dimensions = st.multiselect(
        "Dimensions",
        list(titles),
        format_func=lambda name: titles[name],
        placeholder="all of them",
        key=f"models.dimensions.{view.name}",
    )
    first, second = st.columns(2)
    with first:
        states = st.multiselect(
            "Item states",
            list(ItemState),
            format_func=lambda state: state.label,
            placeholder="as counted below",
            key="models.states",
        )
    with second:
        limit = st.number_input(
            "Maximum items",
            1,
            None,
            None,
            placeholder="all",
            key="models.limit",
            help="The run uses the first items in the project's random order, so that a few items represent all items.",
        )
    return (
        tuple(dimensions) or None,
        tuple(state.value for state in states) or None,
        int(limit) if limit else None,
    )


def _label_strategy(name: str) -> str:
    added = added_strategy(name)
    return STRATEGIES.get(name, name) if added is None else added.label


def _strategy(of_schema: RunPlan) -> tuple[str, str, bool]:
    known = [row.name for row in registry.rows("strategy") if row.available]
    if not known:
        return of_schema.strategy, of_schema.score, False
    strategy = st.selectbox(
        "Task of the model",
        known,
        index=known.index(of_schema.strategy) if of_schema.strategy in known else 0,
        format_func=_label_strategy,
        key="models.strategy",
    )
    if strategy != "rank_options":
        return strategy, of_schema.score, False
    first, second = st.columns(2, vertical_alignment="bottom")
    scores = [row.name for row in registry.rows("score") if row.available]
    with first:
        score = st.selectbox(
            "Rank options by",
            scores,
            index=scores.index(of_schema.score) if of_schema.score in scores else 0,
            format_func=lambda name: shown.SCORES.get(name, name).lower(),
            key="models.score",
            help="This score chooses the model's answer. Results show all scores side by side.",
        )
    with second:
        without = st.toggle(
            "Also without pictures",
            score == "pmi_logprob",
            key="models.without_image",
            help="Also score each option without pictures, to measure the effect of the pictures.",
        )
    return strategy, score, without


def _tools(services: Services, strategy: str) -> Path | None:
    """Draw the choice of a tool set in the operator's folder. None: use only stored results."""
    added = added_strategy(strategy)
    files = {} if added is None else added.files(services.settings)
    if not files:
        return None
    chosen: str | None = st.selectbox(
        "Tools",
        [None, *files],
        format_func=lambda name: name or "stored results only",
        key="models.tools",
        help="Tool sets on this server. If Touchstone has already stored a tool's result, the run uses the stored "
        "result. Otherwise, Touchstone runs the tool and stores the result.",
    )
    return files[chosen] if chosen else None


def _prompts(of_schema: RunPlan) -> tuple[PromptSet, RunPlan]:
    """Draw the choice of prompts. Return the prompts, and the plan with them."""
    rows = {row.name: row for row in registry.rows("prompt_set") if row.available}
    names = [*rows, MY_PROMPTS]
    chosen = st.selectbox(
        "Prompts",
        names,
        index=names.index(of_schema.prompt_set) if of_schema.prompt_set in names else 0,
        format_func=lambda name: f"{name}: {rows[name].meaning}" if name in rows else name,
        key="models.prompts",
    )
    if chosen != MY_PROMPTS:
        plan = model_plans.with_prompts(replace(of_schema, prompt_set=chosen, prompt_text="", prompt_hash=""))
        return model_plans.prompts_of(plan), plan
    plan = _file_of_prompts(of_schema)
    return model_plans.prompts_of(plan), plan


def _file_of_prompts(of_schema: RunPlan) -> RunPlan:
    file = st.file_uploader(
        "A prompt set (.yaml), published prompts (.jsonl), or a template with === system === and === user === (.txt)",
        type=["yaml", "yml", "jsonl", "json", "txt"],
        key="models.prompt_file",
    )
    if file is None:
        raise ModelError("Upload a file with prompts, or choose an included prompt set.")
    try:
        text = yaml_text.decode(file.getvalue())
    except ValueError as error:
        raise ModelError(
            f"Touchstone cannot read {file.name}: {error}. Correct the file and upload it again."
        ) from error
    name = file.name
    if name.endswith((".jsonl", ".json")):
        wanted = st.text_input("Prompt name (if the file has several prompts)", key="models.prompt_name")
        name = f"{name}#{wanted}" if wanted else name
    return model_plans.with_prompts(replace(of_schema, prompt_set=name, prompt_text=text, prompt_hash=""))


def _family(prompts: PromptSet, spec: ModelSpec) -> str | None:
    names = list(prompts.families)
    if len(names) < 2:
        return None
    default = spec.prompts if spec.prompts in names else prompts.default
    chosen: str = st.selectbox(
        "Worded for", names, index=names.index(default), key=f"models.family.{prompts.name}.{default}"
    )
    return chosen


def _seed(prompts: PromptSet, of_schema: RunPlan) -> int | None:
    if not prompts.types:
        return None
    return st.number_input(
        "Wording seed",
        min_value=0,
        value=of_schema.prompt_seed,
        key=f"models.prompt_seed.{prompts.name}",
        placeholder="first wording of each prompt",
        help="The seed chooses one wording of the prompt per item. The same seed always chooses the same wordings.",
    )


def _injections(prompts: PromptSet) -> tuple[str, ...]:
    if not prompts.injections:
        return ()
    return tuple(
        st.multiselect(
            "Additions to the question",
            list(prompts.injections),
            placeholder="nothing",
            key=f"models.injections.{prompts.name}",
            help=(
                "Each addition adds text from the item's fields to the question. The run's name includes the addition."
            ),
        )
    )


def _batch_size(spec: ModelSpec) -> None:
    if spec.endpoint is not None:
        return
    key = f"models.batch_size.{spec.hash[:12]}"

    def set_it() -> None:
        text = st.session_state[description.TEXT]
        description.take(description.with_value(text, "batch_size", st.session_state[key]))

    st.number_input(
        "Batch size",
        1,
        1024,
        spec.batch_size,
        key=key,
        on_change=set_it,
        help="This setting changes the description above. In half precision, the batch size can affect answers, so "
        "the run's hash includes the batch size.",
    )


def titles_of(view: ProjectView, names: Sequence[str]) -> str:
    """Return the titles of dimensions, separated by commas."""
    titles = {known.id: known.title for known in view.schema.schema_.dimensions}
    return ", ".join(titles.get(name, name) for name in names)


def plan_pairs(plan: RunPlan, view: ProjectView) -> list[tuple[str, str]]:
    """Return the settings of a plan as pairs of a name and words."""
    pairs: list[tuple[str, Any]] = [
        ("Task of the model", _label_strategy(plan.strategy)),
        ("Prompts", plan.prompt_set + (f", worded for {plan.family}" if plan.family else "")),
        ("Hash of the prompts", plan.prompt_hash),
        ("Wording seed", "" if plan.prompt_seed is None else str(plan.prompt_seed)),
        ("Additions to the question", ", ".join(plan.injections)),
        ("Fields of placeholders", ", ".join(f"{name}: {field}" for name, field in plan.fills.items())),
        ("Pictures", "none (text only)" if plan.text_only else ""),
        ("Dimensions", titles_of(view, plan.dimensions) if plan.dimensions else "all"),
        ("Item states", ", ".join(plan.states or ()) or plan.items or "in any state"),
        ("At most", plan.limit),
        ("Tools", "; ".join(model_plans.tools_in_words(plan))),
        ("Hash of the tools", plan.tools_hash),
    ]
    if plan.strategy == "rank_options":
        pairs.append(("Options ranked by", shown.SCORES.get(plan.score, plan.score).lower()))
        pairs.append(("Also without pictures", "yes" if plan.without_image else "no"))
    return [(name, str(value)) for name, value in pairs if value]


def facts(plan: RunPlan, view: ProjectView) -> markup.Markup:
    """Return a plan as a table."""
    return markup.table(
        [("Plan", "name"), ("", "")],
        [[markup.text(name), shown.text_block(value)] for name, value in plan_pairs(plan, view)],
    )
