"""``touchstone entry``: score other teams' files of answers against the key."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from app.commands.groups import Panel, find_group

Project = Annotated[str, typer.Argument(help="The project.")]


def register(cli: typer.Typer) -> None:
    """Add the subcommands of this module."""
    entry = find_group(cli, "entry", Panel.RESULTS, "Other teams' files of answers, for the public leaderboard.")
    entry.command("import")(score)
    entry.command("list")(list_)
    entry.command("limit")(budget)


def score(
    project: Project,
    file: Annotated[Path, typer.Argument(help="Its answers: EgoPlan's submission, or any other file of answers.")],
    team: Annotated[str, typer.Option(help="Who sends it in.")],
    model: Annotated[str, typer.Option(help="What they call their model.")],
    anyway: Annotated[
        bool,
        typer.Option("--anyway", help="Take it though answers are missing or name no option; they count as such."),
    ] = False,
) -> None:
    """Take a team's file of answers, and say how many are right. A newer one of the same team and model replaces it."""
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
        typer.echo("There is no key here, so there is no accuracy.")
        return
    what = "mean IoU" if line.measure else "accuracy"
    typer.echo(f"  {what}  95 % interval   answers  left out  not read  lowest to highest")
    typer.echo(f"     {figures(line)}")


def list_(project: Project) -> None:
    """All entries, the newest first, with those that a newer one replaced."""
    from app.services import resources
    from extensions.leaderboard import entries

    shared = resources()
    shared.store.upgrade()
    team_entries = entries.entries(shared.store, by=None, project=project)
    for entry in team_entries:
        typer.echo(f"{entry.at:%Y-%m-%d %H:%M}  {entry.run}  {entry.name}  {entry.withdrawn or 'counts'}")
    if not team_entries:
        typer.echo("No team has sent in anything yet.")


def budget(
    project: Project,
    most: Annotated[int | None, typer.Option(help="So many entries of a team ...")] = None,
    days: Annotated[int, typer.Option(help="... within any so many days.")] = 7,
    unlimited: Annotated[bool, typer.Option("--unlimited", help="Teams may send in as many as they like.")] = False,
) -> None:
    """Show or set how many entries a team may send in."""
    from app.services import opened
    from domain.errors import SettingsError
    from extensions.leaderboard import entry_budget

    if most is not None and unlimited:
        raise SettingsError("--most and --unlimited say different things; give one of them.")
    store = opened().store
    if most is not None or unlimited:
        wanted = None if most is None else entry_budget.EntryBudget(most, days)
        done = entry_budget.set_budget(store, by=None, project=project, budget=wanted)
        typer.echo("Saved." if done else "Nothing was changed.")
    allowance = entry_budget.budget(store, by=None, project=project)
    typer.echo(
        "A team may send in as many as it likes." if allowance is None else f"A team may send in {allowance.words}."
    )
