"""The page *People*: the members with their roles and dimensions, and invitations."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from urllib.parse import urlencode

import streamlit as st

from app import markup, shell
from app.people import invitation_links, open_invitations, rights_log
from app.people.invitation_links import Link
from app.reruns import dialogs, messages
from app.reruns.subset_picker import SubsetPicker
from app.screens import SCREENS, Action, Room, Screen
from app.services import Services
from app.widgets import confirm, list_order
from app.widgets.confirm import Confirmation
from domain.errors import ConflictError
from domain.records import Membership, ProjectView
from domain.roles import Role
from domain.states import Stage
from workflow.access import accounts, memberships, sign_in

SCREEN = Screen(
    "Members",
    place=200,
    room=Room.PEOPLE,
    role=Role.LEAD,
    words="people team users annotators raters seniors roles rights access",
    actions=(Action("Invite people", "add member user annotator invitation email link password account"),),
)

PARTS: list[Role] = list(Role)
ROLES = {
    Role.ANNOTATOR: "Annotator: writes, verifies, grades",
    Role.SENIOR: "Senior: also settles disagreements",
    Role.LEAD: "Lead: sees everything and manages members",
}


def render(services: Services) -> None:
    """Draw the members with their rights, then the invitations."""
    view = shell.lead_of(services)
    shell.heading(
        "People",
        "Members with their roles, dimensions and stages. Changes take effect immediately.",
        made_up=view.made_up,
    )
    members = memberships.list_members(services.store, person=services.person, project=view.name)
    _show_message(services)
    invitation_links.links(services)
    with st.container(horizontal=True):
        st.button("Invite someone", type="primary", key="people.invite", on_click=_invite, args=(services, view))
        let_in = "Add someone who has an account"
        st.button(let_in, key="people.let_in", on_click=_add_member, args=(services, view))
    open_invitations.draw(services, view, tell=_keep_message)
    if not members:
        shell.show(markup.notice("The project has no members yet. Create an invitation and send its link."))
    else:
        _list(services, view, members)
    _deactivated(services, view)
    rights_log.draw(services, view)


def stages_of(view: ProjectView) -> list[Stage]:
    """Return the stages of the project's schema that have a working page."""
    worked = {screen.stage for screen in SCREENS.values()}
    return [stage for stage in Stage if stage in worked and getattr(view.schema.schema_.stages, stage) is not None]


def _titles(view: ProjectView) -> dict[str, str]:
    return {dimension.id: dimension.title for dimension in view.schema.schema_.dimensions}


# ---- the list -------------------------------------------------------------------------------------------------------

_WIDTHS = (2.2, 1.1, 3.6, 2.4, 1.7)
PAGE = 50
"""People on one page of the list."""


def _list(services: Services, view: ProjectView, members: Sequence[Membership]) -> None:
    titles = _titles(view)
    columns: dict[str, Callable[[Membership], list_order.Value]] = {
        "Person": lambda member: member.person.name,
        "Login": lambda member: member.person.login,
        "Role": lambda member: PARTS.index(member.role),
        "Dimensions": lambda member: ", ".join(titles.get(name, name) for name in member.dimensions or ()),
        "Stages": lambda member: _stages(view, member),
    }
    members_in_order = list_order.arranged(
        members, columns, names=lambda member: (member.person.name, member.person.login), key="people.order"
    )
    first = shell.pager(
        len(members_in_order),
        size=PAGE,
        of=[member.person.id for member in members_in_order],
        key="people.pages",
        noun="member",
    )
    if members_in_order:
        _heads()
    for member in members_in_order[first : first + PAGE]:
        _member(services, view, member)


def _heads() -> None:
    for column, words in zip(st.columns(_WIDTHS), ("Person", "Role", "Dimensions", "Stages", ""), strict=True):
        with column:
            shell.show(markup.tag("div", markup.quiet(words), style="ts ts-small"))


