"""The leaderboard: a figure for each model over all of its answers and in every slice."""

from __future__ import annotations

import io
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from agreement.corrected import clustered_mean
from agreement.limits import normal_quantile
from agreement.losses import Losses
from agreement.means import mean_of_parts
from agreement.statistic import Interval, Statistic, estimated, undefined
from domain import csv_text
from workflow.access.counted_items import Counting
from workflow.results import people_rows
from workflow.results.answer_ways import PEOPLE, AnswerMethod
from workflow.results.attributes import Said
from workflow.results.clusters import ALONE, cluster_of, clusters_of
from workflow.results.leaderboard_lines import (
    COLUMNS,
    LeaderboardLine,
    SliceAnswers,
    clipped,
    counted_as_wrong,
    line_of,
    values_of,
)
from workflow.results.leaderboard_notes import notes_of
from workflow.results.losses import losses_of_scores
from workflow.results.project_answers import ProjectAnswers
from workflow.results.score_choices import Scores, title_of
from workflow.results.scores import ScoredAnswers, score_answers
from workflow.results.slices import BINS, DIMENSION, GROUP, Bins, Slicing, sliced

POOLED = AnswerMethod(PEOPLE)
STATISTICS = ("accuracy", "derived", "genuine_pca")
"""The registered statistics that are computed here. Statistics of agreement are computed elsewhere."""


@dataclass(frozen=True, eq=False)
class SlicedScores:
    """Models in slices of the items."""

    scores: Scores
    slicing: Slicing
    cells: Mapping[tuple[str, int], LeaderboardLine]
    """The lines by model and slice."""
    whole: Mapping[str, LeaderboardLine]
    """Each model's mean over all answers."""
    of_parts: Mapping[str, LeaderboardLine]
    """Each model's mean over the means of slices, if slices are dimensions or groups of dimensions; otherwise empty."""
    together: str
    """The name of the clusters for confidence intervals."""
    notes: Sequence[str]
    """Notes for the reader, one sentence each."""
    yes_no: bool
    low: float | None
    high: float | None
    common: bool = False
    """Only items that every model has answered."""
    title: str = ""
    """The title of the numbers, with their convention for unreadable answers."""
    losses: Losses | None = None
    """Unreadable or unscored answers of all models; None if these numbers read no answers."""

    @property
    def models(self) -> Sequence[str]:
        """Return the models by descending mean. Models without a mean are last."""

        def place(model: str) -> tuple[bool, float, str]:
            line = self.whole[model]
            return not line.found.defined, -line.found.value if line.found.defined else 0.0, model

        return sorted(self.whole, key=place)

    def lines(self) -> list[LeaderboardLine]:
        """Return all lines, model by model."""
        lines = []
        for model in self.models:
            lines.append(self.whole[model])
            lines += [self.of_parts[model]] if model in self.of_parts else []
            lines += [self.cells[model, at] for at in range(len(self.slicing.labels))]
        return lines


def sliced_scores(
    found: ProjectAnswers,
    scores: Scores,
    *,
    by: str = DIMENSION.name,
    together: str | None = None,
    common: bool = False,
    bins: Bins = BINS,
) -> SlicedScores:
    """Return every model in every slice. ``common`` keeps only the items that every model has answered."""
    found, of = people_rows.with_people(found, score_answers(found, scores))
    asked = {
        id: item
        for id, item in found.items.items()
        if (of.asked is None or item.dimension in of.asked) and (not common or id in found.common)
    }
    concerned = {answer.item for answer in found.answers} | {id for lot in found.unanswered.values() for id in lot}
    slicing = sliced(found.schema, {id: item for id, item in asked.items() if id in concerned}, by, bins=bins)
    named, clusters = clusters_of(found, together)
    part_of = np.array([slicing.of_item.get(answer.item, -1) for answer in found.answers], dtype=np.int64)
    inside = np.array([answer.item in asked for answer in found.answers], dtype=bool)
    losses = losses_of_scores(found, of, asked.keys())
    cells: dict[tuple[str, int], LeaderboardLine] = {}
    whole: dict[str, LeaderboardLine] = {}
    of_parts: dict[str, LeaderboardLine] = {}
    for model in found.models:
        mine = found.of_model[model]
        mine = mine[inside[mine]]
        gone = {item: why for item, why in found.unanswered.get(model, {}).items() if item in asked}
        whole[model] = _line(found, of, _lot(found, of, mine, gone, named), clusters, model=model, part=None)
        for at, label in enumerate(slicing.labels):
            missing = {item: why for item, why in gone.items() if slicing.of_item.get(item) == at}
            lot = _lot(found, of, mine[part_of[mine] == at], missing, named)
            cells[model, at] = _line(found, of, lot, clusters, model=model, part=label)
        if slicing.way in (DIMENSION, GROUP) and len(slicing.labels) > 1:
            own = [cells[model, at] for at in range(len(slicing.labels))]
            wrong = [
                (slicing.of_item[item], cluster_of(found, named, item))
                for item in counted_as_wrong(found, of, model, common=common)
                if item in slicing.of_item
            ]
            of_parts[model] = _over_parts(of, mine, part_of, clusters, own, whole[model], slicing, wrong)
    if losses is not None:
        cells = {place: replace(line, losses=losses) for place, line in cells.items()}
        whole = {model: replace(line, losses=losses) for model, line in whole.items()}
        of_parts = {model: replace(line, losses=losses) for model, line in of_parts.items()}
    return SlicedScores(
        scores,
        slicing,
        cells,
        whole,
        of_parts,
        named,
        [
            *([losses.sentence] if losses is not None else []),
            *people_rows.notes(found, whole),
            *notes_of(found, of, people_rows.models_alone(found, whole), asked.keys(), common=common),
        ],
        of.yes_no,
        of.low,
        of.high,
        common,
        title_of(found, scores),
        losses,
    )


