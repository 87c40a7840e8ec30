"""Files of questions: they are written and submitted to the endpoint. Each possible cost is stored before it can
arise.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from db import batches, run_attempts, runs
from db.engine import Session
from db.records import StoredRunBatch
from domain.batches import OUT, BatchState
from domain.errors import ConflictError, RunStoppedError
from domain.runs import Attempt, Outcome, Question, RunState, chunked
from extensions.batch import queries
from extensions.batch.batch_command import BatchCommand
from extensions.batch.batch_endpoint import BatchRefusal, custom_id, line_of
from inference.endpoint import estimate
from inference.endpoint.asking import CannotRequest
from inference.endpoint.budget import Allowance, Budget
from inference.endpoint.client import NoReply

MOST_BYTES = 90 * 2**20
"""The largest size of one file. A question is never cut."""
_ASKED_AT_ONCE = 32


@dataclass(frozen=True)
class QuestionFile:
    """A file of questions."""

    id: int
    number: int
    path: Path
    n: int


class QuestionWriter(Protocol):
    """Writes the questions of one file."""

    def add(self, question: Question, custom_id: str, *, most: int) -> bool:
        """Add a question. Return False, without adding the question, if the file would get larger than ``most`` bytes.

        Raises
        ------
        CannotRequest
            The question cannot be sent as a request.
        """

    def close(self) -> None:
        """Write the rest to disk."""


class LineWriter:
    """Writes the lines of a batch file."""

    def __init__(self, at: BatchCommand, path: Path) -> None:
        self.spec, self.file, self.size = at.spec, path.open("wb"), 0

    def add(self, question: Question, custom_id: str, *, most: int) -> bool:
        line = line_of(self.spec, question, custom_id)
        if self.size and self.size + len(line) > most:
            return False
        self.file.write(line)
        self.size += len(line)
        return True

    def close(self) -> None:
        with self.file:
            self.file.flush()
            os.fsync(self.file.fileno())


def make(
    at: BatchCommand,
    path_of: Callable[[int], Path],
    *,
    size: int,
    by_hand: bool = False,
    writer_of: Callable[[BatchCommand, Path], QuestionWriter] = LineWriter,
) -> QuestionFile | None:
    """Write the next file of questions. Returns None if no question is left or allowed."""
    while not at.why:
        batch, unit_ids = _begun(at, size, by_hand)
        if batch is None:
            return None
        path = path_of(batch.number)
        asked, not_asked, most = _written(at, writer_of(at, path), batch.number, unit_ids)
        with at.store.write() as session:
            at.hold(session)
            if not queries.change(session, id=batch.id, only=(BatchState.MAKING,), most_cost=most):
                raise ConflictError(
                    "Another command is changing this batch. Check the batch with `touchstone batch show`."
                )
            queries.keep_units(session, batch_id=batch.id, asked=asked)
            at.add(session, not_asked, at.items_of(session, [attempt.unit_id for attempt in not_asked]))
        undecided = {*unit_ids} - {*asked} - {attempt.unit_id for attempt in not_asked}
        at.free = [*(id for id in unit_ids if id in undecided), *(at.free or ())]
        if asked:
            return QuestionFile(batch.id, batch.number, path, len(asked))
        path.unlink(missing_ok=True)
        at.lose(batch, at.why or "Touchstone cannot ask any question in this batch.")
    return None


def _begun(at: BatchCommand, size: int, by_hand: bool) -> tuple[StoredRunBatch | None, list[int]]:
    """Store a new batch before its file is written, and return it with its units."""
    with at.store.write() as session:
        row = at.hold(session)
        if row.state is not RunState.BATCH:
            raise ConflictError(
                f"The run {at.run} is {row.state.value}, so you cannot submit more of its questions. Start a new run "
                "with batch files."
            )
        unit_ids = at.next_free(session, row, size)
        if not unit_ids:
            return None, []
        now = at.store.now()
        runs.begin(session, row=row, now=now)
        batch = queries.add(session, run_id=at.run_id, worker_id=at.worker_id, by_hand=by_hand, now=now)
        items = at.items_of(session, unit_ids)
        queries.add_units(
            session,
            rows=[
                {
                    "batch_id": batch.id,
                    "unit_id": id,
                    "item_id": items[id],
                    "prompt_hash": "",
                    "image_hashes": [],
                    "digest": "",
                }
                for id in unit_ids
            ],
        )
        return batch, unit_ids


def _written(
    at: BatchCommand, writer: QuestionWriter, number: int, unit_ids: Sequence[int]
) -> tuple[dict[int, dict[str, Any]], list[Attempt], float]:
    """Write the questions that fit. Return the questions by unit, the attempts that cannot be asked, and the highest
    cost.
    """
    assert at.spec.endpoint is not None
    if at.asker is None:
        at.asker = at.means.ask(at.row, at.spec, at.plan)
    budget, longest = _budget(at), at.spec.generation.max_new_tokens
    asked: dict[int, dict[str, Any]] = {}
    not_asked: list[Attempt] = []
    sum_most = 0.0
    try:
        for question in (made for some in chunked(unit_ids, _ASKED_AT_ONCE) for made in at.asker.ask(some)):
            most = budget.most(estimate.tokens_of(question), longest)
            if not question.cannot and budget.may(most) is not Allowance.YES:
                at.leave_rest(budget.why)
                break
            try:
                if question.cannot:
                    raise CannotRequest(question.cannot)
                if not writer.add(question, custom_id(at.run, number, question.unit_id), most=MOST_BYTES):
                    break
            except CannotRequest as error:
                outcome = Outcome.SKIPPED if question.cannot else Outcome.FAILED
                not_asked.append(_attempt_about(question, outcome, str(error)))
                continue
            budget.begin(most)
            sum_most += most
            asked[question.unit_id] = {
                "prompt_hash": question.prompt_hash,
                "image_hashes": [picture.sha256 for picture in question.pictures],
            }
    finally:
        writer.close()
    return asked, not_asked, sum_most


def _budget(at: BatchCommand) -> Budget:
    """Return the remaining budget. Open batches count at their highest cost."""
    assert at.spec.endpoint is not None
    budget = Budget(at.spec.endpoint)
    if at.spec.endpoint.max_calls is None and at.spec.endpoint.max_cost is None:
        return budget  # counting takes long in a large run
    with at.store.read() as session:
        figures = run_attempts.figures(session, run_id=at.run_id)
        out = len(queries.out(session, run_id=at.run_id) - set(_units_of_making(session, at.run_id)))
        aside = sum(batch.most_cost for batch in batches.of_run(session, run_id=at.run_id) if batch.state in OUT)
    budget.spent(figures.calls + out, (figures.cost or 0.0) + aside)
    return budget


def hand_in(at: BatchCommand, made: QuestionFile) -> None:
    """Give a file to the endpoint and have it asked."""
    try:
        file = at.endpoint.upload(made.path)
    except (NoReply, BatchRefusal) as error:
        sentence = f"The batch was not submitted: {error}"
        at.change(made.id, (BatchState.MAKING,), state=BatchState.LOST, said=sentence, ended_at=at.store.now())
        raise RunStoppedError(f"Batch {made.number} was not submitted: {error} Run the command again.") from None
    at.change(made.id, (BatchState.MAKING,), state=BatchState.SENDING, file=file)
    try:
        status = at.endpoint.create(file, token=at.name(made.number))
    except BatchRefusal as error:
        sentence = f"The endpoint rejected the batch: {error}"
        at.change(made.id, (BatchState.SENDING,), state=BatchState.LOST, said=sentence, ended_at=at.store.now())
        raise RunStoppedError(
            f"The endpoint rejected batch {made.number}: {error} Correct the problem, then run the command again."
        ) from None
    except NoReply as error:
        sentence = f"The state of the batch is unknown: {error}"
        at.change(made.id, (BatchState.SENDING,), said=sentence)
        raise RunStoppedError(
            f"The state of batch {made.number} is unknown: {error} Run the command again. Touchstone first looks for "
            "the batch at the endpoint."
        ) from None
    at.sent(made.id, status)


def _units_of_making(session: Session, run_id: int) -> list[int]:
    """Return the units of batches whose files are still being written, so that they are not yet submitted."""
    return [
        unit.unit_id
        for batch in batches.of_run(session, run_id=run_id)
        if batch.state is BatchState.MAKING
        for unit in queries.without_line(session, batch_id=batch.id, limit=10**9)
    ]


def _attempt_about(question: Question, outcome: Outcome, error: str) -> Attempt:
    return Attempt(
        question.unit_id,
        outcome,
        error=error,
        prompt_hash=question.prompt_hash,
        image_hashes=tuple(picture.sha256 for picture in question.pictures),
    )
