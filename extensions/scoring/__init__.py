"""Scores of other people's answers against the key file of a private split, without project and network.

``submission`` reads a file of answers, ``scoring`` scores it against the keys that a release wrote, and ``score_card``
signs the result and checks it later. The command is ``touchstone score create``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from domain.extensions import Extension


def _commands() -> Sequence[Any]:
    from extensions.scoring.commands import score

    return (score,)


EXTENSION = Extension(name="scoring", title="Scores of submissions", commands=_commands)
