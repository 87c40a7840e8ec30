"""The page *Agreement*: coefficients between raters, each with its interval, unit, n and the units left out.

An open page checks for new votes every few seconds, and computes again if there are any.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import groupby
from typing import Any

import streamlit as st

from agreement.summary import Result
from annotation_schemas import reporting
from annotation_schemas.kinds import options_of
from app import addresses, markup, shell
from app.charts import confusion_chart
from app.jobs import figure_requests
from app.reruns import pending_figures
from app.results.shown import download
from app.screens import Group, Screen
from app.services import Services
from app.widgets import items_switch, version_switch
from domain.errors import NotAvailableError
from domain.records import ProjectView
from domain.replies import Replies
from domain.roles import Role
from domain.states import VERIFICATIONS, Cut, Items, Stage
from domain.statistics import OVERLAP, STATISTICS, Needs
from workflow.lead import item_history as found
from workflow.results import rater_agreement, schema_versions
from workflow.results.criterion_values import scored_criteria
from workflow.results.dimension_means import LEVELS
from workflow.results.loss_files import agreement_as_csv, losses_as_csv
from workflow.results.losses import StageLosses
from workflow.results.ratings import raters_of

SCREEN = Screen("Agreement", place=250, role=Role.LEAD, group=Group.NUMBERS)

FOLLOW_SECONDS = 10
"""Seconds between two checks for new votes on an open page."""

UNITS = {
    **dict.fromkeys(VERIFICATIONS, "item"),
    Stage.GRADING: "answer",
    Stage.COMPARISON: "pair",
    Stage.CODING: "answer",
    Stage.ANSWERING: "item",
}
MEANS = "mean"
"""The unit of a comparison of models' means."""
CUTS = {Cut.WHOLE: "All together", Cut.DIMENSION: "By dimension", Cut.GROUP: "By group"}
OF_GRADING = ("Each answer", "Means of a model by dimension", "Judges at three levels")


@dataclass(frozen=True)
class AgreementChoices:
    """The settings of the page. Until someone changes them, they follow the schema's report."""

    stage: Stage
    by: Cut
    of_means: bool
    pool_guidelines: bool
    items: Items | None
    levels: bool = False
    schema_version: int | None = None
    """The schema version whose ratings count. None: all versions."""

    @property
    def unit(self) -> str:
        """Return the unit that a coefficient counts."""
        return MEANS if self.of_means else UNITS[self.stage]


def render(services: Services) -> None:
    """Draw the choice of a stage, and the table."""
    view = shell.lead_of(services)
    shell.heading(
        "Agreement",
        "How far people agree with each other. Every number has its interval, or the reason why it is undefined.",
        made_up=view.made_up,
    )
    stages = [stage for stage in UNITS if getattr(view.schema.schema_.stages, stage) is not None]
    if not stages:
        shell.show(
            markup.notice(
                "This project's schema has no verification, grading, comparison, coding or answering, so there are no "
                "ratings."
            )
        )
        return
    schema = view.schema.schema_
    first = reporting.stage_first(schema)
    usual = _usual(services, view, [first, *stages] if first in stages else stages)
    left, middle, right = st.columns([2, 3, 2], vertical_alignment="center")
    with left:
        chosen = st.segmented_control(
            "Stage",
            stages,
            default=usual,
            format_func=schema.stages.title_of,
            key=f"agreement.stage.{view.name}",
            label_visibility="collapsed",
        )
    stage = chosen or usual
    of_means = levels = False
    about: dict[str, Any] = {"person": services.person, "project": view.name, "stage": stage}
    if stage is Stage.GRADING and scored_criteria(schema):
        means_first = reporting.means_first(schema) and raters_of(services.store, **about).have_means()
        unit = st.segmented_control(
            "Unit",
            OF_GRADING,
            default=OF_GRADING[means_first],
            key=f"agreement.unit.{view.name}",
            label_visibility="collapsed",
        )
        of_means, levels = unit in OF_GRADING[1:], unit == OF_GRADING[2]
    with middle:
        cuts = [cut for cut in Cut if cut is not Cut.GROUP or any(each.group for each in schema.dimensions)]
        by = st.segmented_control(
            "Slices",
            cuts,
            default=reporting.cut_first(schema) or Cut.WHOLE,
            format_func=CUTS.__getitem__,
            key=f"agreement.by.{view.name}",
            label_visibility="collapsed",
            disabled=of_means,
        )
    with right:
        pool_guidelines = st.toggle(
            "Pool versions of the guideline",
            key="agreement.pool_guidelines",
            help="Otherwise votes under different versions are measured separately.",
        )
    version = version_switch.switch(services, view, key=f"agreement.schema.{stage.value}", stages=[stage])
    items = items_switch.switch(services, view, key="agreement.items", stage=stage, show=False)
    cut = Cut.WHOLE if of_means else by or Cut.WHOLE
    _live(services, view, AgreementChoices(stage, cut, of_means, pool_guidelines, items, levels, version))


