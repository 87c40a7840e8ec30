"""Helpers of the commands that start runs of models: build the plan, and print it before the first request."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import typer

from app.commands.runs_in_terminal import tell_preview
from domain.english import with_noun
from domain.errors import ModelError
from domain.name_value_pairs import pairs
from domain.run_kinds import kind_of
from domain.states import Items

if TYPE_CHECKING:
    from app.services import Resources
    from domain.runs import RunPlan
    from workflow.runs.model_descriptions import ModelSpec


def tell_counted(shared: Resources, project: str, items: Items | str | None) -> None:
    """Print which items count."""
    from workflow.access.counted_items import counting_of

    typer.echo(f"  {counting_of(shared.store, person=None, project=project, items_=items).sentence}")


def tell_left_out(shared: Resources, project: str, plan: RunPlan) -> None:
    """Print how many items are in no run of a crossed plan, by reason."""
    from workflow.access.projects import access_to
    from workflow.runs import model_runs

    if not plan.crossed:
        return
    with shared.store.read() as session:
        access = access_to(session, person=None, project=project)
        left_out = model_runs.left_out_of_cross(session, access, plan)
    for why, n in left_out.items():
        typer.echo(f"  {with_noun(n, 'item is', 'items are')} excluded from all runs: {why}")


def planned(shared: Resources, project: str, spec: ModelSpec, *, prompts: str | None, **chosen: Any) -> RunPlan:
    """Return the plan of a run from the schema and the chosen options. An option that is None was not given."""
    from workflow.access.projects import access_to
    from workflow.runs.model_plans import kept_prompts, plan_for

    with shared.store.read() as session:
        access = access_to(session, person=None, project=project)
        kept = kept_prompts(session, access.project_id)
    given = {name: value for name, value in chosen.items() if value is not None}
    return plan_for(access.schema, spec, prompts=prompts, kept=kept, **given)


def counts_of(told: Sequence[str]) -> dict[str, int]:
    """Return ``NAME=NUMBER`` texts as a mapping. Raise ``ModelError`` for a value that is not a number."""
    form = "NAME=NUMBER, such as --clips recent_segments=0"
    numbers = pairs(told, form, option="--clips")
    for name, number in numbers.items():
        if not number.isdecimal():
            raise ModelError(f"--clips {name}={number} is invalid. Use the form {form}.")
    return {name: int(number) for name, number in numbers.items()}


def tell_plan(shared: Resources, project: str, spec: ModelSpec, plan: RunPlan) -> None:
    """Print what a run would ask."""
    from workflow.access.projects import access_to
    from workflow.runs import model_plans
    from workflow.runs.askings import asking_of
    from workflow.runs.model_plans import unfilled
    from workflow.runs.preview_run import preview

    seen = preview(
        shared.store,
        shared.media,
        by=None,
        project=project,
        spec=spec,
        plan=plan,
        settings=shared.settings,
        first=20 if spec.endpoint else 1,
        most=sys.maxsize,
    )
    with shared.store.read() as session:
        access = access_to(session, person=None, project=project)
    typer.echo(
        f"{asking_of(kind_of(plan)).label(spec, plan)}: {with_noun(seen.wanted, 'item')}, {plan.strategy}, "
        f"prompts {plan.prompt_set}"
    )
    tell_counted(shared, project, plan.items)
    tell_left_out(shared, project, plan)
    for line in model_plans.tools_in_words(plan):
        typer.echo(f"  {line}")
    for why, n in seen.cannot.items():
        typer.echo(f"  Items that the model cannot answer: {n} ({why})")
    typer.echo(f"  {with_noun(seen.pictures, 'picture')}")
    for variant in dict.fromkeys(seen.variants.values()):
        typer.echo(
            f"  prompt {variant}: {', '.join(name for name, prompt in seen.variants.items() if prompt == variant)}"
        )
    for name, n in seen.types.items():
        typer.echo(f"  type {name}: {n}")
    for name, words in seen.clips.items():
        typer.echo(f"  clips {name}: {words}")
    for placeholder in unfilled(access.schema, plan):
        typer.echo(
            f"  No field matches the placeholder {{{placeholder}}}. Choose a field with --fill {placeholder}=FIELD"
        )
    tell_preview(seen, spec, asked=seen.can, blind=plan.without_image)
