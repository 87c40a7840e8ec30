"""Runs whose questions are handed in as batch files: through an endpoint, or as files that someone carries.

What could cost something is on record before it can: a batch and its questions are stored before its file is made, that
it is being handed in before it is, and the endpoint's id of it afterwards. A command that is killed in between leaves a
batch of which the next one finds out what became of it. Every line that comes back is an attempt of its question, or is
kept as a line that is no one's answer; reading the same lines again changes nothing.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from pathlib import Path

from db import batches
from db.engine import Store
from domain.batches import OUT, BatchState
from domain.errors import Conflict, NotFound, RunStopped
from domain.records import Person
from domain.runs import RunState
from domain.settings import Settings
from inference.endpoint.batches import BatchEndpoint
from inference.spec import ModelSpec
from workflow.runs import batch_questions, batch_results
from workflow.runs.batch_command import BatchCommand, batch_run, free_units, status_of
from workflow.runs.batch_results import ReadIn
from workflow.runs.worker import Means

MOST_QUESTIONS = 10_000
"""Of one batch."""


@dataclass(frozen=True)
class BatchView:
    """Where a batch stands."""

    number: int
    state: BatchState
    questions: int
    came: int
    """Of how many questions a reply came."""
    without: int
    """Of how many it is known that none will: an error, an expiry, or a batch that ended without a line about it."""
    status: str
    """In the endpoint's words; empty: it has not been asked."""
    said: str
    file: str | None
    server_id: str | None
    created_at: datetime
    sent_at: datetime | None
    ended_at: datetime | None


@dataclass(frozen=True)
class ProblemView:
    """A line that came back and is no one's answer."""

    why: str
    raw: str


@dataclass(frozen=True)
class BatchesView:
    """Where the batch files of a run stand."""

    state: RunState
    batches: tuple[BatchView, ...]
    free: int
    """How many questions are still to be handed in."""
    problems: tuple[ProblemView, ...]


def view(store: Store, *, by: Person | None, run: str) -> BatchesView:
    """Where the batch files of a run stand."""
    with store.read() as session:
        row = batch_run(session, by, run)
        counts = batches.counts(session, run_id=row.id)
        replied = batches.replied(session, run_id=row.id)
        return BatchesView(
            state=row.state,
            batches=tuple(
                BatchView(
                    number=each.number,
                    state=each.state,
                    questions=counts.get(each.id, (0, 0))[0],
                    came=replied[each.id],
                    without=counts.get(each.id, (0, 0))[1] - replied[each.id],
                    status=status_of(each.told),
                    said=each.said,
                    file=each.file,
                    server_id=each.server_id,
                    created_at=each.created_at,
                    sent_at=each.sent_at,
                    ended_at=each.ended_at,
                )
                for each in batches.of_run(session, run_id=row.id)
            ),
            free=len(free_units(session, row)),
            problems=tuple(ProblemView(each.why, each.raw) for each in batches.problems(session, run_id=row.id)),
        )


# ---- handing in -----------------------------------------------------------------------------------------------------


def submit(
    store: Store,
    *,
    by: Person | None,
    run: str,
    means: Means,
    folder: Path,
    open_endpoint: Callable[[ModelSpec], BatchEndpoint],
    size: int = MOST_QUESTIONS,
    again: bool = False,
) -> int:
    """Hand in everything of a run that is not out yet; the number of questions.

    Parameters
    ----------
    folder
        Where files are kept.
    size
        So many questions at most go into one batch.
    again
        Questions of a batch of which no one knows whether it was handed in are handed in anew.

    Raises
    ------
    RunStopped
        The endpoint did not take a batch, or the run's budget is spent.
    Conflict
        It is not known whether a batch was handed in, or another command is at it.
    """
    with BatchCommand(store, by, run, means, folder, open_endpoint) as at:
        at.refuse_over()
        at.settle(again=again)
        n = 0
        while (made := batch_questions.make(at, at.path, size=size)) is not None:
            batch_questions.hand_in(at, made)
            n += made.n
        at.finish()
        if at.why:
            raise RunStopped(f"{n} questions were handed in. {at.why}")
        return n


