"""Schedule: leads set deadlines, the order of stages and the number of items wanted, and see what was changed.

``changes`` stores a new version of deadlines and order, and has the history. ``wanted_numbers`` changes the numbers
wanted in the text of a schema. Core reads the newest version (``workflow.access.schedule``): My work, Notices and the
dashboard show deadlines also without this folder.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from domain.extensions import Extension


def _pages() -> Sequence[Any]:
    from extensions.schedule.pages import schedule

    return (schedule,)


def _commands() -> Sequence[Any]:
    from extensions.schedule.commands import project_schedule

    return (project_schedule,)


EXTENSION = Extension(name="schedule", title="Schedule", pages=_pages, commands=_commands)
