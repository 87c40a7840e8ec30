"""People: who takes part, as what, in which dimensions; and invitations."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from app import markup, shell
from app.services import Services
from domain.errors import Conflict, TouchstoneError
from domain.records import Membership, ProjectView
from domain.roles import Role
from domain.states import Stage
from workflow import accounts, projects

PARTS: list[Role] = list(Role)
ROLES = {
    Role.ANNOTATOR: "Annotator: writes, verifies, grades",
    Role.SENIOR: "Senior: settles disagreements, too",
    Role.LEAD: "Lead: sees everything, decides who takes part",
}


def render(services: Services) -> None:
    """The members, each with what they may do; then invitations."""
    view = shell.lead_of(services)
    shell.heading(
        "People", "Who takes part, as what, and in which dimensions. A change counts at once.", made_up=view.made_up
    )
    members = projects.members(services.store, person=services.person, project=view.name)
    with st.container():  # a place of its own, said or not: a row that moved would close the list open in it
        _said()
    if not members:
        shell.show(markup.notice("Nobody takes part yet. Make an invitation below and send its link."))
    else:
        _heads()
    for member in members:
        _member(services, view, member)
    _deactivated(services, view)
    left, right = st.columns(2, gap="large")
    with left:
        _invite(services, view)
    with right:
        _let_in(services, view)


def stages_of(view: ProjectView) -> list[Stage]:
    """The stages of the project's schema in which people work on screens."""
    worked = {screen.stage for screen in shell.SCREENS}
    return [stage for stage in Stage if stage in worked and getattr(view.schema.schema_.stages, stage) is not None]


def _titles(view: ProjectView) -> dict[str, str]:
    return {dimension.id: dimension.title for dimension in view.schema.schema_.dimensions}


_WIDTHS = (2.2, 1.6, 3.4, 2.6, 0.9)


def _heads() -> None:
    for column, words in zip(st.columns(_WIDTHS), ("Person", "Part", "Dimensions", "Stages", ""), strict=True):
        with column:
            shell.show(markup.tag("div", markup.quiet(words), style="ts ts-small"))


def _member(services: Services, view: ProjectView, member: Membership) -> None:
    login = member.person.login
    titles = _titles(view)
    who, part, dimensions, stages, more = st.columns(_WIDTHS, vertical_alignment="center")
    with who:
        shell.show(
            markup.tag("div", markup.tag("b", markup.text(member.person.name)), style="ts"),
            markup.tag("div", markup.quiet(login), style="ts ts-small"),
        )
    with part:
        key = _showing("role", view, member)
        st.selectbox(
            f"Part of {member.person.name}",
            PARTS,
            format_func=lambda role: str(role).capitalize(),
            key=key,
            label_visibility="collapsed",
            on_change=_chosen,
            args=(services, view, member, "role"),
        )
    with dimensions:
        key = _showing("dimensions", view, member)
        st.multiselect(
            f"Dimensions of {member.person.name}",
            list(dict.fromkeys([*titles, *(member.dimensions or ())])),
            format_func=lambda name: titles.get(name, name),
            key=key,
            placeholder="all dimensions",
            label_visibility="collapsed",
            on_change=_chosen,
            args=(services, view, member, "dimensions"),
        )
    with stages:
        key = _showing("stages", view, member)
        st.multiselect(
            f"Stages of {member.person.name}",
            list(dict.fromkeys([*stages_of(view), *(member.stages or ())])),
            format_func=str,
            key=key,
            placeholder="all stages",
            label_visibility="collapsed",
            on_change=_chosen,
            args=(services, view, member, "stages"),
        )
    with more, st.popover("More", width="stretch"):
        _more(services, view, member)


def _stored(member: Membership, what: str) -> Role | list[str] | list[Stage]:
    """One of role, dimensions and stages, as a widget holds it."""
    return member.role if what == "role" else list(getattr(member, what) or ())


def _showing(what: str, view: ProjectView, member: Membership) -> str:
    """The key of the widget for this part, which shows what is stored now.

    The widget stays the same whatever is stored, so what is chosen in it while the page is still being drawn counts.
    """
    key = f"people.{what}.{view.name}.{member.person.login}"
    stored = _stored(member, what)
    if st.session_state.get(key) != stored:
        st.session_state[key] = stored
    st.session_state[f"{key}.seen"] = stored
    return key


def _chosen(services: Services, view: ProjectView, member: Membership, what: str) -> None:
    """Store what was just chosen in one widget; the rest of the part stays as it is stored, whoever stored it.

    What another lead has changed since the widget was drawn is not overwritten: the page shows it, and one can choose
    again.
    """
    key = f"people.{what}.{view.name}.{member.person.login}"
    login = member.person.login
    with shell.pressed(services):
        members = projects.members(services.store, person=services.person, project=view.name)
        now = next((each for each in members if each.person.login == login), None)
        if now is None:
            raise Conflict(f"{member.person.name} is no longer in the project.")
        if _stored(now, what) != st.session_state[f"{key}.seen"]:
            raise Conflict(
                f"Somebody has meanwhile changed the {what} of {member.person.name}. Look, and choose again."
            )
        chosen = st.session_state[key]
        saved = projects.set_member(
            services.store,
            by=services.person,
            project=view.name,
            login=login,
            role=chosen if what == "role" else now.role,
            dimensions=(chosen if what == "dimensions" else now.dimensions) or None,
            stages=(chosen if what == "stages" else now.stages) or None,
        )
        st.session_state[f"{key}.seen"] = _stored(saved, what)
        _note_saved(login, saved.role, saved.dimensions)


