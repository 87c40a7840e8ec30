"""``touchstone session``: list and end the sessions in which people are signed in."""

from __future__ import annotations

from typing import Annotated

import typer

from app.commands.groups import Panel, find_group
from domain.errors import SettingsError


def register(cli: typer.Typer) -> None:
    """Add the subcommands of this module."""
    session = find_group(cli, "session", Panel.PEOPLE, "List and end the sessions in which people are signed in.")
    session.command("list")(list_sessions)
    session.command("revoke")(revoke)


def list_sessions(
    login: Annotated[str | None, typer.Argument(help="List only the sessions of this person.")] = None,
) -> None:
    """List the open sessions with their ids, devices, and the times of sign-in and last use.

    Example: touchstone session list ann
    """
    from app.markup import moment
    from app.services import opened
    from workflow.access import accounts, sessions

    store = opened().store
    logins = [login] if login is not None else [person.login for person in accounts.active_accounts(store)]
    n = 0
    for each in logins:
        for row in sessions.list_sessions(store, by=None, login=each):
            n += 1
            times = f"signed in {moment(row.began_at)}, last used {moment(row.used_at)}"
            typer.echo(f"{row.id:>6}  {each:<24} {row.device or 'unknown device':<24} {times}")
    if not n:
        typer.echo("There are no open sessions.")


def revoke(
    login: Annotated[str, typer.Argument(help="The person's login.")],
    id: Annotated[
        list[int] | None, typer.Option(help="End only the session with this id. Repeat the option for more.")
    ] = None,
    all: Annotated[bool, typer.Option("--all", help="End all sessions of the person.")] = False,
) -> None:
    """End sessions of a person, who then has to sign in again. Open pages lose their connection within 20 seconds.

    Example: touchstone session revoke ann --all
    """
    from app.services import opened
    from workflow.access import sessions

    if bool(id) == all:
        raise SettingsError("Choose sessions with --id (see `touchstone session list`), or end all with --all.")
    store = opened().store
    chosen: list[int | None] = [*id] if id else [None]
    n = sum(sessions.revoke_sessions(store, by=None, login=login, id=each) for each in chosen)
    typer.echo(f"Ended sessions: {n}.")
