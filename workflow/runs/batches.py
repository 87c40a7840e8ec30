"""Runs whose questions are handed in as batch files: through an endpoint, or as files that somebody carries.

What could cost something is on record before it can: a batch and its questions are stored before its file is made, that
it is being handed in before it is, and the endpoint's id of it afterwards. A command that is killed in between leaves a
batch of which the next one finds out what became of it. Every line that comes back is an attempt of its question, or is
kept as a line that is nobody's answer; reading the same lines again changes nothing.
"""

from __future__ import annotations

import hashlib
import os
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO, TypeVar, TypeVarTuple

from db import batches, events, judging, run_attempts, run_chunks, runs
from db.engine import Session, Store
from db.records import StoredRun, StoredRunBatch, StoredRunBatchUnit
from domain.batches import OUT, BatchState, custom_id, unit_of
from domain.errors import Conflict, NotFound, RunStopped
from domain.records import Person
from domain.runs import Attempt, Outcome, Question, RunKind, RunState, chunked
from inference.endpoint import estimate
from inference.endpoint.asking import CannotAsk
from inference.endpoint.batches import BatchEndpoint, Line, Refused, Told, line_of, read_line
from inference.endpoint.budget import Budget, May, cost
from inference.endpoint.client import NoReply
from inference.endpoint.replies import LONGEST_RAW, storable
from inference.spec import ModelSpec
from workflow.runs.model_runs import (
    in_batches,
    plan_of_run,
    refuse_changed,
    refuse_withdrawn,
    run_and_access,
    spec_of_run,
)
from workflow.runs.worker import Means, keep_of, prepare
from workflow.runs.worker_registry import is_dead, process, worker_name

MOST_QUESTIONS = 10_000
"""Of one batch."""
MOST_BYTES = 90 * 2**20
"""Of one file; one question is never cut."""
LONGEST_LINE = 16 * 2**20
"""Bytes; a longer one is nobody's answer."""
_AT_ONCE = 200
"""So many lines are stored together."""
_ASKED_AT_ONCE = 32

_T = TypeVar("_T")
_Given = TypeVarTuple("_Given")


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
    """A line that came back and is nobody's answer."""

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


@dataclass(frozen=True)
class ReadIn:
    """What reading files of results has brought."""

    attempts: int = 0
    problems: int = 0
    """Lines that are nobody's answer, those known before left out."""


