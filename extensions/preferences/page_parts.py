"""People's preferences as markup: win rates, strengths, effect of the left position, agreement, and judges."""

from __future__ import annotations

import math
from collections.abc import Sequence

from agreement import Statistic
from app import addresses, markup
from app.charts.dot_plot import DotRow, dot_plot
from app.markup import Markup
from app.results import shown
from app.results.answer import FEW
from domain.english import with_noun
from domain.states import Stage
from extensions.preferences import judge_win_rates, preference_files
from extensions.preferences.judge_win_rates import ModelComparison
from extensions.preferences.pair_votes import WinRate
from extensions.preferences.preference_figures import CriterionPreferences, OfCriterion, Share
from extensions.preferences.strengths import elo

STRENGTHS = (
    "Strengths are log strengths of Davidson's model, with mean 0. The difference of two strengths is "
    "the log odds that people prefer the first model, ignoring ties. Elo-like: "
    f"{preference_files.ELO_LIKE}."
)


def best(found: OfCriterion) -> WinRate | None:
    """Return how often the model that people prefer most is preferred. None without votes."""
    rates = [rate for rate in found.whole.rates if rate.against is None and rate.rate.defined]
    return max(rates, key=lambda rate: rate.rate.value, default=None)


def answer(project: str, found: OfCriterion) -> Markup:
    """Return which model people prefer by one criterion, with a link to its answers."""
    top = best(found)
    assert top is not None
    at, name = top.rate, markup.tag("b", markup.text(top.name))
    if at.n_units < FEW:
        ties = f" and ties {top.ties}" if top.ties else ""
        votes = markup.link(f"{top.wins}{ties} of {markup.count(at.n_units, 'vote')}", _answers(project, top))
        return markup.joined([name, markup.text(" wins "), votes, markup.text(" so far, too few to compare.")])
    limits = "" if math.isnan(at.low) else f" [{100 * at.low:.0f}, {100 * at.high:.0f}]"
    share = markup.link(markup.percent(at.value), _answers(project, top))
    rest = f"{limits} of {at.n_units:,} votes. Ties count half."
    return markup.joined([markup.text("People prefer "), name, markup.text(" in "), share, markup.text(rest)])


def other_line(project: str, found: OfCriterion) -> Markup:
    """Return the answer by another criterion, below its question."""
    question = markup.text(f"{found.title} ")
    return markup.tag("p", question, answer(project, found), style="ts", data_part="other-criterion")


def plot(project: str, found: OfCriterion) -> Markup:
    """Return all models as dots: how often each is preferred to the others."""
    rates = sorted((rate for rate in found.whole.rates if rate.against is None), key=lambda each: -each.rate.value)
    rows = [
        DotRow(
            each.name,
            each.rate.value,
            None if math.isnan(each.rate.low) else each.rate.low,
            None if math.isnan(each.rate.low) else each.rate.high,
            f"{each.wins:,} won, {with_noun(each.ties, 'tie')}, {each.losses:,} lost",
            _answers(project, each),
            "answers",
            percent=0,
        )
        for each in rates
        if each.rate.defined
    ]
    words = "Lines are 95 % intervals. The dashed line marks equal numbers of wins and losses."
    if found.agreement:
        differ = markup.link("Items with different votes", addresses.items(project, differ=Stage.COMPARISON))
        about = markup.joined([markup.quiet(f"{words} "), differ])
    else:
        about = markup.quiet(words)
    drawn = dot_plot(rows, title="Preferred", ends=(0.0, 1.0), marks=[0.5])
    return markup.joined([drawn, markup.tag("p", about, style="ts ts-small")])


def _answers(project: str, rate: WinRate) -> str:
    return addresses.cases(project, model=rate.name)


def models_table(part: CriterionPreferences) -> markup.Markup:
    """Return a table with a row for each model: how often it is preferred to all others, and its strength."""
    overall = [rate for rate in part.rates if rate.against is None]
    strengths = [part.strengths.of[model.name] for model in overall]
    ends = shown.ends_of(strengths)
    axis = f"{ends[0]:.2f} to {ends[1]:.2f}"
    of_strengths = (("Strength", "number"), ("95 % interval", "number"), (axis, "wide"), ("Elo-like", "number"))
    heads = [
        ("Model", "name"),
        ("Preferred", ""),
        ("Won", "number"),
        ("Ties", "number"),
        ("Lost", "number"),
        *(() if part.strengths.reason else of_strengths),
    ]
    rows = []
    for model, own in sorted(zip(overall, strengths, strict=True), key=lambda pair: -pair[0].rate.value):
        row = [
            markup.tag("b", markup.text(model.name)),
            shown.share(model.rate, f"n {model.rate.n_units}", title=_title(model.rate)),
            *(markup.text(n) for n in (model.wins, model.ties, model.losses)),
        ]
        if not part.strengths.reason:
            row += [*shown.difference_cells(own, ends)[:3], markup.text(f"{elo(own.value):.0f}")]
        rows.append(row)
    return shown.wide_table(heads, rows, part="strengths")


