"""Comparisons of models: groups of models, differences from the first model, and win rates by judges."""

from __future__ import annotations

from collections.abc import Sequence

from app import markup, shell
from app.results import shown
from workflow.results import win_rates
from workflow.results.leaderboard import Gap, SlicedScores
from workflow.results.leaderboard_page import Leaderboard, Leaderboards
from workflow.results.model_groups import Grouping
from workflow.results.win_rates import ModelComparison


def show_groups(chosen: Leaderboard) -> None:
    """Draw the groups of models and their differences, if models are grouped."""
    if chosen.groups is None:
        return
    shell.section(f"Models by {chosen.groups.by.title}")
    shell.show(group_table(chosen.board, chosen.groups))
    if chosen.groups.gaps:
        shell.show(gap_table([Gap(gap.group, gap.first, gap.difference) for gap in chosen.groups.gaps], first=True))
    told = [
        "Every model of a group counts alike. Intervals are over items: they say what other items would give with these"
        " models, and nothing of other models.",
        *(
            f"{gap.group} less {gap.first}: {markup.count(gap.left_out, 'item')} left out, as not all of these"
            " models have a score on them."
            for gap in chosen.groups.gaps
            if gap.left_out
        ),
        *chosen.groups.notes,
    ]
    shell.show(markup.tag("ul", *(markup.tag("li", markup.text(each)) for each in told), style="ts ts-small"))


def group_table(cut: SlicedScores, found: Grouping) -> markup.Markup:
    """Return a table of groups and slices. Each number has the interval that is drawn for the mean over answers."""
    known = [each for group in found.groups for each in (group.whole.found.low, group.whole.found.high) if each == each]
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
        about = markup.tag(
            "div", markup.quiet(markup.count(len(models), "model")), style="ts-small", title=", ".join(models)
        )
        lines = [group.whole, *([group.of_parts] if group.of_parts else []), *group.cells]
        rows.append(
            [
                markup.joined([markup.tag("b", markup.text(group.label)), about]),
                shown.interval_markup(group.whole, ends),
                *(shown.number(line, ends) for line in lines),
            ]
        )
    return shown.wide_table(heads, rows, part="groups")


def show_gaps(chosen: Leaderboard) -> None:
    """Draw the difference of each model from the first one, if there are several."""
    if chosen.gaps:
        shell.section(f"Next to {chosen.gaps[0].first}, on the same items")
        shell.show(gap_table(chosen.gaps))


def gap_table(gaps: Sequence[Gap], *, first: bool = False) -> markup.Markup:
    """Return a table of the differences between models. ``first``: the other model varies, so name it in each row."""
    ends = shown.ends_of(gap.difference for gap in gaps)
    heads = [("Model", "name"), *shown.difference_heads(ends, "Items"), ("Remark", "")]
    rows = [
        [
            markup.text(f"{gap.model} less {gap.first}" if first else gap.model),
            *shown.difference_cells(gap.difference, ends),
            markup.quiet(gap.difference.reason or gap.difference.method),
        ]
        for gap in gaps
    ]
    return markup.tag("div", markup.table(heads, rows), data_part="gaps")


def show_compared(found: Leaderboards) -> None:
    """Draw the win rates, if judges have compared answers of two models."""
    if found.compared:
        shell.section("Comparisons of two models")
        shell.show(comparison_table(found.compared))


def comparison_table(compared: Sequence[ModelComparison]) -> markup.Markup:
    """Return a table of how often each model's answers win against another model's, by judge."""
    heads = [
        ("Judge", "name"),
        ("Model", "name"),
        ("Against", "name"),
        ("Win rate", ""),
        ("Won", ""),
        ("Lost", ""),
        ("Even", ""),
        ("By position", ""),
        ("Left out", ""),
        ("Lowest to highest", ""),
    ]
    rows = []
    for each in compared:
        left_out = each.failed + each.waiting + each.earlier
        rows.append(
            [
                markup.text(each.judge),
                markup.tag("b", markup.text(each.model)),
                markup.text(each.baseline),
                shown.rate(each.rate, f"n {each.n}", title=win_rates.sentence(each)),
                *(markup.text(str(n)) for n in (each.wins, each.losses, each.ties, each.inconsistent, left_out)),
                markup.text(f"{each.lowest:.2f} to {each.highest:.2f}" if each.n else "-"),
            ]
        )
    note = (
        "Both orders of a pair are one comparison: won or lost where both replies prefer the same answer, even where"
        " both say so, by position where they differ. Even and by position count half. Left out: a reply without a"
        " verdict, an order that was not asked, an answer that was given anew since; lowest and highest are the rate if"
        " those were all lost, or won."
    )
    return markup.tag("div", markup.table(heads, rows), markup.quiet(note), data_part="comparisons")
