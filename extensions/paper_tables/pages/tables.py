"""The page *Tables*: the tables and charts of the benchmark's paper with the project's numbers."""

from __future__ import annotations

from functools import partial

import streamlit as st

from app import addresses, markup, shell
from app.charts import page_chart
from app.jobs import figure_requests
from app.reruns import pending_figures
from app.results.shown import bins_asked, scroll_note
from app.screens import Need, Room, Screen
from app.services import Services
from app.widgets import items_switch
from app.widgets.folds import folded
from app.workbench.report import report
from db import project_facts
from domain import extensions
from domain.records import ProjectView
from domain.roles import Role
from domain.states import Items
from exporters import zip_file
from extensions.paper_tables import drawn_tables, table_files
from extensions.paper_tables.cell_number import AnswersBehind
from extensions.paper_tables.paper_tables import PaperTable, PaperTables
from extensions.paper_tables.table_charts import chart_of
from extensions.paper_tables.table_layouts import layout_of
from reports.html import style
from workflow.results import leaderboard_page

SCREEN = Screen(
    "Tables",
    place=420,
    room=Room.RESULTS,
    role=Role.LEAD,
    words="paper latex csv figures charts",
    needs=Need("No answer has a score yet. Run a model, or import answers.", project_facts.has_scores),
)

PLAIN = """
.report td a { color: inherit; text-decoration: none; } .report td a:hover { text-decoration: underline; }
.report thead th { vertical-align: bottom; font-size: .76rem; }
.report :is(th, td) { padding-right: 8px; }
.report :is(th[scope="row"], thead th:first-child) { position: sticky; left: 0; z-index: 1;
  background: light-dark(#fbfbfa, #14181a); }
"""
"""Links look like numbers, because papers underline the second highest number of a column. The titles of rows stay
while the table scrolls.
"""
MANY_COLUMNS = 15
"""Number of columns of one short number each that fit into a window of 1280 pixels."""


def render(services: Services) -> None:
    """Draw the first table that has numbers, and folds with the other tables and the sections of extensions."""
    view = shell.lead_of(services)
    shell.heading("Tables", "Tables and charts for a paper, with this project's numbers.", made_up=view.made_up)
    top = st.container()
    items = items_switch.switch(services, view, key="tables.items", show=False)
    with top:
        _of_paper(services, view, items)
    for draw in extensions.rows("table_page_sections"):
        draw(services, view, items)


def _of_paper(services: Services, view: ProjectView, items: Items | None) -> None:
    def ask() -> figure_requests.FigureState:
        return _asked(services, view, items)

    asked = ask()
    pending_figures.show_pending(services, asked, ask, about="The tables are")
    if asked.figure is None:
        return
    found: PaperTables = asked.figure.value
    filled = [table for table in found.tables if not table.why]
    of_paper = " of the paper" if any(table.paper for table in found.tables) else ""
    has = f"This project has numbers for {len(filled)} of {markup.count(len(found.tables), 'table')}{of_paper}."
    counted = items_switch.counted_line(found.counting.sentence if found.counting else None)
    missing = [f"“{table.title}” has no numbers. {table.why.rstrip('.')}." for table in found.tables if table.why]
    without = markup.tag("p", markup.quiet(" ".join(missing)), style="ts ts-small", data_part="undefined")
    shell.show(markup.finding(markup.text(has)), counted, *([without] if missing else []))
    if not filled:
        return
    _table(view, filled[0], items)
    about = (
        "Numbers are rounded as in the paper. Hover over a number to see its interval. Click a number to see "
        "its answers."
    )
    shell.show(markup.tag("p", markup.quiet(about), style="ts ts-small"))
    st.download_button(
        "Download CSV and SVG",
        lambda: zip_file.pack(drawn_tables.files_of(found)),
        file_name=f"{view.name}-tables.zip",
        mime="application/zip",
        key="tables.download",
        on_click="ignore",
    )
    folded("tables", f"{filled[0].name}-charts", "Charts and CSV", filled[0].title, partial(_files, view, filled[0]))
    for table in filled[1:]:
        folded("tables", table.name, table.title, table.paper, partial(_whole, view, table, items))


def _whole(view: ProjectView, table: PaperTable, items: Items | None) -> None:
    _table(view, table, items)
    _files(view, table)


def _table(view: ProjectView, table: PaperTable, items: Items | None) -> None:
    """Draw a table. A score leads to its answers."""

    def address(of: AnswersBehind) -> str:
        sliced = {"by": of.by, "part": of.part, **bins_asked(of.bins)} if of.by is not None else {}
        return addresses.cases(view.name, scores=of.scores, model=of.model, items=items, **sliced)

    body = f'<style>{style()}{PLAIN}</style><div class="report">{drawn_tables.html(table, address)}</div>'
    report(body, key=f"tables.{table.name}")
    if len(table.columns) >= MANY_COLUMNS:
        shell.show(scroll_note(len(table.columns) + 1))


def _files(view: ProjectView, table: PaperTable) -> None:
    """Draw the charts of a table, and its download."""
    for chart in drawn_tables.charts(table):
        page_chart.show(chart_of(chart), project=view.name, table=False)  # the table is already shown
    st.download_button(
        "CSV",
        table_files.as_csv(table).encode(),
        file_name=f"{view.name}-{table.name}.csv",
        mime="text/csv",
        key=f"tables.csv.{table.name}",
        on_click="ignore",
    )


def _asked(services: Services, view: ProjectView, items: Items | None) -> figure_requests.FigureState:
    """Return the tables. They are computed again only if something has changed."""
    return figure_requests.request_figure(
        services.store,
        services.settings,
        "tables",
        {"project": view.name, "items": items},
        state=leaderboard_page.mark(services.store, person=services.person, project=view.name),
        size=leaderboard_page.size(services.store, person=services.person, project=view.name),
        apart=_asks_extensions(view.schema.schema_.name),
    )


def _asks_extensions(schema: str) -> bool:
    """Tell whether an extension computes a number of these tables.

    The extension may load packages that this process must not load.
    """
    sources = {name for name, _ in extensions.rows("table_sources")}
    return any(part.source in sources for table in layout_of(schema) for part in (table, *table.rows, *table.columns))
