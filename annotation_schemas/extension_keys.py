"""Keys of the grammar that only an extension reads.

The grammar itself stays in ``annotation_schemas.model``, as tables stay in ``db``: a stored schema has the same hash
with and without the extension. The extension adds the checks of the key and everything that the key does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from annotation_schemas.model import Schema
from annotation_schemas.yaml_text import Path
from domain import extensions


@dataclass(frozen=True)
class SchemaKey:
    """A key that an extension reads: a row of the register ``schema_keys``."""

    path: str
    """The key as people write it: ``export.shortcuts``. ``*`` stands for any key: ``stages.*.gold``."""
    check: Callable[[Schema], Iterator[tuple[Path, str]]]
    """Yields the problems of the key's value: the path and the message."""


def check(schema: Schema) -> Iterator[tuple[Path, str]]:
    """Yield the problems of all keys that extensions read."""
    for row in extensions.rows("schema_keys"):
        yield from row.check(schema)
