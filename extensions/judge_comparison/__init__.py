"""Two runs of judges compared on the same answers: two versions of a template, two models, two parsers.

``run_comparison`` counts how often both give the same score, and lists each answer on which they differ.
``run_section`` shows it as the part *Compare* of a run on the page *Judges*.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from domain.extensions import Extension


def _run_sections() -> Sequence[Any]:
    from extensions.judge_comparison.run_section import SECTION

    return (("judges", SECTION),)


EXTENSION = Extension(name="judge_comparison", title="Comparison of judges", run_sections=_run_sections)
