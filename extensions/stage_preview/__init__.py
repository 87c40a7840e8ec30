"""Previews of stages: the form of a stage with a real item, as the people in the stage see it, and without a claim.

``waiting_items`` finds an item that its viewer may see, and stores nothing. The page *Preview* draws it. Working pages
show leads a made-up item before they take one; that is core's.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from domain.extensions import Extension


def _pages() -> Sequence[Any]:
    from extensions.stage_preview.pages import preview

    return (preview,)


EXTENSION = Extension(name="stage_preview", title="Previews of stages", pages=_pages)
