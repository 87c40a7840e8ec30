"""Count unreadable answers and judges' replies of an import, by reason, model, dimension and value."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from agreement.loss_values import mentioned_value
from agreement.losses import PEOPLES_GRADE, VALUE_IN_TEXT, LossCell, Losses, losses_of
from annotation_schemas.asked import asked_of
from db import items
from db.engine import Session
from domain.judging import Verdict
from domain.reading.answers import AnswerKind, ReadOutcome
from domain.runs import Outcome
from domain.states import Stage
from workflow.access.projects import Access
from workflow.annotate import answer_readings
from workflow.results.losses import counting_words, key_word, majorities
from workflow.results.ratings import people_of, stage_ratings

_TOLD_BY_TEXT = (Verdict.SCORED, Verdict.UNPARSEABLE)
"""Replies whose text says one value; others contradict themselves, are cut off or say none."""


@dataclass(frozen=True)
class ReplyRead:
    """A judge's reply of an import, with what reading it came to."""

    judge: str
    model: str | None
    dimension: str
    unit: str
    text: str
    verdict: Verdict


def losses_of_replies(
    session: Session, access: Access, replies: Sequence[ReplyRead], *, criteria: Sequence[str], values: Sequence[Any]
) -> tuple[Losses, ...]:
    """Return what could not be read, for each judge.

    The value of a reply is what most people say of the answer, where people have graded most of the answers. Otherwise
    it is the value that the text mentions, whether or not a parser read it.
    """
    if all(each.verdict.scored for each in replies):
        majority: Mapping[tuple[str, str], str] = {}
    else:
        majority = _majorities(session, access)
    of_people = len(criteria) == 1 and 2 * sum((criteria[0], each.unit) in majority for each in replies) > len(replies)
    found = []
    for judge in dict.fromkeys(each.judge for each in replies):
        cells = []
        for each in replies:
            if each.judge != judge:
                continue
            if of_people:
                value = majority.get((criteria[0], each.unit))
            else:
                value = mentioned_value(each.text, values) if each.verdict in _TOLD_BY_TEXT else None
            lost = {} if each.verdict.scored else {each.verdict.label: 1}
            cells.append(LossCell(1, lost, each.model, each.dimension, value))
        found.append(losses_of(cells, subject=judge, value_is=PEOPLES_GRADE if of_people else VALUE_IN_TEXT))
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

    Nothing is returned for answers that no rule reads, as people or judges compare them with the key.
    """
    given = list(answers)
    states = answer_readings.counting(session, project_id=access.project_id, ids=[id for id, *_ in given])
    read = [
        AnswerRead(item, model, dimension, state.kind, state.outcome)
        if (state := states.get(id)) is not None
        else AnswerRead(item, model, dimension, AnswerKind.TEXT, ReadOutcome.UNREADABLE)
        for id, item, model, dimension in given
    ]
    return losses_of_readings(session, access, read, unanswered)


@dataclass(frozen=True)
class AnswerRead:
    """A new answer, with what reading it came to."""

    item: int
    model: str
    dimension: str
    kind: AnswerKind
    outcome: ReadOutcome


def losses_of_readings(
    session: Session,
    access: Access,
    answers: Iterable[AnswerRead],
    unanswered: Iterable[tuple[int, str, str, Outcome]],
) -> tuple[Losses, ...]:
    """Return the losses as ``losses_of_answers`` does, of answers that need not be stored."""
    content = items.current_content(session, project_id=access.project_id)
    keys: dict[int, str | None] = {}
    counts: Counter[tuple[str, str, str | None, str]] = Counter()

    def key(item: int) -> str | None:
        if item not in keys:
            keys[item] = key_word(access.schema, content.get(item, {}))
        return keys[item]

    closed = False
    for each in answers:
        closed = closed or each.kind is not AnswerKind.TEXT
        why = "" if each.outcome is ReadOutcome.READ else each.outcome.words
        counts[each.model, each.dimension, key(each.item), why] += 1
    for item, model, dimension, came in unanswered:
        closed = closed or asked_of(access.schema, content.get(item, {})).kind is not AnswerKind.TEXT
        counts[model, dimension, key(item), came.why_none or came.label] += 1
    if not closed or not counts:
        return ()
    cells = [
        LossCell(n, {why: n} if why else {}, model, dimension, value)
        for (model, dimension, value, why), n in counts.items()
    ]
    return (
        losses_of(
            cells,
            unit="answers",
            value_is="key",
            counts_as=counting_words(access.schema, {why for *_, why in counts if why}),
        ),
    )


def read_sentences(losses: Sequence[Losses], *, new: int, repeated: int, noun: str) -> list[str]:
    """Return the results of an import in sentences: new rows, unreadable rows by reason and model, and warnings."""
    if not losses:
        return []
    asked, lost = sum(each.asked for each in losses), sum(each.lost for each in losses)
    rows = f"{new + repeated:,} {noun}: {new:,} new, {asked - lost:,} read, {lost:,} not readable"
    if not lost:
        return [f"{rows}."]
    reasons: Counter[str] = Counter()
    for each in losses:
        reasons.update(each.reasons)
    why = ", ".join(f"{n:,} {reason}" for reason, n in reasons.most_common())
    by_model = [f"{each.subject}: {each.by_model}" if each.subject else each.by_model for each in losses]
    told = [f"{rows}: {why}."]
    told += [sentence for sentence, each in zip(by_model, losses, strict=True) if each.by_model]
    return [*told, *(each.warning for each in losses if each.warns)]