@st.fragment(run_every=FOLLOW_SECONDS)
def _live(services: Services, view: ProjectView, choice: AgreementChoices) -> None:
    with shell.guard(services):
        _tables(services, view, choice)


def _measured(
    services: Services, view: ProjectView, choice: AgreementChoices, work: str = "agreement"
) -> figure_requests.FigureState:
    """Return the page's figures (``agreement_page.Figures``). They are computed again only if something has changed."""
    stage = choice.stage
    about: dict[str, Any] = {"person": services.person, "project": view.name, "stage": stage}
    return figure_requests.request_figure(
        services.store,
        services.settings,
        work,
        {
            "project": view.name,
            "stage": stage,
            "by": choice.by,
            "of_means": choice.of_means,
            "pool_guidelines": choice.pool_guidelines,
            "items": choice.items,
            **({"levels": True} if choice.levels else {}),
            **({} if choice.schema_version is None else {"schema_version": choice.schema_version}),
        },
        state=rater_agreement.mark(services.store, **about),
        size=rater_agreement.size(services.store, **about),
        apart=work == "agreement_opinion",  # by scikit-learn
    )


def _second_opinion(services: Services, view: ProjectView, choice: AgreementChoices) -> None:
    """Show whether other packages compute the same values. A difference is shown as an error."""
    try:
        found = _measured(services, view, choice, "agreement_opinion")
    except NotAvailableError as error:
        shell.show(markup.notice(str(error), style="bad"))
        return
    opinion = found.figure.value if found.figure is not None else None
    if opinion is not None and opinion.differences:
        shell.show(*(markup.notice(each, style="bad") for each in (opinion.sentence, *opinion.differences)))
    with st.expander("How this was computed", key="agreement.computed"):
        if opinion is None:
            words = (
                "Comparing with scikit-learn and krippendorff. The result appears here, also if you leave this page."
            )
            shell.show(markup.paragraph(words, style="ts ts-quiet"))
            return
        if not found.current:
            shell.show(being_measured(found))
        said = (opinion.sentence, *opinion.not_compared)
        shell.show(*(markup.tag("p", markup.text(each), style="ts", data_part="second-opinion") for each in said))


def being_measured(found: figure_requests.FigureState) -> markup.Markup:
    """Return a notice that the figures are being computed, or that the shown figures are out of date."""
    if found.figure is None:
        return markup.notice(
            "Agreement is being worked out, and will appear here. With 300,000 ratings it takes about half a minute. "
            "You can leave this page and come back."
        )
    return pending_figures.words_of_earlier(found.figure)


