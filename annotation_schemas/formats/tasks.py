"""Formats of other annotation programs, whose files hold items with all their annotations."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from annotation_schemas.model import Schema
from domain.records import TaskView
from domain.states import Stage


@dataclass(frozen=True)
class Names:
    """Names that differ between the other program and Touchstone."""

    fields: Mapping[str, str] = field(default_factory=dict)
    """Key of the data by our field, role, or one of ``item_id``, ``dimension``, ``model``, ``prediction``."""
    controls: Mapping[str, str] = field(default_factory=dict)
    """Control by our criterion, or by ``prediction``: the one whose value is a model's answer."""
    without: frozenset[str] = frozenset()
    """Controls to leave out."""
    rater: str | None = None
    """The rater of annotations without a name."""
    model: str | None = None
    """Whose predictions those are that name no model."""

    def key(self, name: str) -> str:
        """The key of the data that holds what we call ``name``."""
        return self.fields.get(name, name)


Page = Callable[[Stage, TaskView], Mapping[str, Any]]
"""From a stage and what its raters are shown of an item to what a labeling configuration shows."""


@dataclass(frozen=True)
class TaskFile:
    """A file of tasks."""

    data: bytes
    items: int
    without: Sequence[str]
    """Fields that were left out."""


@dataclass(frozen=True)
class TaskFiles:
    """Functions of an extension that import and export the files of its format."""

    imports: Callable[..., Any]
    """Takes a file into a project: store, media, and by name ``by, project, path, names, format, media_dir, dimension,
    skip_bad, raters, progress``. Its result has ``imported``, ``skipped``, ``earlier`` and ``numbers``."""
    exports: Callable[..., TaskFile]
    """Writes a project as a file: session, access, and by name ``stage, only, verified, private, page``."""
    labeling: Callable[[Schema, Stage | None], tuple[bytes, Page]]
    """Makes the form that shows the tasks of a stage there, and what gives a task the data that the form shows."""
