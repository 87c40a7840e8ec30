"""The page *Label Studio*: whose work goes to which server, the tasks there, and their outcomes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields
from datetime import datetime
from typing import Any

import streamlit as st

from app import jobs, markup, shell
from app.jobs import page
from app.reruns import messages
from app.screens import Need, Room, Screen
from app.services import Services
from domain.errors import ConflictError
from domain.records import ProjectView
from domain.roles import Role
from domain.states import ONLY_HERE, Stage
from extensions.labelstudio.exchange import bridge
from extensions.labelstudio.exchange.bridge import BridgeStatus, PersonThere, StageThere
from extensions.labelstudio.queries import servers
from extensions.labelstudio.serving import bridging
from extensions.labelstudio.serving.sync_process import SYNC
from workflow.access import memberships, projects
from workflow.jobs.desk import SlotConflict

SCREEN = Screen(
    "Label Studio",
    place=625,
    room=Room.SETTINGS,
    role=Role.LEAD,
    words="annotate elsewhere connect server bridge",
    needs=Need(
        "No Label Studio server is connected to this project yet. Connect a server on this page.", servers.has_server
    ),
)

NEW = "Another server"
AHEAD, HOLD = 3, 8.0
SAID, WHERE, SHOWN = "label_studio.said", "label_studio.where", "label_studio.shown"
TOP, PEOPLE, SERVER = "top", "people", "server"
"""The parts of the page. The result of a button appears in the button's part."""


def render(services: Services) -> None:
    """Draw the chosen server with its next steps, tasks and people, or the form for a first server."""
    view = shell.lead_of(services)
    shell.heading(
        "Label Studio",
        "People annotate in Label Studio. Touchstone assigns the tasks and stores votes and verdicts.",
        made_up=view.made_up,
    )
    status = bridge.status(services.store, by=services.person, project=view.name)
    chosen = _choose(view, status)
    if chosen is None:
        _kept_result(TOP)
        _connect(view, services, None)
        return
    _status_line(services, view, chosen)
    _counts_table(chosen)
    _people(services, view, chosen)
    _connect(view, services, chosen)


def _choose(view: ProjectView, found: Sequence[BridgeStatus]) -> BridgeStatus | None:
    """Draw the choice of a server and return it. None: add a new one."""
    if not found:
        return None
    addresses = [server.address for server in found]
    wanted = messages.kept_message(SHOWN)
    address = st.selectbox(
        "Server",
        [*addresses, NEW],
        index=addresses.index(wanted) if wanted in addresses else 0,
        key=f"label_studio.server.{view.name}.{len(addresses)}",
    )
    return next((server for server in found if server.address == address), None)


# ---- state ----------------------------------------------------------------------------------------------------------


def _status_line(services: Services, view: ProjectView, status: BridgeStatus) -> None:
    _kept_result(TOP)
    shell.tell_refused()
    page.show(services, [SYNC.name], project=view.name)
    shell.show(markup.tag("p", markup.text(_in_short(status, services.store.now())), style="ts", data_part="stands"))
    for step in status.next_steps:
        shell.show(markup.notice(step))
    if not status.next_steps:
        shell.show(
            markup.notice("Up to date: Touchstone has fetched all answers, and everyone has tasks.", style="good")
        )
    left, right, rest = st.columns((1, 1, 5))
    key = f"label_studio.{{}}.{view.name}.{status.address}"
    with left:
        push = st.button("Push", key=key.format("push"), width="stretch", help="Send people their next tasks.")
    with right:
        pull = st.button("Pull now", key=key.format("pull"), width="stretch", help="Fetch new answers.")
    with rest:
        st.caption(
            f"To push and pull continuously, run `touchstone labelstudio sync {view.name}` on Touchstone's server."
        )
    if push or pull:
        with shell.pressed(services):
            _begin(services, view, "push" if push else "pull", status.address)
        st.rerun()


def _begin(services: Services, view: ProjectView, action: str, address: str) -> None:
    """Begin to push or pull, unless this server is being synchronized."""
    asked = {"action": action, "project": view.name, "address": address}
    slot = f"sync/{view.name}/{address}"
    try:
        jobs.begin(services, SYNC.name, slot=slot, project=view.name, input=asked)
    except SlotConflict as taken:
        raise ConflictError(
            "Another synchronization with this server is running. Wait until that synchronization ends, then try again."
        ) from taken


