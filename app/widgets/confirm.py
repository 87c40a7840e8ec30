"""A dialog that asks for confirmation: it names the thing, and says whether the action can be undone."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import dataclass

import streamlit as st

from app import markup, shell
from app.reruns import button_presses, dialogs
from app.services import Services


@dataclass(frozen=True)
class Confirmation:
    """The texts of a dialog for confirmation."""

    title: str
    """The title, with the name of the thing, such as "Deactivate Ana Ruiz?"."""
    words: str
    """The consequences."""
    undo: str
    """How to undo the action, or that it cannot be undone."""
    yes: str
    """The label of the button that acts, again with the name, such as "Deactivate Ana Ruiz"."""
    no: str = "Cancel"
    """The label of the button that cancels."""
    why: str = ""
    """The label of an input for the reason, which is then required. Empty: no reason is asked for."""


def button(
    label: str, services: Services, question: Confirmation, act: Callable[[], None], *, key: str, sure: str
) -> None:
    """Draw a button that opens the dialog before ``act`` runs. The dialog and ``act`` use the page's current values.

    ``sure`` is the key of the dialog.
    """
    if button_presses.pressed(st, label, key=key, type="primary"):
        ask(services, question, act, key=sure)


def ask(services: Services, question: Confirmation, act: Callable[..., None], *, key: str) -> None:
    """Open the dialog, which stays until it is answered. ``act`` runs once, however often yes is pressed.

    With ``question.why``, ``act`` is called with the reason.

    ``act`` runs before the page is drawn again, inside of ``shell.pressed``. The page shows its errors by
    ``shell.tell_refused``.
    """
    token = f"{key}.{secrets.token_hex(4)}"
    why = f"{token}.why"

    def do() -> None:
        reason = [str(st.session_state.get(why) or "").strip()] if question.why else []
        if all(reason) and dialogs.is_open(token):
            dialogs.close(token)
            with shell.pressed(services):
                act(*reason)

    def body() -> None:
        shell.show(
            markup.tag("p", markup.text(question.words), style="ts"),
            markup.tag("p", markup.quiet(question.undo), style="ts"),
        )
        reason = st.text_input(question.why, key=why) if question.why else None
        left, right = st.columns(2)
        no = left.button(question.no, key=f"{key}.no", width="stretch", on_click=dialogs.close, args=(token,))
        yes = right.button(
            markup.label(question.yes), key=f"{key}.yes", type="primary", width="stretch", wrap=True, on_click=do
        )
        if yes and reason is not None and not reason.strip():
            shell.show(markup.notice("Enter a reason. Touchstone stores the reason with the change.", style="bad"))
        elif no or yes:
            st.rerun()

    dialogs.show(question.title, body, name=token)
