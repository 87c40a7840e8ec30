"""The storage of models' answers, with their readings."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from db.engine import Session, Store
from db.records import StoredRun
from domain.runs import Attempt
from workflow.annotate import answer_readings, reading_rows


class KeepAnswers:
    """A keeper that stores a model's answers with their readings."""

    def __init__(self) -> None:
        self._known: reading_rows.Ahead = {}

    def prepare(self, store: Store, row: StoredRun, attempts: Sequence[Attempt]) -> None:
        """Read them before the transaction that stores them."""
        self._known = answer_readings.ahead_of(store, run=row, attempts=attempts)

    def __call__(self, session: Session, row: StoredRun, written: Sequence[tuple[int, Attempt]], now: datetime) -> None:
        attempts = [attempt for _, attempt in written]
        answer_readings.keep_attempts(session, run=row, attempts=attempts, now=now, known=self._known)