def _line(
    found: ProjectAnswers,
    of: ScoredAnswers,
    lot: SliceAnswers,
    clusters: Sequence[str] | None,
    *,
    model: str,
    part: str | None,
) -> LeaderboardLine:
    line = people_rows.rested(found, line_of(of, lot, clusters, model=model, part=part), lot.places)
    return replace(line, way=found.ways.get(model, POOLED if model in found.pooled else line.way))


def _lot(
    found: ProjectAnswers, of: ScoredAnswers, places: NDArray[np.int64], gone: Mapping[int, str], by: str
) -> SliceAnswers:
    keyless = found.keyless if of.scores.kind == "key" else {}
    return SliceAnswers(
        places,
        list(gone.values()),
        [cluster_of(found, by, item) for item in gone],
        [keyless.get(item, "") for item in gone],
    )


def _over_parts(
    of: ScoredAnswers,
    mine: NDArray[np.int64],
    part_of: NDArray[np.int64],
    clusters: Sequence[str] | None,
    own: Sequence[LeaderboardLine],
    whole: LeaderboardLine,
    slicing: Slicing,
    wrong: Sequence[tuple[int, str]],
) -> LeaderboardLine:
    """Return a model's mean over the means of its slices.

    ``wrong`` are the slice and cluster of each unanswered item that counts as wrong.
    """
    lacking = [slicing.title(at) for at, line in enumerate(own) if not line.found.defined]
    n = sum(line.found.n_units for line in own)
    left_out = sum(whole.left_out.values())
    if lacking:
        reason = f"No number in {', '.join(lacking)}, so a mean over the other slices would not be comparable."
        statistic = undefined(reason, n_units=n, n_raters=1, n_left_out=left_out)
    elif of.scores.kind == "corrected":
        statistic = _over_corrected([line.found for line in own], left_out)
    else:
        places = mine[(part_of[mine] >= 0) & ~np.isnan(of.values[mine])]
        values = np.concatenate([of.values[places], np.zeros(len(wrong))])
        parts = [*part_of[places].tolist(), *(part for part, _ in wrong)]
        together = None if clusters is None else [*(clusters[at] for at in places.tolist()), *(by for _, by in wrong)]
        statistic = mean_of_parts(values, parts, clusters=together)
        statistic = replace(statistic, n_left_out=left_out)
    lowest, highest = _bounds_of_parts(own) if statistic.defined else (None, None)
    return replace(
        whole,
        over="parts",
        found=clipped(statistic, of.low, of.high),
        lowest=lowest,
        highest=highest,
        people=whole.people,
    )


def _bounds_of_parts(own: Sequence[LeaderboardLine]) -> tuple[float | None, float | None]:
    """Return the means over the parts' bounds; None if no part has bounds."""
    if all(line.lowest is None for line in own):
        return None, None
    ends = [(_or(line.lowest, line.found.value), _or(line.highest, line.found.value)) for line in own]
    return math.fsum(low for low, _ in ends) / len(own), math.fsum(high for _, high in ends) / len(own)


def _or(bound: float | None, value: float) -> float:
    return value if bound is None else bound


def _over_corrected(own: Sequence[Statistic], left_out: int) -> Statistic:
    value = math.fsum(part.value for part in own) / len(own)
    n = sum(part.n_units for part in own)
    errors = [part.se for part in own]
    if any(math.isnan(error) for error in errors):
        interval = Interval(math.nan, math.nan, "none", "No interval, because the score of one slice has no interval.")
    else:
        se = math.sqrt(math.fsum(error**2 for error in errors)) / len(own)
        half = normal_quantile(0.95) * se
        interval = Interval(
            value - half, value + half, ("normal approximation for independent parts with equal weights"), se=se
        )
    return estimated(value, interval, n_units=n, n_raters=2, n_left_out=left_out)


