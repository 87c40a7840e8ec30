"""Side by side: the criteria by which one rater grades models' answers, in one table with counts.

``criteria_blocks`` makes the tables. ``section`` adds ``touchstone result show --side-by-side``, and ``page_section`` a
section of the page *Results*.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from domain.extensions import Extension


def _result_sections() -> Sequence[Any]:
    from extensions.side_by_side.section import CriteriaSection

    return (CriteriaSection(),)


EXTENSION = Extension(name="side_by_side", title="Side by side", result_sections=_result_sections)
