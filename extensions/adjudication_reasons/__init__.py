"""Adjudication reasons: why seniors settled items and verifiers skipped, and where votes differ.

``reason_lists`` counts the reasons, and a section of the page *Agreement* lists the decisions behind them.
``disagreement`` counts the items on which votes differ, for a section of the page *Overview*. ``closing`` closes
reasons, also for the extension Guideline, which offers the open ones to a new version.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from domain.extensions import Extension


def _agreement_sections() -> Sequence[Any]:
    from extensions.adjudication_reasons.agreement_section import SECTION

    return (SECTION,)


def _commands() -> Sequence[Any]:
    from extensions.adjudication_reasons.commands import reasons

    return (reasons,)


def _figures() -> Sequence[Any]:
    from extensions.adjudication_reasons import disagreement, reason_lists

    return ("reasons", reason_lists.overview), ("disagreement", disagreement.overview)


def _dashboard_sections() -> Sequence[Any]:
    from extensions.adjudication_reasons.dashboard_section import SECTION

    return (SECTION,)


def _guideline_questions() -> Sequence[Any]:
    from extensions.adjudication_reasons import closing

    return (closing,)


def _former_classes() -> Sequence[Any]:
    from extensions.adjudication_reasons.reasons import AdjudicationReason, SettledCase

    earlier = "domain.records"
    return ((earlier, "AdjudicationReason", AdjudicationReason), (earlier, "SettledCase", SettledCase))


EXTENSION = Extension(
    name="adjudication_reasons",
    title="Adjudication reasons",
    agreement_sections=_agreement_sections,
    commands=_commands,
    figures=_figures,
    dashboard_sections=_dashboard_sections,
    guideline_questions=_guideline_questions,
    former_classes=_former_classes,
)
