"""Inviting people on the page People, by e-mail or by a link that is shown once."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from app import markup, shell
from app.invitations import NAMED, addresses_in, hand_over, letter
from app.services import Services
from domain.records import ProjectView
from domain.roles import Role
from domain.states import Stage
from workflow.access import accounts


def asked(services: Services, *, key: str) -> None:
    """The box for addresses, where this server sends mail; how that is set, for those who can set it."""
    if services.settings.mail_server is not None:
        st.text_area(
            "E-mail the link to (may stay empty)",
            key=f"{key}.mail",
            height=80,
            placeholder="ann@example.org, bob@example.org",
            help="Several addresses between commas or on lines of their own: each gets a link of its own.",
        )
    elif services.person.is_admin:
        words = "This server sends no mail: hand the link over yourself, or set TOUCHSTONE_SMTP to have it e-mailed."
        shell.show(markup.tag("p", markup.quiet(words), style="ts ts-small", data_part="no-mail"))


def make(
    services: Services,
    view: ProjectView,
    *,
    key: str,
    role: Role,
    dimensions: Sequence[str] | None,
    stages: Sequence[Stage] | None,
) -> str:
    """Make the invitations that a dialog asks for and e-mail them; what is to be said of those that left.

    The link of each one that is not e-mailed, or that the mail server did not take, is shown.
    """
    server = services.settings.mail_server
    addresses = addresses_in(st.session_state.get(f"{key}.mail") or "") if server is not None else []

    def token() -> str:
        return accounts.invite(
            services.store, by=services.person, project=view.name, role=role, dimensions=dimensions, stages=stages
        )

    if server is None or not addresses:
        keep_link(
            services,
            f"/invite/{token()}",
            f"An invitation for one {role}: with it they make their account, once, within two weeks.",
        )
        return ""
    letters = []
    links = {}
    for address in addresses:
        made = token()
        links[address] = path = f"/invite/{made}"
        # Kept before it is sent: whatever happens meanwhile, the link is there.
        keep_link(services, path, f"An invitation for {address} as {role}, not e-mailed yet.")
        whole = address_of(services, path)
        letters.append(letter(services.store, token=made, link=whole, address=address, by=services.person.name))
    said = hand_over(server, letters)
    for address, why in zip(addresses, said, strict=True):
        if why is None:
            put_away(links[address])
        else:
            keep_link(
                services, links[address], f"An invitation for {address} as {role}. {why} Hand the link over yourself."
            )
    sent = [address for address, why in zip(addresses, said, strict=True) if why is None]
    if not sent:
        return ""
    whom = ", ".join(sent) if len(sent) <= NAMED else f"{', '.join(sent[:NAMED])} and {len(sent) - NAMED:,} more"
    link = "a link" if len(sent) == 1 else "a link of their own each"
    return f"The mail server took an invitation for {whom}: {link}, which works once, within two weeks."


# ---- links that are shown once --------------------------------------------------------------------------------------

_LINKS = "people.links"


def address_of(services: Services, path: str) -> str:
    """The whole address of a path: where everyone reaches this server, or else as it is looked at."""
    if services.settings.public_url:
        return f"{services.settings.public_url}{path}"
    host = st.context.headers.get("Host", "127.0.0.1:8501")
    scheme = "https" if (st.context.url or "").startswith("https:") else "http"
    return f"{scheme}://{host}{path}"


def keep_link(services: Services, path: str, words: str) -> None:
    """Show a link until it is put away; nothing can show it again, as only its hash is stored."""
    st.session_state.setdefault(_LINKS, {})[path] = (address_of(services, path), words)


def put_away(path: str) -> None:
    """Show a link no more."""
    st.session_state.get(_LINKS, {}).pop(path, None)


def links() -> None:
    """The links that are shown."""
    for path, (address, words) in list(st.session_state.get(_LINKS, {}).items()):
        with st.container(border=True, key=f"people.link.{path[-8:]}"):
            shell.show(markup.tag("div", markup.text(words), style="ts"))
            st.code(address, language=None, wrap_lines=True)
            shell.show(
                markup.tag(
                    "div",
                    markup.quiet("Shown only here, and gone after a reload: copy it now. If it is lost, make another."),
                    style="ts ts-small",
                )
            )
            st.button("I have copied it", key=f"people.copied.{path[-8:]}", on_click=put_away, args=(path,))
