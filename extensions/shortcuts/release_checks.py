"""The two release checks of this extension: rules and the classifier on texts, and models without images."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from annotation_schemas.model import Schema
from db.engine import Store
from domain.evidence import PrintedFigure, RowSelection, table_path
from domain.records import Person
from extensions.shortcuts import card_blocks, model_check, model_page, text_check
from extensions.shortcuts.model_check import ModelResult
from extensions.shortcuts.model_replies import WITHOUT
from extensions.shortcuts.model_shortcuts import measure_models
from extensions.shortcuts.schema_limits import TITLES
from extensions.shortcuts.text_check import TextResult
from extensions.shortcuts.text_shortcuts import find_text_shortcuts
from workflow.access.projects import Access
from workflow.releases import set_items
from workflow.releases.extension_checks import ReleaseCheck
from workflow.releases.printed_figures import ITEMS, slug


def _has_limits(schema: Schema) -> bool:
    return schema.export.shortcuts is not None


def _has_model_limit(schema: Schema) -> bool:
    limits = schema.export.shortcuts
    return limits is not None and limits.without_images is not None


def _text_figures(store: Store, access: Access) -> Iterator[PrintedFigure]:
    """Yield how often rules and the classifier are right."""
    text_shortcuts = find_text_shortcuts(store, by=None, project=access.name)
    rows = [RowSelection(ITEMS), RowSelection(table_path("revision"))]
    out = len(text_shortcuts.skipped)
    for name, figure in text_shortcuts.by_name.items():
        at = (figure.value, figure.low, figure.high, figure.n_units, out, figure.method, figure.reason)
        yield PrintedFigure(f"shortcuts.{name}", f"Shortcuts: {TITLES[name]}", *at, rows)
    yield PrintedFigure(
        "shortcuts.chance",
        "Shortcuts: a randomly drawn option",
        text_shortcuts.chance,
        n=len(text_shortcuts.items),
        rows=rows,
    )
    yield PrintedFigure(
        "shortcuts.flagged",
        "Shortcuts: items flagged",
        len(text_shortcuts.flagged),
        n=len(text_shortcuts.items),
        rows=rows,
    )


def _model_figures(store: Store, access: Access) -> Iterator[PrintedFigure]:
    """Yield what models get right without images."""
    results = measure_models(store, by=None, project=access.name)
    rows = [RowSelection(ITEMS), *(RowSelection(table_path(name)) for name in ("revision", "run", "attempt"))]
    prefix, title = "shortcuts.without_images", "Shortcuts: right without images"
    n, out = results.items, len(results.unsettled)
    yield PrintedFigure(
        f"{prefix}.flagged", f"{title}, items flagged", len(results.flagged), n=n, left_out=out, rows=rows
    )
    for model in results.models:
        if model.condition == WITHOUT:
            own = model.all_right
            at = (own.value, own.low, own.high, own.n_units, own.n_left_out, own.method, own.reason)
            yield PrintedFigure(
                f"{prefix}.all_orders.{slug(model.model)}", f"{title} in all orders, {model.model}", *at, rows
            )


def _state_of_texts(store: Store, by: Person | None, project: str) -> tuple[tuple[Any, ...], int]:
    state = set_items.mark(store, by=by, project=project)
    return state, set_items.size(store, by=by, project=project)


def _state_of_models(store: Store, by: Person | None, project: str) -> tuple[tuple[Any, ...], int]:
    return model_page.mark(store, by=by, project=project), model_page.size(store, by=by, project=project)


def _text_result(schema: Schema, value: Any) -> TextResult | None:
    limits = schema.export.shortcuts
    return None if limits is None else text_check.compare_with_limits(limits, value)


def _model_result(schema: Schema, value: Any) -> ModelResult | None:
    return model_check.compare_with_limit(schema.export.shortcuts, value.found)


TEXTS = ReleaseCheck(
    name=text_check.NAME,
    title="Shortcuts",
    page="shortcuts",
    path="shortcuts",
    applies=_has_limits,
    measure=text_check.measure,
    told=_text_figures,
    blocks=card_blocks.text_blocks,
    section="shortcuts",
    work="shortcuts",
    args={"items": None},
    about="Shortcuts are",
    state_of=_state_of_texts,
    result_of=_text_result,
    apart=True,
)
MODELS = ReleaseCheck(
    name=model_check.NAME,
    title="Right without images",
    page="shortcuts",
    path=f"shortcuts.{model_check.NAME}",
    applies=_has_model_limit,
    measure=model_check.measure,
    told=_model_figures,
    blocks=card_blocks.model_blocks,
    section="shortcuts",
    work="shortcut_models",
    args={"items": None},
    about="Results of models without images are",
    state_of=_state_of_models,
    result_of=_model_result,
)
CHECKS = (TEXTS, MODELS)
