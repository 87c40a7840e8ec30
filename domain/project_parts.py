"""The parts of a project that a copy may leave out, and the ways to match people in an archive with accounts."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path

PASSING = "."
"""The prefix of projects that are being imported or deleted. Users cannot choose it."""


class ProjectPart(StrEnum):
    """A part of a project. Each table of the database belongs to one part (``db.carried``)."""

    PROJECT = "project"
    """Its name, seed, schema and guideline, which every archive contains."""
    ITEMS = "items"
    """Items with all revisions and source records, their images and clips, the pool, and triage decisions."""
    PEOPLE = "people"
    """Members with their role, stages and dimensions."""
    VOTES = "votes"
    """People's work: tasks, submissions, drafts, gold, qualification, comments, imported ratings, history."""
    RUNS = "runs"
    """Runs of models, judges and metrics with all their results."""


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


def archive_in(home: Path, project: str) -> Path:
    """Return the path of a project's archive that a lead requested on a page."""
    return home / "archives" / f"{project}.zip"
