"""Invite people on the page People, by mail or by a link that is shown once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import streamlit as st

from app import markup, shell
from app.people import invitation_mails
from app.services import Services
from domain.records import ProjectView
from domain.roles import Role
from domain.states import Stage
from workflow.access import accounts

NAMED = 5
"""Number of addresses that a message names."""


@dataclass(frozen=True)
class Link:
    """A link that is shown once, with its explanation above it."""

    title: str
    """The role that the link gives, such as "Annotator"."""
    whom: str
    """The person that the link is for. Empty if unknown."""
    facts: Sequence[str]
    """The rights that the link gives, and when it expires."""
    words: str = ""
    """Instructions or warnings."""


def draw_invitation(services: Services, *, key: str) -> None:
    """Draw the inputs of an invitation: mail addresses, if this server sends mail, and a name."""
    mailing = invitation_mails.installed()
    if mailing is not None:
        mailing.draw_box(services, key=f"{key}.mail")
    st.text_input(
        "Recipient (optional)",
        key=f"{key}.whom",
        max_chars=80,
        help="A name that helps you send the link to the right person. This page shows the name next to the link. "
        "Touchstone does not store the name.",
    )


def make(
    services: Services,
    view: ProjectView,
    *,
    key: str,
    role: Role,
    dimensions: Sequence[str] | None,
    stages: Sequence[Stage] | None,
) -> str:
    """Make and mail the invitations of a dialog. Return a sentence about the mails that were sent.

    A link that was not mailed, or that the mail server refused, is shown on the page.
    """
    mailing = invitation_mails.installed()
    typed = str(st.session_state.get(f"{key}.mail") or "")
    addresses = mailing.addresses_in(services.settings, typed) if mailing is not None else []

    def token() -> str:
        return accounts.invite(
            services.store, by=services.person, project=view.name, role=role, dimensions=dimensions, stages=stages
        )

    def keep(made: str, whom: str, words: str = "") -> None:
        offered = accounts.invitation(services.store, token=made)
        until = f"once, until {markup.moment(offered.expires_at)}" if offered is not None else "not any more"
        link = Link(str(role).capitalize(), whom, (*reach(view, dimensions, stages), until), words)
        keep_link(services, f"{_INVITE}{made}", link)

    if mailing is None or not addresses:
        keep(token(), str(st.session_state.get(f"{key}.whom") or "").strip())
        return ""
    tokens = {}
    for address in addresses:
        tokens[address] = token()
        # The link is kept before it is sent, so that no failure can lose it.
        keep(tokens[address], address, "Not emailed yet.")
    base, by = address_of(services, ""), services.person.name
    refused = mailing.send(services.store, services.settings, tokens=tokens, base=base, by=by)
    for address, why in refused.items():
        if why is None:
            put_away(f"{_INVITE}{tokens[address]}")
        else:
            keep(tokens[address], address, f"{why} Send the link yourself.")
    sent = [address for address, why in refused.items() if why is None]
    if not sent:
        return ""
    whom = ", ".join(sent) if len(sent) <= NAMED else f"{', '.join(sent[:NAMED])} and {len(sent) - NAMED:,} more"
    link = "a link" if len(sent) == 1 else "one link each"
    return f"The mail server accepted an invitation for {whom}: {link}, valid once within two weeks."


def reach(view: ProjectView, dimensions: Sequence[str] | None, stages: Sequence[Stage] | None) -> tuple[str, str]:
    """Return the dimensions and the stages that an invitation opens, in words."""
    schema = view.schema.schema_
    titles = {dimension.id: dimension.title for dimension in schema.dimensions}
    where = ", ".join(titles.get(name, name) for name in dimensions) if dimensions is not None else "all dimensions"
    at = ", ".join(map(schema.stages.title_of, stages)) if stages is not None else "all stages"
    return where, at


# ---- links that are shown once --------------------------------------------------------------------------------------

_LINKS = "people.links"
_INVITE = "/invite/"


def address_of(services: Services, path: str) -> str:
    """Return the full address of a path: under the server's public address, else under the browser's address."""
    if services.settings.public_url:
        return f"{services.settings.public_url}{path}"
    host = st.context.headers.get("Host", "127.0.0.1:8501")
    scheme = "https" if (st.context.url or "").startswith("https:") else "http"
    return f"{scheme}://{host}{path}"


def keep_link(services: Services, path: str, link: Link) -> None:
    """Show a link until it is closed. Only its hash is stored, so the link can never be shown again."""
    st.session_state.setdefault(_LINKS, {})[path] = (address_of(services, path), link)


def put_away(path: str) -> None:
    """Close a link."""
    st.session_state.get(_LINKS, {}).pop(path, None)


def links(services: Services) -> None:
    """Draw the open links, each below its explanation. Links of invitations that have ended go away."""
    kept: list[tuple[str, tuple[str, Link]]] = list(st.session_state.get(_LINKS, {}).items())
    kept = [(path, link) for path, link in kept if not _has_ended(services, path)]
    if not kept:
        return
    once = "Copy each link now. The links disappear when you reload this page. If you lose a link, create a new link."
    shell.show(markup.tag("p", markup.quiet(once), style="ts ts-small"))
    for path, (address, link) in kept:
        with st.container(border=True, key=f"people.link.{path[-8:]}"):
            shell.show(_head(link))
            left, right = st.columns((5, 1.5), vertical_alignment="center")
            left.code(address, language=None, wrap_lines=True)
            right.button(
                "I copied the link", key=f"people.copied.{path[-8:]}", width="stretch", on_click=put_away, args=(path,)
            )


def _has_ended(services: Services, path: str) -> bool:
    token = path.removeprefix(_INVITE)
    return token != path and accounts.invitation(services.store, token=token) is None


def _head(link: Link) -> markup.Markup:
    whom = [markup.text(" for "), markup.tag("b", markup.text(link.whom))] if link.whom else []
    facts = [markup.quiet(" · " + " · ".join(link.facts))]
    line = markup.tag("div", markup.tag("b", markup.text(link.title)), *whom, *facts, style="ts", data_part="link")
    words = [markup.paragraph(link.words, style="ts ts-small")] if link.words else []
    return markup.joined([line, *words])
