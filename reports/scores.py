"""Sections 6 and 7: a judge's scores of models, after correction, and the judge's biases."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from agreement.corrected import CorrectedMean, clustered_mean, ppi_mean, rogan_gladen
from agreement.judge_bias import bias_by_group, family_bias, length_bias
from agreement.ratings import MISSING, Floats
from reports.content import Block, Cell, Dots, Figure, Mark, Paragraph, ReportTable, Section
from reports.people import MOST_VALUES
from reports.ruling_biases import biases_table
from reports.stability import position
from reports.study import Slice, Study
from reports.words import figure_in_words, first_parts, mark, nothing, number


@dataclass(frozen=True)
class UnitMeasure:
    """A number for each unit that people and a judge both give: a score, or whether a value was given."""

    name: str
    people: Floats
    judge: Callable[[str], Floats]
    yes_no: bool


def outcomes(part: Slice) -> list[UnitMeasure]:
    """Return the score itself for numeric values.

    Otherwise return the share of each value, by the majority of people.
    """
    if part.numeric:
        binary = {*part.table.categories} <= {0.0, 1.0}
        people = part.human_mean
        if binary:
            people = np.where(
                part.majority == MISSING, np.nan, np.array([*part.table.categories, np.nan])[part.majority]
            )
        return [UnitMeasure("mean", people, part.numbers, binary)]
    if len(part.categories) > MOST_VALUES:
        return []

    def indicator(code: int) -> Callable[[str], Floats]:
        def of(rater: str) -> Floats:
            return _is(part.column(rater), code)

        return of

    return [
        UnitMeasure(f"share of {label}", _is(part.majority, code), indicator(code), True)
        for code, label in enumerate(part.categories)
    ]


def _is(codes: Any, code: int) -> Floats:
    found: Floats = np.where(codes == MISSING, np.nan, (codes == code).astype(float))
    return found


def models_of(study: Study, part: Slice) -> dict[str, Any]:
    """Return a mask of each model's answers, by model.

    Shape: (units,). Without known models, all units have one name.
    """
    named = [study.about[unit].model if unit in study.about else None for unit in part.table.units]
    found: dict[str, Any] = {}
    for model in dict.fromkeys(each for each in named if each is not None):
        found[model] = np.array([each == model for each in named])
    return found or {"all units": np.ones(len(named), dtype=bool)}


# ---- 6 corrected scores ---------------------------------------------------------------------------------------------


def corrected(study: Study, *, by_class: bool = False) -> Section:
    """Return section 6."""
    title = "Scores, corrected by what people say"
    rows: list[tuple[Cell, ...]] = []
    charts: list[Block] = []
    beyond = 0
    for part in study.slices:
        for outcome in outcomes(part):
            if outcome.yes_no and not part.numeric and part.dimension is not None:
                continue
            lines: list[tuple[str, tuple[Mark, ...]]] = []
            for model, chosen in models_of(study, part).items():
                for judge in part.judges:
                    lost = _lost(study, part, judge, model)
                    found = dict(_scores(part, outcome, judge, chosen, lost, by_class=by_class))
                    beyond += found["judge alone"].n_units - found["people alone"].n_units
                    name = model if outcome.name == "mean" else f"{model}, {outcome.name}"
                    rows += [
                        (*part.where, name, judge, method, note, figure)
                        for method, figure, note in _scores_told(part, outcome, judge, chosen, lost, by_class=by_class)
                    ]
                    label = f"{name} · {judge}" if len(part.judges) > 1 else name
                    lines.append((label, tuple(mark(method, figure) for method, figure in found.items())))
            if part.dimension is None and part.numeric:
                charts.append(
                    Dots(
                        f"scores_{len(charts) + 1}",
                        f"{part.criterion}: scores before and after the correction",
                        "mean score",
                        tuple(lines[:40]),
                    )
                )
    if not rows:
        return nothing(6, "scores", title, "The ratings are names with too many values to average.")
    known = any(about.model for about in study.about.values())
    blocks: list[Block] = [*charts]
    if not known:
        blocks.append(
            Paragraph(
                "No unit says whose answer it is, so there is one score over all units. Name the models in a file "
                "given with "
                "--units (columns unit, item, model, length).",
                "note",
            )
        )
    blocks.append(
        ReportTable(
            "scores",
            "Scores by model",
            ("criterion", "dimension", "model", "judge", "how", "valid if", "score"),
            tuple(rows),
            unit="points of the scale, or shares",
            note="PPI++ takes the judge's mean over all units and moves it by what people say where they graded, "
            "weighing the "
            "judge by what it is worth. Its interval is narrower than that of the people alone only if the judge "
            "scored "
            "many units that no person did.",
        )
    )
    lead = (
        "The judge's own mean is not what people would say; these are. The interval of the corrected score holds "
        "whatever "
        "the judge's errors are, if the units that people graded are a random sample."
    )
    if beyond <= 0:
        lead += (
            " Here the judge scored hardly any unit that people did not, so it adds nothing to the people's own mean."
        )
    return Section(6, "scores", title, lead, tuple(blocks))


def _scores(
    part: Slice, outcome: UnitMeasure, judge: str, chosen: Any, lost: int, *, by_class: bool
) -> Iterator[tuple[str, Figure]]:
    for method, figure, _ in _scores_told(part, outcome, judge, chosen, lost, by_class=by_class):
        yield method, figure


def _scores_told(
    part: Slice, outcome: UnitMeasure, judge: str, chosen: Any, lost: int, *, by_class: bool
) -> Iterator[tuple[str, Figure, str]]:
    people, scored = outcome.people[chosen], outcome.judge(judge)[chosen]
    clusters = None if part.table.clusters is None else [part.table.clusters[at] for at in np.flatnonzero(chosen)]
    graded = ~np.isnan(people)
    yield "people alone", Figure.of(clustered_mean(people, clusters=clusters)), "the graded units are a random sample"
    yield (
        "judge alone",
        Figure.of(clustered_mean(scored, clusters=clusters)),
        f"the judge errs nowhere{_rest(part, outcome, scored, lost)}",
    )
    rest = scored[~graded]
    if not (~np.isnan(rest)).any():
        return
    of_graded = None if clusters is None else [clusters[at] for at in np.flatnonzero(graded)]
    of_rest = None if clusters is None else [clusters[at] for at in np.flatnonzero(~graded)]
    found = ppi_mean(people[graded], scored[graded], rest, clusters=of_graded, clusters_unlabelled=of_rest)
    yield "PPI++", Figure.of(found.mean), _valid(found)
    if outcome.yes_no:
        found = rogan_gladen(people[graded], scored[graded], scored)
        yield "Rogan-Gladen", Figure.of(found.mean), _valid(found)


def _lost(study: Study, part: Slice, judge: str, model: str) -> int:
    """Return how many of a judge's replies to a model's answers have no score, whether or not people rated them."""
    known = any(study.about[unit].model for unit in part.table.units if unit in study.about)
    return sum(
        not known or (unit in study.about and study.about[unit].model == model) for unit in part.failed.get(judge, {})
    )


def _rest(part: Slice, outcome: UnitMeasure, scored: Floats, lost: int) -> str:
    """Return the scored share behind a judge's mean, and the bounds of the mean over the values of lost replies."""
    ends = list(map(float, part.ends or part.table.categories)) if outcome.name == "mean" else [0.0, 1.0]
    if not lost or not ends:
        return ""
    known = scored[~np.isnan(scored)]
    n, total = len(known) + lost, float(known.sum())
    low, high = (number((total + lost * end) / n) for end in (min(ends), max(ends)))
    return f"; {len(known):,} of {n:,} scored, {low} to {high} if the rest had the lowest or the highest value"


