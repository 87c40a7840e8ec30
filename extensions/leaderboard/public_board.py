"""The public leaderboard: the results that a lead has chosen to show to everyone, and nothing else.

The choice is an event, and the newest one counts. The numbers are computed from the choice and the project's state,
outside of the process that serves pages (``app.jobs.figure_requests``). They contain no item's text, no person's name
and no key.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from annotation_schemas.keys import key_fields
from db import events
from db.engine import Store
from db.records import StoredEvent
from domain.errors import InvalidInputError, Problem, TouchstoneError
from domain.records import Person
from extensions.leaderboard import entries
from workflow.access.event_log import log
from workflow.access.projects import require_lead
from workflow.results import project_answers
from workflow.results.leaderboard import SlicedScores, sliced_scores
from workflow.results.leaderboard_lines import LeaderboardLine
from workflow.results.project_answers import ProjectAnswers
from workflow.results.score_choices import Scores, scores_of, title_of
from workflow.results.slices import BINS, DIMENSION, GROUP, OTHERS, Bins, Slicing, sliced

PUBLISHED, WITHDRAWN = events.BOARD_PUBLISHED, events.BOARD_WITHDRAWN
LONGEST_TITLE, LONGEST_TEXT = 120, 4_000
"""Largest lengths, in characters."""
FEWEST = 5
"""Smallest number of items that must share a field's value before the value becomes a public name of a slice."""
_DIGITS = 6


@dataclass(frozen=True)
class Choice:
    """The lead's choice of what to show."""

    title: str
    text: str = ""
    scores: tuple[Scores, ...] = ()
    models: tuple[str, ...] = ()
    entries: bool = False
    """Whether to show other teams' entries, future ones included."""
    by: str = ""
    """The field whose slices are shown next to each mean. Empty: none."""
    bins: Bins = BINS
    files: bool = False
    """Whether the table can be downloaded as CSV and JSON."""

    def dump(self) -> dict[str, Any]:
        """Return the choice as JSON values."""
        scores = [{name: value for name, value in vars(score).items() if value is not None} for score in self.scores]
        bins = self.bins if isinstance(self.bins, int) else list(self.bins)
        return {**vars(self), "scores": scores, "models": list(self.models), "bins": bins}

    @classmethod
    def of(cls, dumped: Mapping[str, Any]) -> Choice:
        """Return the choice from the output of ``dump``."""
        bins = dumped["bins"]
        fields = {
            **dumped,
            "scores": tuple(Scores(**score) for score in dumped["scores"]),
            "models": tuple(dumped["models"]),
            "bins": bins if isinstance(bins, int) else tuple(bins),
        }
        return cls(**fields)


@dataclass(frozen=True)
class Public:
    """A leaderboard that everyone may read."""

    event: int
    """The id of the event that published it."""
    project: str
    choice: Choice
    since: datetime


@dataclass(frozen=True)
class Cell:
    """A number that everyone may read."""

    value: float
    low: float | None
    high: float | None
    n: int


