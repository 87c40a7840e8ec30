"""Asking before what reaches far: one dialog, which names the thing and says whether it can be taken back."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import dataclass

import streamlit as st

from app import markup, shell
from app.services import Services

_ASKED = "confirm.asked"


@dataclass(frozen=True)
class Question:
    """What somebody is asked before it is done."""

    title: str
    """With the name of what it concerns, such as "Deactivate Ana Ruiz?"."""
    words: str
    """What will follow."""
    undo: str
    """How it is taken back, or that it cannot be."""
    yes: str
    """What the button does, with the name again, such as "Deactivate Ana Ruiz"."""
    no: str = "Cancel"
    """The button that leaves everything as it is."""


def ask(services: Services, question: Question, act: Callable[[], None], *, key: str) -> None:
    """Open the dialog, in the run that follows the press; ``act`` is done once, however often yes is pressed.

    ``act`` is called before the page is drawn anew, inside of ``shell.pressed``: what it raises is told on the page by
    ``shell.tell_refused``.
    """
    token = secrets.token_hex(4)
    st.session_state[_ASKED] = token

    def do() -> None:
        if st.session_state.pop(_ASKED, None) == token:
            with shell.pressed(services):
                act()

    @st.dialog(markup.label(question.title))
    def box() -> None:
        shell.show(
            markup.tag("p", markup.text(question.words), style="ts"),
            markup.tag("p", markup.quiet(question.undo), style="ts"),
        )
        left, right = st.columns(2)
        no = left.button(question.no, key=f"{key}.no", width="stretch")
        yes = right.button(
            markup.label(question.yes), key=f"{key}.yes", type="primary", width="stretch", wrap=True, on_click=do
        )
        if no or yes:
            st.rerun()

    box()
