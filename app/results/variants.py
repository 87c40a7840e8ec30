"""Variants of the same items, pair by pair: the difference of each model's score between two variants."""

from __future__ import annotations

from collections.abc import Sequence

from app import markup, shell
from app.results import shown
from domain.records import ProjectView
from workflow.results import item_pairs, leaderboard_lines
from workflow.results.item_pairs import PairedDifference
from workflow.results.leaderboard import SlicedScores
from workflow.results.leaderboard_page import Leaderboards


def show_pairs(view: ProjectView, found: Leaderboards, cut: SlicedScores) -> None:
    """Draw the chosen score on variants of the same items."""
    rows = found.pairs.get(cut.title, ())
    if not rows:
        return
    shell.section("Variants of the same items, pair by pair")
    shell.show(pair_table(rows))
    shown.download(
        "Pairs as CSV",
        lambda: item_pairs.as_csv([row for lot in found.pairs.values() for row in lot]),
        f"{view.name}-results-pairs.csv",
        key="results.pairs",
    )


def pair_table(rows: Sequence[PairedDifference]) -> markup.Markup:
    """Return a table of each model's difference between two variants, with pairs used and left out."""
    ends = shown.ends_of(row.difference for row in rows)
    heads = [
        ("Model", "name"),
        ("Variants", ""),
        ("Means", "number"),
        *shown.difference_heads(ends, "Pairs"),
        ("Higher, lower, equal", "number"),
        ("p (Holm)", "number"),
        ("Left out", ""),
    ]
    cells = []
    for row in rows:
        at = row.difference
        p = f"{row.p_adjusted:.3f}, {item_pairs.TESTS[at.test.name]}" if at.test else "-"
        cells.append(
            [
                markup.tag("b", markup.text(row.model)),
                markup.text(f"{row.second} less {row.first}"),
                markup.text(f"{row.means[1]:.2f} less {row.means[0]:.2f}" if at.defined else "-"),
                *shown.difference_cells(at, ends),
                markup.text(f"{row.higher}, {row.lower}, {row.equal}"),
                markup.text(p),
                markup.quiet(leaderboard_lines.reasons_in_words(row.left_out) or "none"),
            ]
        )
    return shown.wide_table(heads, cells, part="pairs")
