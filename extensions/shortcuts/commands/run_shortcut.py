"""``touchstone shortcut run``: ask models under a condition, to test whether items need their images."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Any

import typer

from app.commands.groups import find_group
from app.commands.options import CountedItems, Fills, fills_of
from app.commands.planned_runs import counts_of, planned, tell_counted, tell_plan
from app.commands.runs_in_terminal import follow, go_on, opened, refuse_mixed, start
from extensions.shortcuts.run_plan import MOST_ORDERS, Frames, ShortcutPlan


class WithheldPart(StrEnum):
    """The part of items that a model does not see."""

    IMAGES = "images"
    MARKS = "marks"


def register(cli: typer.Typer) -> None:
    """Add the subcommand to ``touchstone run``."""
    find_group(cli, "shortcut").command("run")(shortcut)


Orders = Annotated[
    int | None,
    typer.Option(
        min=2,
        max=MOST_ORDERS,
        help="Ask about each item this many times, each time with the options in another order.",
    ),
]
Spec = Annotated[
    str | None,
    typer.Option(help="The model's description: a YAML file, or the name of a description that comes with Touchstone."),
]


def shortcut(
    project: Annotated[str, typer.Argument(help="The project.")],
    spec: Spec = None,
    without: Annotated[
        WithheldPart | None,
        typer.Option(help="What to hide. `images` hides all images, and `marks` hides the drawings on images."),
    ] = None,
    frames: Annotated[
        Frames | None,
        typer.Option(help="For clips, show one frame from the middle, or all frames shuffled."),
    ] = None,
    orders: Orders = None,
    seed: Annotated[int, typer.Option(help="The seed of the orders of options and frames.")] = 0,
    limit: Annotated[int | None, typer.Option(min=1, help="Ask about at most this many items.")] = None,
    resume: Annotated[str | None, typer.Option(help="Continue this run instead of starting a new run.")] = None,
    dimension: Annotated[
        list[str] | None,
        typer.Option(
            "--dimension", "-d", help="Ask only about items of this dimension. Repeat the option for more dimensions."
        ),
    ] = None,
    prompt_set: Annotated[
        str | None, typer.Option(help="The prompts, as for `touchstone model run`. Default: the prompts in the schema.")
    ] = None,
    family: Annotated[str | None, typer.Option(help="Use the prompts' wording for this family of models.")] = None,
    fill: Fills = None,
    strategy: Annotated[
        str | None,
        typer.Option(help="How to get answers: `generate` or `rank_options`. Default: the strategy in the schema."),
    ] = None,
    clips: Annotated[
        list[str] | None,
        typer.Option("--clips", help="Override a schema setting for turning clips into frames, as NAME=NUMBER."),
    ] = None,
    retry_failed: Annotated[
        bool, typer.Option("--retry-failed", help="With --resume: ask the questions without an answer again.")
    ] = False,
    items: CountedItems = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show the first question and the estimated cost without asking the model.")
    ] = False,
    later: Annotated[bool, typer.Option("--later", help="Start the run in a worker, and return immediately.")] = False,
) -> None:
    """Ask a model without images, or with less of them, to test whether items need their images.

    The replies do not count as answers. Each order of options is a run, which `touchstone run list` lists.

    Example: touchstone shortcut run demo --spec gpt4o.yaml --without images --orders 3
    """
    refuse_mixed(
        resume=resume,
        new=spec is not None,
        frozen=any([spec, without, frames, orders, limit, dimension, prompt_set, family, fill, strategy, clips, items])
        or seed != 0,
        retry_failed=retry_failed,
        say="Name the model of a new run with --spec FILE",
    )
    from workflow.runs import model_descriptions

    shared = opened()
    if resume is not None:
        go_on(shared, project, resume, retry_failed=retry_failed, later=later)
        follow(shared, resume, later=later)
        return
    described = model_descriptions.named(spec or "")
    asked: dict[str, Any] = {"prompts": prompt_set, "family": family, "strategy": strategy, "limit": limit}
    asked |= {"fills": fills_of(fill), "clips": counts_of(clips or ()) or None}
    asked |= {"dimensions": tuple(dimension) if dimension else None}
    plan = planned(shared, project, described, items=items.value if items else None, **asked)
    left_out = {"text_only": without is WithheldPart.IMAGES, "without_marks": without is WithheldPart.MARKS}
    plans = ShortcutPlan.under(plan, frames=frames or "", orders=orders or 0, seed=seed, **left_out)
    if dry_run:
        for planned_run in plans:
            tell_plan(shared, project, described, planned_run)
        return
    runs = [start(shared, project, described, plan, later=later) for plan in plans]
    tell_counted(shared, project, items)
    for run in runs:
        follow(shared, run, later=later)