def view(store: Store, *, by: Person | None, run: str) -> BatchesView:
    """Where the batch files of a run stand."""
    with store.read() as session:
        row = _batch_run(session, by, run)
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
                    status=_status(each.told),
                    said=each.said,
                    file=each.file,
                    server_id=each.server_id,
                    created_at=each.created_at,
                    sent_at=each.sent_at,
                    ended_at=each.ended_at,
                )
                for each in batches.of_run(session, run_id=row.id)
            ),
            free=len(_free(session, row)),
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
        Questions of a batch of which nobody knows whether it was handed in are handed in anew.

    Raises
    ------
    RunStopped
        The endpoint did not take a batch, or the run's budget is spent.
    Conflict
        It is not known whether a batch was handed in, or another command is at it.
    """
    with _At(store, by, run, means, folder, open_endpoint) as at:
        at.refuse_over()
        at.settle(again=again)
        n = 0
        while (made := at.make(at.path, size=size)) is not None:
            at.hand_in(made)
            n += made.n
        at.finish()
        if at.why:
            raise RunStopped(f"{n} questions were handed in. {at.why}")
        return n


def write(
    store: Store, *, by: Person | None, run: str, means: Means, folder: Path, file: Path, size: int = MOST_QUESTIONS
) -> int:
    """Write questions of a run that are not out yet to a file for somebody to hand in; their number.

    Raises
    ------
    Conflict
        The file is there already, or another command is at it.
    """
    if file.exists():
        raise Conflict(f"{file} is there already; name a file that is not.")
    with _At(store, by, run, means, folder) as at:
        at.refuse_over()
        at.settle()
        made = at.make(lambda number: file.with_name(f".{file.name}.part"), size=size, by_hand=True)
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
    with _At(store, by, run, means, folder, open_endpoint) as at:
        at.settle()
        at.look()
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
    with _At(store, by, run, means, folder, open_endpoint) as at:
        at.settle()
        for batch, told in at.look():
            if not told.ended:
                continue
            for kind, file in (("output", told.output_file), ("errors", told.error_file)):
                if file is None:
                    continue
                path = folder / f"{at.name(batch.number)}-{kind}.jsonl"
                at.ask(f"batch {batch.number}", at.endpoint.fetch, file, path)
                found = at.read_in(path, only=batch.number)
                attempts, problems = attempts + found.attempts, problems + found.problems
            at.end_told(batch, told)
        at.finish()
    return ReadIn(attempts, problems)


def read(store: Store, *, by: Person | None, run: str, means: Means, folder: Path, file: Path) -> ReadIn:
    """Read a file of results that somebody has brought: outputs or errors of any of the run's batches.

    A batch ends when something came of all of its questions; ``end`` says that no more will.
    """
    if not file.is_file():
        raise NotFound(f"{file} is not there.")
    with _At(store, by, run, means, folder) as at:
        found = at.read_in(file, only=None)
        at.finish()
        return found


def end(store: Store, *, by: Person | None, run: str, number: int, means: Means, folder: Path) -> int:
    """Say that nothing more will come of a batch; the number of its questions that stay without an answer."""
    with _At(store, by, run, means, folder) as at:
        with store.read() as session:
            found = [each for each in batches.of_run(session, run_id=at.run_id) if each.number == number]
        if not found:
            raise NotFound(f"The run {run} has no batch {number}.")
        if found[0].state not in OUT - {BatchState.MAKING}:
            raise Conflict(f"Batch {number} is {found[0].state}: nothing is expected of it.")
        n = at.end(found[0], "Nothing came back of it before its batch was given up.", said="It was given up.")
        at.finish()
        return n


# ---- one command at a run -------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Made:
    """A file of questions."""

    id: int
    number: int
    path: Path
    n: int


class _At:
    """A command at a run's batch files."""

    def __init__(
        self,
        store: Store,
        by: Person | None,
        run: str,
        means: Means,
        folder: Path,
        open_endpoint: Callable[[ModelSpec], BatchEndpoint] | None = None,
    ) -> None:
        self.store, self.by, self.run, self.means, self.folder = store, by, run, means, folder
        self.open_endpoint = open_endpoint
        self.server: BatchEndpoint | None = None
        self.why = ""
        """Why not everything was handed in."""

    def __enter__(self) -> _At:
        with self.store.read() as session:
            self.row = _batch_run(session, self.by, self.run)
        self.run_id = self.row.id
        self.spec, self.plan = spec_of_run(self.row), plan_of_run(self.row)
        self.keep = keep_of(self.row)
        about: dict[str, Any] = {"transport": "batch files"}
        if self.open_endpoint is not None:
            self.server = self.open_endpoint(self.spec)
            about |= self.server.about
        self.folder.mkdir(parents=True, exist_ok=True)
        with self.store.write() as session:
            self.worker_id = run_chunks.add_worker(
                session,
                run_id=self.run_id,
                name=worker_name(),
                about={**about, "process": process()},
                now=self.store.now(),
            )
        return self

    def __exit__(self, *_: object) -> None:
        if self.server is not None:
            self.server.close()
        with self.store.write() as session:
            run_chunks.end_worker(session, worker_id=self.worker_id, now=self.store.now())

    def name(self, number: int) -> str:
        """What a batch is called among all of all runs."""
        return f"{self.run}-{number}"

    def path(self, number: int) -> Path:
        """Where the questions of a batch are kept."""
        return self.folder / f"{self.name(number)}-input.jsonl"

    def refuse_over(self) -> None:
        """Refuse a run that asks nothing any more."""
        refuse_changed(self.row)
        refuse_withdrawn(self.row, "before more of it is handed in")
        if self.row.state is not RunState.BATCH:
            raise Conflict(f"The run {self.run} is {self.row.state.value}: nothing of it can be handed in.")

    @property
    def endpoint(self) -> BatchEndpoint:
        """Where batches are handed in."""
        assert self.server is not None
        return self.server

    def ask(self, about: str, call: Callable[[*_Given], _T], *given: *_Given) -> _T:
        """Ask the endpoint something that costs nothing."""
        try:
            return call(*given)
        except (NoReply, Refused) as error:
            raise RunStopped(f"The endpoint does not say what is asked about {about}: {error}") from None

    def change(self, id: int, only: Sequence[BatchState], **values: Any) -> None:
        """Change a batch that is as it was left."""
        with self.store.write() as session:
            if not batches.change(session, id=id, only=only, **values):
                raise Conflict("Another command has taken this batch over; see `touchstone run batch show`.")

    def _all(self, *states: BatchState) -> list[StoredRunBatch]:
        with self.store.read() as session:
            return [each for each in batches.of_run(session, run_id=self.run_id) if each.state in states]

    # ---- before ----

    def settle(self, *, again: bool = False) -> None:
        """Find out what became of batches that a command was at when it ended."""
        for batch in self._all(BatchState.MAKING, BatchState.SENDING):
            self._refuse_alive(batch)
            if batch.state is BatchState.MAKING:
                said = "The command that made it was ended: nothing was handed in."
                if batch.by_hand:
                    said = "The command that wrote it was ended: do not hand its file in."
                self._lose(batch, said)
                continue
            if self.server is None:
                continue
            try:
                found = self.server.find(batch.file or "", token=self.name(batch.number))
            except (NoReply, Refused) as error:
                if not again:
                    raise Conflict(
                        f"It is not known whether batch {batch.number} was handed in, and the endpoint does not say: "
                        f"{error} Look there; --again hands its questions in anew, which may be paid twice."
                    ) from None
                self._lose(batch, "It may have been handed in: nobody knows, and its questions were handed in anew.")
                continue
            if found is None:
                self._lose(batch, "It was not handed in: the endpoint has no such batch.")
            else:
                self._sent(batch.id, found)

    def _refuse_alive(self, batch: StoredRunBatch) -> None:
        """Leave alone what a command that still runs is at."""
        with self.store.read() as session:
            there = run_chunks.workers(session, run_id=self.run_id, only_there=True)
            for each in there:
                if each.id == batch.worker_id and not is_dead(each) and _same_machine(each.about):
                    raise Conflict(f"Another command is handing in batch {batch.number}; wait until it has ended.")

    def _lose(self, batch: StoredRunBatch, said: str) -> None:
        self.change(batch.id, (batch.state,), state=BatchState.LOST, said=said, ended_at=self.store.now())

    def _sent(self, id: int, told: Told) -> None:
        # whatever another command has made of it meanwhile: it was handed in
        self.change(
            id,
            (BatchState.SENDING, BatchState.LOST),
            state=BatchState.SENT,
            server_id=told.id,
            told=told.dump(),
            said="",
            sent_at=self.store.now(),
            ended_at=None,
        )

    # ---- making ----

    def make(self, path_of: Callable[[int], Path], *, size: int, by_hand: bool = False) -> _Made | None:
        """Write the next file of questions; None: there is nothing to ask, or nothing that may be."""
        while not self.why:
            batch, unit_ids = self._begun(size, by_hand)
            if batch is None:
                return None
            path = path_of(batch.number)
            asked, not_asked, most = self._written(path, batch.number, unit_ids)
            with self.store.write() as session:
                self._hold(session)
                if not batches.change(session, id=batch.id, only=(BatchState.MAKING,), most_cost=most):
                    raise Conflict("Another command has taken this batch over; see `touchstone run batch show`.")
                batches.keep_units(session, batch_id=batch.id, asked=asked)
                self._add(session, not_asked, self._items(session, [each.unit_id for each in not_asked]))
            if asked:
                return _Made(batch.id, batch.number, path, len(asked))
            path.unlink()
            self._lose(batch, self.why or "None of its questions can be asked.")
        return None

    def _begun(self, size: int, by_hand: bool) -> tuple[StoredRunBatch | None, list[int]]:
        """A batch on record, before its file is."""
        with self.store.write() as session:
            row = self._hold(session)
            if row.state is not RunState.BATCH:
                raise Conflict(f"The run {self.run} is {row.state.value}: nothing of it can be handed in.")
            unit_ids = _free(session, row)[:size]
            if not unit_ids:
                return None, []
            now = self.store.now()
            runs.begin(session, row=row, now=now)
            batch = batches.add(session, run_id=self.run_id, worker_id=self.worker_id, by_hand=by_hand, now=now)
            items = self._items(session, unit_ids)
            batches.add_units(
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
        self, path: Path, number: int, unit_ids: Sequence[int]
    ) -> tuple[dict[int, dict[str, Any]], list[Attempt], float]:
        """Write the questions that fit; what was asked by unit, what cannot be asked, and what it costs at most."""
        assert self.spec.endpoint is not None
        asker = self.means.ask(self.row, self.spec, self.plan)
        budget, longest = self._budget(), self.spec.generation.max_new_tokens
        asked: dict[int, dict[str, Any]] = {}
        not_asked: list[Attempt] = []
        size, sum_most = 0, 0.0
        with path.open("wb") as file:
            for some in chunked(unit_ids, _ASKED_AT_ONCE):
                for question in asker.ask(some):
                    try:
                        line = self._line(question, number)
                    except CannotAsk as error:
                        outcome = Outcome.SKIPPED if question.cannot else Outcome.FAILED
                        not_asked.append(_attempt_about(question, outcome, str(error)))
                        continue
                    most = budget.most(estimate.tokens_of(question), longest)
                    if budget.may(most) is not May.YES:
                        self.why = budget.why
                        break
                    if asked and size + len(line) > MOST_BYTES:
                        break
                    budget.begin(most)
                    file.write(line)
                    size, sum_most = size + len(line), sum_most + most
                    asked[question.unit_id] = {
                        "prompt_hash": question.prompt_hash,
                        "image_hashes": [picture.sha256 for picture in question.pictures],
                    }
                else:
                    continue
                break
            file.flush()
            os.fsync(file.fileno())
        return asked, not_asked, sum_most

    def _line(self, question: Question, number: int) -> bytes:
        if question.cannot:
            raise CannotAsk(question.cannot)
        return line_of(self.spec, question, custom_id(self.run, number, question.unit_id))

    def _budget(self) -> Budget:
        """What may still be spent, what is out counted at its most."""
        assert self.spec.endpoint is not None
        budget = Budget(self.spec.endpoint)
        with self.store.read() as session:
            figures = run_attempts.figures(session, run_id=self.run_id)
            out = len(batches.out(session, run_id=self.run_id) - set(_units_of_making(session, self.run_id)))
            aside = sum(each.most_cost for each in batches.of_run(session, run_id=self.run_id) if each.state in OUT)
        budget.spent(figures.calls + out, (figures.cost or 0.0) + aside)
        return budget

    # ---- handing in ----

    def hand_in(self, made: _Made) -> None:
        """Give a file to the endpoint and have it asked."""
        try:
            file = self.endpoint.upload(made.path)
        except (NoReply, Refused) as error:
            said = f"It was not handed in: {error}"
            self.change(made.id, (BatchState.MAKING,), state=BatchState.LOST, said=said, ended_at=self.store.now())
            raise RunStopped(f"Batch {made.number} was not handed in: {error}") from None
        self.change(made.id, (BatchState.MAKING,), state=BatchState.SENDING, file=file)
        try:
            told = self.endpoint.create(file, token=self.name(made.number))
        except Refused as error:
            said = f"The endpoint did not take it: {error}"
            self.change(made.id, (BatchState.SENDING,), state=BatchState.LOST, said=said, ended_at=self.store.now())
            raise RunStopped(f"The endpoint did not take batch {made.number}: {error}") from None
        except NoReply as error:
            said = f"Whether it was handed in is not known: {error}"
            self.change(made.id, (BatchState.SENDING,), said=said)
            raise RunStopped(
                f"Whether batch {made.number} was handed in is not known: {error} Submit again: it is looked for first."
            ) from None
        self._sent(made.id, told)

    # ---- what comes back ----

    def look(self) -> list[tuple[StoredRunBatch, Told]]:
        """What the endpoint says of the batches that it has."""
        found = []
        for batch in self._all(BatchState.SENT):
            told = self.ask(f"batch {batch.number}", self.endpoint.look, batch.server_id or "")
            self.change(batch.id, (BatchState.SENT, BatchState.ENDED), told=told.dump())
            found.append((batch, told))
        return found

    def end_told(self, batch: StoredRunBatch, told: Told) -> None:
        """Nothing more comes of a batch whose lines are stored."""
        words = f": {told.errors.rstrip('.')}" if told.errors else ""
        if told.status == "failed":
            # the whole file was refused, so its questions were not asked
            said = f"The endpoint did not work on it{words}."
            self.change(
                batch.id,
                (BatchState.SENT, BatchState.ENDED),
                state=BatchState.LOST,
                said=said,
                ended_at=self.store.now(),
            )
            return
        self.end(batch, f"The batch ended ({told.status}) without a line about it{words}.")

    def end(self, batch: StoredRunBatch, error: str, *, said: str = "") -> int:
        """End a batch; what has no line by now came to nothing, which is an outcome like others."""
        n = 0
        while True:
            with self.store.write() as session:
                self._hold(session)
                left = batches.without_line(session, batch_id=batch.id)
                attempts = [
                    Attempt(
                        each.unit_id,
                        Outcome.TRANSPORT_ERROR,
                        error=error,
                        prompt_hash=each.prompt_hash,
                        image_hashes=tuple(each.image_hashes),
                        detail={"batch_file": batch.number},
                    )
                    for each in left
                ]
                ids = self._add(session, attempts, {each.unit_id: each.item_id for each in left})
                batches.settle(session, came=dict(zip((each.id for each in left), ids, strict=True)))
                n += len(left)
                if not left:
                    batches.change(
                        session,
                        id=batch.id,
                        only=OUT,
                        state=BatchState.ENDED,
                        said=said,
                        ended_at=self.store.now(),
                    )
                    return n

    def read_in(self, path: Path, *, only: int | None) -> ReadIn:
        """Store the lines of a file of results; those of another batch than ``only`` are nobody's."""
        attempts = problems = 0
        seen: Counter[str] = Counter()
        with path.open("rb") as file:
            lines = _lines(file)
            while some := list(islice(lines, _AT_ONCE)):
                told = []
                for raw in some:
                    digest = hashlib.sha256(raw).hexdigest()
                    seen[digest] += 1
                    told.append((raw, digest, seen[digest]))
                found = self._store(told, only)
                attempts, problems = attempts + found.attempts, problems + found.problems
        return ReadIn(attempts, problems)

    def _store(self, lines: Sequence[tuple[bytes, str, int]], only: int | None) -> ReadIn:
        """Store some lines, each with its hash and the how manieth of its kind it is."""
        found = [(_line_of(raw), digest, which) for raw, digest, which in lines]
        meant = [unit_of(line.custom_id or "", self.run) for (line, _), _, _ in found]
        prepare(
            self.keep,
            self.store,
            self.row,
            [
                Attempt(name[1], line.reply.outcome, line.reply.text, finish_reason=line.reply.finish_reason)
                for ((line, _), _, _), name in zip(found, meant, strict=True)
                if name is not None
            ],
        )
        with self.store.write() as session:
            self._hold(session)
            ids = {
                each.number: each.id
                for each in batches.of_run(session, run_id=self.run_id)
                if only is None or each.number == only
            }
            wanted: dict[int, list[int]] = {}
            for each in meant:
                if each is not None and each[0] in ids:
                    wanted.setdefault(each[0], []).append(each[1])
            there = {
                (number, id): row
                for number, unit_ids in wanted.items()
                for id, row in batches.units(session, batch_id=ids[number], unit_ids=unit_ids).items()
            }
            digests = {row.id: row.digest for row in there.values()}
            attempts: list[Attempt] = []
            rows: list[StoredRunBatchUnit] = []
            problems: list[dict[str, Any]] = []
            for ((line, text), digest, which), name in zip(found, meant, strict=True):
                row = there.get(name) if name is not None else None
                why = ""
                if row is None:
                    why = line.why or f"Nothing was asked under the custom_id {(line.custom_id or '')[:100]!r}."
                elif digests[row.id] == digest and which == 1:
                    continue  # the same line once more
                elif digests[row.id]:
                    why = f"There is another line with the custom_id {line.custom_id!r}; the first one counts."
                if why or row is None or name is None:
                    problems.append(
                        {
                            "run_id": self.run_id,
                            "key": f"{digest}-{which}",
                            "why": why,
                            "raw": text[:LONGEST_RAW],
                            "created_at": self.store.now(),
                        }
                    )
                    continue
                digests[row.id] = digest
                attempts.append(self._attempt(line, text, row, name[0]))
                rows.append(row)
            stored = self._add(session, attempts, {row.unit_id: row.item_id for row in rows})
            came = dict(zip((row.id for row in rows), stored, strict=True))
            batches.settle(session, came=came, digests={id: digests[id] for id in came})
            return ReadIn(len(attempts), batches.add_problems(session, rows=problems))

    def _attempt(self, line: Line, text: str, row: StoredRunBatchUnit, number: int) -> Attempt:
        assert self.spec.endpoint is not None
        reply = line.reply
        detail: dict[str, Any] = {"batch_file": number, "raw": text[:LONGEST_RAW]}
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
            cost=cost(self.spec.endpoint.price, reply.tokens_in, reply.tokens_out),
            detail=detail,
        )

    def _add(self, session: Session, attempts: Sequence[Attempt], items: Mapping[int, int]) -> list[int]:
        now = self.store.now()
        written = run_attempts.add_attempts(
            session, run_id=self.run_id, worker_id=self.worker_id, attempts=attempts, item_ids=items, now=now
        )
        self.keep(session, self.row, written, now)
        return [id for id, _ in written]

    # ---- after ----

    def finish(self) -> None:
        """Note what is done, and what is waited for."""
        for batch in self._all(BatchState.SENT, BatchState.BY_HAND):
            with self.store.read() as session:
                total, came = batches.counts(session, run_id=self.run_id).get(batch.id, (0, 0))
            if total == came:
                self.change(batch.id, (batch.state,), state=BatchState.ENDED, ended_at=self.store.now())
        with self.store.write() as session:
            row = self._hold(session)
            for chunk in batches.chunks(session, run_id=self.run_id):
                ended = run_attempts.finished(session, run_id=self.run_id, unit_ids=chunk.unit_ids, since=chunk.since)
                if ended >= set(chunk.unit_ids):
                    run_chunks.finish(session, row=chunk)
            if row.state is RunState.BATCH and not run_chunks.undone(session, run_id=self.run_id):
                now = self.store.now()
                runs.complete(session, row=row, now=now)
                events.record(
                    session,
                    at=now,
                    kind="run.done",
                    project_id=row.project_id,
                    data={"run": row.public_id, "model": row.name},
                )
            runs.explain(session, row=row, said=self._said(session, row))

    def _said(self, session: Session, row: StoredRun) -> str:
        counts = batches.counts(session, run_id=self.run_id)
        replied = batches.replied(session, run_id=self.run_id)
        told = []
        for each in batches.of_run(session, run_id=self.run_id):
            total, settled = counts.get(each.id, (0, 0))
            came = replied[each.id]
            if each.state is BatchState.SENT:
                status = _status(each.told)
                told.append(f"batch {each.number} of {total} questions is at the endpoint ({status})")
            elif each.state is BatchState.BY_HAND:
                errors = f", {settled - came} more as errors" if settled > came else ""
                told.append(f"of batch {each.number}, written to {each.file}, {came} of {total} have come{errors}")
            elif each.state is BatchState.SENDING:
                told.append(f"whether batch {each.number} was handed in is not known")
        free = len(_free(session, row)) if row.state is RunState.BATCH else 0
        if free:
            told.append(f"{free} questions are not handed in")
        n = batches.n_problems(session, run_id=self.run_id)
        if n:
            told.append(f"{n} lines that came back are nobody's answer")
        sentence = "; ".join(told)
        return sentence[:1].upper() + sentence[1:] + ("." if sentence else "")

    def _hold(self, session: Session) -> StoredRun:
        row = runs.by_public_id(session, public_id=self.run, hold=True)
        if row is None:
            raise NotFound(f"There is no run {self.run!r}.")
        return row

    def _items(self, session: Session, unit_ids: Sequence[int]) -> dict[int, int]:
        """The item that each unit is about."""
        if self.row.kind is RunKind.MODEL:
            return {id: id for id in unit_ids}
        return {id: row.item_id for id, row in judging.units(session, ids=unit_ids).items()}


