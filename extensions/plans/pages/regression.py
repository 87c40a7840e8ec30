"""The page Regression: regressions of plans' success on scores in the aspects, with diagnostics."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import streamlit as st

from annotation_schemas import kinds
from annotation_schemas.model import Schema
from app import addresses, markup, shell
from app.charts import page_chart
from app.jobs import figure_requests
from app.reruns import pending_figures
from app.screens import Need, Room, Screen
from app.services import Services
from app.widgets import items_switch
from app.widgets.folds import folded
from app.workbench.report import report
from domain.records import ProjectView
from domain.roles import Role
from exporters import zip_file
from extensions.plans import regression_report
from extensions.plans.page_numbers import RegressionPage, successes
from extensions.plans.project_units import KEY
from extensions.plans.success_files import read_outcomes
from extensions.plans.success_regression import RegressionFit, describe_count, describe_units
from extensions.plans.success_units import JoinedUnits
from importers import zip_archives
from reports.html import style
from workflow.results import leaderboard_page

SCREEN = Screen(
    "Regression",
    place=445,
    room=Room.RESULTS,
    role=Role.LEAD,
    words="plans success odds coefficient predict association",
    needs=Need(
        "The schema has no regression of plans. Add a regression (report.regression) to the schema.",
        schema=lambda schema: schema.report.regression,
    ),
)

A_FILE = "A file"
"""The option to define success by a file instead of a criterion."""
ERRORS: Mapping[str, tuple[str | None, str | None]] = {
    "Usual standard errors": (None, None),
    "Classical": ("classical", None),
    "HC3": ("hc3", None),
    "Clustered by task": ("cluster", "task"),
    "Clustered by model": ("cluster", "model"),
}
"""Standard errors and clusters, by the label in the menu."""


def render(services: Services) -> None:
    """Draw the aspect that goes along most with success, all coefficients, and folds with units and settings."""
    view = shell.lead_of(services)
    about = "See which scores are associated with the success of plans. An association is not a cause."
    shell.heading("Regression", about, made_up=view.made_up)
    top = st.container()
    with st.expander("**Settings** · success, units and standard errors", key="regression.settings"):
        items = items_switch.switch(services, view, key="regression.items", show=False)
        wanted = _choices(view)
        place = st.empty()
    if wanted is None:
        with top:
            shell.show(markup.finding(markup.text("Choose a file with outcomes under Settings.")))
        return
    chosen = {name: _kept(view, name) for name in ("scores", "aspects")}
    if chosen["scores"] == st.session_state.get(f"regression.usual.{view.name}"):
        chosen["scores"] = None  # what the page computes by default; it is not computed a second time

    def ask() -> figure_requests.FigureState:
        return figure_requests.request_figure(
            services.store,
            services.settings,
            "regression",
            {
                "project": view.name,
                "items": items,
                **wanted,
                "scores": chosen["scores"],
                "aspects": tuple(chosen["aspects"] or ()),
            },
            state=leaderboard_page.mark(services.store, person=services.person, project=view.name),
            size=leaderboard_page.size(services.store, person=services.person, project=view.name),
            apart=True,
        )

    asked = ask()
    with top:
        pending_figures.show_pending(services, asked, ask, about="The regressions are")
    if asked.figure is None:
        return
    page: RegressionPage = asked.figure.value
    with top:
        if page.joined is None:
            shell.show(markup.finding(markup.text(page.why)))
            return
        _found(view, page, page.joined)
    with place.container():
        _of_data(view, page.joined, **chosen)


def _found(view: ProjectView, page: RegressionPage, joined: JoinedUnits) -> None:
    """Draw the answer with the chart of coefficients, and the folds below it."""
    counted = page.counting.sentence if page.counting else None
    fitted = any(fit.found.terms for fit in page.found)  # otherwise the sentence gives the reason
    missing = [f"{fit.title}: {fit.found.reason}" for fit in page.found if fitted and fit.found.reason]
    shell.show(
        markup.finding(answer(view, joined, page.found)),
        items_switch.counted_line(counted, *describe_units(joined)),
        *(markup.tag("p", markup.quiet(line), style="ts ts-small", data_part="undefined") for line in missing),
    )
    effects, *others = [*regression_report.drawings(joined, page.found), None]
    if effects is not None:
        page_chart.show(effects, project=view.name, table=False)  # its numbers are below
    body = f'<style>{style()}</style><div class="report">{regression_report.html(joined, page.found)}</div>'
    draw = partial(report, body, key="regression.found")
    folded("regression", "numbers", "Coefficients", "standard errors, p-values and fit", draw)
    for chart in others:
        if chart is not None:
            draw = partial(page_chart.show, chart, project=view.name, table=False)
            folded("regression", chart.key, "Units", "success and score of each unit", draw)
    folded("regression", "downloads", "Downloads", "numbers, units and charts", partial(_downloads, view, page))


def answer(view: ProjectView, joined: JoinedUnits, found: Sequence[RegressionFit]) -> markup.Markup:
    """Return the aspect that goes along most with success, by the linear regression, with a link to its answers."""
    titles = dict(joined.aspects)
    fits = [fit for fit in found if fit.found.terms]
    fit = next((fit for fit in fits if fit.kind == "linear"), fits[0] if fits else None)
    if fit is None:
        reason = (
            found[0].found.reason
            if found and found[0].found.reason
            else "Touchstone could not compute a regression yet."
        )
        return markup.text(reason)
    own = [(name, fit.found.term(name).coefficient) for name in titles]
    clear = [(name, at) for name, at in own if at.defined and (at.low > 0 or at.high < 0)]
    over = describe_count(joined, fit)
    if not clear:
        return markup.text(f"No aspect is clearly associated with success, because every interval contains 0 ({over}).")
    name, at = max(clear, key=lambda pair: abs(pair[1].value))
    share = markup.link(
        f"{abs(at.value):.2f} {'more' if at.value > 0 else 'less'}", addresses.cases(view.name, dimension=name)
    )
    rest = f" success [{at.low:+.2f}, {at.high:+.2f}], with the other aspects held fixed ({over})."
    lead = markup.tag("b", markup.text(titles[name]))
    words = markup.text(" has the strongest association with success: one more point means ")
    return markup.joined([lead, words, share, markup.text(rest)])


def _choices(view: ProjectView) -> dict[str, Any] | None:
    """Draw the choices of success, units and standard errors. Return None until success is defined."""
    schema = view.schema.schema_
    rule = schema.report.regression
    left, middle, right = st.columns(3)
    with left:
        there = [*successes(schema), KEY, A_FILE]
        usual = rule.success if rule and rule.success in there else there[0]
        success = st.selectbox("Success", there, there.index(usual), key=f"regression.success.{view.name}")
    with middle:
        tasks = {"": "Models"} | {name: f"Plans, by {title}" for name, title in _tasks(schema)}
        usual_task = rule.task if rule and rule.task in tasks else ""
        task = st.selectbox(
            "Unit",
            list(tasks),
            list(tasks).index(usual_task or ""),
            format_func=tasks.__getitem__,
            key=f"regression.task.{view.name}",
            help="If the units are plans, each plan has the scores of its task's items. If the units are models, "
            "each model has its share of successful plans.",
        )
    with right:
        offered = [name for name, (_, by) in ERRORS.items() if task or by is None]
        errors, cluster = ERRORS[st.selectbox("Standard errors", offered, key=f"regression.errors.{view.name}")]
    wanted = {"by": "task" if task else "model", "task": task or None, "errors": errors, "cluster": cluster}
    if success == A_FILE:
        return _file(view, wanted)
    own = {
        criterion.name: criterion.dimensions
        for criterion in (schema.stages.grading.criteria if schema.stages.grading else ())
    }
    plans: tuple[str, ...] = ()
    if not own.get(success):
        titles = {dimension.id: dimension.title for dimension in schema.dimensions}
        plans = tuple(
            st.multiselect(
                "Dimensions with success",
                list(titles),
                format_func=titles.__getitem__,
                key=f"regression.plans.{view.name}",
            )
        )
    return wanted | {"success": success, "plans": plans}


def _tasks(schema: Schema) -> list[tuple[str, str]]:
    """Return the fields that can name an item's task, with their titles."""
    return [
        (field.name, kinds.title_of(field).lower())
        for field in schema.item.fields
        if kinds.of_field(field).sliced not in ("entries",)
    ]


