"""What a team's own Label Studio project names otherwise than the schema does."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from annotation_schemas.model import Schema

FORMAT = "label_studio"
ITEM, DIMENSION, MODEL = "item_id", "dimension", "model"
"""Keys of a task's data that name the item, its dimension, and whose answer (``prediction``) is rated."""


@dataclass(frozen=True)
class Names:
    """What is named otherwise there than here."""

    fields: Mapping[str, str] = field(default_factory=dict)
    """Key of the data by our field, role, or one of ``item_id``, ``dimension``, ``model``, ``prediction``."""
    controls: Mapping[str, str] = field(default_factory=dict)
    """Control by our criterion, or by ``prediction``: the one whose value is a model's answer."""
    without: frozenset[str] = frozenset()
    """Controls to leave out."""
    rater: str | None = None
    """Who made annotations that name no one."""
    model: str | None = None
    """Whose predictions those are that name no model."""

    def key(self, name: str) -> str:
        """The key of the data that holds what we call ``name``."""
        return self.fields.get(name, name)

    def over(self, schema: Schema) -> Names:
        """With the names that the schema gives its source's keys, where these names do not say otherwise."""
        own = schema.source.fields if schema.source and schema.source.format == FORMAT else {}
        return replace(self, fields={**own, **self.fields})


SAME = Names()
