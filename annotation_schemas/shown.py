"""The fields of an item on a stage's page, with their titles, for our own pages and for Label Studio."""

from __future__ import annotations

from annotation_schemas.keys import key_fields
from annotation_schemas.kinds import title_of
from annotation_schemas.model import ItemField, Schema
from domain.states import Stage

PREDICTION_TITLE = "Answer"
REFERENCE_TITLE = "Reference"
WITH_ANSWER = (Stage.GRADING, Stage.COMPARISON, Stage.REFINEMENT, Stage.CODING, Stage.ARBITRATION)
"""The stages whose pages show a model's answer next to the item."""


def shown_fields(schema: Schema, stage: Stage) -> list[ItemField]:
    """Return the item's fields on this stage's page, in the schema's order.

    Fields that are secret in the stage are left out. Grading, comparison and answering show only the fields that the
    schema names, and answering leaves out fields that models must not see.
    """
    stage = Stage.CODING if stage is Stage.ARBITRATION else stage  # its reader sees what the coders saw
    visible = [field for field in schema.item.fields if stage.value not in field.secret_in]
    if stage is Stage.AUTHORING:
        return [field for field in visible if field.authored]
    if stage is Stage.ANSWERING:
        named = schema.stages.answering.shows if schema.stages.answering else None
        keys = key_fields(schema)
        usual = {field.name for field in visible if not field.secret_in}  # no prompt but the schema's own takes others
        return [field for field in visible if field.name not in keys and field.name in (named or usual)]
    part = {Stage.GRADING: schema.stages.grading, Stage.COMPARISON: schema.stages.comparison}.get(stage)
    if part is not None and part.shows is not None:
        return [field for field in visible if field.name in part.shows]
    return visible


def title_in_stage(field: ItemField, stage: Stage) -> str:
    """A field's title; next to a model's answer, an item's own "Answer" is the reference."""
    title = title_of(field)
    clashes = stage in WITH_ANSWER and title.casefold() == PREDICTION_TITLE.casefold()
    return REFERENCE_TITLE if clashes else title
