"""``touchstone mail``: set up mail, send a test mail, and show the state of sent mails."""

from __future__ import annotations

import secrets
from typing import Annotated

import typer

from app.commands.groups import Panel, find_group
from domain.errors import SettingsError
from domain.mail import MailState, MailTime


def register(cli: typer.Typer) -> None:
    """Add the subcommands of this module."""
    mail = find_group(cli, "mail", Panel.SERVER, "Notices by email.")
    mail.command("check")(try_)
    mail.command("edit")(set_)
    mail.command("show")(status)


def try_(address: Annotated[str, typer.Argument(help="The address to send a test email to.")]) -> None:
    """Send a test email now, and print the mail server's reply.

    Example: touchstone mail check me@example.org
    """
    from app.services import resources
    from extensions.notices.sending import Letter, MailFailure, send
    from extensions.notices.settings import require_address, require_server

    settings = resources().settings
    server, address = require_server(settings), require_address(address)
    text = f"Hello,\n\nTouchstone at {settings.public_url} can send mail.\n"
    try:
        send(server, Letter(secrets.token_urlsafe(12), address, "Touchstone can send mail", text))
    except MailFailure as error:
        raise SettingsError(str(error)) from None
    typer.echo(f"{server.host}:{server.port} accepted a test email to {address}. Check that the email arrives.")


def set_(
    login: Annotated[str, typer.Argument(help="The person's login.")],
    address: Annotated[str, typer.Argument(help="The person's email address.")],
    when: Annotated[MailTime, typer.Option(help="When to send notices.")] = MailTime.DAILY,
) -> None:
    """Set where a person gets notices by email. The person can change it on the page Notices.

    Example: touchstone mail edit ann ann@example.org
    """
    from app.services import opened
    from extensions.notices import notice_mails
    from workflow.access import accounts

    store = opened().store
    person = accounts.find_person(store, login=login)
    notice_mails.choose(store, person=person, address=address, time=when)
    typer.echo(f"{person.name} gets notices at {address}: {when.label}.")


def status() -> None:
    """Show how many emails wait, were sent or failed, and why the last ones failed.

    Example: touchstone mail show
    """
    from app.services import opened
    from extensions.notices import notice_mails
    from extensions.notices.settings import server_of

    shared = opened()
    server = server_of(shared.settings)
    typer.echo(
        f"Touchstone sends mail through {server.host}:{server.port}."
        if server
        else "This server sends no mail because TOUCHSTONE_SMTP is not set."
    )
    counts, troubled = notice_mails.standing(shared.store)
    typer.echo(", ".join(f"{counts.get(state, 0):,} {state.value}" for state in MailState))
    for login, row in troubled:
        reason = row.said or (
            "A worker stopped while sending the email. The email may have arrived, so Touchstone does not send "
            "the email again."
        )
        typer.echo(f"{row.created_at:%Y-%m-%d %H:%M} UTC  {login:<20} {row.state.value}: {reason}")
