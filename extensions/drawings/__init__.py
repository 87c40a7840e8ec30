"""Arrows, masks and covered rectangles on an item's image: the kinds ``arrows``, ``masks`` and ``blur`` of fields,
their controls on the page, and how they are painted for models.

Core draws boxes and numbered points also without this folder.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from domain.extensions import Extension


def _kinds() -> Sequence[Any]:
    from extensions.drawings.kinds import arrows, blur, masks

    return arrows, blur, masks


def _painters() -> Sequence[Any]:
    from extensions.drawings.painters import ROWS

    return ROWS


EXTENSION = Extension(
    name="drawings",
    title="Arrows and masks",
    kinds=_kinds,
    painters=_painters,
    web=Path(__file__).parent / "web",
)
