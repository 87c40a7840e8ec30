"""The migration of stages other than verification to a changed schema: grading, comparison, coding and answering.

No verdict depends on these stages. So the migration only opens and withdraws slots, and asks some questions again. It
works item by item, as ``extensions.schema_migration.items`` does, and repeating a step changes nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from annotation_schemas.model import PREDICTION
from db import answers, items, reworded, schema_changes, task_slots
from db.engine import Session, Store
from db.records import StoredAnnotation, StoredItem, StoredTask
from domain.states import Items, ItemState, Stage, TaskState
from extensions.schema_migration.effects import Effect
from extensions.schema_migration.items import ChangeTally, OngoingChange, ask_again, with_votes_of_before
from extensions.schema_migration.queries import changes
from workflow.access.counted_items import Counting, counting
from workflow.access.projects import Access, require_lead
from workflow.annotate import stage_kinds
from workflow.files.project_check import people_asked

AT_ONCE = 10
"""The number of items that are locked at a time. Each item may have an answer of every model."""


@dataclass(frozen=True)
class InStage:
    """The effect of a change on a stage other than verification."""

    title: str
    opened: int
    """Slots that open."""
    closed: int
    """Slots that are called off."""
    asked_again: int
    """Submissions that count no more and are asked again."""

    @property
    def sentence(self) -> str:
        """Return the effect as a sentence.

        >>> InStage("Grading", 40, 0, 3).sentence
        'Grading. Slots opened: 40. Slots withdrawn: 0. Answers asked again: 3.'
        """
        return (
            f"{self.title}. Slots opened: {self.opened:,}. Slots withdrawn: {self.closed:,}. Answers asked again: "
            f"{self.asked_again:,}."
        )


@dataclass(frozen=True)
class _Current:
    """The work of a stage in the project's present state."""

    counted: Counting
    answers: frozenset[int]
    """Every model's last answer to each item, by id."""
    units: frozenset[str] | None
    """The planned units, for stages that plan them."""

    def wants(self, item: StoredItem, slots: Sequence[StoredTask]) -> bool:
        """Return whether a unit with a finished submission would be offered to more people."""
        if self.counted.which is Items.KEPT and item.state is not ItemState.KEPT:
            return False
        if self.units is not None:
            return slots[0].unit in self.units
        if slots[0].prediction_id is not None:
            return slots[0].prediction_id in self.answers
        return slots[0].revision == item.current_revision


def stages_of(stage: Stage) -> tuple[Stage, ...]:
    """Return a stage, and the stage that settles its disagreements."""
    return (stage, Stage.ARBITRATION) if stage is Stage.CODING else (stage,)


def bring_up(store: Store, *, project: str, change: OngoingChange, tally: ChangeTally) -> None:
    """Migrate all stages other than verification to the schema in force."""
    for stage in change.effect.through:
        with store.read() as session:
            access = require_lead(session, by=None, project=project)
            current = _current(session, access, stage)
        last = 0
        while current is not None:
            with store.write() as session:
                access = require_lead(session, by=None, project=project)
                newest = schema_changes.newest(session, project_id=access.project_id)
                if newest is None or newest.number != change.number or newest.finished_at is not None:
                    return  # another process has continued it
                lot = _lot(session, access, stage, after=last, hold=True)
                if not lot.items:
                    break
                _bring_up_lot(session, access, change, stage, lot, current, store.now(), tally)
                last = lot.items[-1].id


def look(store: Store, future: Access, effect: Effect) -> list[InStage]:
    """Return the effect of a change on stages other than verification. Nothing is changed."""
    stages = []
    for stage in effect.through:
        with store.read() as session:
            reworded.read_by(session, project_id=future.project_id, reading=future.reading)
            current = _current(session, future, stage)
        opened = closed = again = last = 0
        while current is not None:
            with store.read() as session:
                reworded.read_by(session, project_id=future.project_id, reading=future.reading)
                lot = _lot(session, future, stage, after=last, hold=False)
                if not lot.items:
                    break
                for item in lot.items:
                    of_item = _again(session, future, effect, item, lot)
                    again += len(of_item)
                    for slots in _units(lot, item, stage):
                        n = _counted(slots)
                        opened += _lacking(future, effect, stage, n, current.wants(item, slots), back=False)
                        over = sum(n.values()) - n[TaskState.WITHDRAWN] - people_asked(future.schema)[stage]
                        closed += max(min(n[TaskState.OPEN], over), 0)
                last = lot.items[-1].id
        title = future.schema.stages.title_of(stage.value)
        stages.append(InStage(title, opened, closed, again))
    return [
        stage_effect
        for stage_effect in stages
        if stage_effect.opened or stage_effect.closed or stage_effect.asked_again
    ]


def _current(session: Session, access: Access, stage: Stage) -> _Current | None:
    part = getattr(access.schema.stages, stage.value)
    if part is None:
        return None
    counted = counting(session, access=access, stage=stage)
    if stage is Stage.ANSWERING and part.items == "all":
        counted = Counting(Items.ALL, counted.by_state)
    planned = stage_kinds.of(stage).units(session, access=access, counted=counted)
    units = frozenset(unit.unit for unit in planned) if planned is not None else None
    return _Current(counted, frozenset(answers.last(session, project_id=access.project_id)), units)


