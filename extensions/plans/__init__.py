"""Plans of actions (ETP): criteria about the steps of a plan, and which scores go along with a plan's success.

``steps`` reads the steps of a plan from a model's answer and checks them against the actions in the schema, with
``conditions`` and ``condition_lines``. The kind of criterion ``plan`` shows the result to graders, who tag steps.

``success_regression`` fits regressions of success on scores in the dimensions. Its units come from a project
(``project_units``) or from files (``success_files``). The page *Regression*, ``touchstone regression run`` and the
source ``regression`` of paper tables show the result. ``logistic`` is also for notebooks:
``from agreement import logistic_regression``.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from domain.extensions import Extension


def _kinds() -> Sequence[Any]:
    from extensions.plans.kinds import plan

    return (plan,)


def _pages() -> Sequence[Any]:
    from extensions.plans.pages import regression

    return (regression,)


def _commands() -> Sequence[Any]:
    from extensions.plans.commands import regression

    return (regression,)


def _figures() -> Sequence[Any]:
    from extensions.plans.page_numbers import regression

    return (("regression", regression),)


def _table_sources() -> Sequence[Any]:
    from extensions.plans.table_coefficients import coefficient_of_part

    return (("regression", coefficient_of_part),)


def _notebook_statistics() -> Sequence[Any]:
    from extensions.plans import logistic

    return (logistic,)


EXTENSION = Extension(
    name="plans",
    title="ETP plans",
    kinds=_kinds,
    pages=_pages,
    commands=_commands,
    figures=_figures,
    table_sources=_table_sources,
    notebook_statistics=_notebook_statistics,
    web=Path(__file__).parent / "web",
)