def _member(services: Services, view: ProjectView, member: Membership) -> None:
    titles = _titles(view)
    who, part, dimensions, stages, change = st.columns(_WIDTHS, vertical_alignment="center")
    with who:
        shell.show(
            markup.tag("div", markup.tag("b", markup.text(member.person.name)), style="ts"),
            markup.tag("div", markup.quiet(member.person.login), style="ts ts-small"),
        )
    with part:
        shell.show(_words(str(member.role).capitalize(), "part"))
    with dimensions:
        named = [titles.get(name, name) for name in member.dimensions or ()]
        shell.show(_words(", ".join(named) if member.dimensions is not None else "all", "dimensions"))
    with stages:
        shell.show(_words(_stages(view, member) if member.stages is not None else "all", "stages"))
    with change:
        # The key is the account, so that an open panel never moves to the next person.
        label = f"Change {markup.label(member.person.name)}"
        st.button(
            label,
            key=f"people.change.{view.name}.{member.person.id}",
            width="stretch",
            wrap=True,
            on_click=partial(_pressed, services, partial(_change, services, view, member)),
        )


def _words(value: str, part: str) -> markup.Markup:
    return markup.tag("div", markup.text(value or "none"), style="ts", data_part=part)


def _stages(view: ProjectView, member: Membership) -> str:
    return ", ".join(map(view.schema.schema_.stages.title_of, member.stages or ()))


def _deactivated(services: Services, view: ProjectView) -> None:
    gone = memberships.list_members(services.store, person=services.person, project=view.name, active=False)
    if not gone:
        return
    shell.section("Deactivated")
    for member in gone:
        who, more = st.columns((4, 1), vertical_alignment="center")
        with who:
            words = (markup.text(member.person.name), markup.text(" "), markup.quiet(member.person.login))
            shell.show(markup.tag("div", *words, style="ts"))
        login = member.person.login
        if accounts.may_set_active(services.store, by=services.person, login=login):
            more.button(
                f"Reactivate {markup.label(member.person.name)}",
                key=f"people.reactivate.{view.name}.{member.person.id}",
                width="stretch",
                wrap=True,
                on_click=partial(_pressed, services, partial(_set_active, services, member, active=True)),
            )


# ---- rights --------------------------------------------------------------------------------------------------------


class _MembershipInputs:
    """Inputs for role, dimensions and stages in a dialog. Nothing is stored before the dialog's button is pressed."""

    def __init__(self, view: ProjectView, member: Membership | None, *, key: str) -> None:
        self.role = f"{key}.role"
        if self.role not in st.session_state:
            st.session_state[self.role] = member.role if member else Role.ANNOTATOR
        stages = {str(stage): view.schema.schema_.stages.title_of(stage) for stage in stages_of(view)}
        self.dimensions = SubsetPicker(
            "dimensions", _titles(view), member.dimensions if member else None, key=f"{key}.dimensions"
        )
        self.stages = SubsetPicker("stages", stages, member.stages if member else None, key=f"{key}.stages")

    def draw(self) -> None:
        """Draw the inputs."""
        st.radio("Role", PARTS, format_func=lambda role: ROLES[role], key=self.role)
        self.dimensions.draw()
        self.stages.draw()

    def read(self) -> tuple[Role, tuple[str, ...] | None, tuple[Stage, ...] | None]:
        """Return the chosen role, dimensions and stages. None: all of them."""
        stages = self.stages.read()
        chosen = tuple(Stage(stage) for stage in stages) if stages is not None else None
        return st.session_state[self.role], self.dimensions.read(), chosen


def _dialog(
    services: Services,
    title: str,
    draw: Callable[[], None],
    act: Callable[[], None],
    *,
    button: str,
    key: str,
    more: Callable[[], None] | None = None,
) -> None:
    """Draw a dialog with one button, which calls ``act`` and closes the dialog. After an error, the dialog stays open.

    ``more`` draws further content below the button.
    """

    def body() -> None:
        with shell.guard(services):
            draw()
            refused = st.container()
            done = st.button(
                button, type="primary", key=f"{key}.do", width="stretch", on_click=partial(_pressed, services, act, key)
            )
            if done and not shell.was_refused():
                st.rerun()
            with refused:
                shell.tell_refused()
            if more is not None:
                more()

    dialogs.show(title, body, name=key)


def _pressed(services: Services, act: Callable[[], None], dialog: str | None = None) -> None:
    """Call ``act``, and close its dialog unless the action was refused.

    A double press finds the dialog already closed, and does nothing.
    """
    if dialog is not None and not dialogs.is_open(dialog):
        return
    with shell.pressed(services):
        act()
    if dialog is not None and not shell.was_refused():
        dialogs.close(dialog)


