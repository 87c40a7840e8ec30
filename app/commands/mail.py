"""``touchstone mail``: set up mail, send a test mail, and show the state of sent mails."""

from __future__ import annotations

import secrets
from typing import Annotated

import typer

from domain.errors import SettingsError
from domain.mail import Letter, MailFailure, MailState, MailTime

mail = typer.Typer(help="Notices by e-mail: try the mail server, see what became of mails.", no_args_is_help=True)


def register(cli: typer.Typer) -> None:
    """Add the subcommands of this module."""
    cli.add_typer(mail, name="mail")


@mail.command("try")
def try_(address: Annotated[str, typer.Argument(help="Where the mail goes.")]) -> None:
    """Send one test mail now, and print the mail server's reply."""
    from app.mail import send, server_for
    from app.services import resources

    server = server_for(resources().settings, address)
    text = f"Hello,\n\nTouchstone at {resources().settings.public_url} can send mail.\n"
    try:
        send(server, Letter(secrets.token_urlsafe(12), address, "Touchstone can send mail", text))
    except MailFailure as error:
        raise SettingsError(str(error)) from None
    typer.echo(f"{server.host}:{server.port} took a mail to {address}. Look whether it arrives.")


@mail.command("set")
def set_(
    login: Annotated[str, typer.Argument(help="Whose notices.")],
    address: Annotated[str, typer.Argument(help="Their e-mail address.")],
    when: Annotated[MailTime, typer.Option(help="When they are sent.")] = MailTime.DAILY,
) -> None:
    """Say where someone gets their notices by e-mail; they can change it on the page Notices."""
    from app.services import opened
    from workflow.access import accounts
    from workflow.annotate import mails

    store = opened().store
    person = accounts.find_person(store, login=login)
    mails.choose(store, person=person, address=address, time=when)
    typer.echo(f"{person.name} gets notices at {address}: {when.label}.")


@mail.command("status")
def status() -> None:
    """How many mails wait, left or failed, and why the last ones did."""
    from app.services import opened
    from workflow.annotate import mails

    shared = opened()
    server = shared.settings.mail_server
    typer.echo(
        f"Mails go to {server.host}:{server.port}." if server else "This server sends no mail (TOUCHSTONE_SMTP)."
    )
    counts, troubled = mails.standing(shared.store)
    typer.echo(", ".join(f"{counts.get(state, 0):,} {state.value}" for state in MailState))
    for login, row in troubled:
        said = row.said or "A worker ended over it, so it may have arrived; it is not sent again."
        typer.echo(f"{row.created_at:%Y-%m-%d %H:%M} UTC  {login:<20} {row.state.value}: {said}")
