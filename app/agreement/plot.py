"""The dot plot of the page *Agreement*: everyone together, pairs of raters, and dimensions, each with its interval."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from agreement.summary import Result
from annotation_schemas import reporting
from app import addresses, markup
from app.agreement import finding
from app.agreement.finding import FEW, RELIABLE, TENTATIVE
from app.agreement.tables import SHARES, UNITS, is_kappa_of_pair, title_of, versions_in_title
from app.charts.dot_plot import DotRow, axis_of, dot_plot
from app.markup import Markup
from domain.item_filter import AnswerFilter
from domain.records import ProjectView
from domain.states import Cut, Items, Stage
from domain.statistics import STATISTICS
from workflow.lead.answer_matches import written_values
from workflow.results.confusions import Confusion

MOST_PAIRS = 10
"""Largest number of pairs of raters next to everyone together."""
DIFFER = "differences"
"""The text of the link to the items on which raters differ."""


@dataclass(frozen=True)
class Links:
    """The items behind the numbers of a stage."""

    view: ProjectView
    stage: Stage
    by: Cut
    among: Items | None
    """Restricts the linked lists to the items that were counted."""
    logins: dict[str, str]
    """The login of each rater, by displayed name."""
    listed: bool
    """Whether the items behind these numbers can be listed."""

    def behind(self, line: Result) -> str:
        """Return the address of the items on which the raters of a line differ. Empty if they cannot be listed."""
        pair = line.args.get("pair", ())
        return self.differing(line.dimension, pair=pair, criterion=line.criterion if pair else None)

    def meeting(self, found: Confusion, pair: tuple[str, str], values: tuple[Any, Any]) -> str:
        """Return the address of the items to which two raters gave these values. Empty if they cannot be listed."""
        if not self.listed or found.guideline is not None:
            return ""
        return self._items(found.dimension, AnswerFilter(self._named(pair), found.criterion, written_values(values)))

    def differing(self, part: str | None = None, *, pair: Sequence[str] = (), criterion: str | None = None) -> str:
        """Return the address of the items on which raters differ. Empty if these items cannot be listed."""
        if not self.listed:
            return ""
        return self._items(part, AnswerFilter(self._named(pair), criterion) if pair else None)

    def _named(self, pair: Sequence[str]) -> list[str]:
        return [self.logins.get(name, name) for name in pair]

    def _items(self, part: str | None, said: AnswerFilter | None) -> str:
        dimension, group = addresses.dimension_or_group(self.by, part)
        return addresses.items(
            self.view.name,
            differ=self.stage.value,
            said=said,
            dimension=dimension,
            group=group,
            among=self.among,
        )


def grouped(lines: Iterable[Result]) -> dict[tuple[str | None, str | None, str], list[Result]]:
    """Return the lines by guideline, dimension and criterion."""
    keyed = groupby(lines, key=lambda line: (line.args.get("guideline"), line.dimension, line.criterion))
    return {key: list(group) for key, group in keyed}


def whole_rows(links: Links, groups: dict[tuple[str | None, str | None, str], list[Result]]) -> list[DotRow]:
    """Return a row for each criterion, and with a single criterion one for each pair of raters."""
    named, rows = reporting.agreement_first(links.view.schema.schema_), []
    for (_, _, criterion), lines in groups.items():
        line = finding.coefficient_of(lines, named) or finding.share_of(lines)
        if line is None:
            continue
        name = title_of(links.view, None, criterion) if len(groups) > 1 else "All together"
        rows.append(_row(links, line, name + versions_in_title(line), strong=True))
        pairs = pair_lines(lines)
        if len(groups) == 1 and len(pairs) <= MOST_PAIRS:
            rows += pair_rows(links, [pair for pair in pairs if is_drawn(pair)])
    return rows


def pair_lines(lines: Sequence[Result]) -> list[Result]:
    """Return Cohen's kappa of each pair of raters, the lowest first. Empty for a single pair."""
    pairs = [line for line in lines if "pair" in line.args and is_kappa_of_pair(line)]
    return sorted(pairs, key=_by_value) if len(pairs) > 1 else []


