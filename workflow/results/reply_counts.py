"""The outcomes of all questions to judges in a project, shown next to every figure about judges."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from annotation_schemas import kinds
from annotation_schemas.model import Schema
from db.engine import Store
from domain.errors import RatingsError
from domain.records import Person
from domain.replies import Replies, replies_of
from domain.states import Cut, Items, Stage
from workflow.results.ratings import Raters, StageRows, criteria_of, cut_by, raters_of, stage_rows

METRIC_ENDS = (0.0, 1.0)
"""The ends of the scale of reference metrics."""


def ends_of(schema: Schema, stage: Stage) -> dict[str, Sequence[Any]]:
    """Return the values of each criterion of a stage, or at least its ends. Criteria without ends are left out."""
    ends: dict[str, Sequence[Any]] = {}
    for criterion in criteria_of(schema, stage):
        row = kinds.of_criterion(criterion)
        values: Sequence[Any] = row.listed(criterion)
        if not values and None not in (row.ends(criterion) or (None,)):
            values = row.ends(criterion) or ()
        if values:
            ends[criterion.name] = values
    return ends


def replies_of_judges(
    store: Store,
    *,
    person: Person | None,
    project: str,
    stage: Stage,
    judges: Sequence[str] | None = None,
    criteria: Sequence[str] | None = None,
    by: Cut = Cut.WHOLE,
    items: Items | str | None = None,
    read: StageRows | None = None,
) -> list[Replies]:
    """Count the outcomes of requests to judges and other machines in a stage, by criterion, for leads.

    ``judges`` None includes all of them, without repeated requests and swapped orders. ``read`` holds the ratings of
    the stage, if the caller has them. Imported ratings came without replies, so all of them count as scored and their
    failures are unknown.
    """
    raters = raters_of(store, person=person, project=project, stage=stage)
    wanted = set(raters.machines if judges is None else judges) - set(raters.people)
    read = read or stage_rows(store, person=person, project=project, stage=stage, items=items)
    access, judged = read.access, read.judged
    rows = cut_by(read.rows, access.schema, by)
    lost_ = [(rating, verdict) for rating, verdict in judged if not verdict.scored]
    about = cut_by([rating for rating, _ in lost_], access.schema, by)
    failed = [(rating, verdict) for rating, (_, verdict) in zip(about, lost_, strict=True)]
    ends = ends_of(access.schema, stage)
    values: dict[tuple[str, str], dict[str, Any]] = {}
    lost: dict[tuple[str, str], dict[str, str]] = {}
    people: dict[str, set[str]] = {}
    parts: dict[str, str] = {}
    for row in rows:
        parts[row.unit] = row.dimension or ""
        if row.rater in wanted:
            values.setdefault((row.criterion, row.rater), {})[row.unit] = row.value
        elif row.rater in raters.people:
            people.setdefault(row.criterion, set()).add(row.unit)
    for row, verdict in failed:
        parts.setdefault(row.unit, row.dimension or "")
        if row.rater in wanted:
            lost.setdefault((row.criterion, row.rater), {})[row.unit] = verdict.label
    replies = []
    names = [criterion.name for criterion in criteria_of(access.schema, stage)]
    order = list(judges) if judges is not None else list(raters.machines)
    for criterion in [name for name in names if criteria is None or name in criteria]:
        for judge in [name for name in order if name in wanted]:
            mine, without = values.get((criterion, judge), {}), lost.get((criterion, judge), {})
            if not mine and not without:
                continue
            places = dict.fromkeys(parts[unit] for unit in [*mine, *without])
            for dimension in [None, *places] if by is not Cut.WHOLE and len(places) > 1 else [None]:
                replies.append(
                    replies_of(
                        judge,
                        criterion,
                        dimension,
                        values=_part(mine, parts, dimension),
                        failed=_part(without, parts, dimension),
                        people=people.get(criterion, set()),
                        scale=METRIC_ENDS if judge in raters.metrics else ends.get(criterion, ()),
                    )
                )
    return replies


def _part(units: Mapping[str, Any], parts: Mapping[str, str], dimension: str | None) -> dict[str, Any]:
    return {unit: value for unit, value in units.items() if dimension in (None, parts[unit])}


def refuse_silent(found: Sequence[Replies], raters: Raters, named: Sequence[str]) -> None:
    """Raise ``RatingsError`` if a named judge was asked and has no score at all."""
    for name in named:
        mine = [replies for replies in found if replies.judge == name and replies.dimension is None]
        if mine and name in raters.machines and not any(replies.scored for replies in mine):
            sentence = "; ".join(f"{replies.criterion}: {replies.words}" for replies in mine)
            raise RatingsError(f"{name} has no scores to compare: {sentence}. Choose another judge.")


def in_words(each: Replies) -> str:
    """Return one line about the scored replies, with the mean and its bounds over all possible missing scores."""
    where = each.criterion if each.dimension is None else f"{each.criterion} in {each.dimension or 'no dimension'}"
    means = [
        f"{bound.what} {'unknown' if bound.value is None else format(bound.value, '.3f')}"
        + (
            ""
            if bound.sure
            else f" ({bound.lowest:.3f} to {bound.highest:.3f} if all missing scores were the lowest or the highest)"
        )
        for bound in each.bounds
    ]
    more = f"; {each.with_people:,} also rated by people" if 0 < each.with_people < each.asked else ""
    return f"{each.judge}, {where}: {'; '.join([each.words, *means])}{more}"
