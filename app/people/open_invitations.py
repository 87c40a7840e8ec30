"""List the open invitations of a project, each with a button that revokes it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import streamlit as st

from app import markup, shell
from app.people import invitation_links
from app.services import Services
from app.widgets import confirm
from app.widgets.confirm import Confirmation
from domain.records import OpenInvitation, ProjectView
from workflow.access import accounts

PAGE = 20
"""Invitations on one page of the list."""


def draw(services: Services, view: ProjectView, *, tell: Callable[[str], None]) -> None:
    """Draw the invitations that someone can still accept, if there are any.

    ``tell`` keeps a message for the top of the page.
    """
    invitations = accounts.open_invitations(services.store, by=services.person, project=view.name)
    if not invitations:
        return
    few = len(invitations) <= shell.FEW
    with st.expander(f"Open invitations ({len(invitations):,})", expanded=few, key="people.invitations"):
        first = shell.pager(
            len(invitations), size=PAGE, of=view.name, key="people.invitations.pages", noun="invitation"
        )
        for invitation in invitations[first : first + PAGE]:
            _row(services, view, invitation, tell)


def _row(services: Services, view: ProjectView, invitation: OpenInvitation, tell: Callable[[str], None]) -> None:
    about, button = st.columns((6, 1), vertical_alignment="center")
    facts = (
        *invitation_links.reach(view, invitation.dimensions, invitation.stages),
        f"created by {invitation.by or 'a command'} on {markup.moment(invitation.created_at)}",
        f"expires on {markup.moment(invitation.expires_at)}",
    )
    role = markup.tag("b", markup.text(str(invitation.role).capitalize()))
    with about:
        words = markup.quiet(f" · {' · '.join(facts)}")
        shell.show(markup.tag("div", role, words, style="ts", data_part="invitation"))

    def revoke() -> None:
        accounts.revoke_invitation(services.store, by=services.person, project=view.name, id=invitation.id)
        tell("The invitation was revoked. Its link no longer works.")

    question = Confirmation(
        "Revoke the invitation?",
        f"The link of this invitation stops working: {str(invitation.role).capitalize()} · {' · '.join(facts)}.",
        "You cannot undo this step, but you can invite the person again.",
        "Revoke invitation",
    )
    ask = partial(confirm.ask, services, question, revoke, key="people.sure")
    button.button("Revoke", key=f"people.revoke.{invitation.id}", width="stretch", on_click=ask)
