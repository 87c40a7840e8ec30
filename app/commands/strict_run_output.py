"""Commands that begin a job which asks a model about many subjects (``workflow.runs.strict_questions``)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from domain.english import with_noun
from domain.errors import RunStoppedError

if TYPE_CHECKING:
    from app.services import Resources
    from workflow.runs.strict_questions import Inquiry, InquirySummary


def tell_dry(inquiry: Inquiry[Any], *, shown: int) -> None:
    """Print the first question and the estimated cost. ``shown``: how many questions have their pictures."""
    from app.commands.runs_in_terminal import tell_estimate

    left = [subject.question(at, shown=at < shown) for at, subject in enumerate(inquiry.look())]
    known = len(inquiry.subjects) - len(left)
    typer.echo(f"Remaining: {with_noun(len(left), inquiry.noun)}. Already done: {known:,}.")
    if left:
        tell_estimate(inquiry.spec, left[:shown], asked=len(left))
        typer.echo(f"--- {left[0].name}\n{left[0].cannot or left[0].text}")


def carried_out(
    shared: Resources,
    inquiry: Inquiry[Any],
    *,
    kind: str,
    input: Any,
    project: str | None = None,
    tell: Callable[[InquirySummary], None],
) -> None:
    """Do the job of an inquiry until it ends or a signal comes, print the result, and exit.

    The exit follows the signal, the reason why the job ended, or status 1 without a result.
    """
    from app.commands import job_in_terminal
    from app.commands.runs_in_terminal import on_signals

    inquiry.look()
    inquiry.result.must_be_ours(inquiry.file())
    signals: list[int] = []
    with on_signals(signals):
        slot = f"{kind}/{inquiry.result.out}"
        job = job_in_terminal.work(shared, kind=kind, slot=slot, project=project, input=input, signals=signals)
    summary: InquirySummary | None = job.result
    if summary is not None:
        tell(summary)
    if signals:
        raise typer.Exit(128 + signals[0])
    if job.refused:
        raise RunStoppedError(job.refused)
    if summary is None or not summary.n:
        raise typer.Exit(1)


def tell_asked(summary: InquirySummary, inquiry: Inquiry[Any], *, journal: Path, more: str) -> None:
    """Print counts, faulty replies by kind, and subjects without a result. ``more`` precedes the details."""
    if summary.broken:
        lines = f"{with_noun(summary.broken, 'line')} of {journal}"
        typer.echo(
            f"Touchstone could not read {lines}, probably because the process was killed. Touchstone asks "
            "the questions in these lines again."
        )
    if summary.before:
        typer.echo(f"Already done and not repeated: {with_noun(summary.before, inquiry.noun)}.")
    endpoint = inquiry.spec.endpoint
    price = endpoint.price if endpoint else None
    for what, n in summary.figures.items():
        if n is not None:
            typer.echo(f"{n:>10.4f} cost ({price.currency if price else ''})" if what == "cost" else f"{n:>10,} {what}")
    for kind, (n, first) in sorted(summary.failures.items(), key=lambda each: (-each[1][0], each[0])):
        typer.echo(f"{n:>10,} rejected: {kind}, such as {first}")
    for name, why, detail in summary.without:
        typer.echo(f"   {name} has no {inquiry.wanted}: {why}{more + detail if detail else '.'}")
    if (left := summary.n_without - len(summary.without)) > 0:
        typer.echo(f"   and {left:,} more without a {inquiry.wanted}")
