"""What the page of the builder shows for a text: rows, findings, sentences and the live form."""

from __future__ import annotations

from functools import cache
from typing import Any, get_args

from annotation_schemas import kinds, registry, shipped
from annotation_schemas.loader import examine_document
from annotation_schemas.model import LoadedSchema, Schema, StageName, Stages, as_words
from annotation_schemas.yaml_text import Document
from app.screens import SCREENS
from app.workbench import preview
from domain.errors import NotAvailableError, TouchstoneError
from domain.policies import KEEP_RULES
from domain.states import VERIFICATIONS, Stage
from extensions.form_builder.fixes import plain_findings
from extensions.form_builder.keep_words import keep_sentence
from extensions.form_builder.starts import PUBLISHED
from extensions.form_builder.yaml_render import thawed

Json = dict[str, Any]
DEEPEST = 6
"""Rows lie at most this deep, so the page needs no lines of deeper keys."""
RULES = {
    "unanimous": "all",
    "unanimous_and_key": "all, blind",
    "majority": "more than half",
    "weighted": "more than half, weighted by score",
    "all_of": "all, on several questions",
}
"""The keep rules as the row says them: "Keep an item if … say …"."""


def form_state(text: str, guideline: str, *, stage: str, dimension: str) -> Json:
    """Return the rows' values, the findings with their fixes, who keeps an item, and the form of one stage."""
    document, loaded = examine_document(text, guideline)
    plain = isinstance(document.value, dict) and not document.broken
    return {
        "value": thawed(document.value) if plain else None,
        "lines": _lines(document),
        "findings": plain_findings(text, guideline, document),
        "valid": loaded is not None,
        "keep": _keep_sentences(loaded) if loaded is not None else {},
        **(_form(loaded, stage, dimension) if loaded is not None else {"stages": [], "dimensions": [], "form": None}),
    }


def _lines(document: Document) -> dict[str, list[int]]:
    """Return the first and last line of each key and entry, by its path with slashes."""
    spans: dict[str, list[int]] = {}
    for path, line in document.lines.items():
        for end in range(1, min(len(path), DEEPEST) + 1):
            span = spans.setdefault("/".join(map(str, path[:end])), [line, line])
            span[0], span[1] = min(span[0], line), max(span[1], line)
    return spans


def _keep_sentences(loaded: LoadedSchema) -> dict[str, str]:
    return {stage: keep_sentence(loaded.schema_, stage) for stage in loaded.schema_.stages.verifications}


def _form(loaded: LoadedSchema, stage: str, dimension: str) -> Json:
    """Return the form of a stage with a made-up item, and the stages and dimensions to choose from."""
    schema = loaded.schema_
    stages = preview.stages_of(schema)
    ids = [each.id for each in schema.dimensions]
    state: Json = {
        "stages": [{"name": each.value, "title": schema.stages.title_of(each)} for each in stages],
        "dimensions": [{"name": each.id, "title": each.title} for each in schema.dimensions],
        "form": None,
        "stage": None,
        "dimension": None,
        "note": "This form has no stage for people. Add a stage.",
    }
    if not stages or not ids:
        return state
    chosen = Stage(stage) if stage in stages else _first(stages)
    dimension = dimension if dimension in ids else ids[0]
    state |= {"stage": chosen.value, "dimension": dimension, "note": ""}
    try:
        registry.require_available(schema, chosen.value)
    except NotAvailableError as error:
        state["note"] = str(error)
    if any(screen.stage is chosen and screen.preview is not None for screen in SCREENS.values()):
        return state | {
            "note": "This stage has its own page. To see the page, create the project and choose “Preview”."
        }
    try:
        state["form"] = preview.preview_data(loaded, chosen, dimension)
    except TouchstoneError as error:
        state["note"] = str(error)
    return state


def _first(stages: list[Stage]) -> Stage:
    return next((stage for stage in stages if stage in VERIFICATIONS), stages[0])


@cache
def catalog() -> Json:
    """Return what rows can be: kinds, keep rules and stages with their meanings."""
    return {
        "questions": [_kind(row) for row in kinds.CRITERIA.values()],
        "fields": [{**_kind(row), "is_list": row.is_list} for row in kinds.FIELDS.values()],
        "rules": [
            {"name": row.name, "title": RULES.get(row.name, as_words(row.name)), "help": row.meaning}
            | {"key": row.needs_key, "values": row.needs_values}
            for row in KEEP_RULES.values()
        ],
        "stages": [
            {
                "name": name,
                "title": as_words(name),
                "help": Stages.model_fields[name].description or "",
                "votes": name in VERIFICATIONS,
            }
            for name in get_args(StageName)
            if name in Stages.model_fields
        ],
        "keys": list(Schema.model_fields),
    }


def _kind(row: kinds.Kind) -> Json:
    return {"name": row.name, "title": as_words(row.name), "help": row.meaning, "keys": list(row.keys)}


@cache
def examples() -> list[Json]:
    """Return the schemas that come with Touchstone: name, title, stages, and whether a benchmark was published."""
    found = []
    for name, path in shipped().items():
        _, loaded = examine_document(path.read_text(encoding="utf-8"), "")
        if loaded is not None:
            schema = loaded.schema_
            stages = [schema.stages.title_of(stage) for stage in preview.stages_of(schema)]
            found.append({"name": name, "title": schema.title, "stages": stages, "published": name in PUBLISHED})
    return found
