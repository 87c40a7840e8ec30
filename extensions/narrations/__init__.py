"""Goals and questions out of narrations of videos, as in EgoPlan-Bench.

``rules`` has the pure rules: what a goal takes, what a reply of a model says, which questions follow. ``files`` reads
narrations, goals and video lists, and writes goals and questions. ``goal_generation`` is the job that asks a model for
goals, and ``question_generation`` makes questions. ``video_goals`` keeps the goals that leads edit on the page
*Goals*, as events of the project, so its log and archive are complete without this folder.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from domain.extensions import Extension


def _pages() -> Sequence[Any]:
    from extensions.narrations.pages import goals

    return (goals,)


def _commands() -> Sequence[Any]:
    from extensions.narrations.commands import narration_goals, narrations

    return narrations, narration_goals


def _pipeline_steps() -> Sequence[Any]:
    from extensions.narrations.step_table import STEP

    return (STEP,)


def _jobs() -> Sequence[Any]:
    from extensions.narrations.goal_generation import GOALS
    from extensions.narrations.question_job import QUESTIONS

    return GOALS, QUESTIONS


EXTENSION = Extension(
    name="narrations",
    title="Narrations",
    pages=_pages,
    commands=_commands,
    pipeline_steps=_pipeline_steps,
    jobs=_jobs,
)
