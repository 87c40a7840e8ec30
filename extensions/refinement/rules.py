"""The rules of refinement: when an item is refined, and which free-text answers differ from the key."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from domain.comparison import same
from domain.policies import ONE_ROUND


def decides_one_right(done: Mapping[str, Any], values: Mapping[str, Any]) -> bool:
    """Whether a decision about a model's answer declares the annotated answer the only right one."""
    return bool(done) and all(same(values.get(name), value) for name, value in done.items())


def refined(
    done: Mapping[str, Any], *, n_answers: int, decisions: Sequence[Mapping[str, Any]], until: str | None = None
) -> bool:
    """Whether an item is refined (``until``: ``REFINEMENT_ENDS``; None: ``one_right_answer``).

    Each of the ``n_answers`` answers in refinement needs a decision on the current revision, or with ``one_round`` on
    any revision. Unless one round is enough, all ``decisions`` must also declare the annotated answer the only right
    one. An item without answers in refinement is not refined.
    """
    if not 0 < n_answers <= len(decisions):
        return False
    return until == ONE_ROUND or all(decides_one_right(done, values) for values in decisions)


def differs_from_key(answer: str, key: str) -> bool:
    """Whether a model's answer does not contain the annotated answer. Case is ignored."""
    return key.strip().casefold() not in answer.casefold()
