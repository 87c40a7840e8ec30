"""A step towards the first release. Extensions add steps to the list on the page *Overview*."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from domain.states import Stage
from workflow.access.projects import Access


@dataclass(frozen=True)
class SetupStep:
    """One step with its state."""

    title: str
    done: bool
    said: str
    """The state as a sentence."""
    page: str
    """The page on which it is done, by the name of its module."""
    asked: Mapping[str, str | Sequence[str]] = field(default_factory=dict)
    """The parameters of the page's address."""
    action: str = ""
    """The words of its link. Empty: the title of the page."""
    place: int = 0
    """The list has the steps of extensions in the order of their places."""
    setup: bool = False
    """Whether people can do no work before the step is done."""


def join_stages(access: Access, stages: Iterable[Stage]) -> str:
    """Return the titles of stages for a sentence: "verification and the grading"."""
    return " and the ".join(access.schema.stages.title_of(stage).lower() for stage in stages)