def _valid(found: CorrectedMean) -> str:
    return found.valid_if


# ---- 7 bias ---------------------------------------------------------------------------------------------------------


def bias(study: Study) -> Section:
    """Return section 7."""
    title = "Does the judge favor anyone or anything?"
    blocks: list[Block] = []
    told: list[str] = []
    overall: list[tuple[Cell, ...]] = []
    by_model: list[tuple[Cell, ...]] = []
    slopes: list[tuple[Cell, ...]] = []
    own_family: list[tuple[Cell, ...]] = []
    lenient: list[tuple[str, tuple[Mark, ...]]] = []
    charts: list[Block] = []
    for part in study.slices:
        if not part.numeric:
            continue
        marks: list[Mark] = []
        lines: dict[str, list[Mark]] = {}
        for judge in part.judges:
            gap = part.numbers(judge) - part.human_mean
            found = Figure.of(clustered_mean(gap, clusters=part.table.clusters))
            overall.append((*part.where, judge, found))
            marks.append(mark(judge, found))
            if part.dimension is None:
                told.append(f"{judge} is {figure_in_words(found)} points from the people on {part.criterion}")
            models = models_of(study, part)
            if len(models) > 1:
                names = [about.model if (about := study.about.get(unit)) else None for unit in part.table.units]
                known = np.array([name is not None for name in names])
                clusters = part.table.clusters
                groups = bias_by_group(
                    part.human_mean[known],
                    part.numbers(judge)[known],
                    [name for name in names if name is not None],
                    clusters=None if clusters is None else [clusters[at] for at in np.flatnonzero(known)],
                )
                for group in groups:
                    own, rest = Figure.of(group.bias), Figure.of(group.against_rest)
                    by_model += [
                        (*part.where, judge, group.group, "judge minus people", own, None),
                        (*part.where, judge, group.group, "next to all other models", rest, group.p_adjusted),
                    ]
                    lines.setdefault(group.group, []).append(mark(judge, rest))
            slopes += _slopes(study, part, judge)
            own_family += _own_family(study, part, judge)
        lenient.append((part.name, tuple(marks)))
        if lines and part.dimension is None:
            charts.append(
                Dots(
                    f"bias_models_{len(charts) + 1}",
                    f"{part.criterion}: which models the judge favors, compared with people's scores",
                    "judge minus people, compared with the same for all other models",
                    tuple((model, tuple(each)) for model, each in lines.items()),
                    zero=True,
                    first=1,
                )
            )
    if overall:
        blocks.append(
            Dots("bias", "Leniency: judge minus people", "points of the scale", tuple(lenient), True, first=1)
        )
        blocks.append(
            ReportTable(
                "bias",
                "Leniency",
                ("criterion", "dimension", "judge", "judge minus people"),
                tuple(overall),
                unit="points of the scale; people: their mean; above 0 the judge is lenient",
            )
        )
        blocks += charts
        blocks += biases_table(study)
        if by_model:
            blocks.append(
                ReportTable(
                    "bias_models",
                    "By model",
                    ("criterion", "dimension", "judge", "model", "what", "points", "p"),
                    tuple(by_model),
                    note="Against all other models: how much more the judge is above people for this model than for "
                    "the others. "
                    "That moves it in a ranking; its intervals hold for all models at once, and p is Holm's.",
                )
            )
        else:
            blocks.append(
                Paragraph(
                    "By model: no unit says whose answer it is; name the models in a file given with --units.",
                    "missing",
                )
            )
        if own_family:
            blocks.append(
                ReportTable(
                    "bias_family",
                    "Its own family",
                    ("criterion", "dimension", "judge", "what", "own family against all others"),
                    tuple(own_family),
                    unit="points of the scale; above 0 the judge prefers its own",
                    note="Where the family's answers are better, part of the first number is quality. People's score "
                    "is noisy, so holding it fixed does not take all of that out; another judge's number on the same "
                    "units shows how much is left.",
                )
            )
        else:
            words = "By family: no one said which models are a judge's own; name them with --family."
            blocks.append(Paragraph(words, "missing"))
        if slopes:
            blocks.append(
                ReportTable(
                    "bias_slopes",
                    "By length",
                    ("criterion", "dimension", "judge", "what", "change of judge minus people"),
                    tuple(slopes),
                    unit="points of the scale for every doubling of the length (least squares)",
                    note="Above 0 the judge pays for words. Where people themselves are noisy, holding their score "
                    "fixed does "
                    "not take all of the quality out, and a part of the slope may be that.",
                )
            )
        else:
            blocks.append(
                Paragraph(
                    "By length: no unit says how long it is; name lengths in a file given with --units.", "missing"
                )
            )
    else:
        blocks.append(
            Paragraph(
                "Leniency and length: the values are names, so there is nothing to be higher or lower.", "missing"
            )
        )
        blocks += biases_table(study)
    blocks += position(study)
    lead = (
        f"A judge may be lenient to all, which does no harm to a ranking, or to some, which does: {first_parts(told)}."
        if told
        else "Values here are names; what can be seen is whether the order of the answers matters."
    )
    return Section(7, "bias", title, lead, tuple(blocks))


def _own_family(study: Study, part: Slice, judge: str) -> Iterator[tuple[Cell, ...]]:
    family = study.families.get(judge)
    if family is None:
        return
    models = [about.model if (about := study.about.get(unit)) is not None else None for unit in part.table.units]
    same = np.array([np.nan if model is None else float(model in family) for model in models])
    found = family_bias(part.human_mean, part.numbers(judge), same, clusters=part.table.clusters)
    yield *part.where, judge, "as it is", Figure.of(found.raw)
    yield *part.where, judge, "people's score held fixed", Figure.of(found.adjusted)


def _slopes(study: Study, part: Slice, judge: str) -> Iterator[tuple[Cell, ...]]:
    lengths = np.array(
        [
            about.length if (about := study.about.get(unit)) is not None and about.length is not None else np.nan
            for unit in part.table.units
        ],
        dtype=float,
    )
    if np.isnan(lengths).all():
        return
    found = length_bias(
        part.human_mean, part.numbers(judge), np.where(lengths > 0, lengths, np.nan), clusters=part.table.clusters
    )
    yield *part.where, judge, "as it is", Figure.of(found.raw)
    yield *part.where, judge, "people's score held fixed", Figure.of(found.adjusted)
