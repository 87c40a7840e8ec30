"""The conclusions of a report by judge: whether to use the judge, for which dimensions, and what would improve it.

Everything is read from the tables of the report, and nothing is computed a second time.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape

from domain.english import with_noun
from extensions.calibration.report.planning import WANTED
from extensions.calibration.report.rulings import Ruling, Rulings, details
from extensions.calibration.report.whole import CalibrationReport
from reports.content import Cell, Figure, Paragraph, ReportTable
from reports.words import figure_in_words, first_parts, number

ALL = "all"
"""The dimension of a row about all dimensions."""
AIM = f"{WANTED[1]:g}"
"""The half width of the interval that the number of further grades aims at."""


@dataclass(frozen=True)
class JudgeStanding:
    """The conclusions about one judge on one criterion."""

    ruling: Ruling
    """The verdict on all dimensions, with its sentences."""
    agreement: str
    """The judge's agreement with a person, next to the agreement among people. Empty if unknown."""
    dimensions: tuple[tuple[str, tuple[str, ...]], ...]
    """The words of each verdict, and the dimensions that have it."""
    better: tuple[str, ...]
    """Sentences about what would improve the judge."""


def standings(report: CalibrationReport) -> Sequence[JudgeStanding]:
    """Return the conclusions about every judge on every criterion, in the order of the verdicts."""
    tables = {table.key: table for table in report.tables()}
    return [
        JudgeStanding(
            ruling,
            _agreement(_rows(tables, "ceiling", ruling)),
            _dimensions(_parts(tables, ruling)),
            tuple(_better(report, tables, ruling)),
        )
        for block in report.section("verdict").blocks
        if isinstance(block, Rulings)
        for ruling in block.rulings
    ]


def first_screen(report: CalibrationReport) -> str:
    """Return the warnings about unreadable replies, the conclusions, and the rule behind them, as HTML."""
    blocks = report.section("verdict").blocks
    boxes = [block for block in blocks if isinstance(block, Rulings)]
    losses = "".join(
        f'<p class="warning" role="alert" data-part="loss-warning">{escape(block.words)}</p>'
        for block in blocks
        if isinstance(block, Paragraph) and block.tone == "warning"
    )
    cards = "".join(_card(standing) for standing in standings(report))
    rules = "".join(details(box, opened=False) for box in boxes)
    return f'{losses}<div class="rulings">{cards}</div>{rules}'


def _card(each: JudgeStanding) -> str:
    ruling = each.ruling
    about = " · ".join(filter(None, (ruling.about, ruling.counted)))
    parts = [f"<b>{escape(ruling.words)}</b>{escape(about)}"]
    first, *rest = ruling.why
    parts.append(_list([first, *([each.agreement] if each.agreement else []), *rest]))
    if each.dimensions:
        parts.append('<p class="note">Verdicts by dimension</p>')
        parts.append(_list([f"{words}: {', '.join(names)}." for words, names in each.dimensions]))
    if each.better:
        parts.append(f'<p class="note">What would help</p>{_list(each.better)}')
    return f'<div class="ruling {ruling.verdict}" data-part="standing">{"".join(parts)}</div>'


def _list(lines: Sequence[str]) -> str:
    return f"<ul>{''.join(f'<li>{escape(line)}</li>' for line in lines)}</ul>"


def _rows(tables: Mapping[str, ReportTable], key: str, about: Ruling) -> list[Mapping[str, Cell]]:
    """Return the rows of a table about this judge and criterion, as mappings by column."""
    table = tables.get(key)
    named = [dict(zip(table.columns, row, strict=True)) for row in table.rows] if table else []
    return [row for row in named if (row["judge"], row["criterion"]) == (about.judge, about.criterion)]


def _parts(tables: Mapping[str, ReportTable], about: Ruling) -> list[Mapping[str, Cell]]:
    """Return the verdicts on single dimensions."""
    return [row for row in _rows(tables, "verdicts", about) if row["dimension"] != ALL]


