"""Output and exit status of commands that ask a model about many subjects (``workflow.runs.strict_questions``)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import typer

from domain.english import with_noun
from domain.errors import RunStopped

if TYPE_CHECKING:
    from workflow.runs.model_descriptions import ModelSpec

SHOWN = 20
"""Number of subjects without a result that are listed."""


class StrictRun(Protocol):
    """The result of one run."""

    broken: int
    before: int
    stopped: str

    @property
    def failures(self) -> Mapping[str, Sequence[str]]:
        """Return the subjects of faulty replies, by kind of fault."""

    def figures(self) -> Mapping[str, Any]:
        """Return the counts; None is unknown."""

    def without(self) -> Iterator[tuple[str, str, list[str]]]:
        """Yield the subjects without a result: name, reason, and details."""


T = TypeVar("T", bound=StrictRun)


def carried_out(
    make: Callable[[Callable[[], bool]], T], *, tell: Callable[[T], None], came: Callable[[T], Sequence[Any]]
) -> None:
    """Run ``make`` until it ends or a signal comes, print the result, and exit.

    The exit follows the signal, the reason of a stop, or status 1 without a result in ``came``.
    """
    from app.commands.runs_in_terminal import on_signals

    signals: list[int] = []
    with on_signals(signals):
        told = make(lambda: bool(signals))
    tell(told)
    if signals:
        raise typer.Exit(128 + signals[0])
    if told.stopped:
        raise RunStopped(told.stopped)
    if not came(told):
        raise typer.Exit(1)


def tell_asked(told: StrictRun, spec: ModelSpec, *, about: str, wanted: str, journal: Path, more: str) -> None:
    """Print counts, faulty replies by kind, and subjects without a result.

    ``about`` is the noun of a subject (video) and ``wanted`` of a result (goal). ``more`` precedes the details.
    """
    if told.broken:
        lines = f"{with_noun(told.broken, 'line')} of {journal}"
        typer.echo(
            f"{lines} cannot be read, as of a command that was killed; what was asked there counts as not asked."
        )
    if told.before:
        typer.echo(f"{with_noun(told.before, about)} with what is known already, not asked again")
    for what, n in told.figures().items():
        if n is not None:
            price = spec.endpoint.price if spec.endpoint else None
            typer.echo(f"{n:>10.4f} cost ({price.currency if price else ''})" if what == "cost" else f"{n:>10,} {what}")
    for kind, names in sorted(told.failures.items(), key=lambda each: (-len(each[1]), each[0])):
        typer.echo(f"{len(names):>10,} not taken: {kind}; such as {names[0]}")
    without = list(told.without())
    for name, why, said in without[:SHOWN]:
        typer.echo(f"   {name} has no {wanted}: {why}{more + said[0] if said else '.'}")
    if (left := len(without) - SHOWN) > 0:
        typer.echo(f"   and {left:,} more without a {wanted}")
