"""The row of this extension in the register of sections of results."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from extensions.slices import slice_contrasts
from extensions.slices.slice_contrasts import Contrast
from workflow.results.leaderboard import SlicedScores
from workflow.results.project_answers import ProjectAnswers
from workflow.results.result_sections import Options, ResultSection, ResultsPage
from workflow.results.slices import DIMENSION


class SliceSection(ResultSection):
    """Slices as a chart, and each slice against the model's other answers."""

    name = "slices"
    place = 60

    def of_boards(self, read: ProjectAnswers, boards: Sequence[SlicedScores], options: Options) -> Sequence[Any]:
        """Return the contrasts of each way of scoring."""
        return [slice_contrasts.contrasts(read, board) for board in boards]

    def draw(self, page: ResultsPage) -> None:
        """Draw the chart and the contrasts, if there are several slices."""
        from extensions.slices.page_section import show_slices

        if page.chosen is not None:
            show_slices(page, page.chosen.board, page.figures_of_board(self.name) or ())

    def notes(self, of_board: Sequence[Contrast], board: SlicedScores) -> Iterable[str]:
        """Yield how many slices would differ by chance, where items are not cut by dimension."""
        if of_board and board.slicing.way != DIMENSION:
            yield slice_contrasts.on_chance(of_board)
