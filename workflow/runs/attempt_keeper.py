"""The thread next to a model: it stores every attempt as the attempt ends, and sends the worker's heartbeat."""

from __future__ import annotations

import logging
import queue
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from db import run_attempts, run_chunks, runs
from db.engine import Store
from db.records import StoredRun
from domain.errors import TouchstoneError
from domain.runs import OPEN, Attempt, Question
from workflow.runs.run_kinds import Keep
from workflow.runs.worker_registry import LEASE

LOOK_SECONDS = 1.0
"""The seconds between two checks whether the run was paused."""
HEARTBEAT_SECONDS = 10.0
"""The seconds between two heartbeats of a worker."""
WRITE_AGAIN_SECONDS = (0.5, 1.0, 2.0, 4.0, 8.0)
"""The pauses before writing is tried again, where the database cannot be reached."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class PreparedChunk:
    """A chunk in hand, with the questions that are still to be asked."""

    chunk_id: int
    questions: list[Question]


class AttemptKeeper(threading.Thread):
    """A thread next to the model that stores attempts, sends the worker's heartbeat, and checks whether to stop.

    Attempts that end together are stored together, and the model never waits for the disk.
    """

    def __init__(self, store: Store, row: StoredRun, worker_id: int, keep: Keep, stop: Callable[[], bool]) -> None:
        super().__init__(name=f"keeper-{worker_id}", daemon=True)
        self.store, self.row, self.worker_id, self.keep = store, row, worker_id, keep
        self.ended: set[int] = set()
        """The units of the chunk that were asked to the end."""
        self._asked: dict[int, Question] = {}
        self._items: dict[int, int] = {}
        """The item that each unit is about."""
        self._chunk_id = 0
        self._lost = False
        self._told: queue.Queue[tuple[int, Attempt]] = queue.Queue()
        self._leave = stop
        self._stopped = threading.Event()
        self._over = threading.Event()
        self._error: BaseException | None = None
        self._looked = self._beaten = time.monotonic()

    # ---- what the worker calls ----

    def begin(self, prepared: PreparedChunk) -> None:
        """Assign all following attempts to this chunk."""
        self._chunk_id, self._lost, self.ended = prepared.chunk_id, False, set()
        self._asked = {question.unit_id: question for question in prepared.questions}
        self._items |= {question.unit_id: question.item_id for question in prepared.questions}

    def tell(self, attempt: Attempt) -> None:
        """Take an attempt, to be written at once."""
        question = self._asked.get(attempt.unit_id)
        if question is None:
            raise ValueError(
                f"the attempt is about the unit {attempt.unit_id}, but the run has no question about this unit"
            )
        if attempt.unit_id in self.ended:
            raise ValueError(f"the attempt is about the unit {attempt.unit_id}, which has already ended")
        if not attempt.prompt_hash:
            hashes = tuple(picture.sha256 for picture in question.pictures)
            attempt = replace(attempt, prompt_hash=question.prompt_hash, image_hashes=attempt.image_hashes or hashes)
        if question.moments:
            attempt = replace(attempt, detail={**attempt.detail, "frames": question.moments})
        if question.prompt_type:
            attempt = replace(attempt, detail={**attempt.detail, "prompt": dict(question.prompt_type)})
        if question.order:
            attempt = replace(attempt, detail={**attempt.detail, "order": list(question.order)})
        if attempt.final:
            self.ended.add(attempt.unit_id)
        self._told.put((self._chunk_id, attempt))

    def stop(self) -> bool:
        """Return whether the model should skip the rest of this chunk."""
        return self.stopped or self._lost

    @property
    def stopped(self) -> bool:
        """Whether the worker is to leave the run."""
        if not self._stopped.is_set() and self._leave():
            self._stopped.set()
        return self._stopped.is_set()

    def pause(self) -> None:
        """Wait until the next check, or until the run is stopped."""
        end = time.monotonic() + LOOK_SECONDS
        while not self.stopped and (left := end - time.monotonic()) > 0:
            self._stopped.wait(min(left, 0.1))

    def flush(self) -> None:
        """Wait until all reported attempts are stored. Raises the error of a failed write."""
        self._told.join()
        if self._error is not None:
            error, self._error = self._error, None
            raise error

    def end(self) -> None:
        """Store the remaining attempts and end the thread."""
        self._over.set()
        self.join()

    # ---- the thread ----

    def run(self) -> None:
        while not (self._over.is_set() and self._told.empty()):
            attempts = self._taken()
            if attempts:
                try:
                    self._write(attempts)
                except BaseException as error:
                    self._error = error
                    self._stopped.set()
                finally:
                    for _ in attempts:
                        self._told.task_done()
            try:
                self._look()
            except Exception:
                _log.warning("cannot reach the database; trying again", exc_info=True)

    def _taken(self) -> list[tuple[int, Attempt]]:
        """Return the attempts reported since the last call. Waits briefly for the first one."""
        attempts: list[tuple[int, Attempt]] = []
        try:
            attempts.append(self._told.get(timeout=0.05 if self._over.is_set() else LOOK_SECONDS / 4))
            while True:
                attempts.append(self._told.get_nowait())
        except queue.Empty:
            return attempts

    def _write(self, found: Sequence[tuple[int, Attempt]]) -> None:
        by_chunk: dict[int, list[Attempt]] = {}
        for chunk_id, attempt in found:
            by_chunk.setdefault(chunk_id, []).append(attempt)
        for chunk_id, attempts in by_chunk.items():
            if not self._written(chunk_id, attempts) and chunk_id == self._chunk_id:
                self._lost = True
                _log.warning(
                    "run %s: another worker has taken over; %d attempts came too late",
                    self.row.public_id,
                    len(attempts),
                )

    def _written(self, chunk_id: int, attempts: Sequence[Attempt]) -> bool:
        for again, seconds in enumerate((0.0, *WRITE_AGAIN_SECONDS)):
            time.sleep(seconds)
            try:
                self.keep.prepare(self.store, self.row, attempts)
                with self.store.write() as session:
                    now = self.store.now()
                    written = run_attempts.append(
                        session,
                        run_id=self.row.id,
                        chunk_id=chunk_id,
                        worker_id=self.worker_id,
                        attempts=attempts,
                        item_ids={attempt.unit_id: self._items[attempt.unit_id] for attempt in attempts},
                        now=now,
                        unless_there=again > 0,
                    )
                    if written is not None:
                        self.keep(session, self.row, written, now)
                    return written is not None
            except TouchstoneError:
                raise
            except Exception:
                if again == len(WRITE_AGAIN_SECONDS):
                    raise
                _log.warning("could not store attempts; trying again", exc_info=True)
        return False

    def _look(self) -> None:
        moment = time.monotonic()
        if moment - self._looked < LOOK_SECONDS:
            return
        self._looked = moment
        with self.store.read() as session:
            if runs.state(session, run_id=self.row.id) not in OPEN:
                self._stopped.set()
        if moment - self._beaten >= HEARTBEAT_SECONDS:
            self._beaten = moment
            now = self.store.now()
            with self.store.write() as session:
                run_chunks.extend(session, worker_id=self.worker_id, now=now, until=now + LEASE)
