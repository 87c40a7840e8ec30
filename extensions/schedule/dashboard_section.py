"""The section of the page *Dashboard* with the items over time, what is left in each stage, and until when."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date

import streamlit as st

from annotation_schemas.model import Stages
from app import addresses, markup, shell
from app.charts import page_chart
from app.dashboard.sections import DashboardSection, SectionPlace
from app.jobs import figure_requests
from app.reruns import pending_figures
from app.services import Services
from domain.records import ProjectView
from domain.states import VERIFICATIONS, Stage
from extensions.schedule import forecast, progress_over_time
from extensions.schedule.forecast import Forecast
from extensions.schedule.progress_chart import progress_chart
from workflow.access import schedule
from workflow.lead import people_at_work


def draw(services: Services, view: ProjectView) -> None:
    """Draw a link to the page *Schedule*, the chart of items over time, and the forecast of each stage."""
    shell.show(_targets(view))
    forecast = _foreseen(services, view)
    lines: Sequence[Forecast] = forecast.figure.value if forecast.figure else ()
    _progress(services, view, lines)
    if lines or not forecast.current:
        shell.section("What is left, and until when")
    pending_figures.show_pending(services, forecast, lambda: _foreseen(services, view), about="The forecasts are")
    if lines:
        kept = schedule.schedule(services.store, by=services.person, project=view.name)
        shell.show(
            count_left(lines, view.schema.schema_.stages), forecasts(lines, view.schema.schema_.stages, kept.deadlines)
        )
        st.caption(
            "Days are in UTC. The dates assume that people work as much as on the best and on the worst day with"
            " work in the last two weeks, and on the same share of days; that nothing is sent back; and that nothing"
            " more comes from an earlier stage. Active time: at the pace of the quickest and of the slowest person"
            " with ten tasks or more."
        )


def _targets(view: ProjectView) -> markup.Markup:
    """Return a line with a link to the page *Schedule*, where a lead changes targets and deadlines."""
    href = addresses.page("schedule", view.name)
    link = markup.tag("a", markup.text("Schedule"), href=href, target="_self")
    before, after = markup.quiet("How many items are wanted, and until when: on the page "), markup.quiet(".")
    return markup.tag("p", before, link, after, style="ts ts-small", data_part="targets")


def _progress(services: Services, view: ProjectView, lines: Sequence[Forecast]) -> None:
    """Draw a chart of the items by state over time, if the project has any items."""
    store, by, project = services.store, services.person, view.name
    size = progress_over_time.size(store, by=by, project=project)
    if not size:
        return

    def ask() -> figure_requests.FigureState:
        return figure_requests.request_figure(
            store,
            services.settings,
            "progress",
            {"project": project, "by": None},
            state=progress_over_time.mark(store, by=by, project=project),
            size=size,
        )

    shell.section("Progress over time")
    progress = ask()
    pending_figures.show_pending(services, progress, ask, about="The days are")
    if progress.figure and progress.figure.value:
        page_chart.show(progress_chart(progress.figure.value, lines, view.schema.schema_.stages), project=project)


def _foreseen(services: Services, view: ProjectView) -> figure_requests.FigureState:
    """Return the forecasts. They are computed again only if something has changed."""
    store, person, project = services.store, services.person, view.name
    return figure_requests.request_figure(
        store,
        services.settings,
        "forecast",
        {"project": project, "by": None},
        state=forecast.mark(store, by=person, project=project),
        size=people_at_work.count_submissions(store, by=person, project=project),
    )


def count_left(found: Sequence[Forecast], stages: Stages) -> markup.Markup:
    """Return how many votes are left, in total and by stage of verification."""
    votes = {one.stage: one.left for one in found if one.stage in VERIFICATIONS}
    if not votes:
        return markup.Markup("")
    parts = ", ".join(f"{n:,} in {stages.title_of(stage)}" for stage, n in votes.items())
    words = f"{markup.count(sum(votes.values()), 'vote is', 'votes are')} left" + (
        f": {parts}" if len(votes) > 1 else ""
    )
    return markup.tag("p", markup.tag("b", markup.text(f"{words}.")), style="ts", data_part="left")


def forecasts(
    found: Sequence[Forecast], stages: Stages, deadlines: Mapping[Stage, date] | None = None
) -> markup.Markup:
    """Return a table with a row for each unfinished stage. With ``deadlines``, it shows whether they will be met."""
    due = [("Deadline", "line")] if deadlines else []
    heads = [("Stage", ""), ("Left", "number"), ("Done between", "line"), *due, ("Active time", "number")]
    return markup.table([*heads, ("Why", "wide")], [_forecast(one, stages, deadlines or {}) for one in found])


def against(one: Forecast, due: date) -> tuple[str, str]:
    """Return whether a forecast meets a deadline, in words, and the style of the words."""
    if one.finish is None:
        return "", ""
    first, last = one.finish
    return ("met", "good") if last <= due else ("missed at this pace", "bad") if first > due else ("may be missed", "")


def _deadline(one: Forecast, due: date | None) -> markup.Markup:
    if due is None:
        return markup.text("-")
    words, style = against(one, due)
    tag = markup.tag("div", markup.text(words), style=f"{style} ts-small".strip())
    return markup.tag("span", markup.text(str(due)), tag, data_part="deadline", data_stage=one.stage.value)


def _forecast(one: Forecast, stages: Stages, deadlines: Mapping[Stage, date]) -> list[markup.Markup]:
    finish = " and ".join(str(day) for day in one.finish) if one.finish else "-"
    return [
        markup.tag("b", markup.text(stages.title_of(one.stage))),
        markup.number(one.left),
        markup.tag("span", markup.text(finish), data_part="finish", data_stage=one.stage.value),
        *([_deadline(one, deadlines.get(one.stage))] if deadlines else []),
        markup.text(_hours(*one.hours) if one.hours else "-"),
        markup.quiet(one.sentence),
    ]


def _hours(low: float, high: float) -> str:
    scale, unit = (60, "min") if high < 1 else (1, "h")
    one, other = (f"{n * scale:.0f}" if unit == "min" or n >= 10 else f"{n:.1f}" for n in (low, high))
    return f"{one} {unit}" if one == other else f"{one} to {other} {unit}"


SECTION = DashboardSection(draw, SectionPlace.UPPER)