def _lot(session: Session, access: Access, stage: Stage, *, after: int, hold: bool) -> changes.ItemBatch:
    return changes.lot(
        session, project_id=access.project_id, after=after, limit=AT_ONCE, hold=hold, stages=stages_of(stage)
    )


def _units(lot: changes.ItemBatch, item: StoredItem, stage: Stage) -> Iterator[list[StoredTask]]:
    """Yield the slots of each unit of an item in a stage."""
    units: dict[str, list[StoredTask]] = {}
    for slot in lot.slots.get(item.id, []):
        if slot.stage is stage:
            units.setdefault(slot.unit, []).append(slot)
    yield from units.values()


def _again(
    session: Session, access: Access, effect: Effect, item: StoredItem, lot: changes.ItemBatch
) -> list[StoredAnnotation]:
    """Return the votes about the answers to an item that are asked again."""
    votes = [vote for vote in lot.votes.get(item.id, []) if vote.stage in lot.stages]
    if not votes or not (effect.again or effect.only_of is not None):
        return []
    ids = sorted({vote.prediction_id for vote in votes if vote.prediction_id is not None})
    texts = {id: row.text for id, row in items.predictions(session, ids=ids).items()} if ids else {}

    def fields(vote: StoredAnnotation) -> dict[str, Any]:
        answer = {PREDICTION: texts[vote.prediction_id]} if vote.prediction_id is not None else {}
        return {**lot.contents[item.id], **answer}

    return [vote for vote in votes if effect.asks_again(vote, fields(vote), now=access.schema_version_id)]


def _bring_up_lot(
    session: Session,
    access: Access,
    change: OngoingChange,
    stage: Stage,
    lot: changes.ItemBatch,
    current: _Current,
    now: datetime,
    tally: ChangeTally,
) -> None:
    if change.undoes is not None:
        lot = with_votes_of_before(session, access, change, lot, tally)
    for item in lot.items:
        slots = {slot.id: slot for slot in lot.slots.get(item.id, [])}
        for vote in _again(session, access, change.effect, item, lot):
            ask_again(session, change, vote, slots[vote.task_id], now)
            tally.add(asked_again=1)
        units = list(_units(lot, item, stage))
        if stage in change.effect.raised:
            tally.add(opened=_fill_up(session, access, change, item, units, current, now))
        kind = stage_kinds.of(stage)
        for unit in units:
            if current.wants(item, unit):
                kind.follow_votes(session, access=access, row=unit[0], now=now, honour=True)


def _counted(slots: Sequence[StoredTask]) -> Counter[TaskState]:
    return Counter(slot.state for slot in slots)


def _lacking(access: Access, effect: Effect, stage: Stage, n: Counter[TaskState], wanted: bool, *, back: bool) -> int:
    """Return the number of additional slots that a unit needs because the schema asks more people."""
    if stage not in effect.raised:
        return 0
    raters = people_asked(access.schema)[stage]
    waits = n[TaskState.OPEN] + n[TaskState.CLAIMED]
    fewest = access.reading.fewest(raters, stage)
    called_off = back and n[TaskState.WITHDRAWN]  # slots that the change had withdrawn are needed again
    complete = n[TaskState.DONE] >= fewest and not waits and not called_off
    on_offer = bool(waits) or (bool(n[TaskState.DONE]) and wanted)
    return 0 if complete or not on_offer else max(raters - waits - n[TaskState.DONE], 0)


def _fill_up(
    session: Session,
    access: Access,
    change: OngoingChange,
    item: StoredItem,
    units: Sequence[Sequence[StoredTask]],
    current: _Current,
    now: datetime,
) -> int:
    """Open the missing slots of an item's units, and return the number of offered ones.

    Withdrawn units get their slots too, for the day on which they are offered again.
    """
    added: list[task_slots.Slot] = []
    offered: list[str] = []
    stage = units[0][0].stage if units else Stage.GRADING
    part = getattr(access.schema.stages, stage.value)
    raters, order = people_asked(access.schema)[stage], getattr(part, "order", "random")
    for slots in units:
        n, first = _counted(slots), slots[0]
        wanted, back = current.wants(item, slots), change.undoes is not None
        lacking = _lacking(access, change.effect, stage, n, wanted, back=back)
        off = not n[TaskState.OPEN] and not n[TaskState.CLAIMED] and not n[TaskState.DONE]
        if not lacking and not off:
            continue
        added += [
            changes.like(
                first,
                slot=number,
                rank=number if order == "fewest_votes" else first.rank,
                seed=access.seed,
                apart=stage is Stage.ANSWERING or (stage is Stage.GRADING and order == "random"),
                at=now,
            )
            for number in range(raters)
            if number not in {slot.slot for slot in slots}
        ]
        if lacking:
            offered.append(first.unit)
    task_slots.open_slots(session, slots=added, needed=access.needed_roles)
    n_offered = task_slots.offer_units(session, units=offered, most=raters)
    if stage is Stage.GRADING and order == "random":
        begun = [slots[0].unit for slots in units if _counted(slots)[TaskState.DONE]]
        every = [slots[0].unit for slots in units]
        task_slots.begin_units(session, units=every if begun and "predictions" in part.shuffle else begun)
    return n_offered
