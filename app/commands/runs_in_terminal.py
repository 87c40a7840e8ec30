"""Helpers of the commands about runs: estimate the cost, start a run, and follow it in a terminal."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from app.commands.runs_in_shards import execution_of, rechoose_shards
from domain.english import with_noun
from domain.errors import ConflictError, ModelError, RunStoppedError
from domain.runs import OPEN, RESUMABLE, RunState

if TYPE_CHECKING:
    from app.services import Resources
    from domain.judging import Plan
    from domain.runs import Preview, Question
    from workflow.runs.model_descriptions import ModelSpec
    from workflow.runs.run_views import RunView


def tell_estimate(spec: ModelSpec, questions: Sequence[Question], *, asked: int, blind: bool = False) -> None:
    """Print an estimate of the requests, tokens and cost of a run, from its first questions.

    ``blind``: options are also ranked without pictures.
    """
    from workflow.runs.preview_run import estimate

    costs = estimate(spec, questions, asked=asked, blind=blind)
    price = "unknown, because the model's description has no price"
    if costs.cost is not None:
        price = f"at most about {costs.cost:.2f} {costs.currency}"
    typer.echo(f"  {with_noun(costs.requests, 'request')}, if every request succeeds the first time")
    typer.echo(f"  about {costs.tokens_in} input tokens, at most {costs.tokens_out} output tokens; cost {price}")
    typer.echo(f"  {costs.rule}")


def tell_preview(seen: Preview, spec: ModelSpec, *, asked: int, blind: bool = False) -> None:
    """Print what a run may cost, and the first question as the model will see it."""
    if spec.endpoint is not None and seen.questions:
        tell_estimate(spec, seen.questions, asked=asked, blind=blind)
    for question in [turn for asked in seen.questions[:1] for turn in (asked.first, asked) if turn is not None]:
        typer.echo(f"--- {question.name} ({question.dimension})")
        if question.system:
            typer.echo(f"[system] {question.system}")
        typer.echo("".join(part if isinstance(part, str) else "<picture>" for part in question.parts))
        for option in question.options:
            typer.echo(f"  - {option}")


def refuse_mixed(*, resume: str | None, new: bool, frozen: bool, retry_failed: bool, say: str) -> None:
    """Refuse options that do not go together: a run is either new, or resumed with its frozen settings.

    Parameters
    ----------
    new
        Whether the options name everything that a new run needs; ``say`` lists those options.
    frozen
        Whether an option would change a setting that a started run keeps.
    """
    if resume is None and not new:
        raise ModelError(f"{say}, or continue a run with --resume RUN.")
    if resume is not None and frozen:
        raise ConflictError(
            "You cannot change the settings of an existing run. With --resume, use only --retry-failed and --later."
        )
    if retry_failed and resume is None:
        raise ConflictError("--retry-failed needs --resume RUN. Add --resume with the ID of a run.")


def start(shared: Resources, project: str, spec: ModelSpec, plan: Plan, *, later: bool) -> str:
    """Start a run and return its id. ``later``: leave the run to a worker, and wake a waiting worker."""
    from workflow.runs import run_start

    settings = shared.settings if later else None
    return run_start.start(shared.store, by=None, project=project, spec=spec, plan=plan, settings=settings)


def follow(
    shared: Resources,
    run: str,
    *,
    later: bool,
    end: Callable[[], None] = lambda: None,
    tools: Path | None = None,
) -> None:
    """Work on a run in this process, unless the run uses batch files or is left to a worker.

    ``end`` is called after the work, even if the work fails. ``tools`` is the file of a tool set that the run may use.
    """
    if execution_of(shared, run) is None and in_batches(shared, run):
        return
    if later:
        typer.echo(
            f"Run {run} is waiting for a worker. `touchstone serve` includes a worker. To start another worker, "
            "use `touchstone worker`."
        )
        return
    try:
        work(shared, run, tools=tools)
    finally:
        end()


def go_on(
    shared: Resources,
    project: str,
    run: str,
    *,
    retry_failed: bool,
    later: bool,
    shards: Path | None = None,
    executor: str | None = None,
) -> None:
    """Resume a run, or ask its failed questions again. ``shards`` and ``executor`` change how a run in shards goes on.

    Raises ``ConflictError`` if no question is left, or if the run belongs to another project.
    """
    from workflow.runs import run_control, run_start, run_views

    settings = shared.settings if later else None
    view = run_views.view(shared.store, by=None, run=run)
    if view.project != project:
        raise ConflictError(
            f"Run {run} belongs to the project {view.project}, not to {project}. Run the command again "
            f"with {view.project}."
        )
    executed = rechoose_shards(shared, run, shards, executor)
    if retry_failed:
        n = run_control.retry_failed(shared.store, by=None, run=run, settings=settings)
        typer.echo(f"To process again: {with_noun(n, view.kind.one)}.")
    elif view.state in RESUMABLE:
        run_control.resume(shared.store, by=None, run=run, settings=settings)
    elif view.state is RunState.BATCH and executed:
        run_start.wake(shared.store, settings, run)
    elif view.state is RunState.BATCH:
        raise ConflictError(
            f"Run {run} uses batch files, so Touchstone sends no requests now. See the progress with `touchstone "
            f"batch show {run} --refresh`. Fetch finished answers with `touchstone batch import {run}`."
        )
    elif view.state not in OPEN:
        raise ConflictError(f"Run {run} is {view.state.value}: {summary(view)}. The run has nothing left to process.")


def in_batches(shared: Resources, run: str) -> bool:
    """Tell whether the run uses batch files. If so, print the command that submits them."""
    from workflow.runs import run_views

    if run_views.view(shared.store, by=None, run=run).state is not RunState.BATCH:
        return False
    typer.echo(f"{run} is a run with batch files. Submit the files: touchstone batch create {run}")
    return True


def work(shared: Resources, run: str, *, tools: Path | None = None) -> None:
    """Work on a run in this process, with its progress, until the run is done or stopped."""
    from workflow.runs import run_control, run_views, worker

    view = run_views.view(shared.store, by=None, run=run)
    typer.echo(f"Run {run} of {view.name}: {view.left:,} of {with_noun(view.wanted, view.kind.one)} left to process.")
    again = f"touchstone {view.kind.value} run {view.project} --resume {run}"
    typer.echo(f"Press Ctrl+C to pause the run. To continue the run: {again}")
    signals: list[int] = []
    executed = execution_of(shared, run)
    with on_signals(signals), _progress(shared, run):
        if executed is not None:
            state = executed(lambda: bool(signals))
        else:
            state = worker.work(
                shared.store,
                run,
                means=worker.means_of(shared.store, shared.media, shared.settings, tools=tools),
                stop=lambda: bool(signals),
                wait=True,
            )
    if signal.SIGINT in signals and (state in OPEN or state is RunState.BATCH):
        run_control.pause(shared.store, by=None, run=run)
    view = run_views.view(shared.store, by=None, run=run)
    typer.echo(f"{view.state.value}: {summary(view)}")
    for sentence in (view.other_model, view.snapshots):
        if sentence:
            typer.echo(f"  {sentence}")
    if view.state is RunState.STOPPED:
        raise RunStoppedError(view.said)
    for failure in run_views.failures_of(shared.store, by=None, run=run)[:5]:
        typer.echo(f"  {failure.items} {failure.outcome.value}, such as {failure.item}: {failure.reason}")
    if view.failed:
        typer.echo(f"To ask these questions again: {again} --retry-failed")
    if signals:
        raise typer.Exit(128 + signals[0])


@contextmanager
def on_signals(signals: list[int]) -> Iterator[None]:
    """Handle Ctrl+C and SIGTERM: the first signal asks the run to pause, the second ends the process at once."""

    def heard(number: int, frame: Any) -> None:
        if signals:
            os._exit(128 + number)
        signals.append(number)
        print(
            "\nPausing after the current request. Press Ctrl+C again to stop immediately.", file=sys.stderr, flush=True
        )

    before = {number: signal.signal(number, heard) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextmanager
def _progress(shared: Resources, run: str) -> Iterator[None]:
    """Show the progress of a run on standard error: a changing line on a terminal, else a line every ten seconds."""
    over = threading.Event()
    screen = sys.stderr.isatty()

    def tell() -> None:
        while not over.wait(1.0 if screen else 10.0):
            try:
                line = _line(shared, run)
            except Exception:  # a failed progress line must not end a run
                continue
            print(f"\r\033[K{line}" if screen else line, end="" if screen else "\n", file=sys.stderr, flush=True)

    thread = threading.Thread(target=tell, name="progress", daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()
        if screen:
            print("\r\033[K", end="", file=sys.stderr, flush=True)


def _line(shared: Resources, run: str) -> str:

    from workflow.runs import run_views

    view = run_views.view(shared.store, by=None, run=run)
    parts = [f"{view.done} of {view.wanted} processed"]
    if view.failed:
        parts.append(f"{view.failed} failed")
    if view.rate:
        parts.append(f"{view.rate:.2g} a second" if view.rate < 10 else f"{view.rate:.0f} a second")
    if view.remaining is not None:
        parts.append(f"{_span(view.remaining)} left")
    if view.cost is not None:
        parts.append(f"{view.cost:.2f} {view.currency or ''}".strip())
    return ", ".join(parts)


def _span(seconds: float) -> str:
    """Return a duration in words. 75 seconds are ``1 min 15 s``."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"


def summary(view: RunView) -> str:
    """Return the progress of a run in words."""
    failed = f", {view.failed:,} {view.kind.failed}" if view.failed else ""
    return f"{view.done:,} of {with_noun(view.wanted, view.kind.one)} processed, {view.answered:,} answered{failed}"


def opened() -> Resources:
    """Return the process's database and media, after an upgrade of the database."""
    from app.services import opened

    return opened()
