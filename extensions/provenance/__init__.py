"""Provenance: where each item of a release comes from, as W3C PROV-JSON (the format `prov`).

``item_steps`` finds the steps that made an item, by ``queries``, and ``documents`` writes a document for each item.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from domain.extensions import Extension


def _formats() -> Sequence[Any]:
    from extensions.provenance.format import ROWS

    return ROWS


def _item_histories() -> Sequence[Any]:
    from extensions.provenance.item_steps import history_of

    return (history_of,)


EXTENSION = Extension(name="provenance", title="Provenance", formats=_formats, item_histories=_item_histories)
