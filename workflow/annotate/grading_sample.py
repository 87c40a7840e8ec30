"""The planned sample of grading: the answers that people grade, fixed before any answer is open.

The plan (``grading: {sample: ...}`` in the schema) is drawn from its *frame*: each of its models with each of its
items that verification has not rejected, whether the answer exists or not. Within a stratum, places are ordered by a
hash of seed, model and item. So arriving early brings no advantage: a late answer, or an answer to an item that is
kept late, is in the sample exactly if its place was drawn. A drawn place waits for its answer.

Changes to the frame (a rejected item, or a new model where the plan names no models) change the draw as if they had
always been there. Places that people have graded or claimed stay, and the rest is drawn around them.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from annotation_schemas import grading_sample
from annotation_schemas.model import GradingSample
from db import answers, events, item_revisions, items, task_counts
from db.engine import Session
from db.task_counts import AnswerSlots
from domain.order import stratified_sample
from domain.states import ItemState, Stage
from workflow.access.counted_items import counting
from workflow.access.projects import Access

OPENED = "grading.sample_opened"
EXTENDED = "grading.extended"
"""Event kinds: a lead has opened the planned sample; a lead wants more answers graded than the schema requires."""

NONE = "none"
"""Stratum of items without a value and of dimensions without a group."""


def plan_of(access: Access) -> GradingSample | None:
    """Return the sample plan of the project's schema, or None."""
    stage = access.schema.stages.grading
    return stage.sample if stage is not None else None


def planned(session: Session, *, access: Access) -> int | None:
    """Return how many answers people grade: the schema's number, or a lead's larger one; None means all."""
    stage = access.schema.stages.grading
    if stage is None:
        return None
    number = stage.outputs if stage.sample is None else stage.sample.outputs
    if number is None:
        return None
    last = events.newest_of(session, project_id=access.project_id, kind=EXTENDED)
    return max(number, int(last.data.get("outputs", 0)) if last is not None else 0)


def is_open(session: Session, *, access: Access) -> bool:
    """Return whether a lead has opened the planned sample."""
    return events.newest(session, project_id=access.project_id, kind=OPENED) > 0


# ---- the frame -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class SamplePlace:
    """A place in the frame: a model with an item."""

    item: str
    model: str
    dimension: str
    strata: tuple[str, ...]
    counts: bool
    """Whether the item counts, so that the answer can be graded; otherwise the place waits for a verdict."""
    slots: AnswerSlots | None
    """The model's last answer to the item and its slots; None if there is no answer yet."""

    @property
    def touched(self) -> bool:
        """Whether someone has graded or claimed the answer."""
        return self.slots is not None and self.slots.touched


@dataclass(frozen=True)
class Frame:
    """The frame from which the plan is drawn, and all answers with slots."""

    every: Sequence[AnswerSlots]
    places: Sequence[SamplePlace]
    seed: int
    answering: Sequence[str]
    """All models with an answer in the project."""
    unknown_models: Sequence[str] = ()
    """Models of the plan without an answer in the project."""
    unknown_items: Sequence[str] = ()
    """Items of the plan that are missing from the project."""
    ungraded_items: Sequence[str] = ()
    """Items of the plan in dimensions that people do not grade."""
    rejected_items: Sequence[str] = ()
    """Items of the plan that verification has rejected."""
    empty_dimensions: Sequence[str] = ()
    """Dimensions of the plan without an item to draw."""

    def drawn(self, n: int | None, left: Collection[str] = ()) -> list[SamplePlace]:
        """Return the places in the sample; ``n`` None returns all places.

        These are touched places, places that others hold now (``left``, units), and places drawn in addition.
        """
        if n is None:
            return list(self.places)
        kept = [
            place for place in self.places if place.touched or (place.slots is not None and place.slots.unit in left)
        ]
        known = {id(place) for place in kept}
        rest = [place for place in self.places if id(place) not in known]
        return kept + stratified_sample(
            rest,
            max(n - len(kept), 0),
            seed=self.seed,
            name=lambda place: (place.model, place.item),
            strata=lambda place: place.strata,
            already=[place.strata for place in kept],
        )

    def chosen(self, n: int | None, left: Collection[str] = ()) -> set[str]:
        """Return the units to open: existing answers in the sample that may be graded."""
        return {place.slots.unit for place in self.drawn(n, left) if place.slots is not None and place.counts}


def frame(session: Session, *, access: Access) -> Frame:
    """Return the frame of the project's plan; answers without slots are in ``every`` as if withdrawn."""
    stage, plan = access.schema.stages.grading, plan_of(access)
    assert stage is not None
    assert plan is not None
    slots = task_counts.answer_slots(session, project_id=access.project_id, stage=Stage.GRADING)
    there = answers.last_of_models(session, project_id=access.project_id)
    of_answer = {slot.prediction_id: slot for slot in slots}
    every = list(slots)
    every_item = items.with_states(session, project_id=access.project_id)
    dimensions = {id: dimension for id, _, dimension, _ in every_item}
    for (item_id, model), id in there.items():
        if id not in of_answer:
            of_answer[id] = task_counts.slotless(
                id, item_id=item_id, model=model, dimension=dimensions[item_id], slots=stage.raters
            )
            every.append(of_answer[id])
    answering = sorted({model for _, model in there})
    models = answering if plan.models is None else plan.models
    counted = counting(session, access=access)
    within = grading_sample.dimensions_of(stage, plan)
    listed = set(plan.items or ())
    stratum = _strata(session, access, plan)
    places: list[SamplePlace] = []
    left_out: dict[str, list[str]] = {"ungraded": [], "rejected": []}
    for item_id, name, dimension, state in every_item:
        if plan.items is not None and name not in listed:
            continue
        listed.discard(name)
        counts = counted.counts(item_id)
        if within is not None and dimension not in within:
            left_out["ungraded"].append(name)
        elif state is ItemState.REJECTED and not counts:
            left_out["rejected"].append(name)
        else:
            for model in models:
                answer = of_answer.get(there.get((item_id, model), 0))
                strata = stratum(item_id, dimension, model)
                places.append(SamplePlace(name, model, dimension, strata, counts, answer))
    return Frame(
        every,
        places,
        access.seed if plan.seed is None else plan.seed,
        answering,
        unknown_models=[name for name in plan.models or () if name not in answering],
        unknown_items=[name for name in plan.items or () if name in listed],
        ungraded_items=left_out["ungraded"] if plan.items is not None else (),
        rejected_items=left_out["rejected"] if plan.items is not None else (),
        empty_dimensions=[name for name in plan.dimensions or () if name not in {place.dimension for place in places}],
    )


def _strata(session: Session, access: Access, plan: GradingSample) -> Callable[[int, str, str], tuple[str, ...]]:
    """Return a function that gives the strata of a model's answer to an item."""
    names = grading_sample.strata_of(plan)
    groups = {part.id: part.group or NONE for part in access.schema.dimensions}
    own = {grading_sample.DIMENSION, grading_sample.GROUP, grading_sample.MODEL}
    fields: Mapping[int, Mapping[str, Any]] = {}
    if not own.issuperset(names):
        fields = item_revisions.current_content(session, project_id=access.project_id)

    def of(item_id: int, dimension: str, model: str) -> tuple[str, ...]:
        values = {
            grading_sample.DIMENSION: dimension,
            grading_sample.GROUP: groups.get(dimension, NONE),
            grading_sample.MODEL: model,
        }
        return tuple(values[name] if name in values else _in_words(fields[item_id].get(name)) for name in names)

    return of


def _in_words(value: Any) -> str:
    return NONE if value in (None, "") else str(value)
