"""Titles of stages in the person's language: a title in the schema and its translation, or the usual title."""

from __future__ import annotations

from annotation_schemas.model import Schema
from domain.language import ENGLISH, _, language, marked
from domain.states import Stage

STAGES = (
    marked("Triage"),
    marked("Authoring"),
    marked("Verification"),
    marked("Verification 2"),
    marked("Verification 3"),
    marked("Adjudication"),
    marked("Refinement"),
    marked("Answering"),
    marked("Grading"),
    marked("Comparison"),
    marked("Coding"),
    marked("Arbitration"),
)
"""The titles of stages without a title of their own in the schema."""


def stage_title(schema: Schema, stage: Stage) -> str:
    """Return the title of a stage in the person's language."""
    title = schema.stages.title_of(stage.value)
    return schema.translations.get(language(), {}).get(title) or _(title)


def stage_in_sentence(schema: Schema, stage: Stage) -> str:
    """Return the title of a stage as it follows "the" in a sentence. Other languages need no other form of it."""
    return schema.stages.in_a_sentence(stage.value) if language() == ENGLISH else stage_title(schema, stage)
