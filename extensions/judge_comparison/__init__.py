"""Two runs of judges compared on the same answers: two versions of a template, two models, two parsers.

``run_comparison`` counts how often both give the same score, and lists each answer on which they differ. ``run_part``
shows it as the part *Compare* of a run on the page *Judges*.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from domain.extensions import Extension


def _run_parts() -> Sequence[Any]:
    from extensions.judge_comparison.run_part import PART

    return (("judges", PART),)


EXTENSION = Extension(name="judge_comparison", title="Comparison of judges", run_parts=_run_parts)
