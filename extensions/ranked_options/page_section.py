"""The section *Ranked options* of the page *Results*."""

from __future__ import annotations

from app import markup, shell
from app.results import shown
from extensions.ranked_options.accuracy import OptionRankings


def show_ranked(ranked: OptionRankings) -> None:
    """Draw the accuracy of ranked options under each score."""
    shell.section("Ranked options by score")
    for warning in ranked.warnings:
        shell.show(markup.notice(warning, style="bad"))
    shell.show(ranked_table(ranked))


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
