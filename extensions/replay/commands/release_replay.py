"""``touchstone release check`` and ``replay``: compare a release with its manifest and with its evidence."""

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
    find_group(cli, "release").command("check")(check)


def check(
    folder: Annotated[
        Path,
        typer.Argument(help="The release's folder. With --recompute, give the private folder if the release has one."),
    ],
    recompute: Annotated[
        bool,
        typer.Option(
            "--recompute", help="Recompute verdicts, agreement, judges' figures and the leaderboard from the evidence."
        ),
    ] = False,
    everything: Annotated[bool, typer.Option("--all", help="With --recompute: also list figures that match.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="With --recompute: print the whole result as JSON.")] = False,
) -> None:
    """Check on any machine that a release is unchanged, or that its figures follow from its votes.

    The check compares all files with the manifest, and the record of what the server sent to people before they voted.
    Each difference is a line, and the exit status is then 1.

    Example: touchstone release check ./egothink-1.0
    """
    if recompute:
        _recompute(folder, everything=everything, as_json=as_json)
        return
    if everything or as_json:
        raise typer.BadParameter("--all and --json need --recompute.")
    from extensions.replay.verification import verify as held

    private = private_of(folder) if private_of(folder).is_dir() else None
    with shown_progress() as progress:
        wrong = held(folder, private=private, progress=progress)
    for sentence in wrong:
        typer.echo(sentence)
    if wrong:
        raise typer.Exit(1)
    typer.echo(f"{folder} has not changed since its release.")


def _recompute(folder: Path, *, everything: bool, as_json: bool) -> None:
    """Recompute the figures of a release from its evidence, and print which are equal. Exit with 1 if any differs."""
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
