"""Render the tables of a paper: as HTML, and as files with their charts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from html import escape

from extensions.paper_tables import table_charts, table_files
from extensions.paper_tables.cell_number import AnswersBehind, Number
from extensions.paper_tables.paper_tables import NOTHING, PaperCell, PaperTable, PaperTables
from extensions.paper_tables.table_charts import LEAST_AROUND, TableChart, Value
from extensions.paper_tables.table_layouts import Kind
from reports import rendering


def charts(table: PaperTable) -> list[TableChart]:
    """Return the charts that the layout names for a table.

    A radar chart needs at least three columns, and leaves out columns that are means over the others.
    """
    drawn = [_chart(table, kind) for kind in table.chart if not table.why]
    return [chart for chart in drawn if chart.kind != "radar" or len(chart.columns) >= LEAST_AROUND]


def _chart(table: PaperTable, kind: Kind) -> TableChart:
    kept = [at for at in range(len(table.columns)) if any(row.cells[at].number.value is not None for row in table.rows)]
    several = [at for at in kept if table.columns[at].of_several]
    kept = several if kind == "radar" and several else kept
    many = 100 if table.percent else 1
    return TableChart(
        f"{table.name}-{kind}",
        kind,
        table.title,
        table_charts.titles([(row.head.group, row.head.title) for row in table.rows]),
        table_charts.titles([(table.columns[at].group, table.columns[at].title) for at in kept]),
        tuple(tuple(_value(row.cells[at], many) for at in kept) for row in table.rows),
        (0.0, 100.0) if table.percent else None,
    )


def _value(cell: PaperCell, many: int) -> Value:
    at = cell.number
    if at.value is None:
        return Value(None)
    if at.low is None or at.high is None:
        return Value(many * at.value, shown=cell.shown)
    return Value(many * at.value, many * at.low, many * at.high, cell.shown)


def files_of(found: PaperTables) -> dict[str, bytes]:
    """Return each available table as ``NAME.csv``, its losses as ``NAME-losses.csv``, and its charts as SVG.

    Each chart has a light and a dark version.
    """
    files: dict[str, bytes] = {}
    for table in found.tables:
        if table.why:
            continue
        files[f"{table.name}.csv"] = table_files.as_csv(table).encode()
        if lost := table_files.table_losses_as_csv(table):
            files[f"{table.name}-losses.csv"] = lost.encode()
    drawn = [table_charts.chart_of(chart) for table in found.tables if not table.why for chart in charts(table)]
    return files | rendering.svg_files(drawn)


def html(table: PaperTable, address: Callable[[AnswersBehind], str] | None = None) -> str:
    """Return a table without its charts as HTML in the style of reports.

    ``address`` returns the address of the answers behind a number.
    """
    paper = f' <span class="sub">({escape(table.paper)})</span>' if table.paper else ""
    parts = [f'<section id="{table.name}"><h3 aria-level="2">{escape(table.title)}{paper}</h3>']
    if table.why:
        parts.append(f'<p class="missing">{escape(table.why)}</p>')
    else:
        parts += _grid(table, address)
    if table.note:
        parts.append(f'<p class="note">{escape(table.note)}</p>')
    warned = {loss.warning for loss in table.losses if loss.warns}
    for words in table.loss_notes:
        parts.append(f'<p class="{"warning" if words in warned else "note"}">{escape(words)}</p>')
    return "".join([*parts, "</section>"])


def _grid(table: PaperTable, address: Callable[[AnswersBehind], str] | None) -> Iterator[str]:
    wide = f'tabindex="0" role="region" aria-label="{escape(table.title, quote=True)}"'
    yield f'<div class="scroll" {wide}><table><thead>'
    over = [column.group for column in table.columns]
    if any(over):
        yield "<tr><th></th>"
        for first, end in table_files.runs(over):
            yield f'<th class="n" colspan="{end - first}" scope="colgroup">{escape(over[first])}</th>'
        yield "</tr>"
    yield f"<tr><th>{escape(table.corner)}</th>"
    yield "".join(f'<th class="n" scope="col">{escape(column.title)}</th>' for column in table.columns)
    yield "</tr></thead><tbody>"
    group = ""
    for row in table.rows:
        if row.head.group != group:
            group = row.head.group
            yield f'<tr><th colspan="{len(table.columns) + 1}" scope="rowgroup">{escape(group)}</th></tr>'
        name, whole = escape(row.head.title), escape(row.head.title, quote=True)
        cells = "".join(_cell(cell, address) for cell in row.cells)
        yield f'<tr><th scope="row" title="{whole}">{name}</th>{cells}</tr>'
    yield "</tbody></table></div>"
    if table.reasons:
        yield f'<p class="note">{NOTHING}: {escape(" ".join(table.reasons))}</p>'


def _cell(cell: PaperCell, address: Callable[[AnswersBehind], str] | None) -> str:
    at = cell.number
    limits = "" if at.low is None or at.high is None else f", 95 % interval {at.low:.4f} to {at.high:.4f}"
    tip = f"{at.value:.4f}{limits}; n {at.n}{_left_out(at)}" if at.value is not None else at.reason
    shown = {1: f"<b>{cell.shown}</b>", 2: f"<u>{cell.shown}</u>"}.get(cell.rank, cell.shown)
    if address is not None and at.answers is not None:
        shown = f'<a href="{escape(address(at.answers), quote=True)}" target="_self">{shown}</a>'
    return f'<td class="n" title="{escape(tip, quote=True)}">{shown}</td>'


def _left_out(at: Number) -> str:
    """Return a score's unreadable answers in words, with the bounds of the score over their possible values."""
    count = at.count
    if count is None or not (lost := count.unread + count.failed):
        return ""
    known = count.lowest is not None and count.highest is not None
    bounds = f", {count.lowest:.4f} to {count.highest:.4f} if these answers count" if known else ""
    return f"; {lost} not readable{bounds}"
