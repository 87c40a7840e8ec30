"""How a model is asked: its plan, out of what the schema says and what was chosen, with its prompts frozen."""

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
from domain.errors import ModelRefused, SchemaError
from domain.runs import TWO_STEPS, RunPlan
from domain.strategies import added_strategy
from inference.spec import ModelSpec
from workflow.runs.prompt_texts import FIRST, Writer


def plan_for(
    schema: Schema,
    spec: ModelSpec,
    *,
    prompts: str | None = None,
    kept: Mapping[str, str] | None = None,
    **chosen: Any,
) -> RunPlan:
    """The plan that a schema has for a model, its prompts frozen; ``chosen`` are fields of ``RunPlan`` that differ.

    ``prompts`` is a row of the registry, a file (``FILE#NAME`` where it holds several) or one of the texts ``kept``
    (``kept_prompts``); None: what the schema names.

    Raises
    ------
    ModelRefused
        There are no such prompts, the file does not fit, they have no such injection, or a seed has nothing to choose.
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
    found = with_prompts(replace(plan, **chosen), prompts, kept=kept)
    if chosen.get("prompt_seed") is not None and found.prompt_seed is None:
        raise ModelRefused(
            f"The prompts {found.prompt_set} have one wording each, so a seed has nothing to choose; leave it out."
        )
    return found


def crossed(plan: RunPlan, *, every: bool = False) -> list[RunPlan]:
    """The plans of the runs that a plan is crossed into, which are about the same items: without what it adds to the
    question, then with one more of it in each run, in their order; ``every``: with every combination.

    Raises
    ------
    ModelRefused
        It adds nothing, or something twice.
    """
    names = plan.injections
    if not names or len(set(names)) < len(names):
        raise ModelRefused("A cross needs what is added to the question, each thing once, such as objects and spatial.")
    cells = [names[:n] for n in range(len(names) + 1)]
    if every:
        cells = [cell for n in range(len(names) + 1) for cell in combinations(names, n)]
    return [replace(plan, injections=cell, crossed=names) for cell in cells]


def told_fields(plan: RunPlan) -> dict[str, tuple[str, ...]]:
    """The fields of the items that each of ``RunPlan.crossed`` tells."""
    injections = prompts_of(plan).injections if plan.crossed else {}
    return {name: tuple(plan.fills.get(each, each) for each in injections[name].placeholders) for name in plan.crossed}


def with_prompts(plan: RunPlan, prompts: str | None = None, *, kept: Mapping[str, str] | None = None) -> RunPlan:
    """The plan with these prompts (None: those that it names), their text and hash as they are now.

    Raises
    ------
    ModelRefused
        There are no such prompts, the file does not fit, or they have no such injection.
    """
    name = prompts or plan.prompt_set
    if registry.find("prompt_set", name) is not None:
        found = load_prompt_set(name)
        plan = replace(plan, prompt_set=name, prompt_text="", prompt_hash=found.hash)
    elif kept and name in kept and not Path(name.partition("#")[0]).is_file():
        plan = replace(plan, prompt_set=name, prompt_text=kept[name])
        found = _parsed(plan)
        plan = replace(plan, prompt_hash=found.hash)
    elif prompts is None and plan.prompt_text:
        found = _parsed(plan)
        plan = replace(plan, prompt_hash=found.hash)
    else:
        try:
            found = read_prompts(name)
        except SchemaError as error:
            known = ", ".join(row.name for row in registry.rows("prompt_set"))
            raise ModelRefused(f"{error} Prompts are a file or one of {known}.") from error
        plan = replace(plan, prompt_set=_file_name(name), prompt_text=found.text, prompt_hash=found.hash)
    if not found.types:
        plan = replace(plan, prompt_seed=None)
    if plan.strategy == TWO_STEPS and not all(FIRST in family for family in found.families.values()):
        raise ModelRefused(
            f"The prompts {plan.prompt_set} have no variant `{FIRST}`, which is what a model is asked first in two"
            " steps: take egoplan_summary, or a file of yours that has it."
        )
    for each in plan.injections:
        if each not in found.injections:
            known = ", ".join(found.injections) or "none"
            raise ModelRefused(f"The prompts {plan.prompt_set} add nothing named `{each}`; there are {known}.")
    return plan


def with_tools(plan: RunPlan, path: Path | None) -> RunPlan:
    """Return the plan with the tool set in a file, as it is now; None: with the strategy's own.

    Raises ``ModelRefused`` if the file does not fit, or if models do not ask for tools in the plan's strategy.
    """
    if path is None:
        return replace(plan, tools_text="", tools_hash="")
    added = added_strategy(plan.strategy)
    if added is None:
        raise ModelRefused(NO_TOOLS)
    return added.with_file(plan, path)


def tools_in_words(plan: RunPlan) -> Sequence[str]:
    """Return what is run here of a plan's tool set, a line for each tool."""
    added = added_strategy(plan.strategy)
    return () if added is None else added.in_words(plan)


NO_TOOLS = (
    "A tool set goes with a strategy in which models ask for tools. Choose such a strategy, or leave the set out."
)


def prompts_of(plan: RunPlan) -> PromptSet:
    """The prompts of a plan, as they were when it was made.

    Raises
    ------
    ModelRefused
        They are no longer what they were, or there are none of that name.
    """
    if plan.prompt_text:
        found = _parsed(plan)
    else:
        try:
            found = load_prompt_set(plan.prompt_set)
        except KeyError as error:
            raise ModelRefused(f"There are no prompts named {plan.prompt_set}.") from error
    if plan.prompt_hash and plan.prompt_hash != found.hash:
        raise ModelRefused(
            f"The prompts {plan.prompt_set} have changed since this run was started, so it cannot go on with them. "
            "Start a new run."
        )
    return found


def kept_prompts(session: Session, project_id: int) -> dict[str, str]:
    """The prompt files that runs of a project were made with: their text by name, the latest of a name."""
    found: dict[str, str] = {}
    for row in sorted(runs.of_project(session, project_id=project_id), key=lambda row: row.id):
        plan = row.params.get("plan")
        if isinstance(plan, Mapping) and plan.get("prompt_text"):
            found[str(plan.get("prompt_set"))] = str(plan["prompt_text"])
    return found


def unfilled(schema: Schema, plan: RunPlan) -> tuple[str, ...]:
    """The placeholders of a plan's prompts that no field of the items fills, so that the plan has to say one."""
    writer = Writer(schema, plan, plan.family, prompts_of(plan))
    variants = {writer.variant(each.id) for each in schema.dimensions}
    variants |= {FIRST} if plan.strategy == TWO_STEPS else set()
    firsts = [writer.prompts.prompt(family=writer.family, variant=each) for each in sorted(variants)]
    prompts = [each for first in firsts for each in writer.prompts.types_of(first)]
    prompts += [writer.prompts.injections[each] for each in plan.injections]
    names = dict.fromkeys(name for prompt in prompts for name in prompt.placeholders)
    return tuple(name for name in names if not writer.fills(name))


def _parsed(plan: RunPlan) -> PromptSet:
    try:
        return parse_prompts(plan.prompt_text, file=plan.prompt_set)
    except SchemaError as error:
        raise ModelRefused(str(error)) from error


def _file_name(file: str) -> str:
    path, mark, chosen = file.partition("#")
    return Path(path).name + mark + chosen
