"""Groups of models by their attributes, such as size, base model or tuning.

A group's number is the mean of its models' numbers, so each model has the same weight. The interval is over items,
which the models of a group share. It tells how these models would do on other items, not how other models would do.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from agreement.corrected import clustered_mean
from agreement.means import mean_of_parts
from agreement.statistic import Statistic, estimated, no_interval, undefined
from domain.attributes import Attribute, size_of
from domain.errors import InvalidInputError, Problem
from workflow.results import attributes, people_rows
from workflow.results.answer_ways import AnswerMethod
from workflow.results.clusters import ALONE, cluster_of
from workflow.results.leaderboard import SlicedScores
from workflow.results.leaderboard_lines import LeaderboardLine, clipped, values_of
from workflow.results.project_answers import ProjectAnswers
from workflow.results.scores import ScoredAnswers, score_answers

BETWEEN = " · "
"""Between the values of a group that is one of several attributes."""


SEVERAL = AnswerMethod("several ways")
"""The answers of these models were made in different ways."""


@dataclass(frozen=True)
class GroupAttributes:
    """The attributes that group models."""

    names: tuple[str, ...]
    """Attributes: the last one inside the ones before it."""
    limits: tuple[tuple[float, str], ...] = ()
    """The limits that cut the last attribute's numbers, in order, each with its original text."""

    @property
    def title(self) -> str:
        """Return the title of the grouping."""
        return " and ".join(name.replace("_", " ") for name in self.names)


def parse_grouping(found: ProjectAnswers, text: str) -> GroupAttributes:
    """Return the grouping that ``size``, ``family/size`` or ``parameters:10B`` describes.

    Raises
    ------
    InvalidInputError
        No model has such an attribute, or a limit is not a number.
    """
    path, _, cuts = text.partition(":")
    known = attributes.names(found.attributes.values())
    names = tuple(name.strip() for name in path.split("/"))
    strange = next((name for name in names if name not in known), None)
    if strange is not None:
        none = "This project has no attributes. Import attributes in the format `models`"
        there = f"Choose one of {', '.join(known)}" if known else none
        raise InvalidInputError([Problem("group_models_by", f"No model has an attribute {strange!r}. {there}.")])
    limits = []
    for cut in filter(None, (part.strip() for part in cuts.split(","))):
        limit = size_of(cut)
        if limit is None:
            raise InvalidInputError(
                [Problem("group_models_by", f"{cut!r} is not a valid number. Use a number such as 10 or 10B.")]
            )
        limits.append((limit, cut))
    return GroupAttributes(names, tuple(sorted(limits)))


@dataclass(frozen=True, eq=False)
class Group:
    """Models that have the same value."""

    values: tuple[str, ...]
    whole: LeaderboardLine
    of_parts: LeaderboardLine | None
    """The mean over the slices' means, where the leaderboard has it."""
    cells: tuple[LeaderboardLine, ...]
    """In each slice."""

    @property
    def label(self) -> str:
        """Return the values of the group as a label."""
        return BETWEEN.join(self.values)


@dataclass(frozen=True)
class GroupGap:
    """The difference between a group and the first one of its kind, over the items that all models of both have a score
    on.
    """

    group: str
    first: str
    difference: Statistic
    left_out: int
    """Items on which only some of them have one."""


@dataclass(frozen=True, eq=False)
class Grouping:
    """Groups of models next to each other."""

    by: GroupAttributes
    groups: Sequence[Group]
    gaps: Sequence[GroupGap]
    notes: Sequence[str]
    """Notes on models outside all groups, one sentence each."""

    def lines(self) -> list[LeaderboardLine]:
        """Return all lines, group by group."""
        return [
            line
            for group in self.groups
            for line in (group.whole, *([group.of_parts] if group.of_parts else []), *group.cells)
        ]


def grouped(found: ProjectAnswers, cut: SlicedScores, by: GroupAttributes) -> Grouping:
    """Return the models of a leaderboard in groups."""
    people = found.respondents
    found, of = people_rows.with_people(found, score_answers(found, cut.scores))
    models = [model for model in cut.models if model not in people and model not in found.pooled]
    placed: dict[tuple[str, ...], list[str]] = {}
    without, silent = [], []
    for model in models:
        values = _values(found.attributes.get(model, {}), by)
        if values is None:
            without.append(model)
        elif not cut.whole[model].found.defined:
            silent.append(model)
        else:
            placed.setdefault(values, []).append(model)
    own = {model: values_of(found, of, model, common=cut.common) for lot in placed.values() for model in lot}
    order = sorted(placed, key=lambda values: [_place(value, by, at) for at, value in enumerate(values)])
    groups = [_group(found, of, cut, by, values, tuple(placed[values]), own) for values in order]
    notes = []
    if without:
        notes.append(f"Models without a group because their {by.title} is unknown: {', '.join(sorted(without))}.")
    if silent:
        notes.append(f"Models without a group because they have no score: {', '.join(sorted(silent))}.")
    return Grouping(by, groups, _gaps(found, cut, groups, own), notes)


