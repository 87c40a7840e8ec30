"""Checks of the fields that pair items (``report: pairs``)."""

from __future__ import annotations

from collections.abc import Iterator

from annotation_schemas.extension_keys import SchemaKey
from annotation_schemas.model import Schema
from annotation_schemas.yaml_text import Path


def check(schema: Schema) -> Iterator[tuple[Path, str]]:
    """Yield the problems of the fields that pair items."""
    pairs = schema.report.pairs
    if pairs is None:
        return
    known = {field.name for field in schema.item.fields}
    for name in ("pair", "variant"):
        if (given := getattr(pairs, name)) not in known:
            yield ("report", "pairs", name), f"there is no field `{given}`; use one of: {', '.join(sorted(known))}"
    if pairs.pair == pairs.variant:
        yield ("report", "pairs", "variant"), "this field already identifies the pairs; choose another field"


KEYS = (SchemaKey("report.pairs", check),)
