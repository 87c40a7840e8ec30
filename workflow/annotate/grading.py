"""Grading: people grade models' answers without knowing the models, either all answers or a planned sample."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from annotation_schemas.model import Grading
from db import items, projects, runs, task_counts, task_slots, tasks
from db.engine import Session
from db.records import StoredTask
from domain.english import with_noun
from domain.order import spread
from domain.records import Person, Submission
from domain.states import ItemState, Purpose, Stage
from workflow.access.counted_items import Counting, counting
from workflow.access.event_log import log
from workflow.access.projects import Access
from workflow.annotate.grading_sample import Frame, frame, is_open, plan_of, planned
from workflow.annotate.sample_standing import SampleProgress, standing
from workflow.annotate.stage_kinds import Revision

DRAWN = "grading.drawn"
"""Kind of the event that a sample was drawn."""


@dataclass(frozen=True)
class Sample:
    """Progress of the answers that people grade.

    All counts are of answers that count: each model's last answer to each counted item
    (``workflow.access.counted_items``).
    """

    planned: int | None
    """Planned number of answers; None means all."""
    passed_on: int
    """Number of answers passed on to people, from which the sample is drawn."""
    drawn: int
    """Size of the sample, whose answers people can grade or have graded: ``untouched + begun + graded``."""
    untouched: int
    begun: int
    """Answers graded or claimed, but not yet by as many people as required."""
    graded: int
    """Answers graded by all required people."""
    raters: int

    @property
    def lacking(self) -> int:
        """Number of answers that could be added to the sample now."""
        wanted = self.passed_on if self.planned is None else min(self.planned, self.passed_on)
        return max(wanted - self.drawn, 0)

    @property
    def sentence(self) -> str:
        """The progress in a sentence.

        >>> Sample(planned=300, passed_on=600, drawn=300, untouched=150, begun=40, graded=110, raters=3).sentence
        'A sample of 300 of 600 answers. Open to people: 300; 110 graded by 3 people, 40 begun, 150 untouched.'
        """
        people = f"{self.raters} {'person' if self.raters == 1 else 'people'}"
        lots = [(self.graded, f"graded by {people}"), (self.begun, "begun"), (self.untouched, "untouched")]
        parts = ", ".join(f"{n:,} {words}" for n, words in lots)
        more = f" You can open {with_noun(self.lacking, 'more answer')} now." if self.lacking else ""
        if self.planned is None:
            return f"Answers open to people: {self.drawn:,} of {self.passed_on:,}; {parts}.{more}"
        return (
            f"A sample of {self.planned:,} of {with_noun(self.passed_on, 'answer')}. Open to people: {self.drawn:,}; "
            f"{parts}.{more}"
        )


def open_grading(
    session: Session, *, access: Access, predictions: Iterable[tuple[int, int, str]], now: datetime
) -> int:
    """Pass answers (prediction id, item id, dimension) on to people and return how many slots opened.

    Answers get no slots in dimensions without grading, or while their item does not count. If the schema grades
    a number of answers (``outputs``), the slots of the others wait: see ``draw``. If the schema plans a sample
    (``sample``), only its answers get slots, after a lead has opened it. Repeating the call opens nothing twice.
    """
    n = pass_on(session, access=access, predictions=predictions, now=now)
    return n + draw(session, access=access, now=now)


def pass_on(session: Session, *, access: Access, predictions: Iterable[tuple[int, int, str]], now: datetime) -> int:
    """Pass answers on without the draw, which the caller must run afterwards; see ``open_grading``.

    So a caller can pass on very many answers in batches, and people who submit never wait for the whole set.
    """
    stage = access.schema.stages.grading
    if stage is None or stage.sample is not None:
        return 0
    predictions = [
        prediction for prediction in predictions if stage.dimensions is None or prediction[2] in stage.dimensions
    ]
    projects.lock(session, id=access.project_id)
    counted = counting(session, access=access)
    at_once = [prediction for prediction in predictions if stage.outputs is None and counted.counts(prediction[1])]
    waiting = [
        prediction for prediction in predictions if stage.outputs is not None or not counted.counts(prediction[1])
    ]
    _add_slots(session, access, stage, waiting, called_off=True, now=now)
    return _add_slots(session, access, stage, at_once, called_off=False, now=now)


def _add_slots(
    session: Session,
    access: Access,
    stage: Grading,
    predictions: Sequence[tuple[int, int, str]],
    *,
    called_off: bool,
    now: datetime,
) -> int:
    known = tasks.known_units(
        session, units=[task_slots.unit_of_prediction(prediction_id=id) for id, _, _ in predictions]
    )
    predictions = [
        prediction
        for prediction in predictions
        if task_slots.unit_of_prediction(prediction_id=prediction[0]) not in known
    ]
    by_priority = stage.order == "priority"
    priorities = items.priorities(session, item_ids=[id for _, id, _ in predictions]) if by_priority else {}
    slots = []
    for prediction_id, item_id, dimension in predictions:
        unit = task_slots.unit_of_prediction(prediction_id=prediction_id)
        slots += [
            task_slots.Slot(
                project_id=access.project_id,
                stage=Stage.GRADING,
                unit=unit,
                slot=slot,
                item_id=item_id,
                prediction_id=prediction_id,
                dimension=dimension,
                called_off=called_off,
                rank=task_slots.rank_of(stage.order, slot=slot, item_id=item_id, priority=priorities.get(item_id, 0)),
                # in a shared order, an answer's slots are adjacent, so that answers are completed one by one
                shuffle=task_slots.shuffle_key(
                    seed=access.seed, unit=unit, slot=slot if stage.order == "random" else 0
                ),
                at=now,
            )
            for slot in range(stage.raters)
        ]
    return task_slots.open_slots(session, slots=slots, needed=access.needed_roles)


# ---- the sample ------------------------------------------------------------------------------------------------------


def draw(session: Session, *, access: Access, now: datetime, most: int | None = None) -> int:
    """Open the slots that the plan requires and that are not open, and return how many opened.

    Without a planned sample, that is every answer that counts. Otherwise the planned number of answers is spread evenly
    over dimensions and, within them, over models. The project's seed decides: the same answers give the same sample,
    and a smaller sample is part of a larger one. Answers that someone has graded or claimed stay in the sample.
    Untouched answers give way when more models or dimensions arrive.

    A sample that the schema plans follows its plan (``grading_sample``) and needs a lead to open it first. The
    project is locked during the draw, so that two simultaneous calls do not open twice the number. One call opens at
    most ``most`` answers; call again to continue.
    """
    projects.lock(session, id=access.project_id)
    stage = access.schema.stages.grading
    if stage is None or not _may_open(session, access):
        return 0
    there = _passed_on(session, access)
    n = planned(session, access=access)
    left: set[str] = set()
    called_off: set[str] = set()
    while True:
        chosen = there.chosen(n, left)
        surplus = {
            answer.unit for answer in there.every if answer.open and not answer.touched and answer.unit not in chosen
        }
        still = task_slots.call_off_untouched(session, units=sorted(surplus - called_off))
        called_off |= surplus - still
        if not still:
            break
        left |= still  # other people are claiming these now
    fewest = access.reading.fewest(stage.raters, Stage.GRADING)
    lacking = [
        answer
        for answer in there.every
        if answer.unit in chosen and (answer.lacking(stage.raters, fewest=fewest) or answer.unit in called_off)
    ][:most]
    slotless = [(answer.prediction_id, answer.item_id, answer.dimension) for answer in lacking if answer.slotless]
    _add_slots(session, access, stage, slotless, called_off=True, now=now)
    opened = task_slots.offer_units(session, units=[answer.unit for answer in lacking], most=stage.raters)
    called_off -= chosen
    if stage.order == "random":
        begun = (
            {answer.item_id for answer in there.every if answer.touched} if "predictions" in stage.shuffle else set()
        )
        waiting = [answer for answer in there.every if answer.open or answer.unit in chosen]
        task_slots.begin_units(
            session, units=[answer.unit for answer in waiting if answer.touched or answer.item_id in begun]
        )
    if (n is not None or stage.sample is not None) and (opened or called_off):
        data = {"planned": n, "drawn": len(chosen), "slots": opened, "called_off": len(called_off), "seed": there.seed}
        log(session, DRAWN, project=access, now=now, data=data)
    return opened


def slots_by_dimension(
    session: Session, *, access: Access, predictions: Iterable[tuple[int, int, str]]
) -> dict[str, int]:
    """Return how many slots these answers would open, by dimension, without changing anything."""
    stage = access.schema.stages.grading
    if stage is None or not _may_open(session, access):
        return {}
    there: _PassedOn | Frame = _passed_on(session, access)
    if isinstance(there, _PassedOn):
        known = {answer.prediction_id for answer in there.every}
        model = items.models_of(session, prediction_ids=[id for id, _, _ in predictions])
        new = [
            task_counts.slotless(id, item_id=item_id, model=model[id], dimension=dimension, slots=stage.raters)
            for id, item_id, dimension in predictions
            if id not in known and (stage.dimensions is None or dimension in stage.dimensions)
        ]
        there = _PassedOn([*there.every, *new], there.counted, there.seed)
    chosen = there.chosen(planned(session, access=access), set())
    fewest = access.reading.fewest(stage.raters, Stage.GRADING)
    left: Counter[str] = Counter()
    for answer in there.every:
        if answer.unit in chosen:
            left[answer.dimension] += answer.lacking(stage.raters, fewest=fewest)
    return {dimension.id: left[dimension.id] for dimension in access.schema.dimensions if left[dimension.id]}


def sample_of(session: Session, *, access: Access) -> Sample | SampleProgress | None:
    """Return the progress of people's grading; None if the schema has no grading."""
    stage = access.schema.stages.grading
    if stage is None:
        return None
    there = _passed_on(session, access)
    if isinstance(there, Frame):
        return standing(session, access=access)
    drawn = [answer for answer in there.counting if answer.open or answer.touched]
    fewest = access.reading.fewest(stage.raters, Stage.GRADING)
    graded = sum(answer.is_complete(stage.raters, fewest=fewest) for answer in drawn)
    untouched = sum(not answer.touched for answer in drawn)
    return Sample(
        planned=planned(session, access=access),
        passed_on=len(there.counting),
        drawn=len(drawn),
        untouched=untouched,
        begun=len(drawn) - graded - untouched,
        graded=graded,
        raters=stage.raters,
    )


