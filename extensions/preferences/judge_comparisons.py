"""The section *Comparisons of two models* of results: how often judges that compare answers prefer each model's."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from db.engine import Store
from domain.evidence import PrintedFigure, RowSelection
from exporters.writing import write_files
from extensions.preferences import judge_win_rates
from extensions.preferences.judge_win_rates import ModelComparison
from workflow.results.project_answers import ProjectAnswers
from workflow.results.result_sections import ResultSection, ResultsPage


class ComparisonSection(ResultSection):
    """Win rates by judges."""

    name = "comparisons"
    place = 80
    option = "--comparisons"
    printed = "wins"
    without_scores = True

    def of_project(self, store: Store, read: ProjectAnswers, *, together: str | None, key_only: bool) -> Any:
        """Return the comparisons by each judge of each pair of models."""
        return [] if key_only else judge_win_rates.comparisons(store, read, person=None, together=together)

    def printed_figures(self, of_project: Sequence[ModelComparison]) -> Iterable[PrintedFigure]:
        """Yield each win rate for the evidence of releases."""
        from workflow.releases.printed_figures import REPLIES, slug

        for compared in of_project:
            rate, out = compared.rate, compared.failed + compared.waiting + compared.earlier
            id = ".".join(map(slug, (self.printed, compared.judge, compared.model, compared.baseline)))
            title = f"{compared.model} against {compared.baseline}, by {compared.judge}"
            value, low, high = (
                number if math.isfinite(number) else None for number in (rate.value, rate.low, rate.high)
            )
            yield PrintedFigure(
                id, title, value, low, high, compared.n, out, rate.method, rate.reason, [RowSelection(REPLIES)]
            )

    def draw(self, page: ResultsPage) -> None:
        """Draw the win rates, if judges have compared answers of two models."""
        from app import shell
        from extensions.preferences.page_parts import comparison_table

        compared = page.found.sections.get(self.name)
        if compared:
            shell.section("Comparisons of two models")
            shell.show(comparison_table(compared))

    def remarks(self, of_project: Sequence[ModelComparison], value: Any, *, form: str) -> Iterable[str]:
        """Write the file of the option, or say that a CSV lacks the comparisons."""
        if value is not None:
            write_files({value: judge_win_rates.as_csv(of_project).encode()})
            yield f"Comparisons written to {value}: {len(of_project)}"
        elif of_project and form == "csv":
            left = f"{len(of_project)} comparison{'' if len(of_project) == 1 else 's'}"
            yield f"Not in this table: {left}. To export the comparisons, use --comparisons FILE.csv."

    def ending(self, of_project: Sequence[ModelComparison]) -> Iterable[str]:
        """Yield how often each model's answers win against another model's, by judge."""
        if not of_project:
            return
        yield ""
        yield "Comparisons: how often a judge prefers a model's answer (both orders of a pair count as one comparison)"
        names = [f"{comparison.model} against {comparison.baseline}" for comparison in of_project]
        judges, width = max(len(comparison.judge) for comparison in of_project), max(map(len, names))
        yield f"  {'':<{judges}}  {'':<{width}}   rate  95 % interval   pairs  left out  lowest to highest"
        for comparison, name in zip(of_project, names, strict=True):
            at = comparison.rate
            limits = f"{at.low:.3f} to {at.high:.3f}" if at.low == at.low else "-"
            rate = f"{at.value:.3f}" if at.defined else "-"
            bounds = f"{comparison.lowest:.3f} to {comparison.highest:.3f}" if comparison.n else "-"
            out = comparison.failed + comparison.waiting + comparison.earlier
            figures = f"{rate:>5}  {limits:<15}  {comparison.n:>5}  {out:>8}  {bounds}"
            yield f"  {comparison.judge:<{judges}}  {name:<{width}}  {figures}"
            yield f"  {'':<{judges}}  {judge_win_rates.sentence(comparison)}"

    def json(self, of_project: Sequence[ModelComparison]) -> Mapping[str, Any]:
        """Return the comparisons as rows."""
        return {"comparisons": [comparison.as_row() for comparison in of_project]}
