"""The survey of an archive of which parts may be left out, and whose ids may be taken in the database."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache

from db.attributes import DESCRIBED, LABELLED
from db.carried import CARRIED, RUNS, VOTES, Random
from db.events import (
    COVERED,
    FRAME_CHOICES,
    FRAMES_POOLED,
    MARKS_APPLIED,
    PICTURE_MARKED,
    QUESTIONS_MADE,
    VIDEO_GOALS,
)
from db.survey import Row, Survey
from domain.project_parts import ProjectPart
from domain.run_kinds import RunKind
from domain.states import Stage

SAID = {
    LABELLED: ProjectPart.ITEMS,
    DESCRIBED: RUNS,
    **dict.fromkeys((*VIDEO_GOALS, QUESTIONS_MADE, FRAMES_POOLED, *FRAME_CHOICES), ProjectPart.ITEMS),
    **dict.fromkeys((COVERED, PICTURE_MARKED, MARKS_APPLIED), ProjectPart.ITEMS),
}
"""Events that are more than history, with the part of the project that they belong to.

They hold attributes of items and models, goals and frames of videos, and covered regions of pictures.
"""
_SAMPLE = 500


class ArchiveSurvey(Survey):
    """The facts about an archive that are known after checking all of its rows.

    ``without`` are parts of the project that are left out. Links to their rows are cut, or the rows with these links
    are left out.
    """

    def __init__(self, name: str, given: Mapping[str, Sequence[str]], *, without: frozenset[ProjectPart]) -> None:
        super().__init__(name, given, cut=bool(without))
        self.without = without
        self.compared: set[int] = set()
        """Tasks of comparison, except those that someone is correcting."""
        self.drawn: dict[str, list[str]] = {}
        """The first random ids of each table, to check whether they exist in the database."""

    def takes(self, table: str, row: Row) -> bool:
        """Tell whether a row belongs to the chosen parts of the project. People's answers are both votes and runs."""
        if not self.without:
            return True
        people = table == "run" and RunKind(row["kind"]).people
        part = CARRIED[table].part
        if table == "event":
            part = SAID.get(row["kind"], part)
        if part is RUNS and RUNS in self.without:
            return people or table not in ("run", "judge_template", "tool_result")
        return part not in self.without and not (people and VOTES in self.without)

    def keeps(self, table: str, row: Row) -> bool:
        """Tell whether a row that was checked is imported. Its links to rows that are left out are cut."""
        return not self.without or (self.takes(table, row) and self.is_linked(table, 0, row))

    def remember(self, table: str, row: Row) -> None:
        """Remember also what may be taken in the database, and what depends on the login of a person."""
        super().remember(table, row)
        if table == "task" and row["stage"] == Stage.COMPARISON and not row["correcting"]:
            self.compared.add(row["id"])
        for name in _drawn(table):
            if len(self.drawn.setdefault(table, [])) < _SAMPLE:
                self.drawn[table].append(row[name])


@cache
def _drawn(table: str) -> Sequence[str]:
    """Return the columns of a table that hold random ids, which may exist in the database already."""
    held = CARRIED[table].ids.items()
    return [name for name, kind in held if isinstance(kind, Random) and name != "submit_key"]
