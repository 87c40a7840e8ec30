"""Sending models' answers to coding: all answers that the schema's score calls wrong, or a sample of them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from annotation_schemas import derived
from annotation_schemas.model import Coding
from db import events, projects, task_slots
from db.answers import CODING_EXTENDED, CODING_OPENED
from db.engine import Session, Store
from domain.english import with_noun
from domain.errors import ConflictError, NotFoundError
from domain.order import spread
from domain.records import Person
from domain.states import Stage
from extensions.cases import queries
from extensions.cases.coding import NO_CODING
from workflow.access.event_log import log
from workflow.access.projects import Access, require_lead
from workflow.results import project_answers
from workflow.results.graded_answers import Answer
from workflow.results.project_answers import ProjectAnswers
from workflow.results.score_choices import Scores, ends_of
from workflow.results.scores import score_answers


@dataclass(frozen=True)
class CodingIntake:
    """The answers to send to coding, and those already sent. All counts are about answers that count."""

    title: str
    """The title of the score that makes an answer wrong."""
    answers: int
    """In the dimensions and to the items that are coded."""
    wrong: int
    unscored: int
    """The number of answers without a score."""
    before: int
    """The number of answers that are already in coding."""
    opened: int
    """The number of answers that sending opens now."""
    unknown: Sequence[str] = ()
    """Items that the schema names and that are not there, or do not count."""

    @property
    def sentence(self) -> str:
        """Return the counts as a sentence.

        >>> CodingIntake("Accuracy against the key", 60, 20, 3, 5, 7).sentence
        'Of 60 answers, the schema selects 20 for coding (Accuracy against the key). 3 of the answers have no \
score. 5 of the answers are already in coding. Sending adds 7 more.'
        """
        without = (
            f". {self.unscored:,} of the answers {'has' if self.unscored == 1 else 'have'} no score"
            if self.unscored
            else ""
        )
        by = f" ({self.title})" if self.title else ""
        names = ", ".join(self.unknown)
        missing = f" The schema names items that are missing or do not count: {names}." if names else ""
        return (
            f"Of {with_noun(self.answers, 'answer')}, the schema selects {self.wrong:,} for coding{by}{without}. "
            f"{self.before:,} of the answers {'is' if self.before == 1 else 'are'} already in coding. Sending adds "
            f"{self.opened:,} more.{missing}"
        )


@dataclass(frozen=True)
class _CodingCandidates:
    title: str
    answers: int
    wrong: Sequence[tuple[Answer, str]]
    """The wrong answers, each with its dimension."""
    unscored: int
    unknown: Sequence[str]
    """The unknown names, as in ``CodingIntake``."""
    counting: frozenset[int]
    """Answers (ids) that count."""


def preview_coding(store: Store, *, by: Person | None, project: str) -> CodingIntake:
    """Return the answers that ``open_coding`` would send now, for leads. Nothing is changed."""
    wanted = _wanted(store, by, project)
    with store.read() as session:
        access = require_lead(session, by=by, project=project)
        kept, drawn = _plan(session, access, _stage(access), wanted)
        return _intake(wanted, kept, len(drawn))


def open_coding(store: Store, *, by: Person | None, project: str, outputs: int | None = None) -> CodingIntake:
    """Open the answers that the schema's `coding: of` names for coding, for leads.

    With a number of ``outputs`` in the schema, that number is drawn by the project's seed, as evenly as possible over
    dimensions, and within them over models. Answers in coding stay. A later call fills the sample up, or extends it to
    ``outputs``. An untouched answer that no longer counts is replaced. Repeated calls send each answer once.

    Raises
    ------
    ConflictError
        The schema has no coding. Or several judges have scored the criterion, and it names none. Or ``outputs``
        does not exceed the planned number.
    NotFoundError
        No judge with that name has scored the criterion.
    """
    wanted = _wanted(store, by, project)
    with store.write() as session:
        access, now = require_lead(session, by=by, project=project), store.now()
        projects.lock(session, id=access.project_id)
        stage = _stage(access)
        if outputs is not None:
            _extend(session, access, stage, by=by, outputs=outputs, now=now)
        there = queries.answers_in(session, project_id=access.project_id, stage=Stage.CODING)
        task_slots.call_off_untouched(session, units=_units(sorted(there - wanted.counting)))
        kept, drawn = _plan(session, access, stage, wanted)
        slots = [
            slot for answer, dimension in drawn for slot in _slots(access, stage, answer, dimension=dimension, now=now)
        ]
        task_slots.open_slots(session, slots=slots, needed=access.needed_roles)
        task_slots.offer_units(session, units=_units([answer.id for answer, _ in drawn]))
        if drawn:
            data = {"answers": len(drawn), "slots": len(slots), "seed": access.seed}
            log(session, CODING_OPENED, by=by, project=access, now=now, data=data)
        return _intake(wanted, kept, len(drawn))


def open_all(store: Store, *, by: Person | None, project: str, models: Sequence[str] | None) -> None:
    """Open the answers of all models, whatever ``models`` are: the schema says which answers are coded."""
    open_coding(store, by=by, project=project)


def _stage(access: Access) -> Coding:
    stage = access.schema.stages.coding
    if stage is None:
        raise ConflictError(NO_CODING.format(name=access.schema.name))
    return stage


def _planned(session: Session, access: Access, stage: Coding) -> int | None:
    """Return the number of answers to code: the schema's number, or a larger one that a lead set. None for all
    answers.
    """
    if stage.outputs is None:
        return None
    last = events.newest_of(session, project_id=access.project_id, kind=CODING_EXTENDED)
    return max(stage.outputs, int(last.data.get("outputs", 0)) if last is not None else 0)


def _extend(session: Session, access: Access, stage: Coding, *, by: Person | None, outputs: int, now: datetime) -> None:
    before = _planned(session, access, stage)
    if before is None:
        raise ConflictError(
            f"The schema {access.schema.name} sends all selected answers to coding, so there is no sample "
            "to extend. Send the answers without giving a number."
        )
    if outputs <= before:
        raise ConflictError(f"The sample already has {before:,} planned answers. Give a larger number.")
    data = {"outputs": outputs, "before": before}
    log(session, CODING_EXTENDED, by=by, project=access, now=now, data=data)


def _units(ids: Sequence[int]) -> list[str]:
    return [task_slots.unit_of_answer(Stage.CODING, prediction_id=id) for id in ids]


def _slots(access: Access, stage: Coding, answer: Answer, *, dimension: str, now: datetime) -> list[task_slots.Slot]:
    unit = task_slots.unit_of_answer(Stage.CODING, prediction_id=answer.id)
    return [
        task_slots.Slot(
            project_id=access.project_id,
            stage=Stage.CODING,
            unit=unit,
            slot=slot,
            item_id=answer.item,
            prediction_id=answer.id,
            dimension=dimension,
            shuffle=task_slots.shuffle_key(seed=access.seed, unit=unit, slot=0),
            at=now,
        )
        for slot in range(stage.raters)
    ]


def _intake(wanted: _CodingCandidates, kept: int, opened: int) -> CodingIntake:
    return CodingIntake(wanted.title, wanted.answers, len(wanted.wrong), wanted.unscored, kept, opened, wanted.unknown)


def _plan(
    session: Session, access: Access, stage: Coding, wanted: _CodingCandidates
) -> tuple[int, Sequence[tuple[Answer, str]]]:
    """Return the number of counting answers in coding, and the answers to send now with their dimensions."""
    there = queries.answers_in(session, project_id=access.project_id, stage=Stage.CODING) & wanted.counting
    rest = [each for each in wanted.wrong if each[0].id not in there]
    planned = _planned(session, access, stage)
    if planned is None:
        return len(there), rest
    places = {answer.id: (dimension, answer.model) for answer, dimension in wanted.wrong}
    drawn = spread(
        rest,
        max(planned - len(there), 0),
        seed=access.seed,
        of=lambda each: (each[1], each[0].model),
        already=[places[id] for id in sorted(there) if id in places],
    )
    return len(there), drawn


def _wanted(store: Store, by: Person | None, project: str) -> _CodingCandidates:
    """Return the answers that the schema selects for coding, in the project's present state."""
    with store.read() as session:
        stage = _stage(require_lead(session, by=by, project=project))
    current_answers = project_answers.current(store, person=by, project=project)
    places = [at for at, answer in enumerate(current_answers.answers) if _concerned(current_answers, stage, answer)]
    about = _scores(current_answers, stage)
    unscored = 0
    if about is not None:
        of = score_answers(current_answers, about)
        _, high = ends_of(current_answers.schema, about)
        below = stage.of.below if stage.of.below is not None else of.high if of.high is not None else high
        unscored = sum(math.isnan(of.values[at]) for at in places)
        wrong = [at for at in places if below is not None and of.values[at] < below]
    else:
        wrong = places
    return _CodingCandidates(
        about.title if about is not None else "",
        len(places),
        [
            (current_answers.answers[at], current_answers.items[current_answers.answers[at].item].dimension)
            for at in wrong
        ],
        unscored,
        [name for name in stage.of.items if name not in {item.name for item in current_answers.items.values()}],
        frozenset(answer.id for answer in current_answers.answers),
    )


