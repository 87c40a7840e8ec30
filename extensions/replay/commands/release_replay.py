"""``touchstone release verify`` and ``replay``: compare a release with its manifest and with its evidence."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from app.commands.groups import find_group
from app.commands.progress import shown_progress
from app.commands.release import private_of


def register(cli: typer.Typer) -> None:
    """Add the subcommands of this module."""
    release = find_group(cli, "release")
    release.command("verify")(verify)
    release.command("replay")(replay)


def verify(folder: Annotated[Path, typer.Argument(help="The release's folder.")]) -> None:
    """Compare a release and its private part with the manifest. Also check its record of what the server sent to people
    before they voted. This works on any machine. Each fault is a line, and the exit status is then 1.
    """
    from extensions.replay.verification import verify as held

    private = private_of(folder) if private_of(folder).is_dir() else None
    with shown_progress() as progress:
        wrong = held(folder, private=private, progress=progress)
    for sentence in wrong:
        typer.echo(sentence)
    if wrong:
        raise typer.Exit(1)
    typer.echo(f"{folder} is as it was released.")


def replay(
    folder: Annotated[Path, typer.Argument(help="The folder with the evidence: the private one, if there is one.")],
    everything: Annotated[bool, typer.Option("--all", help="List the figures that are equal, too.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Everything as JSON.")] = False,
) -> None:
    """Recompute verdicts, agreement, judges' figures and the leaderboard from a release's evidence alone, on any
    machine, and say of each whether it is equal. Status 1 if anything is not."""
    from extensions.replay.recomputation import in_words
    from extensions.replay.recomputation import replay as recompute

    with shown_progress() as progress:
        result = recompute(folder, progress=progress)
    if as_json:
        typer.echo(json.dumps(result.as_json(), indent=1, ensure_ascii=False, allow_nan=False))
    else:
        typer.echo("\n".join(in_words(result, all_figures=everything)))
    if not result.ok:
        raise typer.Exit(1)
