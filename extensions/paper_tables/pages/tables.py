"""The page *Tables*: the tables and charts of the benchmark's paper with the project's numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from app import markup, shell
from app.charts import page_chart
from app.jobs import figure_requests
from app.reruns import pending_figures
from app.screens import Need, Room, Screen
from app.services import Services
from app.widgets import items_switch
from app.workbench.report import report
from db import project_facts
from domain import extensions
from domain.records import ProjectView
from domain.roles import Role
from domain.states import Items
from exporters import zip_file
from extensions.paper_tables import drawn_tables, table_files
from extensions.paper_tables.paper_tables import PaperTables
from extensions.paper_tables.table_charts import chart_of
from extensions.paper_tables.table_layouts import layout_of
from reports.html import style
from workflow.results import leaderboard_page

if TYPE_CHECKING:
    from streamlit.delta_generator import DeltaGenerator

SCREEN = Screen(
    "Tables",
    place=420,
    room=Room.RESULTS,
    role=Role.LEAD,
    words="paper latex csv figures charts",
    needs=Need("No answer has a score yet. Run a model, or import answers.", project_facts.has_scores),
)


def render(services: Services) -> None:
    """Draw each table with its charts, downloads of all tables, and the sections of extensions."""
    view = shell.lead_of(services)
    shell.heading("Tables", made_up=view.made_up)
    top = st.container()
    items = items_switch.switch(services, view, key="tables.items")
    _of_paper(services, view, items, top)
    for draw in extensions.rows("table_page_sections"):
        draw(services, view, items)


def _of_paper(services: Services, view: ProjectView, items: Items | None, top: DeltaGenerator) -> None:
    def ask() -> figure_requests.FigureState:
        return _asked(services, view, items)

    asked = ask()
    pending_figures.show_pending(services, asked, ask, about="The tables are")
    if asked.figure is None:
        return
    paper_tables: PaperTables = asked.figure.value
    filled, n = sum(not table.why for table in paper_tables.tables), len(paper_tables.tables)
    with top:
        words = f"This project has numbers for {filled} of {markup.count(n, 'table')} of the paper."
        shell.show(markup.finding(markup.text(words)))
    if any(not table.why for table in paper_tables.tables):
        st.download_button(
            "Download CSV and SVG",
            lambda: zip_file.pack(drawn_tables.files_of(paper_tables)),
            file_name=f"{view.name}-tables.zip",
            mime="application/zip",
            key="tables.download",
            on_click="ignore",
        )
    for table in paper_tables.tables:
        body = f'<style>{style()}</style><div class="report">{drawn_tables.html(table)}</div>'
        report(body, key=f"tables.{table.name}")
        for chart in drawn_tables.charts(table):
            page_chart.show(chart_of(chart), project=view.name, table=False)  # the table is already shown
        if not table.why:
            st.download_button(
                "CSV",
                table_files.as_csv(table).encode(),
                file_name=f"{view.name}-{table.name}.csv",
                mime="text/csv",
                key=f"tables.csv.{table.name}",
                on_click="ignore",
            )
    shell.show(
        markup.tag("p", markup.quiet("Numbers are rounded as in the paper. Point at a number to see its interval."))
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
