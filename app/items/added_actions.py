"""What an extension needs to add an action on the selected items of the page *Items*.

Extensions register their actions in ``domain.extensions.Extension.item_actions``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import streamlit as st

from app import markup, shell
from app.reruns import button_presses, dialogs, messages, session_values
from app.services import Services
from domain.errors import ConflictError
from domain.records import ProjectView

DONE = "items.done"
"""The message about a finished action."""
DIALOG = "items.change"
"""The name of the dialog with the actions."""


@dataclass(frozen=True)
class SelectedItems:
    """The items that a person has selected for an action."""

    names: tuple[str, ...]
    """External ids."""
    still: Callable[[], None]
    """Raises ``ConflictError`` if the selected items have changed."""
    every: bool = False
    """Whether these are all items of the project, without a filter."""

    def done(self, words: str) -> None:
        """Show that the action is done, and close the dialog."""
        messages.keep(DONE, words)
        dialogs.close(DIALOG)


_SHOWN = "items.shown"
"""The session value with the selection and the preview that the person last saw."""
CHANGED = "The preview has changed, so Touchstone changed no items. Check the new preview, then press the button again."


def button(
    label: str,
    services: Services,
    act: Callable[[], None],
    selected: SelectedItems,
    *,
    can: Sequence[str],
    key: str,
    undo: str = "",
) -> None:
    """Draw the one filled button of an action. ``act`` runs once, with the newest input of the dialog.

    Nothing is done if the selection or the preview differs from what the person last saw.

    Parameters
    ----------
    can
        The ids of what would change, as in the preview.
    undo
        How to undo the action, or that it cannot be undone.
    """
    if undo:
        shell.show(markup.tag("p", markup.quiet(undo), style="ts ts-small"))
    place = session_values.place()
    if button_presses.pressed(st, markup.label(label), key=key, type="primary"):
        if dialogs.is_open(DIALOG):
            with shell.pressed(services):
                seen, seen_can = place.get(_SHOWN, (selected, can))
                seen.still()
                if tuple(seen_can) != tuple(can):
                    raise ConflictError(CHANGED)
                act()
        st.rerun()
    place[_SHOWN] = (selected, can)


def refusal(label: str, why: str, *, key: str) -> None:
    """Draw the button of an action that cannot be done now, disabled, and the reason."""
    shell.show(markup.notice(why))
    st.button(markup.label(label), key=f"{key}.off", disabled=True)


@dataclass(frozen=True)
class ItemAction:
    """An action on selected items."""

    place: int
    """The list has actions in the order of their places."""
    name: str
    words: str
    """The label in the list of actions: "Make gold checks"."""
    is_offered: Callable[[ProjectView], bool]
    """Whether a project has this action."""
    draw: Callable[[Services, ProjectView, SelectedItems], None]
    """Draws the settings of the action, its preview, and its ``button``."""
