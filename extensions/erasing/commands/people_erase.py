"""``touchstone person delete``: erase a person for good."""

from __future__ import annotations

from typing import Annotated

import typer

from app.commands.groups import find_group
from domain.errors import DatabaseUnavailableError, SettingsError


def register(cli: typer.Typer) -> None:
    """Add the subcommand to those of ``touchstone person``."""
    find_group(cli, "person").command("delete")(erase)


def erase(
    login: Annotated[str, typer.Argument(help="The person's login.")],
    yes: Annotated[
        str | None,
        typer.Option(
            "--yes",
            metavar="LOGIN",
            help="The login again, to confirm the erasure. Without this option, the command asks for the login.",
        ),
    ] = None,
) -> None:
    """Delete all personal data of a person for good: name, login, password, sessions, addresses and drafts.

    Use this for a deletion request. Submissions stay without a name, and releases still pass their check. The command
    rewrites the SQLite file.

    Example: touchstone person delete ann
    """
    from app.services import opened
    from extensions.erasing import erasing

    store = opened().store
    if erasing.is_erased(store, login=login):
        store.rewrite()
        typer.echo(
            f"{login} was already erased. Touchstone rewrote the database file, so the file contains no deleted names."
        )
        return
    person = erasing.may_be_erased(store, login=login)
    typer.echo(
        f"This command permanently erases {person.name} ({person.login}): name, login, password, sessions, email "
        "addresses, drafts, project memberships and the link to their pseudonyms. Their submissions stay without a "
        "name. You must delete copies elsewhere yourself, such as project archives, backups and exports.",
        err=yes is not None,
    )
    if yes is None:
        yes = typer.prompt("Type the login to erase this person", default="", show_default=False)
        if not yes.strip():
            raise SettingsError("You typed no login. Nothing was erased. Run the command again, and type the login.")
    done = erasing.erase(store, login=person.login, typed=yes)
    typer.echo(f"The person was erased. The submissions now belong to {done.login}.")
    if done.traces:
        raise DatabaseUnavailableError(
            f"Touchstone could not rewrite the database file, so the file may still contain the name. {done.traces} "
            f"Use the command touchstone person delete {done.login}."
        )
