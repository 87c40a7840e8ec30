"""Seed tasks, their subtasks and templates: the situations that items are about.

PCA-Bench (2.6) breaks a seed task down into subtasks by the graph of its events (2.5, Figure 3). A subtask follows the
ones that it depends on, and fills a template.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter

TEMPLATE = "The task is: {task}. What comes next in it is: {subtask}. Done before that: {before}."
"""The template of a plan without templates."""
NOTHING = "nothing yet"

_PLACE = re.compile(r"\{(task|subtask|before)\}")


@dataclass(frozen=True)
class Subtask:
    """A step of a task, and the steps that it depends on."""

    name: str
    after: tuple[str, ...] = ()


@dataclass(frozen=True)
class SeedTask:
    """A task in a place with its steps. A task without steps is its own step."""

    name: str
    subtasks: tuple[Subtask, ...] = ()
    dimension: str | None = None
    """The only dimension of the task; None if all dimensions may use it."""


@dataclass(frozen=True)
class Situation:
    """The situation of one item."""

    task: str
    subtask: str
    before: tuple[str, ...]
    """All subtasks that are done, in a possible order."""
    template: str
    dimension: str | None = None

    @property
    def text(self) -> str:
        """Return the text for the model. Names are inserted unchanged, braces included."""
        filled = {"task": self.task, "subtask": self.subtask, "before": "; ".join(self.before) or NOTHING}
        return _PLACE.sub(lambda place: filled[place[1]], self.template)


def fault(task: SeedTask) -> str | None:
    """Return the problem of a task as half a sentence, or None."""
    names = [subtask.name for subtask in task.subtasks]
    if twice := next((name for at, name in enumerate(names) if name in names[:at]), None):
        return f"has the subtask {twice!r} twice. Delete or rename one of these subtasks"
    for subtask in task.subtasks:
        if unknown := next((name for name in subtask.after if name not in names), None):
            return (
                f"has the subtask {subtask.name!r} after {unknown!r}, but {unknown!r} is not a subtask of this task. "
                "Correct the name"
            )
    try:
        _order(task)
    except CycleError as error:
        return (
            f"has subtasks that depend on each other in a cycle ({', '.join(map(str, error.args[1]))}). "
            "Change the order"
        )
    return None


def _order(task: SeedTask) -> list[str]:
    return list(TopologicalSorter({subtask.name: subtask.after for subtask in task.subtasks}).static_order())


def situations(tasks: Sequence[SeedTask], templates: Sequence[str]) -> list[Situation]:
    """Return a situation for each subtask and template. Subtasks are in a possible order."""
    all_situations = []
    for task in tasks:
        after = {subtask.name: subtask.after for subtask in task.subtasks}
        order = _order(task) or [task.name]
        for name in order:
            waits = _all_before(name, after)
            before = tuple(subtask for subtask in order if subtask in waits)
            all_situations += [
                Situation(task.name, name, before, text, task.dimension) for text in templates or (TEMPLATE,)
            ]
    return all_situations


def _all_before(name: str, after: Mapping[str, Sequence[str]]) -> set[str]:
    names: set[str] = set()
    left = list(after.get(name, ()))
    while left:
        if (earlier := left.pop()) not in names:
            names.add(earlier)
            left += after[earlier]
    return names


def chosen(all_of_them: Sequence[Situation], *, dimension: str | None, seed: int, about: str) -> Situation | None:
    """Return the situation of an image, or None if no situation fits the dimension.

    The choice depends only on the seed and the image, so more images do not change it.
    """
    fitting = [situation for situation in all_of_them if dimension is None or situation.dimension in (None, dimension)]
    if not fitting:
        return None
    drawn = int.from_bytes(hashlib.sha256(f"{seed}/{about}".encode()).digest()[:8], "big")
    return fitting[drawn % len(fitting)]
