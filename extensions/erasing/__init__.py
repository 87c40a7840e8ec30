"""Erasing: delete a person's identity for good, and keep their submissions without a name.

``erasing`` deletes the identity in one step and rewrites SQLite's file, and ``touchstone person delete`` asks for the
login first. Core shows the rest of a person's data also without this folder.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from domain.extensions import Extension


def _commands() -> Sequence[Any]:
    from extensions.erasing.commands import people_erase

    return (people_erase,)


EXTENSION = Extension(name="erasing", title="Erasing of people", commands=_commands)
