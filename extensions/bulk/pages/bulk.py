"""The page *Bulk actions*: one action on many items or assignments, after a preview; on all of them or none."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import partial
from typing import Any

import streamlit as st

from annotation_schemas.state_words import state_called, states_of
from app import markup, shell
from app.items import bulk_previews
from app.reruns import messages, session_values
from app.screens import Room, Screen
from app.services import Services
from app.widgets import confirm
from app.widgets.confirm import Confirmation
from domain.errors import TouchstoneError
from domain.records import ProjectView
from domain.roles import Role
from domain.states import Stage
from extensions.bulk import assignments
from extensions.bulk.assignments import AssignmentSelection, Move
from extensions.bulk.item_action import FOR_BULK
from workflow.access import memberships
from workflow.lead import bulk
from workflow.lead.bulk_plans import Action, BulkPreview, BulkSelection
from workflow.lead.send_back import Reasons

SCREEN = Screen(
    "Bulk actions",
    place=145,
    room=Room.ITEMS,
    tab=False,
    role=Role.LEAD,
    words="many items assign reassign give back priority delete",
)

ACTIONS: dict[StrEnum, str] = {
    Move.GIVE_BACK: "Give a person's assignments back to everyone",
    Move.REASSIGN: "Give a person's assignments to someone else",
    **bulk_previews.ACTIONS,
}
UNDO: dict[StrEnum, str] = {
    Move.GIVE_BACK: "It cannot be undone: anyone who asks next gets them. What was typed is kept for its writer.",
    Move.REASSIGN: "It can be undone: give them back to the first person in the same way.",
    **bulk_previews.UNDO,
}


@dataclass(frozen=True)
class _Order:
    """An action with its settings."""

    action: Move | Action
    noun: str
    """What changes: "item" or "assignment"."""
    preview: Callable[[], BulkPreview]
    do: Callable[..., int]
    """Called with the ``token`` of the preview."""
    told: Callable[[str], str]
    """Return the sentence that asks for confirmation, with the counted items."""


def render(services: Services) -> None:
    """Draw the choice of an action and items, the preview, and the button that applies the action."""
    view = shell.lead_of(services)
    shell.heading(
        "Bulk actions",
        "Do one thing to many items or assignments. You first see what it would change and what not, and why. If any of"
        " that changes before you confirm, nothing is done.",
        made_up=view.made_up,
    )
    shell.tell_refused()
    message = messages.kept_message("bulk.said")
    if message:
        shell.show(markup.notice(message, style="good"))
    order = _form(services, view)
    try:
        preview = order.preview()
    except TouchstoneError as error:
        shell.show(markup.notice(str(error)))
        return
    more = bulk_previews.without_effect(view, order.action) if isinstance(order.action, Action) else []
    shell.show(*bulk_previews.previewed(preview, order.noun), *more)
    counted = markup.count(len(preview.can), order.noun)
    label = f"Change {counted}"

    def do() -> None:
        n = order.do(token=preview.token)
        messages.keep("bulk.said", f"Done: {markup.count(n, order.noun)} changed.")
        values = session_values.place()
        values[_ROUND] = values.get(_ROUND, 0) + 1  # the same action again would be refused

    if preview.can:
        question = Confirmation(f"{label}?", order.told(counted), UNDO[order.action], f"Yes, {label.lower()}")
        confirm.button(label, services, question, do, key="bulk.do", sure="bulk.sure")


_ROUND = "bulk.round"


def _box(name: str) -> str:
    """Return the key of an input widget. The key changes after each action, so that the widget is empty again.

    A double press sends the browser's old values a second time. Under the old key they would fill the widget again.
    """
    round = session_values.place().get(_ROUND, 0)
    return f"bulk.{name}.{round}" if round else f"bulk.{name}"


def _form(services: Services, view: ProjectView) -> _Order:
    stages = view.schema.schema_.stages
    if FOR_BULK in st.session_state:
        st.session_state[_box("items")] = "\n".join(st.session_state.pop(FOR_BULK))
    actions = [
        *Move,
        *(
            action
            for action in Action
            if action is not Action.ASSIGN and (stages.authoring or action is not Action.SEND_BACK)
        ),
    ]
    action = st.selectbox("What", actions, format_func=lambda one: ACTIONS[one], key="bulk.action") or Move.GIVE_BACK
    if isinstance(action, Move):
        return _move(services, view, action)
    return _change(services, view, action)


def _move(services: Services, view: ProjectView, move: Move) -> _Order:
    """Draw the choice of a person's assignments."""
    stages = view.schema.schema_.stages
    members = memberships.list_members(services.store, person=services.person, project=view.name)
    logins = [row.person.login for row in members]
    called = shell.called(services, logins)
    one, two, three, four = st.columns(4)
    with one:
        person = st.selectbox(
            "Whose assignments", logins, index=None, format_func=called, key=_box("person"), placeholder="choose"
        )
    where = _where(view, two, three)
    with four:
        asked = [stage for stage in Stage if getattr(stages, stage) is not None]
        stage = st.selectbox(
            "Stage", asked, index=None, format_func=stages.title_of, key=_box("stage"), placeholder="any"
        )
    to = None
    if move is Move.REASSIGN:
        others = [login for login in logins if login != person]
        to = st.selectbox("To", others, index=None, format_func=called, key=_box("to"))
    chosen = AssignmentSelection(person=person, stage=stage, items=_ids(), **where)
    ask: dict[str, Any] = {"by": services.person, "project": view.name, "chosen": chosen, "move": move, "to": to}
    return _Order(
        move,
        "assignment",
        partial(assignments.preview, services.store, **ask),
        partial(assignments.do, services.store, **ask),
        lambda counted: f"{counted} of {called(person or '')} for {called(to) if to else 'anyone who asks next'}.",
    )


