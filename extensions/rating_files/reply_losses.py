"""Count unreadable replies of judges in an import, by reason, model, dimension and value."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from agreement.loss_values import ends_of_scale, mentioned_value
from agreement.losses import PEOPLES_GRADE, VALUE_IN_TEXT, LossCell, Losses, losses_of
from db.engine import Session
from domain.judging import ReplyOutcome
from domain.states import Stage
from workflow.access.projects import Access
from workflow.results.losses import majorities
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
    losses = []
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
        losses.append(losses_of(cells, subject=judge, low=low, high=high, value_is=value_is, mean_of=mean_of))
    return tuple(losses)


def _majorities(session: Session, access: Access) -> Mapping[tuple[str, str], str]:
    if access.schema.stages.grading is None:
        return {}
    people = people_of(session, access=access, stage=Stage.GRADING)
    return (
        majorities(stage_ratings(session, access=access, stage=Stage.GRADING, judged=()), people=people)
        if people
        else {}
    )
