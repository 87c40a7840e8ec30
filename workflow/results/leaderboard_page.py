"""The content of the Results page for one state of a project, as one object that another process can compute."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from db import answers, files, items
from db.engine import Store
from domain import extensions
from domain.records import RULES, Person
from domain.states import Items, Stage
from workflow.access.counted_items import Counting
from workflow.access.projects import require_lead
from workflow.annotate import answer_readings
from workflow.results import leaderboard as numbers
from workflow.results.attributes import Said
from workflow.results.leaderboard import Gap, SlicedScores
from workflow.results.leaderboard_lines import LeaderboardLine
from workflow.results.project_answers import current
from workflow.results.score_choices import Method, Scores, ends_of, scores_of, title_of
from workflow.results.slices import BINS, DIMENSION, Bins


@dataclass(frozen=True, eq=False)
class Leaderboard:
    """Models by one way of scoring."""

    board: SlicedScores
    gaps: Sequence[Gap]
    sections: Mapping[str, Any] = field(default_factory=dict)
    """The figures of sections (``result_sections``), by the section's name."""


@dataclass(frozen=True, eq=False)
class Leaderboards:
    """Models by every way of scoring that there is."""

    project: str
    title: str
    counting: Counting | None
    reader: str
    models: Sequence[str]
    """Everyone who answered or was asked."""
    n_answers: int
    """Answers that count."""
    titles: Mapping[Scores, str]
    """The title of each way of scoring, in order."""
    of: Mapping[Scores, Leaderboard]
    overview: Mapping[tuple[str, Scores], LeaderboardLine]
    """Each model's mean over all answers, for every way of scoring."""
    ends: Mapping[Scores, tuple[float | None, float | None]]
    """The lowest and the highest score that there can be."""
    sections: Mapping[str, Any] = field(default_factory=dict)
    """The figures of sections that belong to no single way of scoring, by the section's name."""
    attributes: Said = field(default_factory=dict)
    """The attributes of models."""
    schema_version: int | None = None
    """The version of the schema under which people's grades were given; None for any version."""


def leaderboards(
    store: Store,
    *,
    project: str,
    items: Items | None = None,
    reader: str = RULES,
    by: str = DIMENSION.name,
    together: str | None = None,
    common: bool = False,
    bins: Bins = BINS,
    method: Method = "ppi",
    options: Mapping[str, Any] | None = None,
    schema_version: int | None = None,
) -> Leaderboards:
    """Return the content of the Results page.

    The arguments are those of ``project_answers.read_project``, ``score_choices.scores_of``,
    ``leaderboard.sliced_scores``, and the ``options`` that ask for sections. The caller checks that the person may see
    the page.
    """
    project_answers = current(
        store, person=None, project=project, items=items, reader=reader, schema_version=schema_version
    )
    there = scores_of(project_answers, method)
    boards = [
        numbers.sliced_scores(project_answers, scores, by=by, together=together, common=common, bins=bins)
        for scores in there
    ]
    sections = extensions.rows("result_sections")
    of_boards = {section.name: section.of_boards(project_answers, boards, options or {}) for section in sections}
    return Leaderboards(
        project_answers.project,
        project_answers.title,
        project_answers.counting,
        project_answers.reader,
        project_answers.models,
        len(project_answers.answers),
        {scores: title_of(project_answers, scores) for scores in there},
        {
            cut.scores: Leaderboard(
                _without_items(cut),
                numbers.gaps(project_answers, cut),
                {name: lot[at] for name, lot in of_boards.items()},
            )
            for at, cut in enumerate(boards)
        },
        numbers.overview(project_answers, there, together=together, common=common),
        {scores: ends_of(project_answers.schema, scores) for scores in there},
        {
            section.name: section.of_project(store, project_answers, together=together, key_only=False)
            for section in sections
        },
        project_answers.attributes,
        schema_version,
    )


def _without_items(cut: SlicedScores) -> SlicedScores:
    """Return the scores without the slice of each item, which pages do not need and which may be very long."""
    return replace(cut, slicing=replace(cut.slicing, of_item={}))


def mark(store: Store, *, person: Person | None, project: str) -> tuple[int | str, ...]:
    """Return a state that changes whenever the content of the Results page may change."""
    with store.read() as session:
        access = require_lead(session, by=person, project=project)
        return (access.began, access.title, access.loaded.hash, *answers.mark(session, project_id=access.project_id))


def size(store: Store, *, person: Person | None, project: str) -> int:
    """Return the approximate number of items, answers and grades. Superseded ones are included."""
    with store.read() as session:
        id = require_lead(session, by=person, project=project).project_id
        n_answers = answers.count(session, project_id=id) + files.n_ratings(session, project_id=id, stage=Stage.GRADING)
        return n_answers + items.count(session, project_id=id)


def any_model(store: Store, *, person: Person | None, project: str) -> bool:
    """Return whether any model has been asked or has answered. Without one, the project need not be read."""
    with store.read() as session:
        return answers.any_asked(session, project_id=require_lead(session, by=person, project=project).project_id)


def readers_of(store: Store, *, person: Person | None, project: str) -> Sequence[str]:
    """Return the readers of a project's answers, by their names in ``results.read_result``."""
    with store.read() as session:
        access = require_lead(session, by=person, project=project)
        return answer_readings.readers(session, project_id=access.project_id)
