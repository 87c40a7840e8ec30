"""Runs of models over a project's items: the selected items, and a preview of the questions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from annotation_schemas import registry
from annotation_schemas.model import Schema
from db import item_revisions, items, runs, task_slots
from db.engine import Session, Store
from domain import extensions
from domain.batches import why_no_batches
from domain.errors import InvalidInputError, ModelError, NotAvailableError, Problem
from domain.run_kinds import RunKind
from domain.runs import TWO_STEPS, Answerer, Preview, RunPlan, chunked
from domain.states import ItemState
from domain.strategies import added_strategy
from inference.endpoint import answerer as endpoints
from inference.endpoint.opening import check_strategy
from inference.spec import ModelPermissions, ModelSpec
from workflow.access.counted_items import Counting, counting
from workflow.access.projects import Access
from workflow.runs.model_answers import KeepAnswers
from workflow.runs.model_plans import NO_TOOLS, told_fields
from workflow.runs.model_questions import Asker
from workflow.runs.run_kinds import RunFunctions

if TYPE_CHECKING:
    from media.store import MediaStore

_AT_ONCE = 500
"""The number of items in one query."""


def as_schema_says(schema: Schema, spec: ModelSpec) -> ModelSpec:
    """Return the description with the schema's temperature and longest answer, if it has none itself."""
    models = schema.models
    if models is None:
        return spec
    return spec.with_defaults(
        temperature=models.temperature,
        max_tokens=models.max_tokens,
        extra_body=models.extra_body,
        headers=models.headers,
    )


def check_plan(spec: ModelSpec, plan: RunPlan) -> None:
    """Raise an error with a sentence for a plan that no worker could execute."""
    if spec.adapter == "file":
        raise ModelError(
            f"Answers of {spec.name} come from a file. Import the answers with `touchstone item import` "
            "or on the Add items page."
        )
    endpoints.check(spec)
    if plan.batch and (away := why_no_batches()):
        raise NotAvailableError(away)
    if plan.batch and (spec.endpoint is None or plan.strategy != "generate"):
        raise ModelError(
            "Batch files and shards need an endpoint that generates each answer in one reply. Choose an endpoint with "
            "the strategy generate."
        )
    registry.require_row("strategy", plan.strategy)
    if plan.tools_hash and added_strategy(plan.strategy) is None:
        raise ModelError(NO_TOOLS)
    if plan.strategy == "rank_options":
        registry.require_row("score", plan.score)
    check_strategy(spec, plan.strategy)
    if plan.strategy == TWO_STEPS and plan.text_only:
        raise ModelError(
            "The first step of the strategy two_steps asks about the pictures. Do not run this strategy with text only."
        )
    if registry.find("prompt_set", plan.prompt_set) or not plan.prompt_hash:
        registry.require_row("prompt_set", plan.prompt_set)


def wanted_items(session: Session, access: Access, plan: RunPlan) -> list[int]:
    """Return the items of a plan, in the project's own shuffled order.

    Raises ``InvalidInputError`` if the plan selects no item.
    """
    known = [dimension.id for dimension in access.schema.dimensions]
    problems = [
        Problem("dimensions", f"The schema has no dimension {unknown!r}. Its dimensions: {', '.join(known)}.")
        for unknown in plan.dimensions or ()
        if unknown not in known
    ]
    problems += [
        Problem("states", f"There is no item state {unknown!r}. Item states: {', '.join(ItemState)}.")
        for unknown in plan.states or ()
        if unknown not in set(ItemState)
    ]
    if plan.limit is not None and plan.limit < 1:
        problems.append(Problem("limit", "The limit of a run must be 1 or more."))
    if problems:
        raise InvalidInputError(problems)
    counted = counted_in(session, access, plan)
    item_ids = [
        id
        for id in runs.items_of(session, project_id=access.project_id, dimensions=plan.dimensions, states=plan.states)
        if counted is None or counted.counts(id)
    ]
    if plan.crossed and item_ids:
        item_ids = [id for id, why in lacking(session, access, plan, item_ids).items() if not why]
        if not item_ids:
            wanted = ", ".join(f"`{name}`" for name in plan.crossed)
            raise InvalidInputError(
                [
                    Problem(
                        "crossed",
                        f"No items to ask about: no item has data for all of these additions: {wanted}. Choose fewer "
                        "additions.",
                    )
                ]
            )
    if not item_ids:
        chosen = "that you chose" if plan.dimensions is not None or plan.states is not None else ""
        message = f"No items to ask about: the project {access.name} has no items {chosen}".rstrip() + "."
        if counted is not None and counted.ids is not None:
            message = f"No items to ask about. Items that count: {counted.sentence} Choose other items."
        raise InvalidInputError([Problem("items", message)])
    item_ids.sort(key=lambda id: (task_slots.shuffle_key(seed=access.seed, unit=f"run/item/{id}", slot=0), id))
    return item_ids[: plan.limit]


