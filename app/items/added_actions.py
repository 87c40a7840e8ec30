"""What an extension needs to add an action on the selected items of the page *Items*.

Extensions register their actions in ``domain.extensions.Extension.item_actions``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from app.reruns import messages, session_values
from app.services import Services
from domain.records import ProjectView

DONE = "items.done"
"""The message about a finished action. It appears next to the action, which may be far below the page's head."""


@dataclass(frozen=True)
class SelectedItems:
    """The items that a person has selected for an action."""

    names: tuple[str, ...]
    """External ids."""
    still: Callable[[], None]
    """Raises ``ConflictError`` if the selected items have changed."""
    counted: str
    """The session key that counts how often the selection was reset."""

    def done(self, words: str) -> None:
        """Show that the action is done, and reset the selection.

        Otherwise the preview of the same action would list only refusals. The selection gets a new key, because a
        double press sends the browser's old values again and would restore the old selection.
        """
        messages.keep(DONE, words)
        session_values.place()[self.counted] = session_values.place().get(self.counted, 0) + 1


@dataclass(frozen=True)
class ItemAction:
    """An action on selected items."""

    place: int
    """The list has actions in the order of their places."""
    name: str
    words: str
    """As the list of actions calls it: "Make gold checks of them"."""
    is_offered: Callable[[ProjectView], bool]
    """Whether a project has this action."""
    draw: Callable[[Services, ProjectView, SelectedItems], None]
    """Draws the action with its preview and its confirmation."""
