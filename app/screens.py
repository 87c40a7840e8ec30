"""The register of pages.

Each module of ``app.views``, and each page of an extension, describes itself in ``SCREEN``. The working
pages are rows of ``app.workbench.working_pages``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from domain.registers import Register
from domain.roles import Role
from domain.states import Stage

if TYPE_CHECKING:
    from annotation_schemas.model import LoadedSchema
    from app.services import Services


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
    """The title in the menu and in the window."""
    place: int
    """The position in the menu, or within its group; small numbers come first."""
    stage: Stage | None = None
    """For a working page: the stage that a schema must have."""
    role: Role = Role.ANNOTATOR
    """The lowest role that is offered the page. The use cases check the rights."""
    part: str = ""
    """The optional stage, or optional part of a stage, that the page is about.

    Without it in the schema, the page is not offered.
    """
    timed: bool = False
    """Whether the page needs videos with times of actions in the schema."""
    group: Group | None = Group.WORK
    """The group in the menu of a person with many pages. None: below the groups."""
    name: str = ""
    """The name of the page. By default ``app.views`` sets the name of its module.

    Without a trailing underscore, it is the path in the address.
    """
    render: Callable[[Services], None] | None = None
    """The function that draws the page, set by ``app.views``."""
    preview: Callable[[LoadedSchema], None] | None = None
    """For a working page with a form of its own: the function that draws the form with made-up content."""

    @property
    def path(self) -> str:
        """Return the page's path in the address, without the slash. The start page's path is empty."""
        return "" if self.name == "my_work" else self.name.rstrip("_")


SCREENS: Register[Screen] = Register("app.views")
"""All pages by name, in the order of the menu."""


def working_page(stage: Stage) -> Screen:
    """Return the working page of a stage."""
    return next(screen for screen in SCREENS.values() if screen.stage is stage)
