"""Send invitations by mail, which an extension does (``domain.extensions.Extension.invitation_mails``)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Protocol

from db.engine import Store
from domain import extensions
from domain.settings import Settings

if TYPE_CHECKING:
    from app.services import Services


class InvitationMail(Protocol):
    """The functions of a registered module."""

    def draw_box(self, services: Services, *, key: str) -> None:
        """Draw a box for mail addresses, whose text has this key. Draw none if this server sends no mail."""

    def addresses_in(self, settings: Settings, text: str) -> list[str]:
        """Return the addresses in a text. Raise an error if one is invalid, or if this server sends no mail."""

    def send(
        self, store: Store, settings: Settings, *, tokens: Mapping[str, str], base: str, by: str | None
    ) -> dict[str, str | None]:
        """Send invitations (``tokens`` by address). Return for each address why its mail was refused, or None.

        ``base`` is the address of this server, and ``by`` the name of the person who invites.
        """


def installed() -> InvitationMail | None:
    """Return what sends invitations by mail, if the extension is installed."""
    mail: InvitationMail | None = next(iter(extensions.rows("invitation_mails")), None)
    return mail
