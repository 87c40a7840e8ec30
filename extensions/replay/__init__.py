"""Replay: whether a release is as it was made, and whether its figures follow from its evidence.

``verification`` compares a folder with its manifest, and looks in the evidence for votes of people who had been sent
what the schema withholds. ``recomputation`` works out all verdicts and figures again, with ``changed_files`` for what
differs from the manifest. Core writes the evidence and reads it back (``workflow.releases.evidence``).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from domain.extensions import Extension


def _commands() -> Sequence[Any]:
    from extensions.replay.commands import release_replay

    return (release_replay,)


EXTENSION = Extension(name="replay", title="Verification and replay of releases", commands=_commands)
