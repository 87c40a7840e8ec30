"""Two runs of judges side by side: how far they agree over the same answers, and every answer where they differ."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

import streamlit as st

from app import markup, shell
from app.judging import shown
from app.markup import Markup
from app.running import shown as texts
from app.services import Services
from domain.judging import JudgePlan
from domain.records import ProjectView
from domain.runs import RunKind
from workflow import judged, runs
from workflow.judged import Compared, Pair, ReplyView, Side
from workflow.runs import RunView

A_PAGE = 10
"""So many differences stand on a page."""


def render(services: Services, project: ProjectView, view: RunView) -> None:
    """Pick the other run, then see both."""
    others = [
        other
        for other in runs.runs_of(services.store, by=services.person, project=project.name, kind=RunKind.JUDGE)
        if other.id != view.id
    ]
    if not others:
        shell.show(markup.notice("There is no other run of a judge to compare this one with."))
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
    found = judged.compared(services.store, by=services.person, run=view.id, other=other.id)
    if not found.pairs:
        shell.show(markup.notice("These two runs have no replies about the same answers."))
        return
    criterion = found.criteria[0]
    if len(found.criteria) > 1:
        criterion = (
            st.segmented_control("Criterion", found.criteria, default=criterion, key="judges.compare.criterion")
            or criterion
        )
    shell.show(*figures(found, view, other), table(found.of(criterion), view, other))
    _differences(services, project, view, other, found.of(criterion))


def _nearest(view: RunView, others: Sequence[RunView]) -> str:
    """The newest other run with the same template, else the newest."""
    if isinstance(view.plan, JudgePlan):
        for other in others:
            if isinstance(other.plan, JudgePlan) and other.plan.template == view.plan.template:
                return other.id
    return others[0].id


def figures(found: Compared, one: RunView, other: RunView) -> list[Markup]:
    """By criterion: n scored of n of both, and how far they agree where both have a score."""
    heads = [
        ("Criterion", "name"),
        (texts.opening(one.name, 60), "number"),
        (texts.opening(other.name, 60), "number"),
        ("Both scored", "number"),
        ("Alike", "number"),
        ("Cohen's kappa", "number"),
    ]
    rows = []
    for criterion in found.criteria:
        pairs = found.of(criterion)
        both = [pair for pair in pairs if pair.both]
        alike = sum(pair.alike for pair in both)
        rows.append(
            [
                markup.text(texts.opening(criterion, 80)),
                markup.text(_scored([pair.one for pair in pairs])),
                markup.text(_scored([pair.other for pair in pairs])),
                markup.text(f"{len(both):,} of {len(pairs):,}"),
                markup.text(f"{alike:,} of {len(both):,} ({alike / len(both):.1%})" if both else "-"),
                markup.text(kappa(both)),
            ]
        )
    parts = [markup.tag("div", markup.table(heads, rows), style="ts-scroll", data_part="agreement")]
    left = found.only_one + found.only_other
    if left:
        parts.append(
            markup.tag(
                "p",
                markup.quiet(
                    f"Over what both were asked about. {found.only_one:,} readings only the first has,"
                    f" {found.only_other:,} only the second."
                ),
                style="ts ts-small",
            )
        )
    return parts


def _scored(sides: Sequence[Side]) -> str:
    return f"{sum(side.verdict.scored for side in sides):,} scored of {len(sides):,}"


def kappa(both: Sequence[Pair]) -> str:
    """Agreement beyond chance over what both have scored, with its interval."""
    from agreement import Ratings, cohen_kappa

    if len(both) < 2:
        return "-"
    found = cohen_kappa(
        Ratings.from_lists(one=[pair.one.value for pair in both], other=[pair.other.value for pair in both])
    )
    if not found.defined:
        return "not defined"
    if math.isnan(found.low) or math.isnan(found.high):
        return f"{found.value:.3f}"
    return f"{found.value:.3f} ({found.low:.2f} to {found.high:.2f})"


def table(pairs: Sequence[Pair], one: RunView, other: RunView) -> Markup:
    """How often each value of the first meets each of the second, failures among them."""
    counts = Counter((pair.one.words, pair.other.words) for pair in pairs)
    rows = _ordered([pair.one for pair in pairs])
    columns = _ordered([pair.other for pair in pairs])
    heads = [("first \u2193 second \u2192", "line"), *((texts.opening(name, 40), "number") for name in columns)]
    cells = []
    for row in rows:
        line = [markup.text(texts.opening(row, 40))]
        for column in columns:
            n = counts[row, column]
            words = f"{n:,}" if n else "·"
            line.append(markup.tag("b", markup.text(words)) if n and row == column else markup.text(words))
        cells.append(line)
    words = f"First: {texts.opening(one.name, 80)}. Second: {texts.opening(other.name, 80)}."
    return markup.joined(
        [
            markup.tag("div", markup.table(heads, cells), style="ts-scroll", data_part="crossed"),
            markup.tag("p", markup.quiet(words), style="ts ts-small"),
        ]
    )


def _ordered(sides: Sequence[Side]) -> list[str]:
    """Values as they rise, then failures."""
    found = {side.words: side for side in sides}

    def place(words: str) -> tuple[int, float, str]:
        side = found[words]
        if not side.verdict.scored:
            return 2, 0.0, words
        number = side.value if isinstance(side.value, int | float) else None
        return (0, float(number), "") if number is not None else (1, 0.0, words)

    return sorted(found, key=place)


# ---- where they differ -----------------------------------------------------------------------------------------------


def _differences(services: Services, project: ProjectView, one: RunView, other: RunView, pairs: Sequence[Pair]) -> None:
    differing = [pair for pair in pairs if not pair.alike]
    shell.section(f"Where they differ: {len(differing):,} of {len(pairs):,}")
    if not differing:
        shell.show(markup.paragraph("Nowhere.", style="ts ts-quiet"))
        return
    kinds = Counter((pair.one.words, pair.other.words) for pair in differing)
    kind = st.selectbox(
        "Which",
        [None, *(each for each, _ in kinds.most_common())],
        format_func=lambda each: (
            f"{texts.opening(each[0], 40)} and {texts.opening(each[1], 40)}: {kinds[each]:,}" if each else "all of them"
        ),
        key=f"judges.differ.{one.id}.{other.id}.{pairs[0].criterion}",
    )
    wanted = [pair for pair in differing if kind in (None, (pair.one.words, pair.other.words))]
    pages = -(-len(wanted) // A_PAGE)
    page = 1
    if pages > 1:
        page = int(
            st.number_input("Page, of " + str(pages), 1, pages, 1, key=f"judges.differ.page.{one.id}.{other.id}")
        )
    some = wanted[(page - 1) * A_PAGE : page * A_PAGE]
    first = judged.replies(services.store, by=services.person, run=one.id, attempts=[pair.one.attempt for pair in some])
    second = judged.replies(
        services.store, by=services.person, run=other.id, attempts=[pair.other.attempt for pair in some]
    )
    titles = {known.id: known.title for known in project.schema.schema_.dimensions}
    shell.show(
        *(
            both(first[pair.one.attempt], second[pair.other.attempt], one, other, titles)
            for pair in some
            if pair.one.attempt in first and pair.other.attempt in second
        )
    )


def both(first: ReplyView, second: ReplyView, one: RunView, other: RunView, titles: dict[str, str]) -> Markup:
    """Both replies about one answer, beside each other."""

    def side(reply: ReplyView, run: RunView) -> Markup:
        text = shown.marked(reply.text, reply.readings, around=shown.AROUND) if reply.text else markup.quiet("no text")
        link = markup.tag(
            "a",
            markup.text(texts.opening(run.name, 80)),
            href=shown.address(run.project, run=run.id, reply=str(reply.id)),
            target="_self",
        )
        head = markup.tag("div", link, shown.scores(reply.readings), style="ts-small")
        return markup.tag("div", head, shown.why(reply), text)

    return markup.tag(
        "div",
        markup.tag(
            "div",
            shown.about(first, one.project, one.id, title=titles.get(first.dimension, "")),
            shown.people(first),
            style="head",
        ),
        shown.answer(first, most=300),
        markup.tag("div", side(first, one), side(second, other), style="said even"),
        style="ts ts-reply failed",
        data_pair=f"{first.id}-{second.id}",
    )