# ---- models next to each other
# ----------------------------------------------------------------------------------------


def overview(
    found: ProjectAnswers, by: Sequence[Scores], *, together: str | None = None, common: bool = False
) -> dict[tuple[str, Scores], LeaderboardLine]:
    """Return each model's mean over all answers, for every way of scoring."""
    plain, of_plain = found, clusters_of(found, together)
    lines = {}
    for scores in by:
        pooled, of = people_rows.with_people(plain, score_answers(plain, scores))
        named, clusters = of_plain if pooled is plain else clusters_of(pooled, together)
        asked = {
            id
            for id, item in pooled.items.items()
            if (of.asked is None or item.dimension in of.asked) and (not common or id in pooled.common)
        }
        inside = np.array([answer.item in asked for answer in pooled.answers], dtype=bool)
        for model in pooled.models:
            mine = pooled.of_model[model]
            missing = {item: why for item, why in pooled.unanswered.get(model, {}).items() if item in asked}
            lot = _lot(pooled, of, mine[inside[mine]], missing, named)
            lines[model, scores] = _line(pooled, of, lot, clusters, model=model, part=None)
    return lines


@dataclass(frozen=True)
class Gap:
    """The difference between a model and the first one, over the items on which both have a score."""

    model: str
    first: str
    difference: Statistic
    """The mean of the model's score less the first one's, item by item. An item that the table counts as wrong though
    it has no answer is a 0 here, too."""


def gaps(found: ProjectAnswers, cut: SlicedScores) -> list[Gap]:
    """Return the difference of each model from the first of the table, over pairs of answers to one item.

    Paired differences are more precise than two intervals, because the difficulty of an item cancels out.
    """
    if cut.scores.kind == "corrected":
        return []
    found, of = people_rows.with_people(found, score_answers(found, cut.scores))
    ordered = [model for model in cut.models if cut.whole[model].found.defined]
    if len(ordered) < 2:
        return []
    of_item = {model: values_of(found, of, model, common=cut.common) for model in ordered}
    first = ordered[0]
    lines = []
    for model in ordered[1:]:
        both = [item for item in of_item[model] if item in of_item[first]]
        values = [of_item[model][item] - of_item[first][item] for item in both]
        together = None if cut.together == ALONE else [cluster_of(found, cut.together, item) for item in both]
        lines.append(Gap(model, first, clustered_mean(values, clusters=together)))
    return lines


# ---- files ----------------------------------------------------------------------------------------------------------


def as_csv(lines: Iterable[LeaderboardLine]) -> str:
    """Return the numbers as an unrounded CSV file with one row each. An undefined value is empty and has a reason."""
    out = io.StringIO()
    rows = [line.as_row() for line in lines]
    columns = list(
        dict.fromkeys([*COLUMNS, *(name for row in rows for name in row)])
    )  # more where people have answered
    writer = csv_text.DictWriter(out, columns)
    writer.writeheader()
    for row in rows:
        writer.writedict(dict.fromkeys(columns) | row)
    return out.getvalue()


class NumberSource(Protocol):
    """The origin of the numbers: a read of a project, or an object made from one."""

    @property
    def project(self) -> str: ...

    @property
    def title(self) -> str: ...

    @property
    def counting(self) -> Counting | None: ...

    @property
    def reader(self) -> str: ...

    @property
    def attributes(self) -> Said: ...

    @property
    def schema_version(self) -> int | None: ...


def as_json(
    found: NumberSource, boards: Sequence[SlicedScores], further: Sequence[Mapping[str, Any]] = ()
) -> dict[str, Any]:
    """Return the numbers as JSON values, with the facts that hold for all. ``further`` are more values of each
    board.
    """
    model_attributes = (
        {"models": {model: dict(own) for model, own in found.attributes.items()}} if found.attributes else {}
    )
    return {
        "project": found.project,
        "title": found.title,
        "unit": "answer",
        "items": found.counting.which.value if found.counting else None,
        "counted": found.counting.sentence if found.counting else None,
        "reader": found.reader,
        **({} if found.schema_version is None else {"schema_version": found.schema_version}),
        **model_attributes,
        "boards": [
            {
                "scores": board.title or board.scores.title,
                "by": board.slicing.way.name,
                "measured": board.slicing.way.about or None,
                "items_together_by": board.together,
                "notes": list(board.notes),
                "losses": board.losses.rows() if board.losses is not None else [],
                "lines": [line.as_row() for line in board.lines()],
                **(further[at] if further else {}),
            }
            for at, board in enumerate(boards)
        ],
    }
