"""The action on the page *Items* that opens the selected items on the page *Bulk actions*."""

from __future__ import annotations

import streamlit as st

from app import markup, shell
from app.items.added_actions import ItemAction, SelectedItems
from app.services import Services
from domain.records import ProjectView

FOR_BULK = "items.for_bulk"
"""The session key of the items that the page Bulk actions opens with."""


def draw(services: Services, view: ProjectView, selected: SelectedItems) -> None:
    """Draw a button that opens the items on Bulk actions, where the person also chooses whose assignments to change."""
    label = f"Open {markup.count(len(selected.names), 'item')} on Bulk actions"
    if st.button(label, type="primary", key="items.bulk"):
        st.session_state[FOR_BULK] = selected.names
        shell.go("bulk")


ACTION = ItemAction(30, "bulk", "Give back or reassign assignments of them", lambda view: True, draw)
