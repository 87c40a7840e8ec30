"""Calibration of judges. Its verdicts and numbers are parts of releases (``release_parts``)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from domain.extensions import Extension


def _judge_verdicts() -> Sequence[Any]:
    from extensions.calibration.release_parts import judge_verdicts

    return (judge_verdicts,)


def _stage_figures() -> Sequence[Any]:
    from extensions.calibration.release_parts import judge_figures

    return (("judges", judge_figures),)


EXTENSION = Extension(
    name="calibration", title="Calibration", judge_verdicts=_judge_verdicts, stage_figures=_stage_figures
)
