"""Scores side by side: all ways of scoring, the criteria of one rater, and the scores of ranked options."""

from __future__ import annotations

from collections.abc import Mapping

from app import markup, shell
from app.results import shown
from domain.records import ProjectView
from domain.states import Items
from workflow.results import side_by_side
from workflow.results.leaderboard import SlicedScores
from workflow.results.leaderboard_page import Leaderboard, Leaderboards
from workflow.results.ranked_options import OptionRankings
from workflow.results.score_choices import Scores
from workflow.results.side_by_side import Block
from workflow.results.slices import Bins


def show_overview(
    view: ProjectView, found: Leaderboards, chosen: Leaderboard, *, common: bool, items: Items | None
) -> None:
    """Draw all ways of scoring, if there are several. Models have the order of the chosen one."""
    if len(found.titles) < 2:
        return
    shell.section("Every way of scoring, mean over answers")
    heads = [("Model", "name"), *((title, "") for title in found.titles.values())]
    rows = [
        [
            markup.tag("b", markup.text(model)),
            *(
                shown.cell(view, found.overview[model, each], found.ends[each], by="", common=common, items=items)
                for each in found.titles
            ),
        ]
        for model in chosen.board.models
    ]
    shell.show(shown.wide_table(heads, rows, part="overview"))


def show_criteria(
    view: ProjectView, found: Leaderboards, cut: SlicedScores, *, common: bool, bins: Bins, items: Items | None
) -> None:
    """Draw the criteria side by side, as the chosen rater scores them. For the key, use people's scores."""
    blocks = side_by_side.blocks([each.board for each in found.of.values()])
    of = cut.scores
    wanted = ("human" if of.kind == "key" else of.kind, of.judge, of.method)
    block = next((each for each in blocks if (each.scores.kind, each.scores.judge, each.scores.method) == wanted), None)
    if block is None:
        return
    shell.section(f"Criteria side by side: {block.title}")
    shell.show(beside_table(view, block, cut, found.ends, common=common, bins=bins, items=items))
    shown.download(
        "Side by side as CSV",
        lambda: side_by_side.as_csv(blocks),
        f"{view.name}-results-side-by-side.csv",
        key="results.beside",
    )


def beside_table(
    view: ProjectView,
    block: Block,
    cut: SlicedScores,
    ends: Mapping[Scores, tuple[float | None, float | None]],
    *,
    common: bool,
    bins: Bins,
    items: Items | None = None,
) -> markup.Markup:
    """Return a table with a row for each model and slice, and a column for each criterion with its counts."""
    way = cut.slicing.way
    criteria = [(name.replace("_", " ").capitalize(), "") for name in block.criteria]
    heads = [("Model", "name"), (way.title, ""), *criteria]
    titles: dict[str | None, str] = dict(block.titles) | {None: "all"}
    rows = []
    for row in block.rows:
        part = f"mean over {way.title.lower()}s" if row.over == "parts" else titles[row.part]
        cells = [
            shown.cell(
                view,
                line,
                ends[line.scores],
                by=way.name,
                common=common,
                bins=bins,
                items=items,
                count=row.counts.get(name),
            )
            if (line := row.lines.get(name))
            else markup.quiet("-")
            for name in block.criteria
        ]
        rows.append([markup.tag("b", markup.text(row.model)), markup.text(part), *cells])
    return shown.wide_table(heads, rows, part="side-by-side")


def show_ranked(found: Leaderboards) -> None:
    """Draw the accuracy of ranked options under each score, if there are any."""
    if found.ranked is not None:
        shell.section("Ranked options, by every score")
        for warning in found.ranked.warnings:
            shell.show(markup.notice(warning, style="bad"))
        shell.show(ranked_table(found.ranked))


def ranked_table(ranked: OptionRankings) -> markup.Markup:
    """Return a table of the accuracy that each model would have under each score of its likelihoods."""
    heads = [("Model", "name"), *((name.replace("_", " "), "") for name in ranked.scores), ("Winner depends", "")]
    rows = []
    for model in sorted(ranked.depends):
        row = [markup.tag("b", markup.text(model))]
        for name in ranked.scores:
            line = ranked.by_score.get((model, name))
            if line is None:
                row.append(markup.quiet("not scored so"))
                continue
            used = ", its answers" if ranked.used.get(model) == name else ""
            row.append(shown.rate(line.found, f"n {line.found.n_units}{used}", title=shown.tooltip(line)))
        n, of = ranked.depends[model]
        row.append(markup.text(f"on {n} of {of} items"))
        rows.append(row)
    return markup.tag("div", markup.table(heads, rows), data_part="ranked")
