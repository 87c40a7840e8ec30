"""The section *By email* of the page *Notices*: where and when a person gets notices by mail."""

from __future__ import annotations

import streamlit as st

from app import markup, shell
from app.reruns import messages
from app.services import Services
from domain.language import _
from domain.mail import MailTime
from extensions.notices import notice_mails
from extensions.notices.settings import LONGEST_ADDRESS, server_of


def draw(services: Services) -> None:
    """Draw a person's address and time, if the server sends mail."""
    if server_of(services.settings) is None:
        return
    shell.section(_("By email"))
    about = _(
        "If you choose once a day, you get one email in the morning when you have new notices. The email "
        "also lists waiting work. Without an address, you get no email."
    )
    shell.show(markup.paragraph(about, style="ts ts-quiet ts-small"))
    address, time = notice_mails.choice(services.store, person=services.person)
    done = messages.kept_message("notices.kept")
    if done:
        shell.show(markup.notice(done, style="good"))
    with st.form("notices.mail", border=False):
        left, right, _rest = st.columns([3, 3, 2])
        with left:
            st.text_input(_("Email address"), value=address, key="notices.address", max_chars=LONGEST_ADDRESS)
        with right:
            times = list(MailTime)
            at = times.index(time if address else MailTime.DAILY)
            st.radio(_("Send notices"), times, index=at, format_func=_label, key="notices.time", horizontal=True)
        st.form_submit_button(_("Save"), on_click=_save, args=(services,))


def _label(time: MailTime) -> str:
    return _(time.label)


def _save(services: Services) -> None:
    with shell.pressed(services):
        address, time = st.session_state["notices.address"], MailTime(st.session_state["notices.time"])
        notice_mails.choose(services.store, person=services.person, address=address, time=time)
        told = _("You get notices at {address}, {time}.").format(address=address.strip(), time=_(time.label))
        sentence = _("You get no emails.") if time is MailTime.OFF else told
        messages.keep("notices.kept", sentence)
