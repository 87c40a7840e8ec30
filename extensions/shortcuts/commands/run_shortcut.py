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


def shortcut(
    project: Annotated[str, typer.Argument(help="The project.")],
    spec: Annotated[
        str | None, typer.Option(help="The model's description: a YAML file, or the name of a shipped one.")
    ] = None,
    without: Annotated[
        WithheldPart | None,
        typer.Option(help="`images`: no image and no frame is shown. `marks`: images are, with nothing drawn on them."),
    ] = None,
    frames: Annotated[
        Frames | None,
        typer.Option(help="Of each clip: `one`, the one in the middle of those shown, or all of them `shuffled`."),
    ] = None,
    orders: Annotated[
        int | None,
        typer.Option(min=2, max=MOST_ORDERS, help="Ask each item so often, its options in another order each time."),
    ] = None,
    seed: Annotated[int, typer.Option(help="Draws the orders of options, and of frames.")] = 0,
    limit: Annotated[
        int | None, typer.Option(min=1, help="At most so many items, in the project's own shuffled order.")
    ] = None,
    resume: Annotated[str | None, typer.Option(help="Go on with this run instead of starting one.")] = None,
    dimension: Annotated[
        list[str] | None, typer.Option("--dimension", "-d", help="Only items of this dimension; may be given again.")
    ] = None,
    prompt_set: Annotated[
        str | None, typer.Option(help="Prompts, as of `touchstone model run`; by default what the schema names.")
    ] = None,
    family: Annotated[str | None, typer.Option(help="The prompts' wording for this family of models.")] = None,
    fill: Fills = None,
    strategy: Annotated[
        str | None, typer.Option(help="`generate` or `rank_options`; by default what the schema names.")
    ] = None,
    clips: Annotated[
        list[str] | None,
        typer.Option("--clips", help="NAME=NUMBER: how clips become frames where it differs from the schema."),
    ] = None,
    retry_failed: Annotated[
        bool, typer.Option("--retry-failed", help="With --resume: ask again what brought no answer.")
    ] = False,
    items: CountedItems = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would happen, and do nothing.")] = False,
    later: Annotated[bool, typer.Option("--later", help="Leave it to a worker instead of waiting for it.")] = False,
) -> None:
    """Ask a model under a condition, to test whether items need their pictures. Each order of options is a run of its
    own. The replies do not count as answers. `touchstone run list` lists these runs."""
    refuse_mixed(
        resume=resume,
        new=spec is not None,
        frozen=any([spec, without, frames, orders, limit, dimension, prompt_set, family, fill, strategy, clips, items])
        or seed != 0,
        retry_failed=retry_failed,
        say="Say which model: --spec FILE for new runs",
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
