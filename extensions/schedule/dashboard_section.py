"""What the page *Overview* says of time: the expected end, late stages, and a fold with items over time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date

import streamlit as st

from annotation_schemas.model import Stages
from app import addresses, markup, shell
from app.charts import page_chart
from app.jobs import figure_requests
from app.overview.sections import Chip, DashboardSection, WaitingRow
from app.reruns import pending_figures
from app.services import Services
from domain.records import ProjectView
from domain.states import VERIFICATIONS, Stage
from extensions.schedule import forecast, progress_over_time
from extensions.schedule.forecast import LEAST_DAYS, SETTLING, Forecast, last_item
from extensions.schedule.progress_chart import progress_chart
from workflow.access import schedule
from workflow.lead import people_at_work


def draw(services: Services, view: ProjectView) -> None:
    """Draw the chart of items over time, and the forecast of each stage."""
    forecast = _foreseen(services, view)
    lines = _unfinished(forecast)
    _progress(services, view, lines)
    if lines or not forecast.current:
        shell.section("Remaining work and expected end")
    pending_figures.show_pending(services, forecast, lambda: _foreseen(services, view), about="The forecasts are")
    if lines:
        kept = schedule.schedule(services.store, by=services.person, project=view.name)
        shell.show(
            count_left(lines, view.schema.schema_.stages), forecasts(lines, view.schema.schema_.stages, kept.deadlines)
        )
        st.caption(
            "Days are in UTC. Date ranges use the best and the worst day with work in the last two "
            "weeks. Forecasts assume that people work on the same share of days, and that earlier stages "
            "add no new work. Active time ranges from the fastest to the slowest person with at least "
            "ten tasks."
        )


def answer(services: Services, view: ProjectView) -> str:
    """Return when the last item may have its verdict, or why there is no forecast. Empty: nothing is left."""
    found = _foreseen(services, view)
    lines = [one for one in (found.figure.value if found.figure else ()) if one.stage in SETTLING]
    if not lines:
        return ""
    days = last_item(lines)
    if days is None:
        n = min(len(one.days) for one in lines if one.whole is None)
        return (
            f"No finish date yet. A forecast needs {LEAST_DAYS} days with work, but "
            f"{'there has been only 1' if n == 1 else f'there have been {n}'}."
        )
    return f"At the current pace, the remaining work will be done {between(*days, today=services.store.now().date())}."


def between(first: date, last: date, *, today: date) -> str:
    """Return two days in words, such as "between 9 and 21 January"."""

    def written(day: date, *, month: bool = True) -> str:
        year = f" {day.year}" if day.year != today.year and month else ""
        return f"{day.day}{f' {day:%B}' if month else ''}{year}"

    if first == last:
        return f"on {written(first)}"
    return f"between {written(first, month=(first.year, first.month) != (last.year, last.month))} and {written(last)}"


def waiting(services: Services, view: ProjectView) -> Sequence[WaitingRow]:
    """Return a row for each stage that will miss its deadline."""
    kept = schedule.schedule(services.store, by=services.person, project=view.name)
    late = []
    for one in _unfinished(_foreseen(services, view)) if kept.deadlines else ():
        due = kept.deadlines.get(one.stage)
        if due is None or one.finish is None or one.finish[1] <= due:
            continue
        verb = "will" if one.finish[0] > due else "may"
        today = services.store.now().date()
        sentence = (
            f"{view.schema.schema_.stages.title_of(one.stage)} {verb} miss its deadline on {due.day} {due:%B}. At "
            f"the current pace, the stage ends {between(*one.finish, today=today)}."
        )
        late.append(WaitingRow(Chip.BEHIND, sentence, "Change dates", addresses.page("schedule", view.name)))
    return late


def _unfinished(found: figure_requests.FigureState) -> list[Forecast]:
    return [one for one in (found.figure.value if found.figure else ()) if one.left]


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
    return ("met", "good") if last <= due else ("late at this pace", "bad") if first > due else ("may be missed", "")


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


SECTION = DashboardSection("progress", "Progress and forecast", draw, answer=answer, waiting=waiting)
