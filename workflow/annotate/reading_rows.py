"""One answer read with the options that its model was shown, and the row that is stored of the reading."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from db.readings import AttemptEnd
from domain.reading.answers import AnswerKind, ExpectedAnswer, Reading, ReadOutcome, read_answer
from domain.runs import Outcome

Ahead = Mapping[tuple[str, ExpectedAnswer, str | None], Reading]
"""Readings made before a transaction, by text, question as shown, and outcome."""

RANKED = "ranked"
"""Rule of an answer that was chosen by ranking the options, so no text had to be read."""


def state_at(
    states: Sequence[tuple[int, datetime, Mapping[str, Any]]], moment: datetime
) -> tuple[int, Mapping[str, Any]]:
    """Return the number and content of the item's state at a moment, or of its first state if the moment is earlier."""
    before = [state for state in states if state[1] <= moment] or list(states[:1])
    return (before[-1][0], before[-1][2]) if before else (1, {})


def read_one(
    text: str, asked: ExpectedAnswer, ended: AttemptEnd | None, *, ranked: bool = False, known: Ahead | None = None
) -> Reading:
    """Read one answer with the rules; if the run ranked options, return the chosen option itself."""
    if ranked and asked.kind is AnswerKind.OPTION and text in asked.options:
        places = tuple(at for at, option in enumerate(asked.options) if option == text)
        return Reading(ReadOutcome.READ, text, places, ((0, len(text)),), RANKED, "")
    reason, shown = finish_reason_of(ended), as_shown(asked, ended)
    before = (known or {}).get((text, shown, reason))
    read = before or read_answer(text, shown, finish_reason=reason)
    return replace(read, places=own_places(read.places, asked, ended))


def as_shown(asked: ExpectedAnswer, ended: AttemptEnd | None) -> ExpectedAnswer:
    """Return the question with the options in the order that the model saw."""
    order = _order(asked, ended)
    return replace(asked, options=tuple(asked.options[at] for at in order)) if order else asked


def own_places(places: Sequence[int], asked: ExpectedAnswer, ended: AttemptEnd | None) -> tuple[int, ...]:
    """Return positions in the shown options as positions in the item's own options."""
    order = _order(asked, ended)
    return tuple(order[at] for at in places) if order else tuple(places)


def shown_places(places: Sequence[int], asked: ExpectedAnswer, ended: AttemptEnd | None) -> tuple[int, ...]:
    """Return positions in the item's own options as positions in the order that was shown."""
    order = _order(asked, ended)
    return tuple(order.index(at) for at in places if at in order) if order else tuple(places)


def _order(asked: ExpectedAnswer, ended: AttemptEnd | None) -> tuple[int, ...]:
    """Return the option positions in the order shown, with "none of these" at the end.

    Empty if the item's own order was shown.
    """
    if ended is None or not ended.order or max(ended.order) >= len(asked.options):
        return ()
    return (*ended.order, len(asked.options) - 1) if asked.none else ended.order


def finish_reason_of(ended: AttemptEnd | None) -> str | None:
    if ended is None:
        return None
    return "length" if ended.outcome is Outcome.TRUNCATED else ended.finish_reason


def row_of(
    id: int,
    read: Reading,
    asked: ExpectedAnswer,
    *,
    reader: str,
    version: int,
    revision: int,
    now: datetime,
    more: str = "",
    detail: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Return a reading as a row; ``more`` holds any further input of the reader."""
    return {
        "prediction_id": id,
        "reader": reader,
        "version": version,
        "revision": revision,
        "kind": asked.kind,
        "asked": asked_hash(asked, more),
        "outcome": read.outcome,
        "value": list(read.value) if isinstance(read.value, tuple) else read.value,
        "places": list(read.places),
        "spans": [list(span) for span in read.spans],
        "rule": read.rule,
        "why": read.why,
        "detail": dict(detail or {}),
        "created_at": now,
    }


def asked_hash(asked: ExpectedAnswer, more: str = "") -> str:
    """Return a hash of the question: equal for equal kind, options and unit."""
    marks = [mark for mark, is_so in (("several", asked.several), ("literal", asked.literal)) if is_so]
    question = json.dumps([asked.kind.value, list(asked.options), asked.unit, more, *marks], ensure_ascii=False)
    return hashlib.sha256(question.encode(errors="surrogatepass")).hexdigest()[:32]
