"""Results of batches: every line becomes an attempt of its question, or is stored as a line that answers no
question.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO

from db import batches
from db.engine import Session
from db.records import StoredRunBatch, StoredRunBatchUnit
from domain.batches import OUT, BatchState
from domain.runs import Attempt, Outcome
from extensions.batch import queries
from extensions.batch.batch_command import BatchCommand
from extensions.batch.batch_endpoint import BatchLine, BatchStatus, read_line, unit_of
from inference.endpoint.asking import apart
from inference.endpoint.budget import cost
from inference.endpoint.replies import LONGEST_RAW, EndpointReply, storable

LONGEST_LINE = 16 * 2**20
"""The longest line, in bytes. A longer line answers no question."""
_AT_ONCE = 200
"""The number of lines that are stored together."""


@dataclass(frozen=True)
class ReadIn:
    """The result of reading files of results."""

    attempts: int = 0
    problems: int = 0
    """The number of new lines that answer no question."""


def look(at: BatchCommand) -> list[tuple[StoredRunBatch, BatchStatus]]:
    """Return the endpoint's status of each submitted batch."""
    statuses = []
    for batch in at.batches_in(BatchState.SENT):
        status = at.ask(f"batch {batch.number}", at.endpoint.look, batch.server_id or "")
        at.change(batch.id, (BatchState.SENT, BatchState.ENDED), told=status.dump())
        statuses.append((batch, status))
    return statuses


def end_as_reported(at: BatchCommand, batch: StoredRunBatch, told: BatchStatus) -> None:
    """End a batch whose lines are stored, in the state that the endpoint reported."""
    words = f": {told.errors.rstrip('.')}" if told.errors else ""
    if told.status == "failed":
        # the whole file was refused, so its questions were not asked
        sentence = f"The endpoint did not process the batch{words}."
        at.change(
            batch.id,
            (BatchState.SENT, BatchState.ENDED),
            state=BatchState.LOST,
            said=sentence,
            ended_at=at.store.now(),
        )
        return
    end(at, batch, f"The batch ended ({told.status}) without a result line for this question{words}.")


def end(at: BatchCommand, batch: StoredRunBatch, error: str, *, said: str = "") -> int:
    """End a batch. Each question without a line gets a failed attempt. Return the number of these questions."""
    n = 0
    while True:
        with at.store.write() as session:
            at.hold(session)
            left = queries.without_line(session, batch_id=batch.id)
            attempts = [
                Attempt(
                    unit.unit_id,
                    Outcome.TRANSPORT_ERROR,
                    error=error,
                    prompt_hash=unit.prompt_hash,
                    image_hashes=tuple(unit.image_hashes),
                    detail={"batch_file": batch.number},
                )
                for unit in left
            ]
            ids = at.add(session, attempts, {unit.unit_id: unit.item_id for unit in left})
            queries.settle(session, came=dict(zip((unit.id for unit in left), ids, strict=True)))
            n += len(left)
            if not left:
                queries.change(
                    session,
                    id=batch.id,
                    only=OUT,
                    state=BatchState.ENDED,
                    said=said,
                    ended_at=at.store.now(),
                )
                return n


@dataclass(frozen=True)
class ResultLine:
    """The result of one question, as a line of a file or as rows of a shard."""

    custom_id: str | None
    """The id of the question; None if unreadable."""
    text: str
    """The result as text, to keep if it answers no question."""
    digest: str
    """SHA-256 of the result."""
    which: int
    """The how manieth result with this hash, from 1, in what is read together."""
    tries: tuple[Attempt, ...]
    """The attempts, in order; the last one is final. Their units, prompts and costs are not set yet."""
    why: str = ""
    """Why the result answers no question, as a sentence."""
    prompt_hash: str | None = None
    """The hash of the prompt that was answered, if the result names it."""


def read_in(at: BatchCommand, path: Path, *, only: int | None) -> ReadIn:
    """Store the lines of a file of results. Lines of a batch other than ``only`` answer no question."""
    with path.open("rb") as file:
        return store_all(at, _results(at, _lines(file)), only=only)


def store_all(at: BatchCommand, results: Iterator[ResultLine], *, only: int | None = None) -> ReadIn:
    """Store results, many in one transaction. Results of a batch other than ``only`` answer no question."""
    attempts = problems = 0
    while some := list(islice(results, _AT_ONCE)):
        stored = _store(at, some, only)
        attempts, problems = attempts + stored.attempts, problems + stored.problems
    return ReadIn(attempts, problems)


def _results(at: BatchCommand, lines: Iterator[bytes]) -> Iterator[ResultLine]:
    seen: Counter[str] = Counter()
    for raw in lines:
        digest = hashlib.sha256(raw).hexdigest()
        seen[digest] += 1
        line, text = _line_of(raw)
        detail: dict[str, Any] = {"raw": text[:LONGEST_RAW], **apart(line.reply, at.spec.model or "")}
        if len(text) > LONGEST_RAW:
            detail["raw_characters"] = len(text)
        tries = (attempt_of(line.reply, detail),)
        yield ResultLine(line.custom_id, text, digest, seen[digest], tries, line.why)