def _file(view: ProjectView, wanted: dict[str, Any]) -> dict[str, Any] | None:
    """Draw the upload of outcomes. Return the choices with its rows, or None without a file."""
    file = st.file_uploader(
        "File with the columns success (0 or 1), model, and item or task",
        type=["csv", "tsv", "xlsx"],
        key=f"regression.file.{view.name}",
    )
    if file is None:
        return None
    with tempfile.TemporaryDirectory(prefix="touchstone-success-") as folder:
        path = zip_archives.store([(file.name, file)], Path(folder))
        outcomes = read_outcomes(path)
    return wanted | {"outcomes": tuple(outcomes), "file": file.name}


def _kept(view: ProjectView, name: str) -> Any:
    """Return a choice that is drawn only with the figures. It survives the time until they are computed."""
    drawn, kept = f"regression.{name}.{view.name}", f"regression.kept.{name}.{view.name}"
    if drawn in st.session_state:
        st.session_state[kept] = st.session_state[drawn]
    return st.session_state.get(kept)


def _of_data(view: ProjectView, joined: JoinedUnits, *, scores: Any, aspects: Any) -> None:
    """Draw the choices of scores and aspects, from those in the data. None: the default."""
    left, right = st.columns([1, 2])
    titles = {(name, criterion): f"{name}, {criterion}" if criterion else name for name, criterion, _ in joined.offered}
    dimensions = dict(joined.dimensions)
    usual = next(iter(titles), None)
    of_scores, of_aspects = (f"regression.{name}.{view.name}" for name in ("scores", "aspects"))
    st.session_state[of_scores] = scores if scores in titles else usual
    st.session_state[of_aspects] = [aspect for aspect in aspects or () if aspect in dimensions]
    with left:
        st.selectbox("Source of scores", list(titles), format_func=titles.__getitem__, key=of_scores)
    with right:
        st.multiselect("Aspects (none: all)", list(dimensions), format_func=dimensions.__getitem__, key=of_aspects)
    st.session_state[f"regression.usual.{view.name}"] = usual


def _downloads(view: ProjectView, found: RegressionPage) -> None:
    joined, fits = found.joined, found.found
    assert joined is not None
    st.download_button(
        "Download CSV and SVG",
        lambda: zip_file.pack(regression_report.files_of(joined, fits)),
        file_name=f"{view.name}-regression.zip",
        mime="application/zip",
        key="regression.download",
        on_click="ignore",
    )
