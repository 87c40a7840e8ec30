"""The tables of the page *Agreement*: coefficients with their intervals, pairs of raters, and machines' replies."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from agreement.summary import Result
from annotation_schemas import reporting
from app import addresses, markup
from domain.judging import ReplyOutcome
from domain.records import ProjectView
from domain.replies import Replies
from domain.states import VERIFICATIONS, Stage
from domain.statistics import OVERLAP, STATISTICS, Needs
from workflow.results import schema_versions
from workflow.results.dimension_means import LEVELS

UNITS = {
    **dict.fromkeys(VERIFICATIONS, "item"),
    Stage.GRADING: "answer",
    Stage.COMPARISON: "pair",
    Stage.CODING: "answer",
    Stage.ANSWERING: "item",
}
"""What a coefficient of a stage counts."""


def level_table(lines: Sequence[Result]) -> markup.Markup:
    """Return a table of the agreement between a judge and people, level by level."""
    axis = axis_of(lines)
    heads = [
        ("Level", "name"),
        ("Statistic", ""),
        ("Value", "number"),
        ("95 % interval", "number"),
        (_axis_title(axis), "wide"),
        ("Units", "number"),
        ("Answers", "number"),
        ("Remark", ""),
    ]
    rows = []
    for line in lines:
        rows.append(
            [
                markup.text(LEVELS[line.args["unit"]].capitalize()),
                markup.text(STATISTICS[line.statistic].title),
                markup.tag("b", markup.text(_value(line))),
                markup.text(_limits(line)),
                _drawn(line, axis),
                markup.text(line.n_units),
                markup.text(line.args["answers"]),
                markup.tag("span", markup.text(line.reason or line.method), style="ts-quiet ts-small"),
            ]
        )
    return markup.table(heads, rows)


def is_kappa_of_pair(line: Result) -> bool:
    """Tell whether a line is Cohen's kappa with the weights that fit the scale."""
    return line.statistic == "cohen_kappa" and is_headline(line, several=False)


def raters_in_pairs(lines: Iterable[Result]) -> list[str]:
    """Return the names of all raters in pairs."""
    return sorted({rater for line in lines for rater in line.args.get("pair", ())})


def is_headline(line: Result, *, several: bool, named: Sequence[str] = ()) -> bool:
    """Tell whether a line belongs in the short table.

    Such a line has a statistic that the schema's report names. Without names, it has a default statistic. It also fits
    the scale, and covers all raters at once.
    """
    scale, args = line.args.get("scale"), line.args
    row = STATISTICS[line.statistic]
    # A report may name only coefficients. Comparisons by overlap have no coefficient, so their lines are always shown.
    named = () if row.needs in OVERLAP else named
    wanted = line.statistic in reporting.with_means(named) if named else row.headline
    if not wanted or ("pair" in args and several):
        return False
    if "form" in args:
        return args["form"] == "ICC(1,1)" and scale != "nominal"
    if "weights" in args:
        return bool(args["weights"] == ("none" if scale == "nominal" else "quadratic"))
    if "level" in args:
        return bool(args["level"] == scale)
    if line.statistic in named or row.needs in OVERLAP:
        return True
    return scale != "nominal" or row.needs is Needs.NAMES


def about_of(lines: Sequence[Result]) -> str:
    """Return a sentence with the raters and the scale that all lines of a group share."""
    scale = lines[0].args.get("scale", "")
    taken = " (inferred from the values)" if lines[0].args.get("scale_inferred") else ""
    n_raters = max(line.n_raters for line in lines)
    raters = ", ".join(raters_in_pairs(lines)) or ("one" if n_raters < 2 else n_raters)
    schemas = lines[0].args.get("schema")
    under = f" Ratings {schema_versions.schema_words(schemas)}." if schemas else ""
    return f"Raters: {raters}. Scale: {scale}{taken}.{under}"


def versions_in_title(line: Result) -> str:
    """Return the guideline and schema versions for a title, if a number is about one version only."""
    guideline, schema = line.args.get("guideline"), line.args.get("schema", "")
    alone = f" · {schema_versions.schema_words(schema)}" if schema.endswith(" alone") else ""
    return (f" · guideline {guideline}" if guideline else "") + alone


def title_of(view: ProjectView, dimension: str | None, criterion: str | None) -> str:
    """Return the title of a group of lines: dimension and criterion."""
    titles = {known.id: known.title for known in view.schema.schema_.dimensions}
    parts = [titles.get(dimension, dimension)] if dimension else []
    return " · ".join([*parts, (criterion or "all criteria").replace("_", " ")])


