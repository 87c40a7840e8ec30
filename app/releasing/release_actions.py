"""Actions of extensions on one release, on the page *Past releases*."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from app.services import Services
from domain import extensions
from domain.records import ProjectView
from workflow.releases.listing import Release


@dataclass(frozen=True)
class ReleaseAction:
    """An action: a row of the register ``release_actions``."""

    job: str
    """The kind of long task that the action begins. Pages show its progress."""
    draw: Callable[[Services, ProjectView, Release], None]
    """Draws the button of the action below the list of releases, for the chosen release."""


def release_actions() -> Sequence[ReleaseAction]:
    """Return the actions of all extensions."""
    return extensions.rows("release_actions")
