"""The section *Criteria side by side* of the page *Results*."""

from __future__ import annotations

from collections.abc import Mapping

from app import markup, shell
from app.results import shown
from domain.records import ProjectView
from domain.states import Items
from extensions.side_by_side import criteria_blocks
from extensions.side_by_side.criteria_blocks import Block
from workflow.results.leaderboard import SlicedScores
from workflow.results.result_sections import ResultsPage
from workflow.results.score_choices import Scores
from workflow.results.slices import Bins


def show_criteria(page: ResultsPage, cut: SlicedScores) -> None:
    """Draw the criteria side by side, as the chosen rater scores them. For the key, use people's scores."""
    blocks = criteria_blocks.blocks([part.board for part in page.found.of.values()])
    of = cut.scores
    wanted = ("human" if of.kind == "key" else of.kind, of.judge, of.method)
    block = next(
        (block for block in blocks if (block.scores.kind, block.scores.judge, block.scores.method) == wanted), None
    )
    if block is None:
        return
    shell.section(f"Criteria side by side: {block.title}")
    shell.show(
        beside_table(page.view, block, cut, page.found.ends, common=page.common, bins=page.bins, items=page.items)
    )
    shown.download(
        "Side by side as CSV",
        lambda: criteria_blocks.as_csv(blocks),
        f"{page.view.name}-results-side-by-side.csv",
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