def attempt_of(reply: EndpointReply, detail: Mapping[str, Any]) -> Attempt:
    """Return the attempt of a reply, without its unit, prompt and cost."""
    return Attempt(
        unit_id=0,
        outcome=reply.outcome,
        text=reply.text,
        finish_reason=reply.finish_reason,
        tokens_in=reply.tokens_in,
        tokens_out=reply.tokens_out,
        status=reply.status,
        error=reply.error,
        request_id=reply.request_id,
        detail=detail,
    )


def _store(at: BatchCommand, lines: Sequence[ResultLine], only: int | None) -> ReadIn:
    """Store some results."""
    meant = [unit_of(line.custom_id or "", at.run) for line in lines]
    with at.store.read() as session:
        known = _asked(at, session, meant, only)
    if all(_is_known(line, known.get(name)) for line, name in zip(lines, meant, strict=True)):
        return ReadIn()
    at.keep.prepare(
        at.store,
        at.row,
        [
            replace(attempt, unit_id=name[1])
            for line, name in zip(lines, meant, strict=True)
            if name is not None
            for attempt in line.tries
        ],
    )
    with at.store.write() as session:
        at.hold(session)
        there = _asked(at, session, meant, only)
        digests = {row.id: row.digest for row in there.values()}
        attempts: list[Attempt] = []
        rows: list[StoredRunBatchUnit] = []
        problems: list[dict[str, Any]] = []
        for line, name in zip(lines, meant, strict=True):
            row = there.get(name) if name is not None else None
            why = line.why
            if row is None:
                why = why or f"No question has the custom_id {(line.custom_id or '')[:100]!r}."
            elif not why and digests[row.id] == line.digest and line.which == 1:
                continue  # the same line once more
            elif not why and digests[row.id]:
                why = f"Another line has the same custom_id, {line.custom_id!r}. Only the first line counts."
            elif not why and line.prompt_hash is not None and line.prompt_hash != row.prompt_hash:
                why = f"The reply with the custom_id {line.custom_id!r} answers another prompt (prompt_hash)."
            if why or row is None or name is None:
                problems.append(problem(at, f"{line.digest}-{line.which}", why, line.text))
                continue
            digests[row.id] = line.digest
            last = len(line.tries) - 1
            attempts += [
                _completed(at, attempt, row, name[0], final=at_ == last) for at_, attempt in enumerate(line.tries)
            ]
            rows += [row] * len(line.tries)
        stored = at.add(session, attempts, {row.unit_id: row.item_id for row in rows})
        came = {row.id: id for row, id in zip(rows, stored, strict=True)}  # the last attempt of a question is final
        queries.settle(session, came=came, digests={id: digests[id] for id in came})
        return ReadIn(len(came), queries.add_problems(session, rows=problems))


def _asked(
    at: BatchCommand, session: Session, meant: Sequence[tuple[int, int] | None], only: int | None
) -> dict[tuple[int, int] | None, StoredRunBatchUnit]:
    """Return the questions that are meant, by batch number and unit."""
    ids = {
        batch.number: batch.id
        for batch in batches.of_run(session, run_id=at.run_id)
        if only is None or batch.number == only
    }
    wanted: dict[int, list[int]] = {}
    for unit in meant:
        if unit is not None and unit[0] in ids:
            wanted.setdefault(unit[0], []).append(unit[1])
    return {
        (number, id): row
        for number, unit_ids in wanted.items()
        for id, row in queries.units(session, batch_id=ids[number], unit_ids=unit_ids).items()
    }


def _is_known(line: ResultLine, row: StoredRunBatchUnit | None) -> bool:
    return row is not None and not line.why and row.digest == line.digest and line.which == 1


def problem(at: BatchCommand, key: str, why: str, raw: str) -> dict[str, Any]:
    """Return the row of a result that answers no question."""
    return {"run_id": at.run_id, "key": key, "why": why, "raw": raw[:LONGEST_RAW], "created_at": at.store.now()}


def _completed(at: BatchCommand, attempt: Attempt, row: StoredRunBatchUnit, number: int, *, final: bool) -> Attempt:
    assert at.spec.endpoint is not None
    return replace(
        attempt,
        unit_id=row.unit_id,
        final=final,
        prompt_hash=row.prompt_hash,
        image_hashes=tuple(row.image_hashes),
        cost=cost(at.spec.endpoint.price, attempt.tokens_in, attempt.tokens_out),
        detail={"batch_file": number, **attempt.detail},
    )


def _lines(file: BinaryIO) -> Iterator[bytes]:
    """Yield the lines that are not blank. A line that is far too long is cut."""
    while line := file.readline(LONGEST_LINE):
        whole = line
        while line and not line.endswith(b"\n"):
            line = file.readline(LONGEST_LINE)
            if line and len(whole) <= LONGEST_LINE:
                whole += line[:1]
        if whole.strip():
            yield whole.rstrip(b"\r\n")


def _line_of(raw: bytes) -> tuple[BatchLine, str]:
    """Return the parsed line, and its text in a form that any database can store."""
    text, _ = storable(raw.decode("utf-8", "surrogateescape"))
    return read_line(text), text