@dataclass(frozen=True)
class Board:
    """The table."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, tuple[Cell | None, ...]], ...]
    """Name and cells of each row, sorted by the first column in descending order."""
    lacking: tuple[str, ...] = ()
    """Chosen parts that cannot be shown, in sentences for the lead."""


# ---- choices --------------------------------------------------------------------------------------------------------


def publish(store: Store, *, by: Person | None, project: str, choice: Choice) -> bool:
    """Publish the leaderboard. Return whether the choice is new.

    Raises
    ------
    InvalidInputError
        There is no title, no number or no model to show, or a text is too long.
    """
    problems = []
    if not choice.title.strip() or len(choice.title) > LONGEST_TITLE:
        problems.append(Problem("title", f"Give the public page a title of at most {LONGEST_TITLE} characters."))
    if len(choice.text) > LONGEST_TEXT:
        problems.append(
            Problem(
                "text",
                f"The text has {len(choice.text):,} characters. Shorten the text to at most {LONGEST_TEXT:,} "
                "characters.",
            )
        )
    if not choice.scores:
        problems.append(Problem("scores", "Choose at least one number to show."))
    if not choice.models and not choice.entries:
        problems.append(Problem("models", "Choose at least one model, or other teams' entries."))
    if problems:
        raise InvalidInputError(problems)
    with store.write() as session:
        access = require_lead(session, by=by, project=project)
        before = events.public_board(session, project=access.name)
        data = choice.dump()
        if before is not None and before.data == data:
            return False
        log(session, PUBLISHED, by=by, project=access, now=store.now(), data=data)
        return True


def withdraw(store: Store, *, by: Person | None, project: str) -> bool:
    """Withdraw the leaderboard at once. Return whether it was public."""
    with store.write(archived_too=True) as session:
        access = require_lead(session, by=by, project=project)
        if events.public_board(session, project=access.name) is None:
            return False
        log(session, WITHDRAWN, by=by, project=access, now=store.now())
        return True


def standing(store: Store, *, by: Person | None, project: str) -> Public | None:
    """Return the public leaderboard, for leads. None if there is none."""
    with store.read() as session:
        access = require_lead(session, by=by, project=project)
        return _public(access.name, events.public_board(session, project=access.name))


def last_choice(store: Store, *, by: Person | None, project: str) -> Choice | None:
    """Return the current or last public choice, as a default for the next one."""
    with store.read() as session:
        access = require_lead(session, by=by, project=project)
        row = events.newest_of(session, project_id=access.project_id, kind=PUBLISHED)
        return Choice.of(row.data) if row is not None else None


def made_public(store: Store, *, project: str) -> Public | None:
    """Return the public leaderboard of a project for anyone. None if there is none, or no such project."""
    with store.read() as session:
        return _public(project, events.public_board(session, project=project))


def _public(project: str, row: StoredEvent | None) -> Public | None:
    return Public(row.id, project, Choice.of(row.data), row.at) if row is not None else None


# ---- the numbers ----------------------------------------------------------------------------------------------------


def board(store: Store, *, project: str, choice: Mapping[str, Any]) -> Board:
    """Return the numbers of the project's state for a choice (the output of ``Choice.dump``).

    The caller checks that a lead has published the choice.
    """
    chosen = Choice.of(choice)
    answers = project_answers.current(store, person=None, project=project)
    there = scores_of(answers)
    lacking = [
        f"{score.title} no longer exists. Choose another number." for score in chosen.scores if score not in there
    ]
    names = set(chosen.models)
    if chosen.entries:
        teams = entries.entries(store, by=None, project=project)
        names |= {team.name for team in teams if not team.withdrawn}
    by, problem = _slices(answers, chosen)
    lacking += [problem] if problem else []
    cuts = [
        sliced_scores(answers, score, by=by or DIMENSION.name, bins=chosen.bins)
        for score in chosen.scores
        if score in there
    ]
    columns = [title for cut in cuts for title in _titles(answers, cut, sliced=bool(by))]
    present = {model for cut in cuts for model in cut.whole} - answers.respondents
    lacking += [
        f"{name} is a person, and the leaderboard cannot show people. Choose only models."
        if name in answers.respondents
        else f"{name} has no answers that count. Choose another model, or import answers of this model."
        for name in sorted(names - present)
    ]
    rows = [
        (name, tuple(cell for cut in cuts for cell in _cells(cut, name, sliced=bool(by))))
        for name in sorted(names & present)
    ]
    rows.sort(key=lambda row: -row[1][0].value if row[1] and row[1][0] else math.inf)
    return Board(tuple(columns), tuple(rows), tuple(lacking))


def _titles(found: ProjectAnswers, cut: SlicedScores, *, sliced: bool) -> list[str]:
    whole = title_of(found, cut.scores)
    parts = [cut.slicing.title(at) for at in range(len(cut.slicing.labels))] if sliced else []
    return [whole, *(f"{whole}; {cut.slicing.way.title}: {part}" for part in parts)]


def _cells(cut: SlicedScores, model: str, *, sliced: bool) -> list[Cell | None]:
    parts = range(len(cut.slicing.labels)) if sliced else ()
    if model not in cut.whole:
        return [None, *(None for _ in parts)]
    return [_cell(cut.whole[model]), *(_cell(cut.cells[model, at]) for at in parts)]


def _cell(line: LeaderboardLine) -> Cell | None:
    at = line.found
    if not at.defined:
        return None
    known = not math.isnan(at.low)
    low, high = (round(at.low, _DIGITS), round(at.high, _DIGITS)) if known else (None, None)
    return Cell(round(at.value, _DIGITS), low, high, at.n_units)


def _slices(found: ProjectAnswers, chosen: Choice) -> tuple[str, str]:
    """Return the field to slice by, and the reason if the chosen one cannot be used.

    The name of a slice must never be the text of one item.
    """
    if not chosen.by:
        return "", ""
    try:
        cut = sliced(found.schema, found.items, chosen.by, bins=chosen.bins)
    except TouchstoneError as error:
        return "", str(error)
    if cut.way in (DIMENSION, GROUP) or "~" in chosen.by:
        return chosen.by, ""
    if chosen.by.partition(".")[0] in key_fields(found.schema):
        return "", (
            f"Touchstone cannot show slices by {cut.way.title} because the slices would reveal information about the "
            "key. Choose another field."
        )
    if cut.of_numbers or _are_categories(cut):
        return chosen.by, ""
    return "", (
        f"Touchstone cannot show slices by {cut.way.title} because the values could reveal item texts. "
        f"Each slice needs a value that at least {FEWEST} items share. Choose another field."
    )


def _are_categories(cut: Slicing) -> bool:
    """Tell whether each slice is one value that several items share."""
    sizes = Counter(cut.of_item.values())
    return not any(label.startswith(f"{OTHERS} (") for label in cut.labels) and min(sizes.values(), default=0) >= FEWEST
