"""``touchstone project schedule``: until when stages are to be done, and in which order they are offered."""

from __future__ import annotations

from datetime import date
from typing import Annotated

import typer

from domain.errors import SettingsError
from domain.states import Stage


def register(project: typer.Typer) -> None:
    """Add the subcommands of this module."""
    project.command("schedule")(schedule)


def schedule(
    project: Annotated[str, typer.Argument(help="The project's name.")],
    due: Annotated[
        list[str] | None,
        typer.Option(
            metavar="STAGE=DAY", help="The last day (UTC) of a stage, as 2026-12-31, or `none`; can be given again."
        ),
    ] = None,
    order: Annotated[
        str | None,
        typer.Option(help="Stages with commas, in the order in which My work offers them; `usual`: as it was."),
    ] = None,
    history: Annotated[bool, typer.Option("--history", help="Show what was changed, and by whom.")] = False,
) -> None:
    """Show or set deadlines and the order of stages. How many items are wanted stands in the schema."""
    from app.services import opened
    from workflow.access import schedule as kept

    store = opened().store
    now = kept.schedule(store, by=None, project=project)
    if due or order is not None:
        deadlines = dict(now.deadlines)
        for text in due or ():
            stage, day = _deadline(text)
            if day is None:
                deadlines.pop(stage, None)
            else:
                deadlines[stage] = day
        wanted = now.order if order is None else () if order.strip() == "usual" else _stages(order)
        done = kept.put(store, by=None, project=project, deadlines=deadlines, order=wanted, based_on=now.number)
        typer.echo("Saved." if done else "Nothing was changed.")
        now = kept.schedule(store, by=None, project=project)
    for stage, last in sorted(now.deadlines.items(), key=lambda each: each[1]):
        typer.echo(f"{stage}: {last}")
    if not now.deadlines:
        typer.echo("No stage has a deadline.")
    if now.order:
        typer.echo(f"Offered first: {', '.join(now.order)}")
    if history:
        for each in kept.history(store, by=None, project=project):
            typer.echo(f"{each.at:%Y-%m-%d %H:%M} {each.by or 'on the machine'}: {'; '.join(each.what)}")


def _deadline(text: str) -> tuple[Stage, date | None]:
    name, _, day = text.partition("=")
    (stage,) = _stages(name)
    if day.strip() == "none":
        return stage, None
    try:
        return stage, date.fromisoformat(day.strip())
    except ValueError as error:
        raise SettingsError(f"--due {text}: {day!r} is no day; write one as 2026-12-31, or `none`.") from error


def _stages(text: str) -> tuple[Stage, ...]:
    known = {stage.value: stage for stage in Stage}
    names = [name.strip() for name in text.split(",")]
    odd = next((name for name in names if name not in known), None)
    if odd is not None:
        raise SettingsError(f"There is no stage {odd!r}; stages are {', '.join(known)}.")
    return tuple(known[name] for name in names)
