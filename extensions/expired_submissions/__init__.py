"""Expired submissions: leads see which answers came after their lease had ended, and read one.

``late_texts`` lists them, and records a lead who reads one. Their writers find them on My work, which is core's.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from domain.extensions import Extension


def _list_sections() -> Sequence[Any]:
    from extensions.expired_submissions import list_section

    return (list_section.draw,)


def _item_sections() -> Sequence[Any]:
    from extensions.expired_submissions import item_section

    return ((30, item_section.draw),)


EXTENSION = Extension(
    name="expired_submissions",
    title="Expired submissions",
    item_list_sections=_list_sections,
    item_sections=_item_sections,
)
