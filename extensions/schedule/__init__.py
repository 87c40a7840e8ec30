"""Schedule: leads set deadlines, the order of stages and the number of items wanted, and see what was changed.

``changes`` stores a new version of deadlines and order, and has the history. ``wanted_numbers`` changes the numbers
wanted in the text of a schema. ``forecast`` says when each stage will be done, and ``progress_over_time`` counts the
items of each day; ``dashboard_section`` shows both on the page *Overview*. Core reads the newest version
(``workflow.access.schedule``): My work and Notices show deadlines also without this folder.
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


def _figures() -> Sequence[Any]:
    from extensions.schedule.forecast import forecasts
    from extensions.schedule.progress_over_time import by_day

    return (("forecast", forecasts), ("progress", by_day))


def _dashboard_sections() -> Sequence[Any]:
    from extensions.schedule import dashboard_section

    return (dashboard_section.SECTION,)


def _former_classes() -> Sequence[Any]:
    from extensions.schedule.forecast import Forecast
    from extensions.schedule.progress_over_time import Day

    return (("workflow.lead.forecast", "Forecast", Forecast), ("workflow.lead.progress_over_time", "Day", Day))


EXTENSION = Extension(
    name="schedule",
    title="Schedule",
    pages=_pages,
    commands=_commands,
    figures=_figures,
    dashboard_sections=_dashboard_sections,
    former_classes=_former_classes,
)