def _change(
    services: Services,
    view: ProjectView,
    login: str,
    role: Role,
    dimensions: Sequence[str] | None,
    stages: Sequence[Stage] | None,
) -> None:
    try:
        projects.set_member(
            services.store,
            by=services.person,
            project=view.name,
            login=login,
            role=role,
            dimensions=dimensions,
            stages=stages,
        )
    except TouchstoneError as error:
        shell.tell(error)
        return
    _note_saved(login, role, dimensions)
    st.rerun()


def _note_saved(login: str, role: Role, dimensions: Sequence[str] | None) -> None:
    part = ", ".join(dimensions) if dimensions else "all dimensions"
    st.session_state["people.said"] = f"Saved: {login} is {role} in {part}."


def _more(services: Services, view: ProjectView, member: Membership) -> None:
    login = member.person.login
    if services.person.is_admin and st.button(
        "Make a sign-in link", key=f"people.link.{view.name}.{login}", width="stretch"
    ):
        token = accounts.make_sign_in_link(services.store, person=member.person)
        st.code(_address(f"/link/{token}"), language=None, wrap_lines=True)
        st.caption("Signs in once, within a day. Whoever has it is that person: send it to nobody else.")
    st.caption("What they submitted stays.")
    if st.button("Take out of the project", key=f"people.remove.{view.name}.{login}", width="stretch"):
        try:
            projects.remove_member(services.store, by=services.person, project=view.name, login=login)
        except TouchstoneError as error:
            shell.tell(error)
            return
        _say(f"{member.person.name} is out of the project. What they submitted stays.")
    if accounts.may_set_active(services.store, by=services.person, login=login):
        st.caption("Or let nobody sign in with this account any more, in any project:")
        if st.button("Deactivate the account", key=f"people.deactivate.{view.name}.{login}", width="stretch"):
            _set_active(services, login, active=False)


def _set_active(services: Services, login: str, *, active: bool) -> None:
    try:
        person = accounts.set_active(services.store, by=services.person, login=login, active=active)
    except TouchstoneError as error:
        shell.tell(error)
        return
    if active:
        _say(f"{person.name} may sign in again, with the parts they had.")
    _say(f"{person.name} cannot sign in any more. What they submitted stays and counts.")


def _deactivated(services: Services, view: ProjectView) -> None:
    gone = projects.members(services.store, person=services.person, project=view.name, active=False)
    if not gone:
        return
    shell.section("Deactivated")
    for member in gone:
        who, more = st.columns((4, 1), vertical_alignment="center")
        with who:
            words = (markup.text(member.person.name), markup.text(" "), markup.quiet(member.person.login))
            shell.show(markup.tag("div", *words, style="ts"))
        login = member.person.login
        may = accounts.may_set_active(services.store, by=services.person, login=login)
        with more:
            if may and st.button("Reactivate", key=f"people.reactivate.{view.name}.{login}", width="stretch"):
                _set_active(services, login, active=True)


def _invite(services: Services, view: ProjectView) -> None:
    shell.section("Invite somebody")
    with st.form("people.invite", border=False):
        role, dimensions, stages = _part(view, "people.invite")
        sent = st.form_submit_button("Make an invitation", type="primary", key="people.invite.submit")
    if sent:
        token = accounts.invite(
            services.store, by=services.person, project=view.name, role=role, dimensions=dimensions, stages=stages
        )
        st.code(_address(f"/invite/{token}"), language=None, wrap_lines=True)
        st.caption("Send this link to one person: with it they make their account, once, within two weeks.")


def _let_in(services: Services, view: ProjectView) -> None:
    shell.section("Let in somebody who has an account")
    with st.form("people.let_in", border=False):
        login = st.text_input("Login", key="people.let_in.login")
        role, dimensions, stages = _part(view, "people.let_in")
        sent = st.form_submit_button("Let in", key="people.let_in.submit")
    if sent:
        _change(services, view, login, role, dimensions, stages)


def _part(view: ProjectView, key: str) -> tuple[Role, list[str] | None, list[Stage] | None]:
    titles = _titles(view)
    role = st.selectbox("Part", PARTS, format_func=lambda role: ROLES[role], key=f"{key}.role") or Role.ANNOTATOR
    dimensions = st.multiselect(
        "Dimensions",
        list(titles),
        format_func=lambda name: titles[name],
        placeholder="all dimensions",
        key=f"{key}.dimensions",
    )
    stages = st.multiselect("Stages", stages_of(view), format_func=str, placeholder="all stages", key=f"{key}.stages")
    return role, dimensions or None, stages or None


def _address(path: str) -> str:
    host = st.context.headers.get("Host", "127.0.0.1:8501")
    scheme = "https" if (st.context.url or "").startswith("https:") else "http"
    return f"{scheme}://{host}{path}"


def _say(words: str) -> None:
    """Draw the page anew from the database, with a line that says what has changed."""
    st.session_state["people.said"] = words
    st.rerun()


def _said() -> None:
    shell.tell_refused()
    words = st.session_state.pop("people.said", None)
    if words:
        shell.show(markup.notice(words, style="good"))
