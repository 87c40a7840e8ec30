"""The row of this extension in the register of sections of results."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from domain.english import with_noun
from domain.records import ProjectView
from extensions.model_groups.group_means import Grouping, grouped, parse_grouping
from workflow.results.leaderboard import SlicedScores
from workflow.results.leaderboard_lines import LeaderboardLine
from workflow.results.project_answers import ProjectAnswers
from workflow.results.result_sections import Options, ResultSection, ResultsPage


class GroupSection(ResultSection):
    """Means of groups of models, and differences between groups."""

    name = "groups"
    place = 10
    option = "--group-models-by"
    chooses = True

    def of_boards(self, read: ProjectAnswers, boards: Sequence[SlicedScores], options: Options) -> Sequence[Any]:
        """Return the groups of each way of scoring, if models are grouped."""
        if self.option not in options:
            return [None] * len(boards)
        by = parse_grouping(read, options[self.option])
        return [grouped(read, board, by) for board in boards]

    def further_lines(self, of_board: Grouping | None) -> Sequence[LeaderboardLine]:
        """Return the lines of the groups."""
        return of_board.lines() if of_board else ()

    def choose(self, view: ProjectView, attributes: Sequence[str]) -> str | None:
        """Draw the choice of attributes, and return it in the form of the option."""
        from extensions.model_groups.page_section import choose_groups

        return choose_groups(view, attributes)

    def draw(self, page: ResultsPage) -> None:
        """Draw the groups, if models are grouped."""
        from extensions.model_groups.page_section import show_groups

        groups = page.figures_of_board(self.name)
        if page.chosen is not None and groups is not None:
            show_groups(page, page.chosen.board, groups)

    def rows(self, of_board: Grouping | None, board: SlicedScores) -> Iterable[str]:
        """Yield the models' scores by group, the number of models in each group, and the differences between groups."""
        from app.results.text_lines import block

        if of_board is None:
            return
        yield (
            f"  Models by {of_board.by.title}: every model of a group counts equally, and intervals "
            "reflect the choice of items"
        )
        if of_board.groups:
            yield from block(board, of_board.lines())
        for group in of_board.groups:
            n = len(group.whole.models)
            yield f"  {group.label}: {with_noun(n, 'model')}, {', '.join(group.whole.models)}"
        for gap in of_board.gaps:
            at = gap.difference
            limits = f"{at.low:+.3f} to {at.high:+.3f}" if at.low == at.low else "-"
            value = f"{at.value:+.3f}" if at.defined else "-"
            items = with_noun(at.n_units, "item")
            apart = f"{value}  {limits}  {items}, {gap.left_out} left out  {at.reason or ''}".rstrip()
            yield f"  {gap.group} less {gap.first}: {apart}"
        for note in of_board.notes:
            yield f"  {note}"

    def json_of_board(self, of_board: Grouping | None) -> Mapping[str, Any]:
        """Return the lines of the groups with the models of each."""
        if of_board is None:
            return {}
        return {"groups": [{**line.as_row(), "of": line.models} for line in of_board.lines()]}
