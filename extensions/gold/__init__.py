"""Gold checks: settled items with known right answers, hidden among live work, to see how well people answer.

``making`` and ``chosen_items`` make them. ``claim_rule`` gives them to people, warns people and stops them. The page
*Gold* and ``touchstone gold`` show the checks and how people answer them. The table is core's.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from domain.extensions import Extension


def _pages() -> Sequence[Any]:
    from extensions.gold.pages import gold

    return (gold,)


def _commands() -> Sequence[Any]:
    from extensions.gold.commands import gold

    return (gold,)


def _figures() -> Sequence[Any]:
    from extensions.gold.making import count_candidates

    return (("gold", count_candidates),)


def _schema_keys() -> Sequence[Any]:
    from extensions.gold.schema_check import KEYS

    return KEYS


def _claim_rules() -> Sequence[Any]:
    from extensions.gold import claim_rule

    return (claim_rule,)


def _item_actions() -> Sequence[Any]:
    from extensions.gold.item_action import ACTION

    return (ACTION,)


def _setup_steps() -> Sequence[Any]:
    from extensions.gold.setup_step import gold_step

    return (gold_step,)


def _person_shares() -> Sequence[Any]:
    from extensions.gold.checks import shares

    return (("gold", shares),)


EXTENSION = Extension(
    name="gold",
    title="Gold checks",
    pages=_pages,
    commands=_commands,
    figures=_figures,
    schema_keys=_schema_keys,
    claim_rules=_claim_rules,
    item_actions=_item_actions,
    setup_steps=_setup_steps,
    person_shares=_person_shares,
)