def _values(said: Mapping[str, Attribute], by: GroupAttributes) -> tuple[str, ...] | None:
    """Return a model's values of the grouping attributes; None if a value is missing."""
    if any(name not in said for name in by.names):
        return None
    values = [_shown(said[name]) for name in by.names]
    if by.limits:
        size = size_of(said[by.names[-1]])
        if size is None:
            return None
        values[-1] = _ranges(by)[sum(size >= limit for limit, _ in by.limits)]
    return tuple(values)


def _ranges(by: GroupAttributes) -> list[str]:
    cuts = [text for _, text in by.limits]
    inner = [f"{low} to below {high}" for low, high in pairwise(cuts)]
    return [f"below {cuts[0]}", *inner, f"{cuts[-1]} and more"]


def _shown(value: Attribute) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


def _place(value: str, by: GroupAttributes, at: int) -> tuple[float, str]:
    """Return a sort key: numbers in ascending order, then texts in alphabetical order."""
    if by.limits and at == len(by.names) - 1:
        return float(_ranges(by).index(value)), value
    size = size_of(value)
    return (math.inf if size is None else size), value


def _group(
    found: ProjectAnswers,
    of: ScoredAnswers,
    cut: SlicedScores,
    by: GroupAttributes,
    values: tuple[str, ...],
    models: tuple[str, ...],
    own: Mapping[str, Mapping[int, float]],
) -> Group:
    def line(lines: Sequence[LeaderboardLine], inside: set[int] | None, *, parts: bool = False) -> LeaderboardLine:
        """Return the mean of the models' lines, over the items of a slice; None for all items."""
        lacking = [line.model for line in lines if not line.found.defined]
        n_left = sum(line.found.n_left_out for line in lines)
        if lacking:
            n = sum(line.found.n_units for line in lines)
            reason = f"No mean, because these models have no number: {', '.join(lacking)}."
            mean = undefined(reason, n_units=n, n_raters=1, n_left_out=n_left)
        elif len(lines) == 1:
            mean = lines[0].found
        elif cut.scores.kind == "corrected":
            mean = _without_interval([line.found for line in lines], n_left)
        else:
            slicing = cut.slicing.of_item
            lots = [
                (value, (line.model, slicing[item] if parts else 0), cluster_of(found, cut.together, item))
                for line in lines
                for item, value in own[line.model].items()
                if (inside is None or item in inside) and (not parts or item in slicing)
            ]
            scores, places, together = zip(*lots, strict=True)
            mean = replace(mean_of_parts(scores, places, clusters=together), n_left_out=n_left)
        return replace(
            lines[0],
            model=BETWEEN.join(values),
            found=clipped(mean, of.low, of.high),
            asked=sum(line.asked for line in lines),
            answered=sum(line.answered for line in lines),
            left_out=_summed(line.left_out for line in lines),
            missing=_summed(line.missing for line in lines),
            unread=_summed(line.unread for line in lines),
            people=sum(line.people for line in lines),
            failed=sum(line.failed for line in lines),
            lowest=None,
            highest=None,
            grouped_by="/".join(by.names),
            models=models,
            way=lines[0].way if len({line.way for line in lines}) == 1 else SEVERAL,
        )

    slices = [
        {item for item, at in cut.slicing.of_item.items() if at == place} for place in range(len(cut.slicing.labels))
    ]
    return Group(
        values,
        line([cut.whole[model] for model in models], None),
        line([cut.of_parts[model] for model in models], None, parts=True) if cut.of_parts else None,
        tuple(line([cut.cells[model, at] for model in models], items) for at, items in enumerate(slices)),
    )


def _summed(counts: Iterable[Mapping[str, int]]) -> dict[str, int]:
    return dict(sum(map(Counter, counts), Counter()))


def _without_interval(own: Sequence[Statistic], n_left_out: int) -> Statistic:
    """Return the mean of corrected numbers without an interval, because their dependence is unknown."""
    return estimated(
        math.fsum(mean.value for mean in own) / len(own),
        no_interval("corrected numbers of several models use the same items."),
        n_units=sum(mean.n_units for mean in own),
        n_raters=2,
        n_left_out=n_left_out,
    )


def _gaps(
    found: ProjectAnswers, cut: SlicedScores, groups: Sequence[Group], own: Mapping[str, Mapping[int, float]]
) -> list[GroupGap]:
    """Return the difference between each group and the first one with the same outer values, item by item."""
    if cut.scores.kind == "corrected":
        return []
    gaps = []
    first: dict[tuple[str, ...], Group] = {}
    for group in groups:
        base = first.setdefault(group.values[:-1], group)
        if base is group:
            continue
        lots = [[own[model] for model in side.whole.models] for side in (base, group)]
        every = [set(of_model) for lot in lots for of_model in lot]
        both = sorted(set.intersection(*every))
        low, high = ([math.fsum(of_model[item] for of_model in lot) / len(lot) for item in both] for lot in lots)
        together = None if cut.together == ALONE else [cluster_of(found, cut.together, item) for item in both]
        difference = clustered_mean([b - a for a, b in zip(low, high, strict=True)], clusters=together)
        gaps.append(GroupGap(group.label, base.label, difference, len(set.union(*every)) - len(both)))
    return gaps