def write(
    store: Store, *, by: Person | None, run: str, means: Means, folder: Path, file: Path, size: int = MOST_QUESTIONS
) -> int:
    """Write questions of a run that are not out yet to a file for someone to hand in; their number.

    Raises
    ------
    Conflict
        The file is there already, or another command is at it.
    """
    if file.exists():
        raise Conflict(f"{file} is there already; name a file that is not.")
    with BatchCommand(store, by, run, means, folder) as at:
        at.refuse_over()
        at.settle()
        made = batch_questions.make(at, lambda number: file.with_name(f".{file.name}.part"), size=size, by_hand=True)
        if made is not None:
            os.link(made.path, file)  # never over a file that has come there meanwhile
            at.change(made.id, (BatchState.MAKING,), state=BatchState.BY_HAND, file=str(file), sent_at=store.now())
            made.path.unlink()
        at.finish()
        if made is None and at.why:
            raise RunStopped(at.why)
        return made.n if made else 0


# ---- getting back ---------------------------------------------------------------------------------------------------


def poll(
    store: Store,
    *,
    by: Person | None,
    run: str,
    means: Means,
    folder: Path,
    open_endpoint: Callable[[ModelSpec], BatchEndpoint],
) -> None:
    """Ask the endpoint where the batches of a run stand."""
    with BatchCommand(store, by, run, means, folder, open_endpoint) as at:
        at.settle()
        batch_results.look(at)
        at.finish()


def fetch(
    store: Store,
    *,
    by: Person | None,
    run: str,
    means: Means,
    folder: Path,
    open_endpoint: Callable[[ModelSpec], BatchEndpoint],
) -> ReadIn:
    """Get what has come of the batches that have ended; of the others nothing is asked for yet.

    Raises
    ------
    RunStopped
        A file of results could not be fetched whole; nothing of that is lost, and the next time goes on.
    """
    attempts = problems = 0
    with BatchCommand(store, by, run, means, folder, open_endpoint) as at:
        at.settle()
        for batch, told in batch_results.look(at):
            if not told.ended:
                continue
            for kind, file in (("output", told.output_file), ("errors", told.error_file)):
                if file is None:
                    continue
                path = folder / f"{at.name(batch.number)}-{kind}.jsonl"
                at.ask(f"batch {batch.number}", at.endpoint.fetch, file, path)
                found = batch_results.read_in(at, path, only=batch.number)
                attempts, problems = attempts + found.attempts, problems + found.problems
            batch_results.end_as_reported(at, batch, told)
        at.finish()
    return ReadIn(attempts, problems)


def read(store: Store, *, by: Person | None, run: str, means: Means, folder: Path, file: Path) -> ReadIn:
    """Read a file of results that someone has brought: outputs or errors of any of the run's batches.

    A batch ends when something came of all of its questions; ``end`` says that no more will.
    """
    if not file.is_file():
        raise NotFound(f"{file} is not there.")
    with BatchCommand(store, by, run, means, folder) as at:
        found = batch_results.read_in(at, file, only=None)
        at.finish()
        return found


def end(store: Store, *, by: Person | None, run: str, number: int, means: Means, folder: Path) -> int:
    """Say that nothing more will come of a batch; the number of its questions that stay without an answer."""
    with BatchCommand(store, by, run, means, folder) as at:
        with store.read() as session:
            found = [each for each in batches.of_run(session, run_id=at.run_id) if each.number == number]
        if not found:
            raise NotFound(f"The run {run} has no batch {number}.")
        if found[0].state not in OUT - {BatchState.MAKING}:
            raise Conflict(f"Batch {number} is {found[0].state}: nothing is expected of it.")
        n = batch_results.end(
            at, found[0], "Nothing came back of it before its batch was given up.", said="It was given up."
        )
        at.finish()
        return n


def endpoint_of(settings: Settings) -> Callable[[ModelSpec], BatchEndpoint]:
    """What opens the endpoint of a description, within what the operator allows here."""
    return partial(BatchEndpoint, listed=settings.endpoints)
