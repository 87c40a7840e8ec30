"""The action on the page *Items* that gives back or reassigns what a person has in hand."""

from __future__ import annotations

from typing import Any

import streamlit as st

from app import markup, shell
from app.items import bulk_previews
from app.items.added_actions import ItemAction, SelectedItems, button, refusal
from app.services import Services
from domain.errors import TouchstoneError
from domain.records import ProjectView
from domain.states import Stage
from extensions.bulk import assignments
from extensions.bulk.assignments import AssignmentSelection, Move
from workflow.access import memberships

EVERYONE = "Next available person"
UNDO = {
    Move.GIVE_BACK: "You cannot undo this action. The items go to the next people who ask for a task. Touchstone "
    "keeps each draft for its writer.",
    Move.REASSIGN: "To undo this action, reassign the items to the original person.",
}


def draw(services: Services, view: ProjectView, selected: SelectedItems) -> None:
    """Draw whose assignments move and to whom, the preview, and the button."""
    stages = view.schema.schema_.stages
    members = memberships.list_members(services.store, person=services.person, project=view.name)
    logins = [row.person.login for row in members]
    called = shell.called(services, logins)
    person = st.selectbox("From", logins, index=None, format_func=called, key="items.from", placeholder="Choose")
    left, right = st.columns(2)
    others = [None, *(login for login in logins if login != person)]
    to = left.selectbox(
        "To", others, format_func=lambda login: called(login) if login else EVERYONE, key="items.reassign_to"
    )
    asked = [None, *(stage for stage in Stage if getattr(stages, stage) is not None)]
    stage = right.selectbox(
        "Stage", asked, format_func=lambda stage: stages.title_of(stage) if stage else "Any", key="items.held_in"
    )
    if person is None:
        refusal("Move assignments", "Choose the person whose assignments you want to move.", key="items.move")
        return
    move = Move.GIVE_BACK if to is None else Move.REASSIGN
    chosen = AssignmentSelection(person=person, stage=stage, items=() if selected.every else selected.names)
    ask: dict[str, Any] = {"by": services.person, "project": view.name, "chosen": chosen, "move": move, "to": to}
    try:
        preview = assignments.preview(services.store, **ask)
    except TouchstoneError as error:
        refusal("Move assignments", str(error), key="items.move")
        return
    shell.show(*bulk_previews.previewed(preview, "assignment"))
    if not preview.can:
        return

    def do() -> None:
        n = assignments.do(services.store, **ask, token=preview.token)
        whom = called(to) if to else "anyone"
        selected.done(f"{markup.count(n, 'assignment')} moved from {called(person)} to {whom}.")

    label = f"Move {markup.count(len(preview.can), 'assignment')}"
    button(label, services, do, selected, can=preview.can, key="items.move", undo=UNDO[move])


ACTION = ItemAction(30, "bulk", "Give back or reassign", lambda view: True, draw)
