"""Draw a stage's form as annotators see it, with made-up content or with an item. Nothing is saved."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from importlib.util import find_spec
from string import ascii_uppercase
from typing import Any, get_args

import streamlit as st

from annotation_schemas import made_up
from annotation_schemas.ballots import Ballot
from annotation_schemas.made_up import Item
from annotation_schemas.model import LoadedSchema, Schema, StageName
from annotation_schemas.shown import WITH_ANSWER
from app.services import Services
from app.workbench import assets, page, sent
from domain.exposure import Route
from domain.language import _
from domain.records import AssetView, ProjectView, TaskView, VoteView
from domain.states import ItemState, Stage

Json = dict[str, Any]

DRAWN = "made-up."
"""The prefix of the ids of drawn pictures and clips."""
MOST_DRAWN = 20
"""Number of different ones of each kind. After the last one, the first comes again."""

_component = st.components.v2.component("touchstone_preview", js=assets.loader("preview"))


def stages_of(schema: Schema) -> list[Stage]:
    """Return the stages in which people are asked something, in the order of the work."""
    stages = [Stage(name) for name in get_args(StageName) if getattr(schema.stages, name, None) is not None]
    coding = schema.stages.coding
    settled = coding is not None and coding.arbitration and coding.raters > 1
    return [*stages, Stage.ARBITRATION] if settled and Stage.ARBITRATION not in stages else stages


def form(loaded: LoadedSchema, stage: Stage, dimension: str, *, key: str) -> None:
    """Draw the form of a stage whose page has no ``preview`` of its own."""
    _component(key=key, data=preview_data(loaded, stage, dimension))


def task_form(services: Services, static: Json, schema: Schema, task: TaskView, *, key: str) -> None:
    """Draw the form with a task, under the static part of the page of its stage."""
    data = {"static": static, "task": page.task_part(schema, task)}
    sent.page(services, data, route=Route.PREVIEW)
    _component(key=key, data=data)


def preview_data(loaded: LoadedSchema, stage: Stage, dimension: str) -> Json:
    """Return the data of a stage's page with a made-up item. Secret fields are absent, as for annotators."""
    schema = loaded.schema_
    static = page.make_static(loaded, stage, project=schema.name, title=schema.title, made_up=True)
    return {"static": static, "task": page.task_part(schema, task(schema, stage, dimension))}


def submitted(services: Services, view: ProjectView, task: TaskView, *, words: str, key: str) -> None:
    """Draw the form as someone submitted it, read-only. ``words`` appear below the form."""
    static = page.static_part(view.schema, task.stage, project=view.name, title=view.title)
    data = {"static": static, "task": page.task_part(view.schema.schema_, task), "said": words}
    sent.page(services, data, route=Route.OWN)
    _component(key=key, data=data)


def task(schema: Schema, stage: Stage, dimension: str) -> TaskView:
    """Return a task of that stage that no one has claimed. Its item, votes and answer are made up."""
    item = made_up.item(schema, dimension)
    right, wrong = made_up.model_answers(schema, item.fields)
    compared = stage is Stage.COMPARISON
    answer = wrong if stage in WITH_ANSWER and not compared else None
    noun = _("Coder") if stage is Stage.ARBITRATION else _("Vote")
    return TaskView(
        id=f"{DRAWN}{stage.value}",
        project=schema.name,
        stage=stage,
        dimension=dimension,
        item=None,
        revision=None,
        fields={} if stage is Stage.AUTHORING else item.fields,
        assets=pictures(schema),
        lease_until=datetime.max.replace(tzinfo=UTC),
        answer=answer,
        answers=(wrong, right) if compared else None,
        settles=Stage(_contested(schema)) if stage is Stage.ADJUDICATION else None,
        votes=[
            VoteView(
                f"{noun} {ascii_uppercase[number % 26]}",
                ballot.values,
                {name: str(why) for name, why in ballot.reasons.items()},
            )
            for number, ballot in enumerate(_votes(schema, stage, item, answer))
        ],
    )


def _votes(schema: Schema, stage: Stage, item: Item, answer: str | None) -> Sequence[Ballot]:
    """Return made-up votes or codings that differ, for a senior to settle. Empty for other stages."""
    if stage is Stage.ADJUDICATION:
        return made_up.votes(schema, item, ItemState.IN_ADJUDICATION, _contested(schema)) or ()
    if stage is Stage.ARBITRATION:
        return made_up.differing(schema, "coding", item, answer)
    return ()


def _contested(schema: Schema) -> str:
    """Return the first stage of verification whose votes may need adjudication."""
    parts = schema.stages.verifications
    return next((name for name, part in parts.items() if part.adjudicates), Stage.VERIFICATION.value)


def pictures(schema: Schema) -> list[AssetView]:
    """Return drawn media for each role of the item. Clips are missing without the extra ``video``."""
    assets = []
    for number, (role, kind) in enumerate(_places(schema)):
        id = f"{DRAWN}{kind}.{number % MOST_DRAWN}"
        assets.append(AssetView(id, role, kind, missing=kind == "clip" and find_spec("av") is None))
    return assets


def _places(schema: Schema) -> Iterator[tuple[str, str]]:
    for slot, n in made_up.media(schema):
        yield from [(slot.role, slot.kind)] * n
