"""Preferences: whose answers people prefer where they compare two models' answers, and how judges compare.

In the stage ``comparison`` (``stage_row``), people say which of two answers is better: ``comparison_plan`` chooses the
pairs, ``pair_intake`` opens them, and ``comparison`` shows and renews them. Its questions have kinds of their own
(``kinds``). ``project_preferences`` reads what people said.

``preference_figures`` works out win rates, strengths, agreement and the effect of the left position from these votes.
``preference_files`` writes them. The page *Preferences* (``page_figures``, ``page_parts``) and
``touchstone comparison show`` open pairs.

``pair_votes`` and ``strengths`` are also for notebooks: ``from agreement import davidson``. ``judges_of_pairs``
compares judges with people; ``report_section`` adds that to the calibration report. ``judge_win_rates`` counts judges'
verdicts on pairs; ``judge_comparisons`` adds the win rates to the page *Results*, ``touchstone result show`` and
releases.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from domain.extensions import Extension


def _kinds() -> Sequence[Any]:
    from extensions.preferences.kinds import each_answer, preference

    return (preference, each_answer)


def _pages() -> Sequence[Any]:
    from extensions.preferences.pages import compare, preferences

    return (preferences, compare)


def _commands() -> Sequence[Any]:
    from extensions.preferences.commands import comparison, preferences

    return (preferences, comparison)


def _stage_kinds() -> Sequence[Any]:
    from extensions.preferences.stage_row import ROW

    return (ROW,)


def _project_checks() -> Sequence[Any]:
    from extensions.preferences.comparison import broken_rules

    return (broken_rules,)


def _former_classes() -> Sequence[Any]:
    from extensions.preferences.judge_win_rates import ModelComparison
    from extensions.preferences.pair_intake import PairIntake
    from extensions.preferences.project_preferences import Mark, Preference, Preferences, SamePair

    earlier = "workflow.results.preferences"
    return (
        ("workflow.lead.pair_intake", "PairIntake", PairIntake),
        ("workflow.results.win_rates", "ModelComparison", ModelComparison),
        *((earlier, moved_class.__name__, moved_class) for moved_class in (Mark, Preference, Preferences, SamePair)),
    )


def _figures() -> Sequence[Any]:
    from extensions.preferences.page_figures import preferences_page

    return (("preferences", preferences_page),)


def _report_sections() -> Sequence[Any]:
    from extensions.preferences.report_section import KEY, pairs_section

    return ((KEY, pairs_section),)


def _result_sections() -> Sequence[Any]:
    from extensions.preferences.judge_comparisons import ComparisonSection

    return (ComparisonSection(),)


def _notebook_statistics() -> Sequence[Any]:
    from extensions.preferences import pair_votes, strengths

    return pair_votes, strengths


EXTENSION = Extension(
    name="preferences",
    title="Preferences",
    kinds=_kinds,
    pages=_pages,
    commands=_commands,
    figures=_figures,
    report_sections=_report_sections,
    result_sections=_result_sections,
    notebook_statistics=_notebook_statistics,
    stage_kinds=_stage_kinds,
    project_checks=_project_checks,
    former_classes=_former_classes,
    web=Path(__file__).parent / "web",
)
