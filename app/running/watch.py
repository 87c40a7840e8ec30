"""Watch a run: its progress, newest answers, failures and workers, and the buttons that control it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any

import streamlit as st

from app import addresses, markup, shell
from app.markup import Markup
from app.reruns import dialogs
from app.running import shown
from app.services import Services
from app.widgets import confirm
from app.widgets.confirm import Confirmation
from domain.records import ProjectView
from domain.run_kinds import RunKind
from domain.runs import ANSWERS, OPEN, RESUMABLE, RunState
from workflow.runs import run_control, run_jobs, run_views
from workflow.runs.run_views import AttemptView, FailureView, RunView

FOLLOW_SECONDS = 2
"""Seconds between two updates of an open page, while a worker is at the run."""

LAST = 8
"""Number of newest answers shown."""

MOST_REASONS = 20
"""Number of reasons of failures shown. The list of answers has all of them."""

PATIENCE = timedelta(seconds=15)
"""Waiting time after which the page reports that no worker takes the run."""


def file_name(name: str) -> str:
    """Return a file name for a model."""
    return re.sub(r"[^A-Za-z0-9._-]+", "-", name).strip("-.")[:80] or "model"


# ---- one run ---------------------------------------------------------------------------------------------------------


def watched(services: Services, project: ProjectView, view: RunView) -> None:
    """Draw one run of a model. The page follows the run while a worker may be at it."""
    follow(services, view, partial(_draw, services))


def follow(services: Services, view: RunView, draw: Callable[[RunView], None]) -> None:
    """Draw the current state of a run, and again every few seconds while a worker may be at it."""
    every = FOLLOW_SECONDS if view.is_active and not dialogs.is_open() else None
    st.fragment(run_every=every)(_as_it_stands)(services, view.id, view.state, draw)


def _as_it_stands(services: Services, run: str, drawn_as: RunState, draw: Callable[[RunView], None]) -> None:
    with shell.guard(services):
        view = run_views.view(services.store, by=services.person, run=run)
        if view.state is not drawn_as:  # the buttons and the update interval differ
            st.rerun()
        draw(view)


def imported_answers(services: Services, view: RunView) -> None:
    """Draw imported answers: their number, a link to read them, and the button that withdraws them."""
    counts = shown.outcomes(view.by_outcome, wanted=view.wanted)
    pairs = [("answers, of " + f"{view.wanted:,}", f"{view.answered:,}")]
    href = addresses.cases(view.project, model=view.name)
    link = markup.tag("a", markup.text("Show on Cases"), href=href, target="_self")
    shell.show(counts, shown.figures(pairs), markup.tag("p", link, style="ts"))
    withdraw(services, view)


def _draw(services: Services, view: RunView) -> None:
    failed = run_views.failures_of(services.store, by=services.person, run=view.id) if view.failed else ()
    shell.show(*figures(view))
    buttons(services, view)
    tell_waiting(services, view)
    answered = run_views.attempts_of(
        services.store, by=services.person, run=view.id, outcomes=tuple(ANSWERS), limit=LAST
    )
    more = below(view, failed, answered)
    if more:
        shell.show(*more)


def figures(view: RunView) -> list[Markup]:
    """Return the progress and the figures of a run."""
    answers = view.kind.answers
    pairs = [("asked, of " + f"{view.wanted:,}", f"{view.done:,}")]
    if answers:
        pairs.append(("answered", f"{view.answered:,}"))
    if view.is_active:
        pairs.append(("pace", shown.rate(view.rate * 60 if view.rate else None)))
        pairs.append(("time left", shown.duration(view.remaining)))
    if view.done:
        pairs += [("input tokens", shown.number(view.tokens_in)), ("output tokens", shown.number(view.tokens_out))]
    if view.cost is not None or view.spec.get("endpoint"):
        over = " at least" if view.without_cost and view.cost is not None else ""
        pairs.append((f"cost{over}", shown.cost(view.cost, view.currency)))
    if view.attempts > view.done:
        pairs.append(("attempts", f"{view.attempts:,}"))
    parts = [
        markup.tag("div", shown.state(view.state), style="ts", data_part="state", data_state=view.state.value),
        *([shown.outcomes(view.by_outcome, wanted=view.wanted)] if answers else []),
        shown.figures(pairs),
    ]
    if view.said:
        parts.append(markup.notice(shown.tame(view.said), style="bad" if view.state is RunState.STOPPED else ""))
    if view.other_model:
        parts.append(markup.notice(shown.tame(view.other_model), style="bad"))
    if view.snapshots:
        parts.append(markup.notice(shown.tame(view.snapshots)))
    return parts


def tell_waiting(services: Services, view: RunView) -> None:
    """Show a notice if no one works on an open run."""
    if view.state in OPEN and not view.worked_on:
        warning = waiting(view, now=datetime.now(UTC), heard=run_jobs.worker_seen(services.store))
        if warning:
            shell.show(markup.notice(warning, style="bad"))


def waiting(view: RunView, *, now: datetime, heard: float | None) -> str:
    """Return why no one works on an open run. Empty if someone does.

    ``heard`` is the number of seconds since any worker, busy with any run, was last heard of. None: never.
    """
    if view.state not in OPEN or view.worked_on:
        return ""
    since = max([view.created_at, *(worker.seen_at for worker in view.workers)])
    if now - since < PATIENCE:
        return ""
    gone = [worker for worker in view.workers if not worker.there]
    before = f" {gone[-1].name} was last active at {markup.moment(gone[-1].seen_at)}." if gone else ""
    if heard is not None and heard < PATIENCE.total_seconds():
        return (
            f"A worker is running but has not {'taken over' if gone else 'started'} this run yet. The worker may be "
            f"busy with another run.{before} To add a worker, use `touchstone worker`."
        )
    return (
        f"No worker is running.{before} Ask the person who runs this server to start a worker with `touchstone "
        "worker`. The run then continues with the unanswered requests."
    )


def below(view: RunView, failed: Sequence[FailureView], answered: Sequence[AttemptView]) -> list[Markup]:
    """Return the newest answers, the failures and the workers."""
    parts = []
    if failed:
        title = f"Without an answer: {markup.count(view.failed, view.kind.one)}"
        parts += [markup.section(title), failures(failed, view)]
    if answered:
        parts += [markup.section("Last answers"), last(answered, view)]
    if view.workers:
        parts += [markup.section("Workers"), workers(view)]
    return parts


def failures(of: Sequence[FailureView], view: RunView) -> Markup:
    """Return a table of failures by outcome and reason. An example links to all failures of its kind."""
    heads = [("Outcome", "line"), ("Reason", ""), ("Items", "number"), ("Example", "line")]
    return markup.table(
        heads,
        [
            [
                markup.text(failure.outcome.label),
                shown.line(failure.reason or "-", most=600),
                markup.text(f"{failure.items:,}"),
                markup.tag(
                    "a",
                    markup.text(shown.opening(failure.title, 60)),
                    href=addresses.page(RunKind.MODEL.page, view.project, run=view.id, outcome=failure.outcome.value),
                    target="_self",
                ),
            ]
            for failure in of[:MOST_REASONS]
        ],
    )


def last(found: Sequence[AttemptView], view: RunView) -> Markup:
    """Return a table of the newest answers, with links to the items and to the details of the answers."""
    heads = [("Question", ""), ("Dimension", "line"), ("Answer", "rest"), ("Seconds", "number"), ("At", "line")]
    return markup.table(
        heads,
        [
            [
                shown.question(view.project, answer.item, answer.title),
                markup.text(answer.dimension),
                shown.line(answer.attempt.text),
                markup.text("-" if answer.attempt.seconds is None else f"{answer.attempt.seconds:.2f}"),
                markup.tag(
                    "a",
                    markup.text(markup.moment(answer.at, seconds=True)),
                    href=addresses.page(RunKind.MODEL.page, view.project, run=view.id, attempt=str(answer.id)),
                    target="_self",
                    title="Open the details of this answer",
                ),
            ]
            for answer in found
        ],
    )


def workers(view: RunView) -> Markup:
    """Return a table of the workers and their hardware."""
    heads = [("Worker", "name"), ("Runs on", ""), ("Since", "line"), ("Last active", "line")]
    return markup.table(
        heads,
        [
            [
                markup.text(shown.tame(worker.name)),
                markup.quiet(worker_line(worker.about, names=FIRST)),
                markup.text(markup.moment(worker.started_at)),
                markup.tag("b", markup.text("now"))
                if worker.there
                else markup.text(markup.moment(worker.seen_at, seconds=True)),
            ]
            for worker in view.workers
        ],
    )


NOT_SHOWN = ("process",)
"""Facts that a worker stores only for other workers."""


FIRST = ("device", "device_name", "dtype", "batch_size", "base_url", "model", "model_class", "concurrency", "probe")
"""Facts about a worker that matter while a person watches. The others are shown with description and plan."""


def worker_line(of: Mapping[str, Any], *, names: Sequence[str] | None = None) -> str:
    """Return a worker's facts in one line, restricted to ``names`` if given."""
    chosen = {name: of[name] for name in names if name in of} if names is not None else of
    settings = (f"{name.replace('_', ' ')} {_words(value)}" for name, value in chosen.items() if name not in NOT_SHOWN)
    return shown.opening(" · ".join(part for part in settings if not part.endswith(" ")), 2_000)


