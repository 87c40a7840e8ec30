"""Ranked options: models behind endpoints rank an item's options by likelihood, with the accuracy under each score.

``endpoint_ranking`` asks endpoints and ``likelihoods`` reads their replies; models on this machine are those of the
extension Local models. ``accuracy`` works out the accuracy under each score; ``section`` and ``page_section`` add it to
``touchstone result show`` and the page *Results*. Core keeps the scores (``domain.option_scores``).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from domain.extensions import Extension


def _endpoint_strategies() -> Sequence[Any]:
    from extensions.ranked_options.endpoint_ranking import STRATEGY

    return (STRATEGY,)


def _result_sections() -> Sequence[Any]:
    from extensions.ranked_options.section import RankingSection

    return (RankingSection(),)


def _former_classes() -> Sequence[Any]:
    from extensions.ranked_options.accuracy import OptionRankings

    return (("workflow.results.ranked_options", "OptionRankings", OptionRankings),)


EXTENSION = Extension(
    name="ranked_options",
    title="Ranked options",
    endpoint_strategies=_endpoint_strategies,
    result_sections=_result_sections,
    former_classes=_former_classes,
)
