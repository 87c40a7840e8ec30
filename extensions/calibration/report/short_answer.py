"""The answer that the page *Calibration* opens with: a verdict on each judge, three sentences, and one chart.

Everything is read from the tables of the report, and nothing is computed a second time.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from extensions.calibration.report.rulings import Ruling, Rulings, Verdict
from extensions.calibration.report.whole import CalibrationReport
from extensions.calibration.statistics.verdict import ASSOCIATION, OPEN, PEOPLE_AGREE
from reports.content import Cell, Figure, UnitSelection
from reports.words import figure_in_words, number, p_value

VERDICTS: Mapping[Verdict, str] = {
    "replace": "{} can replace a person.",
    "limited": "{} can replace a person, but not to rank models.",
    "correct": "{} can help estimate people's scores, but cannot replace people.",
    "no": "{} is not usable.",
    "people": "People agree too little to test {}.",
    "open": "It is too early to say whether {} can replace a person.",
}
"""The verdict on a judge in a sentence."""
LEVEL = 0.05
"""A bias with a larger p value may be due to chance."""


@dataclass(frozen=True)
class MeasuredRater:
    """A row of the chart: a rater's agreement with single people."""

    name: str
    """The judge; empty for people with each other."""
    figure: Figure
    behind: UnitSelection
    """The units on which these raters differ."""


@dataclass(frozen=True)
class JudgeAnswer:
    """The verdict on one judge on one criterion, in short."""

    judge: str
    """The judge with its near-copies."""
    criterion: str
    verdict: str
    """The verdict in a sentence."""
    sentences: tuple[str, ...]
    """The reason for the verdict if something keeps it from being better, the agreement, and the worst bias."""
    counted: str
    """The number of questions and answers."""


@dataclass(frozen=True)
class CriterionChart:
    """The chart of one criterion: judges next to people among themselves."""

    criterion: str
    measure: str
    rows: tuple[MeasuredRater, ...]
    """The first row is about people."""


def judge_answers(report: CalibrationReport) -> list[JudgeAnswer]:
    """Return the answers about all judges, in the order of the verdicts."""
    return [
        JudgeAnswer(
            " = ".join((ruling.judge, *ruling.copies)),
            ruling.criterion,
            VERDICTS[ruling.verdict].format(" = ".join((ruling.judge, *ruling.copies))),
            tuple(_sentences(report, ruling)),
            ruling.counted,
        )
        for block in report.section("verdict").blocks
        if isinstance(block, Rulings)
        for ruling in block.rulings
    ]


def charts(report: CalibrationReport) -> list[CriterionChart]:
    """Return a chart for each criterion with at least two people."""
    rows: dict[str, list[Mapping[str, Cell]]] = {}
    for row in _rows(report, "ceiling"):
        rows.setdefault(str(row["criterion"]), []).append(row)
    return [_chart(report, criterion, of_criterion) for criterion, of_criterion in rows.items()]


def _chart(report: CalibrationReport, criterion: str, rows: Sequence[Mapping[str, Cell]]) -> CriterionChart:
    measured = [
        MeasuredRater(str(row["judge"]), figure, UnitSelection(None, (*report.humans, str(row["judge"])), criterion))
        for row in rows
        if row["who"] == "judge with a person" and isinstance(figure := row["value"], Figure)
    ]
    people = (
        MeasuredRater("", figure, UnitSelection(None, tuple(report.humans), criterion))
        for row in rows
        if row["who"] == "person with a person" and isinstance(figure := row["value"], Figure)
    )
    return CriterionChart(criterion, str(rows[0]["measure"]), (*list(people)[:1], *measured))


def _sentences(report: CalibrationReport, ruling: Ruling) -> Iterator[str]:
    if ruling.unread:
        yield ruling.unread
    elif ruling.verdict in ("open", "people", "no"):
        yield decisive_reason(ruling.why)
    elif ruling.verdict == "correct" and not ruling.bias:
        yield from [why for why in ruling.why if why.startswith(OPEN)][:1]
    if agreement := _agreement(report, ruling):
        yield agreement
    if always := _always(report, ruling):
        yield always
    if bias := ruling.bias or _worst_bias(report, ruling):
        yield bias


def decisive_reason(reasons: Sequence[str]) -> str:
    """Return the reason that decided: the first one, or the judge's association if people agree well enough."""
    association = [reason for reason in reasons if reason.startswith(ASSOCIATION)]
    return association[0] if association and reasons[0].startswith(PEOPLE_AGREE) else reasons[0]


def _rows(report: CalibrationReport, key: str, about: Ruling | None = None) -> Iterator[Mapping[str, Cell]]:
    """Yield the rows of a table about all dimensions together, and about one judge and criterion if given."""
    for table in report.tables():
        if table.key == key:
            for cells in table.rows:
                row = dict(zip(table.columns, cells, strict=True))
                mine = about is None or (row["judge"], row["criterion"]) == (about.judge, about.criterion)
                if mine and row.get("dimension", "all") == "all":
                    yield row


def _agreement(report: CalibrationReport, about: Ruling) -> str:
    found = {str(row["who"]): row for row in _rows(report, "ceiling", about)}
    mine, people = (found.get(who) for who in ("judge with a person", "person with a person"))
    if mine is None or people is None:
        return ""
    one, other = mine["value"], people["value"]
    if not isinstance(one, Figure) or not isinstance(other, Figure) or not one.defined or not other.defined:
        return ""
    own, among = figure_in_words(one), figure_in_words(other)
    return (
        f"The judge's agreement with a person is {own}. The agreement between two people is {among} ("
        f"{mine['measure']})."
    )


def _always(report: CalibrationReport, about: Ruling) -> str:
    for row in _rows(report, "constant", about):
        mine, always = row["judge gives the same value as a person"], row["always that value"]
        if isinstance(mine, Figure) and isinstance(always, Figure) and mine.defined and always.defined:
            value = row["most frequent value"]
            matches = figure_in_words(Figure(mine.value, None, None, "", 0, share=True))
            share = figure_in_words(Figure(always.value, None, None, "", 0, share=True))
            return (
                f"The judge gives the same rating as a person {matches} of the time. A judge that always answers “"
                f"{value}” would reach {share}."
            )
    return ""


def _worst_bias(report: CalibrationReport, about: Ruling) -> str:
    """Return the largest tested bias in a sentence, and whether it may be chance."""
    tested = [
        (abs(figure.value), figure, row)
        for row in _rows(report, "bias_verdict", about)
        if isinstance(figure := row["points"], Figure) and figure.value is not None
    ]
    if not tested:
        return "The report could not test any bias."
    _, figure, row = max(tested, key=lambda each: each[0])
    assert figure.value is not None
    p, toward = row["p corrected"], str(row["toward"])
    subject = {
        "family": "for its own family",
        "length": "for long answers",
        "position": "when the answers swap places",
        "model": f"for {toward}",
        "leniency": f"for {toward}" if toward else "compared with people",
    }.get(str(row["bias"]), str(row["bias"]))
    size = f"{'+' if figure.value > 0 else ''}{number(figure.value, 1)}"
    limits = ""
    if figure.low is not None and figure.high is not None:
        limits = f" [{number(figure.low, 1)}, {number(figure.high, 1)}]"
    chance = f"; the bias may be due to chance (p = {p_value(p)})" if isinstance(p, float) and p >= LEVEL else ""
    return f"The judge's largest bias is {size} of 100 points {subject}{limits}{chance}."
