"""Numbers of the page Results as markup: cells with links to cases, intervals, differences, wide tables, downloads."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence

import streamlit as st

from agreement.statistic import Statistic
from app import addresses, markup
from domain.errors import InvalidInputError
from domain.records import RULES, ProjectView
from domain.replies import counted_reasons
from domain.states import Items
from workflow.results.leaderboard_lines import LeaderboardLine
from workflow.results.slices import BINS, MOST_EDGES, Bins, edges_in_words, edges_of

NO_MODEL = "No model has answered yet. Start a run on the Runs page, or import answers from files."
_EDGES = "at:"
"""The beginning of bins that are written as their edges."""
WIDE = {"tabindex": "0", "role": "group", "aria_label": "Scrollable table"}
"""Attributes of a table that may be wider than the page: the scroll bar is always there, and arrow keys move it."""
MANY_COLUMNS = 9
"""Number of columns that fit into a window of 1280 pixels."""
STYLE = """
html body [data-testid="stMainBlockContainer"] { max-width: 1640px !important; }
.ts-wide-table { overflow-x: auto; padding-bottom: .3rem; }
.ts-wide-table:focus-visible { outline: 2px solid currentColor; }
.ts-wide-table :is(th, td):first-child { position: sticky; left: 0; z-index: 1;
  background: light-dark(#fbfbfa, #14181a); }
.ts-wide-table .ts-heat { min-width: 4.7rem; padding: .3rem .2rem; }
.ts-wide-table .ts-heat small { white-space: pre-line; line-height: 1.3; }
.ts-wide-table td.name { min-width: 9rem; max-width: 22rem; width: auto; overflow-wrap: break-word; }
.ts-wide-table th { padding-right: .4rem; vertical-align: bottom; }
"""
STYLE += markup.scroll_bar(".ts-wide-table")


def wide_table(
    heads: Sequence[tuple[str, str]], rows: Sequence[Sequence[markup.Markup]], *, part: str
) -> markup.Markup:
    """Return a table that scrolls sideways in a narrow window.

    With many columns, add a sentence about the scrolling.
    """
    drawn = markup.tag("div", markup.table(heads, rows), style="ts-wide-table", data_part=part, **WIDE)
    return markup.joined([drawn, scroll_note(len(heads))]) if len(heads) > MANY_COLUMNS else drawn


def scroll_note(n_columns: int) -> markup.Markup:
    """Return a sentence for below a table with too many columns for the window."""
    words = f"This table has {n_columns} columns. To see all columns, scroll sideways, for example with the arrow keys."
    return markup.tag("p", markup.quiet(words), style="ts ts-small")


def cell(
    view: ProjectView,
    line: LeaderboardLine,
    ends: tuple[float | None, float | None],
    *,
    by: str,
    common: bool,
    bins: Bins = BINS,
    items: Items | None = None,
    count: int | None = None,
) -> markup.Markup:
    """Return a number with its interval and its number of answers, as a link to its cases.

    ``count`` is how many of the answers score 1.
    """
    if not line.found.defined and not line.asked:
        return markup.quiet("-")
    href = cases_address(view, line, by=by, common=common, bins=bins, items=items)
    return number(line, ends, href=href, count=count)


def cases_address(
    view: ProjectView,
    line: LeaderboardLine,
    *,
    by: str,
    common: bool,
    bins: Bins = BINS,
    items: Items | None = None,
) -> str:
    """Return the address of the cases behind a number. ``by`` is the way of slicing, if the line is about a slice."""
    return addresses.cases(
        view.name,
        scores=line.scores,
        model=None if line.respondents else line.model,  # all people together have no cases
        by=by if line.part is not None else None,
        part=line.part,
        **(bins_asked(bins) if line.part is not None else {}),
        common="1" if common else None,
        items=items,
        reader=other_reader(line.reader),
    )


def number(
    line: LeaderboardLine, ends: tuple[float | None, float | None], *, href: str = "", count: int | None = None
) -> markup.Markup:
    """Return a number with its interval and its number of answers. The color grows with the number between ``ends``."""
    at = line.found
    if not at.defined:
        return markup.heat(None, "-", f"n {at.n_units}", href=href, title=tooltip(line))
    limits = "no interval" if math.isnan(at.low) else f"{at.low:.2f} to {at.high:.2f}"
    low, high = ends
    strength = None if low is None or high is None or high <= low else (at.value - low) / (high - low)
    rests = f"n {at.n_units}" if count is None else f"{count} of {at.n_units}"
    return markup.heat(strength, f"{at.value:.2f}", f"{limits}\n{rests}", href=href, title=tooltip(line))


def tooltip(line: LeaderboardLine) -> str:
    """Return the tooltip of a number: its interval, method, counts and reasons."""
    at = line.found
    parts = []
    if at.defined:
        parts.append(f"{at.value:.4f}")
        parts.append(
            f"95 % interval {at.low:.4f} to {at.high:.4f} ({at.method})" if not math.isnan(at.low) else str(at.reason)
        )
    else:
        parts.append(f"Undefined: {at.reason}")
    parts.append(markup.count(at.n_units, "item" if line.scores.kind == "key" else "answer"))
    if line.unread:
        then = "counted as wrong" if line.unreadable == "wrong" else "left out"
        lost = markup.count(sum(line.unread.values()), "item")
        parts.append(f"{lost} without a readable answer, {then}: {counted_reasons(line.unread)}")
    if line.scores.kind == "corrected" and at.defined:
        by_both = markup.count(line.people, "answer")
        parts.append(f"{by_both} graded by people and the judge; assumption: {line.valid_if}")
    if line.left_out:
        parts.append(f"left out: {counted_reasons(line.left_out)}")
    if line.failed:
        parts.append(f"the judge scored {at.n_units:,} of {markup.count(at.n_units + line.failed, 'answer')}")
    if line.lowest is not None and line.highest is not None:
        rest = "replies without a score" if line.failed else "unread and missing answers"
        rest = rest if line.unread or line.failed else "missing answers"
        parts.append(f"between {line.lowest:.4f} and {line.highest:.4f}, depending on {rest}")
    return "; ".join(parts)


def interval_markup(line: LeaderboardLine, ends: tuple[float, float]) -> markup.Markup:
    """Return a number as a point with its interval, between ``ends``."""
    at = line.found
    if not at.defined:
        return markup.tag("span", markup.quiet("-"), title=tooltip(line))
    known = not math.isnan(at.low)
    point = markup.interval(at.value, at.low if known else None, at.high if known else None, ends=ends)
    return markup.tag("div", point, title=tooltip(line))


def rate(at: Statistic, rests_on: str, *, title: str) -> markup.Markup:
    """Return a score or coefficient up to 1 with its interval. ``rests_on`` describes its n in words."""
    limits = "" if math.isnan(at.low) else f"{at.low:.2f} to {at.high:.2f} · "
    value, words = (at.value, f"{at.value:.2f}") if at.defined else (None, "-")
    return markup.heat(value, words, f"{limits}{rests_on}", title=title)


def share(at: Statistic, rests_on: str, *, title: str) -> markup.Markup:
    """Return a share as a percentage with its interval. ``rests_on`` describes its n in words."""
    limits = "" if math.isnan(at.low) else f"{markup.percent_limits(at.low, at.high)} · "
    value, words = (at.value, markup.percent(at.value)) if at.defined else (None, "-")
    return markup.heat(value, words, f"{limits}{rests_on}", title=title)


def ends_of(differences: Iterable[Statistic]) -> tuple[float, float]:
    """Return the ends of an axis with room for all these values, their intervals, and 0."""
    known = [end for at in differences for end in (at.low, at.high, at.value) if not math.isnan(end)]
    return min([*known, -0.01]), max([*known, 0.01])


def difference_heads(ends: tuple[float, float], units: str) -> list[tuple[str, str]]:
    """Return the heads above ``difference_cells``. ``units`` is the noun of the last column."""
    return [
        ("Difference", "number"),
        ("95 % interval", "number"),
        (f"{ends[0]:.2f} to {ends[1]:.2f}", "wide"),
        (units, "number"),
    ]


def difference_cells(at: Statistic, ends: tuple[float, float], href: str = "") -> list[markup.Markup]:
    """Return a difference with its interval, as numbers and drawn, and its number of units.

    ``href`` is the address of the answers behind the difference.
    """
    limits = not math.isnan(at.low)
    value = f"{at.value:+.3f}" if at.defined else "-"
    return [
        markup.link(value, href) if href else markup.text(value),
        markup.text(f"{at.low:+.3f} to {at.high:+.3f}" if limits else "-"),
        markup.interval(at.value, at.low if limits else None, at.high if limits else None, ends=ends)
        if at.defined
        else markup.quiet("undefined"),
        markup.text(at.n_units),
    ]


def other_reader(reader: str | None) -> str | None:
    """Return the reader of answers for addresses and file names: None for the rules."""
    return None if reader in (None, RULES) else reader


def download(label: str, written: Callable[[], str], name: str, *, key: str, wide: bool = False) -> None:
    """Draw a download. The file is written on the press; its type follows the ending of ``name``, .csv or .json."""
    st.download_button(
        label,
        written,
        name,
        "application/json" if name.endswith(".json") else "text/csv",
        key=key,
        width="stretch" if wide else "content",
        on_click="ignore",
    )


def bins_asked(bins: Bins) -> dict[str, str]:
    """Return the parameters of ``addresses.cases`` for the bins of a number."""
    if isinstance(bins, int):
        return {} if bins == BINS else {"bins": str(bins)}
    return {"bins": _EDGES + edges_in_words(bins)}


def read_bins(text: str) -> Bins:
    """Return the bins written by ``bins_asked``. An invalid text gives the default bins."""
    if text.isdecimal():
        return min(max(int(text[:3]), 1), MOST_EDGES)
    try:
        return edges_of(text.removeprefix(_EDGES)) if text.startswith(_EDGES) else BINS
    except InvalidInputError:
        return BINS
