"""Preferences: whose answers people prefer where they compare two models' answers, and how judges compare.

``preference_figures`` works out win rates, strengths, agreement and the effect of the left position from the votes of
the stage ``comparison``, which core collects. ``preference_files`` writes them. The page *Preferences*
(``page_figures``, ``page_parts``) also opens pairs; ``touchstone comparison`` of core does so, too.

``pair_votes`` and ``strengths`` are also for notebooks: ``from agreement import davidson``. ``judges_of_pairs``
compares judges with people; ``report_section`` adds that to the calibration report. ``judge_win_rates`` counts judges'
verdicts on pairs; ``judge_comparisons`` adds the win rates to the page *Results*, ``touchstone results`` and releases.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from domain.extensions import Extension


def _pages() -> Sequence[Any]:
    from extensions.preferences.pages import preferences

    return (preferences,)


def _commands() -> Sequence[Any]:
    from extensions.preferences.commands import preferences

    return (preferences,)


def _figures() -> Sequence[Any]:
    from extensions.preferences.page_figures import preferences_page

    return (("preferences", preferences_page),)


def _report_sections() -> Sequence[Any]:
    from extensions.preferences.report_section import KEY, pairs_section

    return ((KEY, pairs_section),)


def _result_sections() -> Sequence[Any]:
    from extensions.preferences.judge_comparisons import ComparisonSection

    return (ComparisonSection(),)


def _former_classes() -> Sequence[Any]:
    from extensions.preferences.judge_win_rates import ModelComparison

    return (("workflow.results.win_rates", "ModelComparison", ModelComparison),)


def _notebook_statistics() -> Sequence[Any]:
    from extensions.preferences import pair_votes, strengths

    return pair_votes, strengths


EXTENSION = Extension(
    name="preferences",
    title="Preferences",
    pages=_pages,
    commands=_commands,
    figures=_figures,
    report_sections=_report_sections,
    result_sections=_result_sections,
    former_classes=_former_classes,
    notebook_statistics=_notebook_statistics,
)
