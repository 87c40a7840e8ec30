"""A confusion matrix as a chart: one rater's answers in rows, another rater's answers to the same units in columns."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import streamlit as st

from app import markup, shell
from app.charts import page_chart
from reports.vega import ChartSpec, matrix
from workflow.results.confusions import MOST_VALUES, Confusion, Counts

EVERYONE = "All pairs of raters"
CELL = (120, 44)
"""Width and height of a cell, in pixels."""
_BESIDES = (240, 90)
"""Pixels for the labels on the left and at the bottom."""


PairAddress = Callable[[Confusion, tuple[str, str], tuple[Any, Any]], str]
"""Returns the address of the items to which two raters gave two values. Empty: none."""


def whose(found: Confusion) -> dict[str, tuple[str, str, Counts]]:
    """Return the possible comparisons by title: the raters of rows and columns, and the counts.

    Empty if there are none.
    """
    pairs = {f"{one} and {two}": (one, two, counts) for (one, two), counts in found.of_pair.items()}
    if len(found.of_rater) == 2:
        return pairs
    with_others = {f"{rater} and all others": (rater, "all others", counts) for rater, counts in found.of_rater.items()}
    return {EVERYONE: ("one answer", "another person's", found.everyone), **pairs, **with_others} if with_others else {}


def confusion_chart(found: Confusion, chosen: str, labels: Mapping[Any, str], *, unit: str) -> ChartSpec:
    """Return the matrix of ``chosen``, a key of ``whose``.

    Parameters
    ----------
    labels
        The labels of values. A value without a label is shown as it is.
    unit
        The noun of a rated unit.
    """
    down, across, counts = whose(found)[chosen]
    names = [labels.get(value, str(value)) for value in found.values]
    rows, columns = [sum(row) for row in counts], [sum(column) for column in zip(*counts, strict=True)]
    n, same = sum(rows), sum(counts[at][at] for at in range(len(names)))
    twice = chosen == EVERYONE
    cells = [
        {
            "row": at,
            "column": to,
            "said": names[at],
            "other": names[to],
            "n": count,
            "shown": f"{count:,}",
            "share": count / rows[at] if rows[at] else 0.0,
        }
        for at, row in enumerate(counts)
        for to, count in enumerate(row)
    ]
    tooltip = [
        {"field": "said", "title": down},
        {"field": "other", "title": across},
        {"field": "n", "title": "pairs of answers", "format": ","},
        {"field": "share", "title": "of the row", "format": ".1%"},
    ]
    layers = matrix(
        [(name, f"{total:,} in all") for name, total in zip(names, rows, strict=True)],
        [(name, f"{total:,} in all") for name, total in zip(names, columns, strict=True)],
        cells,
        titles=(down, across),
        cell_width=CELL[0],
        tooltip=tooltip,
    )
    table: list[list[str | int]] = [[name, *row, total] for name, row, total in zip(names, counts, rows, strict=True)]
    table.append(["In all", *columns, n])
    width, height = (a * len(names) + b for a, b in zip(CELL, _BESIDES, strict=True))
    return ChartSpec(
        "confusion",
        _finding(names, counts, n, same, twice=twice),
        _about(n, unit, down, across, twice=twice),
        layers,
        [f"{down} \N{RIGHTWARDS ARROW} {across}", *names, "In all"],
        table,
        height,
        width,
    )


def _finding(names: Sequence[str], counts: Counts, n: int, same: int, *, twice: bool) -> str:
    many = n // 2 if twice else n
    equal = same // 2 if twice else same
    if not n:
        return "No two raters have rated the same unit yet."
    sentence = f"{equal:,} of {markup.count(many, 'pair')} of answers agree ({100 * equal / many:.0f} %)"
    apart = {
        (at, to): counts[at][to] + (0 if twice else counts[to][at])
        for at in range(len(names))
        for to in range(at + 1, len(names))
    }
    most = max(apart, key=apart.__getitem__, default=(0, 0))
    if not apart.get(most):
        return f"{sentence}."
    return f"{sentence}. Most common difference: {names[most[0]]} and {names[most[1]]} ({apart[most]:,})."


def _about(n: int, unit: str, down: str, across: str, *, twice: bool) -> str:
    sides = " Each pair counts in both directions." if twice else ""
    return (
        f"The rows show {down}, and the columns show {across}, for the same {unit}. The matrix contains "
        f"{markup.count(n // 2 if twice else n, 'pair')} of answers.{sides} A darker cell has a larger share of "
        f"its row."
    )


def show(
    project: str,
    found: Sequence[Confusion],
    titles: Sequence[str],
    labels: Mapping[str, Mapping[Any, str]],
    *,
    unit: str,
    key: str,
    address: PairAddress,
) -> None:
    """Draw the choice of a criterion and of raters, and their confusion matrix.

    Parameters
    ----------
    titles
        The titles of ``found``, in the same order.
    labels
        The labels of values, by criterion.
    unit
        The noun of a rated unit.
    key
        The choice is kept under this key.
    address
        Returns the address of the items on which two raters gave these two values.
    """
    drawn = {title: matrix for title, matrix in zip(titles, found, strict=True) if whose(matrix)}
    if not drawn:
        return
    shell.section("Confusion matrix")
    left, right = st.columns(2)
    confusion = drawn[_chosen(left, "About", [*drawn], key=f"agreement.confusion.about.{key}")]
    chosen = _chosen(right, "Whose answers", [*whose(confusion)], key=f"agreement.confusion.whose.{key}")
    chart = confusion_chart(confusion, chosen, labels.get(confusion.criterion, {}), unit=unit)
    page_chart.show(chart, project=project, address=_addresses(confusion, chosen, address))
    wide = [title for title, matrix in zip(titles, found, strict=True) if not matrix.values]
    if wide:
        words = (
            f"There is no matrix for {', '.join(wide)}, because the answers have more than {MOST_VALUES} values, or "
            "values that cannot be counted."
        )
        shell.show(markup.tag("p", markup.quiet(words), style="ts ts-small"))


def _addresses(found: Confusion, chosen: str, address: PairAddress) -> page_chart.Address:
    """Return the addresses behind the numbers of the table. Only two raters have such items, each number above 0."""
    one, two, counts = whose(found)[chosen]

    def of_cell(row: int, column: int) -> str:
        last = len(found.values)
        if (one, two) not in found.of_pair or row == last or not 1 <= column <= last or not counts[row][column - 1]:
            return ""
        return address(found, (one, two), (found.values[row], found.values[column - 1]))

    return of_cell


def _chosen(place: Any, label: str, options: Sequence[str], *, key: str) -> str:
    """Draw a select box and return the chosen option. A choice that is no longer an option is reset."""
    if st.session_state.get(key) not in options:
        st.session_state.pop(key, None)
    with place:
        return str(st.selectbox(label, options, key=key))