def _tables(services: Services, view: ProjectView, choice: AgreementChoices) -> None:
    found = _measured(services, view, choice)
    stage, by, version = choice.stage, choice.by, choice.schema_version
    if not found.current:
        shell.show(being_measured(found))
    if found.figure is None:
        return
    lines, raters, replies, counting, logins, matrices, losses = found.figure.value
    items_switch.show_counted(counting.whole_sentence)
    if not lines:
        shell.show(
            markup.notice(
                f"No one has submitted anything in {stage} yet. The table appears with the first votes."
                if version is None
                else f"Nothing that counts in {stage} was submitted under version {version} of the schema."
            )
        )
        return
    if raters.people and raters.machines:
        aside = ", ".join(raters.machines)
        shell.show(
            markup.tag("p", markup.quiet(f"Not counted among the people, as they are machines: {aside}."), style="ts")
        )
    if raters.people_from_files:
        shell.show(
            markup.tag(
                "p",
                markup.quiet(f"Among the people, with ratings out of files: {', '.join(raters.people_from_files)}."),
                style="ts",
            )
        )
    for sentence in losses.sentences:
        shell.show(markup.loss_line(sentence))
    if replies:
        shell.show(replies_table(view, replies))
    _downloads(view, choice, lines, losses)
    if choice.levels:
        _levels(view, lines)
        _second_opinion(services, view, choice)
        return
    among = counting.which if counting.verdicts else None
    named = reporting.agreement_first(view.schema.schema_)
    table = (
        markup.Markup("")
        if choice.of_means
        else pairs(view, stage, lines, among, by=by, logins=logins, links=version is None)
    )
    if table:
        shell.show(table)
    titles = [_title_with(view, each.dimension, each.criterion, each.guideline) for each in matrices]
    confusion_chart.show(view.name, matrices, titles, labels_of(view, stage), unit=choice.unit, key=f"{view.name}.{by}")
    for (_, dimension, criterion), group in groupby(
        lines, key=lambda line: (line.args.get("guideline"), line.dimension, line.criterion)
    ):
        of_group = list(group)
        several = len(_in_pairs(of_group)) > 2
        first = [line for line in of_group if is_headline(line, several=several, named=named)]
        shell.section(title_of(view, dimension, criterion) + _under(of_group[0]))
        shell.show(
            markup.tag("div", markup.text(prompt_of(view, stage, criterion)), style="ts"),
            markup.tag(
                "div",
                markup.quiet(about_of(of_group)),
                markup.text(" "),
                markup.Markup("")
                if choice.of_means or version is not None
                else _differing(view, stage, dimension, among, by=by),
                style="ts ts-small",
            ),
            *([table_of(first, unit=choice.unit), cautions(first)] if first else []),
        )
        with st.expander(f"Every pair and weighting ({len(of_group)} lines)"):
            shell.show(table_of(of_group, unit=choice.unit))
    _second_opinion(services, view, choice)


def _downloads(view: ProjectView, choice: AgreementChoices, lines: Sequence[Result], losses: StageLosses) -> None:
    """Draw downloads of all coefficients, and of the missing answers, as CSV files."""
    name = f"{view.name}-agreement-{choice.stage}"
    download("CSV", partial(agreement_as_csv, lines, losses), f"{name}.csv", key="agreement.csv")
    if losses.judges or losses.left_out:
        written = partial(losses_as_csv, losses.judges, losses.left_out)
        download("Losses as CSV", written, f"{name}-losses.csv", key="agreement.losses")


def _levels(view: ProjectView, lines: Sequence[Result]) -> None:
    """Draw a table for each judge."""
    shell.show(
        markup.paragraph(
            "Each judge with the people, whose grades of an answer are made one, on the answers that both graded. A"
            " coefficient of one level says nothing of another: means of many answers go together well where answers"
            " hardly do.",
            style="ts ts-quiet",
        )
    )
    for (criterion, judge), group in groupby(lines, key=lambda line: (line.criterion, line.args["judge"])):
        of_judge = list(group)
        shell.section(f"{judge} · {title_of(view, None, criterion)}{_under(of_judge[0])}")
        shell.show(markup.tag("div", level_table(of_judge), data_part="levels"))


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
        limits = line.low is not None and line.high is not None
        rows.append(
            [
                markup.text(LEVELS[line.args["unit"]].capitalize()),
                markup.text(STATISTICS[line.statistic].title),
                markup.tag("b", markup.text(_number(line.value))),
                markup.text(f"{_number(line.low)} to {_number(line.high)}" if limits else "-"),
                _drawn(line, axis),
                markup.text(line.n_units),
                markup.text(line.args["answers"]),
                markup.tag("span", markup.text(line.reason or line.method), style="ts-quiet ts-small"),
            ]
        )
    return markup.table(heads, rows)


