"""The plan of a model run, from the schema and the chosen options, with frozen prompts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Any

from annotation_schemas import registry
from annotation_schemas.model import Schema
from annotation_schemas.prompts import PromptSet, load_prompt_set, parse_prompts, read_prompts
from db import runs
from db.engine import Session
from domain.errors import ModelError, SchemaError
from domain.runs import TWO_STEPS, RunPlan
from domain.strategies import added_strategy
from inference.spec import ModelSpec
from workflow.runs.prompt_texts import FIRST, PromptFiller


def plan_for(
    schema: Schema,
    spec: ModelSpec,
    *,
    prompts: str | None = None,
    kept: Mapping[str, str] | None = None,
    **chosen: Any,
) -> RunPlan:
    """Return the schema's plan for a model, with frozen prompts. ``chosen`` overrides fields of ``RunPlan``.

    ``prompts`` is a row of the registry, a file (``FILE#NAME`` for one of several), or one of the texts ``kept``
    (``kept_prompts``). None selects the schema's prompts.

    Raises
    ------
    ModelError
        The prompts or the injection are unknown, the file is invalid, or a seed has nothing to choose.
    """
    models = schema.models
    plan = RunPlan(
        strategy=models.strategy if models else "generate",
        prompt_set=(models.prompts if models else None) or "plain",
        family=spec.prompts,
        variants=dict(models.variants) if models else {},
        score=(models.score if models else None) or "mean_logprob",
        prompt_seed=models.prompt_seed if models else None,
        clips={**(models.clips if models else {}), **spec.own_clips},
    )
    chosen["clips"] = {**plan.clips, **chosen.get("clips", {})}
    new_plan = with_prompts(replace(plan, **chosen), prompts, kept=kept)
    if chosen.get("prompt_seed") is not None and new_plan.prompt_seed is None:
        raise ModelError(
            f"Each of the prompts {new_plan.prompt_set} has only one wording, so a seed has no effect. Remove the seed."
        )
    return new_plan


def crossed(plan: RunPlan, *, every: bool = False) -> list[RunPlan]:
    """Return the plans of a crossed run, all over the same items.

    The first plan has no injection, and each further one has one injection more, in order. ``every`` returns every
    combination of injections.

    Raises
    ------
    ModelError
        The plan has no injection, or one twice.
    """
    names = plan.injections
    if not names or len(set(names)) < len(names):
        raise ModelError(
            "To compare additions, name one or more additions, such as objects and spatial. Name each addition only "
            "once."
        )
    cells = [names[:n] for n in range(len(names) + 1)]
    if every:
        cells = [cell for n in range(len(names) + 1) for cell in combinations(names, n)]
    return [replace(plan, injections=cell, crossed=names) for cell in cells]


def told_fields(plan: RunPlan) -> dict[str, tuple[str, ...]]:
    """Return the item fields that each injection in ``RunPlan.crossed`` shows."""
    injections = prompts_of(plan).injections if plan.crossed else {}
    return {
        name: tuple(plan.fills.get(placeholder, placeholder) for placeholder in injections[name].placeholders)
        for name in plan.crossed
    }


def with_prompts(plan: RunPlan, prompts: str | None = None, *, kept: Mapping[str, str] | None = None) -> RunPlan:
    """Return the plan with these prompts (None for its own), with their present text and hash.

    Raises
    ------
    ModelError
        The prompts or the injection are unknown, or the file is invalid.
    """
    name = prompts or plan.prompt_set
    if registry.find("prompt_set", name) is not None:
        prompt_set = load_prompt_set(name)
        plan = replace(plan, prompt_set=name, prompt_text="", prompt_hash=prompt_set.hash)
    elif kept and name in kept and not Path(name.partition("#")[0]).is_file():
        plan = replace(plan, prompt_set=name, prompt_text=kept[name])
        prompt_set = _parsed(plan)
        plan = replace(plan, prompt_hash=prompt_set.hash)
    elif prompts is None and plan.prompt_text:
        prompt_set = _parsed(plan)
        plan = replace(plan, prompt_hash=prompt_set.hash)
    else:
        try:
            prompt_set = read_prompts(name)
        except SchemaError as error:
            known = ", ".join(row.name for row in registry.rows("prompt_set"))
            raise ModelError(f"{error} Name a file, or one of {known}.") from error
        plan = replace(plan, prompt_set=_file_name(name), prompt_text=prompt_set.text, prompt_hash=prompt_set.hash)
    if not prompt_set.types:
        plan = replace(plan, prompt_seed=None)
    if plan.strategy == TWO_STEPS and not all(FIRST in family for family in prompt_set.families.values()):
        raise ModelError(
            f"The prompts {plan.prompt_set} have no variant `{FIRST}` for the first step. Choose"
            " egoplan_summary, or your own file with this variant."
        )
    for injection in plan.injections:
        if injection not in prompt_set.injections:
            known = ", ".join(prompt_set.injections) or "none"
            raise ModelError(f"The prompts {plan.prompt_set} have no addition `{injection}`. Additions: {known}.")
    return plan


def with_tools(plan: RunPlan, path: Path | None) -> RunPlan:
    """Return the plan with the present tool set of a file; None selects the strategy's own tool set.

    Raises ``ModelError`` for an invalid file, or if models do not ask for tools in the plan's strategy.
    """
    if path is None:
        return replace(plan, tools_text="", tools_hash="")
    added = added_strategy(plan.strategy)
    if added is None:
        raise ModelError(NO_TOOLS)
    return added.with_file(plan, path)


def tools_in_words(plan: RunPlan) -> Sequence[str]:
    """Return the tools of a plan that run here, a line for each."""
    added = added_strategy(plan.strategy)
    return () if added is None else added.in_words(plan)


NO_TOOLS = (
    "A tool set needs a strategy in which models request tools. Choose a strategy with tools, or remove the tool set."
)


def prompts_of(plan: RunPlan) -> PromptSet:
    """Return the prompts of a plan, as they were when the plan was made.

    Raises
    ------
    ModelError
        The prompts have changed since, or their name is unknown.
    """
    if plan.prompt_text:
        prompt_set = _parsed(plan)
    else:
        try:
            prompt_set = load_prompt_set(plan.prompt_set)
        except KeyError as error:
            raise ModelError(f"There are no prompts named {plan.prompt_set}. Check the name.") from error
    if plan.prompt_hash and plan.prompt_hash != prompt_set.hash:
        raise ModelError(
            f"The prompts {plan.prompt_set} have changed since this run started, so the run cannot continue. "
            "Start a new run."
        )
    return prompt_set


def kept_prompts(session: Session, project_id: int) -> dict[str, str]:
    """Return the texts of prompt files used by runs of a project, by name. The latest text of a name wins."""
    texts: dict[str, str] = {}
    for row in sorted(runs.of_project(session, project_id=project_id), key=lambda row: row.id):
        plan = row.params.get("plan")
        if isinstance(plan, Mapping) and plan.get("prompt_text"):
            texts[str(plan.get("prompt_set"))] = str(plan["prompt_text"])
    return texts


def unfilled(schema: Schema, plan: RunPlan) -> tuple[str, ...]:
    """Return the placeholders of a plan's prompts that no field of the items fills, so that the plan must name a
    source.
    """
    writer = PromptFiller(schema, plan, plan.family, prompts_of(plan))
    variants = {writer.variant(dimension.id) for dimension in schema.dimensions}
    variants |= {FIRST} if plan.strategy == TWO_STEPS else set()
    firsts = [writer.prompts.prompt(family=writer.family, variant=variant) for variant in sorted(variants)]
    prompts = [prompt for first in firsts for prompt in writer.prompts.types_of(first)]
    prompts += [writer.prompts.injections[injection] for injection in plan.injections]
    names = dict.fromkeys(name for prompt in prompts for name in prompt.placeholders)
    return tuple(name for name in names if not writer.fills(name))


def _parsed(plan: RunPlan) -> PromptSet:
    try:
        return parse_prompts(plan.prompt_text, file=plan.prompt_set)
    except SchemaError as error:
        raise ModelError(str(error)) from error


def _file_name(file: str) -> str:
    path, mark, chosen = file.partition("#")
    return Path(path).name + mark + chosen