def _opened() -> int:
    """Return a new number for each opened dialog, so that it shows stored values, not those of the last dialog."""
    n: int = st.session_state.get("people.opened", 0) + 1
    st.session_state["people.opened"] = n
    return n


# ---- changing rights -----------------------------------------------------------------------------------------------


def _change(services: Services, view: ProjectView, drawn: Membership) -> None:
    member = _now(services, view, drawn)
    key = f"people.part.{view.name}.{member.person.id}.{_opened()}"
    name = member.person.name

    def draw() -> None:
        _MembershipInputs(view, member, key=key).draw()

    def more() -> None:
        """Draw the actions with larger effects, which replace this dialog with a dialog for confirmation."""
        st.divider()
        acts: dict[str, Callable[[], None]] = {}
        if services.person.is_admin:
            acts["Make a sign-in link"] = link
        acts["Remove from the project"] = partial(
            _ask, services, _removal(member), partial(_remove, services, view, member)
        )
        if accounts.may_set_active(services.store, by=services.person, login=member.person.login):
            act = partial(_set_active, services, member, active=False)
            acts["Deactivate the account"] = partial(_ask, services, _deactivation(member), act)
        for label, do in acts.items():
            act_key = f"{key}.{label.split()[0].lower()}"
            if st.button(label, key=act_key, width="stretch", on_click=partial(_pressed, services, do, key)):
                st.rerun()
        if services.person.is_admin:
            href = f"/sessions?{urlencode({'login': member.person.login})}"
            shell.show(markup.tag("a", markup.text("See and end sessions"), href=href, target="_self", style="ts"))

    def link() -> None:
        token = sign_in.make_sign_in_link(services.store, person=member.person)
        words = f"Anyone with this link can sign in as {name}. Send the link only to {name}."
        invitation_links.keep_link(
            services, f"/link/{token}", Link("Sign-in link", name, ("once, within a day",), words)
        )

    def save() -> None:
        part = _MembershipInputs(view, member, key=key)
        role, dimensions, stages = part.read()
        wanted = replace(member, role=role, dimensions=dimensions, stages=stages)
        act = partial(_save, services, view, member, wanted)
        if member.role is Role.LEAD and role is not Role.LEAD:
            _ask(services, _demotion(services, member, role), act)
        else:
            act()

    _dialog(services, name, draw, save, button="Save", key=key, more=more)


def _save(services: Services, view: ProjectView, seen: Membership, wanted: Membership) -> None:
    """Store the changed rights. Other values keep their stored state, whoever changed them.

    Raises ``ConflictError`` if another lead has changed the same value since the dialog was opened. The page then shows
    the new value, and the lead can choose again.
    """
    now = _now(services, view, seen)
    for what in ("role", "dimensions", "stages"):
        if getattr(wanted, what) == getattr(seen, what):
            wanted = replace(wanted, **{what: getattr(now, what)})
        elif getattr(now, what) != getattr(seen, what):
            raise ConflictError(
                f"Another person changed the {what} of {seen.person.name}. Check the new setting, then choose again."
            )
    _store(services, view, wanted)
    _keep_message(_saved(view, wanted))


def _now(services: Services, view: ProjectView, seen: Membership) -> Membership:
    """Return the stored membership. Raise ``ConflictError`` if the person is no longer in the project."""
    members = memberships.list_members(services.store, person=services.person, project=view.name)
    now = next((member for member in members if member.person.id == seen.person.id), None)
    if now is None:
        raise ConflictError(f"{seen.person.name} is no longer in the project. Reload the page.")
    return now


def _store(services: Services, view: ProjectView, member: Membership) -> None:
    memberships.set_member(
        services.store,
        by=services.person,
        project=view.name,
        login=member.person.login,
        role=member.role,
        dimensions=member.dimensions,
        stages=member.stages,
    )


def _saved(view: ProjectView, member: Membership) -> str:
    titles = _titles(view)
    dimensions = ", ".join(titles.get(name, name) for name in member.dimensions or ()) or "all dimensions"
    stages = f", for {_stages(view, member)}" if member.stages else ""
    return f"Saved: {member.person.name} has the role {member.role} in {dimensions}{stages}."


