"""Which pairs of models' answers people compare: all, or so many of each item, and what keeps others from being pairs.

A pair is two models' last answers to an item that counts. Where both say the same it is not asked about: it is a tie of
a kind of its own. Where one has no answer there is no pair.
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
from workflow.access.counted_items import Counting
from workflow.access.projects import Access

Names = tuple[str, str]


@dataclass(frozen=True)
class Pair:
    """Two models' answers to an item; the first is of the model whose name comes first."""

    first: AnswerPart
    second: AnswerPart
    dimension: str

    @property
    def unit(self) -> str:
        """Its name as something to work on."""
        return task_slots.unit_of_pair(self.first.id, self.second.id)

    @property
    def models(self) -> Names:
        """Whose answers they are."""
        return self.first.model, self.second.model

    @property
    def same(self) -> bool:
        """Both say the same, but for space around it and how it is broken into lines."""
        return self.first.text.split() == self.second.text.split()


@dataclass(frozen=True)
class Plan:
    """The pairs as things stand now."""

    raters: int
    """How many people are asked about a pair."""
    fewest: int
    """With how many a pair may be complete that was compared when fewer were asked."""
    models: tuple[str, ...]
    """Those that are compared, by name."""
    asked: Sequence[Pair]
    """Pairs to be compared, in the order of the items."""
    same: Sequence[Pair]
    """Those of the plan that are not, because both answers are the same."""
    missing: int
    """How many of the plan lack an answer."""
    slots: Mapping[str, AnswerSlots]
    """Every pair that was ever opened, by its unit, with its slots."""
    current: Mapping[str, Pair]
    """Every pair there is of answers that count, whether it is in the plan or not, by its unit."""

    anew: frozenset[tuple[int, Names]]
    """Items and models of pairs that were open when one of the models had another answer."""

    def is_open(self, pair: Pair) -> bool:
        """Whether as many people as are asked for can compare it, or have."""
        there = self.slots.get(pair.unit)
        return there is not None and there.lacking(self.raters, fewest=self.fewest) == 0

    def is_complete(self, pair: Pair) -> bool:
        """Whether as many people as are asked for have compared it."""
        there = self.slots.get(pair.unit)
        return there is not None and there.is_complete(self.raters, fewest=self.fewest)

    @property
    def stale(self) -> list[str]:
        """Units that are on offer, of answers that count no longer or of pairs that the plan has no more."""
        wanted = {pair.unit for pair in self.asked}
        return [unit for unit, there in self.slots.items() if there.open and unit not in wanted]


def plan_of(session: Session, *, access: Access, stage: Comparison, counted: Counting) -> Plan:
    """The plan of a project. What someone has compared or has in hand stays in it as long as its answers count."""
    people = {run.name for run in runs.of_project(session, project_id=access.project_id, kind=RunKind.PEOPLE)}
    last: dict[tuple[int, str], AnswerPart] = {}
    known: dict[int, tuple[int, str]] = {}
    for each in answers.answers(session, project_id=access.project_id):
        if each.model in stage.models if stage.models is not None else each.model not in people:
            last[each.item_id, each.model] = each
            known[each.id] = each.item_id, each.model
    models = tuple(sorted({model for _, model in last} | {*(stage.models or ())}))
    every = list(combinations(models, 2))
    slots = {
        each.unit: each
        for each in task_counts.answer_slots(session, project_id=access.project_id, stage=Stage.COMPARISON)
    }
    asked: list[Pair] = []
    same: list[Pair] = []
    current: dict[str, Pair] = {}
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
            pair = Pair(both[0], both[1], dimension)
            current[pair.unit] = pair
            touched = pair.unit in slots and slots[pair.unit].touched
            if names in drawn and pair.same and not touched:
                same.append(pair)
            elif names in drawn or touched:
                asked.append(pair)
    fewest = access.reading.fewest(stage.raters, Stage.COMPARISON)
    earlier = (task_slots.pair_of(unit) for unit in slots if unit not in current)
    anew = frozenset((known[a][0], (known[a][1], known[b][1])) for a, b in earlier if a in known and b in known)
    return Plan(stage.raters, fewest, models, asked, same, missing, slots, current, anew)


def slots_of(
    pair: Pair, *, stage: Comparison, access: Access, now: datetime, shuffle: int | None = None
) -> list[task_slots.Slot]:
    """The slots of a pair, one for each person who is asked; ``shuffle``: a place in the order of the stage that is
    not its own."""
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
    """The pairs of models that are compared on an item, by its number in its dimension.

    Of as many items in a row as there are pairs, each pair is drawn ``per_item`` times: the items of such a block go
    once around the pairs, whose order is drawn for the block.
    """
    if per_item is None or per_item >= len(every):
        return {*every}
    block, place = divmod(number, len(every))
    order = shuffled(every, seed=seed, parts=("pairs", dimension, block))
    return {order[(place + step) % len(order)] for step in range(per_item)}