def pairs(
    view: ProjectView,
    stage: Stage,
    lines: Sequence[Result],
    among: Items | None = None,
    *,
    by: Cut = Cut.DIMENSION,
    logins: Mapping[str, str] | None = None,
    links: bool = True,
) -> markup.Markup:
    """Return a table of agreement by pair: a row for each criterion and dimension, a column for each pair of raters.

    Parameters
    ----------
    among
        Restricts the linked lists to the items that were counted.
    logins
        The login of each rater, by displayed name.
    links
        Whether a cell links to the items on which the two raters differ. False where those items cannot be listed.
    """
    of_pairs = [line for line in lines if "pair" in line.args and _is_kappa_of_pair(line)]
    names = sorted({tuple(line.args["pair"]) for line in of_pairs})
    if not names or len(names) > MOST_PAIRS:
        return markup.Markup("")
    rows: dict[str, dict[tuple[str, ...], Result]] = {}
    for line in of_pairs:
        title = title_of(view, line.dimension, line.criterion) + _under(line)
        rows.setdefault(title, {})[tuple(line.args["pair"])] = line
    heads = [("Cohen's kappa", "name"), *((" and ".join(pair), "") for pair in names)]
    return markup.table(
        heads,
        [
            [
                markup.text(title),
                *(_cell(view, stage, row.get(pair), among, by, logins or {}, links=links) for pair in names),
            ]
            for title, row in rows.items()
        ],
    )


MOST_PAIRS = 10
"""Largest number of pairs shown side by side. The list of all pairs has the others."""


def _is_kappa_of_pair(line: Result) -> bool:
    return line.statistic == "cohen_kappa" and is_headline(line, several=False)


def _cell(
    view: ProjectView,
    stage: Stage,
    line: Result | None,
    among: Items | None,
    by: Cut,
    logins: Mapping[str, str],
    *,
    links: bool,
) -> markup.Markup:
    if line is None or not line.n_units:
        return markup.quiet("-")
    said = found.AnswerFilter([logins.get(name, name) for name in line.args["pair"]], line.criterion)
    dimension, group = addresses.dimension_or_group(by, line.dimension)
    href = addresses.history(view.name, differ=stage.value, said=said, dimension=dimension, group=group, among=among)
    known = (
        f"{markup.decimal(line.low)} to {markup.decimal(line.high)}"
        if line.low is not None and line.high is not None
        else ""
    )
    about = " · ".join(part for part in (known, markup.count(line.n_units, UNITS[stage])) if part)
    number = "undefined" if line.value is None else markup.decimal(line.value)
    if not links:
        return markup.heat(line.value, number, about, title=line.reason or "")
    return markup.heat(line.value, number, about, href=href, title=line.reason or "The items about which they differ")


def _differing(view: ProjectView, stage: Stage, part: str | None, among: Items | None, *, by: Cut) -> markup.Markup:
    """Return a link to the items behind a table."""
    dimension, group = addresses.dimension_or_group(by, part)
    href = addresses.history(view.name, differ=stage.value, dimension=dimension, group=group, among=among)
    return markup.tag("a", markup.text("Items about which they differ"), href=href, target="_self")


def _usual(services: Services, view: ProjectView, stages: Sequence[Stage]) -> Stage:
    """Return the first of these stages with a submission. The result stays the same for the whole session."""
    key = f"agreement.usual.{view.name}"
    if key not in st.session_state:
        about: dict[str, Any] = {"person": services.person, "project": view.name}
        rated = (each for each in stages if rater_agreement.size(services.store, **about, stage=each))
        st.session_state[key] = next(rated, stages[0])
    usual: Stage = st.session_state[key]
    return usual


def prompt_of(view: ProjectView, stage: Stage, criterion: str) -> str:
    """Return the prompt of a criterion."""
    asked = getattr(view.schema.schema_.stages, stage).criteria
    return next((known.prompt for known in asked if known.name == criterion), "")


def labels_of(view: ProjectView, stage: Stage) -> dict[str, dict[Any, str]]:
    """Return the option labels of a stage, by criterion and value."""
    asked = getattr(view.schema.schema_.stages, stage).criteria
    return {each.name: {option.value: option.label for option in options_of(each, {})} for each in asked}


def _in_pairs(lines: Iterable[Result]) -> list[str]:
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
    taken = " (taken from the values)" if lines[0].args.get("scale_inferred") else ""
    n_raters = max(line.n_raters for line in lines)
    raters = ", ".join(_in_pairs(lines)) or ("one" if n_raters < 2 else n_raters)
    schemas = lines[0].args.get("schema")
    under = f" Ratings {schema_versions.schema_words(schemas)}." if schemas else ""
    return f"Raters: {raters}. Scale: {scale}{taken}.{under}"


