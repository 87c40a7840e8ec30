"""Watch a judge's run: its progress, the outcomes of its replies, all failures, and the buttons that control it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import partial

import streamlit as st

from app import addresses, markup, shell
from app.judging import shown
from app.markup import Markup
from app.running import run_lists, watch
from app.running import shown as figures_of
from app.running.run_lists import Listing, RunColumn
from app.services import Services
from domain.comparison import same
from domain.judging import JudgePlan, ReplyOutcome
from domain.records import ProjectView
from domain.run_kinds import RunKind
from domain.runs import RunState
from workflow.results import judge_replies
from workflow.results.judge_replies import ReplyTally
from workflow.runs.run_views import RunView

LAST = 3
"""Number of newest replies shown."""

BATCH = (
    "This run uses batch files. Submit the files with `touchstone batch create {run}`. Fetch the replies with "
    "`touchstone batch import {run}`."
)
"""The notice for a run with batch files, which no worker takes."""


# ---- the list --------------------------------------------------------------------------------------------------------


def _tallies(services: Services, project: str, found: Sequence[RunView]) -> dict[str, list[ReplyTally]]:
    """Return the tallies by run. A run is counted again only if it has changed."""
    marks = judge_replies.marks(services.store, by=services.person, project=project)
    known: dict[str, tuple[int, list[ReplyTally]]] = st.session_state.setdefault("judges.tallies", {})
    for view in found:
        mark = marks.get(view.id, 0)
        if view.id not in known or known[view.id][0] != mark:
            known[view.id] = (
                mark,
                judge_replies.tallies(services.store, by=services.person, run=view.id) if mark else [],
            )
    return {view.id: known[view.id][1] for view in found}


def all_verdicts(tallies: Sequence[ReplyTally]) -> Counter[ReplyOutcome]:
    """Return the verdicts of all criteria."""
    counts: Counter[ReplyOutcome] = Counter()
    for tally in tallies:
        counts.update(tally.verdicts)
    return counts


def _outcomes(view: RunView, tallies: Sequence[ReplyTally]) -> Markup:
    counts = all_verdicts(tallies)
    return markup.joined([shown.bar(counts, total=sum(counts.values())), markup.quiet(shown.of_all(counts))])


LISTING = Listing(
    RunKind.JUDGE,
    columns=(
        run_lists.name("Judge"),
        run_lists.STATE,
        RunColumn("Outcomes", "wide", _outcomes),
        run_lists.ASKED,
        run_lists.started(),
        run_lists.BY,
        run_lists.hash_of("Hash"),
    ),
    nothing="No judge has run on this server yet. To start a judge, choose New run.",
    more=_tallies,
)


# ---- one run ---------------------------------------------------------------------------------------------------------


def watched(services: Services, project: ProjectView, view: RunView) -> None:
    """Draw one run of a judge. The page follows the run while a worker may be at it."""
    watch.follow(services, view, partial(_draw, services, project))


def _draw(services: Services, project: ProjectView, view: RunView) -> None:
    tallies = judge_replies.tallies(services.store, by=services.person, run=view.id)
    shell.show(*figures(view, tallies))
    if view.spec:
        watch.buttons(services, view)
    else:  # the replies were imported, so no judge can be asked
        watch.withdraw(services, view)
    watch.tell_waiting(services, view)
    if view.state is RunState.BATCH and not view.uses_executor:
        shell.show(markup.notice(BATCH.format(run=view.id)))
    parts = []
    reasons = judge_replies.reasons_of(services.store, by=services.person, run=view.id)
    if reasons:
        parts += [markup.section("Without a score"), failures(reasons, view)]
    last = judge_replies.replies_of(services.store, by=services.person, run=view.id, limit=LAST)
    if last:
        titles = {known.id: known.title for known in project.schema.schema_.dimensions}
        parts.append(markup.section("Last replies"))
        parts += [shown.card(reply, view.project, view.id, title=titles.get(reply.dimension, "")) for reply in last]
    if view.workers:
        parts += [markup.section("Workers"), watch.workers(view)]
    if parts:
        shell.show(*parts)


def figures(view: RunView, tallies: Sequence[ReplyTally]) -> list[Markup]:
    """Return the progress, the outcomes by criterion, and the figures of a run."""
    return [*watch.figures(view), *(_tally(view, tally) for tally in tallies)]


def _tally(view: RunView, each: ReplyTally) -> Markup:
    """Return a criterion's outcomes: how many readings have a score, out of how many, and each kind of failure."""
    links = {
        verdict: addresses.page(
            view.kind.page, view.project, run=view.id, verdict=verdict.value, criterion=each.criterion
        )
        for verdict in each.verdicts
    }
    words = [markup.tag("b", markup.text(figures_of.opening(each.criterion, 80)))]
    words.append(markup.text(f" · {shown.of_all(each.verdicts)}"))
    if isinstance(view.plan, JudgePlan):
        words.append(markup.quiet(scores_in_words(each, view.plan)))
    return markup.tag(
        "div",
        markup.tag("div", *words, data_part="tally", data_criterion=each.criterion),
        shown.bar(each.verdicts, total=max(each.n, 1)),
        shown.keys(each.verdicts, links=links),
        style="ts",
    )


def scores_in_words(each: ReplyTally, plan: JudgePlan) -> str:
    """Return the scores in words: their mean with bounds, or the frequency of each value."""
    if plan.swap:
        return _won(each, plan)
    mean, bounds = each.mean, each.bounds(plan.values)
    if mean is not None and bounds is not None:
        if each.scored == each.n:
            return f" · mean {mean:.3f}"
        return f" · mean {mean:.3f} of scored replies; mean of all replies between {bounds[0]:.3f} and {bounds[1]:.3f}"
    counts: Counter[str] = Counter()
    for (value, swapped), n in each.values.items():
        counts[shown.value(plan.straight(value, swapped=swapped))] += n
    tallies = ", ".join(f"{figures_of.opening(name, 40)} {n:,}" for name, n in counts.most_common(8))
    return f" · {tallies}" if tallies else ""


_BY_NAME = ("the first model in alphabetical order", "the other model")
"""Names of the winners in comparisons of any two models."""


def _won(each: ReplyTally, plan: JudgePlan) -> str:
    """Return how often each side of a comparison won."""
    sided = [value for value in plan.values if not same(plan.straight(value, swapped=True), value)]
    both = ("the answer", figures_of.opening(plan.baseline, 60)) if plan.baseline else _BY_NAME
    names = dict(zip(map(str, sided), both, strict=False))
    won = Counter[str]()
    for (value, swapped), n in each.values.items():
        won[names.get(str(plan.straight(value, swapped=swapped)), "neither")] += n
    tallies = ", ".join(f"{name} is better: {n:,}" for name, n in won.most_common())
    return f" · {tallies}" if tallies else ""


def failures(of: Sequence[tuple[ReplyOutcome, str, int]], view: RunView) -> Markup:
    """Return a table of the reasons for missing scores, with links to the replies."""
    return markup.table(
        [("Outcome", "line"), ("Reason", ""), ("Readings", "number")],
        [
            [
                markup.tag(
                    "a",
                    markup.text(verdict.label),
                    href=addresses.page(view.kind.page, view.project, run=view.id, verdict=verdict.value),
                    target="_self",
                ),
                figures_of.line(why or "-", most=600),
                markup.text(f"{n:,}"),
            ]
            for verdict, why, n in of
        ],
    )
