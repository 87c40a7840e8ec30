"""``touchstone exposure check``: list what people saw before they voted, and what of that they must not see."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from app.commands.groups import Panel, find_group


def register(cli: typer.Typer) -> None:
    """Add the subcommands of this module."""
    group = find_group(
        cli, "exposure", Panel.RELEASE, "Show the data that the server sent to people before they voted."
    )
    group.command("check")(exposure)


def exposure(
    project: Annotated[str, typer.Argument(help="The project.")],
    out: Annotated[
        Path | None, typer.Option(help="Write the faults to this CSV file. Use - to print the faults after the counts.")
    ] = None,
) -> None:
    """Check that voters were blind: whether the server sent anyone, before their vote, what the schema hides from them.

    Hidden facts are the key, an author, a model's name, another vote, or a judge's score. The exit status is 1 if such
    a vote counts.

    Example: touchstone exposure check demo
    """
    from app.services import opened
    from workflow.files import exposures

    report = exposures.report(opened().store, by=None, project=project)
    typer.echo("stage,votes,known,not known,with faults")
    for line in report.stages:
        typer.echo(f"{line.stage.value},{line.votes},{line.complete},{line.without},{line.faulty}")
    if report.since is None:
        typer.echo("No vote has an exposure record yet. Touchstone records exposures from now on.")
    else:
        typer.echo(f"Touchstone has recorded exposures since {report.since:%Y-%m-%d %H:%M} UTC.")
    if report.from_files:
        typer.echo(f"Imported ratings without recorded exposures: {report.from_files}.")
    if out is not None and str(out) == "-":
        sys.stdout.write(exposures.as_csv(report.faults))
    elif out is not None:
        out.write_text(exposures.as_csv(report.faults), encoding="utf-8")
        typer.echo(f"Faults written to {out}: {len(report.faults)}")
    else:
        for fault in report.faults:
            typer.echo(str(fault))
    raise typer.Exit(1 if any(fault.counts for fault in report.faults) else 0)
