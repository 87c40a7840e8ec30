"""Schema wizard: a few questions in the terminal, and a schema and a guideline to begin with.

``outline`` reads the answers, and ``schema_text`` writes both files. ``touchstone schema create`` asks.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from domain.extensions import Extension


def _commands() -> Sequence[Any]:
    from extensions.schema_wizard.commands import schema_new

    return (schema_new,)


EXTENSION = Extension(name="schema_wizard", title="Schema wizard", commands=_commands)
