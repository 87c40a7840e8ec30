"""``touchstone project schedule``: set the deadlines of stages, and the order in which stages are offered."""

from __future__ import annotations

from datetime import date
from typing import Annotated

import typer

from annotation_schemas.model import Stages, as_words
from app.commands.groups import find_group
from domain.errors import SettingsError
from domain.states import Stage


def register(cli: typer.Typer) -> None:
    """Add the subcommands of this module."""
    find_group(cli, "project").command("schedule")(schedule)


def schedule(
    project: Annotated[str, typer.Argument(help="The project ID.")],
    due: Annotated[
        list[str] | None,
        typer.Option(
            metavar="STAGE=DAY",
            help="The last day (UTC) of a stage, such as verification=2026-12-31, or `none`. Repeat the option for "
            "more stages.",
        ),
    ] = None,
    order: Annotated[
        str | None,
        typer.Option(
            help="The order of stages in My work, separated by commas. `usual` restores the default order.",
        ),
    ] = None,
    history: Annotated[bool, typer.Option("--history", help="Show all changes, and who made each change.")] = False,
) -> None:
    """Show or set deadlines and the order of stages. The schema has the number of items.

    Example: touchstone project schedule demo --due verification=2026-12-31
    """
    from app.services import opened
    from extensions.schedule import changes
    from workflow.access import projects
    from workflow.access import schedule as kept

    store = opened().store
    now = kept.schedule(store, by=None, project=project)
    (view,) = (view for view in projects.all_projects(store) if view.name == project)
    stages = view.schema.schema_.stages
    if due or order is not None:
        deadlines = dict(now.deadlines)
        for text in due or ():
            stage, day = _deadline(text, stages)
            if day is None:
                deadlines.pop(stage, None)
            else:
                deadlines[stage] = day
        wanted = now.order if order is None else () if order.strip() == "usual" else _stages(order, stages)
        done = changes.set_deadlines(
            store, by=None, project=project, deadlines=deadlines, order=wanted, based_on=now.number
        )
        typer.echo("Saved." if done else "Nothing was changed.")
        now = kept.schedule(store, by=None, project=project)
    for stage, last in sorted(now.deadlines.items(), key=lambda each: each[1]):
        typer.echo(f"{stage}: {last}")
    if not now.deadlines:
        typer.echo("No stage has a deadline.")
    if now.order:
        typer.echo(f"Offered first: {', '.join(now.order)}")
    if history:
        for change in changes.history(store, by=None, project=project):
            typer.echo(f"{change.at:%Y-%m-%d %H:%M} {change.by or 'on the machine'}: {'; '.join(change.what)}")


def _deadline(text: str, of: Stages) -> tuple[Stage, date | None]:
    name, equals, day = text.rpartition("=")
    if not equals:
        raise SettingsError(f"--due {text} has no date. Write STAGE=2026-12-31, or STAGE=none.")
    (stage,) = _stages(name, of, whole=True)
    if day.strip() == "none":
        return stage, None
    try:
        return stage, date.fromisoformat(day.strip())
    except ValueError as error:
        raise SettingsError(
            f"--due {text}: {day!r} is not a date. Write a date such as 2026-12-31, or `none`."
        ) from error


def _stages(text: str, of: Stages, *, whole: bool = False) -> tuple[Stage, ...]:
    """Return the stages that a text names, by id or by the project's name for them.

    ``whole``: the text is the name of one stage, which may contain commas.
    """
    return tuple(_stage(name.strip(), of) for name in ([text] if whole else text.split(",")))


def _stage(name: str, of: Stages) -> Stage:
    by_id = {stage.value: stage for stage in Stage}
    if name in by_id:
        return by_id[name]
    there = [stage for stage in Stage if getattr(of, stage.value) is not None]
    stages = [stage for stage in there if of.title_of(stage.value).casefold() == name.casefold()]
    if len(stages) == 1:
        return stages[0]
    titles = {stage: of.title_of(stage.value) for stage in there}
    called = [f"{stage} ({title})" if title != as_words(stage) else str(stage) for stage, title in titles.items()]
    if stages:
        raise SettingsError(f"{len(stages)} stages are called {name!r}. Name the stage by its ID: {', '.join(stages)}.")
    raise SettingsError(f"There is no stage {name!r}. Choose one of {', '.join(called)}.")
