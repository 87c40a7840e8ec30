"""Cases: an item with its key, every model's answer and every grade, side by side, and what coders say is wrong.

``case_list`` finds the cases behind a number or a filter, and ``case_content`` reads one case, which it records as a
look. The page *Cases* draws both (``case_parts``).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from domain.extensions import Extension


def _pages() -> Sequence[Any]:
    from extensions.cases.pages import cases

    return (cases,)


def _figures() -> Sequence[Any]:
    from extensions.cases.case_list import listing

    return (("cases", listing),)


EXTENSION = Extension(
    name="cases",
    title="Cases and failures",
    pages=_pages,
    figures=_figures,
    former_classes={
        "workflow.results.cases:Wanted": "extensions.cases.case_list:CaseFilter",
        "workflow.results.cases:CaseFilter": "extensions.cases.case_list:CaseFilter",
        "workflow.results.cases:Show": "extensions.cases.case_list:Show",
        "workflow.results.cases:Listing": "extensions.cases.case_list:Listing",
    },
)
