"""Results of batches: every line becomes an attempt of its question, or is stored as a line that answers no
question.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO

from db import batches
from db.records import StoredRunBatch, StoredRunBatchUnit
from domain.batches import OUT, BatchState
from domain.runs import Attempt, Outcome
from extensions.batch import queries
from extensions.batch.batch_command import BatchCommand
from extensions.batch.batch_endpoint import BatchLine, BatchStatus, read_line, unit_of
from inference.endpoint.asking import apart
from inference.endpoint.budget import cost
from inference.endpoint.replies import LONGEST_RAW, storable

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


def read_in(at: BatchCommand, path: Path, *, only: int | None) -> ReadIn:
    """Store the lines of a file of results. Lines of a batch other than ``only`` answer no question."""
    attempts = problems = 0
    seen: Counter[str] = Counter()
    with path.open("rb") as file:
        lines = _lines(file)
        while some := list(islice(lines, _AT_ONCE)):
            hashed = []
            for raw in some:
                digest = hashlib.sha256(raw).hexdigest()
                seen[digest] += 1
                hashed.append((raw, digest, seen[digest]))
            stored = _store(at, hashed, only)
            attempts, problems = attempts + stored.attempts, problems + stored.problems
    return ReadIn(attempts, problems)


def _store(at: BatchCommand, lines: Sequence[tuple[bytes, str, int]], only: int | None) -> ReadIn:
    """Store some lines, each with its hash and the how manieth of its kind it is."""
    parsed = [(_line_of(raw), digest, which) for raw, digest, which in lines]
    meant = [unit_of(line.custom_id or "", at.run) for (line, _), _, _ in parsed]
    at.keep.prepare(
        at.store,
        at.row,
        [
            Attempt(name[1], line.reply.outcome, line.reply.text, finish_reason=line.reply.finish_reason)
            for ((line, _), _, _), name in zip(parsed, meant, strict=True)
            if name is not None
        ],
    )
    with at.store.write() as session:
        at.hold(session)
        ids = {
            batch.number: batch.id
            for batch in batches.of_run(session, run_id=at.run_id)
            if only is None or batch.number == only
        }
        wanted: dict[int, list[int]] = {}
        for unit in meant:
            if unit is not None and unit[0] in ids:
                wanted.setdefault(unit[0], []).append(unit[1])
        there = {
            (number, id): row
            for number, unit_ids in wanted.items()
            for id, row in queries.units(session, batch_id=ids[number], unit_ids=unit_ids).items()
        }
        digests = {row.id: row.digest for row in there.values()}
        attempts: list[Attempt] = []
        rows: list[StoredRunBatchUnit] = []
        problems: list[dict[str, Any]] = []
        for ((line, text), digest, which), name in zip(parsed, meant, strict=True):
            row = there.get(name) if name is not None else None
            why = ""
            if row is None:
                why = line.why or f"No question has the custom_id {(line.custom_id or '')[:100]!r}."
            elif digests[row.id] == digest and which == 1:
                continue  # the same line once more
            elif digests[row.id]:
                why = f"Another line has the same custom_id, {line.custom_id!r}. Only the first line counts."
            if why or row is None or name is None:
                problems.append(
                    {
                        "run_id": at.run_id,
                        "key": f"{digest}-{which}",
                        "why": why,
                        "raw": text[:LONGEST_RAW],
                        "created_at": at.store.now(),
                    }
                )
                continue
            digests[row.id] = digest
            attempts.append(_attempt(at, line, text, row, name[0]))
            rows.append(row)
        stored = at.add(session, attempts, {row.unit_id: row.item_id for row in rows})
        came = dict(zip((row.id for row in rows), stored, strict=True))
        queries.settle(session, came=came, digests={id: digests[id] for id in came})
        return ReadIn(len(attempts), queries.add_problems(session, rows=problems))


def _attempt(at: BatchCommand, line: BatchLine, text: str, row: StoredRunBatchUnit, number: int) -> Attempt:
    assert at.spec.endpoint is not None
    reply = line.reply
    detail: dict[str, Any] = {"batch_file": number, "raw": text[:LONGEST_RAW], **apart(reply, at.spec.model or "")}
    if len(text) > LONGEST_RAW:
        detail["raw_characters"] = len(text)
    return Attempt(
        unit_id=row.unit_id,
        outcome=reply.outcome,
        text=reply.text,
        finish_reason=reply.finish_reason,
        tokens_in=reply.tokens_in,
        tokens_out=reply.tokens_out,
        status=reply.status,
        error=reply.error,
        request_id=reply.request_id,
        prompt_hash=row.prompt_hash,
        image_hashes=tuple(row.image_hashes),
        cost=cost(at.spec.endpoint.price, reply.tokens_in, reply.tokens_out),
        detail=detail,
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