def replies_table(view: ProjectView, found: Sequence[Replies], runs: Mapping[str, str]) -> markup.Markup:
    """Return a table of how many of each machine's replies have a score.

    The table also has the lowest and highest mean that the replies without a score could give. ``runs`` has the run of
    each judge that ran here, by name. Numbers of these judges link to the replies.
    """
    heads = [
        ("Judge", ""),
        ("About", ""),
        ("Scored", "number"),
        ("Also graded by people", "number"),
        ("Without a score", ""),
        ("Mean or share", "number"),
        ("At least", "number"),
        ("At most", "number"),
    ]
    rows = []
    for replies in found:
        why = ", ".join(f"{n:,} {reason}" for reason, n in replies.failures.items())
        for at, bounds in enumerate(replies.bounds or (None,)):
            first = [
                markup.text(replies.judge),
                markup.text(title_of(view, replies.dimension, replies.criterion)),
                _to_replies(view, replies, runs, f"{replies.scored:,} of {replies.asked:,}", ReplyOutcome.SCORED),
                markup.text(f"{replies.with_people:,} of {replies.asked:,}"),
                _to_replies(view, replies, runs, why, "failures") if why else markup.text("none"),
            ]
            mean = [
                *(
                    ("", "", "")
                    if bounds is None
                    else (
                        ("" if bounds.what == "mean" else f"{bounds.what}: ")
                        + ("undefined" if bounds.value is None else f"{bounds.value:.3f}"),
                        f"{bounds.lowest:.3f}",
                        f"{bounds.highest:.3f}",
                    )
                ),
            ]
            rows.append([*(first if at == 0 else [markup.text("")] * len(first)), *map(markup.text, mean)])
    return markup.table(heads, rows)


def _to_replies(
    view: ProjectView, replies: Replies, runs: Mapping[str, str], words: str, verdict: str
) -> markup.Markup:
    """Return a text, as a link to a judge's replies if it ran here."""
    run = runs.get(replies.judge)
    if run is None:
        return markup.text(words)
    asked = {"run": run, "verdict": str(verdict), "criterion": replies.criterion}
    return markup.link(words, addresses.page("judges", view.name, **asked))


def table_of(lines: Sequence[Result], *, unit: str, address: Callable[[Result], str]) -> markup.Markup:
    """Return the lines as a table, with all intervals drawn on one axis.

    ``address`` returns the address of the items on which a line's raters differ, to which its value links. Empty: none.
    """
    heads = [
        ("Statistic", ""),
        ("Value", "number"),
        ("95 % interval", "number"),
        (_axis_title(axis := axis_of(lines)), "wide"),
        (f"{unit.capitalize()}s", "number"),
        ("Raters", "number"),
        ("Left out", "number"),
        ("Remark", ""),
    ]
    return markup.table(heads, [_row(line, axis, address(line)) for line in lines])


def cautions(lines: Sequence[Result]) -> markup.Markup:
    """Return the warnings about how not to read these values, for below their table. Empty if there is no warning."""
    by_title = {STATISTICS[line.statistic].title: line.caution for line in lines if line.caution}
    text = " ".join(f"{title}: {caution}" for title, caution in by_title.items())
    return markup.tag("p", markup.quiet(text), style="ts ts-small") if text else markup.Markup("")


def axis_of(lines: Iterable[Result]) -> tuple[float, float]:
    """Return the limits of the drawn axis: from 0, or from the lowest drawn value rounded down to a tenth, to 1."""
    shown = [line for line in lines if not STATISTICS[line.statistic].in_units]
    drawn = [number for line in shown for number in (line.value, line.low) if number is not None]
    lowest = min([0.0, *drawn])
    return (max(-1.0, math.floor(lowest * 10) / 10), 1.0)


def _axis_title(axis: tuple[float, float]) -> str:
    return f"{axis[0]:g} to {axis[1]:g}"


def _row(line: Result, axis: tuple[float, float], href: str) -> list[markup.Markup]:
    low, value = line.low, _value(line)
    linked = href and line.value is not None
    name = markup.tag("div", markup.text(STATISTICS[line.statistic].title))
    with_args = markup.tag("div", markup.text(words_of(line.args)), style="ts-quiet ts-small")
    remark = line.reason or (line.method if low is not None else f"no interval: {line.method}")
    return [
        markup.joined([name, with_args]),
        markup.tag("b", markup.link(value, href) if linked else markup.text(value)),
        markup.text(_limits(line)),
        _drawn(line, axis),
        markup.text(line.n_units),
        markup.text(line.n_raters),
        markup.text(line.n_left_out),
        markup.tag("span", markup.text(remark), style="ts-quiet ts-small"),
    ]


def _drawn(line: Result, axis: tuple[float, float]) -> markup.Markup:
    if line.value is None:
        return markup.quiet("undefined")
    if STATISTICS[line.statistic].in_units:
        return markup.quiet("in the units of the scale")
    return markup.interval(line.value, line.low, line.high, ends=axis)


def words_of(args: Any) -> str:
    """Return the arguments of a statistic in words."""
    parts = []
    for name, value in dict(args or {}).items():
        if name in ("scale", "scale_inferred", "guideline", "schema", "items"):
            continue
        shown = " and ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
        parts.append(shown if name in ("pair", "form") else f"{name.replace('_', ' ')}: {shown}")
    return ", ".join(parts)


SHARES = frozenset({"percent_agreement"})
"""Statistics that are shares. Pages show them as percentages."""


def _value(line: Result) -> str:
    if line.value is None:
        return "undefined"
    return markup.percent(line.value) if line.statistic in SHARES else f"{line.value:.3f}"


def _limits(line: Result) -> str:
    if line.low is None or line.high is None:
        return "-"
    if line.statistic in SHARES:
        return markup.percent_limits(line.low, line.high)
    return f"{line.low:.3f} to {line.high:.3f}"
