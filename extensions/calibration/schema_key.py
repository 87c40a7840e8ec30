"""The key ``report: rule``: the rule of verdicts from a project's beginning.

``annotation_schemas.reporting`` checks its values in new files. Stored schemas with other values still open.
"""

from __future__ import annotations

from collections.abc import Iterator

from annotation_schemas.extension_keys import SchemaKey
from annotation_schemas.model import Schema
from annotation_schemas.yaml_text import Path


def check(schema: Schema) -> Iterator[tuple[Path, str]]:
    """Yield no problem of a stored rule."""
    yield from ()


KEYS = (SchemaKey("report.rule", check),)
