"""The parts of a project, and where its archive lies."""

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


def archive_in(home: Path, project: str) -> Path:
    """Return the path of a project's archive that a lead requested on a page."""
    return home / "archives" / f"{project}.zip"
