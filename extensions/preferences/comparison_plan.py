"""Choose the pairs of models' answers that people compare: all pairs, or a fixed number per item.

A pair is two models' last answers to an item that counts. Identical answers are not shown to people: they count as
a separate kind of tie. If one model has no answer, there is no pair.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import combinations

from annotation_schemas.model import Comparison
from db import answers, files, runs, task_counts, task_slots
from db.answers import AnswerPart
from db.engine import Session
from db.task_counts import AnswerSlots
from domain.order import shuffled
from domain.run_kinds import RunKind
from domain.states import Stage
from extensions.preferences import queries
from workflow.access.counted_items import Counting
from workflow.access.projects import Access

Names = tuple[str, str]


@dataclass(frozen=True)
class AnswerPair:
    """Two models' answers to an item, ordered by model name."""

    first: AnswerPart
    second: AnswerPart
    dimension: str

    @property
    def unit(self) -> str:
        """The pair's name as a unit of work."""
        return queries.unit_of_pair(*self.answers)

    @property
    def item_id(self) -> int:
        """Return the item that both answer."""
        return self.first.item_id

    @property
    def answers(self) -> tuple[int, int]:
        """Return the ids of the two answers."""
        return self.first.id, self.second.id

    @property
    def models(self) -> Names:
        """Names of the two models."""
        return self.first.model, self.second.model

    @property
    def same(self) -> bool:
        """Whether both answers have the same text, ignoring white space and line breaks."""
        return self.first.text.split() == self.second.text.split()


@dataclass(frozen=True)
class PairPlan:
    """The current pairs of a project."""

    raters: int
    """Number of people asked about each pair."""
    fewest: int
    """Number of votes that completes a pair compared when fewer people were asked."""
    models: tuple[str, ...]
    """Names of the compared models."""
    asked: Sequence[AnswerPair]
    """Pairs to compare, in item order."""
    same: Sequence[AnswerPair]
    """Planned pairs that are not compared because both answers are the same."""
    missing: int
    """Number of planned pairs that lack an answer."""
    slots: Mapping[str, AnswerSlots]
    """Slots of every pair ever opened, by unit."""
    current: Mapping[str, AnswerPair]
    """All pairs of answers that count, planned or not, by unit."""

    anew: frozenset[tuple[int, Names]]
    """Item and model names of pairs that were open when one of the models answered again."""

    def is_open(self, pair: AnswerPair) -> bool:
        """Return whether enough people can compare the pair or have compared it."""
        there = self.slots.get(pair.unit)
        return there is not None and there.lacking(self.raters, fewest=self.fewest) == 0

    def is_complete(self, pair: AnswerPair) -> bool:
        """Return whether enough people have compared the pair."""
        there = self.slots.get(pair.unit)
        return there is not None and there.is_complete(self.raters, fewest=self.fewest)

    @property
    def stale(self) -> list[str]:
        """Units still on offer whose answers no longer count or that left the plan."""
        wanted = {pair.unit for pair in self.asked}
        return [unit for unit, there in self.slots.items() if there.open and unit not in wanted]


def plan_of(session: Session, *, access: Access, stage: Comparison, counted: Counting) -> PairPlan:
    """Return the plan of a project; compared or claimed pairs stay in it while their answers count."""
    people = {run.name for run in runs.of_project(session, project_id=access.project_id, kind=RunKind.PEOPLE)}
    last: dict[tuple[int, str], AnswerPart] = {}
    known: dict[int, tuple[int, str]] = {}
    for answer in answers.answers(session, project_id=access.project_id):
        if answer.model in stage.models if stage.models is not None else answer.model not in people:
            last[answer.item_id, answer.model] = answer
            known[answer.id] = answer.item_id, answer.model
    models = tuple(sorted({model for _, model in last} | {*(stage.models or ())}))
    every = list(combinations(models, 2))
    slots = {
        slot.unit: slot
        for slot in task_counts.answer_slots(session, project_id=access.project_id, stage=Stage.COMPARISON)
    }
    asked: list[AnswerPair] = []
    same: list[AnswerPair] = []
    current: dict[str, AnswerPair] = {}
    missing = 0
    numbers: dict[str, int] = {}
    for item_id, _, dimension in files.item_ids(session, project_id=access.project_id):
        number = numbers[dimension] = numbers.get(dimension, -1) + 1
        if not counted.counts(item_id) or (stage.dimensions is not None and dimension not in stage.dimensions):
            continue
        drawn = _drawn(every, stage.per_item, seed=access.seed, dimension=dimension, number=number)
        for names in every:
            both = [last[item_id, name] for name in names if (item_id, name) in last]
            if len(both) < 2:
                missing += names in drawn
                continue
            pair = AnswerPair(both[0], both[1], dimension)
            current[pair.unit] = pair
            touched = pair.unit in slots and slots[pair.unit].touched
            if names in drawn and pair.same and not touched:
                same.append(pair)
            elif names in drawn or touched:
                asked.append(pair)
    fewest = access.reading.fewest(stage.raters, Stage.COMPARISON)
    earlier = (queries.pair_of(unit) for unit in slots if unit not in current)
    anew = frozenset((known[a][0], (known[a][1], known[b][1])) for a, b in earlier if a in known and b in known)
    return PairPlan(stage.raters, fewest, models, asked, same, missing, slots, current, anew)


def slots_of(
    pair: AnswerPair, *, stage: Comparison, access: Access, now: datetime, shuffle: int | None = None
) -> list[task_slots.Slot]:
    """Return the slots of a pair, one for each person who is asked.

    ``shuffle`` overrides the pair's place in the order of the stage.
    """
    place = shuffle if shuffle is not None else task_slots.shuffle_key(seed=access.seed, unit=pair.unit, slot=0)
    return [
        task_slots.Slot(
            project_id=access.project_id,
            stage=Stage.COMPARISON,
            unit=pair.unit,
            slot=slot,
            item_id=pair.first.item_id,
            prediction_id=pair.first.id,
            dimension=pair.dimension,
            shuffle=place,
            at=now,
        )
        for slot in range(stage.raters)
    ]


def _drawn(every: Sequence[Names], per_item: int | None, *, seed: int, dimension: str, number: int) -> set[Names]:
    """Return the pairs of models to compare on an item, by its number in its dimension.

    Each block has as many items as there are pairs. In a block each pair is drawn ``per_item`` times: the items go once
    around the pairs, whose order is shuffled for each block.
    """
    if per_item is None or per_item >= len(every):
        return {*every}
    block, place = divmod(number, len(every))
    order = shuffled(every, seed=seed, parts=("pairs", dimension, block))
    return {order[(place + step) % len(order)] for step in range(per_item)}
