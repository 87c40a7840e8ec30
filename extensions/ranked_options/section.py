"""The row of this extension in the register of sections of results."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from db.engine import Store
from extensions.ranked_options.accuracy import OptionRankings, rank_options
from workflow.results.project_answers import ProjectAnswers
from workflow.results.result_sections import ResultSection, ResultsPage


class RankingSection(ResultSection):
    """The accuracy of models that ranked options, under each score."""

    name = "ranked"
    place = 70

    def of_project(self, store: Store, read: ProjectAnswers, *, together: str | None, key_only: bool) -> Any:
        """Return the accuracies; None if no model ranked options."""
        return rank_options(store, read, person=None, together=together)

    def draw(self, page: ResultsPage) -> None:
        """Draw the accuracies, if a model ranked options."""
        from extensions.ranked_options.page_section import show_ranked

        ranked = page.found.sections.get(self.name)
        if ranked is not None:
            show_ranked(ranked)

    def ending(self, of_project: OptionRankings | None) -> Iterable[str]:
        """Yield each model's accuracy under each score."""
        from app.results.text_lines import figures

        if of_project is None:
            return
        yield ""
        yield "Accuracy of ranked options for each score"
        width = max(len(model) for model, _ in of_project.by_score)
        for (model, score), line in of_project.by_score.items():
            yield f"  {model:<{width}}  {score:<16}  {figures(line)}"
        for warning in of_project.warnings:
            yield f"  Warning: {warning}"
