"""What the page Results shows of one state of a project, all of it together, so that it can be worked out elsewhere."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from db import answers, files, items
from db.engine import Store
from domain.records import RULES, Person
from domain.states import Items, Stage
from workflow.access.counted_items import Counting
from workflow.access.projects import require_lead
from workflow.annotate import answer_readings
from workflow.results import item_pairs, model_groups, ranked_options, slice_contrasts
from workflow.results import leaderboard as numbers
from workflow.results import win_rates as pairs
from workflow.results.attributes import Said
from workflow.results.item_pairs import PairedDifference
from workflow.results.leaderboard import Gap, SlicedScores
from workflow.results.leaderboard_lines import Line
from workflow.results.model_groups import Grouping
from workflow.results.project_answers import current
from workflow.results.ranked_options import Ranked
from workflow.results.score_choices import Method, Scores, ends_of, scores_of, title_of
from workflow.results.slice_contrasts import Contrast
from workflow.results.slices import BINS, DIMENSION, Bins
from workflow.results.win_rates import Comparison


@dataclass(frozen=True, eq=False)
class Leaderboard:
    """Models by one way of scoring."""

    board: SlicedScores
    gaps: Sequence[Gap]
    contrasts: Sequence[Contrast]
    groups: Grouping | None = None
    """Models in groups, where that was asked for."""


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
    """Every way of scoring in its order, with what it is called."""
    of: Mapping[Scores, Leaderboard]
    overview: Mapping[tuple[str, Scores], Line]
    """Each model's mean over all answers, by every way of scoring."""
    ends: Mapping[Scores, tuple[float | None, float | None]]
    """The lowest and the highest score that there can be."""
    compared: Sequence[Comparison]
    ranked: Ranked | None
    attributes: Said = field(default_factory=dict)
    """What is said of models."""
    pairs: Mapping[str, Sequence[PairedDifference]] = field(default_factory=dict)
    """Models on variants of the same items, by every way of scoring, where the schema or someone says which these
    are."""
    schema_version: int | None = None
    """The version of the schema under which people's grades were given; None: whichever."""


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
    models_by: str | None = None,
    paired: tuple[str, str] | None = None,
    schema_version: int | None = None,
) -> Leaderboards:
    """Everything on the page Results; the arguments are those of ``results.read``, ``results.scores_of``,
    ``board.board``, ``model_groups.wanted`` and ``item_pairs.named``.

    For anyone who has made sure that the person may see it.
    """
    found = current(store, person=None, project=project, items=items, reader=reader, schema_version=schema_version)
    there = scores_of(found, method)
    groups = model_groups.wanted(found, models_by) if models_by else None
    by_pair = item_pairs.named(found.schema, *(paired or ()))
    boards = [numbers.sliced_scores(found, each, by=by, together=together, common=common, bins=bins) for each in there]
    return Leaderboards(
        found.project,
        found.title,
        found.counting,
        found.reader,
        found.models,
        len(found.answers),
        {each: title_of(found, each) for each in there},
        {
            cut.scores: Leaderboard(
                _without_items(cut),
                numbers.gaps(found, cut),
                slice_contrasts.contrasts(found, cut),
                model_groups.grouped(found, cut, groups) if groups else None,
            )
            for cut in boards
        },
        numbers.overview(found, there, together=together, common=common),
        {each: ends_of(found.schema, each) for each in there},
        pairs.comparisons(store, found, person=None, together=together),
        ranked_options.ranked(store, found, person=None, together=together),
        found.attributes,
        item_pairs.titled(found, item_pairs.differences(found, by_pair, there, together=together)) if by_pair else {},
        schema_version,
    )


def _without_items(cut: SlicedScores) -> SlicedScores:
    """Without the slice of every item: nothing that is shown needs it any more, and there may be very many."""
    return replace(cut, slicing=replace(cut.slicing, of_item={}))


def mark(store: Store, *, person: Person | None, project: str) -> tuple[int | str, ...]:
    """What stays the same as long as everything on the page Results does."""
    with store.read() as session:
        access = require_lead(session, by=person, project=project)
        return (access.began, access.title, access.loaded.hash, *answers.mark(session, project_id=access.project_id))


def size(store: Store, *, person: Person | None, project: str) -> int:
    """How many items, answers and grades there are, roughly: what has been superseded counts, too."""
    with store.read() as session:
        id = require_lead(session, by=person, project=project).project_id
        said = answers.count(session, project_id=id) + files.n_ratings(session, project_id=id, stage=Stage.GRADING)
        return said + items.count(session, project_id=id)


def any_model(store: Store, *, person: Person | None, project: str) -> bool:
    """Whether any model has been asked or has answered; without one there is nothing to read a project for."""
    with store.read() as session:
        return answers.any_asked(session, project_id=require_lead(session, by=person, project=project).project_id)


def readers_of(store: Store, *, person: Person | None, project: str) -> Sequence[str]:
    """Who has read the answers of a project, as ``results.read`` knows them by."""
    with store.read() as session:
        access = require_lead(session, by=person, project=project)
        return answer_readings.readers(session, project_id=access.project_id)
