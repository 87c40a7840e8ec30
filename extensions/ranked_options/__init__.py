"""Ranked options: what the accuracy of models that ranked options would be under each score of their likelihoods.

``accuracy`` works it out; ``section`` and ``page_section`` add it to ``touchstone results`` and the page *Results*.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from domain.extensions import Extension


def _result_sections() -> Sequence[Any]:
    from extensions.ranked_options.section import RankingSection

    return (RankingSection(),)


def _former_classes() -> Sequence[Any]:
    from extensions.ranked_options.accuracy import OptionRankings

    return (("workflow.results.ranked_options", "OptionRankings", OptionRankings),)


EXTENSION = Extension(
    name="ranked_options",
    title="Ranked options",
    result_sections=_result_sections,
    former_classes=_former_classes,
)