def _agreement(rows: Sequence[Mapping[str, Cell]]) -> str:
    whole = {str(row["who"]): row for row in rows if row["dimension"] == ALL}
    clauses = [
        f"{who} {figure_in_words(figure, 3)}"
        for who in ("judge with a person", "person with a person")
        if who in whole and isinstance(figure := whole[who]["value"], Figure) and figure.defined
    ]
    return f"{next(iter(whole.values()))['measure']}: {', '.join(clauses)}." if clauses else ""


def _dimensions(rows: Sequence[Mapping[str, Cell]]) -> tuple[tuple[str, tuple[str, ...]], ...]:
    by_verdict: dict[str, list[str]] = {}
    for row in rows:
        by_verdict.setdefault(str(row["verdict"]), []).append(str(row["dimension"]))
    return tuple((words, tuple(names)) for words, names in by_verdict.items())


def _better(report: CalibrationReport, tables: Mapping[str, ReportTable], about: Ruling) -> list[str]:
    improvements = []
    missing = int(report.settings["rule"]["least_people"]) - len(report.humans)
    if missing > 0:
        improvements.append(
            f"People: the rule needs {missing} more {'person who grades' if missing == 1 else 'people who grade'} the"
            " same units."
        )
    plan = {str(row["dimension"]): row for row in _rows(tables, "plan", about)}
    improvements += _grades(plan, [str(row["dimension"]) for row in _parts(tables, about) if _is_open(row)])
    if about.verdict == "correct":
        improvements.append(f"Correction: {_correction(_rows(tables, 'grades', about))}")
    improvements += _versions(tables, about)
    return improvements


def _is_open(row: Mapping[str, Cell]) -> bool:
    return row["verdict"] == "Not enough data"


def _grades(plan: Mapping[str, Mapping[str, Cell]], undecided: Sequence[str]) -> list[str]:
    """Return how many more units people must grade, in total and for undecided dimensions."""
    sentences = []
    if ALL in plan:
        row = plan[ALL]
        now = f"the agreement has an interval of \N{PLUS-MINUS SIGN}{number(_real(row['half width now']))}"
        more = _more(row)
        then = f"; ±{AIM} needs about {with_noun(more, 'more unit')} graded by the same people" if more else ""
        sentences.append(f"Grades: {now} on {with_noun(_whole(row['units now']), 'unit')}{then}.")
    short = [f"{name} {_more(plan[name]):,}" for name in undecided if name in plan and _more(plan[name])]
    if short:
        sentences.append(f"More units needed in undecided dimensions for ±{AIM}: {first_parts(short)}.")
    return sentences


def _more(row: Mapping[str, Cell]) -> int:
    return max(0, _whole(row[f"units for \N{PLUS-MINUS SIGN}{AIM}"]) - _whole(row["units now"]))


def _correction(rows: Sequence[Mapping[str, Cell]]) -> str:
    """Return how many more grades a corrected score needs, if it was computed."""
    wanted = [row for row in rows if row["half width"] == WANTED[1] and row["more units"] is not None]
    if not wanted:
        return "every scored unit has people's grades, so no correction is needed."
    clauses = [f"{row['score']} {_whole(row['more units']):,}" for row in wanted]
    return f"graded units still needed for a corrected score of \N{PLUS-MINUS SIGN}{AIM}: {first_parts(clauses)}."


def _versions(tables: Mapping[str, ReportTable], about: Ruling) -> list[str]:
    """Return the results of the judge's earlier versions, with another prompt or model, on the same units."""
    table = tables.get("drift")
    named = [dict(zip(table.columns, row, strict=True)) for row in table.rows] if table else []
    clauses = [
        f"{row['versions']}, change in agreement {figure_in_words(change)}, {row['verdict']}"
        for row in named
        if (row["criterion"], row["dimension"], row["what"]) == (about.criterion, ALL, "change")
        and str(row["versions"]).startswith(f"{about.judge} after ")
        and isinstance(change := row["value"], Figure)
    ]
    return [f"Another prompt: {first_parts(clauses) or 'no other version of the judge was compared on these units'}."]


def _whole(cell: Cell) -> int:
    return cell if isinstance(cell, int) else 0


def _real(cell: Cell) -> float:
    return cell if isinstance(cell, float) else 0.0