def _words(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Mapping):
        parts = ((name.replace("_", " "), _words(part)) for name, part in value.items())
        return ", ".join(f"{name} {words}" for name, words in parts if words)
    if isinstance(value, list | tuple):
        return ", ".join(map(_words, value))
    return str(value)


# ---- buttons ---------------------------------------------------------------------------------------------------------


def buttons(services: Services, view: RunView) -> None:
    """Draw the buttons: pause, resume, retry failures, cancel, withdraw."""
    store, by = services.store, services.person
    with st.container(horizontal=True):
        if view.is_active:
            _button(services, "Pause", "pause", lambda: run_control.pause(store, by=by, run=view.id))
        if view.state in RESUMABLE and not view.withdrawn:
            _button(
                services,
                "Resume",
                "resume",
                lambda: run_control.resume(store, by=by, run=view.id, settings=services.settings),
                primary=True,
            )
        if view.failed and not view.is_active and view.state is not RunState.CANCELLED and not view.withdrawn:
            _button(
                services,
                f"Ask again ({view.failed:,} {view.kind.failed})",
                "retry",
                lambda: run_control.retry_failed(store, by=by, run=view.id, settings=services.settings),
            )
        if view.state in OPEN or view.state in RESUMABLE or view.state is RunState.BATCH:
            _ask(services, "Cancel", "cancel", view)
        if not view.is_active:
            withdraw(services, view)