def follow_state(
    session: Session, *, access: Access, revision: Revision, before: ItemState, state: ItemState, now: datetime
) -> None:
    """Open or close grading of the answers to an item, as its new verdict requires.

    Given grades stay. While an item is being verified again, people also keep the answers they hold. Untouched
    answers of a sample return with the next draw; answers that do not count do not return.
    """
    stage = access.schema.stages.grading
    if stage is None or state is before:
        return
    item_id, _, _ = revision
    if state is ItemState.KEPT:
        every = task_counts.answer_slots(session, project_id=access.project_id, stage=Stage.GRADING, item_id=item_id)
        every_one = stage.outputs is None and stage.sample is None
        wanted = [answer for answer in _last(every) if every_one or answer.touched]
        task_slots.offer_units(session, units=[answer.unit for answer in wanted], most=stage.raters)
    elif state is ItemState.REJECTED or before is ItemState.KEPT:
        rows = tasks.of_item(session, item_id=item_id, stage=Stage.GRADING)
        task_slots.withdraw(session, units=list(dict.fromkeys(row.unit for row in rows)))


def follow_run(session: Session, *, access: Access, run_id: int, withdrawn: bool, now: datetime) -> None:
    """Withdraw the slots of a withdrawn run's answers, and fill up the sample; given grades stay."""
    for prediction_id, _, _ in runs.to_grade(session, run_id=run_id) if withdrawn else ():
        task_slots.withdraw(session, units=[task_slots.unit_of_prediction(prediction_id=prediction_id)])
    draw(session, access=access, now=now)


