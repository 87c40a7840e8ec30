"""Expired submissions: leads see which answers came after their lease had ended, and read one.

``late_texts`` lists them, and records a lead who reads one. Their writers find them on My work, which is core's.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from domain.extensions import Extension


def _pages() -> Sequence[Any]:
    from extensions.expired_submissions.pages import expired_submissions

    return (expired_submissions,)


def _item_sections() -> Sequence[Any]:
    from extensions.expired_submissions import item_section

    return ((30, item_section.draw),)


EXTENSION = Extension(
    name="expired_submissions", title="Expired submissions", pages=_pages, item_sections=_item_sections
)