NO_WAY_BACK = "You cannot undo this action or resume a canceled run. Stored answers still count."


def _ask(services: Services, label: str, what: str, view: RunView, *, help: str | None = None) -> None:
    """Draw a button that opens a dialog.

    The page is drawn again and does not follow the run while the dialog is open.
    """
    open_dialog = partial(_sure, services, what, view)
    if st.button(label, key=f"models.{what}.{view.id}.ask", help=help, on_click=open_dialog):
        st.rerun()


def _sure(services: Services, what: str, view: RunView) -> None:
    """Open the dialog that confirms to cancel or withdraw this run."""
    named = shown.opening(view.name, 80)
    if what == "cancel":
        left = f"The run will not process {markup.count(view.left, view.kind.one)}."
        question = Confirmation(
            f"Cancel {named} permanently?", left, NO_WAY_BACK, f"Cancel {named}", no="Do not cancel"
        )
    else:
        question = Confirmation(
            f"Withdraw {named}?",
            (
                "The run no longer counts in results, agreement, calibration, cases or exports. Touchstone "
                "withdraws open grading tasks about the run's answers."
            ),
            "The run stays in the list with your reason. You can restore the run.",
            f"Withdraw {named}",
            no="Do not withdraw",
            why="Reason",
        )

    def act(*reason: str) -> None:
        if what == "cancel":
            run_control.cancel(services.store, by=services.person, run=view.id)
        else:
            run_control.withdraw(services.store, by=services.person, run=view.id, reason=reason[0])

    confirm.ask(services, question, act, key=f"models.{what}.{view.id}")


def withdraw(services: Services, view: RunView) -> None:
    """Draw the button that withdraws a run with a reason, or the button that takes a withdrawal back."""
    if not view.withdrawn:
        _ask(
            services,
            "Withdraw",
            "withdraw",
            view,
            help="The run stays in the list with your reason, but no longer counts.",
        )
    else:
        back = partial(run_control.take_back, services.store, by=services.person, run=view.id)
        _button(services, "Restore run", f"withdraw.{view.id}.back", back)


def _button(services: Services, label: str, name: str, act: Callable[[], object], *, primary: bool = False) -> None:
    def do() -> None:
        with shell.pressed(services):
            act()

    if st.button(label, key=f"models.{name}", type="primary" if primary else "secondary", on_click=do):
        st.rerun()
