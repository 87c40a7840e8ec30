"""Pipelines: how the items of a project are made, step by step, with counts, dropped items and costs, for leads.

The page draws the steps that other extensions register (``app.pipeline_steps``), and the items of each file by state
(``item_files``).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from domain.extensions import Extension


def _pages() -> Sequence[Any]:
    from extensions.pipelines.pages import pipelines

    return (pipelines,)


EXTENSION = Extension(name="pipelines", title="Pipelines", pages=_pages)
