"""The row of this extension in the register of sections of results."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from extensions.side_by_side import criteria_blocks
from extensions.side_by_side.criteria_blocks import Block, ModelRow
from workflow.results.leaderboard import SlicedScores
from workflow.results.project_answers import ProjectAnswers
from workflow.results.result_sections import ResultSection, ResultsPage


class CriteriaSection(ResultSection):
    """The criteria of one rater next to each other."""

    name = "criteria"
    place = 50
    option = "--side-by-side"

    def draw(self, page: ResultsPage) -> None:
        """Draw the criteria as the chosen rater scores them."""
        from extensions.side_by_side.page_section import show_criteria

        if page.chosen is not None:
            show_criteria(page, page.chosen.board)

    def alone(self, read: ProjectAnswers, boards: Sequence[SlicedScores], *, by: str, form: str) -> str:
        """Return one table for everyone who scores."""
        blocks = criteria_blocks.blocks(boards)
        if form == "csv":
            return criteria_blocks.as_csv(blocks)
        if form == "json":
            document = {"project": read.project, "by": by, "rows": criteria_blocks.as_rows(blocks)}
            return json.dumps(document, indent=2, ensure_ascii=False) + "\n"
        return "\n".join(text_table(read, blocks)) + "\n"


def text_table(read: ProjectAnswers, blocks: Sequence[Block]) -> Iterator[str]:
    """Yield the criteria side by side as lines for people: one block for each rater."""
    if read.counting is not None:
        yield read.counting.sentence
    if not blocks:
        yield "No rater has scored two or more criteria."
    for block in blocks:
        yield ""
        yield block.title
        titles: dict[str | None, str] = dict(block.titles) | {None: "all answers"}
        names = [(row.model, "mean over parts" if row.over == "parts" else titles[row.part]) for row in block.rows]
        models, parts = max(len(model) for model, _ in names), max(len(part) for _, part in names)
        cells = [[_beside(row, name) for name in block.criteria] for row in block.rows]
        widths = [max(len(cell) for cell in column) for column in zip(block.criteria, *cells, strict=True)]
        heads = "  ".join(f"{name:<{width}}" for name, width in zip(block.criteria, widths, strict=True))
        yield f"  {'':<{models}}  {'':<{parts}}  {heads}".rstrip()
        for (model, part), cells_of_row in zip(names, cells, strict=True):
            line = "  ".join(f"{cell:<{width}}" for cell, width in zip(cells_of_row, widths, strict=True))
            yield f"  {model:<{models}}  {part:<{parts}}  {line}".rstrip()
    if blocks:
        yield ""
        yield (
            "  Next to each score: its 95 % interval, and the number of scored answers. For scores of "
            "0 or 1, the number of ones comes first, such as 34/40."
        )


def _beside(row: ModelRow, name: str) -> str:
    line = row.lines.get(name)
    if line is None or not line.found.defined:
        return "-"
    at, count = line.found, row.counts.get(name)
    limits = f" {at.low:.3f} to {at.high:.3f}" if at.low == at.low else ""
    return f"{at.value:.3f}{limits} ({at.n_units if count is None else f'{count}/{at.n_units}'})"
