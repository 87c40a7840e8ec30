"""An extension of Touchstone: a kind of criterion, an export format and a page. ``EXTENSION`` says what it adds."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from domain.extensions import Extension


def _kinds() -> Sequence[Any]:
    from touchstone_example import percent

    return (percent,)


def _formats() -> Sequence[Any]:
    from touchstone_example.answer_key import ROWS

    return ROWS


def _pages() -> Sequence[Any]:
    from touchstone_example.pages import lead_notes

    return (lead_notes,)


EXTENSION = Extension(
    name="example",
    title="Example",
    kinds=_kinds,
    formats=_formats,
    pages=_pages,
    web=Path(__file__).parent / "web",
)
