"""Calibration: the trust that judges deserve, measured against people, with a verdict under a rule.

``report`` makes the sections of the calibration report from a study, and writes its files. ``project_study`` makes a
study from the ratings of a project; ``kept_rule`` keeps the project's rule. The page *Calibration* (``report_files``,
``report_page``) and ``touchstone calibration run`` show the report. ``release_parts`` adds its numbers to the figures
of a release, and its verdicts to the data card. ``statistics`` is also for notebooks: ``from agreement import
human_ceiling``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from domain.extensions import Extension


def _pages() -> Sequence[Any]:
    from extensions.calibration.pages import calibration

    return (calibration,)


def _commands() -> Sequence[Any]:
    from extensions.calibration.commands import calibrate

    return (calibrate,)


def _report(*args: Any, **named: Any) -> Any:
    from extensions.calibration.report_files import files_of  # loads streamlit, which a worker otherwise does without

    return files_of(*args, **named)


def _figures() -> Sequence[Any]:
    return (("calibration", _report),)


def _schema_keys() -> Sequence[Any]:
    from extensions.calibration.schema_key import KEYS

    return KEYS


def _stage_figures() -> Sequence[Any]:
    from extensions.calibration.release_parts import judge_figures

    return (("judges", judge_figures),)


def _judge_verdicts() -> Sequence[Any]:
    from extensions.calibration.release_parts import judge_verdicts

    return (judge_verdicts,)


def _notebook_statistics() -> Sequence[Any]:
    from extensions.calibration.statistics import (
        alternative,
        ceiling,
        classification,
        constant,
        judge_bias,
        judge_drift,
        next_grades,
        noise_ceiling,
        verdict,
    )

    return (
        alternative,
        ceiling,
        classification,
        constant,
        judge_bias,
        judge_drift,
        next_grades,
        noise_ceiling,
        verdict,
    )


EXTENSION = Extension(
    name="calibration",
    title="Calibration",
    pages=_pages,
    commands=_commands,
    figures=_figures,
    schema_keys=_schema_keys,
    stage_figures=_stage_figures,
    judge_verdicts=_judge_verdicts,
    notebook_statistics=_notebook_statistics,
)
