"""The register of pages.

Each module of ``app.views``, and each page of an extension, describes itself in ``SCREEN``.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from domain.registers import Register
from domain.roles import Role
from domain.states import Stage


class Group(StrEnum):
    """The groups of the menu, in order."""

    WORK = "Work"
    ITEMS = "Items"
    SOURCES = "Sources"
    PEOPLE = "People"
    MODELS = "Models and judges"
    NUMBERS = "Numbers"
    RELEASE = "Release"
    SETTINGS = "Settings"


@dataclass(frozen=True)
class Screen:
    """A page: its row in the menu, and its path in the address."""

    title: str
    """As the menu and the window call it."""
    place: int
    """Where it stands in the menu, or in its group there, from small to large."""
    stage: Stage | None = None
    """A working page: the stage that a schema must have for it."""
    role: Role = Role.ANNOTATOR
    """Who is offered the page. Who may use it is checked below the screen."""
    part: str = ""
    """The stage that a schema may have, or the part that it may give to one, and that the page is about: without it
    anywhere the page is not offered."""
    timed: bool = False
    """It is about videos of which the schema has what is done when."""
    group: Group | None = Group.WORK
    """Where the menu of someone with many pages has it; None: below the groups, by itself."""
    name: str = ""
    """What its module is called, filled in by ``app.views``; without a trailing underscore it is the path in the
    address."""
    module: str = ""
    """The module that draws it, likewise."""

    @property
    def path(self) -> str:
        """Return the page's path in the address, without the slash. The start page's path is empty."""
        return "" if self.name == "my_work" else self.name.rstrip("_")


SCREENS: Register[Screen] = Register("app.views")
"""All pages by name, in the order of the menu."""
