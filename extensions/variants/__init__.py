"""Variants of the same items, compared pair by pair: with and without marks, or asked as yes/no and openly.

``item_pairs`` finds the pairs by the fields that the schema (``report: pairs``), a lead or a command names, and works
out the difference of each model's scores. The page *Variants* and ``touchstone variant show`` show it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from domain.extensions import Extension


def _pages() -> Sequence[Any]:
    from extensions.variants.pages import variants

    return (variants,)


def _commands() -> Sequence[Any]:
    from extensions.variants.commands import variants

    return (variants,)


def _figures() -> Sequence[Any]:
    from extensions.variants.item_pairs import of_project

    return (("variants", of_project),)


def _schema_keys() -> Sequence[Any]:
    from extensions.variants.schema_check import KEYS

    return KEYS


EXTENSION = Extension(
    name="variants",
    title="Item variants",
    pages=_pages,
    commands=_commands,
    figures=_figures,
    schema_keys=_schema_keys,
)