def _change(services: Services, view: ProjectView, action: Action) -> _Order:
    """Draw the choice of items, and what the action needs."""
    voters = bulk.voters(services.store, by=services.person, project=view.name)
    called = shell.called(services, voters)
    one, two, three, four = st.columns(4)
    with one:
        voter = st.selectbox(
            "Voted on by", voters, index=None, format_func=called, key=_box("voter"), placeholder="anyone"
        )
    where, priority = _where(view, two, three), 0
    if action is Action.PRIORITISE:
        with four:
            priority = int(st.number_input("Priority", value=0, step=1, key="bulk.priority"))
    some = BulkSelection(voter=voter, items=_ids(), **where)
    every = some.nothing and st.checkbox("Every item of the project", key=_box("every"))
    why = bulk_previews.reason(_box("why")) if action is Action.SEND_BACK else ""
    ask: dict[str, Any] = {"by": services.person, "project": view.name, "action": action}
    ask |= {"chosen": replace(some, every=every), "priority": priority, "reasons": Reasons(why)}

    def told(counted: str) -> str:
        whole = f"every item of the project that can change ({counted})" if every else counted
        return f"{ACTIONS[action]}: {whole}."

    return _Order(
        action,
        "item",
        partial(bulk.preview, services.store, **ask),
        partial(bulk.do, services.store, **ask),
        told,
    )


def _where(view: ProjectView, left: Any, right: Any) -> dict[str, Any]:
    """Draw the choice of a dimension and a state in two columns, and return it."""
    titles = {dimension.id: dimension.title for dimension in view.schema.schema_.dimensions}
    stages = view.schema.schema_.stages
    with left:
        dimension = st.selectbox(
            "Dimension",
            list(titles),
            index=None,
            format_func=titles.__getitem__,
            key=_box("dimension"),
            placeholder="any",
        )
    with right:
        state = st.selectbox(
            "State of the item",
            states_of(stages),
            index=None,
            format_func=partial(state_called, stages),
            key=_box("state"),
            placeholder="any",
        )
    return {"dimension": dimension, "state": state}


def _ids() -> tuple[str, ...]:
    """Draw a box for ids of items, and return them."""
    pasted = st.text_area("Only these items (ids as in files, one a line)", key=_box("items"), height=80)
    return tuple(dict.fromkeys(line.strip() for line in pasted.splitlines() if line.strip()))
