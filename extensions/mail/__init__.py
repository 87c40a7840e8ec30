"""E-mail: notices at the time that a person chooses, and invitations.

``settings`` names the operator's mail server, and ``sending`` hands mails over to it. ``notice_mails`` writes mails
with new notices and keeps what became of them; the worker does so as the job ``notice_job``. ``notice_section`` is the
part of the page *Notices* where people choose, and ``mail_off_route`` the link that ends their mails. ``invitations``
mails the links of core's invitations, which also work without mail.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from domain.extensions import Extension


def _commands() -> Sequence[Any]:
    from extensions.mail.commands import mail

    return (mail,)


def _routes() -> Sequence[Any]:
    from extensions.mail import mail_off_route

    return (mail_off_route,)


def _jobs() -> Sequence[Any]:
    from extensions.mail.notice_job import MAIL

    return (MAIL,)


def _notice_sections() -> Sequence[Any]:
    from extensions.mail.notice_section import draw

    return (draw,)


def _invitation_mails() -> Sequence[Any]:
    from extensions.mail import invitations

    return (invitations,)


def _settings() -> Sequence[Any]:
    from extensions.mail.settings import MailSettings

    return (MailSettings,)


EXTENSION = Extension(
    name="mail",
    title="Mail",
    commands=_commands,
    routes=_routes,
    jobs=_jobs,
    notice_sections=_notice_sections,
    invitation_mails=_invitation_mails,
    settings=_settings,
)
