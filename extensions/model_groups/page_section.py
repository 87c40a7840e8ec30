"""Groups of models on the page *Results*: the setting, and the section."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import streamlit as st

from app import markup, shell
from app.results import shown
from app.results.sections import gap_table
from domain.attributes import size_of
from domain.records import ProjectView
from extensions.model_groups.group_means import Grouping
from workflow.results.leaderboard import Gap, SlicedScores
from workflow.results.leaderboard_lines import LeaderboardLine
from workflow.results.result_sections import ResultsPage


def choose_groups(view: ProjectView, names: Sequence[str]) -> str | None:
    """Draw the grouping of models and return it in the form of the command option."""
    chosen = [
        st.selectbox(title, [None, *names], format_func=lambda each: each or "none", key=f"results.{key}.{view.name}")
        for title, key in (("Group models by", "models_by"), ("Within each", "models_within"))
    ]
    if chosen[0] is None:
        return None
    limits = st.text_input("Group limits, such as 10B", key=f"results.limits.{view.name}").strip()
    odd = next((limit for limit in limits.split(",") if limits and size_of(limit) is None), None)
    if odd is not None:
        shell.show(markup.notice(f"{odd.strip()!r} is not a valid number. Use a number such as 10 or 10B."))
        limits = ""
    path = f"{chosen[1]}/{chosen[0]}" if chosen[1] not in (None, chosen[0]) else chosen[0]
    return f"{path}:{limits}" if limits else path


def show_groups(page: ResultsPage, board: SlicedScores, groups: Grouping) -> None:
    """Draw the groups of models and their differences."""
    shell.section(f"Models by {groups.by.title}")
    shell.show(group_table(page, board, groups))
    if groups.gaps:
        shell.show(gap_table([Gap(gap.group, gap.first, gap.difference) for gap in groups.gaps], first=True))
    sentences = [
        ("Every model of a group counts equally. Intervals reflect the choice of items, not the choice of models."),
        *(
            f"{gap.group} minus {gap.first}: {markup.count(gap.left_out, 'item')} left out because some of these "
            "models have no score."
            for gap in groups.gaps
            if gap.left_out
        ),
        *groups.notes,
    ]
    shell.show(
        markup.tag("ul", *(markup.tag("li", markup.text(sentence)) for sentence in sentences), style="ts ts-small")
    )


def group_table(page: ResultsPage, cut: SlicedScores, found: Grouping) -> markup.Markup:
    """Return a table of groups and slices. Each number has the interval that is drawn for the mean over answers.

    The models of a group link to their answers, and so do the numbers of a group of one model.
    """
    known = [
        limit for group in found.groups for limit in (group.whole.found.low, group.whole.found.high) if limit == limit
    ]
    ends = (
        (cut.low, cut.high)
        if cut.low is not None and cut.high is not None
        else (min(known, default=0), max(known, default=1))
    )
    parts = [("Mean over " + cut.slicing.way.title.lower() + "s", "")] if cut.of_parts else []
    slices = [(cut.slicing.title(at), "") for at in range(len(cut.slicing.labels))]
    heads = [("Models", "name"), (f"{ends[0]:g} to {ends[1]:g}", ""), ("Mean over answers", ""), *parts, *slices]
    rows = []
    for group in found.groups:
        models = group.whole.models
        links = [markup.link(model, _address(page, cut, cut.whole[model])) for model in models]
        count = markup.quiet(f"{markup.count(len(models), 'model')}: ")
        about = markup.tag("div", count, markup.joined(links, ", "), style="ts-small")
        lines = [group.whole, *([group.of_parts] if group.of_parts else []), *group.cells]
        rows.append(
            [
                markup.joined([markup.tag("b", markup.text(group.label)), about]),
                shown.interval_markup(group.whole, ends),
                *(shown.number(line, ends, href=_of_group(page, cut, line)) for line in lines),
            ]
        )
    return shown.wide_table(heads, rows, part="groups")


def _of_group(page: ResultsPage, cut: SlicedScores, line: LeaderboardLine) -> str:
    """Return the address of the answers of a group's only model. The page *Cases* does not list several models."""
    return _address(page, cut, replace(line, model=line.models[0])) if len(line.models) == 1 else ""


def _address(page: ResultsPage, cut: SlicedScores, line: LeaderboardLine) -> str:
    by = cut.slicing.way.name
    return shown.cases_address(page.view, line, by=by, common=page.common, bins=page.bins, items=page.items)
