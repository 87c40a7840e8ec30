"""Planner: plan and simulate a study before anyone works on it.

``asked_criteria`` finds questions that no one is ever asked, and ``played_votes`` lets made-up votes go through the
keep rules. Whatever checks a new schema shows what they find. ``trial_project`` builds a project of made-up items for
``touchstone schema preview``. ``touchstone agreement plan`` simulates how many raters and units a study of agreement
needs (``study_plan``, also for notebooks: ``from agreement import plan_study``). ``sample_sizes`` has formulas for
notebooks.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from domain.extensions import Extension


def _commands() -> Sequence[Any]:
    from extensions.planner.commands import plan, schema_try

    return plan, schema_try


def _schema_checks() -> Sequence[Any]:
    from extensions.planner.asked_criteria import check_criteria, check_refinement
    from extensions.planner.played_votes import check_verdicts

    return check_criteria, check_verdicts, check_refinement


def _notebook_statistics() -> Sequence[Any]:
    from extensions.planner import sample_sizes, study_plan

    return study_plan, sample_sizes


EXTENSION = Extension(
    name="planner",
    title="Planner",
    commands=_commands,
    schema_checks=_schema_checks,
    notebook_statistics=_notebook_statistics,
)
