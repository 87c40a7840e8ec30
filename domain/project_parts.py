"""What a project is made of, as someone who copies it may leave it out; and who people in an archive are here."""

from __future__ import annotations

from enum import StrEnum

ARCHIVE_FORMAT = "touchstone-project"
ARCHIVE_VERSION = 1
"""Of the archives that are written; older ones are read, newer ones refused."""
PASSING = "."
"""How the names of projects begin that are on their way in or out (``db.passing``): no one's may."""


class ProjectPart(StrEnum):
    """A part of a project. Each table of the database belongs to one (``db.carried``)."""

    PROJECT = "project"
    """Its name, seed, schema and guideline, which are always carried."""
    ITEMS = "items"
    """Items with all revisions and source records, their images and clips, the pool, decisions of triage."""
    PEOPLE = "people"
    """Who takes part, with role, stages and dimensions."""
    VOTES = "votes"
    """What people did: tasks, submissions, drafts, gold, qualification, comments, ratings out of files, history."""
    RUNS = "runs"
    """Runs of models, judges and metrics with all that came of them."""


NEEDS: dict[ProjectPart, ProjectPart] = {ProjectPart.VOTES: ProjectPart.ITEMS, ProjectPart.RUNS: ProjectPart.ITEMS}
"""What a part makes no sense without."""


def left_out(without: frozenset[ProjectPart]) -> frozenset[ProjectPart]:
    """Everything that is left out where these parts are.

    >>> sorted(left_out(frozenset({ProjectPart.ITEMS})))
    [<ProjectPart.ITEMS: 'items'>, <ProjectPart.RUNS: 'runs'>, <ProjectPart.VOTES: 'votes'>]
    """
    return without | {part for part, needs in NEEDS.items() if needs in without}


class WhoIsWho(StrEnum):
    """How people in an archive are told from accounts that are here already."""

    MATCH = "match"
    """The same login is the same person; others get an account."""
    NEW = "new"
    """Everyone gets an account of their own; where a login is taken, a number is added to it."""
    MAP = "map"
    """A file says who is whom."""