def _under(line: Result) -> str:
    """Return the guideline and schema versions for a title, if a number is about one version only."""
    guideline, schema = line.args.get("guideline"), line.args.get("schema", "")
    alone = f" · {schema_versions.schema_words(schema)}" if schema.endswith(" alone") else ""
    return (f" · guideline {guideline}" if guideline else "") + alone


def _title_with(view: ProjectView, dimension: str | None, criterion: str, guideline: str | None) -> str:
    return title_of(view, dimension, criterion) + (f" · guideline {guideline}" if guideline else "")


def title_of(view: ProjectView, dimension: str | None, criterion: str | None) -> str:
    """Return the title of a group of lines: dimension and criterion."""
    titles = {known.id: known.title for known in view.schema.schema_.dimensions}
    parts = [titles.get(dimension, dimension)] if dimension else []
    return " · ".join([*parts, (criterion or "all criteria").replace("_", " ")])


def replies_table(view: ProjectView, found: Sequence[Replies]) -> markup.Markup:
    """Return a table of how many of each machine's replies have a score.

    The table also has the lowest and highest mean that the replies without a score could give.
    """
    heads = [
        ("Judge", ""),
        ("About", ""),
        ("Scored", "number"),
        ("Of these rated by people", "number"),
        ("Without a score", ""),
        ("Mean or share", "number"),
        ("Rest lowest", "number"),
        ("Rest highest", "number"),
    ]
    rows = []
    for each in found:
        why = ", ".join(f"{n:,} {reason}" for reason, n in each.failures.items())
        for at, bounds in enumerate(each.bounds or (None,)):
            cells = [
                each.judge if at == 0 else "",
                title_of(view, each.dimension, each.criterion) if at == 0 else "",
                f"{each.scored:,} of {each.asked:,}" if at == 0 else "",
                f"{each.with_people:,} of {each.asked:,}" if at == 0 else "",
                (why or "none") if at == 0 else "",
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
            rows.append([markup.text(cell) for cell in cells])
    return markup.table(heads, rows)


def table_of(lines: Sequence[Result], *, unit: str) -> markup.Markup:
    """Return the lines as a table, with all intervals drawn on one axis."""
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
    return markup.table(heads, [_row(line, axis) for line in lines])


def cautions(lines: Sequence[Result]) -> markup.Markup:
    """Return the warnings about how not to read these values, for below their table. Empty if there is no warning."""
    said = {STATISTICS[line.statistic].title: line.caution for line in lines if line.caution}
    text = " ".join(f"{title}: {caution}" for title, caution in said.items())
    return markup.tag("p", markup.quiet(text), style="ts ts-small") if text else markup.Markup("")


def axis_of(lines: Iterable[Result]) -> tuple[float, float]:
    """Return the limits of the drawn axis: from 0, or from the lowest drawn value rounded down to a tenth, to 1."""
    shown = [line for line in lines if not STATISTICS[line.statistic].in_units]
    drawn = [number for line in shown for number in (line.value, line.low) if number is not None]
    lowest = min([0.0, *drawn])
    return (max(-1.0, math.floor(lowest * 10) / 10), 1.0)


def _axis_title(axis: tuple[float, float]) -> str:
    return f"{axis[0]:g} to {axis[1]:g}"


def _row(line: Result, axis: tuple[float, float]) -> list[markup.Markup]:
    value, low, high = line.value, line.low, line.high
    name = markup.tag("div", markup.text(STATISTICS[line.statistic].title))
    with_args = markup.tag("div", markup.text(words_of(line.args)), style="ts-quiet ts-small")
    remark = line.reason or (line.method if low is not None else f"no interval: {line.method}")
    return [
        markup.joined([name, with_args]),
        markup.tag("b", markup.text(_number(value))),
        markup.text(f"{_number(low)} to {_number(high)}" if low is not None and high is not None else "-"),
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


def _number(value: float | None) -> str:
    return "undefined" if value is None else f"{value:.3f}"
