"""The register of pages.

Each module of ``app.views``, and each page of an extension, describes itself in ``SCREEN``. The working
pages are rows of ``app.workbench.working_pages``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from db.project_facts import FactQuery
from domain.language import _
from domain.registers import Register
from domain.roles import Role
from domain.states import Stage

if TYPE_CHECKING:
    from annotation_schemas.model import LoadedSchema, Schema
    from app.services import Services


class Room(StrEnum):
    """The entries of the menu, in order. A room's pages are its tabs."""

    OVERVIEW = "Overview"
    ITEMS = "Items"
    PEOPLE = "People"
    MODELS = "Models"
    RESULTS = "Results"
    RELEASE = "Release"
    SETTINGS = "Settings"
    MY_WORK = "My work"
    NOTICES = "Notices"


@dataclass(frozen=True)
class Need:
    """What a project must have before the menu offers a page. The page's address works without it."""

    sentence: str
    """Says on the page what is missing, and what to do."""
    query: FactQuery | None = None
    """Tells whether the project has it (``db.project_facts``, or a query of an extension)."""
    schema: Callable[[Schema], object] | None = None
    """Tells whether the schema has it."""


@dataclass(frozen=True)
class Action:
    """A main action of a page, which the finder (key M) lists by its own name."""

    title: str
    words: str = ""
    """Further words under which people look for it."""
    role: Role = Role.ANNOTATOR
    """The lowest role that is offered the action."""


@dataclass(frozen=True)
class Screen:
    """A page: its tab in a room of the menu, and its path in the address."""

    title: str
    """The title of the tab and of the window."""
    place: int
    """The position among the tabs of its room; small numbers come first."""
    room: Room | None = None
    """The room. None: only links and the finder lead to the page."""
    room_below: Room | None = None
    """The room for people who are not leads. None: the same room."""
    tab: bool = True
    """Whether the page has a tab. Without one, it opens inside of its room, and the finder lists it."""
    words: str = ""
    """Further words under which people look for the page."""
    actions: tuple[Action, ...] = ()
    stage: Stage | None = None
    """For a working page: the stage that a schema must have."""
    role: Role = Role.ANNOTATOR
    """The lowest role that is offered the page. The use cases check the rights."""
    part: str = ""
    """The optional stage, or optional part of a stage, that the page is about.

    Without it in the schema, the page is not offered.
    """
    fits: Callable[[Schema], object] | None = None
    """Tells whether a schema has what the page is about. Otherwise, the page is not offered."""
    needs: Need | None = None
    """What the project must have before the menu lists the page."""
    name: str = ""
    """The name of the page. By default ``app.views`` sets the name of its module.

    Without a trailing underscore, it is the path in the address.
    """
    render: Callable[[Services], None] | None = None
    """The function that draws the page, set by ``app.views``."""
    preview: Callable[[LoadedSchema], None] | None = None
    """For a working page with a form of its own: the function that draws the form with made-up content."""

    @property
    def window_title(self) -> str:
        """Return the title of the browser's window, in the person's language."""
        names = [_(self.title), *([_(self.room.value)] if self.room is not None else []), "Touchstone"]
        return " · ".join(dict.fromkeys(names))

    @property
    def path(self) -> str:
        """Return the page's path in the address, without the slash."""
        return self.name.rstrip("_")


SCREENS: Register[Screen] = Register("app.views")
"""All pages by name, sorted by place."""


def working_page(stage: Stage) -> Screen:
    """Return the working page of a stage."""
    return next(screen for screen in SCREENS.values() if screen.stage is stage)
