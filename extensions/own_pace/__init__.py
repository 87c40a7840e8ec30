"""Own pace: how much a person has done today and in the last days, and the daily goal that they set for themselves.

``pace`` counts it, and ``my_work_section`` draws it on My work and on top of working pages. Only the person sees it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from domain.extensions import Extension


def _my_work_sections() -> Sequence[Any]:
    from extensions.own_pace.my_work_section import SECTION

    return (SECTION,)


def _topline_notes() -> Sequence[Any]:
    from extensions.own_pace.my_work_section import note

    return (note,)


EXTENSION = Extension(
    name="own_pace", title="Own pace", my_work_sections=_my_work_sections, topline_notes=_topline_notes
)