def _concerned(found: ProjectAnswers, stage: Coding, answer: Answer) -> bool:
    item = found.items[answer.item]
    there = stage.dimensions is None or item.dimension in stage.dimensions
    return there and (not stage.of.items or item.name in stage.of.items)


def _scores(found: ProjectAnswers, stage: Coding) -> Scores | None:
    """Return the score that makes an answer wrong; None if every answer is coded."""
    of = stage.of
    if of.score is None:
        return None
    if of.score == "key":
        return Scores("key")
    if of.score == "human":
        return Scores("human", of.criterion)
    rule = derived.find(found.schema, of.criterion)
    parts = rule.parts if rule is not None else (of.criterion,)
    lots = [{judge for name, judge in found.judged if name == part} for part in parts]
    there = sorted(set.intersection(*lots))
    if of.judge is None and len(there) > 1:
        raise ConflictError(
            f"Several judges have scored {of.criterion}: {', '.join(there)}. In the schema's `coding` stage, "
            "name one of these judges as `judge`."
        )
    if not there or (of.judge is not None and of.judge not in there):
        whom = f"No judge {of.judge!r}" if of.judge is not None else "No judge"
        known = ", ".join(there) or "none"
        raise NotFoundError(
            f"{whom} has scored {of.criterion}. Judges with scores: {known}. Run the judge, or name another judge in "
            "the schema."
        )
    return Scores("judge", of.criterion, of.judge or there[0])