def matrix(part: CriterionPreferences) -> markup.Markup:
    """Return a matrix of how often the row's model is preferred to the column's model."""
    overall = sorted((rate for rate in part.rates if rate.against is None), key=lambda each: -each.rate.value)
    names = [rate.name for rate in overall]
    of = {(rate.name, rate.against): rate for rate in part.rates}
    heads = [("Preferred to", "name"), *((name, "") for name in names)]
    rows = []
    for name in names:
        cells = [markup.tag("b", markup.text(name))]
        for other in names:
            preferred = of.get((name, other))
            if preferred is None:
                cells.append(markup.quiet("-"))
                continue
            wins, ties, losses = preferred.wins, preferred.ties, preferred.losses
            title = f"{wins} won, {with_noun(ties, 'tie')}, {losses} lost; {_title(preferred.rate)}"
            cells.append(shown.share(preferred.rate, f"n {preferred.rate.n_units}", title=title))
        rows.append(cells)
    return shown.wide_table(heads, rows, part="matrix")


def slices_table(found: OfCriterion, by: str) -> markup.Markup:
    """Return a table by slice of how often each model is preferred to all others, with its strength."""
    names = [rate.name for rate in found.whole.rates if rate.against is None]
    heads = [(by, "name"), ("Votes", "number"), *((name, "") for name in names)]
    rows = []
    for part in found.parts[1:]:
        of = {rate.name: rate for rate in part.rates if rate.against is None}
        cells = [markup.text(part.title), markup.text(part.votes)]
        for name in names:
            preferred = of.get(name)
            if preferred is None:
                cells.append(markup.quiet("-"))
                continue
            own = part.strengths.of[name]
            strength = f"strength {own.value:+.2f}" if own.defined else str(own.reason)
            title = f"{_title(preferred.rate)}; {strength}"
            cells.append(shown.share(preferred.rate, f"n {preferred.rate.n_units}", title=title))
        rows.append(cells)
    return shown.wide_table(heads, rows, part="slices")


def judges_table(found: OfCriterion) -> markup.Markup:
    """Return a table of judges against the majority of people, over the pairs that both compared."""
    heads = [
        ("Judge", "name"),
        ("The same", ""),
        ("Kappa", ""),
        ("Agreement without ties", ""),
        ("By position", "number"),
        ("Without two verdicts", "number"),
        ("Not asked", "number"),
    ]
    rows = [
        [
            markup.tag("b", markup.text(judge.judge)),
            *(
                draw(at, f"n {at.n_units}", title=_title(at))
                for at, draw in ((judge.same, shown.share), (judge.kappa, shown.rate), (judge.decided, shown.share))
            ),
            *(markup.text(n) for n in (judge.by_place, judge.without_verdict, judge.not_asked)),
        ]
        for judge in found.judges
    ]
    return shown.wide_table(heads, rows, part="judges")


def marks_table(marks: Sequence[Share]) -> markup.Markup:
    """Return a table of how often each model's answers got each value, for criteria about each of the two answers."""
    columns = list(dict.fromkeys((mark.criterion, mark.value) for mark in marks))
    of = {(mark.model, mark.criterion, mark.value): mark for mark in marks}
    heads = [("Model", "name"), *((f"{criterion}: {value}", "") for criterion, value in columns)]
    rows = []
    for model in sorted({mark.model for mark in marks}):
        cells = [markup.tag("b", markup.text(model))]
        for criterion, value in columns:
            share = of.get((model, criterion, value))
            cells.append(
                markup.quiet("-")
                if share is None
                else shown.share(share.share, f"{share.n} of {share.share.n_units}", title=_title(share.share))
            )
        rows.append(cells)
    return shown.wide_table(heads, rows, part="marks")


def _title(at: Statistic) -> str:
    if not at.defined:
        return f"Undefined: {at.reason}"
    if math.isnan(at.low):
        return f"{at.value:.4f}; {at.reason}"
    return f"{at.value:.4f}, 95 % interval {at.low:.4f} to {at.high:.4f} ({at.method})"


def comparison_table(compared: Sequence[ModelComparison]) -> markup.Markup:
    """Return a table of how often each model's answers win against another model's, by judge."""
    heads = [
        ("Judge", "name"),
        ("Model", "name"),
        ("Against", "name"),
        ("Win rate", ""),
        ("Won", ""),
        ("Lost", ""),
        ("Ties", ""),
        ("By position", ""),
        ("Left out", ""),
        ("Lowest to highest", ""),
    ]
    rows = []
    for comparison in compared:
        left_out = comparison.failed + comparison.waiting + comparison.earlier
        rows.append(
            [
                markup.text(comparison.judge),
                markup.tag("b", markup.text(comparison.model)),
                markup.text(comparison.baseline),
                shown.share(comparison.rate, f"n {comparison.n}", title=judge_win_rates.sentence(comparison)),
                *(
                    markup.text(str(n))
                    for n in (comparison.wins, comparison.losses, comparison.ties, comparison.inconsistent, left_out)
                ),
                markup.text(markup.percent_limits(comparison.lowest, comparison.highest) if comparison.n else "-"),
            ]
        )
    note = (
        "Both orders of a pair count as one comparison. If both replies prefer the same answer, the "
        "comparison is won or lost. If both replies call the pair a tie, the comparison is a tie. If the "
        "replies differ, the comparison is by position. Ties and comparisons by position count half. A "
        "comparison is left out if a reply has no verdict, an order was not asked, or a model has "
        "answered again. The lowest rate counts all comparisons left out as lost, and the highest rate "
        "counts them as won."
    )
    return markup.tag("div", markup.table(heads, rows), markup.quiet(note), data_part="comparisons")
