"""Count unreadable answers of an import, by reason, model, dimension and value, and say it in sentences."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from agreement.losses import LossCell, Losses, losses_of
from annotation_schemas.expected_answers import KEYLESS, asked_of, held_against
from annotation_schemas.keys import key_field
from annotation_schemas.model import Schema
from db import item_revisions
from db.engine import Session
from domain.english import with_noun
from domain.reading.answers import AnswerKind, ExpectedAnswer, ReadOutcome
from domain.replies import counted_reasons
from domain.runs import Outcome
from workflow.access.projects import Access
from workflow.annotate import answer_readings
from workflow.results.losses import counting_words, key_word


def losses_of_answers(
    session: Session,
    access: Access,
    answers: Iterable[tuple[int, int, str, str]],
    unanswered: Iterable[tuple[int, str, str, Outcome]],
) -> tuple[Losses, ...]:
    """Return the unreadable ones among new answers (id, item, model, dimension), and rows without an answer.

    The result is empty for answers that no rule reads, because people or judges compare them with the key.
    """
    given = list(answers)
    states = answer_readings.counting(session, project_id=access.project_id, ids=[id for id, *_ in given])
    read = [
        ImportedAnswer(item, model, dimension, state.kind, state.outcome, state.value)
        if (state := states.get(id)) is not None
        else ImportedAnswer(item, model, dimension, AnswerKind.TEXT, ReadOutcome.UNREADABLE)
        for id, item, model, dimension in given
    ]
    return losses_of_readings(session, access, read, unanswered)


@dataclass(frozen=True)
class ImportedAnswer:
    """A new answer, with its reading."""

    item: int
    model: str
    dimension: str
    kind: AnswerKind
    outcome: ReadOutcome
    value: Any = None
    """The value that was read."""


def losses_of_readings(
    session: Session,
    access: Access,
    answers: Iterable[ImportedAnswer],
    unanswered: Iterable[tuple[int, str, str, Outcome]],
) -> tuple[Losses, ...]:
    """Return the losses as ``losses_of_answers`` does, of answers that need not be stored."""
    content = item_revisions.current_content(session, project_id=access.project_id)
    lots = _Lots(access.schema, content)
    for answer in answers:
        lots.take(answer)
    for item, model, dimension, came in unanswered:
        lots.lose(item, model, dimension, came.why_none or came.label)
    if not lots.is_closed or not lots.asked:
        return ()
    return (lots.losses(),)


Where = tuple[str, str, str | None, bool]
"""Model, dimension, key, and whether the item has a key that answers are compared with."""


class _Lots:
    """Counts answers by model, dimension and key, with the sum of their scores."""

    def __init__(self, schema: Schema, content: Mapping[int, Mapping[str, Any]]) -> None:
        self._schema, self._content = schema, content
        self._key = key_field(schema) or ""
        self._of_item: dict[int, tuple[ExpectedAnswer, str | None, bool]] = {}
        self.asked: Counter[Where] = Counter()
        self._lost: dict[Where, Counter[str]] = {}
        self._totals: dict[Where, list[float]] = {}
        self.is_closed = False
        """Whether rules read answers: people or judges compare other answers with the key."""

    def _item(self, item: int) -> tuple[ExpectedAnswer, str | None, bool]:
        """Return the question of an item, its key as a word, and whether answers are compared with the key."""
        if item not in self._of_item:
            fields = self._content.get(item, {})
            asked = asked_of(self._schema, fields)
            is_keyed = held_against(None, asked, fields.get(self._key))[1] not in KEYLESS
            self._of_item[item] = (asked, key_word(self._schema, fields), is_keyed)
        return self._of_item[item]

    def take(self, read: ImportedAnswer) -> None:
        """Add an answer: read with its score, or lost."""
        asked, key, is_keyed = self._item(read.item)
        self.is_closed = self.is_closed or read.kind is not AnswerKind.TEXT
        where = (read.model, read.dimension, key, is_keyed)
        self.asked[where] += 1
        if read.outcome is not ReadOutcome.READ:
            self._lost.setdefault(where, Counter())[read.outcome.words] += 1
        elif is_keyed:
            score, gone = held_against(read.value, asked, self._content.get(read.item, {}).get(self._key))
            if gone:
                self._lost.setdefault(where, Counter())[gone] += 1
            else:
                self._totals.setdefault(where, []).append(score)

    def lose(self, item: int, model: str, dimension: str, why: str) -> None:
        """Add an item without an answer."""
        asked, key, is_keyed = self._item(item)
        self.is_closed = self.is_closed or asked.kind is not AnswerKind.TEXT
        where = (model, dimension, key, is_keyed)
        self.asked[where] += 1
        self._lost.setdefault(where, Counter())[why] += 1

    def losses(self) -> Losses:
        """Return the losses, with bounds of the share of right answers among items with a key."""
        cells = [
            LossCell(
                n,
                dict(self._lost.get(where, {})),
                *where[:3],
                math.fsum(self._totals.get(where, ())),
                is_in_mean=where[3],
            )
            for where, n in self.asked.items()
        ]
        keyed = sum(cell.asked for cell in cells if cell.is_in_mean)
        return losses_of(
            cells,
            unit="answers",
            low=0.0,
            high=1.0,
            value_is="key",
            counts_as=counting_words(self._schema, {why for cell in cells for why in cell.lost}),
            mean_of="" if keyed == self.asked.total() else f"the {with_noun(keyed, 'answer')} to items with a key",
        )


def read_sentences(losses: Sequence[Losses], *, new: int, repeated: int, noun: str) -> list[str]:
    """Return the results of an import in sentences: new rows, unreadable rows by reason and model, and warnings."""
    if not losses:
        return []
    asked, lost = sum(loss.asked for loss in losses), sum(loss.lost for loss in losses)
    rows = f"{new + repeated:,} {noun}: {new:,} new, {asked - lost:,} read, {lost:,} not readable"
    if not lost:
        return [f"{rows}."]
    reasons: Counter[str] = Counter()
    for loss in losses:
        reasons.update(loss.reasons)
    why = counted_reasons(reasons)
    by_model = [f"{loss.subject}: {loss.by_model}" if loss.subject else loss.by_model for loss in losses]
    sentences = [f"{rows}: {why}."]
    sentences += [sentence for sentence, loss in zip(by_model, losses, strict=True) if loss.by_model]
    return [*sentences, *(loss.warning for loss in losses if loss.warns)]
