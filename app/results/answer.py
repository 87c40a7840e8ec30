"""The top of the page Results: which model scores highest, and all models as dots with intervals."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Sequence

from agreement.statistic import Statistic
from app import addresses, markup
from app.charts import dot_plot
from app.markup import Markup
from app.results import shown, table
from app.widgets import items_switch
from domain.records import ProjectView
from domain.replies import counted_reasons
from domain.states import Items
from workflow.results.leaderboard import Gap, SlicedScores
from workflow.results.leaderboard_lines import LeaderboardLine
from workflow.results.leaderboard_page import Leaderboard
from workflow.results.result_sections import ResultsPage

FEW = 10
"""With fewer scored answers than this, a sentence gives counts and no mean."""
MOST = 20
"""Number of models in the plot. The table has all."""


def parts(page: ResultsPage, chosen: Leaderboard) -> Sequence[Markup]:
    """Return the sentence that the page opens with, which items count, and the plot of models."""
    view, cut, counting = page.view, chosen.board, page.found.counting
    return [
        finding(view, chosen, common=page.common, items=page.items),
        items_switch.counted_line(counting.sentence if counting is not None else None),
        table.loss_warning(cut),
        plot(view, cut, common=page.common, items=page.items),
    ]


def finding(view: ProjectView, chosen: Leaderboard, *, common: bool, items: Items | None) -> Markup:
    """Return the sentence that the page opens with."""
    cut = chosen.board
    scored = [model for model in cut.models if cut.whole[model].found.defined]
    if not scored:
        return markup.finding(markup.text("No answer has a score yet. Run a model, or import answers."))
    best = cut.whole[scored[0]]
    href = _cases(view, best, common=common, items=items)
    if len(scored) == 1:
        verb = "is the only model with scores:" if best.found.n_units < FEW else "is the only model with scores, at"
    else:
        verb = "has the highest score so far:" if best.found.n_units < FEW else "scores highest, at"
    parts = [
        markup.tag("b", markup.text(best.model)),
        markup.text(f" {verb} "),
        markup.link(_score(cut, best), href),
        markup.text(f"{_basis(best)}."),
    ]
    gap = next((gap for gap in chosen.gaps if gap.first == best.model), None)
    if gap is not None:
        parts.append(markup.text(f" {comparison(gap)}"))
    return markup.finding(*parts)


def _score(cut: SlicedScores, line: LeaderboardLine) -> str:
    """Return a score in words: counts if it rests on few answers."""
    at = line.found
    if at.n_units >= FEW:
        return f"{at.value:.2f}"
    total = at.value * at.n_units
    if cut.yes_no and math.isclose(total, round(total), abs_tol=1e-6):
        return f"{total:.0f} of {markup.count(at.n_units, 'answer')} right"
    return f"{total:g} points on {markup.count(at.n_units, 'answer')}"


def _basis(line: LeaderboardLine) -> str:
    """Return the interval and the number of answers. Counts have neither."""
    at = line.found
    if at.n_units < FEW:
        return ""
    limits = dot_plot.interval_words(_drawn(at.low), _drawn(at.high))
    return f" {limits} on {markup.count(at.n_units, 'answer')}".replace("  ", " ")


def comparison(gap: Gap) -> str:
    """Return how the first model compares with the next one, on the items that both answered."""
    at = gap.difference
    if not at.defined or at.n_units < FEW:
        return (
            f"A comparison with {gap.model} is not possible yet, because the two models share only "
            f"{markup.count(at.n_units, 'item')}."
        )
    limits = _limits(at)
    if limits is None:
        return (
            f"This model leads {gap.model} by {-at.value:.2f} on the same {at.n_units:,} items. This difference has "
            "no interval."
        )
    low, high = limits
    if low > 0:
        return (
            f"This model leads {gap.model} by {-at.value:.2f} [{low:.2f}, {high:.2f}] on the same {at.n_units:,} items."
        )
    return (
        f"{gap.first} and {gap.model} show no clear difference yet on the same {at.n_units:,} items. The difference "
        f"is {markup.decimal(-at.value)} [{markup.decimal(low)}, {markup.decimal(high)}]."
    )


def _limits(at: Statistic) -> tuple[float, float] | None:
    """Return the interval of the lead, which is the difference with the other sign."""
    return None if math.isnan(at.low) else (-at.high, -at.low)


def plot(view: ProjectView, cut: SlicedScores, *, common: bool, items: Items | None) -> Markup:
    """Return the models with scores as dots, and one line for each reason why others have none."""
    scored = [cut.whole[model] for model in cut.models if cut.whole[model].found.defined]
    rows = [
        dot_plot.DotRow(
            line.model,
            line.found.value,
            _drawn(line.found.low),
            _drawn(line.found.high),
            _n(line),
            href=_cases(view, line, common=common, items=items),
            link="show answers",
        )
        for line in scored[:MOST]
    ]
    ends = (cut.low, cut.high) if cut.low is not None and cut.high is not None and cut.low < cut.high else None
    parts = [dot_plot.dot_plot(rows, title=cut.title, ends=ends or _around(rows))] if rows else []
    if len(scored) > MOST:
        parts.append(
            markup.paragraph(
                f"The table also lists {markup.count(len(scored) - MOST, 'other model')}.", style="ts ts-small"
            )
        )
    if rows:
        parts.append(markup.tag("p", markup.quiet(_losses(cut, scored)), style="ts ts-small", data_part="left-out"))
    without: dict[str, list[str]] = defaultdict(list)
    for model in cut.models:
        if not cut.whole[model].found.defined:
            without[cut.whole[model].found.reason or "no answer has a score"].append(model)
    for reason, models in without.items():
        words = f"No score for {', '.join(models[:MOST])}{' and others' if len(models) > MOST else ''}: {reason}."
        parts.append(markup.tag("p", markup.quiet(words), style="ts ts-small", data_part="undefined"))
    return markup.joined(parts)


def _n(line: LeaderboardLine) -> str:
    left = sum(line.left_out.values())
    return f"n = {line.found.n_units:,}" + (f", {left:,} left out" if left else "")


def _losses(cut: SlicedScores, lines: Sequence[LeaderboardLine]) -> str:
    """Return what the plot leaves out, by reason. A warning about losses is not repeated."""
    sentences = ["Lines are 95 % intervals."]
    if cut.losses is not None and not cut.losses.warns:
        sentences.append(cut.losses.count)
    lost: Counter[str] = Counter()
    for line in lines:
        lost.update(line.left_out)
    if lost:
        sentences.append(f"Not counted: {counted_reasons(lost)}.")
    return " ".join(sentences)


def _drawn(end: float) -> float | None:
    return None if math.isnan(end) else end


def _around(rows: list[dot_plot.DotRow]) -> tuple[float, float]:
    known = [end for row in rows for end in (row.value, row.low, row.high) if end is not None]
    low, high = min(known), max(known)
    return (low, high) if low < high else (low - 0.5, high + 0.5)


def _cases(view: ProjectView, line: LeaderboardLine, *, common: bool, items: Items | None) -> str:
    return addresses.cases(
        view.name,
        scores=line.scores,
        model=None if line.respondents else line.model,  # all people together have no cases
        common="1" if common else None,
        items=items,
        reader=shown.other_reader(line.reader),
    )
