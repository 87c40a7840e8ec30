"""Cases: an item with its key, every model's answer and every grade, side by side, and what coders say is wrong.

``case_list`` finds the cases behind a number or a filter, and ``case_content`` reads one case, which it records as a
look. The page *Cases* draws both (``case_parts``). The page *Failures* (``failures_page``) and ``touchstone failure
show`` show the codes that core's stage ``coding`` settles (``failures``), and send answers to that stage.
``failure_files`` writes the codes, and ``failure_shares`` gives them to paper tables.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from domain.extensions import Extension


def _pages() -> Sequence[Any]:
    from extensions.cases.pages import cases, code, failures, settle_codes

    return (cases, failures, code, settle_codes)


def _commands() -> Sequence[Any]:
    from extensions.cases.commands import failures

    return (failures,)


def _figures() -> Sequence[Any]:
    from extensions.cases.case_list import listing
    from extensions.cases.failures_page import failures_page

    return (("cases", listing), ("failures", failures_page))


def _table_sources() -> Sequence[Any]:
    from extensions.cases.failure_shares import failure_shares

    return (("failures", failure_shares),)


def _stage_kinds() -> Sequence[Any]:
    from extensions.cases.stage_rows import ROWS

    return ROWS


def _former_classes() -> Sequence[Any]:
    from extensions.cases.case_list import CaseFilter, Listing, Show
    from extensions.cases.coding import CodingProgress
    from extensions.cases.coding_intake import CodingIntake
    from extensions.cases.failures_page import FailuresPage

    earlier = "workflow.results.cases"
    return (
        (earlier, "Wanted", CaseFilter),
        (earlier, "CaseFilter", CaseFilter),
        (earlier, "Show", Show),
        (earlier, "Listing", Listing),
        ("workflow.lead.coding_intake", "FailuresPage", FailuresPage),
        ("workflow.lead.coding_intake", "CodingIntake", CodingIntake),
        ("workflow.annotate.coding", "CodingProgress", CodingProgress),
    )


EXTENSION = Extension(
    name="cases",
    title="Cases and failures",
    pages=_pages,
    commands=_commands,
    figures=_figures,
    table_sources=_table_sources,
    stage_kinds=_stage_kinds,
    former_classes=_former_classes,
)
