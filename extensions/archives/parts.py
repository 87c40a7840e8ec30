"""The parts of a project that a copy may leave out, and the ways to match people in an archive with accounts."""

from __future__ import annotations

from enum import StrEnum

from domain.project_parts import ProjectPart

NEEDS: dict[ProjectPart, ProjectPart] = {ProjectPart.VOTES: ProjectPart.ITEMS, ProjectPart.RUNS: ProjectPart.ITEMS}
"""The part that each part depends on."""


def left_out(without: frozenset[ProjectPart]) -> frozenset[ProjectPart]:
    """Return all parts that must be left out if these parts are.

    >>> sorted(left_out(frozenset({ProjectPart.ITEMS})))
    [<ProjectPart.ITEMS: 'items'>, <ProjectPart.RUNS: 'runs'>, <ProjectPart.VOTES: 'votes'>]
    """
    return without | {part for part, needs in NEEDS.items() if needs in without}


class WhoIsWho(StrEnum):
    """The way to match people in an archive with existing accounts."""

    MATCH = "match"
    """People with the same login are the same person; others get an account."""
    NEW = "new"
    """Every person gets a new account. If a login is taken, a number is added to it."""
    MAP = "map"
    """A file maps people to accounts."""
