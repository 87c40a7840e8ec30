"""Bulk: give back or reassign the assignments of a person, and change many items that are chosen by conditions or file.

``assignments`` moves what a person has in hand. Actions on items are core's (``workflow.lead.bulk``), because the page
*Items* does them, too. The page *Items* and ``touchstone item`` offer both kinds.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from domain.extensions import Extension


def _commands() -> Sequence[Any]:
    from extensions.bulk.commands import bulk

    return (bulk,)


def _item_actions() -> Sequence[Any]:
    from extensions.bulk.item_action import ACTION

    return (ACTION,)


EXTENSION = Extension(name="bulk", title="Bulk actions", commands=_commands, item_actions=_item_actions)
