"""The answers of a project, and the grades that people, files and judges gave them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from annotation_schemas.model import Criterion
from db import answers as stored
from db import item_revisions, judging
from db.engine import Session
from domain.reading.answers import ReadOutcome
from domain.records import AnswerReading
from workflow.access.counted_items import Counting
from workflow.access.projects import Access
from workflow.results.counting_answers import CountingAnswers
from workflow.results.criterion_values import is_right, value_of
from workflow.results.slices import Item

WITHOUT_SCORE = "without a score from the judge"


def label_of_failure(why: str) -> str:
    """Return the label of a judge's failed reply from the reason why an answer has no score.

    >>> label_of_failure("without a score from the judge (out of range)")
    'out of range'
    """
    begin = f"{WITHOUT_SCORE} ("
    return why.removeprefix(begin).removesuffix(")") if why.startswith(begin) else why


@dataclass(frozen=True, slots=True)
class Answer:
    """A model's answer that counts: its last one to the item."""

    id: int
    item: int
    model: str
    right: float
    """1 if the reading of the answer is the key, 0 if it is not; nan without a key or a reading."""
    read: ReadOutcome = ReadOutcome.READ
    """The outcome of reading the answer."""
    why: str = ""
    """Why the answer is neither right nor wrong, even if it could be read."""
    old: bool = False
    """The item was edited after it."""
    said: Any = None
    """The reading of a person's answer."""


@dataclass(frozen=True, slots=True)
class PooledAnswers:
    """The answers behind a row of all people together."""

    of_item: Mapping[int, Sequence[str]]
    """Item -> who answered it, of the items that are in its number."""
    ties: int = 0
    """Items on which a vote was a tie that a right answer had part in."""


@dataclass
class GradeIntake:
    """The grades that people, files and judges gave to the answers that count, taken in from one after the other."""

    criteria: Mapping[str, Criterion]
    current: set[int]
    """The ids of the answers that count."""
    outside: Collection[str]
    """The imported raters who are people."""
    grades: dict[str, dict[int, list[float]]] = field(default_factory=dict)
    graders: dict[str, dict[str, bool]] = field(default_factory=dict)
    judged: dict[tuple[str, str], dict[int, float]] = field(default_factory=dict)
    unscored: dict[tuple[str, str], dict[int, str]] = field(default_factory=dict)
    metrics: set[str] = field(default_factory=set)
    unknown: int = 0
    left_out: int = 0
    """The last seven fields, from ``grades`` on, are those of ``ProjectAnswers``."""
    own: set[tuple[int, str, str]] = field(default_factory=set)
    """Grades that imported people have also submitted here: answer, login, criterion."""

    def take_grades(self, found: Iterable[tuple[int, str, Mapping[str, Any]]]) -> None:
        """Add grades that people have submitted here: answer, login, and a value for each criterion."""
        for id, login, given in found:
            if id not in self.current:
                continue
            for name, criterion in self.criteria.items():
                if (value := given.get(name)) is not None:
                    self.grades.setdefault(name, {}).setdefault(id, []).append(value_of(criterion, value))
                    self.graders.setdefault(name, {})[login] = True
                    if login in self.outside:
                        self.own.add((id, login, name))

    def take_ratings(
        self,
        found: Iterable[tuple[str, str, str, Any, datetime]],
        graded: CountingAnswers,
        of: Counting,
    ) -> None:
        """Add imported grades, after all submitted grades: unit, rater, criterion, value, and the moment of import."""
        for unit, rater, name, value, at in found:
            if name not in self.criteria:
                continue
            about = graded.about(unit, at)
            if about is not None and not of.counts(about.item_id):
                continue
            if about is None or not graded.counts(unit, at):
                self.unknown += 1
                self.left_out += not graded.counts(unit, at)
                continue
            place = value_of(self.criteria[name], value)
            if rater not in self.outside:
                self.judged.setdefault((name, rater), {})[about.id] = place
            elif (about.id, rater, name) not in self.own:  # a person's own submission replaces an imported grade
                self.grades.setdefault(name, {}).setdefault(about.id, []).append(place)
                self.graders.setdefault(name, {}).setdefault(rater, False)

    def take_scores(self, found: Iterable[judging.Score]) -> None:
        """Add scores of judges and metrics that ran here, without repeated samples."""
        for score in found:
            if score.prediction_id not in self.current or score.criterion not in self.criteria or score.sample:
                continue
            place = (score.criterion, score.run)
            there = self.judged.setdefault(place, {})
            if score.metric:
                self.metrics.add(score.run)
            if score.verdict.scored:
                value = float(score.value) if score.metric else value_of(self.criteria[score.criterion], score.value)
                there[score.prediction_id] = value
            else:
                why = "without a number from the metric" if score.metric else f"{WITHOUT_SCORE} ({score.verdict.label})"
                self.unscored.setdefault(place, {})[score.prediction_id] = why


def last_answers(
    session: Session,
    access: Access,
    last: Iterable[stored.AnswerPart],
    there: Mapping[int, Item],
    states: Mapping[int, AnswerReading],
    people: Collection[str],
) -> list[Answer]:
    """Return the answers that count, each with its reading and whether the reading is the key."""
    edited = item_revisions.edited(session, project_id=access.project_id)
    answers = []
    for answer in last:
        fields = there[answer.item_id].fields if answer.item_id in there else {}
        state = states.get(answer.id)
        right, why = is_right(access.schema, fields, state)
        old = answer.item_id in edited and edited[answer.item_id] > answer.created_at
        outcome = state.outcome if state else ReadOutcome.UNREADABLE
        reading = state.value if state and answer.model in people else None
        answers.append(Answer(answer.id, answer.item_id, answer.model, right, outcome, why, old, reading))
    return answers
