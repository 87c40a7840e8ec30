"""What a team's own Label Studio project names otherwise than the schema does."""

from __future__ import annotations

from dataclasses import replace

from annotation_schemas.formats import Names
from annotation_schemas.model import Schema

FORMAT = "label_studio"
ITEM, DIMENSION, MODEL = "item_id", "dimension", "model"
"""Keys of a task's data that name the item, its dimension, and whose answer (``prediction``) is rated."""
SAME = Names()


def over(names: Names, schema: Schema) -> Names:
    """Return names with those that the schema gives its source's keys, where they do not say otherwise."""
    own = schema.source.fields if schema.source and schema.source.format == FORMAT else {}
    return replace(names, fields={**own, **names.fields})
