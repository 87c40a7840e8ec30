"""The page *Notices*: other people's actions that concern the person, each with a link."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from app import markup, shell
from app.screens import Room, Screen
from app.services import Services
from domain.language import _, ngettext
from domain.notices import TOLD_FOR, Notice
from extensions.notices import notice_list, notice_section

SCREEN = Screen("Notices", place=800, room=Room.NOTICES, words="notifications news mail email alerts messages")

LONGEST = 100
"""Largest number of listed notices."""


def render(services: Services) -> None:
    """Draw the unseen notices first, then the others; in each group the newest first."""
    shell.tell_refused()
    notices = notice_list.of_person(services.store, person=services.person)
    shell.heading(
        _("Notices"),
        _("Events that concern you in all your projects, from the last {n} days. My work shows your tasks.").format(
            n=TOLD_FOR.days
        ),
    )
    _list(services, notices)
    notice_section.draw(services)


def _list(services: Services, found: Sequence[Notice]) -> None:
    new = [notice for notice in found if not notice.seen]
    if not found:
        shell.show(markup.notice(_("You have no notices.")))
        return
    if new:
        st.button(
            ngettext("Mark {n} notice as read", "Mark {n} notices as read", len(new)).format(n=f"{len(new):,}"),
            key="notices.seen",
            on_click=_seen,
            args=(services, [key for notice in new for key in notice.keys]),
        )
    heads = [(_("What"), ""), (_("Project"), ""), (_("When"), ""), ("", "")]
    shell.show(markup.table(heads, [_line(notice) for notice in found[:LONGEST]]))
    if len(found) > LONGEST:
        older = _("Older notices that are not listed: {n}.").format(n=f"{len(found) - LONGEST:,}")
        shell.show(markup.paragraph(older, style="ts ts-quiet"))


def _seen(services: Services, keys: Sequence[str]) -> None:
    with shell.pressed(services):
        notice_list.see_all(services.store, person=services.person, keys=list(keys))


def _line(notice: Notice) -> list[markup.Markup]:
    words = markup.tag("a", markup.text(notice.words), href=notice.path, target="_self")
    return [
        words if notice.seen else markup.tag("b", words),
        markup.text(notice.title),
        markup.tag("span", markup.text(markup.moment(notice.at)), dir="ltr"),
        markup.text("" if notice.seen else _("new")),
    ]
