"""What extensions add to the pages *Project* and *New project*: actions on a whole project, and ways to begin one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from app.services import Services
from domain import extensions
from domain.records import ProjectView


@dataclass(frozen=True)
class ProjectAction:
    """An action on one of the projects that a person leads."""

    verb: str
    """What it does, for the key of its button: "export"."""
    label: str
    """The text of its button."""
    job: str
    """The kind of the long task that it begins."""
    press: Callable[[Services, ProjectView], None]
    """Does what the button promises."""
    draw_below: Callable[[Services, ProjectView], None] | None = None
    """Draws what stands below the buttons, such as the file that was made."""


@dataclass(frozen=True)
class NewProject:
    """A project that the form can make."""

    title: str
    """The title that the form proposes."""
    key: str
    """What it is made from, for the keys of the form."""
    make: Callable[[str, str], None]
    """Makes the project, or begins to. The arguments are its name and its title."""


@dataclass(frozen=True)
class ProjectBeginning:
    """A way to begin a new project from one that the person leads."""

    label: str
    """As the form calls it."""
    job: str
    """The kind of the long task that it begins."""
    draw: Callable[[Services, Sequence[ProjectView]], NewProject | None]
    """Draws the choices, of the projects that the person leads, and returns what they come to."""


def project_actions() -> Sequence[ProjectAction]:
    """Return the actions of extensions."""
    return extensions.rows("project_actions")


def project_beginnings() -> Sequence[ProjectBeginning]:
    """Return the ways of extensions."""
    return extensions.rows("project_beginnings")
