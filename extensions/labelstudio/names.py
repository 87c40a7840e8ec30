"""Names in a team's own Label Studio project that differ from the schema's."""

from __future__ import annotations

from dataclasses import replace

from annotation_schemas.formats import Names
from annotation_schemas.model import Schema

FORMAT = "label_studio"
ITEM, DIMENSION, MODEL = "item_id", "dimension", "model"
"""Keys of a task's data for the item, its dimension, and the model of the rated answer (``prediction``)."""
SAME = Names()


def over(names: Names, schema: Schema) -> Names:
    """Return the names, completed by the schema's own names for its source's keys."""
    own = schema.source.fields if schema.source and schema.source.format == FORMAT else {}
    return replace(names, fields={**own, **names.fields})
