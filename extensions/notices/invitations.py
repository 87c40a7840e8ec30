"""Invitations by mail: the box for addresses on the page *People*, and the mails with the links."""

from __future__ import annotations

import re
import secrets
from collections.abc import Mapping

import streamlit as st

from app import markup, shell
from app.services import Services
from db.engine import Store
from domain.errors import InvalidInputError, Problem
from domain.language import _
from domain.settings import Settings
from extensions.notices import sending
from extensions.notices.notice_mails import clipped
from extensions.notices.sending import Letter, MailFailure
from extensions.notices.settings import is_address, require_server, server_of
from workflow.access import accounts

MOST = 50
"""Number of addresses accepted at once, because each mail takes a dialog with the mail server."""
NAMED = 5
"""Number of faulty addresses that an error names."""


def draw_box(services: Services, *, key: str) -> None:
    """Draw a box for mail addresses if this server sends mail; otherwise tell an admin how to set up mail."""
    if server_of(services.settings) is not None:
        st.text_area(
            "Email addresses (optional)",
            key=key,
            height=80,
            placeholder="ann@example.org, bob@example.org",
            help="Separate several addresses with commas or line breaks. Each address gets its own link.",
        )
    elif services.person.is_admin:
        words = (
            "This server sends no mail. Send the link yourself, or set TOUCHSTONE_SMTP so that Touchstone can send "
            "mail."
        )
        shell.show(markup.tag("p", markup.quiet(words), style="ts ts-small", data_part="no-mail"))


def addresses_in(settings: Settings, text: str) -> list[str]:
    """Return the addresses in a text, without duplicates. Commas, semicolons and line breaks separate them.

    Raises
    ------
    InvalidInputError
        Some texts are not addresses (the error names them), or there are too many.
    SettingsError
        There are addresses, and this server sends no mail.
    """
    by_spelling: dict[str, str] = {}
    for part in re.split(r"[,;\r\n]", text):
        if address := part.strip():
            by_spelling.setdefault(address.casefold(), address)
    addresses = list(by_spelling.values())
    if addresses:
        require_server(settings)
    wrong = [address for address in addresses if not is_address(address)]
    if wrong:
        named = ", ".join(clipped(address) for address in wrong[:NAMED])
        more = f" and {len(wrong) - NAMED:,} more" if len(wrong) > NAMED else ""
        are = "is not an email address" if len(wrong) == 1 else "are not email addresses"
        raise InvalidInputError(
            [
                Problem(
                    "mail", f"{named}{more} {are}. Write each address like ann@example.org. No invitation was created."
                )
            ]
        )
    if len(addresses) > MOST:
        raise InvalidInputError(
            [
                Problem(
                    "mail",
                    (
                        f"You entered {len(addresses):,} addresses. Enter at most {MOST} at once. No "
                        "invitation was created."
                    ),
                )
            ]
        )
    return addresses


def send(
    store: Store, settings: Settings, *, tokens: Mapping[str, str], base: str, by: str | None
) -> dict[str, str | None]:
    """Send invitations one after the other. Return for each address why the server refused its mail, or None.

    If the server is unreachable for one mail, the other mails are not tried: each would wait just as long.
    """
    server = require_server(settings)
    refused: dict[str, str | None] = {}
    away = False
    for address, token in tokens.items():
        refused[address] = None
        if away:
            refused[address] = (
                "Touchstone did not send this email because the mail server had just failed. Try again later."
            )
            continue
        try:
            sending.send(server, _letter(store, token=token, base=base, address=address, by=by))
        except MailFailure as error:
            refused[address] = str(error)
            away = error.away
    return refused


def _letter(store: Store, *, token: str, base: str, address: str, by: str | None) -> Letter:
    """Return the mail with an invitation, in the language of the person who invites."""
    offered = accounts.invitation(store, token=token)
    assert offered is not None, "the invitation was just made"
    invites = (
        _("{name} invites you to take part in {project}, a project in Touchstone.")
        if by
        else _("you are invited to take part in {project}, a project in Touchstone.")
    ).format(name=clipped(by or ""), project=clipped(offered.title))
    link = _("Create your account with this link, which works once within {n} days:").format(n=accounts.INVITATION_DAYS)
    hello = _("Hello,")
    text = f"{hello}\n\n{invites}\n{link}\n\n{base}/invite/{token}\n"
    return Letter(secrets.token_urlsafe(12), address, _("You are invited to Touchstone"), text)
