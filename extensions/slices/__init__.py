"""Slices: each slice of the items against a model's other answers, and a chart of all slices.

``slice_contrasts`` tests the slices, corrected for their number. ``page_section`` and ``slices_chart`` show them on the
page *Results*; ``touchstone result show`` says how many would differ by chance. Core cuts items into slices
(``workflow.results.slices``) and has each model's number in each slice, also without this folder.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from domain.extensions import Extension


def _result_sections() -> Sequence[Any]:
    from extensions.slices.section import SliceSection

    return (SliceSection(),)


def _former_classes() -> Sequence[Any]:
    from extensions.slices.slice_contrasts import Contrast

    return (("workflow.results.slice_contrasts", "Contrast", Contrast),)


EXTENSION = Extension(name="slices", title="Slices", result_sections=_result_sections, former_classes=_former_classes)
