"""Aggregation of votes: one label for each unit, by votes, by means, or by models of the raters' errors.

``vote_aggregation`` has all methods, and ``dawid_skene`` the model of that name. Both are for notebooks:
``from agreement import aggregate, dawid_skene``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from domain.extensions import Extension


def _notebook_statistics() -> Sequence[Any]:
    from extensions.aggregation import dawid_skene, vote_aggregation

    return vote_aggregation, dawid_skene


EXTENSION = Extension(name="aggregation", title="Aggregation of votes", notebook_statistics=_notebook_statistics)
