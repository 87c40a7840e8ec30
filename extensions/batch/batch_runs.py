"""Runs whose questions are submitted as batch files, through an endpoint or by hand.

Each step is stored before it can cost something: the batch and its questions before its file is written, the submission
before it starts, and the endpoint's id right after it. If a command is killed in between, the next one finds out what
happened to the batch. Every returned line is an attempt of its question, or is stored as a line that answers no
question. Reading the same lines again changes nothing.
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
from domain.english import with_noun
from domain.errors import ConflictError, NotFoundError, RunStoppedError
from domain.records import Person
from domain.runs import RunState
from domain.settings import Settings
from extensions.batch import batch_questions, batch_results, queries
from extensions.batch.batch_command import BatchCommand, batch_run, free_units, status_of
from extensions.batch.batch_endpoint import BatchEndpoint
from extensions.batch.batch_results import ReadIn
from inference.spec import ModelSpec
from workflow.runs.worker import Means

MOST_QUESTIONS = 10_000
"""The largest number of questions in one batch."""


@dataclass(frozen=True)
class BatchView:
    """The state of a batch."""

    number: int
    state: BatchState
    questions: int
    came: int
    """The number of questions with a reply."""
    without: int
    """The number of questions that will get no reply, after an error, an expiry, or the end of the batch."""
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
    """A returned line that answers no question."""

    why: str
    raw: str


@dataclass(frozen=True)
class BatchesView:
    """The state of a run's batch files."""

    state: RunState
    batches: tuple[BatchView, ...]
    free: int
    """The number of questions that are not yet submitted."""
    problems: tuple[ProblemView, ...]


def view(store: Store, *, by: Person | None, run: str) -> BatchesView:
    """Return the state of a run's batch files."""
    with store.read() as session:
        row = batch_run(session, by, run)
        counts = queries.counts(session, run_id=row.id)
        replied = queries.replied(session, run_id=row.id)
        return BatchesView(
            state=row.state,
            batches=tuple(
                BatchView(
                    number=batch.number,
                    state=batch.state,
                    questions=counts.get(batch.id, (0, 0))[0],
                    came=replied[batch.id],
                    without=counts.get(batch.id, (0, 0))[1] - replied[batch.id],
                    status=status_of(batch.told),
                    said=batch.said,
                    file=batch.file,
                    server_id=batch.server_id,
                    created_at=batch.created_at,
                    sent_at=batch.sent_at,
                    ended_at=batch.ended_at,
                )
                for batch in batches.of_run(session, run_id=row.id)
            ),
            free=len(free_units(session, row)),
            problems=tuple(
                ProblemView(problem.why, problem.raw) for problem in queries.problems(session, run_id=row.id)
            ),
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
    """Submit all questions of a run that are not yet submitted, and return their number.

    Parameters
    ----------
    folder
        The folder of the batch files.
    size
        The largest number of questions in one batch.
    again
        Submit again the questions of a batch that may or may not have been submitted.

    Raises
    ------
    RunStoppedError
        The endpoint refused a batch, or the run's budget is spent.
    ConflictError
        A batch may or may not have been submitted, or another command works on it.
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
            raise RunStoppedError(f"Submitted {with_noun(n, 'question')}. {at.why}")
        return n


def write(
    store: Store, *, by: Person | None, run: str, means: Means, folder: Path, file: Path, size: int = MOST_QUESTIONS
) -> int:
    """Write questions of a run that are not out yet to a file for someone to hand in; their number.

    Raises
    ------
    ConflictError
        The file is there already, or another command is at it.
    """
    if file.exists():
        raise ConflictError(f"{file} already exists. Choose a new file name.")
    with BatchCommand(store, by, run, means, folder) as at:
        at.refuse_over()
        at.settle()
        made = batch_questions.make(at, lambda number: file.with_name(f".{file.name}.part"), size=size, by_hand=True)
        if made is not None:
            os.link(made.path, file)  # never overwrite a file that was created in the meantime
            at.change(made.id, (BatchState.MAKING,), state=BatchState.BY_HAND, file=str(file), sent_at=store.now())
            made.path.unlink()
        at.finish()
        if made is None and at.why:
            raise RunStoppedError(at.why)
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
    """Ask the endpoint for the state of a run's batches."""
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
    """Fetch and store the results of the batches that have ended.

    Raises
    ------
    RunStoppedError
        A file of results could not be fetched completely. No result is lost, and the next call continues.
    """
    attempts = problems = 0
    with BatchCommand(store, by, run, means, folder, open_endpoint) as at:
        at.settle()
        for batch, status in batch_results.look(at):
            if not status.ended:
                continue
            for kind, file in (("output", status.output_file), ("errors", status.error_file)):
                if file is None:
                    continue
                path = folder / f"{at.name(batch.number)}-{kind}.jsonl"
                at.ask(f"batch {batch.number}", at.endpoint.fetch, file, path)
                stored = batch_results.read_in(at, path, only=batch.number)
                attempts, problems = attempts + stored.attempts, problems + stored.problems
            batch_results.end_as_reported(at, batch, status)
        at.finish()
    return ReadIn(attempts, problems)


def read(store: Store, *, by: Person | None, run: str, means: Means, folder: Path, file: Path) -> ReadIn:
    """Store the lines of a file of results that a person downloaded: outputs or errors of any batch of the run.

    A batch ends when each of its questions has a line. ``end`` ends a batch earlier.
    """
    if not file.is_file():
        raise NotFoundError(f"{file} does not exist. Check the path.")
    with BatchCommand(store, by, run, means, folder) as at:
        stored = batch_results.read_in(at, file, only=None)
        at.finish()
        return stored


def end(store: Store, *, by: Person | None, run: str, number: int, means: Means, folder: Path) -> int:
    """End a batch by hand. Return the number of questions that stay without an answer."""
    with BatchCommand(store, by, run, means, folder) as at:
        with store.read() as session:
            numbered = [batch for batch in batches.of_run(session, run_id=at.run_id) if batch.number == number]
        if not numbered:
            raise NotFoundError(f"The run {run} has no batch {number}. List its batches with `touchstone batch show`.")
        if numbered[0].state not in OUT - {BatchState.MAKING}:
            raise ConflictError(f"Batch {number} is {numbered[0].state}, so there is nothing to cancel.")
        n = batch_results.end(
            at,
            numbered[0],
            "The batch of this question was canceled before a reply arrived.",
            said="The batch was canceled.",
        )
        at.finish()
        return n


def endpoint_of(settings: Settings) -> Callable[[ModelSpec], BatchEndpoint]:
    """Return a function that opens the batch endpoint of a description, within the operator's limits."""
    return partial(BatchEndpoint, listed=settings.endpoints)
