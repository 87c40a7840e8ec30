"""Point releases: an item is withdrawn from a release, with a reason.

``withdrawal`` makes the point release, in a long task (``job``) or by ``touchstone release withdraw``. Core lists the
withdrawn items of each release.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from domain.extensions import Extension


def _commands() -> Sequence[Any]:
    from extensions.point_releases.commands import release_withdraw

    return (release_withdraw,)


def _jobs() -> Sequence[Any]:
    from extensions.point_releases.job import WITHDRAW

    return (WITHDRAW,)


def _release_actions() -> Sequence[Any]:
    from extensions.point_releases.page_action import ACTION

    return (ACTION,)


EXTENSION = Extension(
    name="point_releases",
    title="Point releases",
    commands=_commands,
    jobs=_jobs,
    release_actions=_release_actions,
)