def _in_short(status: BridgeStatus, now: datetime) -> str:
    hours = "1 hour" if status.hold_hours == 1 else f"{status.hold_hours:g} hours"
    parts = [
        ", ".join(stage.value.capitalize() for stage in status.stages) or "No stage connected",
        f"{markup.count(status.ahead, 'task')} per person, reserved for {hours}",
        f"fetched {_ago(status.pulled_at, now)}",
        f"sent {_ago(status.pushed_at, now)}",
    ]
    if status.stay:
        parts.append("stored answers stay in Label Studio")
    if status.busy:
        parts.append("synchronization running")
    return " · ".join(parts)


def _ago(at: datetime | None, now: datetime) -> str:
    if at is None:
        return "never"
    seconds = max(0, round((now - at).total_seconds()))
    if seconds < 120:
        return f"{markup.count(seconds, 'second')} ago"
    if seconds < 7200:
        return f"{seconds // 60} minutes ago"
    return f"on {markup.moment(at)}"


def _counts_table(status: BridgeStatus) -> None:
    shell.section("Tasks by state")
    if not status.lines:
        shell.show(markup.tag("p", markup.quiet("No tasks have been sent yet."), style="ts"))
        return
    heads = [
        ("Stage", ""),
        ("Person", ""),
        ("Waiting", "number"),
        ("Stored", "number"),
        ("Refused", "number"),
        ("Expired", "number"),
        ("Skipped", "number"),
        ("Notes", "wide"),
    ]
    shell.show(markup.table(heads, [_line(line) for line in status.lines]))


NUMBERS = ("out", "stored", "refused", "late", "skipped")
PLAIN = ("out", "stored", "skipped")
"""Outcomes that their number explains completely."""


def _line(line: StageThere) -> list[markup.Markup]:
    numbers = [field.name for field in fields(line) if isinstance(getattr(line, field.name), int)]
    counted = [name for name in numbers if getattr(line, name)]
    sentences = [sentence for name, sentence in zip(counted, line.sentences, strict=True) if name not in PLAIN]
    return [
        markup.tag("b", markup.text(line.stage.value.capitalize())),
        markup.text(line.name or line.login),
        *[markup.text(getattr(line, name)) for name in NUMBERS],
        markup.joined([markup.tag("div", markup.quiet(sentence)) for sentence in sentences]),
    ]


# ---- people ---------------------------------------------------------------------------------------------------------


def _people(services: Services, view: ProjectView, status: BridgeStatus) -> None:
    shell.section("Label Studio accounts")
    members = memberships.list_members(services.store, person=services.person, project=view.name)
    mapped = {person.login: person for person in status.people}
    gone = [person for person in status.people if person.login not in {member.person.login for member in members}]
    st.caption("Enter the email address that each person uses in Label Studio. People without an address get no tasks.")
    with st.form(f"label_studio.people.{status.address}", border=False):
        everyone = [(member.person.login, member.person.name) for member in members]
        everyone += [(person.login, person.name) for person in gone]
        keys = {login: _person(status, login, name, mapped.get(login)) for login, name in everyone}
        st.form_submit_button(
            "Save people",
            key="label_studio.people.save",
            on_click=_save_people,
            args=(services, view.name, status, keys),
        )
    _kept_result(PEOPLE)


def _person(status: BridgeStatus, login: str, name: str, there: PersonThere | None) -> str:
    """Draw a row of the form. Return the key of its address input, which changes with the stored address."""
    who, address, about = st.columns((2, 3, 4), vertical_alignment="center")
    stored = there.email if there else ""
    key = f"label_studio.email.{status.address}.{login}.{stored}"
    with who:
        shell.show(
            markup.tag("div", markup.tag("b", markup.text(name)), style="ts"),
            markup.tag("div", markup.quiet(login), style="ts ts-small"),
        )
    with address:
        st.text_input(
            f"Email address of {markup.label(name)}",
            value=stored,
            key=key,
            label_visibility="collapsed",
            placeholder="no tasks sent",
        )
    with about:
        shell.show(markup.tag("div", markup.quiet(_about(there)), style="ts ts-small"))
    return key


def _about(there: PersonThere | None) -> str:
    if there is None:
        return ""
    if there.why:
        return there.why
    return "account found" if there.known else "Touchstone checks the account at the next push"


def _save_people(services: Services, project: str, status: BridgeStatus, keys: Mapping[str, str]) -> None:
    before = {person.login: person.email for person in status.people}
    emails = {login: str(st.session_state.get(key) or "").strip() for login, key in keys.items()}
    bridge_args: dict[str, Any] = {"by": services.person, "project": project, "address": status.address}
    changed = 0
    _at(PEOPLE)
    with shell.pressed(services):
        for login in [login for login, email in emails.items() if not email and login in before]:
            bridge.unmap_person(services.store, login=login, **bridge_args)
            changed += 1
        for login, email in emails.items():
            if email and email.casefold() != before.get(login):
                bridge.map_person(services.store, login=login, email=email, **bridge_args)
                changed += 1
        saved = f"Saved {markup.count(changed, 'change')}. Push to apply the changes."
        _keep_result(PEOPLE, saved if changed else "Nothing was changed.")


