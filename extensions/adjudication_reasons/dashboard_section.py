"""The section *Where votes differ, and why* of the page *Overview*."""

from __future__ import annotations

from typing import Any

from app import markup, shell
from app.charts import page_chart
from app.jobs import figure_requests
from app.overview.sections import DashboardSection
from app.reruns import pending_figures
from app.services import Services
from domain.records import ProjectView
from extensions.adjudication_reasons import disagreement, disagreement_charts
from extensions.adjudication_reasons.disagreement import Disagreement


def draw(services: Services, view: ProjectView) -> None:
    """Draw where votes differ and which reasons people give."""
    about: dict[str, Any] = {"by": services.person, "project": view.name}

    def ask() -> figure_requests.FigureState:
        return figure_requests.request_figure(
            services.store,
            services.settings,
            "disagreement",
            {"project": view.name, "by": None},
            state=disagreement.mark(services.store, **about),
            size=disagreement.size(services.store, **about),
        )

    asked = ask()
    pending_figures.show_pending(services, asked, ask, about="These counts are")
    if asked.figure is None:
        return
    figures: Disagreement = asked.figure.value
    titles = {dimension.id: dimension.title for dimension in view.schema.schema_.dimensions}
    if figures.dimensions:
        page_chart.show(disagreement_charts.dimensions_chart(figures.dimensions, titles), project=view.name)
    else:
        shell.show(markup.paragraph("No item has two votes yet.", style="ts ts-quiet"))
    if figures.reasons:
        page_chart.show(disagreement_charts.reasons_chart(figures.reasons), project=view.name)


SECTION = DashboardSection(
    "differ",
    "Where votes differ, and why",
    draw,
    place=10,
    shown=lambda view: bool(view.schema.schema_.stages.verifications),
)