def _batch_run(session: Session, by: Person | None, run: str) -> StoredRun:
    row, _ = run_and_access(session, by, run)
    if not in_batches(row):
        raise Conflict(f"The run {run} asks by itself, not in batch files: --batch starts one that does.")
    return row


def _free(session: Session, row: StoredRun) -> list[int]:
    """The units that are to be handed in, in their order."""
    run_id = row.id
    if row.state is RunState.CANCELLED:
        return []
    out = batches.out(session, run_id=run_id)
    found: dict[int, None] = {}
    for chunk in batches.chunks(session, run_id=run_id):
        asked = run_attempts.finished(session, run_id=run_id, unit_ids=chunk.unit_ids, since=chunk.since)
        found |= dict.fromkeys(id for id in chunk.unit_ids if id not in asked and id not in out)
    return list(found)


def _units_of_making(session: Session, run_id: int) -> list[int]:
    """The units of batches whose files are being made: they are not out yet."""
    return [
        each.unit_id
        for batch in batches.of_run(session, run_id=run_id)
        if batch.state is BatchState.MAKING
        for each in batches.without_line(session, batch_id=batch.id, limit=10**9)
    ]


def _attempt_about(question: Question, outcome: Outcome, error: str) -> Attempt:
    return Attempt(
        question.unit_id,
        outcome,
        error=error,
        prompt_hash=question.prompt_hash,
        image_hashes=tuple(picture.sha256 for picture in question.pictures),
    )


def _lines(file: BinaryIO) -> Iterator[bytes]:
    """The lines that are not blank; of one that is far too long the beginning."""
    while line := file.readline(LONGEST_LINE):
        whole = line
        while line and not line.endswith(b"\n"):
            line = file.readline(LONGEST_LINE)
            if line and len(whole) <= LONGEST_LINE:
                whole += line[:1]
        if whole.strip():
            yield whole.rstrip(b"\r\n")


def _line_of(raw: bytes) -> tuple[Line, str]:
    """What a line says, and its text as any database takes it."""
    text, _ = storable(raw.decode("utf-8", "surrogateescape"))
    return read_line(text), text


def _status(told: Mapping[str, Any]) -> str:
    if not told.get("status"):
        return ""
    done = f", {told.get('completed', 0)} of {told['total']} answered" if told.get("total") else ""
    return f"{told['status']}{done}"


def _same_machine(about: Mapping[str, Any]) -> bool:
    here, there = process(), about.get("process") or {}
    return (there.get("host"), there.get("space")) == (here["host"], here["space"]) and there.get("id") != here["id"]
