"""Compare two runs of judges: their agreement on the same answers, and each answer on which they differ."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence

import streamlit as st

from agreement.statistic import Statistic
from app import addresses, markup, shell
from app.judging import shown
from app.markup import Markup
from app.running import shown as texts
from app.running.run_page import RunSection
from app.services import Services
from app.widgets import items_switch
from domain.judging import JudgePlan, ReplyOutcome, Value
from domain.records import ProjectView
from domain.run_kinds import RunKind
from extensions.judge_comparison import run_comparison
from extensions.judge_comparison.run_comparison import CriterionComparison, ReplyDifference, RunComparison
from workflow.access.counted_items import counting_of
from workflow.results import judge_replies
from workflow.results.judge_replies import ReplyView
from workflow.runs import run_views
from workflow.runs.run_views import RunView

A_PAGE = 10
"""Differences on one page."""


def render(services: Services, project: ProjectView, view: RunView) -> None:
    """Draw the choice of the other run, and the comparison."""
    if view.withdrawn:
        shell.show(markup.notice("This run was withdrawn. Undo the withdrawal to compare the run."))
        return
    others = [
        other
        for other in run_views.runs_of(services.store, by=services.person, project=project.name, kind=RunKind.JUDGE)
        if other.id != view.id and not other.withdrawn
    ]
    if not others:
        shell.show(markup.notice("This project has no other run of a judge to compare. Run another judge first."))
        return
    by_id = {other.id: other for other in others}
    ids = list(by_id)
    named = st.query_params.get("with")
    first = named if named in by_id else _nearest(view, others)
    chosen = st.selectbox(
        "Compare with",
        ids,
        index=ids.index(first),
        format_func=lambda id: texts.opening(by_id[id].name, 120) if id in by_id else str(id),
        key=f"judges.with.{view.id}",
    )
    other = by_id[chosen]
    comparison = _compared(services, view, other)
    shell.show(items_switch.counted_line(comparison.counted))
    shell.show(*figures(comparison))
    criterion = comparison.criteria[0].criterion
    if len(comparison.criteria) > 1:
        names = [row.criterion for row in comparison.criteria]
        criterion = (
            st.segmented_control(
                "Criterion",
                names,
                default=criterion,
                format_func=markup.label,
                key=f"judges.compare.{view.id}.{other.id}",
            )
            or criterion
        )
    shell.show(table(next(row for row in comparison.criteria if row.criterion == criterion), comparison))
    _differences(
        services,
        project,
        view,
        other,
        [pair for pair in comparison.differing if pair.criterion == criterion],
        criterion,
    )


def _compared(services: Services, one: RunView, other: RunView) -> RunComparison:
    """Return the comparison. It is computed again only if a run or the counted items have changed."""
    marks = judge_replies.marks(services.store, by=services.person, project=one.project)
    counts = counting_of(services.store, person=services.person, project=one.project)
    key = (one.id, other.id, marks.get(one.id), marks.get(other.id), counts.sentence)
    known = st.session_state.get("judges.compared")
    if known is None or known[0] != key:
        compared = run_comparison.compare_runs(services.store, by=services.person, run_a=one.id, run_b=other.id)
        known = st.session_state["judges.compared"] = (key, compared)
    comparison: RunComparison = known[1]
    return comparison


def _nearest(view: RunView, others: Sequence[RunView]) -> str:
    """Return the newest other run with the same template, or the newest run if there is none."""
    if isinstance(view.plan, JudgePlan):
        for other in others:
            if isinstance(other.plan, JudgePlan) and other.plan.template == view.plan.template:
                return other.id
    return others[0].id


def figures(found: RunComparison) -> list[Markup]:
    """Return a table by criterion: scored replies of both runs, and their agreement on answers with both scores."""
    heads = [
        ("Criterion", "name"),
        ("First", "number"),
        ("Second", "number"),
        ("Equal scores", "number"),
        ("Cohen's kappa", "number"),
        ("Krippendorff's alpha", "number"),
        ("Means", "number"),
    ]
    rows = [
        [
            markup.text(texts.opening(criterion.criterion, 80)),
            markup.text(f"{criterion.n_a_scored:,} of {criterion.n_both_asked:,} scored"),
            markup.text(f"{criterion.n_b_scored:,} of {criterion.n_both_asked:,} scored"),
            markup.text(f"{criterion.n_same:,} of {criterion.n_both_scored:,}{_share(criterion)}"),
            markup.text(statistic(criterion.kappa)),
            markup.text(statistic(criterion.alpha)),
            markup.text(
                "-"
                if criterion.mean_a is None or criterion.mean_b is None
                else f"{criterion.mean_a:.3f}, {criterion.mean_b:.3f}"
            ),
        ]
        for criterion in found.criteria
    ]
    parts = [
        markup.tag(
            "p",
            markup.quiet(
                f"First: {texts.opening(found.a, 120)}. Second: {texts.opening(found.b, 120)}. Only answers in both "
                f"runs count. Answers only in the first run: {found.only_a:,}. Answers only in the second run: "
                f"{found.only_b:,}."
            ),
            style="ts ts-small",
        ),
        markup.tag("div", markup.table(heads, rows), style="ts-scroll", data_part="agreement"),
    ]
    weighed = [criterion for criterion in found.criteria if criterion.mean_a is not None]
    if weighed:
        parts.append(markup.tag("p", markup.quiet("Kappa for numbers uses quadratic weights."), style="ts ts-small"))
    return parts


def _share(of: CriterionComparison) -> str:
    return f" ({of.n_same / of.n_both_scored:.1%})" if of.n_both_scored else ""


def statistic(found: Statistic) -> str:
    """Return a value with its interval."""
    if not found.defined:
        return "not defined"
    if math.isnan(found.low) or math.isnan(found.high):
        return f"{found.value:.3f}"
    return f"{found.value:.3f} ({found.low:.2f} to {found.high:.2f})"


def table(of: CriterionComparison, found: RunComparison) -> Markup:
    """Return a table of how often each value of the first run meets each value of the second, with failures."""
    values = dict.fromkeys([*found.plan_a.values, *found.plan_b.values])
    rows = _ordered(values, [a for a, _ in of.crossed])
    columns = _ordered(values, [b for _, b in of.crossed])
    heads = [("first \u2193 second \u2192", "line"), *((words(column), "number") for column in columns)]
    cells = []
    for row in rows:
        line = [markup.text(words(row))]
        for column in columns:
            n = of.crossed.get((row, column), 0)
            text = markup.text(f"{n:,}" if n else "\u00b7")
            line.append(markup.tag("b", text) if n and row == column else text)
        cells.append(line)
    return markup.tag("div", markup.table(heads, cells), style="ts-scroll", data_part="crossed")


def words(of: Value | ReplyOutcome) -> str:
    """Return a value in words, or the reason why it is missing."""
    return of.label if isinstance(of, ReplyOutcome) else texts.opening(shown.value(of), 40)


def _ordered(values: Iterable[Value], there: Iterable[Value | ReplyOutcome]) -> list[Value | ReplyOutcome]:
    """Return the values in ascending order, then the failures."""
    known = set(there)
    return [
        *(value for value in values if value in known),
        *(verdict for verdict in ReplyOutcome if verdict in known),
    ]


# ---- where they differ -----------------------------------------------------------------------------------------------


def _differences(
    services: Services,
    project: ProjectView,
    one: RunView,
    other: RunView,
    differing: Sequence[ReplyDifference],
    criterion: str,
) -> None:
    shell.section(f"Where they differ: {len(differing):,}")
    if not differing:
        shell.show(markup.paragraph("Nowhere.", style="ts ts-quiet"))
        return
    kinds = Counter(_kind(difference) for difference in differing)
    kind = st.selectbox(
        "Which",
        [None, *(kind_of_difference for kind_of_difference, _ in kinds.most_common())],
        format_func=lambda each: f"{each}: {kinds[each]:,}" if each else "all of them",
        key=f"judges.differ.{one.id}.{other.id}.{criterion}",
    )
    wanted = [difference for difference in differing if kind in (None, _kind(difference))]
    pages = -(-len(wanted) // A_PAGE)
    page = 1
    if pages > 1:
        page = int(st.number_input(f"Page, of {pages}", 1, pages, 1, key=f"judges.differ.page.{one.id}.{other.id}"))
    some = wanted[(page - 1) * A_PAGE : page * A_PAGE]
    store, by = services.store, services.person
    first = judge_replies.replies(store, by=by, run=one.id, attempts=[difference.attempt_a for difference in some])
    second = judge_replies.replies(store, by=by, run=other.id, attempts=[difference.attempt_b for difference in some])
    titles = {known.id: known.title for known in project.schema.schema_.dimensions}
    shell.show(
        *(
            side_by_side(first[difference.attempt_a], second[difference.attempt_b], one, other, titles)
            for difference in some
            if difference.attempt_a in first and difference.attempt_b in second
        )
    )


def _kind(of: ReplyDifference) -> str:
    """Return what the two runs say, in words."""
    return " and ".join(
        words(verdict if value is None else value) for value, verdict in ((of.a, of.verdict_a), (of.b, of.verdict_b))
    )


def side_by_side(first: ReplyView, second: ReplyView, one: RunView, other: RunView, titles: dict[str, str]) -> Markup:
    """Return both replies to one answer, side by side."""

    def side(reply: ReplyView, run: RunView) -> Markup:
        text = shown.marked(reply.text, reply.readings, around=shown.AROUND) if reply.text else markup.quiet("no text")
        link = markup.tag(
            "a",
            markup.text(texts.opening(run.name, 80)),
            href=addresses.page(RunKind.JUDGE.page, run.project, run=run.id, reply=str(reply.id)),
            target="_self",
        )
        head = markup.tag("div", link, shown.scores(reply.readings), style="ts-small")
        return markup.tag("div", head, shown.no_score_reason(reply), text)

    return markup.tag(
        "div",
        markup.tag(
            "div",
            shown.answer_line(first, one.project, one.id, title=titles.get(first.dimension, "")),
            shown.people(first),
            style="head",
        ),
        shown.answer(first, most=300),
        markup.tag("div", side(first, one), side(second, other), style="said even"),
        style="ts ts-reply failed",
        data_pair=f"{first.id}-{second.id}",
    )


SECTION = RunSection("Compare", render, opened_by="with")
