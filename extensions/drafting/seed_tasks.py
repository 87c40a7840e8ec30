"""Seed tasks, their subtasks with what comes before what, and templates: the situations that items are about.

After PCA-Bench (2.6): a seed task is broken down into subtasks by the graph of its events (2.5, Figure 3), in which
what others wait for comes first, and each subtask fills a template.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter

TEMPLATE = "The task is: {task}. What comes next in it is: {subtask}. Done before that: {before}."
"""Where a plan has none."""
NOTHING = "nothing yet"

_PLACE = re.compile(r"\{(task|subtask|before)\}")


@dataclass(frozen=True)
class Subtask:
    """A step of a task, and the steps that have to be done before it."""

    name: str
    after: tuple[str, ...] = ()


@dataclass(frozen=True)
class SeedTask:
    """Something that is done in a place, and its steps; without any it is its own only one."""

    name: str
    subtasks: tuple[Subtask, ...] = ()
    dimension: str | None = None
    """The only dimension that it is for; None: any."""


@dataclass(frozen=True)
class Situation:
    """What one item is to be about."""

    task: str
    subtask: str
    before: tuple[str, ...]
    """All subtasks that are done, in an order in which they can be."""
    template: str
    dimension: str | None = None

    @property
    def text(self) -> str:
        """For the model. Names are put in as they are, braces and all."""
        filled = {"task": self.task, "subtask": self.subtask, "before": "; ".join(self.before) or NOTHING}
        return _PLACE.sub(lambda place: filled[place[1]], self.template)


def fault(task: SeedTask) -> str | None:
    """What is wrong with a task, as half a sentence; None: nothing."""
    names = [each.name for each in task.subtasks]
    if twice := next((name for at, name in enumerate(names) if name in names[:at]), None):
        return f"has the subtask {twice!r} twice"
    for each in task.subtasks:
        if unknown := next((name for name in each.after if name not in names), None):
            return f"has {each.name!r} after {unknown!r}, which is none of its subtasks"
    try:
        _order(task)
    except CycleError as error:
        return f"has subtasks that wait for each other: {', '.join(map(str, error.args[1]))}"
    return None


def _order(task: SeedTask) -> list[str]:
    return list(TopologicalSorter({each.name: each.after for each in task.subtasks}).static_order())


def situations(tasks: Sequence[SeedTask], templates: Sequence[str]) -> list[Situation]:
    """One for each subtask and template, tasks in their order and subtasks in one in which they can be done."""
    found = []
    for task in tasks:
        after = {each.name: each.after for each in task.subtasks}
        order = _order(task) or [task.name]
        for name in order:
            waits = _all_before(name, after)
            before = tuple(each for each in order if each in waits)
            found += [Situation(task.name, name, before, text, task.dimension) for text in templates or (TEMPLATE,)]
    return found


def _all_before(name: str, after: Mapping[str, Sequence[str]]) -> set[str]:
    found: set[str] = set()
    left = list(after.get(name, ()))
    while left:
        if (each := left.pop()) not in found:
            found.add(each)
            left += after[each]
    return found


def chosen(all_of_them: Sequence[Situation], *, dimension: str | None, seed: int, about: str) -> Situation | None:
    """The situation that an image gets: by the seed and the image alone, so that more images change none of the others;
    of a ``dimension`` one for it, None: of any. None where there is none for it."""
    fitting = [each for each in all_of_them if dimension is None or each.dimension in (None, dimension)]
    if not fitting:
        return None
    drawn = int.from_bytes(hashlib.sha256(f"{seed}/{about}".encode()).digest()[:8], "big")
    return fitting[drawn % len(fitting)]
