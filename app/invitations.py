"""Invitations by mail: parse the addresses, write the mails, and send them."""

from __future__ import annotations

import re
import secrets
from collections.abc import Sequence

from app.mail import send
from db.engine import Store
from domain.errors import InvalidInput, Problem
from domain.mail import Letter, MailFailure, MailServer, is_address
from workflow.access import accounts
from workflow.annotate.mails import clipped

MOST = 50
"""Number of addresses accepted at once, because each mail takes a dialog with the mail server."""
NAMED = 5
"""Number of faulty addresses that an error names."""


def addresses_in(text: str) -> list[str]:
    """Return the addresses in a text, without duplicates. Commas, semicolons and line breaks separate them.

    Raises
    ------
    InvalidInput
        Some texts are not addresses (the error names them), or there are too many.

    >>> addresses_in("ann@example.org, bob@example.org\\nAnn@Example.org;")
    ['ann@example.org', 'bob@example.org']
    """
    by_spelling: dict[str, str] = {}
    for each in re.split(r"[,;\r\n]", text):
        if address := each.strip():
            by_spelling.setdefault(address.casefold(), address)
    found = list(by_spelling.values())
    wrong = [each for each in found if not is_address(each)]
    if wrong:
        named = ", ".join(clipped(each) for each in wrong[:NAMED])
        more = f" and {len(wrong) - NAMED:,} more" if len(wrong) > NAMED else ""
        are = "is no e-mail address" if len(wrong) == 1 else "are no e-mail addresses"
        raise InvalidInput(
            [Problem("mail", f"{named}{more} {are}; write each as ann@example.org. No invitation was made.")]
        )
    if len(found) > MOST:
        raise InvalidInput(
            [
                Problem(
                    "mail", f"These are {len(found):,} addresses; give at most {MOST} at once. No invitation was made."
                )
            ]
        )
    return found


def letter(store: Store, *, token: str, link: str, address: str, by: str | None) -> Letter:
    """Return the mail with an invitation."""
    offered = accounts.invitation(store, token=token)
    assert offered is not None, "it was made just now"
    who = f"{clipped(by)} invites you" if by else "you are invited"
    text = (
        f"Hello,\n\n{who} to take part in {clipped(offered.title)}, a project in Touchstone. With this link you make an"
        f"\naccount of your own; it works once, within {accounts.INVITATION_DAYS} days:\n\n{link}\n"
    )
    return Letter(secrets.token_urlsafe(12), address, "You are invited to Touchstone", text)


def hand_over(server: MailServer, letters: Sequence[Letter]) -> list[str | None]:
    """Send mails one after the other. Return for each mail why the server refused it, or None.

    If the server is unreachable for one mail, the other mails are not tried: each would wait just as long.
    """
    said: list[str | None] = []
    away = False
    for each in letters:
        if away:
            said.append("This mail was not tried, as the mail server had just failed over another one.")
            continue
        try:
            send(server, each)
        except MailFailure as error:
            said.append(str(error))
            away = error.away
        else:
            said.append(None)
    return said
