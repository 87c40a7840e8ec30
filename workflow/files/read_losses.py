"""Count unreadable answers and judges' replies of an import, by reason, model, dimension and value."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from agreement.loss_values import ends_of_scale, mentioned_value
from agreement.losses import PEOPLES_GRADE, VALUE_IN_TEXT, LossCell, Losses, losses_of
from annotation_schemas.expected_answers import KEYLESS, asked_of, held_against
from annotation_schemas.keys import key_field
from annotation_schemas.model import Schema
from db import item_revisions
from db.engine import Session
from domain.judging import ReplyOutcome
from domain.reading.answers import AnswerKind, ExpectedAnswer, ReadOutcome
from domain.runs import Outcome
from domain.states import Stage
from workflow.access.projects import Access
from workflow.annotate import answer_readings
from workflow.results.losses import counting_words, key_word, majorities
from workflow.results.ratings import people_of, stage_ratings

_TOLD_BY_TEXT = (ReplyOutcome.SCORED, ReplyOutcome.UNPARSEABLE)
"""Verdicts of replies whose text may mention one value. Other replies contradict themselves, are truncated or state
none.
"""


@dataclass(frozen=True)
class ImportedReply:
    """A judge's reply in an import, with its reading."""

    judge: str
    model: str | None
    dimension: str
    unit: str
    text: str
    verdict: ReplyOutcome
    values: Sequence[Any] = ()
    """The values that were read, one for each criterion."""

    @property
    def mean(self) -> float:
        """Return the mean over the criteria; 0 without values that are numbers."""
        numbers = [float(value) for value in self.values if isinstance(value, int | float)]
        return math.fsum(numbers) / len(numbers) if numbers else 0.0


def losses_of_replies(
    session: Session,
    access: Access,
    replies: Sequence[ImportedReply],
    *,
    criteria: Sequence[str],
    values: Sequence[Any],
) -> tuple[Losses, ...]:
    """Return the unreadable replies for each judge, with bounds of the mean if ``values`` are numbers.

    The value of a reply is the majority of people, if people have graded most of the answers. Otherwise it is the value
    that the text mentions, whether or not a parser read it.
    """
    if all(reply.verdict.scored for reply in replies):
        majority: Mapping[tuple[str, str], str] = {}
    else:
        majority = _majorities(session, access)
    of_people = len(criteria) == 1 and 2 * sum((criteria[0], reply.unit) in majority for reply in replies) > len(
        replies
    )
    low, high = ends_of_scale(values)
    mean_of = f"the {len(criteria)} criteria" if len(criteria) > 1 else ""
    found = []
    for judge in dict.fromkeys(reply.judge for reply in replies):
        cells = []
        for reply in replies:
            if reply.judge != judge:
                continue
            if of_people:
                value = majority.get((criteria[0], reply.unit))
            else:
                value = mentioned_value(reply.text, values) if reply.verdict in _TOLD_BY_TEXT else None
            lost = {} if reply.verdict.scored else {reply.verdict.label: 1}
            cells.append(LossCell(1, lost, reply.model, reply.dimension, value, reply.mean))
        value_is = PEOPLES_GRADE if of_people else VALUE_IN_TEXT
        found.append(losses_of(cells, subject=judge, low=low, high=high, value_is=value_is, mean_of=mean_of))
    return tuple(found)


def _majorities(session: Session, access: Access) -> Mapping[tuple[str, str], str]:
    if access.schema.stages.grading is None:
        return {}
    people = people_of(session, access=access, stage=Stage.GRADING)
    return (
        majorities(stage_ratings(session, access=access, stage=Stage.GRADING, judged=()), people=people)
        if people
        else {}
    )


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
            mean_of="" if keyed == self.asked.total() else f"the {keyed:,} answers to items with a key",
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
    for each in losses:
        reasons.update(each.reasons)
    why = ", ".join(f"{n:,} {reason}" for reason, n in reasons.most_common())
    by_model = [f"{loss.subject}: {loss.by_model}" if loss.subject else loss.by_model for loss in losses]
    told = [f"{rows}: {why}."]
    told += [sentence for sentence, each in zip(by_model, losses, strict=True) if each.by_model]
    return [*told, *(loss.warning for loss in losses if loss.warns)]
