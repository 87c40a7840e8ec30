"""Notices of what others did that concerns a person, and email: notices at the time of one's choice, and invitations.

``notice_list`` finds notices in stored data and keeps which of them a person has seen; the page *Notices* lists them.
``settings`` names the operator's mail server, and ``sending`` hands mails over to it. ``notice_mails`` writes mails
with new notices and keeps what became of them; the worker does so as the job ``notice_job``. ``notice_section`` is the
part of the page *Notices* where people choose, and ``mail_off_route`` the link that ends their mails. ``invitations``
mails the links of core's invitations, which also work without mail.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from domain.extensions import Extension


def _pages() -> Sequence[Any]:
    from extensions.notices.pages import notices

    return (notices,)


def _commands() -> Sequence[Any]:
    from extensions.notices.commands import mail

    return (mail,)


def _routes() -> Sequence[Any]:
    from extensions.notices import mail_off_route

    return (mail_off_route,)


def _jobs() -> Sequence[Any]:
    from extensions.notices.notice_job import MAIL

    return (MAIL,)


def _menu_counts() -> Sequence[Any]:
    from extensions.notices.notice_list import n_unseen

    return (("notices", n_unseen),)


def _invitation_mails() -> Sequence[Any]:
    from extensions.notices import invitations

    return (invitations,)


def _settings() -> Sequence[Any]:
    from extensions.notices.settings import MailSettings

    return (MailSettings,)


EXTENSION = Extension(
    name="notices",
    title="Notices and mail",
    pages=_pages,
    commands=_commands,
    routes=_routes,
    jobs=_jobs,
    menu_counts=_menu_counts,
    invitation_mails=_invitation_mails,
    settings=_settings,
)