def _demotion(services: Services, member: Membership, role: Role) -> Confirmation:
    name = member.person.name
    mine = member.person.id == services.person.id and not services.person.is_admin
    return Confirmation(
        f"Change the role of {name} from lead to {role}?",
        f"{'You' if mine else name} will no longer see the pages for leads or manage members.",
        "You cannot undo this change yourself. Only another lead can restore your role."
        if mine
        else "You can restore the role on this page.",
        f"Make {name} {role}",
    )


def _removal(member: Membership) -> Confirmation:
    name = member.person.name
    return Confirmation(
        f"Remove {name} from the project?",
        f"{name} can no longer open this project or get its tasks. Submissions by this person stay in the "
        "project and still count.",
        "You can undo the removal on this page, or add the person again later.",
        f"Remove {name}",
    )


def _remove(services: Services, view: ProjectView, member: Membership) -> None:
    memberships.remove_member(services.store, by=services.person, project=view.name, login=member.person.login)

    def back() -> None:
        if any(
            other_member.person.id == member.person.id
            for other_member in memberships.list_members(services.store, person=services.person, project=view.name)
        ):
            raise ConflictError(f"{member.person.name} is already in the project. Reload the page.")
        _store(services, view, member)
        _keep_message(f"{member.person.name} is back in the project and has the same role as before.")

    _keep_message(
        f"{member.person.name} was removed from the project. Their submissions stay in the project and still count.",
        undo=back,
    )


def _deactivation(member: Membership) -> Confirmation:
    name = member.person.name
    return Confirmation(
        f"Deactivate the account of {name}?",
        f"{name} is signed out immediately and can no longer sign in to any project. Their open tasks go to other "
        "people. Their submissions still count.",
        "You can reactivate the account at the end of this page.",
        f"Deactivate {name}",
    )


def _set_active(services: Services, member: Membership, *, active: bool) -> None:
    person = accounts.set_active(services.store, by=services.person, login=member.person.login, active=active)
    if active:
        _keep_message(f"{person.name} can sign in again and has the same roles as before.")
    else:
        _keep_message(f"{person.name} can no longer sign in. Their submissions still count.")


# ---- invitations ----------------------------------------------------------------------------------------------------


def _invite(services: Services, view: ProjectView) -> None:
    key = f"people.invite.{_opened()}"

    def draw() -> None:
        invitation_links.draw_invitation(services, key=key)
        _MembershipInputs(view, None, key=key).draw()

    def make() -> None:
        role, dimensions, stages = _MembershipInputs(view, None, key=key).read()
        message = invitation_links.make(services, view, key=key, role=role, dimensions=dimensions, stages=stages)
        if message:
            _keep_message(message)

    _dialog(services, "Invite someone", draw, make, button="Make an invitation", key=key)


def _add_member(services: Services, view: ProjectView) -> None:
    key = f"people.let_in.{_opened()}"

    def draw() -> None:
        st.text_input("Login", key=f"{key}.login")
        _MembershipInputs(view, None, key=key).draw()

    def let_in() -> None:
        role, dimensions, stages = _MembershipInputs(view, None, key=key).read()
        member = memberships.set_member(
            services.store,
            by=services.person,
            project=view.name,
            login=st.session_state[f"{key}.login"],
            role=role,
            dimensions=dimensions,
            stages=stages,
        )
        _keep_message(_saved(view, member))

    _dialog(services, "Add someone who has an account", draw, let_in, button="Add", key=key)


# ---- messages -------------------------------------------------------------------------------------------------------


def _keep_message(words: str, *, undo: Callable[[], None] | None = None) -> None:
    """Keep a message for above the list, with a button that undoes the change."""
    messages.keep("people.said", words)
    st.session_state["people.undone"] = (words, undo)


def _show_message(services: Services) -> None:
    shell.tell_refused()
    words, undo = st.session_state.get("people.undone", (None, None))
    if undo is None:
        words = messages.kept_message("people.said")
    if words:
        shell.show(markup.notice(words, style="good"))
    if undo is not None:
        st.button("Undo", key="people.undo", on_click=partial(_pressed, services, undo))


def _ask(services: Services, question: Confirmation, act: Callable[[], None]) -> None:
    confirm.ask(services, question, act, key="people.sure")