def _last(every: Iterable[task_counts.AnswerSlots]) -> list[task_counts.AnswerSlots]:
    """Return each model's last answer to each item."""
    return list({(answer.item_id, answer.model): answer for answer in every}.values())


@dataclass(frozen=True)
class _PassedOn:
    """The answers passed on to people."""

    every: Sequence[task_counts.AnswerSlots]
    counted: Counting
    seed: int

    @property
    def counting(self) -> list[task_counts.AnswerSlots]:
        """The answers that count: each model's last answer to each counted item."""
        return _last(answer for answer in self.every if self.counted.counts(answer.item_id))

    def chosen(self, n: int | None, left: Collection[str]) -> set[str]:
        """Return the units to open: touched ones, those others hold now (``left``), and newly drawn ones."""
        those = self.counting
        kept = [answer for answer in those if answer.touched or answer.unit in left]
        if n is None:
            return {answer.unit for answer in those}
        rest = [answer for answer in those if not (answer.touched or answer.unit in left)]
        drawn = spread(
            rest,
            max(n - len(kept), 0),
            seed=self.seed,
            of=lambda answer: answer.place,
            already=[answer.place for answer in kept],
        )
        return {answer.unit for answer in (*kept, *drawn)}


def _passed_on(session: Session, access: Access) -> _PassedOn | Frame:
    """Return the answers or the frame from which the sample is drawn."""
    if plan_of(access) is not None:
        return frame(session, access=access)
    every = task_counts.answer_slots(session, project_id=access.project_id, stage=Stage.GRADING)
    return _PassedOn(every, counting(session, access=access), access.seed)


def _may_open(session: Session, access: Access) -> bool:
    """Return whether slots may open; those of a planned sample need a lead to open it."""
    return plan_of(access) is None or is_open(session, access=access)


# ---- the step of submit ----------------------------------------------------------------------------------------------


def after(
    session: Session, access: Access, row: StoredTask, given: Submission, person: Person, now: datetime
) -> ItemState | None:
    """Return the item's state, which grades do not change, and offer begun answers to others first.

    If each person has their own order of an item's answers, all answers of the item move to the front. Otherwise
    the order of the first person would become everyone's.
    """
    stage = access.schema.stages.grading
    if stage is not None and stage.order == "random" and row.purpose is Purpose.LIVE:
        task_slots.begin_unit(session, row=row, whole_item="predictions" in stage.shuffle)
    return items.by_id(session, id=row.item_id or 0).state