def lacking(session: Session, access: Access, plan: RunPlan, ids: Sequence[int]) -> dict[int, str]:
    """Return why each item is left out of all runs of a crossed plan; empty for an item that is included."""
    fields_told = told_fields(plan)
    contents = item_revisions.current_content(session, project_id=access.project_id)
    reasons = {}
    for id in ids:
        empty = [
            name for name, fields in fields_told.items() if any(_is_empty(contents[id].get(field)) for field in fields)
        ]
        reasons[id] = f"without data for {' and '.join(empty)}" if empty else ""
    return reasons


def left_out_of_cross(session: Session, access: Access, plan: RunPlan) -> dict[str, int]:
    """Return the number of a plan's items that are left out of its crossed runs, by reason."""
    whole = wanted_items(session, access, replace(plan, crossed=(), limit=None))
    counter = Counter(why for why in lacking(session, access, plan, whole).values() if why)
    return dict(counter.most_common())


def _is_empty(value: object) -> bool:
    return value is None or value in ([], ()) or (isinstance(value, str) and not value.strip())


def counted_in(session: Session, access: Access, plan: RunPlan) -> Counting | None:
    """Return which items count in a run; None if the plan names their states itself."""
    if plan.states is not None and plan.items is None:
        return None
    return counting(session, access=access, items_=plan.items)


def label_of(spec: ModelSpec, plan: RunPlan) -> str:
    """Return the name of a model in tables, with the injections of its plan."""
    parts = [spec.name, *(f"+{name}" for name in plan.injections)]
    return " ".join(parts) + (", text only" if plan.text_only else "")


def _asker(store: Store, media: MediaStore, schema: Schema, spec: ModelSpec, plan: RunPlan, cache: Path) -> Asker:
    return Asker(store, media, schema=schema, plan=plan, spec=spec, cache=cache)


def preview(
    store: Store,
    media: MediaStore,
    *,
    access: Access,
    units: Sequence[int],
    spec: ModelSpec,
    plan: RunPlan,
    cache: Path,
    first: int,
    most: int,
    make: Callable[..., Asker] = _asker,
) -> Preview:
    """Return a preview of asking a model about these items. ``make`` creates the object that makes the questions."""
    with store.read() as session:
        dimensions = Counter(
            row.dimension for some in chunked(units, _AT_ONCE) for row in items.by_ids(session, ids=some).values()
        )
    asker = make(store, media, access.schema, spec, plan, cache)
    return replace(
        asker.describe(units[:most], first=first),
        wanted=len(units),
        about=len(units),
        by_dimension={
            dimension.id: dimensions[dimension.id] for dimension in access.schema.dimensions if dimensions[dimension.id]
        },
    )


def _opened(spec: ModelSpec, plan: RunPlan, allowed: ModelPermissions) -> Answerer:
    from inference.opening import open_answerer

    if (added := added_strategy(plan.strategy)) is not None:
        return added.open(spec, plan, allowed)
    if (away := extensions.missing("strategies", plan.strategy)) is not None:
        raise ModelError(away)
    return open_answerer(
        spec, strategy=plan.strategy, allowed=allowed, score=plan.score, without_image=plan.without_image
    )


ASKING = RunFunctions(
    kind=RunKind.MODEL,
    check=check_plan,
    counted=counted_in,
    units=wanted_items,
    store_units=lambda session, run_id, units: list(units),
    items_of=lambda session, ids: {id: id for id in ids},
    described=lambda schema, spec, plan: as_schema_says(schema, spec),
    label=label_of,
    open=_opened,
    ask=_asker,
    keep=lambda plan: KeepAnswers(),
    preview=preview,
)