# ---- the server -----------------------------------------------------------------------------------------------------


def _connect(view: ProjectView, services: Services, status: BridgeStatus | None) -> None:
    """Draw the settings of a known server, or of a new one."""
    schema = view.schema.schema_
    stages = [stage for stage in projects.stages_of(schema) if stage not in ONLY_HERE]
    refused = {stage: bridging.refused(schema, stage) for stage in stages}
    can = [stage for stage in stages if refused[stage] is None]
    shell.section("Server settings" if status else "Connect a server")
    if status is None:
        _first_steps(view)
    if not can:
        shell.show(markup.notice("Label Studio cannot show any stage of this project. Use Touchstone's pages instead."))
    stored = (status.address, *status.stages, status.ahead, status.hold_hours, status.stay) if status else ()
    key = ".".join(["label_studio.connect", view.name, *map(str, stored)])
    with st.form(key, border=False):
        if status is None:
            st.text_input("Address", placeholder="http://127.0.0.1:8080", key=f"{key}.address")
        now = [stage for stage in status.stages if stage in can] if status else can[:0]
        st.multiselect(
            "Stages", can, default=now, format_func=lambda stage: stage.value.capitalize(), key=f"{key}.stages"
        )
        left, right = st.columns(2)
        with left:
            st.number_input(
                "Tasks per person",
                min_value=1,
                max_value=bridge.MOST_AHEAD,
                value=status.ahead if status else AHEAD,
                key=f"{key}.ahead",
            )
        with right:
            st.number_input(
                "Reservation time (hours)",
                min_value=0.25,
                max_value=bridge.LONGEST_HOLD,
                value=float(status.hold_hours) if status else HOLD,
                key=f"{key}.hold",
            )
        st.checkbox(
            "Keep stored answers editable",
            value=status.stay if status else False,
            key=f"{key}.stay",
        )
        st.form_submit_button(
            "Save" if status else "Connect",
            type="primary",
            key=f"{key}.save",
            on_click=_save,
            args=(services, view.name, status, key),
        )
    _kept_result(SERVER)
    for stage, why in refused.items():
        if why:
            shell.show(markup.tag("p", markup.quiet(f"{stage.value.capitalize()}: {why}"), style="ts ts-small"))


def _first_steps(view: ProjectView) -> None:
    shell.show(
        markup.notice(
            "On Touchstone's server, set a Label Studio token (TOUCHSTONE_LABEL_STUDIO_TOKEN) and the server's "
            f"public address (TOUCHSTONE_PUBLIC_URL). Then connect {view.title}, enter email addresses, and push. "
            "For details, see docs/label-studio.md."
        )
    )


def _save(services: Services, project: str, status: BridgeStatus | None, key: str) -> None:
    from extensions.labelstudio.tokens import normal

    given = st.session_state
    where = SERVER if status else TOP
    _at(where)
    with shell.pressed(services):
        address = status.address if status else normal(str(given.get(f"{key}.address") or ""))
        bridge.connect(
            services.store,
            by=services.person,
            project=project,
            address=address,
            stages=[Stage(stage) for stage in given[f"{key}.stages"]],
            ahead=int(given[f"{key}.ahead"]),
            hold_hours=float(given[f"{key}.hold"]),
            stay=bool(given[f"{key}.stay"]),
        )
        messages.keep(SHOWN, address)
        _keep_result(where, "Saved. Push to apply the changes.")


# ---- messages -------------------------------------------------------------------------------------------------------


def _at(where: str) -> None:
    """Record which part's button was pressed, and drop the earlier result."""
    st.session_state.pop(SAID, None)
    st.session_state[WHERE] = where


def _keep_result(where: str, words: str, *, good: bool = True) -> None:
    """Keep the result of a button, to be shown next to it when the page is drawn again."""
    _at(where)
    messages.keep(SAID, (words, good))


def _kept_result(where: str) -> None:
    if st.session_state.get(WHERE) != where:
        return
    words, good = messages.kept_message(SAID) or ("", True)
    for line in words.splitlines():
        shell.show(markup.notice(line, style="good" if good else "bad"))
    shell.tell_refused()