def pair_rows(links: Links, pairs: Sequence[Result]) -> list[DotRow]:
    """Return a row for each of these pairs."""
    return [_row(links, line, " and ".join(line.args["pair"])) for line in pairs]


def part_lines(links: Links, lines: Sequence[Result], criterion: str, guideline: str | None) -> list[Result]:
    """Return the coefficient of each dimension on one criterion, the lowest first."""
    named = reporting.agreement_first(links.view.schema.schema_)
    found = [
        finding.coefficient_of(group, named) or finding.share_of(group)
        for (version, _, name), group in grouped(lines).items()
        if (version, name) == (guideline, criterion)
    ]
    return sorted((line for line in found if line is not None), key=_by_value)


def part_rows(links: Links, lines: Sequence[Result], *, criterion: str = "") -> list[DotRow]:
    """Return a row for each of these lines, which are about one dimension each.

    ``criterion`` is its title if rows of other criteria are in the same plot.
    """
    about = f" · {criterion}" if criterion else ""
    return [_row(links, line, part_title(links.view, line) + about) for line in lines]


def part_title(view: ProjectView, line: Result) -> str:
    """Return the title of a line's dimension or group."""
    titles: dict[str, str] = {known.id: known.title for known in view.schema.schema_.dimensions}
    dimension = line.dimension or ""
    return titles.get(dimension, dimension)


def is_drawn(line: Result) -> bool:
    """Tell whether a line about a part is in the plot: it has a value, and enough units for one."""
    return line.value is not None and line.n_units >= FEW


def not_drawn_words(view: ProjectView, lines: Sequence[Result], noun: str, unit: str) -> list[str]:
    """Return in sentences which dimensions the plot leaves out, and why."""
    few = [part_title(view, line) for line in lines if line.n_units < FEW]
    undefined: dict[str, list[str]] = {}
    for line in lines:
        if line.n_units >= FEW and line.value is None:
            equal = "single value" in (line.reason or "")
            why = finding.why_undefined(line, everyone_equal=equal)
            undefined.setdefault(why, []).append(part_title(view, line))
    sentences = []
    if few:
        all_of = f"All {len(few):,}" if len(few) == len(lines) > 1 else f"{len(few):,}"
        have = "has" if len(few) == 1 else "have"
        sentences.append(f"{all_of} {noun}{'' if len(few) == 1 else 's'} {have} fewer than {FEW} {unit}s.")
    for why, names in undefined.items():
        count = markup.count(len(names), noun)
        sentences.append(f"{count} cannot be computed ({', '.join(names)}). {why}")
    return sentences


def drawn(links: Links, rows: Sequence[DotRow], lines: Sequence[Result]) -> Markup:
    """Return the plot of these rows. ``lines`` have the statistics behind the rows."""
    names = list(dict.fromkeys(STATISTICS[line.statistic].title for line in lines))
    limits = any(line.statistic.endswith(("_alpha", "_kappa")) for line in lines)
    marks = (TENTATIVE, RELIABLE) if limits else ()
    about = "Lines are 95 % intervals."
    if any(" and " in row.name and not row.strong for row in rows) and names != ["Cohen's kappa"]:
        about += " For pairs, the value is Cohen's kappa."
    if marks:
        about += (
            f" The dashed lines mark {TENTATIVE}, the usual minimum, and {RELIABLE:.2f}, the limit for reliable "
            "agreement."
        )
    return markup.joined(
        [
            dot_plot(rows, title=" / ".join(names), ends=axis_of(rows), marks=marks),
            markup.tag("p", markup.quiet(about), style="ts ts-small"),
        ]
    )


def _row(links: Links, line: Result, name: str, *, strong: bool = False) -> DotRow:
    return DotRow(
        name,
        line.value,
        line.low,
        line.high,
        markup.count(line.n_units, UNITS[links.stage] if line.args.get("unit") != "dimension" else "mean"),
        links.behind(line),
        DIFFER,
        strong,
        0 if line.statistic in SHARES else None,
    )


def _by_value(line: Result) -> float:
    return 2.0 if line.value is None else line.value
