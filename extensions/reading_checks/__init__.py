"""Checks of readings: how the rules read models' answers and judges' replies in a file, and which are as expected.

``case_file`` reads and checks the lines, ``answer_cases`` and ``judge_cases`` read their texts. The commands are
``touchstone reading check`` and ``touchstone reading check --judge``; they need no project.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from domain.extensions import Extension


def _commands() -> Sequence[Any]:
    from extensions.reading_checks.commands import read_files

    return (read_files,)


EXTENSION = Extension(name="reading_checks", title="Checks of readings", commands=_commands)
