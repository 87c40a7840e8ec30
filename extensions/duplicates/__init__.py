"""Duplicates: items of a project that are nearly the same, as each other or as those of another set.

``search`` compares images, questions and answers. ``near_texts`` finds nearly equal texts without comparing all pairs.
``touchstone duplicate list`` lists the pairs.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from domain.extensions import Extension


def _commands() -> Sequence[Any]:
    from extensions.duplicates.commands import duplicates

    return (duplicates,)


EXTENSION = Extension(name="duplicates", title="Duplicate search", commands=_commands)
