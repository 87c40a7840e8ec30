"""Rows for people who answer the items themselves, next to models.

Each person has a row, as a model has (``respondent 1``, ...). This module adds two rows of all people, with one value
for each item. The first is the mean score of the people who answered the item. The second is their majority vote,
compared with the key. Spans of time have no vote, because two people hardly ever give the same one.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from annotation_schemas.expected_answers import KEYLESS, plain
from domain.reading.answers import ReadOutcome
from workflow.results.graded_answers import Answer, PooledAnswers
from workflow.results.leaderboard_lines import LeaderboardLine
from workflow.results.project_answers import ProjectAnswers
from workflow.results.scores import ScoredAnswers

PEOPLE = "People"
"""The row of all people together."""


def vote_row(k: int) -> str:
    """Return the row name of the vote of ``k`` people."""
    return f"{PEOPLE}, vote of {k}"


def with_people(found: ProjectAnswers, of: ScoredAnswers) -> tuple[ProjectAnswers, ScoredAnswers]:
    """Return the read and the scores with the rows of all people, one answer for each item that people have answered.

    Nothing is added if no person has answered, or to a judge's numbers that people's grades correct.
    """
    if not found.respondents or of.judge is not None:
        return found, of
    by_item: dict[int, list[int]] = {}
    for at, answer in enumerate(found.answers):
        if answer.model in found.respondents and not answer.old:
            by_item.setdefault(answer.item, []).append(at)
    rows = [_Row(PEOPLE, {item: _mean(of, places) for item, places in by_item.items()})]
    stage = found.schema.stages.answering
    if of.scores.kind == "key" and of.measure is None and stage is not None and stage.people > 1:
        votes = {item: vote(found, places, stage.people) for item, places in by_item.items()}
        rows.append(_Row(vote_row(stage.people), votes))
    answers, values, why = list(found.answers), of.values.tolist(), dict(of.why)
    pooled = {}
    for row in rows:
        for item, (value, reason) in row.of_item.items():
            if reason:
                why[len(answers)] = reason
            answers.append(Answer(-len(answers), item, row.name, value))
            values.append(value)
        counted = {item for item, (value, _) in row.of_item.items() if not math.isnan(value)}
        pooled[row.name] = PooledAnswers(
            {item: tuple(found.answers[at].model for at in by_item[item]) for item in counted},
            ties=sum(0 < row.of_item[item][0] < 1 for item in counted) if row.name != PEOPLE else 0,
        )
    return replace(found, answers=answers, pooled=pooled), replace(
        of, values=np.array(values, dtype=float), why=why, shares=of.yes_no
    )


@dataclass(frozen=True)
class _Row:
    name: str
    of_item: Mapping[int, tuple[float, str]]
    """The value of every item; nan with the reason for a missing value."""


def _mean(of: ScoredAnswers, places: Sequence[int]) -> tuple[float, str]:
    known = [float(of.values[at]) for at in places if not math.isnan(of.values[at])]
    if known:
        return math.fsum(known) / len(known), ""
    return math.nan, next((of.why[at] for at in places if at in of.why), "without a scored answer")


def vote(found: ProjectAnswers, places: Sequence[int], k: int) -> tuple[float, str]:
    """Return the value of the vote of ``k`` people on an item: 1 if the most frequent answer is the key.

    If several answers are equally frequent, the value is the share of them that is the key, such as a half for one of
    two. Unreadable answers are one more answer, or are left out, by the schema's convention.
    """
    answers = [found.answers[at] for at in places]
    keyless = next((answer.why for answer in answers if answer.why in KEYLESS), "")
    if keyless:
        return math.nan, keyless
    if len(answers) < k:
        return math.nan, f"answered by fewer than {k} people"
    readings = [_said(answer) for answer in answers]
    if found.schema.report.unreadable == "left_out":
        readings = [reading for reading in readings if reading is not None]
    if not readings:
        return math.nan, "without a readable answer"
    counts = Counter(readings)
    most = max(counts.values())
    first = [reading for reading, n in counts.items() if n == most]
    return (1 / len(first) if _RIGHT in first else 0.0), ""


_RIGHT = "key"


def _said(answer: Answer) -> str | None:
    """Return the answer in a form that is equal for equal answers; None for an unreadable answer."""
    if answer.read is not ReadOutcome.READ or math.isnan(answer.right):
        return None
    return _RIGHT if answer.right == 1 else "else " + _words(answer.said)


def _words(value: Any) -> str:
    if isinstance(value, list | tuple):
        return json.dumps([plain(str(entry)) for entry in value])
    return plain(value) if isinstance(value, str) else json.dumps(value)


# ---- what the rows rest on -------------------------------------------------------------------------------------------


def rested(found: ProjectAnswers, line: LeaderboardLine, places: NDArray[np.int64]) -> LeaderboardLine:
    """Return a line with the number of people and answers behind it, if it is a row of all people."""
    pooled = found.pooled.get(line.model)
    if pooled is None:
        return line
    lots = [pooled.of_item.get(found.answers[at].item, ()) for at in places.tolist()]
    return replace(line, respondents=len({name for lot in lots for name in lot}), given=sum(map(len, lots)))


def in_words(line: LeaderboardLine) -> str:
    """Return the counts behind a row of all people.

    >>> from agreement.statistic import undefined
    >>> from workflow.results.scores import Scores
    >>> none = undefined("", n_units=40, n_raters=1)
    >>> in_words(LeaderboardLine(Scores("key"), PEOPLE, None, "answers", none, 40, 40, {}, respondents=3, given=120))
    '40 items, 3 people, 120 answers'
    """
    parts = ((line.found.n_units, "item", "items"), (line.respondents, "person", "people"))
    phrases = [f"{n:,} {one if n == 1 else several}" for n, one, several in (*parts, (line.given, "answer", "answers"))]
    return ", ".join(phrases)


def notes(found: ProjectAnswers, whole: Mapping[str, LeaderboardLine]) -> list[str]:
    """Return notes for the reader of these rows, one sentence each."""
    sentences = []
    for name, pooled in found.pooled.items():
        line = whole.get(name)
        if line is None:
            continue
        rests = in_words(line)
        if name == PEOPLE:
            sentences.append(
                f"{PEOPLE} ({rests}): the mean of the respondents per item, then the mean over items. Each "
                "respondent is a person who answered items."
            )
            continue
        ties = f"{pooled.ties} {'tie' if pooled.ties == 1 else 'ties'}"
        sentences.append(
            f"{name} ({rests}): the most frequent answer to each item. Tied answers share the credit, so a tie of a "
            f"right and a wrong answer counts as one half ({ties} with a right answer)."
        )
    return sentences


def models_alone(found: ProjectAnswers, whole: Mapping[str, LeaderboardLine]) -> dict[str, LeaderboardLine]:
    """Return the lines of models, without those of people."""
    people: Collection[str] = {*found.respondents, *found.pooled}
    return {name: line for name, line in whole.items() if name not in people}
