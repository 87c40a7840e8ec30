"""The folded sections of the page *Agreement*: dimensions, pairs, confusions, all statistics, and their check."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import streamlit as st

from agreement.summary import Result
from annotation_schemas.kinds import options_of
from app import markup, shell
from app.agreement import plot
from app.agreement.plot import Links
from app.agreement.tables import (
    UNITS,
    about_of,
    cautions,
    level_table,
    replies_table,
    table_of,
    title_of,
    versions_in_title,
)
from app.charts import confusion_chart
from app.jobs.figure_requests import FigureState
from app.results.shown import download
from app.services import Services
from app.widgets.folds import fold
from domain.records import ProjectView
from domain.replies import Replies
from domain.run_kinds import RunKind
from domain.states import Stage
from workflow.results.agreement_page import Figures
from workflow.results.confusions import Confusion
from workflow.results.loss_files import agreement_as_csv, losses_as_csv
from workflow.results.losses import StageLosses
from workflow.runs import run_views


def draw_parts(links: Links, lines: Sequence[Result], noun: str, left_out: Sequence[str]) -> None:
    """Draw the coefficient of every dimension, also of those with few units, if the plot leaves out any."""
    if not left_out:
        return
    place = fold(f"By {noun}", " ".join(left_out), key="agreement.fold.parts")
    if place is not None:
        with place:
            shell.show(plot.drawn(links, plot.part_rows(links, lines), lines))


def draw_pairs(links: Links, lines: Sequence[Result], shown: int) -> None:
    """Draw the agreement of each pair of raters on one criterion, unless ``shown`` is all of them."""
    pairs = plot.pair_lines(lines)
    if len(pairs) <= shown:
        return
    about = f"Cohen's kappa for {len(pairs):,} pairs of raters: {title_of(links.view, None, lines[0].criterion)}"
    place = fold("By pair of raters", about, key="agreement.fold.pairs")
    if place is not None:
        with place:
            shell.show(plot.drawn(links, plot.pair_rows(links, pairs), pairs))


def draw_confusions(links: Links, matrices: Sequence[Confusion], unit: str) -> None:
    """Draw which answers meet which others."""
    if not any(confusion_chart.whose(matrix) for matrix in matrices):
        return
    place = fold("Answers side by side", "which answers people confuse", key="agreement.fold.confusions")
    if place is not None:
        with place:
            view = links.view
            titles = [_title_with(view, matrix.dimension, matrix.criterion, matrix.guideline) for matrix in matrices]
            labels = labels_of(view, links.stage)
            confusion_chart.show(view.name, matrices, titles, labels, unit=unit, key=view.name, address=links.meeting)


def draw_replies(services: Services, view: ProjectView, replies: Sequence[Replies]) -> None:
    """Draw how many replies of each machine have a score, with links to the replies of judges that ran here."""
    if not replies:
        return
    scored, asked = sum(each.scored for each in replies), sum(each.asked for each in replies)
    place = fold("Judges' replies", f"Replies with a score: {scored:,} of {asked:,}", key="agreement.fold.replies")
    if place is not None:
        with place:
            about: dict[str, Any] = {"by": services.person, "project": view.name, "kind": RunKind.JUDGE}
            runs = {run.name: run.id for run in run_views.runs_of(services.store, **about)}
            shell.show(replies_table(view, replies, runs))


def draw_statistics(links: Links, lines: Sequence[Result], losses: StageLosses, *, unit: str) -> None:
    """Draw every statistic of one criterion and dimension, and the downloads of all of them."""
    view, stage, groups = links.view, links.stage, plot.grouped(lines)
    place = fold(
        "Every statistic", f"{markup.count(len(lines), 'line')}, and downloads", key="agreement.fold.statistics"
    )
    if place is None:
        return
    with place:
        titles = {key: title_of(view, key[1], key[2]) + versions_in_title(group[0]) for key, group in groups.items()}
        chosen = st.selectbox(
            "Statistics of",
            list(groups),
            format_func=lambda key: titles.get(key, ""),
            key=f"agreement.statistics.{view.name}.{stage}",
        )
        group = groups.get(chosen) or next(iter(groups.values()))
        shell.show(
            markup.tag("div", markup.text(prompt_of(view, stage, group[0].criterion)), style="ts"),
            markup.tag("div", markup.quiet(about_of(group)), style="ts ts-small"),
            markup.tag("div", table_of(group, unit=unit, address=links.behind), data_part="statistics"),
            cautions(group),
        )
        with st.container(horizontal=True):
            draw_downloads(view, stage, lines, losses)


def draw_downloads(view: ProjectView, stage: Stage, lines: Sequence[Result], losses: StageLosses) -> None:
    """Draw downloads of all coefficients, and of the missing answers, as CSV files."""
    name = f"{view.name}-agreement-{stage}"
    download("Statistics as CSV", partial(agreement_as_csv, lines, losses), f"{name}.csv", key="agreement.csv")
    if losses.judges or losses.left_out:
        written = partial(losses_as_csv, losses.judges, losses.left_out)
        download("Losses as CSV", written, f"{name}-losses.csv", key="agreement.losses")


def draw_levels(view: ProjectView, figures: Figures) -> None:
    """Draw a table for each judge."""
    words = (
        "This table compares each judge with people on the answers that both graded. People's grades of an answer "
        "are combined. Interpret each level separately, because means often agree well even if single answers do "
        "not."
    )
    shell.show(markup.paragraph(words, style="ts ts-quiet"))
    judges: dict[tuple[str, str], list[Result]] = {}
    for line in figures.lines:
        judges.setdefault((line.criterion, line.args["judge"]), []).append(line)
    for (criterion, judge), lines in judges.items():
        shell.section(f"{judge} · {title_of(view, None, criterion)}{versions_in_title(lines[0])}")
        shell.show(markup.tag("div", level_table(lines), data_part="levels"))


def draw_second_opinion(found: FigureState) -> None:
    """Draw whether other packages compute the same values. A difference is always shown, as an error."""
    opinion = found.figure.value if found.figure is not None else None
    if opinion is not None and opinion.differences:
        shell.show(*(markup.notice(sentence, style="bad") for sentence in (opinion.sentence, *opinion.differences)))
    place = fold("How the values were computed", "checked against other packages", key="agreement.computed")
    if place is None:
        return
    with place:
        if opinion is None:
            words = (
                "Touchstone is comparing the values with scikit-learn and krippendorff. The result appears on this "
                "page. You can leave the page."
            )
            shell.show(markup.paragraph(words, style="ts ts-quiet"))
            return
        sentences = (opinion.sentence, *opinion.not_compared)
        shell.show(
            *(markup.tag("p", markup.text(sentence), style="ts", data_part="second-opinion") for sentence in sentences)
        )


def prompt_of(view: ProjectView, stage: Stage, criterion: str) -> str:
    """Return the prompt of a criterion."""
    asked = getattr(view.schema.schema_.stages, stage).criteria
    return next((known.prompt for known in asked if known.name == criterion), "")


def labels_of(view: ProjectView, stage: Stage) -> Mapping[str, Mapping[Any, str]]:
    """Return the option labels of a stage, by criterion and value."""
    asked = getattr(view.schema.schema_.stages, stage).criteria
    return {criterion.name: {option.value: option.label for option in options_of(criterion, {})} for criterion in asked}


def unit_of(stage: Stage, *, of_means: bool) -> str:
    """Return the unit that a coefficient counts."""
    return "mean" if of_means else UNITS[stage]


def _title_with(view: ProjectView, dimension: str | None, criterion: str, guideline: str | None) -> str:
    return title_of(view, dimension, criterion) + (f" · guideline {guideline}" if guideline else "")
