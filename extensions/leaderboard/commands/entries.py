"""``touchstone entry``: score other teams' files of answers against the key."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from app.commands.groups import Panel, find_group

Project = Annotated[str, typer.Argument(help="The project.")]


def register(cli: typer.Typer) -> None:
    """Add the subcommands of this module."""
    entry = find_group(
        cli, "entry", Panel.RESULTS, "Manage entries (answer files from other teams) for the public leaderboard."
    )
    entry.command("import")(score)
    entry.command("list")(list_)
    entry.command("limit")(budget)


def score(
    project: Project,
    file: Annotated[Path, typer.Argument(help="The team's answer file, such as an EgoPlan submission file.")],
    team: Annotated[str, typer.Option(help="The name of the team.")],
    model: Annotated[str, typer.Option(help="The team's name for its model.")],
    anyway: Annotated[
        bool,
        typer.Option("--anyway", help="Accept incomplete entries. Missing answers count as wrong."),
    ] = False,
) -> None:
    """Score another team's file of answers, and add it to the leaderboard.

    A newer entry of the same team and model replaces the earlier one.

    Example: touchstone entry import demo answers.jsonl --team "Team A" --model big-1
    """
    from app.results.text_lines import figures
    from app.services import resources
    from extensions.leaderboard import entries

    shared = resources()
    shared.store.upgrade()
    done = entries.take(
        shared.store, shared.media, by=None, project=project, path=file, team=team, model=model, anyway=anyway
    )
    typer.echo(entries.sentence(done))
    line = entries.score_of(shared.store, by=None, project=project, entry=done.entry)
    if line is None:
        typer.echo("This project has no key, so Touchstone cannot compute accuracy.")
        return
    what = "mean IoU" if line.measure else "accuracy"
    typer.echo(f"  {what}  95 % interval   answers  left out  not read  lowest to highest")
    typer.echo(f"     {figures(line)}")


def list_(project: Project) -> None:
    """List all entries, newest first, with replaced ones.

    Example: touchstone entry list demo
    """
    from app.services import resources
    from extensions.leaderboard import entries

    shared = resources()
    shared.store.upgrade()
    team_entries = entries.entries(shared.store, by=None, project=project)
    for entry in team_entries:
        typer.echo(f"{entry.at:%Y-%m-%d %H:%M}  {entry.run}  {entry.name}  {entry.withdrawn or 'counts'}")
    if not team_entries:
        typer.echo("There are no entries yet.")


def budget(
    project: Project,
    most: Annotated[int | None, typer.Option(help="The maximum number of entries per team within --days.")] = None,
    days: Annotated[
        int,
        typer.Option(
            help=("The period for --most, in days. For example, --most 2 --days 7 allows 2 entries in 7 days.")
        ),
    ] = 7,
    unlimited: Annotated[
        bool, typer.Option("--unlimited", help="Remove the limit, so that teams can send any number of entries.")
    ] = False,
) -> None:
    """Show or set how many entries a team may send, so that nobody tunes a model on the test set.

    Example: touchstone entry limit demo --most 2 --days 7
    """
    from app.services import opened
    from domain.errors import SettingsError
    from extensions.leaderboard import entry_budget

    if most is not None and unlimited:
        raise SettingsError("Give either --most or --unlimited, not both.")
    store = opened().store
    if most is not None or unlimited:
        wanted = None if most is None else entry_budget.EntryBudget(most, days)
        done = entry_budget.set_budget(store, by=None, project=project, budget=wanted)
        typer.echo("Saved." if done else "Nothing was changed.")
    allowance = entry_budget.budget(store, by=None, project=project)
    typer.echo("A team can send any number of entries." if allowance is None else f"A team can send {allowance.words}.")
