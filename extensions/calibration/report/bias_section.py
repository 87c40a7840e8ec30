"""Section 7: whether a judge favors anyone or anything."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from agreement.corrected import clustered_mean
from domain.english import with_noun
from extensions.calibration.report.ruling_biases import biases_table
from extensions.calibration.report.scores import models_of
from extensions.calibration.report.stability import position
from extensions.calibration.report.study import Slice, Study
from extensions.calibration.statistics.judge_bias import bias_by_group, family_bias, length_bias
from reports.charts import Dots
from reports.content import Block, Cell, Figure, Mark, Paragraph, ReportTable, Section
from reports.words import figure_in_words, first_parts, mark


@dataclass
class _Biases:
    """The tables of section 7 about judges on criteria with numbers."""

    told: list[str] = field(default_factory=list)
    overall: list[tuple[Cell, ...]] = field(default_factory=list)
    by_model: list[tuple[Cell, ...]] = field(default_factory=list)
    slopes: list[tuple[Cell, ...]] = field(default_factory=list)
    own_family: list[tuple[Cell, ...]] = field(default_factory=list)
    lenient: list[tuple[str, tuple[Mark, ...]]] = field(default_factory=list)
    charts: list[Block] = field(default_factory=list)

    def add(self, study: Study, part: Slice) -> None:
        """Add the judges of a slice."""
        marks: list[Mark] = []
        lines: dict[str, list[Mark]] = {}
        for judge in part.judges:
            gap = part.numbers(judge) - part.human_mean
            figure = Figure.of(clustered_mean(gap, clusters=part.table.clusters))
            self.overall.append((*part.where, judge, figure))
            marks.append(mark(judge, figure))
            if part.dimension is None:
                units = with_noun(figure.n_units, "unit")
                self.told.append(f"{judge} {figure_in_words(figure)} points on {part.criterion} ({units})")
            for model, moved in self._by_model(study, part, judge):
                lines.setdefault(model, []).append(moved)
            self.slopes += _slopes(study, part, judge)
            self.own_family += _own_family(study, part, judge)
        self.lenient.append((part.name, tuple(marks)))
        if lines and part.dimension is None:
            self.charts.append(
                Dots(
                    f"bias_models_{len(self.charts) + 1}",
                    f"{part.criterion}: models that the judge favors",
                    "difference between judge and people for this model, minus the difference for all other models",
                    tuple((model, tuple(points)) for model, points in lines.items()),
                    zero=True,
                    first=1,
                )
            )

    def _by_model(self, study: Study, part: Slice, judge: str) -> Iterator[tuple[str, Mark]]:
        """Add a judge's bias for each model. Yield each model, and how the judge moves it in a ranking."""
        if len(models_of(study, part)) < 2:
            return
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
            self.by_model += [
                (*part.where, judge, group.group, "judge minus people", own, None),
                (*part.where, judge, group.group, "difference from all other models", rest, group.p_adjusted),
            ]
            yield group.group, mark(judge, rest)


def bias(study: Study) -> Section:
    """Return section 7."""
    biases = _Biases()
    for part in study.slices:
        if part.numeric:
            biases.add(study, part)
    blocks: list[Block] = []
    if biases.overall:
        blocks.append(
            Dots("bias", "Leniency: judge minus people", "points of the scale", tuple(biases.lenient), True, first=1)
        )
        blocks.append(
            ReportTable(
                "bias",
                "Leniency",
                ("criterion", "dimension", "judge", "judge minus people"),
                tuple(biases.overall),
                unit="points of the scale, judge minus people's mean; above 0, the judge is more lenient than people",
            )
        )
        blocks += biases.charts
        blocks += biases_table(study)
        blocks += [_by_model_table(biases), _family_table(biases), _length_table(biases)]
    else:
        blocks.append(
            Paragraph("Touchstone cannot test leniency and length, because the values have no order.", "missing")
        )
        blocks += biases_table(study)
    blocks += position(study)
    lead = (
        f"Judge minus people: {first_parts(biases.told)}."
        if biases.told
        else "The values have no order, so Touchstone cannot measure leniency."
    )
    return Section(7, "bias", "Is the judge biased?", lead, tuple(blocks))


def _by_model_table(found: _Biases) -> Block:
    if not found.by_model:
        words = "By model: the models of the answers are unknown. Name the models in a file with --units."
        return Paragraph(words, "missing")
    return ReportTable(
        "bias_models",
        "By model",
        ("criterion", "dimension", "judge", "model", "what", "points", "p"),
        tuple(found.by_model),
        note="A difference from all other models moves the model in a ranking. The intervals are valid for all "
        "models together, and Holm's method adjusts p.",
    )


def _family_table(found: _Biases) -> Block:
    if not found.own_family:
        words = "By family: you did not name the models of the judge's family. Name these models with --family."
        return Paragraph(words, "missing")
    return ReportTable(
        "bias_family",
        "Its own family",
        ("criterion", "dimension", "judge", "what", "own family against all others"),
        tuple(found.own_family),
        unit="points of the scale; above 0, the judge favors its own family",
        note="If the family's answers are better, the first number includes this quality difference. The second "
        "number is corrected for most of this quality difference, but not all, because people's scores are noisy. As a "
        "check, compare another judge on the same units.",
    )


def _length_table(found: _Biases) -> Block:
    if not found.slopes:
        words = "By length: the lengths of the answers are unknown. Add the lengths in a file with --units."
        return Paragraph(words, "missing")
    return ReportTable(
        "bias_slopes",
        "By length",
        ("criterion", "dimension", "judge", "what", "change of judge minus people"),
        tuple(found.slopes),
        unit="points of the scale for each doubling of the length (least squares)",
        note="Above 0, the judge favors long answers. Quality may explain some of the slope. People's scores are "
        "noisy, so holding these scores fixed does not remove the effect of quality completely.",
    )


def _own_family(study: Study, part: Slice, judge: str) -> Iterator[tuple[Cell, ...]]:
    family = study.families.get(judge)
    if family is None:
        return
    models = [about.model if (about := study.about.get(unit)) is not None else None for unit in part.table.units]
    same = np.array([np.nan if model is None else float(model in family) for model in models])
    leaning = family_bias(part.human_mean, part.numbers(judge), same, clusters=part.table.clusters)
    yield *part.where, judge, "as it is", Figure.of(leaning.raw)
    yield *part.where, judge, "people's score held fixed", Figure.of(leaning.adjusted)


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
    slope = length_bias(
        part.human_mean, part.numbers(judge), np.where(lengths > 0, lengths, np.nan), clusters=part.table.clusters
    )
    yield *part.where, judge, "as it is", Figure.of(slope.raw)
    yield *part.where, judge, "people's score held fixed", Figure.of(slope.adjusted)
